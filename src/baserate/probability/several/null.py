"""The null distribution of scores of probabilities of several classes."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from baserate.null.distribution import NullDistribution
    from baserate.probability.several.measures import ProbabilityMeasure
    from baserate.probability.several.observed import ClassProbabilities


@lru_cache(maxsize=64)
def null_of(measure: ProbabilityMeasure, observed: ClassProbabilities) -> NullDistribution:
    """Return the distribution of a score when the rows of a model are shuffled."""
    return measure.law(observed.test_set, observed.rows, observed.sizes, observed.smallest)
