"""What chance gives in place of a model: a distribution, its bars, and the model's p-value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from baserate.binary.confusion import Confusion
from baserate.binary.law.histogram import Histogram
from baserate.binary.law.score_distribution import ScoreDistribution
from baserate.evaluation.single import p_value
from baserate.exceptions import UndefinedMeasureError
from baserate.multiclass.law.histogram import class_histogram
from baserate.multiclass.law.score_law import ScoreLaw, law_of

if TYPE_CHECKING:
    from baserate.binary.measures.record import Measure
    from baserate.core.measure import AnyMeasure
    from baserate.multiclass.matrix import ConfusionMatrix
    from baserate.multiclass.measures.record import ClassMeasure


class Luck(NamedTuple):
    """The distribution of a score under chance, and where a model is in it."""

    law: ScoreDistribution | ScoreLaw
    bars: Histogram
    score: float
    p_value: float

    @classmethod
    def of(cls, table: Any, measure: AnyMeasure[Any]) -> Luck:
        """Return what chance does in place of a model, or raise if that has no score."""
        score, reason = measure.score_or_reason(table)
        if reason:
            raise UndefinedMeasureError(f"{measure.key} is undefined for this model: {reason}")
        of_task: Any = _of_two_classes if isinstance(table, Confusion) else _of_several
        return cls(*of_task(table, measure, score))


def _of_two_classes(
    table: Confusion, measure: Measure, score: float
) -> tuple[ScoreDistribution, Histogram, float, float]:
    law = ScoreDistribution(measure, table.base_rate, table.predicted_positives)
    bars = Histogram.of(law, score)
    # For a user's function, more true positives may not be better.
    return law, bars, score, p_value(table) if bars.is_monotone else bars.reached


def _of_several(
    table: ConfusionMatrix, measure: ClassMeasure, score: float
) -> tuple[ScoreLaw, Histogram, float, float]:
    law = law_of(measure, table.true_counts.tolist(), table.predicted_counts.tolist())
    bars = class_histogram(law, score)
    return law, bars, score, bars.reached


def by_chance(law: ScoreDistribution | ScoreLaw) -> str:
    """Return what chance is, for a legend."""
    if isinstance(law, ScoreLaw):
        return "the same predictions, dealt at random"
    return f"draws of {law.predicted_positives:,} of {law.base_rate.total:,}"
