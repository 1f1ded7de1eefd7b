"""The law of a score from the scores of tables: of all of them, or of random ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.direction import Direction
from baserate.core.rounding import COMPUTATION

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# The probability whose standard error a simulation states.
_STATED = 0.05


@dataclass(frozen=True, eq=False)
class ScoresOfTables:
    """Scores of tables and how likely they are.

    Parameters
    ----------
    scores
        The score of each table.
    chances
        The probability of each table; None if they are random.
    slack
        How far apart two scores may be, and be the same up to rounding.
    rises
        Whether a larger score is better.
    """

    scores: Floats
    chances: Floats | None
    slack: float
    rises: bool

    @property
    def step(self) -> float:
        """Return 0: scores are known one by one."""
        return 0.0

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding."""
        return self.chances is not None

    @property
    def method(self) -> str:
        """How they were found."""
        return "simulation" if self.chances is None else "enumeration"

    @property
    def error(self) -> float:
        """The standard error of p = 0.05, relative to it; 0 if all tables were scored."""
        return 0.0 if self.exact else math.sqrt((1 / _STATED - 1) / self.scores.size)

    @cached_property
    def _ascending(self) -> tuple[Floats, Floats, Floats]:
        """The scores, and the probabilities of one of the first, and of one of the last."""
        order = np.argsort(self.scores, kind="stable")
        chances = np.full(order.size, 1 / order.size) if self.chances is None else self.chances
        sorted_ = chances[order]
        below, above = np.append(0, np.cumsum(sorted_)), np.cumsum(sorted_[::-1])[::-1]
        return self.scores[order], np.minimum(below, 1.0), np.minimum(np.append(above, 0), 1.0)

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good; of random tables, never 0.

        The observed table counts as one of the random ones: then P(p ≤ alpha) ≤ alpha.
        """
        scores, below, above = self._ascending
        if direction is Direction.MAXIMIZE:
            chance = above[np.searchsorted(scores, score - self.slack, side="left")]
        else:
            chance = below[np.searchsorted(scores, score + self.slack, side="right")]
        if self.exact:
            return float(chance)
        return (round(float(chance) * scores.size) + 1) / (scores.size + 1)

    def luck(self, levels: tuple[float, float]) -> tuple[float, float]:
        """Return the scores of two quantiles from bad to good, the lower score first."""
        low, high = levels if self.rises else (1 - levels[1], 1 - levels[0])
        return self.quantile(low), self.quantile(high)

    def quantile(self, level: float) -> float:
        """Return the smallest score that is not exceeded with at least this probability."""
        scores, below, _ = self._ascending
        place = int(np.searchsorted(below[1:], level * (1 - COMPUTATION)))
        return float(scores[min(place, scores.size - 1)])

    def mean(self) -> float:
        """Return the mean score."""
        if self.chances is None:
            return float(self.scores.mean())
        return math.fsum(self.scores * self.chances)

    def variance(self) -> float:
        """Return the variance of the score."""
        off = (self.scores - self.mean()) ** 2
        return float(off.mean() if self.chances is None else math.fsum(off * self.chances))


def slack_of(scores: Floats, magnitude: float) -> float:
    """Return how far apart two scores may be, and be the same up to rounding."""
    return COMPUTATION * max(magnitude, float(np.abs(scores).max(initial=0)))
