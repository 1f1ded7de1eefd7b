"""What is known of a number that depends on the order of predictions."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from baserate.regression.law.reading import Reading


class Shape(Protocol):
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


class Distribution(abc.ABC):
    """The distribution of a number when predictions are dealt at random."""

    @property
    @abc.abstractmethod
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding, and no approximation."""

    @property
    @abc.abstractmethod
    def method(self) -> str:
        """How they were found, in a word or two."""

    @property
    @abc.abstractmethod
    def error(self) -> float:
        """What is known of the relative error of a probability; 0 if it is exact."""

    @abc.abstractmethod
    def moments(self, reading: Reading) -> tuple[float, float]:
        """Return mean and variance of the scores that numbers are read as."""

    @abc.abstractmethod
    def above(self, number: float) -> float:
        """Return the probability of at least a number."""

    @abc.abstractmethod
    def below(self, number: float) -> float:
        """Return the probability of at most a number."""

    @abc.abstractmethod
    def number_at(self, level: float, *, upwards: bool) -> float:
        """Return the number up to which, from one end, there is at least a probability."""


def read_moments(shape: Shape, reading: Reading) -> tuple[float, float]:
    """Return mean and variance of scores, of the mean and the deviation of numbers."""
    centre, spread = reading.score_of(shape.mean), shape.deviation * reading.slope
    if not reading.rooted:
        return centre, spread**2
    if centre <= 0:
        return 0.0, 0.0
    # A root is concave: its mean is below the root of the mean, to second order.
    return centre * (1 - (spread / centre**2) ** 2 / 8), (spread / (2 * centre)) ** 2


@dataclass(frozen=True, eq=False)
class Smooth(Distribution):
    """The distribution of a number by a smooth curve.

    Parameters
    ----------
    shape
        The curve.
    how
        How it was found.
    measured
        The relative error of its tails that was measured.
    least
        The probability of a single order, or the least that is a float.
    """

    shape: Shape
    how: str
    measured: float
    least: float

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

    def moments(self, reading: Reading) -> tuple[float, float]:
        """Return mean and variance of the scores; of roots to second order."""
        return read_moments(self.shape, reading)

    def above(self, number: float) -> float:
        """Return the probability of at least a number; never less than that of one order."""
        return max(self.shape.above(number), self.least)

    def below(self, number: float) -> float:
        """Return the probability of at most a number; never less than that of one order."""
        return max(self.shape.below(number), self.least)

    def number_at(self, level: float, *, upwards: bool) -> float:
        """Return the number up to which, from one end, there is a probability."""
        return self.shape.quantile(level if upwards else 1 - level)
