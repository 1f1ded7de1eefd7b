"""How often labels of several columns occur together: small codes, counted in one read of each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.data.columns import Values
from baserate.data.weights import count_places
from baserate.data.words import PIECE, coded_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.data.columns import Column

    Ints = NDArray[np.int64]

# Up to this many cells there is a counter for each of them, however few the rows are.
_FEW_CELLS = 2**16
# Beyond this many, counters take more memory than a table is worth.
_MOST_CELLS = 2**22
# A piece has this many rows per cell, so that adding its counters up costs less than counting.
_ROWS_PER_CELL = 4
# The rows whose cells are sorted at a time, where there are too many cells for counters.
_SORTED = 2**20


class Codes(NamedTuple):
    """The label of each code, whether or not it occurs, and the code of each row."""

    labels: Sequence[Any]
    codes: NDArray[Any]


class Cells(NamedTuple):
    """The combinations of codes that occur, in order, and how often."""

    codes: tuple[Ints, ...]  # the code of each combination in each column
    counts: Ints  # how often each combination occurs


def coded(column: Column) -> Codes:
    """Return the codes of a column without missing labels."""
    if isinstance(column, Values):
        return Codes(column.distinct, column.codes)
    if column.dtype.kind == "b":
        return Codes((False, True), column.view(np.uint8))
    near = _near_codes(column)
    if near is not None:
        return near
    found = coded_numbers(column)
    if found is not None:
        return Codes(column[found.firsts].tolist(), found.codes)
    values, codes = np.unique(column, return_inverse=True)
    return Codes(values.tolist(), codes)


def _near_codes(column: NDArray[Any]) -> Codes | None:
    """Return codes of numbers that are steps of 1 apart and fit in a byte; None for others."""
    pieces = [slice(start, start + PIECE) for start in range(0, column.size, PIECE)]
    ends = [(column[piece].min(), column[piece].max()) for piece in pieces]
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    if not high.item() - low.item() < 2**8:  # nor are infinite labels nan apart
        return None
    if column.dtype.kind != "f" and low >= 0 and high < 2**8:  # they are their own codes
        return Codes(range(int(high) + 1), column)
    codes = np.empty(column.size, dtype=np.uint8)
    for piece in pieces:
        np.subtract(column[piece], low, out=codes[piece], casting="unsafe")
        if column.dtype.kind == "f" and (codes[piece] + low != column[piece]).any():
            return None
    return Codes([low.item() + step for step in range(int(high.item() - low.item()) + 1)], codes)


def count_cells(
    columns: Sequence[Codes], keys: Sequence[tuple[int, ...]], counts: Ints | None = None
) -> list[Cells]:
    """Count the combinations of some columns.

    Parameters
    ----------
    columns
        Equally long columns.
    keys
        The places of the columns to combine, for each of several counts.
    counts
        How often each row was seen; None if once.
    """
    size = columns[0].codes.size
    tallies = [_Tally(tuple(len(columns[place].labels) for place in key), size) for key in keys]
    longest = max(tally.length for tally in tallies)
    buffer = np.empty(min(longest, size), dtype=np.int64)
    for start in range(0, size, longest):
        part = slice(start, start + longest)
        seen = None if counts is None else counts[part]
        for key, tally in zip(keys, tallies, strict=True):
            tally.add([columns[place].codes[part] for place in key], seen, buffer)
    return [tally.cells() for tally in tallies]


class _Tally:
    """The counts of one combination of columns: a counter per cell, or only of those that occur."""

    def __init__(self, widths: tuple[int, ...], rows: int) -> None:
        self._widths = widths
        space = math.prod(widths)
        has_counters = space <= max(_FEW_CELLS, min(rows, _MOST_CELLS))
        self._counters = np.zeros(space, dtype=np.int64) if has_counters else None
        self._found: list[tuple[Ints, Ints]] = []

    @property
    def length(self) -> int:
        """How many rows to add at a time."""
        if self._counters is None:
            return _SORTED
        return max(PIECE, _ROWS_PER_CELL * self._counters.size)

    def add(self, pieces: Sequence[NDArray[Any]], seen: Ints | None, buffer: Ints) -> None:
        """Count the cells of some rows, each as often as it was seen."""
        # One number for the codes of each row, the first column being the most significant.
        cells, *others = pieces
        for piece, width in zip(others, self._widths[1:], strict=True):
            out = buffer[: piece.size]
            # Codes are small, so that no type of integer loses any.
            np.multiply(cells, width, out=out, dtype=np.int64, casting="unsafe")
            cells = np.add(out, piece, out=out, dtype=np.int64, casting="unsafe")
        if self._counters is not None:
            self._counters += count_places(cells, seen, self._counters.size)
        elif seen is not None:
            self._found.append(merged(cells, seen))
        else:
            found, counts = np.unique(cells, return_counts=True)
            self._found.append((found, counts))

    def cells(self) -> Cells:
        """Return the cells that occur."""
        if self._counters is None:
            every, some = zip(*self._found, strict=True)
            found, counts = merged(np.concatenate(every), np.concatenate(some))
        else:
            found = np.flatnonzero(self._counters)
            counts = self._counters[found]
        codes = np.unravel_index(found, self._widths)
        return Cells(tuple(code.astype(np.int64, copy=False) for code in codes), counts)


def merged(cells: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Return the distinct cells, in order, and the sum of the counts of each."""
    distinct, places = np.unique(cells, return_inverse=True)
    return distinct, count_places(places, counts, distinct.size)
