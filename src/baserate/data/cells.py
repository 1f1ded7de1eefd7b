"""How often codes of several columns occur together: one read of each column."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.data.weights import count_places
from baserate.data.words import PIECE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.data.coding import Coded

    Ints = NDArray[np.int64]

# Up to this many cells there is a counter for each of them, however few the rows are.
_FEW_CELLS = 2**16
# Beyond this many, counters take more memory than a table is worth.
_MOST_CELLS = 2**22
# A piece has this many rows per cell, so that adding its counters up costs less than counting.
_ROWS_PER_CELL = 4
# The rows whose cells are sorted at a time, where there are too many cells for counters.
_SORTED = 2**20


class Cells(NamedTuple):
    """The combinations of codes that occur, in order, and how often.

    Parameters
    ----------
    codes
        The code of each combination in each column.
    counts
        How often each combination occurs.
    """

    codes: tuple[Ints, ...]
    counts: Ints


def count_cells(
    columns: Sequence[Coded], keys: Sequence[tuple[int, ...]], counts: Ints | None = None
) -> list[Cells] | None:
    """Count the combinations of some columns; None if a label is outside the known span.

    Parameters
    ----------
    columns
        Equally long columns.
    keys
        The places of the columns to combine, for each of several counts.
    counts
        How often each row was seen; None if once.
    """
    size = columns[0].size
    tallies = [_Tally(tuple(len(columns[place].labels) for place in key), size) for key in keys]
    longest = max(tally.length for tally in tallies)
    buffer = np.empty(min(longest, size), dtype=np.int64)
    for start in range(0, size, longest):
        pieces = [column.read(start, min(start + longest, size)) for column in columns]
        for key, tally in zip(keys, tallies, strict=True):
            combined = _combined([pieces[place] for place in key], tally.widths, buffer)
            if combined is None:
                return None
            tally.add(combined, None if counts is None else counts[start : start + longest])
    return [tally.cells() for tally in tallies]


def _combined(
    pieces: Sequence[NDArray[Any] | None], widths: Sequence[int], buffer: Ints
) -> NDArray[Any] | None:
    """Return one number for the codes of each row, the first column being the most significant."""
    cells, *others = pieces
    for piece, width in zip(others, widths[1:], strict=True):
        if cells is None or piece is None:
            return None
        out = buffer[: piece.size]
        # Codes are small, so that no type of integer loses any.
        np.multiply(cells, width, out=out, dtype=np.int64, casting="unsafe")
        cells = np.add(out, piece, out=out, dtype=np.int64, casting="unsafe")
    return cells


class _Tally:
    """The counts of one combination of columns: a counter per cell, or only of those that occur."""

    def __init__(self, widths: tuple[int, ...], rows: int) -> None:
        self.widths = widths
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

    def add(self, cells: NDArray[Any], seen: Ints | None) -> None:
        """Count the cells of some rows, each as often as it was seen."""
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
        codes = np.unravel_index(found, self.widths)
        return Cells(tuple(code.astype(np.int64, copy=False) for code in codes), counts)


def merged(cells: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Return the distinct cells, in order, and the sum of the counts of each."""
    distinct, places = np.unique(cells, return_inverse=True)
    totals = np.zeros(distinct.size, dtype=np.int64)
    np.add.at(totals, places, counts)
    return distinct, totals
