"""The law of a score that adds up over observations of several classes, shuffled."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from baserate.binary.base_rate import BaseRate
from baserate.core.direction import Direction
from baserate.core.rounding import COMPUTATION
from baserate.multiclass.law.scores_of_tables import ScoresOfTables
from baserate.ranking.law.dealt import DealtLaw
from baserate.ranking.law.linear import LinearLaw
from baserate.ranking.law.linear_shuffled_saddlepoint import ShuffledSaddlepoint
from baserate.ranking.law.linear_shuffles import all_sums, number_of_shuffles, random_sums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]

# The most shuffles that are listed.
_LISTED = 100_000


class _Sums(Protocol):
    """The law of a sum."""

    @property
    def exact(self) -> bool: ...

    @property
    def method(self) -> str: ...

    @property
    def error(self) -> float: ...

    def tail(self, score: float, direction: Direction) -> float: ...

    def quantile(self, level: float) -> float: ...


class SeveralLaw(DealtLaw):
    """The law of intercept + slope · Σ a[i, class of i], when the classes are shuffled.

    Parameters
    ----------
    class_counts
        How often each class occurs.
    rows
        What an observation adds if it is of each class: a row per observation, or per group of
        observations with the same row; finite.
    sizes
        How many observations have each row.
    slope, intercept
        The score of a sum is the slope, which is not 0, times it, plus the intercept.

    Examples
    --------
    >>> rows = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 0.0], [0.0, 3.0, 1.0]])
    >>> law = SeveralLaw([1, 1, 1], rows, np.array([1, 1, 1]))
    >>> round(law.mean(), 3), law.exact, round(law.tail(5.0, Direction.MAXIMIZE), 3)
    (2.667, True, 0.167)
    """

    def __init__(
        self,
        class_counts: Sequence[int],
        rows: Floats,
        sizes: Ints,
        slope: float = 1.0,
        intercept: float = 0.0,
    ) -> None:
        counts = np.array([int(count) for count in class_counts])
        occurs = counts > 0
        self.class_counts: tuple[int, ...] = tuple(counts[occurs].tolist())
        self.rows = np.asarray(rows, dtype=float)[:, occurs]
        self.sizes = np.asarray(sizes)
        self.slope, self.intercept = slope, intercept

    @cached_property
    def total(self) -> int:
        """The number of observations."""
        return sum(self.class_counts)

    @cached_property
    def _centred(self) -> tuple[Floats, float]:
        """The rows without what every shuffle adds; and the mean of the sum."""
        counts = np.array(self.class_counts, dtype=float)
        sizes = self.sizes.astype(float)
        of_row = self.rows @ counts / self.total
        of_class = sizes @ self.rows / self.total
        mean = float(sizes @ of_row)
        return self.rows - of_row[:, None] - of_class + mean / self.total, mean

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding, and no approximation."""
        return self._law.exact

    @property
    def method(self) -> str:
        """How they were found.

        One of "enumeration", "simulation" and "saddlepoint"; with two classes as for them.
        """
        return self._law.method

    @property
    def error(self) -> float:
        """What is known of the relative error of a probability; 0 if it is exact.

        Of a simulation it is the standard error at p = 0.05. Otherwise it is the largest error
        that was measured for p ≥ 1e-8.
        """
        return self._law.error

    def mean(self) -> float:
        """Return the expected score."""
        return self.intercept + self.slope * self._centred[1]

    def variance(self) -> float:
        """Return the variance of the score, by Hoeffding's formula."""
        return self.slope**2 * self._variance

    @cached_property
    def _variance(self) -> float:
        if self.total == 1:
            return 0.0
        squares = self.sizes @ self._centred[0] ** 2
        return float(squares @ np.array(self.class_counts, dtype=float)) / (self.total - 1)

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good."""
        if math.isnan(score):
            return math.nan
        if math.isinf(score):
            return float((score < 0) is (direction is Direction.MAXIMIZE))
        return self._law.tail(score, direction)

    def quantile(self, level: float) -> float:
        """Return the lowest score that is not exceeded with at least this probability."""
        return self._law.quantile(level)

    @cached_property
    def _law(self) -> _Sums:
        if len(self.class_counts) <= 2:
            return self._of_two()
        centred, _ = self._centred
        weights = self.slope * centred
        if number_of_shuffles(self.class_counts, _LISTED) <= _LISTED:
            return self._of_sums(*all_sums(weights, self.sizes, self.class_counts))
        found = ShuffledSaddlepoint.of(weights, self.sizes, self.class_counts, self.mean())
        if found.is_smooth:
            return found
        return self._of_sums(random_sums(weights, self.sizes, self.class_counts), None)

    def _of_two(self) -> LinearLaw:
        """Return the same law, of the observations in the last class."""
        first, last = self.rows[:, 0], self.rows[:, -1]
        rate = BaseRate(positives=self.class_counts[-1], total=self.total)
        if len(self.class_counts) == 1:
            return LinearLaw(rate, self.sizes, first, self.slope, self.intercept)
        start = self.intercept + self.slope * float(self.sizes @ first)
        size = abs(self.intercept)
        return LinearLaw(rate, self.sizes, last - first, self.slope, start, size=size)

    def _of_sums(self, sums: Floats, chances: Floats | None) -> ScoresOfTables:
        scores = self.mean() + sums
        # What is added up: as many numbers as there are observations, and their mean.
        largest = abs(self.slope) * float(np.abs(self.rows).max()) * self.total
        slack = COMPUTATION * max(largest, abs(self.intercept))
        return ScoresOfTables(scores, chances, slack, rises=True)
