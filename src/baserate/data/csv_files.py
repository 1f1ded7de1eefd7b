"""The dialect of a CSV file, read from its header and never guessed from its rows.

A guess can lose rows: an apostrophe taken for a quote swallows every row up to the next one, and
a row whose id begins with # is taken for a comment.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import gzip
import io
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.exceptions import InvalidFileError, MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# The possible delimiters; the first wins a tie.
_DELIMITERS = (",", ";", "\t", "|")
# The number of bytes to look through at a time.
_PIECE = 1 << 16
# The length of a line, in bytes, that no file of predictions has; DuckDB's own limit is the same.
_LONGEST_LINE = 2_000_000
# The most blank lines before the names of the columns.
_MOST_BLANK_LINES = 1_000
# The most lines that the names of the columns take, after the first.
_MOST_NAME_LINES = 100
# The position of quotes that opened in an earlier piece.
_BEFORE = -1

# Every option that DuckDB could guess, except line ends: it applies the first one to all lines,
# and returns no rows if told otherwise.
_PINNED: dict[str, Any] = {
    "auto_detect": False,
    "header": True,
    "quotechar": '"',
    "escapechar": '"',
    "comment": "",
    "strict_mode": True,
    "ignore_errors": False,
    "null_padding": False,
}


@dataclass(frozen=True)
class Dialect:
    """How to read the lines of a CSV file."""

    names: tuple[str, ...]  # the column names, all different
    repeated: frozenset[str]  # the names that several columns have in the file
    delimiter: str  # the delimiter of the columns
    skip: int  # the number of blank lines before the names
    parallel: bool  # whether every line end also ends a row, so that many threads can find the rows

    @property
    def options(self) -> dict[str, Any]:
        """The options for DuckDB; every column is text."""
        return _PINNED | {
            "columns": dict.fromkeys(self.names, "VARCHAR"),
            "delimiter": self.delimiter,
            "skiprows": self.skip,
            "parallel": self.parallel,
        }


def dialect(file: str) -> Dialect | None:
    """Return the dialect of a file; None if the file is empty."""
    try:
        skip, headers = _headers(file)
    except UnicodeDecodeError as error:
        raise InvalidFileError(
            f"{file!r} must be written in UTF-8 (got {error.reason}); save it as UTF-8"
        ) from None
    if not headers:
        raise InvalidFileError(
            f"{file!r} must have the names of its columns on line 1 (got a quote that is never "
            "closed, or one that is closed in the middle of a name)"
        )
    names, delimiter, ends = max(headers, key=lambda header: len(header[0]))  # the first of several
    if not names:
        return None
    if len(ends) > 1:  # DuckDB would take the first one for the end of every line
        raise InvalidFileError(
            f"the lines of {file!r} must all end alike (got other line ends in line 1 or before "
            "it); save it with one kind of line end, and without line breaks in names"
        )
    has_quotes, line = open_quote(pieces(file), delimiter)
    if line:
        raise InvalidFileError(
            f'{file!r} must close every quote (got a " on line {line:,} that is never closed)'
        )
    return Dialect(*distinct(names), delimiter, skip, parallel=not has_quotes)


def _headers(file: str) -> tuple[int, list[tuple[list[str], str, set[str]]]]:
    """Read the column names with every delimiter that works.

    Return how many blank lines are above them, and for each delimiter the names, the delimiter and
    the line ends up to there.
    """
    candidates = ("\t",) if ".tsv" in Path(file.lower()).suffixes else _DELIMITERS
    with io.TextIOWrapper(opened(file), encoding="utf-8-sig", newline="") as text:
        lines, every = [], _lines(file, text)
        for line in islice(every, _MOST_BLANK_LINES + 1):
            lines.append(line)
            if _end(line) != line:
                break
        lines += islice(every, _MOST_NAME_LINES)
    skip = next((place for place, line in enumerate(lines) if _end(line) != line), len(lines))
    if skip > _MOST_BLANK_LINES:
        raise InvalidFileError(
            f"{file!r} must have the names of its columns on line 1 (got more than "
            f"{_MOST_BLANK_LINES:,} blank lines)"
        )
    headers = []
    for delimiter in candidates:
        reader = csv.reader(lines[skip:], delimiter=delimiter, skipinitialspace=True, strict=True)
        with contextlib.suppress(csv.Error):
            names = next(reader, [])
            ends = {_end(line) for line in lines[: skip + reader.line_num]} - {""}
            headers.append((names, delimiter, ends))
    return skip, headers


def _end(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def _lines(file: str, text: io.TextIOWrapper) -> Iterator[str]:
    """Return the lines of a file with their line ends, or raise at one that is too long."""
    for number, line in enumerate(iter(lambda: text.readline(_LONGEST_LINE + 1), ""), 1):
        if len(line) > _LONGEST_LINE:
            raise _too_long(file, number)
        yield line


def distinct(names: Iterable[str]) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return unique names, and those that had to be changed.

    DuckDB rejects duplicate columns, ignoring case.
    """
    found: dict[str, str] = {}
    repeats: Counter[str] = Counter()
    repeated = set()
    for place, name in enumerate(names):
        unique = plain = name.strip(" \t") or f"column{place}"
        while unique.casefold() in found:
            repeated.add(plain)
            repeats[plain.casefold()] += 1
            unique = f"{plain}_{repeats[plain.casefold()]}"
        found[unique.casefold()] = unique
    return tuple(found.values()), frozenset(repeated)


