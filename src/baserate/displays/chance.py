"""What chance gives in place of a model: a distribution, its bars, and the model's p-value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from baserate.exceptions import UndefinedMeasureError
from baserate.null.histogram import Histogram
from baserate.null.two_classes import TwoClasses
from baserate.regression.summary import FitSummary
from baserate.tasks import task_observed

if TYPE_CHECKING:
    from baserate.core.measure import AnyMeasure
    from baserate.null.distribution import NullDistribution


class Luck(NamedTuple):
    """The distribution of a score under chance, and where a model is in it."""

    null: NullDistribution
    bars: Histogram
    score: float

    @classmethod
    def of(cls, table: Any, measure: AnyMeasure[Any]) -> Luck:
        """Return what chance does in place of a model, or raise if that has no score."""
        if isinstance(table, FitSummary):  # chance is that of the sample
            table = table.sample
        score, reason = measure.score_or_reason(table)
        if reason:
            raise UndefinedMeasureError(f"{measure.key} is undefined for this model: {reason}")
        null = task_observed(table.task).null_of(measure, table)
        return cls(null, Histogram.of(null, measure.direction, score), score)


def of_table(table: Any, measure: Any) -> Any:
    """Return a measure of what a report has of a model; None if it is not known by name."""
    task = task_observed(table.task)
    threshold = getattr(table, "threshold", None)
    return (task if threshold is None else task.at(threshold) or task).named(measure)


def by_chance(null: NullDistribution) -> str:
    """Return what chance is, for a legend."""
    if isinstance(null, TwoClasses):
        tp = null.true_positives
        return f"draws of {tp.drawn:,} of {tp.total:,}"
    return "the same predictions, shuffled"
