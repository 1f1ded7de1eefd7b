"""Align columns of text for a terminal."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WIDTH = 100
KEPT = "\0"
"""A blank at which no line is broken."""
_GAP = 2


def wrapped(sentence: str) -> str:
    """Break a sentence into lines, but not inside of its p-value."""
    return folded(re.sub(r"(?<=[( ]p) ([=<≈]) ", rf"{KEPT}\1{KEPT}", sentence), indent="  ")


def folded(text: str, indent: str = "") -> str:
    """Break a text into lines that fit, none of them at a kept blank."""
    lines = textwrap.wrap(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
    return "\n".join(lines).replace(KEPT, " ")


def aligned(fixed: Sequence[Sequence[str]], others: Sequence[Sequence[str]]) -> Iterator[str]:
    """Return the lines of columns, which continue below if a line is full.

    Parameters
    ----------
    fixed
        The columns to repeat, each with its header first. The first is aligned left.
    others
        The other columns.
    """
    rest: Sequence[Sequence[str]] = others
    while rest:
        taken = _fitting(fixed, rest)
        yield from _block([*fixed, *rest[:taken]])
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
    used = sum(map(_width, fixed))
    for taken, column in enumerate(others):
        used += _width(column)
        if used > WIDTH + _GAP and taken:
            return taken
    return len(others)


def _width(column: Sequence[str]) -> int:
    """Return the width of a column with the gap before it; a header may be broken into words."""
    words = [f"{word}{_marks(column[0])}" for word in column[0].split(" ")]
    return max(map(display_width, (*words, *column[1:]))) + _GAP


def _marks(name: str) -> str:
    """Return the blanks at the end of a header, below which marks stand."""
    return " " * (len(name) - len(name.rstrip(" ")))


def _block(columns: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [_width(column) for column in columns]
    headers = [_header(column[0], width) for column, width in zip(columns, widths, strict=True)]
    depth = max(map(len, headers))
    padded = [[""] * (depth - len(header)) + header for header in headers]
    for cells in zip(*padded, strict=True):
        yield _line(cells, widths).replace(KEPT, " ")
    for cells in zip(*(column[1:] for column in columns), strict=True):
        yield _line(cells, widths)


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


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = zip(cells, widths, strict=True)
    padded = [_pad(first[0], first[1] - _GAP, left=True), *(_pad(*each) for each in rest)]
    return "".join(padded).rstrip()


def _pad(cell: str, width: int, *, left: bool = False) -> str:
    blanks = " " * (width - display_width(cell))
    return f"{cell}{blanks}" if left else f"{blanks}{cell}"


def display_width(text: str) -> int:
    """Return how many terminal cells a text fills: some letters take two, accents none."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))
