"""Render a report for a terminal."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from typing import TYPE_CHECKING

from baserate.harmless import harmless, printable
from baserate.report.panels import findings, legend, panels, summaries
from baserate.support.formatting import ARROWS, dropped_rows, probability

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from baserate.report.collection import Report
    from baserate.report.panels import Panel

_WIDTH = 100
_TO_BEAT = "*"
# The most findings and tables to print; read a report with a thousand groups as HTML.
_MOST = 12


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
    tables = panels(report)
    blocks = [
        *([_findings(report, more_findings)] if report.findings else []),
        *(_block(panel, report.by) for panel in tables[:_MOST]),
        *_rest("", len(tables), f" tables: see {more_tables}"),
        *([dropped_rows(report.dropped)] if report.dropped else []),
        "\n".join(_legend(report)),
        "\n".join(wrapped(sentence) for sentence in summaries(report)),
    ]
    return harmless("\n\n".join(blocks))


def _findings(report: Report, more: str) -> str:
    sentences = findings(report)
    shown = [wrapped(f"! {sentence}") for sentence in sentences[:_MOST]]
    return "\n".join([*shown, *_rest("! ", len(sentences), f": see {more}")])


def _rest(mark: str, count: int, where: str) -> list[str]:
    """Say how many are not shown, if any."""
    return [f"{mark}… and {count - _MOST} more{where}"] if count > _MOST else []


def wrapped(sentence: str) -> str:
    """Break a sentence into lines, but not inside of its p-value."""
    kept = re.sub(r"(?<=[( ]p) ([=<≈]) ", "\0\\1\0", sentence)
    lines = textwrap.wrap(kept, _WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join(lines).replace("\0", " ")


def _legend(report: Report) -> Iterator[str]:
    yield f"{ARROWS}   {_TO_BEAT} the baseline to beat"
    signs = [f"{outcome.mark} {outcome.sentence}" for outcome in legend(report)]
    kept = "   ".join(sign.replace(" ", "\0") for sign in signs)
    yield from (line.replace("\0", " ") for line in textwrap.wrap(kept, _WIDTH))


def _block(panel: Panel, by: str | None) -> str:
    columns = [
        ["measure", *(row.label for row in panel.rows), *(name for name, _ in panel.p_values)],
        _baselines(panel, which=0),
        _baselines(panel, which=1),
        *(_scores(panel, place) for place in range(len(panel.performances))),
    ]
    return "\n".join([panel.title(by), "", *_lines(columns)])


def _baselines(panel: Panel, which: int) -> list[str]:
    rows, p_values = panel.rows, len(panel.p_values)
    to_beat = [(_TO_BEAT if row.is_maximized == bool(which) else " ") for row in rows]
    cells = [f"{row.baselines[which]} {sign}" for row, sign in zip(rows, to_beat, strict=True)]
    return [("lowest", "highest")[which] + "  ", *cells, *([""] * p_values)]


def _scores(panel: Panel, place: int) -> list[str]:
    performance = panel.performances[place]
    verdicts = [row.verdicts[place] for row in panel.rows]
    marks = [(verdict.outcome.mark if verdict else "") or " " for verdict in verdicts]
    scores = [row.scores[place] for row in panel.rows]
    cells = [f"{score} {mark}" for score, mark in zip(scores, marks, strict=True)]
    p_values = [f"{probability(found[place])}  " for _, found in panel.p_values]
    return [f"{printable(performance.model)}  ", *cells, *p_values]


def _lines(columns: list[list[str]]) -> Iterator[str]:
    """Align the columns, and continue below if a line is full."""
    fixed, models = columns[:3], columns[3:]
    while models:
        taken = _fitting(fixed, models)
        yield from _aligned([*fixed, *models[:taken]])
        models = models[taken:]
        if models:
            yield ""


def _fitting(fixed: list[list[str]], models: list[list[str]]) -> int:
    used = sum(_column_width(column) for column in fixed)
    for taken, column in enumerate(models):
        used += _column_width(column)
        if used > _WIDTH and taken:
            return taken
    return len(models)


def _column_width(column: list[str]) -> int:
    words = max(map(display_width, column[0].split()), default=0)
    return max(words + 2, *map(display_width, column[1:])) + 1


def _aligned(columns: list[list[str]]) -> Iterator[str]:
    widths = [_column_width(column) for column in columns]
    headers = [_header(column[0], width) for column, width in zip(columns, widths, strict=True)]
    depth = max(map(len, headers))
    for level in range(depth):
        cells = [
            header[level - depth + len(header)] if level >= depth - len(header) else ""
            for header in headers
        ]
        yield _line(cells, widths)
    for row in zip(*(column[1:] for column in columns), strict=True):
        yield _line(row, widths)


def _header(name: str, width: int) -> list[str]:
    """Break a name into lines that fit its column; two blanks are reserved for the marks."""
    return [f"{line}  " for line in textwrap.wrap(name, width - 2, break_on_hyphens=False)] or [""]


def _line(cells: Sequence[str], widths: list[int]) -> str:
    first, *rest = zip(cells, widths, strict=True)
    padded = [_pad(*first, left=True), *(_pad(cell, width) for cell, width in rest)]
    return "".join(padded).rstrip()


def _pad(cell: str, width: int, *, left: bool = False) -> str:
    blanks = " " * (width - display_width(cell))
    return f"{cell}{blanks}" if left else f"{blanks}{cell}"


def display_width(text: str) -> int:
    """Return how many terminal cells a text fills: some letters take two, accents none."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))
