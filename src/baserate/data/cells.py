"""Small codes for the labels of a column, and how often codes of several columns occur together.

For ten million rows of text, objects or numbers that are far apart, `numpy.unique` or a dictionary
takes 2 to 10 times as long as codes of 64-bit words, which are found without sorting in pieces that
fit in the cache.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from baserate.core.observed import count_places

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.data.columns import Column

    Ints: TypeAlias = NDArray[np.int64]
    Words: TypeAlias = NDArray[np.uint64]
    Reader: TypeAlias = Callable[[int, int], Words]  # the words of rows from one to before another

# Large enough to outweigh the calls per piece, small enough to stay in the cache between them.
PIECE = 2**16
# More distinct words than this are left to whoever asks.
MOST_WORDS = 2**10
# How many rows are searched for new words at a time.
_FEW_ROWS = 2**12
# Odd numbers without a pattern: a product's highest bits depend on all bits of a word. For 1,024
# words in this many slots, three factors in five put each word into a slot of its own.
_FACTORS = [np.uint64(pow(0x9E3779B97F4A7C15, power, 2**64)) for power in range(1, 9)]
_SLOT_BITS = 20
_SHIFT = np.uint64(64 - _SLOT_BITS)
_LATIN_LETTERS = 256
# Up to this many cells there is a counter for each of them, however few the rows are.
_FEW_CELLS = 2**16
# Beyond this many, counters take more memory than a table is worth.
_MOST_CELLS = 2**22
# A piece has this many rows per cell, so that adding its counters up costs less than counting.
_ROWS_PER_CELL = 4
# The rows whose cells are sorted at a time, where there are too many cells for counters.
_SORTED = 2**20


class WordCodes(NamedTuple):
    """The code of each row's word, and the first row of each code."""

    codes: NDArray[np.uint16]
    firsts: NDArray[np.intp]


def _coded_words(read: Reader, size: int) -> WordCodes | None:
    """Code the words of this many rows; None if there are too many distinct ones.

    Every word that is looked up is compared with the one that has the slot, so that a new one is
    always noticed.
    """
    codes = np.empty(size, dtype=np.uint16)
    firsts = np.empty(0, dtype=np.intp)
    known, factor = np.zeros(1, dtype=np.uint64), np.uint64(1)
    table = np.zeros(1 << _SLOT_BITS, dtype=np.uint16)
    for start in range(0, size, PIECE):
        piece = read(start, min(start + PIECE, size))
        while True:
            found = table.take(_slots(piece, factor), mode="clip")  # no index is out of range
            unknown = known.take(found, mode="clip") != piece
            if firsts.size and not unknown.any():
                break
            # Sort a few rows, not a whole piece: mostly they have all words.
            rows = np.flatnonzero(unknown)[:_FEW_ROWS] if firsts.size else np.arange(piece.size)
            new, places = np.unique(piece[rows], return_index=True)
            known = np.append(known[: firsts.size], new)
            firsts = np.append(firsts, start + rows[places])
            if known.size > MOST_WORDS:
                return None
            apart = (each for each in _FACTORS if np.unique(_slots(known, each)).size == known.size)
            factor = next(apart, np.uint64(0))
            if not factor:
                return None
            table[_slots(known, factor)] = np.arange(known.size)
        codes[start : start + piece.size] = found
    return WordCodes(codes, firsts)


def _slots(words: Words, factor: np.uint64) -> NDArray[np.intp]:
    return ((words * factor) >> _SHIFT).view(np.intp)


def coded_numbers(column: NDArray[Any]) -> WordCodes | None:
    """Code integers, booleans or floats without nan; None if there are too many distinct ones."""

    def read(start: int, stop: int) -> Words:
        piece = column[start:stop]
        if piece.dtype.kind == "f":
            # 0.0 is added as -0.0 is the same label, with another bit.
            return (piece.astype(np.float64, copy=False) + 0.0).view(np.uint64)
        wide = np.uint64 if piece.dtype.kind == "u" else np.int64
        return np.ascontiguousarray(piece, dtype=wide).view(np.uint64)

    return _coded_words(read, column.size)


def coded_objects(column: NDArray[Any]) -> WordCodes | None:
    """Code objects by their identity; None if there are too many distinct ones.

    Rows that share an object share its code. Equal objects may still have different codes.
    """
    column = np.ascontiguousarray(column)
    addresses = np.ndarray(column.shape, np.uintp, buffer=column).astype(np.uint64, copy=False)
    return _coded_words(lambda start, stop: addresses[start:stop], column.size)


