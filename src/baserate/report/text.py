"""Format a document for a terminal."""

from __future__ import annotations

import math
import re
import textwrap
import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING

from baserate.formatting import sanitize
from baserate.report.document import AHEAD, GUESS_AT, PERFECT_AT, Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from baserate.report.document import Cell, Document, Table

WIDTH = 80
# A blank at which no line is broken.
KEPT = "\0"
# The blanks between columns.
_GAP = 2
# The most rows of a table, and the most tables, to print; read a larger report as HTML.
_MOST_ROWS, _MOST_TABLES = 40, 12
# The most rows of a picture, and its width with that of the names before it.
_MOST_STRIPS, _STRIP, _NAME = 12, 32, 22
# A name is cut to the longest, and to the shortest if the others then fit on the line.
_LONGEST, _SHORTEST = 26, 20
_MORE = "(more: to_html)"
_DOTS = {"✓": "●", "~": "○", "✗": "✗"}


def render(document: Document) -> str:
    """Return the answer, the tables, and what to do next."""
    mark, headline, second = document.answer
    answer = [f"{mark} {headline}", *(f"  {each}" for each in (second, " ".join(document.facts)))]
    steps = (
        (step.mark or "·", f"{step.who}: {step.said}" if step.who else step.said)
        for step in document.steps
    )
    notes = (("·", note) for note in (document.guesses, *document.notes) if note)
    said = (folded(f"{sign} {sentence}", "  ") for sign, sentence in (*steps, *notes))
    legend = "   ".join(" ".join(pair) for pair in document.legend)
    ending = f"{legend}   {_MORE}"
    if display_width(ending) > WIDTH:
        ending = f"{legend}\n{_MORE}"
    parts = [
        "\n".join(folded(line, "  ") for line in answer if line.strip()),
        *_tables(document),
        "\n".join(said),
        ending if document.tables or document.groups or document.strips else "",
    ]
    return sanitize("\n\n".join(filter(None, parts)))


def _tables(document: Document) -> Iterator[str]:
    for table in document.tables[:_MOST_TABLES]:
        titled = [table.title, ""] if len({each.title for each in document.tables}) > 1 else []
        yield "\n".join([*titled, *_score_lines(table), *_more(table.more)])
    if len(document.tables) > _MOST_TABLES:
        yield f"… and {len(document.tables) - _MOST_TABLES} more tables"
    every = document.every
    has_groups = sum(column.is_text for column in every.columns) > 4
    is_told = document.tables and (not has_groups or document.tables[0].columns[0].title != "Model")
    if document.kind == "difference" and every.rows and not is_told:
        yield _limited(_difference_lines(every), len(every.rows) + every.more)
    for table in document.groups[:_MOST_TABLES]:
        for model, part in _by_model(table):
            lines = _limited(_score_lines(part), len(table.rows) + table.more)
            yield f"{model}: {table.title.lower()}\n\n{lines}"
    if len(document.groups) > _MOST_TABLES:
        yield f"… and {len(document.groups) - _MOST_TABLES} more models"
    if document.kind == "verdict" and document.strips and not document.groups:
        yield from _pictures(document.strips[0], document.ends)


def _by_model(table: Table) -> Iterator[tuple[str, Table]]:
    """Divide a table of marks into one per model, without words beside them."""
    heads = table.columns
    rows = [
        Row((replace(row.cells[0], text=f"{row.cells[0].text} (too small)"), *row.cells[1:]))
        if row.kind == "dim"
        else row
        for row in table.rows
    ]
    for model in dict.fromkeys(column.over for column in heads if column.over):
        number = [at for at, column in enumerate(heads) if not (column.over or column.is_text)]
        kept = [0, *number, *(at for at, column in enumerate(heads) if column.over == model)]
        parts = [Row(tuple(row.cells[at] for at in kept)) for row in rows]
        yield model, replace(table, columns=tuple(heads[at] for at in kept), rows=tuple(parts))


