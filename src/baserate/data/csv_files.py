"""The dialect of a CSV file, read from its header and never guessed from its rows.

A guess can lose rows: an apostrophe taken for a quote swallows every row up to the next one, and
a row whose id begins with # is taken for a comment.
"""

from __future__ import annotations

import contextlib
import csv
import glob
import gzip
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baserate.data.quotes import Quotes, line_of_open_quote, quotes_of
from baserate.exceptions import InvalidFileError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    import duckdb

# The possible delimiters; the first wins a tie.
_DELIMITERS = (",", ";", "\t", "|")
# The number of bytes to look through at a time.
_PIECE = 1 << 16
# The length of a line, in bytes, that no file of predictions has; DuckDB's own limit is the same.
_LONGEST_LINE = 2_000_000
# The most blank lines before the names of the columns.
_MOST_BLANK_LINES = 1_000
# The number of lines of a compressed file to fetch at a time.
_LINES = 10_000
# A delimiter that does not occur in the lines of a compressed file.
_NOWHERE = "\x1f\x1e"

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
    """How to read the lines of a CSV file.

    Parameters
    ----------
    names
        The column names, all different.
    repeated
        The names that several columns have in the file.
    delimiter
        The delimiter of the columns.
    skip
        The number of blank lines before the names.
    parallel
        Whether every line end also ends a row, so that many threads can find the rows.
    """

    names: tuple[str, ...]
    repeated: frozenset[str]
    delimiter: str
    skip: int
    parallel: bool

    @property
    def options(self) -> dict[str, Any]:
        """The options for DuckDB; every column is text."""
        return _PINNED | {
            "columns": dict.fromkeys(self.names, "VARCHAR"),
            "delimiter": self.delimiter,
            "skiprows": self.skip,
            "parallel": self.parallel,
        }


def dialect(connection: duckdb.DuckDBPyConnection, file: str) -> Dialect | None:
    """Return the dialect of a file; None if the file is empty."""
    try:
        headers = _headers(connection, file)
    except UnicodeDecodeError as error:
        raise InvalidFileError(
            f"{file!r} must be written in UTF-8 (got {error.reason}); save it as UTF-8"
        ) from None
    if not headers:
        raise InvalidFileError(
            f"{file!r} must have the names of its columns on line 1 (got a quote that is never "
            "closed, or one that is closed in the middle of a name)"
        )
    header = max(headers, key=lambda header: len(header.names))  # the first of several
    if not header.names:
        return None
    if len(header.ends) > 1:  # DuckDB would take the first one for the end of every line
        raise InvalidFileError(
            f"the lines of {file!r} must all end alike (got other line ends in line 1 or before "
            "it); save it with one kind of line end, and without line breaks in names"
        )
    quotes = quotes_of(pieces(connection, file), header.delimiter)
    if quotes is Quotes.OPEN:
        line = line_of_open_quote(pieces(connection, file), header.delimiter)
        raise InvalidFileError(
            f'{file!r} must close every quote (got a " on line {line:,} that is never closed)'
        )
    names, repeated = distinct(header.names)
    parallel = quotes is Quotes.NONE
    return Dialect(names, repeated, header.delimiter, header.skip, parallel)


@dataclass(frozen=True)
class _Header:
    names: list[str]
    delimiter: str
    skip: int
    ends: set[str]


def _candidates(file: str) -> tuple[str, ...]:
    return ("\t",) if ".tsv" in Path(file.lower()).suffixes else _DELIMITERS


