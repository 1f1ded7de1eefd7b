"""Many rows as a few groups of rows that get nearly the same from every card."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Rows with weights are grouped in so many kinds of weights.
_KINDS = 12
# How much rows count that weigh little, those that weigh more, and the few that weigh most.
_SHARES = (0.4, 0.3, 0.3)
# A row is compared with others by what it gets from these quantiles of the cards.
_LEVELS = (0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98)
# Quantiles of more cards than these are those of a sample.
_SAMPLE = 20_000


class Groups(NamedTuple):
    """Numbers that stand for others.

    Parameters
    ----------
    values
        The number of each group.
    counts
        How many numbers it stands for.
    powers
        The means of what these are multiplied with, of its square, its cube and its fourth power.
    """

    values: Floats
    counts: Floats
    powers: Floats

    @property
    def times(self) -> Floats:
        """What the numbers are multiplied with, on average."""
        return np.asarray(self.powers[0])


def singles(values: Floats, times: Floats | None) -> Groups:
    """Return every number by itself."""
    each = np.ones(values.size) if times is None else times
    return Groups(values, np.ones(values.size), np.stack([each**k for k in (1, 2, 3, 4)]))


def groups_of(values: Floats, times: Floats | None, sizes: Floats | None, most: int) -> Groups:
    """Return neighbours by their mean, and those that weigh most by themselves.

    Parameters
    ----------
    values
        The numbers.
    times
        What each is multiplied with; 1 if None.
    sizes
        How much each weighs in the spread of a sum; all alike if None.
    most
        How many groups there may be.

    Examples
    --------
    >>> found = groups_of(np.arange(10_000.0), None, None, 100)
    >>> found.values.size <= 100, float(found.counts.sum())
    (True, 10000.0)
    """
    if values.size <= most:
        return singles(values, times)
    order = np.argsort(values, kind="stable")
    weight = np.full(values.size, 1 / values.size)
    if sizes is not None and sizes.any():
        unit = sizes[order] / sizes.max()
        even, some, few = _SHARES
        weight = even * weight + some * unit / unit.sum() + few * unit**2 / (unit**2).sum()
    first = _cuts(weight, most)
    counts = np.diff(np.append(first, values.size)).astype(float)
    if times is None:
        means = np.add.reduceat(values[order], first) / counts
        return Groups(means, counts, np.ones((4, first.size)))
    each = times[order]
    powers = np.stack([np.add.reduceat(each**k, first) / counts for k in (1, 2, 3, 4)])
    means = np.add.reduceat(values[order] * each, first) / (counts * powers[0])
    return Groups(means, counts, powers)


def _cuts(weight: Floats, most: int) -> NDArray[np.int64]:
    """Return where groups of about the same weight begin."""
    upto = np.cumsum(weight)
    place = np.minimum((upto - weight / 2) * (most / upto[-1]), most - 1).astype(np.int64)
    return np.flatnonzero(np.append(True, place[1:] != place[:-1]))


def groups_by_times(values: Floats, times: Floats, sizes: Floats, most: int) -> Groups:
    """Return groups of numbers that are multiplied with nearly the same."""
    if values.size <= most:
        return singles(values, times)
    order = np.argsort(times, kind="stable")
    distinct = np.unique(times)
    if distinct.size <= _KINDS:
        first = np.searchsorted(times[order], distinct)
    else:
        first = _cuts(times[order] + times.mean(), _KINDS)
    kinds = np.split(order, first[1:])
    found = [groups_of(values[k], times[k], sizes[k], max(most // len(kinds), 1)) for k in kinds]
    return Groups(
        np.concatenate([each.values for each in found]),
        np.concatenate([each.counts for each in found]),
        np.concatenate([each.powers for each in found], axis=1),
    )


def spreads(got: Callable[[float], Floats], others: Floats) -> Floats:
    """Return how much it matters to each row which card it gets, beyond what it does to all rows.

    Parameters
    ----------
    got
        What the rows get from a card.
    others
        The cards.
    """
    found = others if others.size <= _SAMPLE else others[:: others.size // _SAMPLE]
    low, high = 0.0, 0.0
    for card in (others.min(), *np.quantile(found, _LEVELS), others.max()):
        gain = got(float(card))
        gain = gain - gain.mean()
        low, high = np.minimum(gain, low), np.maximum(gain, high)
    return np.asarray(high - low)
