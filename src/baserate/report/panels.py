"""The tables of a report: one per test set, measures down, models across."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from baserate.core.direction import Direction
from baserate.formatting import number_format, printable, span, whole
from baserate.report.matrices import matrices, shown_score
from baserate.report.p_values import PValue, PValueRow
from baserate.verdicts.outcome import Outcome
from baserate.verdicts.sentences import (
    evidence,
    finding,
    group_name,
    in_clusters,
    rows_in,
    summary,
    too_small,
)
from baserate.verdicts.standard import Standard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from baserate.core.task import TestSet
    from baserate.data.groups import Group
    from baserate.report.collection import Report
    from baserate.report.matrices import Matrix
    from baserate.verdicts.verdict import Performance, Verdict
    from baserate.verdicts.voice import Voice


# What boxes mean wherever they are drawn: in the figure, in HTML and, without the dashed ones, in
# LaTeX.
BOXES = "boxed: no better, dashed: not surely"


@dataclass(frozen=True)
class Row:
    """One measure: its baselines, and the verdict on each model.

    Parameters
    ----------
    verdicts
        The verdicts in the order of the panel's performances; None if there is none.
    """

    verdicts: tuple[Verdict | None, ...]

    @property
    def first(self) -> Verdict:
        """One of the verdicts, for the facts they share: the measure and its baselines."""
        return next(verdict for verdict in self.verdicts if verdict is not None)

    @property
    def label(self) -> str:
        """The measure and its direction."""
        return f"{printable(self.first.measure)} {self.first.direction.arrow}"

    @property
    def is_maximized(self) -> bool:
        """Whether the highest baseline is the one to beat; otherwise the lowest is."""
        return self.first.direction is Direction.MAXIMIZE

    @property
    def p_values(self) -> tuple[PValue, ...]:
        """The p-value of each verdict; nan where there is none."""
        return tuple(map(PValue.of, self.verdicts))

    @property
    def shares_p_values(self) -> bool:
        """Whether every p-value is that of the performance."""
        return all(verdict is None or verdict.shares_p_value for verdict in self.verdicts)

    @property
    def is_against(self) -> bool:
        """Whether scores are judged against another model."""
        return self.first.performance.against is not None

    @cached_property
    def marks(self) -> tuple[str, str]:
        """The lowest and the highest baseline; or the best and another model's score, formatted."""
        if self.is_against:
            return self.write(self.first.free), self.baseline
        return self.write(self.first.baseline_min), self.write(self.first.baseline_max)

    @property
    def to_beat(self) -> int:
        """Which of these is to be beaten."""
        return int(self.is_against or self.is_maximized)

    @property
    def beside(self) -> tuple[str, ...]:
        """What scores stand beside in a narrow table, formatted."""
        return self.marks if self.is_against else (self.baseline,)

    @property
    def baseline(self) -> str:
        """What is to be beaten, formatted."""
        return self.write(self.first.baseline)

    @property
    def informative(self) -> bool:
        """Whether the measure can show something about one of the models."""
        return any(verdict is not None and verdict.informative for verdict in self.verdicts)

    @cached_property
    def scores(self) -> tuple[str, ...]:
        """The scores, formatted; empty if there is none."""
        return tuple("" if v is None else self.write(shown_score(v)) for v in self.verdicts)

    @cached_property
    def intervals(self) -> tuple[str, ...]:
        """The intervals of the scores, formatted; empty if there is none."""
        return tuple("" if v is None else span(v.low, v.high, self.limit) for v in self.verdicts)

    @cached_property
    def write(self) -> Callable[[float], str]:
        """The format of the measure's numbers: counts have no decimals."""
        return number_format(self._numbers, counted=self.first.counts)

    @cached_property
    def limit(self) -> Callable[[float], str]:
        """The format of limits: those of counts are rounded."""
        return whole if self.first.counts else number_format(self._numbers)

    @property
    def _numbers(self) -> tuple[float, ...]:
        scores = (verdict.score for verdict in self.verdicts if verdict is not None)
        first = self.first
        return (first.baseline_min, first.baseline_max, first.baseline, *scores)


