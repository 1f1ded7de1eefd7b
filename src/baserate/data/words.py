"""Give each distinct 64-bit word a small code, without sorting, in pieces that fit in the cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Words: TypeAlias = NDArray[np.uint64]
    Reader: TypeAlias = Callable[[int, int], Words]

# Large enough to outweigh the calls per piece, small enough to stay in the cache between them.
PIECE = 2**16
# More distinct words than this are left to whoever asks.
MOST_WORDS = 2**13
# How many rows are searched for new words at a time; more as more are known.
_FEW_ROWS = 2**9
# Odd numbers without a pattern: a product's highest bits depend on all bits of a word.
_FACTORS = (
    0x9E3779B97F4A7C15,
    0xC2B2AE3D27D4EB4F,
    0xD6E8FEB86659FD93,
    0xA0761D6478BD642F,
    0xE7037ED1A0B428DB,
    0x8EBC6AF09C88C6E3,
    0x589965CC75374CC3,
    0x1D8E4E27C47D124F,
)
_MOST_BITS = 24
# Latin letters have one byte each; any other letter has at most 21 bits.
_LATIN = 256
_BITS_OF_LETTER = 21


class WordCodes(NamedTuple):
    """The code of each row's word, and the first row of each code."""

    codes: NDArray[np.uint16]
    firsts: NDArray[np.intp]


def coded_words(read: Reader, size: int) -> WordCodes | None:
    """Code the words of some rows; None if there are too many distinct ones.

    Parameters
    ----------
    read
        A function that returns the words of the rows from a first one to the one before a last one.
    size
        The number of rows.
    """
    codes = np.empty(size, dtype=np.uint16)
    table = _Table()
    for start in range(0, size, PIECE):
        stop = min(start + PIECE, size)
        found = table.coded(read(start, stop), start)
        if found is None:
            return None
        codes[start:stop] = found
    return WordCodes(codes, table.firsts)


class _Table:
    """A table without collisions, from the highest bits of a product to the code of a word.

    Each answer is checked against the word itself, so that an unknown word is always noticed.
    """

    def __init__(self) -> None:
        self.firsts = np.empty(0, dtype=np.intp)
        self._words: Words = np.empty(0, dtype=np.uint64)
        self._codes: NDArray[np.intp] = np.zeros(2, dtype=np.intp)
        self._factor = np.uint64(1)
        self._shift = np.uint64(63)
        self._slots: Words = np.empty(PIECE, dtype=np.uint64)
        self._known: Words = np.empty(PIECE, dtype=np.uint64)
        self._found = np.empty(PIECE, dtype=np.intp)

    def coded(self, words: Words, start: int) -> NDArray[np.intp] | None:
        """Return the codes of a piece, or None if the table would be too large."""
        if not self._words.size and not self._learn(words, start, np.arange(words.size)):
            return None
        while True:
            slots, known = self._slots[: words.size], self._known[: words.size]
            np.multiply(words, self._factor, out=slots)
            np.right_shift(slots, self._shift, out=slots)
            # No index is out of range; with this mode numpy writes to `out` directly.
            found = self._codes.take(
                slots.view(np.intp), out=self._found[: words.size], mode="clip"
            )
            unknown = np.not_equal(self._words.take(found, out=known, mode="clip"), words)
            if not unknown.any():
                return found
            if not self._learn(words, start, np.flatnonzero(unknown)):
                return None

    def _learn(self, words: Words, start: int, rows: NDArray[np.intp]) -> bool:
        """Add the words of the first of some rows, and return whether there is a table for all."""
        # Sort a few rows, not a whole piece: mostly they have all words.
        rows = rows[: max(_FEW_ROWS, 4 * self._words.size)]
        new, places = np.unique(words[rows], return_index=True)
        self._words = np.append(self._words, new)
        self.firsts = np.append(self.firsts, start + rows[places])
        return self._words.size <= MOST_WORDS and self._separate()

    def _separate(self) -> bool:
        """Find a factor whose products put each word into a slot of its own."""
        count = self._words.size
        # In a table of fewer bits a collision is all but certain.
        for bits in range(max(1, 2 * count.bit_length() - 5), _MOST_BITS + 1):
            self._shift = np.uint64(64 - bits)
            for factor in _FACTORS:
                self._factor = np.uint64(factor)
                slots = ((self._words * self._factor) >> self._shift).view(np.intp)
                if np.unique(slots).size == count:
                    self._codes = np.zeros(2**bits, dtype=np.intp)
                    self._codes[slots] = np.arange(count)
                    return True
        return False


def coded_numbers(column: NDArray[Any]) -> WordCodes | None:
    """Code integers, booleans or floats without nan; None if there are too many distinct ones."""

    def read(start: int, stop: int) -> Words:
        piece = column[start:stop]
        if piece.dtype.kind == "f":
            # 0.0 is added as -0.0 is the same label, with another bit.
            return (piece.astype(np.float64, copy=False) + 0.0).view(np.uint64)
        wide = np.uint64 if piece.dtype.kind == "u" else np.int64
        return np.ascontiguousarray(piece, dtype=wide).view(np.uint64)

    return coded_words(read, column.size)


def coded_objects(column: NDArray[Any]) -> WordCodes | None:
    """Code objects by their identity; None if there are too many distinct ones.

    Rows that share an object share its code. Equal objects may still have different codes.
    """
    column = np.ascontiguousarray(column)
    addresses = np.ndarray(column.shape, np.uintp, buffer=column).astype(np.uint64, copy=False)
    return coded_words(lambda start, stop: addresses[start:stop], column.size)


def coded_texts(column: NDArray[Any]) -> WordCodes | None:
    """Code text of fixed width, as numpy stores it; None if there are too many distinct ones."""
    column = np.ascontiguousarray(column)
    letters = column.view(np.uint32).reshape(column.size, -1)
    pack = _latin_words if letters.max(initial=0) < _LATIN else _wide_words
    read, count = pack(letters)
    found = coded_words(lambda start, stop: read(start, stop, 0), column.size)
    for place in range(1, count):
        more = coded_words(lambda start, stop, at=place: read(start, stop, at), column.size)  # type: ignore[misc]
        if found is None or more is None:
            return None
        found = _joined(found, more)
    return found


def _latin_words(letters: NDArray[np.uint32]) -> tuple[Callable[..., Words], int]:
    """Return a reader of eight letters at a time, and how often it is called."""
    width = letters.shape[1]

    def read(start: int, stop: int, place: int) -> Words:
        packed = np.zeros((stop - start, 8), dtype=np.uint8)
        for offset, letter in enumerate(range(8 * place, min(8 * place + 8, width))):
            packed[:, offset] = letters[start:stop, letter]
        return packed.view(np.uint64)[:, 0]

    return read, -(-width // 8)


def _wide_words(letters: NDArray[np.uint32]) -> tuple[Callable[..., Words], int]:
    """Return a reader of three letters at a time, and how often it is called."""
    width = letters.shape[1]

    def read(start: int, stop: int, place: int) -> Words:
        packed = np.zeros(stop - start, dtype=np.uint64)
        for letter in range(3 * place, min(3 * place + 3, width)):
            packed <<= np.uint64(_BITS_OF_LETTER)
            packed |= letters[start:stop, letter]
        return packed

    return read, -(-width // 3)


def _joined(first: WordCodes, second: WordCodes) -> WordCodes | None:
    """Code pairs of codes."""
    shift = np.uint64(16)

    def read(start: int, stop: int) -> Words:
        return first.codes[start:stop].astype(np.uint64) << shift | second.codes[start:stop]

    return coded_words(read, first.codes.size)
