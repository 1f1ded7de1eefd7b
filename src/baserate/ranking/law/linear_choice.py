"""Which way to the law of a sum: count, count on a grid, approximate or simulate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from baserate.ranking.law.linear_exact import exact_sum
from baserate.ranking.law.linear_grid import FEW_POSITIVES, MOST_POSITIVES, GridSum
from baserate.ranking.law.linear_saddlepoint import SaddlepointSum
from baserate.ranking.law.linear_simulation import SimulatedSum

if TYPE_CHECKING:
    from baserate.ranking.law.linear_blocks import WeightedBlocks


class SumLaw(Protocol):
    """The law of a sum of weights over positives that are placed at random."""

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding."""

    @property
    def method(self) -> str:
        """How they were found."""

    @property
    def error(self) -> float:
        """What is known of the relative error of a probability."""

    def at_least(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at least this large, give or take a slack."""

    def at_most(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at most this large, give or take a slack."""

    def quantile(self, level: float) -> float:
        """Return the smallest sum that is not exceeded with at least this probability."""


def law_of_sum(blocks: WeightedBlocks) -> SumLaw:
    """Return the law of a sum, by the best way that is affordable."""
    exact = exact_sum(blocks)
    if exact is not None:
        return exact
    if blocks.positives <= FEW_POSITIVES:
        return GridSum(blocks)
    approximate = SaddlepointSum(blocks)
    if approximate.is_smooth:
        return approximate
    if blocks.positives <= MOST_POSITIVES:
        return GridSum(blocks)
    return approximate if approximate.is_fair else SimulatedSum(blocks)
