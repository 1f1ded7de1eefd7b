"""The best constants for the symmetric MAPE."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baserate.core.rounding import COMPUTATION
from baserate.regression.constants import Constants, one

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

# As many numbers as are compared with each other one by one; of more, only the candidates.
_FEW = 2_000
# Numbers of a bin are within this distance of its centre, on a scale of logarithms. The series of
# tanh around it converges up to a distance of π.
_RADIUS, _TERMS = 0.1, 13
# Beyond this distance tanh is 1 to the last digit.
_FAR = 40.0
# Widths of bins of which only those are looked at that may have the best constant.
_COARSE = 0.01
# As much memory as one step may take, in numbers.
_AT_ONCE = 2_000_000


def symmetric_centres(values: Floats, weights: Floats | None = None) -> Constants:
    """Return all constants with the least symmetric MAPE, of numbers in ascending order.

    Beside a number of the same sign, the loss of a constant is 2 tanh(|log c - log y| / 2), which
    is concave on either side of y. So the sum is concave between two neighbours, and a best
    constant is always one of the numbers. A number of the other sign, or 0, costs 2 whatever c is.

    Examples
    --------
    >>> import numpy as np
    >>> symmetric_centres(np.array([1.0, 2, 3, 10, 100]))
    (ConstantSet(low=2.0, high=2.0),)
    """
    shares = np.ones(values.size) if weights is None else weights / weights.max()
    below, above = values < 0, values > 0
    candidates = np.concatenate(
        [-_centres(-values[below][::-1], shares[below][::-1]), [0.0] * bool((values == 0).any()),
         _centres(values[above], shares[above])]
    )  # fmt: skip
    losses = np.array([_loss(values, shares, constant) for constant in candidates])
    best = candidates[losses <= losses.min() * (1 + COMPUTATION)]
    return Constants(each for constant in np.sort(best) for each in one(constant))


def _loss(values: Floats, shares: Floats, constant: float) -> float:
    """Return the symmetric MAPE of a constant."""
    if constant == 0:
        return 2 * float(shares[values != 0].sum() / shares.sum())
    # Quarters, so that the sum of the largest numbers is finite.
    errors = np.abs(values / 4 - constant / 4)
    errors /= np.abs(values) / 4 + abs(constant) / 4
    return 2 * float((errors * shares).sum() / shares.sum())


def _centres(values: Floats, shares: Floats) -> Floats:
    """Return the best of some positive numbers, in ascending order."""
    if not values.size:
        return values
    starts = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    distinct, shares = values[starts], np.add.reduceat(shares, starts)
    logs, shares = np.log(distinct), shares / shares.sum()
    totals = _few(logs, shares, logs) if logs.size <= _FEW else _many(logs, shares)
    # Series and logarithms are rounded: all that may be the best are compared again.
    slack = 4e-14 * (1 + np.abs(logs).max() / 4)
    near = np.flatnonzero(totals <= totals.min() + slack)
    return np.asarray(distinct[near[np.argsort(totals[near], kind="stable")[:20]]])


def _few(logs: Floats, shares: Floats, targets: Floats) -> Floats:
    """Return the mean distance tanh(|s - t| / 2) of each target to all numbers."""
    parts = np.array_split(targets, 1 + targets.size * logs.size // _AT_ONCE)
    return np.concatenate(
        [np.tanh(np.abs(part[:, np.newaxis] - logs) / 2) @ shares for part in parts]
    )


def _promising(logs: Floats, shares: Floats) -> NDArray[np.bool_]:
    """Return which numbers may be the best, from the centres of narrow bins."""
    width = max(_COARSE, float(logs[-1] - logs[0]) / 5_000)
    bins = np.floor((logs - logs[0]) / width).astype(np.int64)
    names, starts = np.unique(bins, return_index=True)
    centres = logs[0] + (names + 0.5) * width
    totals = _few(centres, np.add.reduceat(shares, starts), centres)
    # Half a width from the centre of its own bin, each number changes a distance by a quarter of
    # the width at most, and so does the target.
    kept = totals <= totals.min() + width
    return np.repeat(kept, np.diff(np.append(starts, logs.size)))


def _many(logs: Floats, shares: Floats) -> Floats:
    """Return the same for the numbers that may be the best, in time proportional to all of them.

    Numbers are put into bins. tanh((t - s) / 2) is a series in the distances of t and of s
    to the centres of their bins. So all that matters of a bin is its moments; of the bin of t, its
    moments below t and above.
    """
    promising = _promising(logs, shares)
    bins = np.floor((logs - logs[0]) / (2 * _RADIUS)).astype(np.int64)
    names, starts = np.unique(bins, return_index=True)
    centres = logs[0] + (2 * names + 1) * _RADIUS
    ends = np.append(starts[1:], logs.size)
    moments = _moments(logs - np.repeat(centres, ends - starts), shares, starts)
    totals = np.full(logs.size, np.inf)
    for place in np.unique(np.searchsorted(starts, np.flatnonzero(promising), side="right") - 1):
        part = slice(starts[place], ends[place])
        far = _from_other_bins(centres - centres[place], moments)
        powers = np.vander(logs[part] - centres[place], _TERMS, increasing=True).T
        # The moments below t less those above; a number itself has no distance.
        balance = 2 * np.cumsum(powers * shares[part], axis=1) - moments[place][:, np.newaxis]
        balance = _shifted(0.0) @ balance + far[:, np.newaxis]
        totals[part] = np.where(promising[part], np.einsum("ij,ij->j", powers, balance), np.inf)
    return totals


def _moments(distances: Floats, shares: Floats, starts: Ints) -> Floats:
    """Return the sums of powers in each bin, a row for each bin."""
    terms, found = shares.copy(), []
    for _ in range(_TERMS):
        found.append(np.add.reduceat(terms, starts))
        terms *= distances
    return np.array(found).T


def _from_other_bins(offsets: Floats, moments: Floats) -> Floats:
    """Return the series around the centre of one bin of the distances to those in all others."""
    total = np.zeros(_TERMS)
    total[0] = moments[np.abs(offsets) > _FAR, 0].sum()
    for other in np.flatnonzero((offsets != 0) & (np.abs(offsets) <= _FAR)):
        total += -np.sign(offsets[other]) * (_shifted(-offsets[other]) @ moments[other])
    return total


def _shifted(distance: float) -> Floats:
    """Return the coefficients of x^j y^k in tanh((distance + x - y) / 2)."""
    from scipy.special import comb

    series = _series(distance, 2 * _TERMS - 1)
    j, k = np.indices((_TERMS, _TERMS))
    return np.asarray(series[j + k] * comb(j + k, k) * (-1.0) ** k)


def _series(distance: float, terms: int) -> Floats:
    """Return the Taylor coefficients of tanh(x / 2) at a distance: f' = (1 - f²) / 2."""
    found = np.zeros(terms)
    found[0] = np.tanh(distance / 2)
    for n in range(1, terms):
        square = float(found[:n] @ found[:n][::-1])
        found[n] = ((n == 1) - square) / (2 * n)
    return found