# The content of a file.


def opened(file: str) -> Any:
    """Open a file for reading its bytes, uncompressed."""
    if file.lower().endswith(".zst"):
        try:
            import pyarrow as pa
        except ModuleNotFoundError:
            raise MissingDependencyError.package("pyarrow", "a .zst file") from None
        return pa.input_stream(file, compression="zstd")
    return gzip.open(file) if file.lower().endswith(".gz") else Path(file).open("rb")


def content(file: str) -> Iterator[bytes]:
    """Return the content of a file, uncompressed; a wrong checksum or a lost end is an error."""
    with opened(file) as unpacked:
        yield from iter(lambda: unpacked.read(_PIECE), b"")


def pieces(file: str) -> Iterator[bytes]:
    """Return the content of a file, uncompressed, or raise at a line that is too long."""
    length = feeds = returns = 0
    for piece in content(file):
        end = 1 + piece.rfind(b"\n") or 1 + piece.rfind(b"\r")
        length = len(piece) - end + (0 if end else length)
        if length > _LONGEST_LINE:
            raise _too_long(file, 1 + (feeds or returns))
        feeds += piece.count(b"\n")
        returns += piece.count(b"\r")
        yield piece


def _too_long(file: str, line: int) -> InvalidFileError:
    return InvalidFileError(
        f"the lines of {file!r} must have at most {_LONGEST_LINE // 10**6} MB (got more in line "
        f"{line:,}); leave out columns that are not needed"
    )


def _line_ends(lines: bytes) -> int:
    return lines.count(b"\n") or lines.count(b"\r")


# Quotes. DuckDB's threads start in the middle of a file, and cannot always tell whether they are
# inside quotes. A single thread can, but if the file ends inside quotes it silently drops all rows
# from there on.


def open_quote(pieces: Iterable[bytes], delimiter: str) -> tuple[bool, int]:
    """Return whether a file has quotes, and the line of one that is never closed; 0 if all are."""
    opens = f"{delimiter}\r\n".encode()
    has_quotes, line, passed, place = False, 0, 0, None
    for lines in _whole_lines(pieces):
        if b'"' in lines:
            has_quotes = True
            place = _opened_at(lines, opens, None if place is None else _BEFORE)
            if place is None:
                line = 0
            elif place != _BEFORE:
                line = passed + 1 + _line_ends(lines[:place])
        passed += _line_ends(lines)
    return has_quotes, line


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


def _opened_at(lines: bytes, opens: bytes, place: int | None) -> int | None:
    """Return where the quotes open that the lines end inside; None if they end outside.

    A quote opens if only spaces are between it and the start of its field; in the middle of a text
    it is literal.
    """
    codes = np.frombuffer(lines, np.uint8)
    places = np.flatnonzero(codes == ord('"'))
    is_inside = place is not None
    # If every other quote stands where one may open, or right after another (a pair stands for a
    # literal quote), then quotes open and close in turn.
    opening = places[int(is_inside) :: 2]
    before = np.where(opening > 0, codes[opening - 1], ord("\n"))
    if np.isin(before, [*opens, ord('"')]).all():
        if (len(places) + is_inside) % 2 == 0:
            return None
        first = opening[before != ord('"')]
        return int(first[-1]) if first.size else place
    second = -1
    for at in places.tolist():
        if at == second:
            continue
        if place is None:
            start = at - 1
            while start >= 0 and lines[start] == ord(" "):
                start -= 1
            place = at if start < 0 or lines[start] in opens else None
        elif lines[at + 1 : at + 2] == b'"':
            second = at + 1
        else:
            place = None
    return place
