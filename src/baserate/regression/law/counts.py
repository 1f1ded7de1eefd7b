"""The median and the largest error, by how many errors of shuffled predictions are small."""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.rounding import COMPUTATION
from baserate.regression.law.curve import Curve
from baserate.regression.law.groups import groups_of
from baserate.regression.law.saddle import PermutationSum
from baserate.regression.law.sums import DealtSum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


# More numbers than these are put into groups of neighbours, fewer far from the centre.
_MOST = 8_000
# Up to so many, counts are far enough from normal for a saddlepoint.
_FEW = 200


@dataclass(frozen=True)
class _Column:
    """Numbers in ascending order, and how often each stands."""

    values: Floats
    counts: Floats

    @cached_property
    def _upto(self) -> Floats:
        return np.append(0.0, np.cumsum(self.counts))

    def within(self, others: _Column, distance: float) -> Floats:
        """Return how many others are within a distance of each number."""
        low = np.searchsorted(others.values, self.values - distance, side="left")
        high = np.searchsorted(others.values, self.values + distance, side="right")
        return others._upto[high] - others._upto[low]


def _column(numbers: Floats) -> _Column:
    """Return numbers in order, as groups if there are many."""
    if numbers.size <= _MOST:
        return _Column(np.sort(numbers), np.ones(numbers.size))
    found = groups_of(numbers, None, np.abs(numbers - np.median(numbers)), _MOST)
    return _Column(found.values, found.counts)


@dataclass(frozen=True)
class _OfCounts(abc.ABC):
    """An error of which it is known how likely it is to be at most so much.

    Parameters
    ----------
    truth, predicted
        The numbers.
    """

    truth: Floats
    predicted: Floats

    @cached_property
    def _columns(self) -> tuple[_Column, _Column]:
        truth, predicted = map(_column, (self.truth, self.predicted))
        return truth, predicted

    @abc.abstractmethod
    def below(self, value: float) -> float:
        """Return the probability of an error of at most a value."""

    @abc.abstractmethod
    def above(self, value: float) -> float:
        """Return the probability of an error of at least a value."""

    @cached_property
    def slack(self) -> float:
        """How far apart two errors may be, and be the same up to rounding."""
        return COMPUTATION * max(float(np.abs(side).max()) for side in (self.truth, self.predicted))

    @cached_property
    def _widest(self) -> float:
        """The largest error that there can be."""
        low = min(float(self.truth.min()), float(self.predicted.min()))
        return max(float(self.truth.max()), float(self.predicted.max())) - low

    @cached_property
    def _quartiles(self) -> tuple[float, float, float]:
        low, middle, high = (self.quantile(level) for level in (0.158655, 0.5, 0.841345))
        return low, middle, high

    @property
    def mean(self) -> float:
        """Its median, which is about its mean."""
        return self._quartiles[1]

    @property
    def deviation(self) -> float:
        """Half the range of the middle two thirds, which is about its standard deviation."""
        return (self._quartiles[2] - self._quartiles[0]) / 2

    def quantile(self, level: float) -> float:
        """Return the least value that is not exceeded with a probability."""
        low, high = 0.0, self._widest
        while high - low > 1e-12 * high:
            middle = low / 2 + high / 2
            if self.below(middle) >= level:
                high = middle
            else:
                low = middle
        return high


@dataclass(frozen=True)
class MiddleCount(_OfCounts):
    """The median error: it is at most s if more than half the errors are.

    How many are is a sum over a random permutation, with exact mean and variance; its law is taken
    as normal, or found by a saddlepoint if it is of few.
    """

    def below(self, value: float) -> float:
        """Return the probability of a median error of at most a value."""
        return self._of_count(value + self.slack).above(self._needed)

    def above(self, value: float) -> float:
        """Return the probability of a median error of at least a value."""
        if value <= self.slack:
            return 1.0
        return self._of_count(value - self.slack).below(self._needed)

    @property
    def _needed(self) -> float:
        """Which share of the errors has to be small, between whole numbers of them.

        Of an even number, the median is the mean of both middle errors, which is small if one more
        than half are, and often if it is half of them.
        """
        m = self.truth.size
        return (m // 2 + 0.5) / m if m % 2 else 0.5

    def _of_count(self, value: float) -> Curve | PermutationSum:
        """Return the law of the share of errors of at most a value."""
        m = self.truth.size
        y, z = self._columns
        rows, columns = y.within(z, value), z.within(y, value)
        total = float(y.counts @ rows)
        # Hoeffding: of a matrix of 0 and 1, the sum of squares is that of its elements.
        means = float(y.counts @ rows**2 + z.counts @ columns**2) / m
        squares = total - means + (total / m) ** 2
        normal = Curve(total / m**2, math.sqrt(max(squares, 0.0) / max(m - 1, 1)) / m)
        if m > _FEW:
            return normal

        def is_small(truth: Floats, predicted: Floats) -> Floats:
            return np.asarray((np.abs(truth - predicted) <= value).astype(float))

        return PermutationSum(DealtSum(is_small, self.truth, self.predicted), normal)


@dataclass(frozen=True)
class LargestCount(_OfCounts):
    """The largest error: it is at most s if no error is larger.

    Rows with rare large errors are taken as independent, and so are predictions.
    """

    def below(self, value: float) -> float:
        """Return the probability of a largest error of at most a value."""
        return math.exp(self._log_chance(value + self.slack))

    def above(self, value: float) -> float:
        """Return the probability of a largest error of at least a value."""
        return -math.expm1(self._log_chance(value - self.slack))

    def _log_chance(self, value: float) -> float:
        """Return the logarithm of the probability that no error is larger than a value."""
        m = self.truth.size
        y, z = self._columns
        rows, columns = y.within(z, value) / m, z.within(y, value) / m
        if value < 0 or not rows.all() or not columns.all():
            return -math.inf
        # Rare large errors are in both sums of logarithms: once too often.
        chance = y.counts @ (np.log(rows) + 1 - rows) + z.counts @ np.log(columns)
        return min(float(chance), 0.0)