def _limited(lines: list[str], rows: int) -> str:
    """Return the first lines of a table, and say how many rows are left out."""
    heads = len(lines) - min(rows, len(lines) - 1)
    return "\n".join([*lines[: max(heads, 1) + _MOST_ROWS], *_more(rows - _MOST_ROWS)])


def _more(left: int) -> list[str]:
    return [f"… and {left:,} more"] if left > 0 else []


def _difference_lines(table: Table) -> list[str]:
    """Return the columns of differences that fit: who over whom, by how much, and the scores."""
    *names, verdict, scores, number, ends, p, _ = range(len(table.columns))
    places = [*names[2:], number, ends, p, scores]
    heads = (table.columns[at].title.lower().replace(" ", KEPT) for at in places)
    lines = [[f"first{KEPT}over{KEPT}second", *(head.replace("ci", "CI") for head in heads)]]
    for row in table.rows[: _MOST_ROWS + 1]:
        cells = [row.cells[at].text for at in places]
        cells[places.index(number)] = f"{row.cells[verdict].mark} {row.cells[number].text}"
        lines.append([f"{row.cells[0].text} over {row.cells[1].text}", *cells])
    columns = [list(column) for column in zip(*lines, strict=True)]
    if sum(map(_width, columns)) > WIDTH:
        columns = columns[:-1]
    return list(aligned(columns[:1], columns[1:], left=range(len(names) - 1)))


def _score_lines(table: Table) -> list[str]:
    """Return the lines of a table of scores or of marks."""
    name, *others = (column.title for column in table.columns)
    heads = ["" if name in ("Model", "Measure") else name.lower(), *others]
    rows = [
        [
            cell.mark if column.over else " ".join(filter(None, (cell.mark, cell.text)))
            for cell, column in zip(row.cells, table.columns, strict=True)
        ]
        for row in table.rows
    ]
    columns = [list(column) for column in zip(heads, *rows, strict=True)]
    columns[0] = [name.lower() if name == "Best guess" else name for name in columns[0]]
    # What stands beside the measures is left out before a line is broken, and names are cut.
    names = min(max(map(display_width, columns[0])), _LONGEST)
    if table.columns[-1].title in ("p-value", AHEAD) and _room(columns) < min(names, _SHORTEST):
        columns = columns[:-1]
    room = min(max(_room(columns), _SHORTEST), _LONGEST)
    columns[0] = [_shortened(name, room) for name in columns[0]]
    return list(aligned(columns[:1], columns[1:]))


def _room(columns: list[list[str]]) -> int:
    """Return how wide the first column may be."""
    return WIDTH - sum(map(_width, columns[1:]))


# Pictures.


