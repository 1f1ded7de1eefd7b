"""Take the verdicts from a report that a display of one measure draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from baserate.binary.confusion import Confusion
from baserate.core.measure import AnyMeasure
from baserate.exceptions import InvalidPredictionsError, InvalidReportError
from baserate.exceptions.base import listed

if TYPE_CHECKING:
    from baserate.report import Report
    from baserate.verdicts.verdict import Verdict

M = TypeVar("M", bound=AnyMeasure[Any])


def one_measure(report: Report, measure: str | M | None) -> tuple[str | M, tuple[Verdict, ...]]:
    """Return the measure, and the verdicts on it: on the whole test set, if they are in there."""
    shown = report.overall or report
    if not shown:
        raise InvalidReportError.empty()
    if measure is None and len(shown.measures) > 1:
        raise InvalidReportError(
            f"must be one of the report's measures (got none of {listed(shown.measures)})",
            parameter="measure",
        )
    measure = shown.measures[0] if measure is None else measure
    return measure, shown.measure(measure).verdicts


def two_classes(verdict: Verdict) -> Confusion:
    """Return the table of a verdict on two classes, or raise: only they have draws to show."""
    table = verdict.performance.table
    if isinstance(table, Confusion):
        return table
    raise InvalidPredictionsError(
        f"a display of draws must have two classes (got a {type(table).__name__}); report.plot() "
        "and MatrixDisplay show several, and pos_label makes one class positive"
    )
