"""The law of a score that is linear in the positives: of Brier scores, log loss and NDCG."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from baserate.core.direction import Direction
from baserate.core.rounding import COMPUTATION
from baserate.ranking.law.dealt import DealtLaw
from baserate.ranking.law.linear_blocks import WeightedBlocks
from baserate.ranking.law.linear_choice import law_of_sum
from baserate.ranking.law.linear_grid import GridSum

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate
    from baserate.ranking.law.linear_choice import SumLaw

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]


@dataclass(frozen=True, eq=False, repr=False)
class LinearLaw(DealtLaw):
    """The law of intercept + slope · Σ weights · positives, over positives placed at random.

    Parameters
    ----------
    rate
        The test set.
    sizes
        The number of observations in each block.
    weights
        What each positive in it adds; finite.
    slope, intercept
        The score of a sum of weights is the slope, which is not 0, times it, plus the intercept.
    size
        The largest number that a score is computed from: skill scores near 0 are differences of
        numbers near 1, and as far off as these.

    Examples
    --------
    >>> import numpy as np
    >>> import baserate as br
    >>> rate = br.BaseRate(positives=2, total=4)
    >>> law = LinearLaw(rate, np.array([1, 1, 2]), np.array([0.9, 0.5, 0.2]))
    >>> round(law.mean(), 3), law.quantile(0.5), law.tail(1.1, Direction.MAXIMIZE)
    (0.9, 0.7, 0.5)
    """

    rate: BaseRate
    sizes: Ints
    weights: Floats
    slope: float = 1.0
    intercept: float = 0.0
    size: float = 0.0

    @cached_property
    def _centred(self) -> tuple[WeightedBlocks, float]:
        # A falling score is a rising one of minus the weights.
        sign = math.copysign(1.0, self.slope)
        return WeightedBlocks.of(self.sizes, sign * self.weights, self.rate.positives)

    @property
    def _blocks(self) -> WeightedBlocks:
        return self._centred[0]

    @cached_property
    def _law(self) -> SumLaw:
        return law_of_sum(self._blocks)

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding, and no approximation."""
        return self._law.exact

    @property
    def method(self) -> str:
        """How they were found.

        One of "counting", "counting on a grid", "saddlepoint" and "simulation".
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
        return self.intercept + abs(self.slope) * self.rate.positives * self._centred[1]

    def variance(self) -> float:
        """Return the variance of the score."""
        return self.slope**2 * self._blocks.variance

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good."""
        if math.isnan(score) or math.isinf(score):
            return _beyond(score, direction)
        value, slack = self._sum(score), self._slack(score)
        if direction is Direction.MAXIMIZE:
            return self._law.at_least(value, slack)
        return self._law.at_most(value, slack)

    def bracket(self, score: float, direction: Direction) -> tuple[float, float]:
        """Return between which numbers the probability of a score at least as good is, surely."""
        if not isinstance(self._law, GridSum) or not math.isfinite(score):
            return super().bracket(score, direction)
        value, slack = self._sum(score), self._slack(score)
        if direction is Direction.MAXIMIZE:
            least = self._law.fewest_at_least(value, slack)
        else:
            least = self._law.fewest_at_most(value, slack)
        most = self.tail(score, direction)
        # Without rounding to the grid both are the same, up to the noise of a transform.
        return min(least, most), most

    def quantile(self, level: float) -> float:
        """Return the lowest score that is not exceeded with at least this probability."""
        return self.mean() + abs(self.slope) * self._law.quantile(level)

    def _sum(self, score: float) -> float:
        """Return the sum of centred weights that a score has."""
        offset = self.rate.positives * self._centred[1]
        return (score - self.intercept) / abs(self.slope) - offset

    def _slack(self, score: float) -> float:
        """Return how far off a sum may be, by the rounding of its score."""
        offset = abs(self.rate.positives * self._centred[1])
        largest = max(abs(score), abs(self.intercept), self.size)
        return COMPUTATION * (largest / abs(self.slope) + offset)


def _beyond(score: float, direction: Direction) -> float:
    """Return the probability of a score as good as one that is not finite."""
    if math.isnan(score):
        return math.nan
    return float((score < 0) is (direction is Direction.MAXIMIZE))
