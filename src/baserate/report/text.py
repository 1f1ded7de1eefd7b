"""Render a report for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from baserate.formatting import (
    ARROWS,
    confidence,
    dropped_rows,
    printable,
    sanitize,
    span,
)
from baserate.report.alignment import KEPT, aligned, folded, wrapped
from baserate.report.details import details
from baserate.report.panels import findings, legend, notes, shown_matrices, shown_panels, summaries

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from baserate.report.collection import Report
    from baserate.report.matrices import GroupRow, Matrix
    from baserate.report.p_values import PValue
    from baserate.report.panels import Panel, Row
    from baserate.verdicts.verdict import Performance, Verdict

    Columns: TypeAlias = tuple[Sequence[Sequence[str]], Sequence[Sequence[str]]]

# The most findings, tables and groups to print; read a report with a thousand groups as HTML.
_MOST = 12
_MOST_GROUPS = 40
_NO_MARK = "  "


def render(
    report: Report,
    *,
    more_findings: str = "report.findings",
    more_tables: str = "report.group(…) and report.to_html(…)",
) -> str:
    """Return the report as text: findings, tables, legend and a sentence for each model.

    Parameters
    ----------
    report
        The report.
    more_findings, more_tables
        Where to see what is not shown of a large report.
    """
    if not report:
        return "no verdicts"
    tables = list(_tables(report, more_tables))
    blocks = [
        *([_findings(report, more_findings)] if report.findings else []),
        *tables[:_MOST],
        *_rest("", len(tables), _MOST, f" tables: see {more_tables}"),
        *map(folded, notes(report)),
        *([dropped_rows(report.dropped)] if report.dropped else []),
        "\n".join(_legend(report)),
        "\n".join(map(wrapped, summaries(report))),
    ]
    return sanitize("\n\n".join(blocks))


def _findings(report: Report, more: str) -> str:
    sentences = findings(report)
    shown = [wrapped(f"! {sentence}") for sentence in sentences[:_MOST]]
    return "\n".join([*shown, *_rest("! ", len(sentences), _MOST, f": see {more}")])


def _rest(mark: str, count: int, most: int, where: str) -> list[str]:
    """Say how many are not shown, if any."""
    return [f"{mark}… and {count - most} more{where}"] if count > most else []


def _legend(report: Report) -> Iterator[str]:
    has_below = any(len(panel.performances) > 1 for panel in shown_panels(report))
    below = [f"below each score: its {confidence(report.alpha)} interval"] if has_below else []
    yield "   ".join([ARROWS, *below])
    signs = [f"{outcome.mark} {report.voice.says(outcome)}" for outcome in legend(report)]
    if signs:
        yield folded("   ".join(sign.replace(" ", KEPT) for sign in signs))


def _tables(report: Report, more: str) -> Iterator[str]:
    for panel in shown_panels(report):
        is_alone = len(panel.performances) == 1
        columns = _facts(panel, report.alpha) if is_alone else _scores(panel)
        yield "\n".join([panel.title(report.by), "", *aligned(*columns)])
        parts = details(panel)
        if parts:
            yield "\n".join(map(wrapped, parts))
    for matrix in shown_matrices(report):
        lines = aligned(*_groups(matrix, report.by))
        rest = _rest("", len(matrix.rows), _MOST_GROUPS, f" groups: see {more}")
        yield "\n".join([matrix.title(report.by), "", *lines, *rest])


def _facts(panel: Panel, alpha: float) -> Columns:
    """Return the columns of one model: its scores and margins with their intervals."""
    level, blank = f"{confidence(alpha)}{KEPT}interval", [""] * len(panel.voice.beside)
    lines = [
        ["measure", _name(panel.performances[0]), level, *panel.voice.beside, "margin", level],
        *map(_of_measure, panel.rows),
        *([row.name, _p_value(row.found[0]), "", *blank, "", ""] for row in panel.p_values),
    ]
    return _columns(lines, fixed=1)


def _of_measure(row: Row) -> list[str]:
    verdict = row.first
    return [
        row.label,
        _marked(row.scores[0], verdict),
        row.intervals[0],
        *row.beside,
        row.write(verdict.margin),
        span(verdict.margin_low, verdict.margin_high, row.limit),
    ]


def _scores(panel: Panel) -> Columns:
    """Return the columns of several models: their scores, each with its interval below."""
    blank = [""] * len(panel.voice.beside)
    lines = [
        ["measure", *panel.voice.beside, *map(_name, panel.performances)],
        *(line for row in panel.rows for line in _two_lines(row)),
        *([row.name, *blank, *map(_p_value, row.found)] for row in panel.p_values),
    ]
    return _columns(lines, fixed=1 + len(blank))


def _two_lines(row: Row) -> Iterator[list[str]]:
    yield [row.label, *row.beside, *map(_marked, row.scores, row.verdicts)]
    if any(row.intervals):
        yield ["", *("" for _ in row.beside), *row.intervals]


def _groups(matrix: Matrix, by: str | None) -> Columns:
    """Return the columns of one model in groups: their sizes and the scores."""
    measures = [label.replace(" ", KEPT) for label in matrix.labels]
    lines = [
        [printable(by or "group"), matrix.share_title, matrix.p_title, *measures],
        *(_of_group(matrix, row) for row in matrix.rows[:_MOST_GROUPS]),
    ]
    return _columns(lines, fixed=3)


def _of_group(matrix: Matrix, row: GroupRow) -> list[str]:
    scores = map(_marked, matrix.scores(row), row.verdicts)
    return [printable(str(row.performance.group)), row.share, str(row.p_value), *scores]


def _columns(lines: Sequence[Sequence[str]], fixed: int) -> Columns:
    columns = list(zip(*lines, strict=True))
    return columns[:fixed], columns[fixed:]


def _name(performance: Performance) -> str:
    return f"{printable(performance.model)}{_NO_MARK}"


def _p_value(found: PValue) -> str:
    return f"{found}{_NO_MARK}"


def _marked(score: str, verdict: Verdict | None) -> str:
    return f"{score} {(verdict and verdict.outcome.mark) or ' '}"
