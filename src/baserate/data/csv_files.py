"""The dialect of a CSV file, read from its header and never guessed from its rows.

A guess can lose rows: an apostrophe taken for a quote swallows every row up to the next one, and
a row whose id begins with # is taken for a comment.
"""

from __future__ import annotations

import contextlib
import csv
import glob
import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baserate.data.quotes import Quotes, line_of_open_quote, quotes_of
from baserate.exceptions import InvalidFileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import duckdb

# The possible delimiters; the first wins a tie.
_DELIMITERS = (",", ";", "\t", "|")
# The number of bytes to look through at a time.
_PIECE = 1 << 16
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
        The column names.
    delimiter
        The delimiter of the columns.
    skip
        The number of blank lines before the names.
    parallel
        Whether every line end also ends a row, so that many threads can find the rows.
    """

    names: tuple[str, ...]
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
        found = [_header(connection, file, each) for each in _candidates(file)]
    except UnicodeDecodeError as error:
        raise InvalidFileError(
            f"{file!r} must be written in UTF-8 (got {error.reason}); save it as UTF-8"
        ) from None
    headers = [header for header in found if header is not None]
    if not headers:
        raise InvalidFileError(
            f"{file!r} must have the names of its columns on line 1 (got a quote that is never "
            "closed, or one that is closed in the middle of a name)"
        )
    header = max(headers, key=lambda header: len(header.names))  # the first of several
    if not header.names:
        return None
    if len(set(header.ends)) > 1:  # DuckDB would take the first one for the end of every line
        raise InvalidFileError(
            f"the lines of {file!r} must all end alike (got other line ends in line 1 or before "
            "it); save it with one kind of line end, and without line breaks in names"
        )
    quotes = quotes_of(_pieces(connection, file), header.delimiter)
    if quotes is Quotes.OPEN:
        line = line_of_open_quote(_pieces(connection, file), header.delimiter)
        raise InvalidFileError(
            f'{file!r} must close every quote (got a " on line {line:,} that is never closed)'
        )
    parallel = quotes is Quotes.NONE
    return Dialect(_distinct(header.names), header.delimiter, header.skip, parallel)


@dataclass(frozen=True)
class _Header:
    names: list[str]
    delimiter: str
    skip: int
    ends: list[str]


def _candidates(file: str) -> tuple[str, ...]:
    return ("\t",) if ".tsv" in Path(file.lower()).suffixes else _DELIMITERS


def _header(connection: duckdb.DuckDBPyConnection, file: str, delimiter: str) -> _Header | None:
    """Read the column names; None if this delimiter does not work."""
    ends: list[str] = []
    with _opened(connection, file) as lines:
        reader = csv.reader(
            _noted(lines, ends), delimiter=delimiter, skipinitialspace=True, strict=True
        )
        try:
            skip, names = next(
                ((place, names) for place, names in enumerate(reader) if names), (0, [])
            )
        except csv.Error:
            return None
    return _Header(names, delimiter, skip, ends)


def _noted(lines: Iterable[str], ends: list[str]) -> Iterator[str]:
    """Pass lines on, and record how each one ends."""
    for line in lines:
        end = line[len(line.rstrip("\r\n")) :]
        ends += [end] if end else []
        yield line


def _opened(connection: duckdb.DuckDBPyConnection, file: str) -> Any:
    """Open a file as lines that keep their line ends."""
    if file.lower().endswith(".zst"):
        return contextlib.nullcontext(_unpacked(connection, file))
    opened = gzip.open if file.lower().endswith(".gz") else open
    return opened(file, "rt", encoding="utf-8-sig", newline="")


def _unpacked(connection: duckdb.DuckDBPyConnection, file: str) -> Iterator[str]:
    """Return the lines of a compressed file that DuckDB can open and Python cannot."""
    whole = {"columns": {"line": "VARCHAR"}, "delimiter": _NOWHERE, "header": False}
    options = _PINNED | whole | {"quotechar": "", "escapechar": ""}
    connection.read_csv(literal([file]), **options).create_view("lines")  # type: ignore[arg-type]
    connection.execute("FROM lines")
    while lines := connection.fetchmany(_LINES):
        yield from (f"{line or ''}\n" for (line,) in lines)


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Return unique names: DuckDB rejects duplicate columns, ignoring case."""
    found: dict[str, str] = {}
    for place, name in enumerate(names):
        plain = name.strip(" \t") or f"column{place}"
        number, unique = 0, plain
        while unique.casefold() in found:
            number += 1
            unique = f"{plain}_{number}"
        found[unique.casefold()] = unique
    return tuple(found.values())


def _pieces(connection: duckdb.DuckDBPyConnection, file: str) -> Iterator[bytes]:
    """Return the content of a file, uncompressed."""
    if file.lower().endswith(".zst"):
        yield from (line.encode() for line in _unpacked(connection, file))
        return
    opened = gzip.open if file.lower().endswith(".gz") else open
    with opened(file, "rb") as content:
        yield from iter(lambda: content.read(_PIECE), b"")


def literal(files: Iterable[str]) -> list[str]:
    """Return file names that DuckDB takes literally: it expands patterns and ~ in them."""
    return [glob.escape(f"./{file}" if file.startswith("~") else file) for file in files]
