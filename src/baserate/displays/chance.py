"""What chance gives in place of a model: a distribution, its bars, and the model's p-value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from baserate.binary.confusion import Confusion
from baserate.binary.law.histogram import histogram_of_draws
from baserate.binary.law.score_distribution import ScoreDistribution
from baserate.evaluation.single import p_value
from baserate.exceptions import UndefinedMeasureError
from baserate.multiclass.matrix import ConfusionMatrix
from baserate.multiclass.null import null_of
from baserate.multiclass.top_k.answers import TopAnswers
from baserate.multiclass.top_k.null import null_of as null_of_answers
from baserate.null.distribution import NullDistribution
from baserate.null.histogram import Histogram
from baserate.probability.several.chance import law_of as law_of_probabilities
from baserate.probability.several.observed import ClassProbabilities
from baserate.ranking.measures.record import law_of as law_of_scores
from baserate.ranking.scores import Scores
from baserate.regression.fit import Fit
from baserate.regression.summary import FitSummary
from baserate.scores.cut import CutMeasure
from baserate.tasks import task_observed
from baserate.weighted.classed import classed
from baserate.weighted.labels import WeightedLabels
from baserate.weighted.null import null_of as null_of_weighted

if TYPE_CHECKING:
    from baserate.binary.measures.record import Measure
    from baserate.core.measure import AnyMeasure
    from baserate.multiclass.measures.record import ClassMeasure
    from baserate.multiclass.top_k.measures import TopKMeasure
    from baserate.probability.several.measures import ProbabilityMeasure
    from baserate.ranking.measures.record import ScoreMeasure
    from baserate.regression.measures.record import NumberMeasure
    from baserate.weighted.measures import WeightedMeasure


class Luck(NamedTuple):
    """The distribution of a score under chance, and where a model is in it."""

    law: ScoreDistribution | NullDistribution
    bars: Histogram
    score: float
    p_value: float

    @classmethod
    def of(cls, table: Any, measure: AnyMeasure[Any]) -> Luck:
        """Return what chance does in place of a model, or raise if that has no score."""
        score, reason = measure.score_or_reason(table)
        if reason:
            raise UndefinedMeasureError(f"{measure.key} is undefined for this model: {reason}")
        if isinstance(measure, CutMeasure):
            return cls(*_of_two_classes(table.table(measure.threshold), measure.of, score))
        of_task: Any = next(each for kind, each in _OF_TASKS.items() if isinstance(table, kind))
        return cls(*of_task(table, measure, score))


def _of_two_classes(
    table: Confusion, measure: Measure, score: float
) -> tuple[ScoreDistribution, Histogram, float, float]:
    law = ScoreDistribution(measure, table.base_rate, table.predicted_positives)
    bars = histogram_of_draws(law, score)
    # For a user's function, more true positives may not be better.
    return law, bars, score, p_value(table) if bars.is_monotone else bars.reached


def _of_several(
    table: ConfusionMatrix, measure: ClassMeasure, score: float
) -> tuple[NullDistribution, Histogram, float, float]:
    law = null_of(measure, table.true_counts.tolist(), table.predicted_counts.tolist())
    bars = Histogram.of(law, measure.direction, score)
    return law, bars, score, bars.reached


def _of_answers(
    table: TopAnswers, measure: TopKMeasure, score: float
) -> tuple[NullDistribution, Histogram, float, float]:
    law = null_of_answers(table, measure.k)
    bars = Histogram.of(law, measure.direction, score)
    return law, bars, score, bars.reached


def _of_probabilities(
    table: ClassProbabilities, measure: ProbabilityMeasure, score: float
) -> tuple[NullDistribution, Histogram, float, float]:
    law = law_of_probabilities(measure, table)
    bars = Histogram.of(law, measure.direction, score)
    return law, bars, score, bars.reached


def _of_scores(
    table: Scores, measure: ScoreMeasure, score: float
) -> tuple[NullDistribution, Histogram, float, float]:
    law = law_of_scores(measure, table)
    bars = Histogram.of(law, measure.direction, score)
    return law, bars, score, bars.reached


def _of_numbers(
    table: Fit | FitSummary, measure: NumberMeasure, score: float
) -> tuple[NullDistribution, Histogram, float, float]:
    if isinstance(table, FitSummary):  # chance is that of the sample
        return _of_numbers(table.sample, measure, measure.score_or_reason(table.sample)[0])
    law = measure.law(table)
    bars = Histogram.of(law, measure.direction, score)
    return law, bars, score, bars.reached


def _of_weighted(
    table: WeightedLabels, measure: WeightedMeasure, score: float
) -> tuple[ScoreDistribution | NullDistribution, Histogram, float, float]:
    plain = classed(measure, table.test_set)
    if plain is not None:
        return _of_two_classes(table.table, plain, score)
    law = null_of_weighted(measure, table.test_set, table.table.predicted_positives)
    bars = Histogram.of(law, measure.direction, score)
    return law, bars, score, bars.reached


_OF_TASKS: dict[type, Any] = {
    Confusion: _of_two_classes,
    ConfusionMatrix: _of_several,
    TopAnswers: _of_answers,
    ClassProbabilities: _of_probabilities,
    Scores: _of_scores,
    Fit: _of_numbers,
    FitSummary: _of_numbers,
    WeightedLabels: _of_weighted,
}


def of_table(table: Any, measure: Any) -> Any:
    """Return a measure of what a report has of a model; None if it is not known by name."""
    task = task_observed(table.task)
    threshold = getattr(table, "threshold", None)
    return (task if threshold is None else task.at(threshold) or task).named(measure)


def by_chance(law: ScoreDistribution | NullDistribution) -> str:
    """Return what chance is, for a legend."""
    if isinstance(law, NullDistribution):
        return "the same predictions, shuffled"
    return f"draws of {law.predicted_positives:,} of {law.base_rate.total:,}"
