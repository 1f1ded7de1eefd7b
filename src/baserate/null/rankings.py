"""Null distributions of rankings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.null.distribution import Listed
from baserate.null.permutations import Permuted, RandomBlocks, all_tables
from baserate.null.sums import MAX_BLOCKS, two_levels
from baserate.observed.base_rate import BaseRate
from baserate.observed.scores import Counts, ScoreLevels

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.null.distribution import NullDistribution

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]


def null_of_areas(
    rate: BaseRate, levels: ScoreLevels, slope: float = 1.0, intercept: float = 0.0
) -> NullDistribution:
    """Return the distribution of a score that is linear in the AUC (Mann and Whitney 1947).

    Parameters
    ----------
    rate
        The test set, with positives and negatives.
    levels
        The scores that are shuffled.
    slope, intercept
        The score of an AUC is the slope times it, plus the intercept.

    Examples
    --------
    >>> import baserate as br
    >>> from baserate.observed.scores import ScoreLevels
    >>> null = null_of_areas(br.BaseRate(positives=2, total=5), ScoreLevels.of([1, 2, 3, 4, 5]))
    >>> null.mean(), round(null.sf(1.0), 6), round(null.ppf(0.5), 3)
    (0.5, 0.1, 0.5)
    """
    pairs = float(rate.positives) * float(rate.negatives)
    if not pairs:
        return Listed(np.array([np.nan]), np.ones(1))
    # Positions from below, ties in the middle; less those among the positives.
    below = np.multiply(levels.sizes, 0.5)
    below += rate.total
    below -= levels.upto
    start = intercept - slope * rate.positives / (2 * rate.negatives)
    return two_levels(rate.positives, levels.sizes, below, slope / pairs, start)


def null_of_top(rate: BaseRate, levels: ScoreLevels, k: int, slope: float) -> NullDistribution:
    """Return the distribution of a score that is linear in the positives among the k highest.

    Of a block of ties at the k-th place, the share that belongs to the top is expected to.

    Examples
    --------
    >>> import baserate as br
    >>> from baserate.observed.scores import ScoreLevels
    >>> levels = ScoreLevels.of([0.9, 0.8, 0.8, 0.1])
    >>> null = null_of_top(br.BaseRate(positives=2, total=4), levels, 2, slope=0.5)
    >>> null.mean(), round(null.sf(0.75), 4)
    (0.5, 0.3333)
    """
    above, tied, chosen = top(levels.sizes, k)
    sizes = np.array([above, tied, rate.total - above - tied])
    return two_levels(rate.positives, sizes, np.array([1.0, chosen / tied, 0.0]), slope)


def top(sizes: NDArray[Any], k: int) -> tuple[int, int, int]:
    """Return how many are above the block of the k-th place, in it, and of it in the top.

    Examples
    --------
    >>> top(np.array([2, 5, 1]), 4)
    (2, 5, 2)
    """
    upto = np.cumsum(sizes[:k])
    place = int(np.searchsorted(upto, k))
    above = int(upto[place - 1]) if place else 0
    return above, int(sizes[place]), k - above


def null_of_counts(
    rate: BaseRate,
    levels: ScoreLevels,
    scores: Callable[[Counts], Floats],
    mean: Callable[[NDArray[Any]], float] | None = None,
) -> NullDistribution:
    """Return the distribution of any score of the positives and negatives in blocks.

    All ways to place the positives are scored if they are few, and permutations otherwise.

    Parameters
    ----------
    rate
        The test set.
    levels
        The scores that are shuffled. Beyond 1,024 blocks, neighbours are merged, the fewest at the
        top.
    scores
        What returns the scores of several test sets at once.
    mean
        The expected score by the sizes of blocks, if there is a formula.
    """
    values, sizes = _fewer(levels)

    def scored(positives: NDArray[Any]) -> Floats:
        counts = positives.astype(float)
        return np.asarray(scores(Counts(values, counts, sizes - counts)), dtype=float)

    every = all_tables([rate.positives, rate.negatives], sizes.tolist())
    if every is not None:
        return Listed(scored(every[0][:, 0]), every[1], size=1.0)
    blocks = RandomBlocks(rate.positives, sizes)
    expected = None if mean is None else mean(levels.sizes)
    # What merging changes of the mean.
    shift = 0.0 if mean is None or expected is None else expected - mean(sizes)
    return Permuted(
        lambda rng, number: scored(blocks(rng, number)) + shift, blocks.cells, mean=expected
    )


def _fewer(levels: ScoreLevels) -> tuple[Floats, NDArray[np.int64]]:
    """Return the scores and sizes of at most 1,024 blocks."""
    if levels.sizes.size <= MAX_BLOCKS:
        return levels.values.astype(float), levels.sizes.astype(np.int64)
    half, total = MAX_BLOCKS // 2, float(levels.total)
    ranks = np.append(total ** (np.arange(1, half) / half), total * np.arange(1, half) / half)
    starts = np.unique(np.append(0, np.searchsorted(levels.upto, ranks)))
    starts = starts[starts < levels.sizes.size]
    sizes = np.add.reduceat(levels.sizes, starts).astype(np.int64)
    values = levels.values[starts].astype(float)
    return values, sizes


@dataclass(frozen=True)
class Ranking:
    """How many pairs of a positive and a negative observation are in the right order.

    Parameters
    ----------
    positives, negatives
        The numbers of each in every group of equal scores, best group first.

    Examples
    --------
    >>> import numpy as np
    >>> ranking = Ranking(np.array([3, 1, 1]), np.array([0, 1, 5]))
    >>> round(ranking.auc, 3), round(ranking.p_value, 3), ranking.exact
    (0.867, 0.028, True)
    """

    positives: Ints
    negatives: Ints

    def reversed(self) -> Ranking:
        """Return the ranking in reverse order."""
        return Ranking(self.positives[::-1], self.negatives[::-1])

    @property
    def auc(self) -> float:
        """The probability that a positive ranks above a negative, ties counting half; or nan."""
        return self._doubled / (2 * self._pairs) if self._pairs else math.nan

    @property
    def p_value(self) -> float:
        """The probability that a random ranking is at least as good (the Mann-Whitney test).

        The random ranking has the same ties.
        """
        return 1.0 if self._null is None else self._null.sf(self.auc)

    @property
    def exact(self) -> bool:
        """Whether the p-value is exact up to rounding, and not an approximation."""
        return self._null is None or self._null.exact

    @property
    def floor(self) -> float:
        """The smallest p-value that is told apart from smaller ones; 0 if there is none."""
        return 0.0 if self._null is None else self._null.floor

    @cached_property
    def _null(self) -> NullDistribution | None:
        """The distribution of the AUC of shuffled scores; None if a class is missing."""
        if not self._pairs:
            return None
        sizes = self.positives + self.negatives
        levels = ScoreLevels(-np.arange(float(np.count_nonzero(sizes))), sizes[sizes > 0])
        rate = BaseRate(positives=int(self.positives.sum()), total=int(sizes.sum()))
        return null_of_areas(rate, levels)

    @cached_property
    def _pairs(self) -> int:
        return int(self.positives.sum()) * int(self.negatives.sum())

    @cached_property
    def _doubled(self) -> int:
        """Twice the number of pairs in the right order, ties counting half."""
        above = np.cumsum(self.positives) - self.positives
        return int(np.dot(self.negatives, 2 * above + self.positives))
