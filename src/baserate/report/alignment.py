"""Align columns of text for a terminal."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WIDTH = 80
KEPT = "\0"
"""A blank at which no line is broken."""
_GAP = 2


def folded(text: str, indent: str = "") -> str:
    """Break a text into lines that fit, but not inside of a p-value."""
    kept = re.sub(r"(?<=[( ]p) ([=<≈]) ", rf"{KEPT}\1{KEPT}", text)
    lines = textwrap.wrap(
        kept, WIDTH, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )
    return "\n".join(lines).replace(KEPT, " ")


def shortened(text: str, width: int) -> str:
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
        places = {0, *(each - start for each in left if each > 0)}
        yield from _block([*fixed, *rest[:taken]], places)
        rest = rest[taken:]
        if rest:
            yield ""
            fixed, rest = _without_gaps(fixed, rest)


def _without_gaps(
    fixed: Sequence[Sequence[str]], rest: Sequence[Sequence[str]]
) -> tuple[list[list[str]], list[list[str]]]:
    """Return columns that continue below, without the rows that are empty there."""
    kept = [place for place, cells in enumerate(zip(*rest, strict=True)) if not place or any(cells)]
    first, second = (
        [[column[place] for place in kept] for column in part] for part in (fixed, rest)
    )
    return first, second


def _fitting(fixed: Sequence[Sequence[str]], others: Sequence[Sequence[str]]) -> int:
    used = sum(map(width, fixed))
    for taken, column in enumerate(others):
        used += width(column)
        if used > WIDTH + _GAP and taken:
            return taken
    return len(others)


def width(column: Sequence[str]) -> int:
    """Return the width of a column with the gap before it; a header may be broken into words."""
    words = [f"{word}{_marks(column[0])}" for word in column[0].split(" ")]
    return max(map(display_width, (*words, *column[1:]))) + _GAP


def _marks(name: str) -> str:
    """Return the blanks at the end of a header, below which marks stand."""
    return " " * (len(name) - len(name.rstrip(" ")))


def _block(columns: Sequence[Sequence[str]], left: set[int]) -> Iterator[str]:
    widths = [width(column) for column in columns]
    headers = [_header(column[0], width) for column, width in zip(columns, widths, strict=True)]
    depth = max(map(len, headers))
    padded = [[""] * (depth - len(header)) + header for header in headers]
    for cells in zip(*padded, strict=True):
        yield _line(cells, widths, left).replace(KEPT, " ")
    for cells in zip(*(column[1:] for column in columns), strict=True):
        yield _line(cells, widths, left)


def _header(name: str, width: int) -> list[str]:
    """Break a name into lines that fit its column; a mark after the numbers stays free."""
    marks = _marks(name)
    room = width - _GAP - len(marks)
    lines: list[str] = []
    for word in filter(None, name.split(" ")):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and display_width(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return [f"{line}{marks}" for line in lines] or [""]


def _line(cells: Sequence[str], widths: Sequence[int], left: set[int]) -> str:
    padded = []
    for place, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        gap = " " * _GAP if place else ""
        padded.append(gap + _pad(cell, width - _GAP, left=place in left))
    return "".join(padded).rstrip()


def _pad(cell: str, width: int, *, left: bool = False) -> str:
    blanks = " " * (width - display_width(cell))
    return f"{cell}{blanks}" if left else f"{blanks}{cell}"


def display_width(text: str) -> int:
    """Return how many terminal cells a text fills: some letters take two, accents none."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))