@dataclass(frozen=True)
class Panel:
    """The performances of models on one test set, or on one group of it.

    Parameters
    ----------
    group
        The group; None for the whole test set.
    test_set
        The test set of all baselines in the panel.
    performances
        The performance of each model.
    rows
        One row per measure; those that can show nothing come last.
    """

    group: Group | None
    test_set: TestSet
    performances: tuple[Performance, ...]
    rows: tuple[Row, ...]

    @cached_property
    def p_values(self) -> tuple[PValueRow, ...]:
        """The p-values of the models: that of the performance, and those of other measures."""
        sharing = [row for row in self.rows if row.shares_p_values]
        alike: dict[tuple[str, ...], list[Row]] = {}
        for row in self.rows:
            if not row.shares_p_values:
                # Those of measures that are linear in each other differ by rounding.
                alike.setdefault(tuple(f"{p.value:.6g}" for p in row.p_values), []).append(row)
        found = [*([sharing] if sharing else []), *alike.values()]
        return tuple(
            PValueRow(tuple(row.first.measure for row in rows), len(found) == 1, rows[0].p_values)
            for rows in found
        )

    @property
    def voice(self) -> Voice:
        """How its verdicts are put into words."""
        return self.performances[0].voice

    @property
    def remark(self) -> str:
        """What a reader must know of how its performances were counted; empty if nothing."""
        found = dict.fromkeys(performance.table.remark for performance in self.performances)
        return "; ".join(filter(None, found))

    def title(self, by: str | None) -> str:
        """Describe the test set, and the group if it is one."""
        total, clusters = self.test_set.total, self.performances[0].clusters
        parts = (self.test_set.described, rows_in(total, clusters), self.remark)
        described = "; ".join(filter(None, parts))
        if self.group is None:
            return described
        return f"{group_name(self.group, by)}: {described}"


def panels(report: Report) -> tuple[Panel, ...]:
    """Return the tables of a report, the whole test set first."""
    together: dict[tuple[Group | None, TestSet], list[Verdict]] = {}
    for verdict in report:
        key = (verdict.group, verdict.performance.table.test_set)
        together.setdefault(key, []).append(verdict)
    ordered = sorted(together, key=lambda key: key[0] is not None)
    return tuple(_panel(*key, together[key]) for key in ordered)


def shown_panels(report: Report) -> tuple[Panel, ...]:
    """Return the tables to show: several groups have matrices instead."""
    return panels(report.overall if len(report.groups) > 1 else report)


def shown_matrices(report: Report) -> tuple[Matrix, ...]:
    """Return the matrices to show; a single group has a table like any test set."""
    return matrices(report) if len(report.groups) > 1 else ()


def notes(report: Report) -> tuple[str, ...]:
    """Return what a reader must know: warnings, and an unusual standard."""
    is_usual = report.standard == Standard() and not is_adjustable(report)
    return tuple(filter(None, (*warnings(report), "" if is_usual else standard(report))))


def standard(report: Report) -> str:
    """Say how much evidence each claim of a report needed, and how many were tested."""
    untested = (Outcome.UNINFORMATIVE, Outcome.UNDEFINED)
    claims = sum(verdict.outcome not in untested for verdict in report)
    return evidence(report.standard, claims, adjustable=is_adjustable(report))


def is_adjustable(report: Report) -> bool:
    """Whether there are several models or groups, whose p-values an adjustment takes together."""
    return len(report.performances) > 1


def warnings(report: Report) -> tuple[str, ...]:
    """Return a sentence for test sets that are too small, clusters, and weak references."""
    small = too_small(report.too_small, report.alpha, report.by)
    of_clusters = in_clusters([each.clusters for each in report.performances])
    return tuple(filter(None, (small, of_clusters, low_bar(report))))


def low_bar(report: Report) -> str:
    """Say by which measures a reference is no better than what comes for free; empty if by none."""
    weak = [verdict for verdict in report.overall or report if verdict.is_low_bar]
    measures = dict.fromkeys(printable(verdict.measure) for verdict in weak)
    return report.voice.low_bar(list(measures)) if weak else ""


def findings(report: Report) -> tuple[str, ...]:
    """Return a sentence per model and group that fails although the model is fine overall."""
    return tuple(finding(verdicts, report.by) for verdicts in _by_performance(report.findings))


def summaries(report: Report) -> tuple[str, ...]:
    """Return a sentence per model, on the whole test set if the report has it."""
    shown = report.overall or report
    return tuple(summary(verdicts, report.by) for verdicts in _by_performance(shown))


def _by_performance(report: Report) -> Iterable[list[Verdict]]:
    of_each: dict[Performance, list[Verdict]] = {}
    for verdict in report:
        of_each.setdefault(verdict.performance, []).append(verdict)
    return of_each.values()


def legend(report: Report) -> tuple[Outcome, ...]:
    """Return the outcomes that are marked in the report."""
    found = {verdict.outcome for verdict in report}
    return tuple(outcome for outcome in Outcome if outcome in found and outcome.mark)


def _panel(group: Group | None, test_set: TestSet, verdicts: list[Verdict]) -> Panel:
    performances = tuple(dict.fromkeys(verdict.performance for verdict in verdicts))
    by_measure: dict[str, dict[Performance, Verdict]] = {}
    for verdict in verdicts:
        by_measure.setdefault(verdict.measure, {})[verdict.performance] = verdict
    rows = [Row(tuple(map(found.get, performances))) for found in by_measure.values()]
    rows.sort(key=lambda row: not row.informative)
    return Panel(group, test_set, performances, tuple(rows))
