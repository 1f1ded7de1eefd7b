"""Render a comparison for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baserate.formatting import ARROWS, dropped_rows, sanitize
from baserate.report.alignment import display_width, folded, wrapped
from baserate.report.comparison.tables import cells, header, note, tables
from baserate.verdicts.difference_sentences import explanation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from baserate.report.comparison.collection import Comparison
    from baserate.report.comparison.tables import Table

# The most differences of a test set, and the most tables, to print.
_MOST_ROWS, _MOST_TABLES = 40, 12


def render(comparison: Comparison, *, more: str = "comparison.to_html(…)") -> str:
    """Return the comparison as text: for each test set a sentence per difference, and a table.

    Parameters
    ----------
    comparison
        The comparison.
    more
        Where to see what is not shown of a large comparison.
    """
    if not comparison:
        return "no differences"
    found = tables(comparison)
    blocks = [block for table in found[:_MOST_TABLES] for block in _blocks(table, comparison, more)]
    if len(found) > _MOST_TABLES:
        blocks.append(f"… and {len(found) - _MOST_TABLES} more groups: see {more}")
    if comparison.dropped:
        blocks.append(dropped_rows(comparison.dropped))
    return sanitize("\n\n".join(filter(None, [*blocks, folded(note(comparison)), ARROWS])))


def _blocks(table: Table, comparison: Comparison, more: str) -> Iterator[str]:
    """Yield the title, the sentences and the table of a test set."""
    yield table.title
    if table.said:
        sentences = [wrapped(explanation(each, comparison.by)) for each in table.said[:_MOST_ROWS]]
        yield "\n".join(sentences)
    rows = map(cells, table.differences[:_MOST_ROWS])
    lines = list(_aligned([header(comparison), *rows]))
    left = len(table.differences) - _MOST_ROWS
    yield "\n".join([*lines, *([f"… and {left} more: see {more}"] if left > 0 else [])])


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Align the names on the left and the numbers on the right."""
    widths = [max(map(display_width, column)) for column in zip(*rows, strict=True)]
    last = len(widths) - 1
    for row in rows:
        padded = []
        for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
            blanks = " " * (width - display_width(cell))
            is_name = place in (0, 1, last)
            padded.append(cell + blanks if is_name else blanks + cell)
        yield "  ".join(padded).rstrip()
