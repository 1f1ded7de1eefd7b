"""The test of swapping two models row by row: each difference keeps its size, and tosses its sign.

With few distinct differences all sums are counted. With more, the largest differences are, and the
sum of the others is known by a saddlepoint: a single large difference, as of a log loss, would make
two humps of the distribution, and no saddlepoint sees those.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[Any]

# All signs of so many differences are counted, and of more if they have no more sums than this.
_FEW, _MOST_SUMS = 20, 2**17
# Sums this close, relative to the largest difference, are equal.
_SAME = 1e-10
# How many of the largest differences have all their signs counted beside a saddlepoint.
_LARGEST = 10
_SADDLEPOINTS = 600
# More values than this are joined with their neighbours, but for so many at either end.
_MOST_VALUES, _AT_ENDS = 4_096, 512


def sign_test(differences: Floats, counts: Floats) -> tuple[float, bool]:
    """Return the chance that a sum with random signs is as far from 0, and whether it is exact.

    Parameters
    ----------
    differences, counts
        The differences between two models, and how often each occurs.

    Examples
    --------
    >>> p_value, exact = sign_test(np.array([0.5, 0.25, -0.125]), np.array([1, 1, 1]))
    >>> round(p_value, 6), exact
    (0.5, True)
    """
    sizes, numbers = _distinct(differences, counts)
    if not sizes.size:
        return 1.0, True
    total = abs(float(counts @ differences)) / float(sizes.max())
    sizes = sizes / sizes.max()
    counted = _sums(sizes, numbers)
    if counted is not None:
        sums, chances = counted
        slack = _slack(numbers)
        return min(1.0, float(chances[np.abs(sums) >= total - slack].sum())), True
    # The observed signs and their opposites are two of all.
    least = 0.5 ** (float(numbers.sum()) - 1)
    return min(1.0, max(least, 2 * _approximate(sizes, numbers, total))), False


def _slack(numbers: Floats) -> float:
    """Return how far apart equal sums may be."""
    return _SAME * max(1.0, float(np.sqrt(numbers.sum())))


def _distinct(differences: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Return the distinct sizes of differences other than 0, descending, and their counts."""
    sizes = np.abs(differences)
    largest = float(sizes.max(initial=0.0))
    is_other = sizes > 1e-14 * largest
    order = np.argsort(-sizes[is_other], kind="stable")
    ranked, numbers = sizes[is_other][order], counts[is_other][order]
    if not ranked.size:
        return ranked, numbers
    # Equal up to rounding is equal.
    starts = np.flatnonzero(np.append(True, -np.diff(ranked) > 1e-13 * largest))
    return ranked[starts], np.add.reduceat(numbers, starts)


def _sums(sizes: Floats, numbers: Floats) -> tuple[Floats, Floats] | None:
    """Return all sums with random signs and their chances; None if they are too many."""
    known = _NOTHING
    most = 2**_FEW if numbers.sum() <= _FEW else _MOST_SUMS
    for size, number in zip(sizes.tolist(), numbers.tolist(), strict=True):
        if (number + 1) * known[0].size > 8 * most:
            return None
        known = _added(known, (size, number))
        if known[0].size > most:
            return None
    return known


_NOTHING = np.zeros(1), np.ones(1)


def _added(known: tuple[Floats, Floats], more: tuple[float, int]) -> tuple[Floats, Floats]:
    """Add a difference, as often as it occurs, to sums whose chances are known."""
    from scipy.stats import binom

    (sums, chances), (size, number) = known, more
    heads = np.arange(number + 1)
    grown = (sums[:, np.newaxis] + size * (2 * heads - number)).ravel()
    weights = np.outer(chances, binom.pmf(heads, number, 0.5)).ravel()
    order = np.argsort(grown)
    ranked = grown[order]
    # Sums that differ by rounding are one.
    starts = np.flatnonzero(np.append(True, np.diff(ranked) > _SAME))
    return ranked[starts], np.add.reduceat(weights[order], starts)


