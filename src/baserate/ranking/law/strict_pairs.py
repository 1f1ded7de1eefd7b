"""The pairs in order of a random ranking without ties: all their numbers at once.

The ways to have u pairs in order are the coefficients of a Gaussian binomial,
∏ (1 - q^(N+i)) / (1 - q^i) over i from 1 to P (Mann and Whitney 1947).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.direction import Direction
from baserate.core.rounding import COMPUTATION
from baserate.ranking.law.dealt import DealtLaw
from baserate.ranking.law.pairs import PairLaw

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate
    from baserate.ranking.deck import ScoreDeck

    Floats = NDArray[np.float64]

# More additions take longer than a tenth of a second, and ways beyond this are no floats.
_MOST_ADDITIONS, _MOST_WAYS = 3e7, 700.0


@dataclass(frozen=True)
class StrictPairs:
    """How likely each number of pairs in order is.

    Parameters
    ----------
    positives, negatives
        How many there are of each.

    Examples
    --------
    >>> StrictPairs(2, 2).at_most(0) * 6, StrictPairs(2, 2).at_most(2) * 6
    (1.0, 4.0)
    """

    positives: int
    negatives: int

    @property
    def is_quick(self) -> bool:
        """Whether they can be counted in no time."""
        few = min(self.positives, self.negatives)
        log_ways = math.lgamma(self.positives + self.negatives + 1)
        log_ways -= math.lgamma(self.positives + 1) + math.lgamma(self.negatives + 1)
        return few * self._half <= _MOST_ADDITIONS and log_ways < _MOST_WAYS

    def at_most(self, pairs: int) -> float:
        """Return the probability of so many pairs in order, or fewer."""
        every = self.positives * self.negatives
        if pairs < 0:
            return 0.0
        if pairs <= self._half:
            return float(self._upto[pairs])
        # The law is symmetric.
        return 1.0 - (float(self._upto[every - pairs - 1]) if pairs < every else 0.0)

    def quantile(self, level: float) -> int:
        """Return the lowest number of pairs that is not exceeded with at least this probability."""
        place = int(np.searchsorted(self._upto, level))
        if place < self._upto.size:
            return place
        # Beyond the middle: the first number that few enough are above.
        above = int(np.searchsorted(self._upto, 1 - level, side="right"))
        return self.positives * self.negatives - above

    @property
    def _half(self) -> int:
        return self.positives * self.negatives // 2

    @cached_property
    def _upto(self) -> Floats:
        """The distribution up to the middle."""
        few, many = sorted((self.positives, self.negatives))
        ways = np.zeros(self._half + 1)
        ways[0] = 1.0
        for step in range(1, few + 1):
            ways[many + step :] -= ways[: max(ways.size - many - step, 0)].copy()
            ways = _summed(ways, step)
        return np.cumsum(ways) / math.comb(few + many, few)


@dataclass(frozen=True, eq=False, repr=False)
class StrictPairLaw(DealtLaw):
    """The law of a score that is linear in the number of pairs in order, without ties.

    Parameters
    ----------
    pairs
        How likely each number of pairs in order is.
    slope, intercept
        The score of an AUC is the slope, which is positive, times it, plus the intercept.
    """

    pairs: StrictPairs
    slope: float = 1.0
    intercept: float = 0.0

    exact = True
    method = "counting"

    def mean(self) -> float:
        """Return the expected score."""
        return self.slope / 2 + self.intercept

    def variance(self) -> float:
        """Return the variance of the score."""
        return self.slope**2 * (self.pairs.positives + self.pairs.negatives + 1) / (12 * self._all)

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good."""
        if math.isnan(score):
            return math.nan
        auc = min(max((score - self.intercept) / self.slope, -1.0), 2.0)
        # The law is symmetric: so many wrong pairs are as likely as so many in order.
        worse = auc if direction is Direction.MINIMIZE else 1 - auc
        return self.pairs.at_most(math.floor(self._all * (worse + COMPUTATION)))

    def quantile(self, level: float) -> float:
        """Return the lowest score that is not exceeded with at least this probability."""
        found = self.pairs.quantile(level * (1 - COMPUTATION))
        return self.slope * (found / self._all) + self.intercept

    @property
    def _all(self) -> int:
        return self.pairs.positives * self.pairs.negatives


def pair_law(
    rate: BaseRate, deck: ScoreDeck, slope: float = 1.0, intercept: float = 0.0
) -> DealtLaw:
    """Return the law of a score that is linear in the number of pairs in order; see `PairLaw`."""
    strict = StrictPairs(rate.positives, rate.negatives)
    if deck.sizes.size == rate.total and rate.positives and rate.negatives and strict.is_quick:
        return StrictPairLaw(strict, slope, intercept)
    return PairLaw(rate, deck, slope, intercept)


def _summed(ways: Floats, step: int) -> Floats:
    """Divide a series by 1 - q^step: add to each coefficient all those by steps before it."""
    short = -ways.size % step
    rows = np.append(ways, np.zeros(short)).reshape(-1, step)
    return np.asarray(rows.cumsum(axis=0).ravel()[: ways.size])