def coded_texts(column: NDArray[Any]) -> WordCodes | None:
    """Code Latin text of fixed width, as numpy stores it; None for other letters, or too many."""
    column = np.ascontiguousarray(column)
    letters = column.view(np.uint32).reshape(column.size, -1)
    if letters.max(initial=0) >= _LATIN_LETTERS:
        return None
    found: WordCodes | None = None
    for first in range(0, letters.shape[1], 8):
        more = _coded_words(_packed(letters[:, first : first + 8]), column.size)
        found = more if found is None or more is None else _joined(found, more)
        if found is None:
            return None
    return found


def _packed(letters: NDArray[np.uint32]) -> Reader:
    """Return a reader of up to eight letters as one word."""

    def read(start: int, stop: int) -> Words:
        packed = np.zeros((stop - start, 8), dtype=np.uint8)
        for place in range(letters.shape[1]):  # a letter at a time: rows are too short for numpy
            packed[:, place] = letters[start:stop, place]
        return packed.view(np.uint64)[:, 0]

    return read


def _joined(first: WordCodes, second: WordCodes) -> WordCodes | None:
    """Code pairs of codes."""
    shift = np.uint64(16)

    def read(start: int, stop: int) -> Words:
        return first.codes[start:stop].astype(np.uint64) << shift | second.codes[start:stop]

    return _coded_words(read, first.codes.size)


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
    if not isinstance(column, np.ndarray):
        return Codes(column.distinct, column.codes)
    if column.dtype.kind == "b":
        return Codes((False, True), column.view(np.uint8))
    if column.dtype.kind in "iu":
        low, high = int(column.min()), int(column.max())
        if low >= 0 and high < 2**8:
            return Codes(range(high + 1), column)  # they are their own codes
        if low < 0 and high - low < 2**8:
            return Codes(range(low, high + 1), np.subtract(column, low, dtype=np.int64))
    found = coded_numbers(column)
    if found is not None:
        return Codes(column[found.firsts].tolist(), found.codes)
    values, codes = np.unique(column, return_inverse=True)
    return Codes(values.tolist(), codes)


def count_cells(
    columns: Sequence[Codes], keys: Sequence[tuple[int, ...]], counts: Ints | None = None
) -> list[Cells]:
    """Count the combinations of the columns at some places, for each key.

    The counts say how often each row was seen, if not once.
    """
    return [_counted([columns[place] for place in key], counts) for key in keys]


def _counted(columns: Sequence[Codes], counts: Ints | None) -> Cells:
    """Count one combination of columns: with a counter per cell, or only of those that occur."""
    widths = tuple(len(each.labels) for each in columns)
    size, space = columns[0].codes.size, math.prod(widths)
    has_counters = space <= max(_FEW_CELLS, min(size, _MOST_CELLS))
    length = max(PIECE, _ROWS_PER_CELL * space) if has_counters else _SORTED
    counters = np.zeros(space if has_counters else 0, dtype=np.int64)
    parts = []
    for start in range(0, size, length):
        part = slice(start, start + length)
        seen = None if counts is None else counts[part]
        # One number for the codes of each row, the first column being the most significant.
        cells = columns[0].codes[part].astype(np.int64)
        for each, width in zip(columns[1:], widths[1:], strict=True):
            cells *= width
            # Codes are small, so that no type of integer loses any.
            np.add(cells, each.codes[part], out=cells, casting="unsafe")
        if has_counters:
            counters += count_places(cells, seen, space)
        else:
            parts.append(merged(cells, seen))
    if has_counters:
        found = np.flatnonzero(counters)
        totals = counters[found]
    else:
        every, some = zip(*parts, strict=True)
        found, totals = merged(np.concatenate(every), np.concatenate(some))
    codes = np.unravel_index(found, widths)
    return Cells(tuple(code.astype(np.int64, copy=False) for code in codes), totals)


def merged(cells: Ints, counts: Ints | None) -> tuple[Ints, Ints]:
    """Return the distinct cells, in order, and the sum of the counts of each."""
    distinct, places = np.unique(cells, return_inverse=True)
    return distinct, count_places(places, counts, distinct.size)
