"""Null distributions of scores and numbers that are still to move to `baserate.null`."""

from __future__ import annotations

import abc
import math

from baserate.core.direction import Direction
from baserate.core.law import Tails
from baserate.null.distribution import NullDistribution


class DealtLaw(NullDistribution):
    """The distribution of a score when scores or numbers are shuffled over the rows."""

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

    def var(self) -> float:
        """Return the variance of the score."""
        return self.variance()

    def sf(self, score: float) -> float:
        """Return the probability of at least a score."""
        return self.tail(score, Direction.MAXIMIZE)

    def cdf(self, score: float) -> float:
        """Return the probability of at most a score."""
        return self.tail(score, Direction.MINIMIZE)

    def ppf(self, level: float) -> float:
        """Return the lowest score that is not exceeded with at least a probability."""
        return self.quantile(level)

    def tails(self, score: float, direction: Direction) -> Tails:
        """Return the probability of a score at least as good, and of one at most as good."""
        if math.isnan(score):
            return Tails(math.nan, math.nan)
        least, better = self.bracket(score, direction)
        least = 0.0 if 0 < better <= self.floor else least
        return Tails(better, self.tail(score, direction.opposite), least)
