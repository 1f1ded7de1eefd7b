"""The law of a score that is a weighted sum of cells, or nearly, by a saddlepoint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from baserate.core.direction import Direction

if TYPE_CHECKING:
    from baserate.multiclass.law.saddlepoint import LinearSum


@dataclass(frozen=True, eq=False)
class ScoresOfSums:
    """Scores that are a weighted sum of cells plus a constant.

    Parameters
    ----------
    sum
        The law of the weighted sum.
    added
        The constant.
    rises
        Whether a larger score is better.
    """

    sum: LinearSum
    added: float
    rises: bool
    exact = False
    method = "saddlepoint"
    error = 0.05

    @property
    def step(self) -> float:
        """How far apart neighbouring scores are; 0 if they are not on a lattice."""
        return self.sum.span

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good."""
        value = score - self.added
        upward = direction is Direction.MAXIMIZE
        return self.sum.at_least(value) if upward else self.sum.at_most(value)

    def luck(self, levels: tuple[float, float]) -> tuple[float, float]:
        """Return the scores of two quantiles from bad to good, the lower score first."""
        low, high = levels if self.rises else (1 - levels[1], 1 - levels[0])
        return self.quantile(low), self.quantile(high)

    def quantile(self, level: float) -> float:
        """Return the score that is not exceeded with this probability."""
        return self.added + self.sum.quantile(level)

    def variance(self) -> float:
        """Return the variance of the score."""
        return self.sum.sd**2
