r"""Format a document in LaTeX: tables for a paper, which need only booktabs."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from baserate.formatting import UNDEFINED, printable
from baserate.report.document import Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from baserate.report.document import Cell, Column, Document, Table

_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
        "%": r"\%", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
        "*": r"\(*\)", "[": "{[}", "]": "{]}", "θ": r"\(\theta\)", "−": "$-$", "≈": r"$\approx$",
    }
)  # fmt: skip
_NUMBER = re.compile(r"[-+]?[\d.,]+(?:e-\d+)?")
_NUMERIC = re.compile(rf"[<≈ ]*{_NUMBER.pattern}(?: (?:to|and) {_NUMBER.pattern})?%?")
_BATCH = 12
# How many columns and rows of a table fit on a page.
_ACROSS, _DOWN = 8, 40
_MARKS = {"✓": "", "~": r"^{\sim}", "✗": r"^{\times}", "–": r"^{\circ}"}


def render(document: Document) -> str:
    """Return a table environment per test set, and per model if there are groups."""
    comments = "".join(
        f"% {printable(text)}\n"
        for text in (document.answer.headline, document.answer.second)
        if text
    )
    chosen = [*document.tables, *document.groups]
    if document.kind == "difference" and document.every.rows:
        chosen.append(document.every)
    tables = [
        text for table in chosen for part in _pages(table) for text in [_table(part, document)]
    ]
    # LaTeX can hold back only a few tables: let it place some before the next.
    batches = ("\n".join(tables[at : at + _BATCH]) for at in range(0, len(tables), _BATCH))
    return comments + "\n\\clearpage\n".join(batches)


def _pages(table: Table) -> Iterator[Table]:
    """Divide a table into parts that fit on a page."""
    fixed = sum(not column.over for column in table.columns) if table.only_marks else 1
    others = range(fixed, len(table.columns))
    across = _ACROSS if table.only_marks else len(others)
    count = math.ceil(len(others) / across)
    size = math.ceil(len(others) / count) if count else 1
    for at in range(0, len(others), size):
        kept = [*range(fixed), *others[at : at + size]]
        rows = [Row(tuple(row.cells[place] for place in kept), row.kind) for row in table.rows]
        for down in range(0, len(rows), _DOWN):
            yield replace(
                table,
                columns=tuple(table.columns[place] for place in kept),
                rows=tuple(rows[down : down + _DOWN]),
            )


def _table(table: Table, document: Document) -> str:
    body = []
    for row in table.rows:
        body.append(_line([_cell(cell, place, table) for place, cell in enumerate(row.cells)]))
        if any(cell.strip for cell in row.cells) and not table.only_marks:
            small = (rf"\tiny {_small(cell)}" if cell.strip else "" for cell in row.cells)
            body[-1] += "[-2pt]"
            body.append(f"{_line(list(small))}[1pt]")
        if row.kind == "guess":
            body.insert(len(body) - (row is table.rows[-1]), r"    \midrule")
    sides = "".join("l" if column.is_text else "r" for column in table.columns)
    lines = [
        "% needs \\usepackage{booktabs}",
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{_caption(table, document)}.}}",
        r"  \footnotesize\setlength{\tabcolsep}{3pt}",
        rf"  \begin{{tabular}}{{{sides}}}",
        r"    \toprule",
        _line([_head(column, place) for place, column in enumerate(table.columns)]),
        r"    \midrule",
        *body,
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _small(cell: Cell) -> str:
    """Write the margin and its interval."""
    number, _, ends = cell.small.partition(" ")
    return f"{numeral(number)} ({numeral(ends.strip('()'))})" if ends else numeral(number)


def _caption(table: Table, document: Document) -> str:
    """Say what the table shows, what marks mean, and all that a reader must know."""
    told = [table.title or document.facts[0].rstrip(".")]
    if document.kind == "verdict" and table in document.tables and len(table.rows) > 1:
        told.append("Below each score: its margin and the interval of that")
    signs = [
        f"${_MARKS[mark]}$~{escaped(words)}" for mark, words in document.legend if _MARKS[mark]
    ]
    told_notes = [note for note in (document.guesses, *document.notes) if note]
    notes = [escaped(note).rstrip(".") for note in told_notes]
    return ". ".join([*map(escaped, told), "; ".join(signs), *notes])


def _head(column: Column, place: int) -> str:
    """Put each word of a title on its own line, because columns are narrow."""
    words = " ".join(filter(None, (column.over, column.full))).split()
    if place == 0 or len(words) < 2:
        return escaped(column.full)
    lines = r"\\".join(map(escaped, words))
    return rf"\shortstack[r]{{{lines}}}"


def _cell(cell: Cell, place: int, table: Table) -> str:
    if not place or table.columns[place].is_text:
        return escaped(cell.text)
    mark = _MARKS.get(cell.mark, "")
    text = numeral(cell.text)
    # Hang the mark outside the column, so that the numbers stay aligned.
    return f"{text}\\rlap{{${mark}$}}" if mark else text


def numeral(written: str) -> str:
    """Write a number, or an interval, that is formatted for people."""
    if written == UNDEFINED:
        return "--"
    if not _NUMERIC.fullmatch(written):
        return escaped(written)
    text = _NUMBER.sub(lambda found: _signed(found[0]), written)
    return text.replace("<", "$<$").replace("≈", r"$\approx$").replace("%", r"\%")


def _signed(number: str) -> str:
    """Format one number: 1.2e-05 as a power of ten, and a minus sign that is as long as a plus."""
    digits, _, exponent = number.partition("e-")
    if exponent:
        return rf"${digits} \cdot 10^{{-{exponent.lstrip('0')}}}$"
    return number.replace("-", "$-$").replace("+", "$+$")


def _line(cells: Sequence[str]) -> str:
    return f"    {' & '.join(cells)} \\\\"


def escaped(text: str) -> str:
    """Write a text on one line, without commands."""
    return printable(text).translate(_SPECIAL)