def _pictures(table: Table, ends: tuple[str, str]) -> Iterator[str]:
    """Draw the first column of strips, or all rows if there is one column."""
    rows = [row for row in table.rows if row.cells[1].strip is not None][:_MOST_STRIPS]
    if not rows:
        return
    title = table.columns[1].title if table.columns[0].title == "Model" else ""
    words = _shortened(ends[0], 2 * _at(GUESS_AT))
    line = f"{_shortened(title, _NAME):<{_NAME}}"
    line += " " * max(_at(GUESS_AT) - len(words) // 2, 0) + words
    line += "perfect".rjust(_NAME + _at(PERFECT_AT) + 1 - len(line))
    lines = [line + ("   margin, interval" if title else "")]
    names = padded([_shortened(r.cells[0].text, _NAME - 1) for r in rows], left=True, width=_NAME)
    for name, row in zip(names, rows, strict=True):
        beside = f"  {row.cells[1].small}" if title else ""
        lines.append(f"{name}{_strip(row.cells[1])}{beside}")
    yield "\n".join(lines)


def _strip(cell: Cell) -> str:
    """Draw a strip: the score and its interval between the best guess and a perfect score."""
    strip = cell.strip
    assert strip is not None  # noqa: S101
    guess, perfect = _at(GUESS_AT), _at(PERFECT_AT)
    line = ["░"] * guess + ["│"] + [" "] * (perfect - guess - 1) + ["┊"]
    if not math.isnan(strip.low):
        for place in range(_at(strip.low), _at(strip.high) + 1):
            if place != guess:
                line[place] = "━"
    line[_at(strip.at)] = "◂" if strip.is_off else _DOTS.get(cell.mark, "●")
    return "".join(line)


def _at(percent: float) -> int:
    return round(percent / 100 * (_STRIP - 1))


# Lines and columns.


def folded(text: str, indent: str = "") -> str:
    """Break a text into lines that fit, but not inside of a p-value."""
    kept = re.sub(r"(?<=[( ]p) ([=<≈]) ", rf"{KEPT}\1{KEPT}", text)
    lines = textwrap.wrap(
        kept, WIDTH, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )
    return "\n".join(lines).replace(KEPT, " ")


def _shortened(text: str, width: int) -> str:
    """Return a text that is not wider, with dots at its end if it was."""
    if display_width(text) <= width:
        return text
    while display_width(text) >= width:
        text = text[:-1]
    return f"{text.rstrip()}…"


def aligned(
    fixed: Sequence[Sequence[str]], others: Sequence[Sequence[str]], left: Sequence[int] = (0,)
) -> Iterator[str]:
    """Return the lines of columns, which continue below if a line is full.

    Each column has its header first. Fixed columns are repeated; left are places aligned left.
    """
    rest: Sequence[Sequence[str]] = others
    while rest:
        taken = _fitting(fixed, rest)
        start = len(others) - len(rest)
        yield from _block(
            [*fixed, *rest[:taken]], {0, *(each - start for each in left if each > 0)}
        )
        rest = rest[taken:]
        if rest:
            yield ""
            # Rows that are empty below are left out.
            rows = enumerate(zip(*rest, strict=True))
            kept = [place for place, cells in rows if not place or any(cells)]
            fixed, rest = (
                [[column[place] for place in kept] for column in part] for part in (fixed, rest)
            )


def _fitting(fixed: Sequence[Sequence[str]], others: Sequence[Sequence[str]]) -> int:
    used = sum(map(_width, fixed))
    for taken, column in enumerate(others):
        used += _width(column)
        if used > WIDTH + _GAP and taken:
            return taken
    return len(others)


def _width(column: Sequence[str]) -> int:
    """Return the width of a column with the gap before it; a header may be broken into words."""
    return max(map(display_width, (*column[0].split(" "), *column[1:]))) + _GAP


def _block(columns: Sequence[Sequence[str]], left: set[int]) -> Iterator[str]:
    headers = [_header(column[0], _width(column) - _GAP) for column in columns]
    depth = max(map(len, headers))
    filled = (
        padded(
            [*[""] * (depth - len(header)), *header, *column[1:]],
            left=place in left,
            width=_width(column) - _GAP,
        )
        for place, (header, column) in enumerate(zip(headers, columns, strict=True))
    )
    for cells in zip(*filled, strict=True):
        yield (" " * _GAP).join(cells).rstrip().replace(KEPT, " ")


def _header(name: str, room: int) -> list[str]:
    """Break a name into lines that fit its column."""
    lines: list[str] = []
    for word in filter(None, name.split(" ")):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and display_width(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines or [""]


def padded(column: Sequence[str], *, left: bool, width: int = 0) -> list[str]:
    """Return the cells of a column, equally wide."""
    width = max(width, *map(display_width, column))
    blanks = (" " * (width - display_width(cell)) for cell in column)
    pairs = zip(column, blanks, strict=True)
    return [f"{cell}{blank}" if left else f"{blank}{cell}" for cell, blank in pairs]


def display_width(text: str) -> int:
    """Return how many terminal cells a text fills: some letters take two, accents none."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))
