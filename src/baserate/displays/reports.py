"""Take the verdicts from a report that a display of one measure draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from baserate.binary.confusion import Confusion
from baserate.binary.optimum.baseline import baseline
from baserate.binary.task import BINARY
from baserate.core.measure import AnyMeasure
from baserate.evaluation.choice import Asked
from baserate.exceptions import InvalidPredictionsError, InvalidReportError, TooManyClassesError
from baserate.formatting import listed, shown
from baserate.ranking.scores import Scores
from baserate.weighted.labels import WeightedLabels

if TYPE_CHECKING:
    from baserate.binary.optimum.baseline import Baseline
    from baserate.report import Report
    from baserate.verdicts.verdict import Verdict

M = TypeVar("M", bound=AnyMeasure[Any])


def one_measure(report: Report, measure: str | M | None) -> tuple[str | M, tuple[Verdict, ...]]:
    """Return the measure, and the verdicts on it: on the whole test set, if they are in there."""
    drawn = report.overall or report
    if not drawn:
        raise InvalidReportError.empty()
    if measure is None and len(drawn.measures) > 1:
        raise InvalidReportError(
            f"must be one of the report's measures (got none of {listed(drawn.measures)})",
            parameter="measure",
        )
    measure = drawn.measures[0] if measure is None else measure
    return measure, drawn.measure(measure).verdicts


def two_classes(verdict: Verdict) -> Confusion:
    """Return the table of a verdict on two classes, or raise: only they have draws to show."""
    table = verdict.performance.table
    if isinstance(table, Confusion):
        return table
    if isinstance(table, Scores):
        if table.threshold is None or BINARY.named(verdict.measure) is None:
            raise _not_labels(verdict.measure)
        return table.table(table.threshold)
    if isinstance(table, WeightedLabels):
        raise InvalidPredictionsError(
            "a display of draws must have labels without importance weights (got WeightedLabels); "
            "ScoreDistributionDisplay shows what chance gives with them"
        )
    raise _not_two(f"a {type(table).__name__}")


def baseline_of_two(test_set: Any, measure: Any, pos_label: object) -> Baseline:
    """Return the baseline of a test set of two classes, or raise if it has several."""
    tasks = Asked.of(None, [measure], test_set, pos_label).tasks
    if not any(task.takes_positive for task in tasks):
        raise _not_two(f"{type(test_set).__name__} and {shown(measure)}")
    if BINARY not in tasks:
        raise _not_labels(measure)
    try:
        return baseline(test_set, measure, pos_label=pos_label)
    except TooManyClassesError:
        raise _not_two("more") from None


def _not_labels(measure: Any) -> InvalidPredictionsError:
    return InvalidPredictionsError(
        f"a display of draws must be of labels (got {shown(getattr(measure, 'key', measure))}, "
        "which is of scores); RankingDisplay and ScoreDistributionDisplay show scores"
    )


def _not_two(got: str) -> InvalidPredictionsError:
    return InvalidPredictionsError(
        f"a display of draws must have two classes (got {got}); report.plot() and MatrixDisplay "
        "show several, ResidualDisplay shows numbers, and pos_label makes one class positive"
    )
