"""Quotes in a CSV file: whether there are any, and whether the last one is closed.

DuckDB's threads start in the middle of a file, and cannot always tell whether they are inside
quotes. A single thread can, but if the file ends inside quotes it silently drops all rows from
there on.
"""

from __future__ import annotations

import codecs
import re
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_QUOTE = ord('"')
_SPACE = ord(" ")
# The position of quotes that opened in an earlier piece.
_BEFORE = -1


class Quotes(Enum):
    """The state of the quotes in a file."""

    NONE = "none"
    CLOSED = "closed"
    OPEN = "open"


def quotes_of(pieces: Iterable[bytes], delimiter: str) -> Quotes:
    """Return whether a file, given in pieces, has quotes, and whether it ends inside them."""
    opens = f"{delimiter}\r\n".encode()
    found, inside = False, False
    for lines in _whole_lines(pieces):
        if b'"' in lines:
            found, inside = True, _is_inside_after(lines, opens, inside=inside)
    if not found:
        return Quotes.NONE
    return Quotes.OPEN if inside else Quotes.CLOSED


def _whole_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Cut pieces at line ends, never between two quotes; strip the byte order mark."""
    rest, is_first = b"", True
    for piece in pieces:
        rest += piece.removeprefix(codecs.BOM_UTF8) if is_first else piece
        is_first = False
        # A \r at the end may be the first half of a \r\n.
        end = 1 + rest.rfind(b"\n") or 1 + rest.rfind(b"\r", 0, -1)
        if end:
            yield rest[:end]
            rest = rest[end:]
    yield rest


def _is_inside_after(lines: bytes, opens: bytes, *, inside: bool) -> bool:
    """Return whether lines end inside quotes, given whether they begin inside."""
    codes = np.frombuffer(lines, np.uint8)
    places = np.flatnonzero(codes == _QUOTE)
    # If every other quote stands where one may open, or right after another (a pair stands for a
    # literal quote), then quotes open and close in turn.
    opening = places[int(inside) :: 2]
    may_open = np.zeros(256, dtype=bool)
    may_open[[*opens, _QUOTE]] = True
    if may_open[codes[opening[opening > 0] - 1]].all():
        return bool((len(places) + inside) % 2)
    return _opened_at(lines, opens, _BEFORE if inside else None) is not None


def line_of_open_quote(pieces: Iterable[bytes], delimiter: str) -> int:
    """Return the line of the quote that is never closed."""
    opens = f"{delimiter}\r\n".encode()
    line, passed, place = 1, 0, None
    for lines in _whole_lines(pieces):
        place = _opened_at(lines, opens, None if place is None else _BEFORE)
        if place is not None and place != _BEFORE:
            line = passed + 1 + _line_ends(lines[:place])
        passed += _line_ends(lines)
    return line


def _line_ends(lines: bytes) -> int:
    return lines.count(b"\n") or lines.count(b"\r")


def _opened_at(lines: bytes, opens: bytes, opened: int | None) -> int | None:
    """Return where the quotes open that the lines end inside, by reading quote by quote.

    A quote in the middle of a text is literal.
    """
    second = -1
    for match in re.finditer(rb'"', lines):
        place = match.start()
        if place == second:
            continue
        if opened is None:
            opened = place if _may_open(lines, place, opens) else None
        elif lines[place + 1 : place + 2] == b'"':
            second = place + 1
        else:
            opened = None
    return opened


def _may_open(lines: bytes, place: int, opens: bytes) -> bool:
    """Return whether only spaces separate a quote from the start of its field."""
    before = place - 1
    while before >= 0 and lines[before] == _SPACE:
        before -= 1
    return before < 0 or lines[before] in opens
