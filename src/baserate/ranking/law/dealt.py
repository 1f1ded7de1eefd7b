"""The distribution of a score when a deck of scores is dealt at random."""

from __future__ import annotations

import abc
import math
from typing import TYPE_CHECKING

from baserate.core.law import Tails
from baserate.exceptions import InvalidProbabilityError
from baserate.exceptions.base import shown
from baserate.support.arguments import is_probability

if TYPE_CHECKING:
    from baserate.core.direction import Direction


class DealtLaw(abc.ABC):
    """The distribution of a score when a deck of scores is dealt at random."""

    def __repr__(self) -> str:
        spread = math.sqrt(max(self.variance(), 0.0))
        return f"<{type(self).__name__}: mean {self.mean():.4g}, standard deviation {spread:.4g}>"

    @property
    @abc.abstractmethod
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding, and no approximation."""

    @property
    @abc.abstractmethod
    def method(self) -> str:
        """How they were found, in a word or two."""

    @property
    def error(self) -> float:
        """What is known of the relative error of a probability; 0 if it is exact."""
        return 0.0

    @abc.abstractmethod
    def mean(self) -> float:
        """Return the expected score."""

    @abc.abstractmethod
    def variance(self) -> float:
        """Return the variance of the score."""

    @abc.abstractmethod
    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good.

        If only a bracket is known, it is the upper end.
        """

    def bracket(self, score: float, direction: Direction) -> tuple[float, float]:
        """Return between which numbers the probability of a score at least as good is, surely.

        Both are the same if it is not a bracket that is known, but the probability.
        """
        tail = self.tail(score, direction)
        return tail, tail

    @abc.abstractmethod
    def quantile(self, level: float) -> float:
        """Return the lowest score that is not exceeded with at least this probability."""

    def tails(self, score: float, direction: Direction) -> Tails:
        """Return the probability of a score at least as good, and of one at most as good."""
        if math.isnan(score):
            return Tails(math.nan, math.nan)
        least, better = self.bracket(score, direction)
        return Tails(better, self.tail(score, direction.opposite), least)

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the central interval that holds at least this probability."""
        if not is_probability(confidence):
            raise InvalidProbabilityError(
                f"must be between 0 and 1 (got {shown(confidence)}); 95% is written 0.95",
                parameter="confidence",
            )
        tail = (1 - confidence) / 2
        return self.quantile(tail), self.quantile(1 - tail)
