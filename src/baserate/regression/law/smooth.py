"""The law of a score by a smooth curve, for more observations than are shuffled in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from baserate.regression.law.reading import NumberLaw, Reading


class Smooth(Protocol):
    """A smooth distribution of a number."""

    @property
    def mean(self) -> float:
        """Its mean."""

    @property
    def deviation(self) -> float:
        """Its standard deviation."""

    def above(self, value: float) -> float:
        """Return the probability of at least a value."""

    def below(self, value: float) -> float:
        """Return the probability of at most a value."""

    def quantile(self, level: float) -> float:
        """Return the value that is exceeded with one minus this probability."""


@dataclass(frozen=True, eq=False)
class SmoothLaw(NumberLaw):
    """The law of a score whose number has a smooth distribution.

    Parameters
    ----------
    reading
        How a number is read as a score.
    curve
        The distribution of the number.
    how
        How it was found.
    measured
        The relative error of its tails that was measured.
    """

    reading: Reading
    curve: Smooth
    how: str
    measured: float

    @property
    def exact(self) -> bool:
        """False: it is an approximation."""
        return False

    @property
    def method(self) -> str:
        """How probabilities were found."""
        return self.how

    @property
    def error(self) -> float:
        """The relative error of a probability that was measured."""
        return self.measured

    def mean(self) -> float:
        """Return the expected score."""
        centre = self.reading.score_of(self.curve.mean)
        # A root is concave: its mean is below the root of the mean, to second order.
        if self.reading.rooted and centre > 0:
            spread = self.curve.deviation * self.reading.slope / centre**2
            return centre * (1 - spread**2 / 8)
        return centre

    def variance(self) -> float:
        """Return the variance of the score."""
        spread = self.curve.deviation * self.reading.slope
        if not self.reading.rooted:
            return spread**2
        centre = self.reading.score_of(self.curve.mean)
        return (spread / (2 * centre)) ** 2 if centre > 0 else 0.0

    def above(self, number: float) -> float:
        """Return the probability of at least a number."""
        return self.curve.above(number)

    def below(self, number: float) -> float:
        """Return the probability of at most a number."""
        return self.curve.below(number)

    def number_at(self, level: float, *, upwards: bool) -> float:
        """Return the number up to which, from one end, there is a probability."""
        return self.curve.quantile(level if upwards else 1 - level)
