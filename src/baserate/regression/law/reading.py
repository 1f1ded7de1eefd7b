"""The law of a score that a number decides, such as a covariance or the mean loss."""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.direction import Direction
from baserate.ranking.law.dealt import DealtLaw

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Reading:
    """How a number that changes with the order of predictions is read as a score.

    Parameters
    ----------
    observed, score
        The number of the observed order, and its score.
    slope
        By how much the score, or its square, grows with the number.
    rooted
        Whether it is the square of the score that grows so.

    Examples
    --------
    >>> reading = Reading(observed=3.0, score=2.0, slope=-0.5, rooted=True)
    >>> reading.scores(np.array([3.0, 11.0])).tolist(), reading.number(1.0), reading.rises
    ([2.0, 0.0], 9.0, False)
    """

    observed: float
    score: float
    slope: float = 1.0
    rooted: bool = False

    @property
    def rises(self) -> bool:
        """Whether a larger number is a larger score."""
        return self.slope > 0

    def number(self, score: float) -> float:
        """Return the number of a score; of the observed one without rounding."""
        if score == self.score:
            return self.observed
        if self.slope == 0:  # all orders have the observed score
            return math.copysign(math.inf, self.score - score)
        if not self.rooted:
            return self.observed + (score - self.score) / self.slope
        if score < 0:
            return math.copysign(math.inf, -self.slope)
        return self.observed + (score - self.score) * (score + self.score) / self.slope

    def scores(self, numbers: Floats) -> Floats:
        """Return the scores of some numbers."""
        change = self.slope * (numbers - self.observed)
        if not self.rooted:
            return self.score + change
        return np.sqrt(np.maximum(self.score**2 + change, 0))

    def score_of(self, number: float) -> float:
        """Return the score of a number."""
        return float(self.scores(np.array(number)))


class NumberLaw(DealtLaw):
    """The law of a score that a number decides."""

    reading: Reading

    @abc.abstractmethod
    def above(self, number: float) -> float:
        """Return the probability of at least a number."""

    @abc.abstractmethod
    def below(self, number: float) -> float:
        """Return the probability of at most a number."""

    @abc.abstractmethod
    def number_at(self, level: float, *, upwards: bool) -> float:
        """Return the number up to which, from one end, there is at least a probability."""

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good."""
        number = self.reading.number(score)
        is_above = (direction is Direction.MAXIMIZE) == self.reading.rises
        return self.above(number) if is_above else self.below(number)

    def quantile(self, level: float) -> float:
        """Return the lowest score that is not exceeded with at least this probability."""
        return self.reading.score_of(self.number_at(level, upwards=self.reading.rises))
