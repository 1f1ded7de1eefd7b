"""The law of the pairs in order: of AUC, and of what is linear in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.direction import Direction
from baserate.ranking.law.blocks import Blocks
from baserate.ranking.law.dealt import DealtLaw
from baserate.ranking.law.tail import Tail, tail

if TYPE_CHECKING:
    from baserate.binary.base_rate import BaseRate
    from baserate.ranking.deck import ScoreDeck


@dataclass(frozen=True, eq=False)
class PairLaw(DealtLaw):
    """The law of a score that is linear in the number of pairs in order.

    Parameters
    ----------
    rate
        The test set.
    deck
        The scores that are dealt.
    slope, intercept
        The score of an AUC is the slope times it, plus the intercept.
    """

    rate: BaseRate
    deck: ScoreDeck
    slope: float = 1.0
    intercept: float = 0.0

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding, and no approximation."""
        return self._tail(self._pairs).exact

    @property
    def method(self) -> str:
        """How they were found."""
        return "counting" if self.exact else "saddlepoint"

    def mean(self) -> float:
        """Return the expected score."""
        return self.slope / 2 + self.intercept

    def variance(self) -> float:
        """Return the variance of the score."""
        total, sizes = float(self.rate.total), self.deck.sizes.astype(float)
        ties = float((sizes**3 - sizes).sum()) / (total * (total - 1)) if total > 1 else 0.0
        of_auc = (total + 1 - ties) / (12 * float(self._pairs))
        return self.slope**2 * of_auc

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good."""
        auc = (score - self.intercept) / self.slope
        wrong = round(2 * self._pairs * (1 - auc))
        if direction is Direction.MAXIMIZE:
            return self._tail(wrong).probability
        return self._mirrored(2 * self._pairs - wrong).probability

    def quantile(self, level: float) -> float:
        """Return the lowest score that is not exceeded with at least this probability."""
        low, high = 0, 2 * self._pairs
        while low < high:
            middle = (low + high) // 2
            if self._mirrored(middle).probability >= level:
                high = middle
            else:
                low = middle + 1
        return self.slope * low / (2 * self._pairs) + self.intercept

    @property
    def _pairs(self) -> int:
        return self.rate.positives * self.rate.negatives

    @cached_property
    def _sizes(self) -> np.ndarray:
        return self.deck.sizes

    def _tail(self, wrong: int) -> Tail:
        return tail(Blocks(self._sizes, self.rate.positives, wrong))

    def _mirrored(self, wrong: int) -> Tail:
        """Return the probability of at most so many pairs in order, doubled."""
        return tail(Blocks(self._sizes[::-1], self.rate.positives, wrong))