def _approximate(sizes: Floats, numbers: Floats, total: float) -> float:
    """Return the chance that a sum with random signs is at least so much."""
    largest, others = _split(sizes, numbers)
    few = zip(largest[0].tolist(), largest[1].tolist(), strict=True)
    sums, chances = reduce(_added, few, _NOTHING)
    rest = _Rest(*_condensed(*others))
    return float(chances @ rest.at_least(total - _slack(numbers) - sums))


def _split(sizes: Floats, numbers: Floats) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Split differences into the largest few and the others."""
    before = np.cumsum(numbers) - numbers
    taken = np.clip(_LARGEST - before, 0, numbers)
    left = numbers - taken
    return (sizes[taken > 0], taken[taken > 0]), (sizes[left > 0], left[left > 0])


@dataclass(frozen=True, eq=False)
class _Rest:
    """The law of a sum of many small differences with random signs."""

    sizes: Floats
    numbers: Floats

    @cached_property
    def _curve(self) -> tuple[Floats, Floats]:
        """Sums from 0 to nearly the largest, and the normal deviate of each."""
        scale = float(np.sqrt(self.numbers @ self.sizes**2))
        # From a thousandth of a standard deviation to where all but the last signs agree.
        ts = np.geomspace(1e-3 / scale, 40 / float(self.sizes.min()), _SADDLEPOINTS)
        ts = ts[ts * scale < 1e8]
        found = np.array([self._at(float(t)) for t in ts])
        sums, deviates = found.T
        rising = np.append(True, np.diff(np.maximum.accumulate(sums)) > 0)
        # A larger sum is never more likely.
        deviates = np.maximum.accumulate(deviates[rising])
        return np.append(0.0, sums[rising]), np.append(0.0, deviates)

    def _at(self, t: float) -> tuple[float, float]:
        """Return the sum whose saddlepoint is t, and its deviate by Barndorff-Nielsen's formula."""
        from scipy.special import ndtri_exp

        x = t * self.sizes
        slopes = np.tanh(x)
        # log cosh x, without overflow
        total = float(self.numbers @ (x + np.log1p(np.exp(-2 * x)) - np.log(2)))
        mean = float(self.numbers @ (self.sizes * slopes))
        variance = float(self.numbers @ (self.sizes**2 * (1 - slopes**2)))
        excess = max(t * mean - total, 0.0)
        # Chernoff's bound is never wrong, and the better one where few signs are left to toss.
        bound = -float(ndtri_exp(min(-excess, -math.log(2))))
        root, spread = math.sqrt(2 * excess), t * math.sqrt(variance)
        if not (root and spread):
            return mean, bound
        return mean, max(bound, root + math.log(spread / root) / root)

    def at_least(self, sums: Floats) -> Floats:
        """Return the chance of at least some sums."""
        from scipy.special import ndtr

        known, deviates = self._curve
        found = np.interp(np.abs(sums), known, deviates)
        is_possible = sums <= float(self.numbers @ self.sizes) * (1 + _SAME)
        return np.where(is_possible, ndtr(-np.sign(sums) * found), 0.0)


def _condensed(values: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Return distinct values and their counts, with those in the middle joined if they are many."""
    distinct, place = np.unique(values[counts > 0], return_inverse=True)
    counts = counts[counts > 0]
    sizes = np.bincount(place.reshape(-1), counts, distinct.size)
    if distinct.size <= _MOST_VALUES:
        return distinct, sizes
    inner = slice(_AT_ENDS, distinct.size - _AT_ENDS)
    before = np.cumsum(sizes[inner]) - sizes[inner]
    bins = before * (_MOST_VALUES - 2 * _AT_ENDS) // sizes[inner].sum()
    starts = _AT_ENDS + np.unique(bins, return_index=True)[1]
    last = np.arange(distinct.size - _AT_ENDS, distinct.size)
    starts = np.concatenate([np.arange(_AT_ENDS), starts, last])
    joined = np.add.reduceat(sizes, starts)
    return np.add.reduceat(distinct * sizes, starts) / joined, joined
