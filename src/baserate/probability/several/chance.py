"""What the probabilities of a model score when they are dealt at random."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from baserate.core.direction import Direction

if TYPE_CHECKING:
    from baserate.core.law import Tails
    from baserate.null.distribution import NullDistribution
    from baserate.probability.several.measures import ProbabilityMeasure
    from baserate.probability.several.observed import ClassProbabilities


@lru_cache(maxsize=64)
def law_of(measure: ProbabilityMeasure, observed: ClassProbabilities) -> NullDistribution:
    """Return the law of a score when the rows of a model are dealt at random."""
    return measure.law(observed.test_set, observed.rows, observed.sizes, observed.smallest)


@dataclass(frozen=True, eq=False)
class ProbabilityChance:
    """What the probabilities of a model score when they are dealt at random.

    Parameters
    ----------
    observed
        What the model did.
    levels
        The quantiles between which luck is expected to stay, from bad to good.
    """

    observed: ClassProbabilities
    levels: tuple[float, float]

    def tails(self, measure: ProbabilityMeasure, score: float) -> Tails:
        """Return the chance of a score as good, and of one as bad."""
        return law_of(measure, self.observed).tails(score, measure.direction)

    def luck_interval(self, measure: ProbabilityMeasure) -> tuple[float, float]:
        """Return between which scores luck stays."""
        law = law_of(measure, self.observed)
        is_maximized = measure.direction is Direction.MAXIMIZE
        low, high = self.levels if is_maximized else [1 - level for level in self.levels[::-1]]
        return law.ppf(low), law.ppf(high)

    def is_exact(self, measure: ProbabilityMeasure) -> bool:
        """Return whether these chances are exact, and no approximation or simulation."""
        return law_of(measure, self.observed).exact
