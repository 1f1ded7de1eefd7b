"""What is declared of a measure of scores of two classes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from baserate.core.baseline import ANY, Baseline, Optimum
from baserate.core.measure import Measure
from baserate.exceptions import UndefinedMeasureError
from baserate.observed.scores import RankedScores, kept

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from baserate.measures.scoring_rules import ScoringRule
    from baserate.null.distribution import NullDistribution
    from baserate.observed.base_rate import BaseRate
    from baserate.observed.scores import Counts, ScoreLevels

    Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OfScores(Measure[RankedScores]):
    """A measure that the scores of a model have, in whatever way."""

    takes = (RankedScores,)
    counted_by = "RankedScores.of(y_true, y_score)"

    def score_error(self, observed: RankedScores) -> float:
        """Return how far the score may be from that of the rows, if scores were put in bins.

        It holds for measures that improve if a positive moves up or a negative moves down.
        """
        if observed.exact:
            return 0.0
        score, reason = self.score_or_reason(observed)
        if reason:
            return math.nan
        low, high = observed.bounds(lambda each: self.score_or_reason(each)[0])
        return max(high - score, score - low)


@dataclass(frozen=True)
class Extremes:
    """The largest and the smallest expected score of any levels."""

    max: Optimum
    min: Optimum

    @classmethod
    def same(cls, value: float) -> Extremes:
        """Return the extremes of a measure by which all rankings expect the same."""
        return cls(Optimum(value, ANY), Optimum(value, ANY))


def null_of(measure: ScoreMeasure, observed: RankedScores) -> NullDistribution:
    """Return the distribution of a score when the scores of a model are shuffled."""
    return _null(observed, measure)


@kept(most=64)
def _null(observed: RankedScores, measure: ScoreMeasure) -> NullDistribution:
    return measure.null(observed.test_set, observed.levels)


@kept(most=64)
def _score(observed: RankedScores, measure: ScoreMeasure) -> float:
    return measure.kernel(observed)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ScoreMeasure(OfScores):
    """A measure of scores: how well they rank, or how good they are as probabilities.

    Get one with `get_measure("AUC")`.

    Parameters
    ----------
    key, name, aliases, meaning, pitfall, sklearn, direction, codomain, rounds, counts, remedy
        As for every measure.
    definition
        The formula, in LaTeX.
    kernel
        The score. The counts may be any numbers that are not negative, so that it serves for
        weighted observations as well.
    many
        The scores of many test sets at once.
    null
        The null distribution of the score, given the levels of the scores.
    extremes
        The best and the worst expected score on a test set, over all guesses.
    perfect
        The score of a prediction without errors on a test set.
    missing
        Why it has no score on a test set; empty if it has one.
    probabilities
        Whether scores must be probabilities.
    monotone
        Whether it improves with every pair of a positive and a negative that is put in order, so
        that its p-value is that of the ranking.
    rule
        The scoring rule whose mean over all observations it is; None if it is no such mean.
    relative
        Whether it is the skill of the rule: 1 minus the loss, divided by that of the base rate.
    components
        The parts that add up to the score, each with its name; None if it has none.

    Examples
    --------
    >>> import baserate as br
    >>> br.get_measure("roc_auc")
    <Measure AUC: Area under the ROC Curve>
    """

    definition: str = ""
    kernel: Callable[[RankedScores], float] = field(repr=False)
    many: Callable[[Counts], Floats] = field(repr=False)
    null: Callable[[BaseRate, ScoreLevels], NullDistribution] = field(repr=False)
    extremes: Callable[[BaseRate], Extremes] = field(repr=False)
    perfect: Callable[[BaseRate], float] = field(repr=False)
    missing: Callable[[BaseRate], str] = field(repr=False)
    probabilities: bool = False
    monotone: bool = False
    rule: ScoringRule | None = field(default=None, repr=False)
    relative: bool = False
    components: Callable[[RankedScores], tuple[tuple[str, float], ...]] | None = field(
        default=None, repr=False
    )

    def score_or_reason(self, observed: RankedScores) -> tuple[float, str]:
        """Return the score, or nan and why there is none."""
        reason = self.missing(observed.test_set)
        return (math.nan, reason) if reason else (_score(observed, self), "")

    @property
    def points(self) -> Callable[[Floats], tuple[Floats, Floats]] | None:
        """What a positive and a negative with each score add, if the score is a mean of that."""
        return None if self.rule is None else self.rule.of_two

    def parts(self, observed: RankedScores) -> tuple[tuple[str, float], ...]:
        """Return the parts that add up to the score, each with its name, if it has any."""
        return () if self.components is None else self.components(observed)

    def baseline(self, test_set: BaseRate) -> Baseline:
        """Return the baseline on a test set."""
        reason = self.missing(test_set)
        if reason:
            raise UndefinedMeasureError(f"{self.key} is undefined: {reason}")
        found = self.extremes(test_set)
        return Baseline(self, test_set, found.max, found.min, self.perfect(test_set))

    def __reduce__(self) -> Any:
        """Pickle a measure by the name under which users get it."""
        import baserate

        return baserate.get_measure, (self.key,)
