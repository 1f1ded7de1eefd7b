"""Render a report in Markdown, with GitHub's tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from baserate.harmless import printable
from baserate.report.panels import findings, legend, panels, summaries
from baserate.support.formatting import ARROWS, dropped_rows, probability

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from baserate.report.collection import Report
    from baserate.report.panels import Panel, Row

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~$&-])")


def render(report: Report) -> str:
    """Return the report as Markdown."""
    if not report:
        return "no verdicts\n"
    blocks = [
        _bullets(f"**{escaped(sentence)}**" for sentence in findings(report)),
        *(_block(panel, report.by) for panel in panels(report)),
        dropped_rows(report.dropped) if report.dropped else "",
        _legend(report),
        _bullets(map(escaped, summaries(report))),
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _block(panel: Panel, by: str | None) -> str:
    models = [escaped(performance.model) for performance in panel.performances]
    lines = [
        ["measure", "lowest", "highest", *models],
        [":---", "---:", "---:", *("---:" for _ in models)],
        *map(_cells, panel.rows),
        *([_p_name(name), "", "", *map(probability, found)] for name, found in panel.p_values),
    ]
    return "\n".join([escaped(panel.title(by)), "", *map(line, lines)])


def _cells(row: Row) -> list[str]:
    low, high = row.baselines
    baselines = [low, f"**{high}**"] if row.is_maximized else [f"**{low}**", high]
    marks = [verdict.outcome.mark if verdict else "" for verdict in row.verdicts]
    scores = [f"{score} {mark}".strip() for score, mark in zip(row.scores, marks, strict=True)]
    return [escaped(row.label), *baselines, *scores]


def line(cells: Sequence[str]) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(cells)} |"


def _legend(report: Report) -> str:
    signs = [f"{outcome.mark} {outcome.sentence}" for outcome in legend(report)]
    return "; ".join([ARROWS, "**bold**: to beat", *signs])


def _bullets(sentences: Iterator[str]) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences)


def escaped(text: str) -> str:
    """Return a text on one line, with all markup escaped, even a number and a dot."""
    marked = _SPECIAL.sub(r"\\\1", " ".join(printable(text).split()))
    return re.sub(r"^(\d+)\.", r"\1\\.", marked)


def _p_name(name: str) -> str:
    """Return the name of a row of p-values; only a measure's own name needs escapes."""
    shared, _, measure = name.partition(" of ")
    return f"{shared} of {escaped(measure)}" if measure else shared
