"""Render a report in Markdown, with GitHub's tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from baserate.formatting import ARROWS, confidence, dropped_rows, printable
from baserate.report.details import details
from baserate.report.panels import findings, legend, notes, shown_matrices, shown_panels, summaries

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from baserate.report.collection import Report
    from baserate.report.matrices import GroupRow, Matrix
    from baserate.report.panels import Panel, Row
    from baserate.verdicts.verdict import Verdict

# What is markup wherever it stands, a tag, an entity, and what stands at the edge of a word.
_MARKUP = re.compile(
    r"[\\`\[|$]|<(?=[A-Za-z/!?])|&(?=#?\w+;)|[*~](?=\S)|(?<=\S)[*~]|(?<![^\W_])_|_(?![^\W_])"
)
# What makes a line something other than a sentence: a list, a rule, a heading or a quotation.
_START = re.compile(r"^(\d+(?=[.)](?:\s|$))|(?=[-+*](?:[\s-]|$)|#{1,6}(?:\s|$)|>))")


def render(report: Report) -> str:
    """Return the report as Markdown."""
    if not report:
        return "no verdicts\n"
    blocks = [
        _bullets(f"**{line_of(sentence)}**" for sentence in findings(report)),
        *(block for panel in shown_panels(report) for block in _blocks(panel, report.by)),
        *(_groups(matrix, report.by) for matrix in shown_matrices(report)),
        *map(line_of, notes(report)),
        dropped_rows(report.dropped) if report.dropped else "",
        _legend(report),
        _bullets(map(line_of, summaries(report))),
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _blocks(panel: Panel, by: str | None) -> Iterator[str]:
    yield _block(panel, by)
    yield _bullets(map(line_of, details(panel)))


def _block(panel: Panel, by: str | None) -> str:
    models = [escaped(performance.model) for performance in panel.performances]
    beside = list(map(escaped, panel.voice.beside))
    blank = [""] * len(beside)
    lines = [
        ["measure", *beside, *models],
        [":---", *("---:" for _ in (*beside, *models))],
        *map(_cells, panel.rows),
        *([escaped(row.name), *blank, *map(str, row.found)] for row in panel.p_values),
    ]
    return "\n".join([line_of(panel.title(by)), "", *map(line, lines)])


def _groups(matrix: Matrix, by: str | None) -> str:
    labels = map(escaped, (by or "group", matrix.share_title, matrix.p_title, *matrix.labels))
    lines = [
        list(labels),
        [":---", *("---:" for _ in range(len(matrix.labels) + 2))],
        *(_of_group(matrix, row) for row in matrix.rows),
    ]
    return "\n".join([line_of(matrix.title(by)), "", *map(line, lines)])


def _of_group(matrix: Matrix, row: GroupRow) -> list[str]:
    group = escaped(str(row.performance.group))
    scores = map(_cell, matrix.scores(row), row.verdicts)
    return [group, row.share, str(row.p_value), *scores]


def _cell(score: str, verdict: Verdict | None, interval: str = "") -> str:
    mark = verdict.outcome.mark if verdict else ""
    return " ".join(filter(None, (score, f"({interval})" if interval else "", mark)))


def _cells(row: Row) -> list[str]:
    return [escaped(row.label), *row.beside, *map(_cell, row.scores, row.verdicts, row.intervals)]


def line(cells: Sequence[str]) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(cells)} |"


def _legend(report: Report) -> str:
    signs = [f"{outcome.mark} {escaped(report.voice.says(outcome))}" for outcome in legend(report)]
    level = f"in parentheses: {confidence(report.alpha)} intervals"
    return "; ".join([ARROWS, level, *signs])


def _bullets(sentences: Iterator[str]) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences)


def escaped(text: str) -> str:
    r"""Return a text on one line, with a backslash before what would be markup inside a line.

    Examples
    --------
    >>> print(escaped("a_tree (40%)"), escaped("*tree*"), sep="; ")
    a_tree (40%); \*tree\*
    """
    return _MARKUP.sub(r"\\\g<0>", " ".join(printable(text).split()))


def line_of(text: str) -> str:
    r"""Return a text as a line of its own: it cannot become a list or a heading.

    Examples
    --------
    >>> print(line_of("1. tree"), line_of("- tree"), sep="; ")
    1\. tree; \- tree
    """
    return _START.sub(r"\1\\", escaped(text))
