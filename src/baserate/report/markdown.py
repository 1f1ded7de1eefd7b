"""Format a document in Markdown, with GitHub's tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from baserate.formatting import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from baserate.report.document import Cell, Document, Table

# What is markup wherever it stands, a tag, an entity, and what stands at the edge of a word.
_MARKUP = re.compile(
    r"[\\`\[|$]|<(?=[A-Za-z/!?])|&(?=#?\w+;)|[*~](?=\S)|(?<=\S)[*~]|(?<![^\W_])_|_(?![^\W_])"
)
# What makes a line something other than a sentence: a list, a rule, a heading or a quotation.
_START = re.compile(r"^(\d+(?=[.)](?:\s|$))|(?=[-+*](?:[\s-]|$)|#{1,6}(?:\s|$)|>))")


def render(document: Document) -> str:
    """Return the answer, the tables, and what to do next."""
    mark, headline, second = document.answer
    blocks = [
        f"**{mark} {line_of(headline)}**",
        *map(line_of, (second, " ".join(document.facts))),
        *(_table(table, document) for table in _tables(document)),
        "\n".join(_bullets(document)),
        "   ".join(" ".join(pair) for pair in document.legend),
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _tables(document: Document) -> Iterator[Table]:
    yield from document.tables
    yield from document.groups
    if document.kind == "difference":
        yield document.every


def _bullets(document: Document) -> Iterator[str]:
    for step in document.steps:
        who = f"**{escaped(step.who)}:** " if step.who else ""
        yield " ".join(filter(None, ("-", step.mark, who + line_of(step.said))))
    yield from (f"- {line_of(note)}" for note in document.notes)


def _table(table: Table, document: Document) -> str:
    heads = [
        " ".join(filter(None, (escaped(column.over), escaped(column.full))))
        for column in table.columns
    ]
    sides = [":---" if column.is_text else "---:" for column in table.columns]
    rows = [
        [_cell(cell, table, place) for place, cell in enumerate(row.cells)] for row in table.rows
    ]
    is_titled = table.only_marks or len({each.title for each in document.tables}) > 1
    title = [line_of(table.title), ""] if is_titled and table.title else []
    more = ["", f"… and {table.more:,} more"] if table.more > 0 else []
    return "\n".join([*title, *map(line, (heads, sides, *rows)), *more])


def _cell(cell: Cell, table: Table, place: int) -> str:
    if table.columns[place].over:
        return cell.mark
    text = f"{cell.mark} {escaped(cell.text)}".strip()
    return (
        f"{text} ({escaped(cell.small)})"
        if cell.small and place and "(" not in cell.small
        else text
    )


def line(cells: Sequence[str]) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(cells)} |"


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
