"""The law of average precision when a deck of scores is dealt at random."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.direction import Direction
from baserate.ranking.law.average_precision.atoms import (
    Atoms,
    all_atoms,
    one_negative,
    one_positive,
)
from baserate.ranking.law.average_precision.bracket import Bracket
from baserate.ranking.law.average_precision.head import Head
from baserate.ranking.law.average_precision.inversion import Inversion
from baserate.ranking.law.average_precision.moments import (
    harmonic,
    mean_precision,
    variance_of_sum,
)
from baserate.ranking.law.dealt import DealtLaw

if TYPE_CHECKING:
    from baserate.binary.base_rate import BaseRate
    from baserate.ranking.deck import ScoreDeck

# With at most so many positives or negatives, bounds are narrow.
_FEW = 12
# Positives that are rarer than this make a long tail.
_RARE = 0.005
# The largest relative error of an inverted probability of at least 1e-5 that was measured: with a
# few blocks of many ties. Without ties it is below 0.005. Below 1e-5, that of rare positives is
# up to a quarter too large.
_ERROR = 0.025


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionLaw(DealtLaw):
    """The distribution of average precision when a deck of scores is dealt at random.

    Parameters
    ----------
    rate
        The test set, with at least one positive.
    deck
        The scores that are dealt.
    """

    rate: BaseRate
    deck: ScoreDeck

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding, and no approximation."""
        return isinstance(self._sum, Atoms)

    @property
    def method(self) -> str:
        """How they were found."""
        if isinstance(self._sum, Bracket):
            return "bounds"
        return "enumeration" if self.exact else "inversion"

    @property
    def error(self) -> float:
        """The relative error of a probability, as measured; 0 if it is exact or has bounds."""
        return _ERROR if isinstance(self._sum, Inversion | Head) else 0.0

    def mean(self) -> float:
        """Return the expected score."""
        return mean_precision(self.rate, self._shares)

    def variance(self) -> float:
        """Return the variance of the score."""
        if self._certain:
            return 0.0
        positives = self.rate.positives
        return variance_of_sum(self.deck.sizes, positives) / positives**2

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good: the upper end of the bracket."""
        return self.bracket(score, direction)[1]

    def bracket(self, score: float, direction: Direction) -> tuple[float, float]:
        """Return between which numbers the probability of a score at least as good is."""
        found, total = self._sum, score * self.rate.positives
        side = found.at_least if direction is Direction.MAXIMIZE else found.at_most
        chance = side(total)
        low, high = chance if isinstance(chance, tuple) else (chance, chance)
        return float(low), min(float(high), 1.0)

    def quantile(self, level: float) -> float:
        """Return the lowest score that is not exceeded with at least this probability."""
        return float(self._sum.quantile(level)) / self.rate.positives

    @property
    def _certain(self) -> bool:
        """Whether there is only one score."""
        return self.deck.sizes.size == 1 or self.rate.positives == self.rate.total

    @cached_property
    def _shares(self) -> float:
        """The sum of t_b/T_b over the blocks."""
        sizes = self.deck.sizes
        if sizes.size == self.deck.total:
            return harmonic(sizes.size)
        return float((sizes / np.cumsum(sizes, dtype=float)).sum())

    @cached_property
    def _sum(self) -> Atoms | Bracket | Head | Inversion:
        """The distribution of the number of positives times the score."""
        sizes, positives = self.deck.sizes, self.rate.positives
        known = self._simple or all_atoms(sizes, positives)
        if known is not None:
            return known
        if min(positives, self.rate.negatives) <= _FEW:
            return Bracket.of(sizes, positives)
        rare = Head.of(sizes, positives) if self.rate.rate < _RARE else None
        return rare or Inversion.of(sizes, positives)

    @property
    def _simple(self) -> Atoms | None:
        """The same if one case decides, or none."""
        if self._certain:
            return Atoms(np.array([self.rate.positives * self.mean()]), np.ones(1))
        if self.rate.positives == 1:
            return one_positive(self.deck.sizes)
        return one_negative(self.deck.sizes) if self.rate.negatives == 1 else None
