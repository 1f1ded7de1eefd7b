"""How a CSV file is written, told from its first line and never guessed from its rows.

What is guessed can lose rows: an apostrophe taken for a quote swallows every row up to the next
one, and a row whose id begins with # is taken for a comment.
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

# What may part the columns, in the order in which a tie is broken.
_DELIMITERS = (",", ";", "\t", "|")
# Bytes that are looked through at a time.
_PIECE = 1 << 16
# Lines of a packed file that are fetched at a time.
_LINES = 10_000
# What the lines of a packed file are not parted by.
_NOWHERE = "\x1f\x1e"

# All that could be guessed. Line ends are left out: DuckDB takes the first one for all, and gives
# no row at all if it is told another.
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
    """How the lines of a CSV file are to be read.

    Parameters
    ----------
    names
        The columns.
    delimiter
        What parts them.
    skip
        How many blank lines come before the names.
    parallel
        Whether every line end ends a row, so that many threads can find the rows.
    """

    names: tuple[str, ...]
    delimiter: str
    skip: int
    parallel: bool

    @property
    def options(self) -> dict[str, Any]:
        """What DuckDB is told; every column is text."""
        return _PINNED | {
            "columns": dict.fromkeys(self.names, "VARCHAR"),
            "delimiter": self.delimiter,
            "skiprows": self.skip,
            "parallel": self.parallel,
        }


def dialect(connection: duckdb.DuckDBPyConnection, file: str) -> Dialect | None:
    """Return how a file is written; None if there is nothing in it."""
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
    """Read the names of the columns; None if they cannot be parted so."""
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
    """Pass lines on, and note how each one ends."""
    for line in lines:
        end = line[len(line.rstrip("\r\n")) :]
        ends += [end] if end else []
        yield line


def _opened(connection: duckdb.DuckDBPyConnection, file: str) -> Any:
    """Open a file as lines that keep their ends."""
    if file.lower().endswith(".zst"):
        return contextlib.nullcontext(_unpacked(connection, file))
    opened = gzip.open if file.lower().endswith(".gz") else open
    return opened(file, "rt", encoding="utf-8-sig", newline="")


def _unpacked(connection: duckdb.DuckDBPyConnection, file: str) -> Iterator[str]:
    """Return the lines of a packed file, which Python cannot open and DuckDB can."""
    whole = {"columns": {"line": "VARCHAR"}, "delimiter": _NOWHERE, "header": False}
    options = _PINNED | whole | {"quotechar": "", "escapechar": ""}
    connection.read_csv(literal([file]), **options).create_view("lines")  # type: ignore[arg-type]
    connection.execute("FROM lines")
    while lines := connection.fetchmany(_LINES):
        yield from (f"{line or ''}\n" for (line,) in lines)


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Return names that differ, as DuckDB takes no column twice, whatever its case."""
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
    """Return what is in a file, unpacked."""
    if file.lower().endswith(".zst"):
        yield from (line.encode() for line in _unpacked(connection, file))
        return
    opened = gzip.open if file.lower().endswith(".gz") else open
    with opened(file, "rb") as content:
        yield from iter(lambda: content.read(_PIECE), b"")


def literal(files: Iterable[str]) -> list[str]:
    """Return names as DuckDB takes them literally: it looks for patterns and homes in them."""
    return [glob.escape(f"./{file}" if file.startswith("~") else file) for file in files]
