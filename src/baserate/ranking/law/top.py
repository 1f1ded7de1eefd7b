"""The law of the positives among the k highest scores, ties at the k-th place broken at random."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from baserate.binary.base_rate import BaseRate
from baserate.binary.law.hypergeometric import Hypergeometric
from baserate.core.direction import Direction
from baserate.core.rounding import COMPUTATION
from baserate.ranking.law.dealt import DealtLaw
from baserate.ranking.law.linear import LinearLaw
from baserate.ranking.law.linear_exact import ListedSum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.ranking.deck import ScoreDeck

    Ints = NDArray[Any]

# The most numbers of positives in one of the two parts, and in both, that are listed.
_OUTER, _BOTH = 3_000, 1_000_000


@dataclass(frozen=True)
class Top:
    """The k highest scores: all observations above a block of ties, and a part of the block.

    Parameters
    ----------
    above
        The number of observations with higher scores than the k-th.
    tied
        The number of observations with the same score as the k-th, including it.
    chosen
        How many of these are among the k highest.
    """

    above: int
    tied: int
    chosen: int

    @classmethod
    def of(cls, sizes: Ints, k: int) -> Top:
        """Return the k highest scores of blocks with these sizes, the highest first.

        Examples
        --------
        >>> Top.of(np.array([2, 5, 1]), 4)
        Top(above=2, tied=5, chosen=2)
        """
        upto = np.cumsum(sizes[:k])
        place = int(np.searchsorted(upto, k))
        above = int(upto[place - 1]) if place else 0
        return cls(above, int(sizes[place]), k - above)


class TopLaw(DealtLaw):
    """The law of a score that is linear in the expected number of positives in the top k.

    Parameters
    ----------
    rate
        The test set.
    deck
        The scores that are dealt.
    k
        The number of observations in the top; at most all.
    slope
        What each positive adds.
    """

    def __init__(self, rate: BaseRate, deck: ScoreDeck, k: int, slope: float) -> None:
        self.rate, self.deck, self.k, self.slope = rate, deck, k, slope

    @cached_property
    def _top(self) -> Top:
        return Top.of(self.deck.sizes, self.k)

    @cached_property
    def _law(self) -> _Counts:
        return _law_of_counts(self.rate, self._top)

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding, and no approximation."""
        return self._law.exact

    @property
    def method(self) -> str:
        """How they were found: "hypergeometric", "counting" or "saddlepoint"."""
        return self._law.method

    @property
    def error(self) -> float:
        """What is known of the relative error of a probability; 0 if it is exact."""
        return self._law.error

    def mean(self) -> float:
        """Return the expected score."""
        return self.slope * self.k * self.rate.positives / self.rate.total

    def variance(self) -> float:
        """Return the variance of the score."""
        return self.slope**2 * _variance(self.rate, self._top)

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good."""
        if direction is Direction.MAXIMIZE:
            return self._law.at_least(score / self.slope)
        return self._law.at_most(score / self.slope)

    def quantile(self, level: float) -> float:
        """Return the lowest score that is not exceeded with at least this probability."""
        return self.slope * self._law.quantile(level)


def _variance(rate: BaseRate, top: Top) -> float:
    """Return the variance of the expected positives in the top, from whole numbers."""
    total = rate.total
    if total == 1:
        return 0.0
    # Weights of 1 above, chosen / tied within the block, and 0 below; times the tied.
    mean = top.tied * (top.above + top.chosen)
    square = top.above * top.tied**2 + top.tied * top.chosen**2
    classes = rate.positives * rate.negatives
    return classes * (total * square - mean * mean) / (top.tied**2 * total * total * (total - 1))


class _Counts(Protocol):
    """The law of an expected number of positives."""

    @property
    def exact(self) -> bool: ...

    @property
    def method(self) -> str: ...

    @property
    def error(self) -> float: ...

    def at_least(self, value: float) -> float: ...

    def at_most(self, value: float) -> float: ...

    def quantile(self, level: float) -> float: ...


def _law_of_counts(rate: BaseRate, top: Top) -> _Counts:
    """Return the law of the expected positives in the top."""
    if top.chosen == top.tied:
        return _OneCount(Hypergeometric(rate, top.above + top.tied), 1.0)
    if not top.above:
        return _OneCount(Hypergeometric(rate, top.tied), top.chosen / top.tied)
    one, other = (min(size, rate.positives) + 1 for size in (top.above, top.tied))
    if min(one, other) <= _OUTER and one * other <= _BOTH:
        return _listed(rate, top)
    return _AsLinear(rate, top)


@dataclass(frozen=True, eq=False)
class _OneCount:
    """A hypergeometric number, times a share of it that is expected in the top."""

    law: Hypergeometric
    share: float
    exact = True
    method = "hypergeometric"
    error = 0.0

    def at_least(self, value: float) -> float:
        """Return the probability of at least so many."""
        return self.law.sf(_ceiling(value / self.share) - 1)

    def at_most(self, value: float) -> float:
        """Return the probability of at most so many."""
        return self.law.cdf(-_ceiling(-value / self.share))

    def quantile(self, level: float) -> float:
        """Return the fewest that are not exceeded with at least this probability."""
        return self.share * self.law.ppf(level * (1 - COMPUTATION))


def _ceiling(value: float) -> int:
    """Return the next whole number, unless this is one up to rounding."""
    nearest = round(value)
    is_whole = abs(value - nearest) <= COMPUTATION * max(abs(value), 1.0)
    return nearest if is_whole else -int(-value // 1)


def _listed(rate: BaseRate, top: Top) -> ListedSum:
    """List the positives of both parts: those of one part, and of the other given the first."""
    parts = [(top.above, 1.0), (top.tied, top.chosen / top.tied)]
    (outer, step), (inner, inner_step) = sorted(parts)
    first = Hypergeometric(rate, outer)
    values, chances = [], []
    for count, chance in zip(first.counts, first.pmf_of_all().tolist(), strict=True):
        left = BaseRate(positives=rate.positives - count, total=rate.total - outer)
        law = Hypergeometric(left, inner)
        values.append(count * step + inner_step * np.arange(law.low, law.high + 1))
        chances.append(chance * law.pmf_of_all())
    largest = min(rate.positives, top.above + top.tied)
    return ListedSum(np.concatenate(values), np.concatenate(chances), COMPUTATION * largest)


class _AsLinear:
    """The positives of two very large parts, approximately."""

    def __init__(self, rate: BaseRate, top: Top) -> None:
        below = rate.total - top.above - top.tied
        sizes = np.array([top.above, top.tied, below], dtype=np.int64)
        self._law = LinearLaw(rate, sizes, np.array([1.0, top.chosen / top.tied, 0.0]))
        self.exact, self.method, self.error = self._law.exact, self._law.method, self._law.error

    def at_least(self, value: float) -> float:
        """Return the probability of at least so many."""
        return self._law.tail(value, Direction.MAXIMIZE)

    def at_most(self, value: float) -> float:
        """Return the probability of at most so many."""
        return self._law.tail(value, Direction.MINIMIZE)

    def quantile(self, level: float) -> float:
        """Return the fewest that are not exceeded with at least this probability."""
        return self._law.quantile(level)
