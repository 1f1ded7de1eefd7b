"""How a number, such as a covariance or the mean loss, is read as a score."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.direction import Direction
from baserate.core.rounding import COMPUTATION
from baserate.ranking.law.dealt import DealtLaw

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.regression.law.distribution import Distribution

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
        # The square of a large score may be no float; a power of 2 rounds nothing.
        unit = math.ldexp(1.0, max(math.frexp(self.score)[1] - 1, -1000))
        square, change = (self.score / unit) ** 2, change / unit / unit
        # The root of what rounding leaves of a 0 would be far from it.
        rounding = COMPUTATION * (square + np.abs(self.slope * self.observed / unit / unit))
        squares = square + change
        return unit * np.sqrt(np.where(squares > rounding, squares, 0.0))

    def score_of(self, number: float) -> float:
        """Return the score of a number."""
        return float(self.scores(np.array(number)))


@dataclass(frozen=True, eq=False, repr=False)
class NumberLaw(DealtLaw):
    """The law of a score that a number decides.

    Parameters
    ----------
    reading
        How a number is read as a score.
    dealt
        The distribution of the number.
    """

    reading: Reading
    dealt: Distribution

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding, and no approximation."""
        return self.dealt.exact

    @property
    def method(self) -> str:
        """How they were found, in a word or two."""
        return self.dealt.method

    @property
    def error(self) -> float:
        """What is known of the relative error of a probability; 0 if it is exact."""
        return self.dealt.error

    def mean(self) -> float:
        """Return the expected score."""
        return self.dealt.moments(self.reading)[0]

    def variance(self) -> float:
        """Return the variance of the score."""
        return self.dealt.moments(self.reading)[1]

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good."""
        number = self.reading.number(score)
        is_above = (direction is Direction.MAXIMIZE) == self.reading.rises
        return self.dealt.above(number) if is_above else self.dealt.below(number)

    def quantile(self, level: float) -> float:
        """Return the lowest score that is not exceeded with at least this probability."""
        number = self.dealt.number_at(level, upwards=self.reading.rises)
        return self.reading.score_of(number)
