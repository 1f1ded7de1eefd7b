"""Render a comparison in Markdown, with GitHub's tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baserate.formatting import ARROWS, dropped_rows
from baserate.report.comparison.tables import cells, header, note, tables
from baserate.report.markdown import escaped, line, line_of
from baserate.verdicts.difference_sentences import explanation

if TYPE_CHECKING:
    from baserate.report.comparison.collection import Comparison
    from baserate.report.comparison.tables import Table

_ALIGNED = (":---", ":---", "---:", "---:", "---:", "---:", ":---")


def render(comparison: Comparison) -> str:
    """Return the comparison as Markdown."""
    if not comparison:
        return "no differences\n"
    blocks = [_block(table, comparison) for table in tables(comparison)]
    if comparison.dropped:
        blocks.append(dropped_rows(comparison.dropped))
    return "\n\n".join(filter(None, [*blocks, note(comparison), ARROWS])) + "\n"


def _block(table: Table, comparison: Comparison) -> str:
    sentences = (f"- {line_of(explanation(each, comparison.by))}" for each in table.said)
    rows = (_escaped_names(cells(each)) for each in table.differences)
    lines = [line(header(comparison)), line(_ALIGNED), *map(line, rows)]
    blocks = [line_of(table.title), "\n".join(sentences), "\n".join(lines)]
    return "\n\n".join(filter(None, blocks))


def _escaped_names(row: tuple[str, ...]) -> list[str]:
    """Escape the models, the measure and the better model; the rest are numbers."""
    models, measure, *numbers, better = row
    return [escaped(models), escaped(measure), *numbers, escaped(better)]