def _headers(connection: duckdb.DuckDBPyConnection, file: str) -> list[_Header]:
    """Read the column names with every delimiter that works."""
    with contextlib.closing(_lines(connection, file)) as lines:
        skip, ends, first = 0, set(), ""
        for first in lines:
            if _end(first) != first:
                break
            skip += 1
            ends.add(first)
            if skip > _MOST_BLANK_LINES:
                raise InvalidFileError(
                    f"{file!r} must have the names of its columns on line 1 (got more than "
                    f"{_MOST_BLANK_LINES:,} blank lines)"
                )
        headers, seen = [], [first]
        for delimiter in _candidates(file):
            reader = csv.reader(
                _again(seen, lines), delimiter=delimiter, skipinitialspace=True, strict=True
            )
            with contextlib.suppress(csv.Error):
                names = next(reader, [])
                found = ends | {_end(line) for line in seen[: reader.line_num]} - {""}
                headers.append(_Header(names, delimiter, skip, found))
    return headers


def _end(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def _again(seen: list[str], lines: Iterable[str]) -> Iterator[str]:
    """Return the lines that were seen before, then more lines, which are remembered."""
    yield from seen
    for line in lines:
        seen.append(line)
        yield line


def _lines(connection: duckdb.DuckDBPyConnection, file: str) -> Generator[str]:
    """Return the lines of a file with their line ends, or raise at one that is too long."""
    if file.lower().endswith(".zst"):
        yield from _unpacked(connection, file)
        return
    opened = gzip.open if file.lower().endswith(".gz") else open
    with opened(file, "rt", encoding="utf-8-sig", newline="") as unpacked:
        lines = iter(lambda: unpacked.readline(_LONGEST_LINE + 1), "")
        for number, line in enumerate(lines, 1):
            if len(line) > _LONGEST_LINE:
                raise _too_long(file, number)
            yield line


def _unpacked(connection: duckdb.DuckDBPyConnection, file: str) -> Iterator[str]:
    """Return the lines of a compressed file that DuckDB can open and Python cannot."""
    whole = {"columns": {"line": "VARCHAR"}, "delimiter": _NOWHERE, "header": False}
    options = _PINNED | whole | {"quotechar": "", "escapechar": ""}
    # The reading may end early, and a connection has one unfinished result at most.
    with connection.cursor() as cursor:
        cursor.read_csv(literal([file]), **options).create_view("lines")  # type: ignore[arg-type]
        cursor.execute("FROM lines")
        while lines := cursor.fetchmany(_LINES):
            yield from (f"{line or ''}\n" for (line,) in lines)


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


def pieces(connection: duckdb.DuckDBPyConnection, file: str) -> Iterator[bytes]:
    """Return the content of a file, uncompressed, or raise at a line that is too long."""
    length = 0
    for number, piece in enumerate(content(connection, file)):
        end = 1 + piece.rfind(b"\n") or 1 + piece.rfind(b"\r")
        length = len(piece) - end + (0 if end else length)
        if length > _LONGEST_LINE:
            raise _too_long(file, _line_after(islice(content(connection, file), number)))
        yield piece


def content(connection: duckdb.DuckDBPyConnection, file: str) -> Iterator[bytes]:
    """Return the content of a file, uncompressed; a wrong checksum is an error."""
    if file.lower().endswith(".zst"):
        yield from (line.encode() for line in _unpacked(connection, file))
        return
    opened = gzip.open if file.lower().endswith(".gz") else open
    with opened(file, "rb") as unpacked:
        yield from iter(lambda: unpacked.read(_PIECE), b"")


def _line_after(pieces: Iterable[bytes]) -> int:
    """Return the number of the line in which some pieces end."""
    feeds = returns = 0
    for piece in pieces:
        feeds += piece.count(b"\n")
        returns += piece.count(b"\r")
    return 1 + (feeds or returns)


def _too_long(file: str, line: int) -> InvalidFileError:
    return InvalidFileError(
        f"the lines of {file!r} must have at most {_LONGEST_LINE // 10**6} MB (got more in line "
        f"{line:,}); leave out columns that are not needed"
    )


def literal(files: Iterable[str]) -> list[str]:
    """Return file names that DuckDB takes literally: it expands patterns and ~ in them."""
    return [glob.escape(f"./{file}" if file.startswith("~") else file) for file in files]
