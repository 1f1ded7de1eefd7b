"""Count labels in arrays: one read of each array, in pieces that fit in the cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]

# Large enough to outweigh the calls per piece, small enough to be read twice from the cache.
PIECE_BYTES = 2**21
MOST_LABELS = 2**19


class LabelCounts(NamedTuple):
    """The numbers of labels, and of positives in the first column, the last column and both.

    `negative` is the other class; None if it does not occur, or if it is the rest of many.
    """

    total: int
    first: int
    last: int
    both: int
    negative: Any = None

    @property
    def against_the_rest(self) -> LabelCounts:
        """The same counts where any number of other classes is the negative one."""
        return self._replace(negative=None)

    @property
    def cells(self) -> FourCounts:
        """The four counts, with the first column as truth and the last as prediction."""
        return four_counts(self.both, self.first, self.total - self.first, self.last)


class FourCounts(NamedTuple):
    """How often truth and prediction are positive: both, only one of them, and neither."""

    tp: Any
    fp: Any
    fn: Any
    tn: Any


def four_counts(tp: Any, positives: Any, negatives: Any, predicted_positives: Any) -> FourCounts:
    """Compute the four counts from the true positives, by eqs. (B1) to (B4) of the paper.

    Parameters
    ----------
    tp
        The true positives: a number of any type, or an array.
    positives, negatives, predicted_positives
        P, N and P̂.
    """
    fp, fn = predicted_positives - tp, positives - tp
    return FourCounts(tp, fp, fn, negatives - predicted_positives + tp)


def count_positives(
    columns: Sequence[NDArray[Any]], positive: Any, others: Container[Any] | None = None
) -> LabelCounts | None:
    """Count the positive labels of one or two columns; None if not clear what the others are.

    Each column is read once, and no array of its length is allocated.

    Parameters
    ----------
    columns
        Equally long vectors of booleans, integers or floats.
    positive
        The positive class.
    others
        The values allowed for the other class. By default integers may have any number of other
        classes. Where there are floats, there may be one: nan and scores are not classes.
    """
    length = min(MOST_LABELS, PIECE_BYTES // max(column.itemsize for column in columns))
    is_rest = others is None and all(column.dtype.kind in "biu" for column in columns)
    reader = _Reader(positive, others, length, is_rest=is_rest)
    buffers = [np.empty(length, dtype=bool) for _ in columns]
    first = last = both = 0
    for start in range(0, columns[0].size, length):
        packed = []
        for column, buffer in zip(columns, buffers, strict=True):
            mask = reader.read(column[start : start + length], buffer)
            if mask is None:
                return None
            # One bit per label: from here on there is an eighth as much to read.
            packed.append(np.packbits(mask))
        first += _bits(packed[0])
        last += _bits(packed[-1])
        both += _bits(packed[0] & packed[-1])
    return LabelCounts(columns[0].size, first, last, both, reader.negative)


def _bits(packed: NDArray[np.uint8]) -> int:
    """Return the number of set bits."""
    words = packed.view(np.uint64) if packed.size % 8 == 0 else packed
    return int(np.bitwise_count(words).sum())


class _Reader:
    """Find the positive labels of successive pieces, and check what the other labels are."""

    def __init__(
        self, positive: Any, others: Container[Any] | None, length: int, *, is_rest: bool
    ) -> None:
        self._positive = positive
        self._is_rest = is_rest
        self._others = others
        self.negative: Any = None
        self._spare = np.empty(length, dtype=bool)

    def read(self, piece: NDArray[Any], buffer: Mask) -> Mask | None:
        """Return where a piece is positive, or None if it has a class that is not allowed."""
        if self._is_rest and piece.dtype.kind != "b":
            positive: Mask = np.equal(piece, self._positive, out=buffer[: piece.size])
            return positive
        mask = self._view(piece)
        if mask is None and self._is_zeros_and_ones(piece):
            mask = np.equal(piece, 1, out=buffer[: piece.size])
        if mask is None:
            return self._compared(piece, buffer)
        return mask if mask.all() or self._meets(0) else None

    def _view(self, piece: NDArray[Any]) -> Mask | None:
        """Return a piece that is its own mask: booleans, and bytes of zeros and ones."""
        is_mask = piece.dtype.kind == "b" and self._positive == 1
        if is_mask or (piece.dtype.itemsize == 1 and self._is_zeros_and_ones(piece)):
            return piece.view(bool)
        return None

    def _is_zeros_and_ones(self, piece: NDArray[Any]) -> bool:
        """Return whether all values are 0 or 1, from the OR of their bits, in one pass."""
        is_integer = piece.dtype.kind in "iu" and self._positive == 1
        return is_integer and bool(np.bitwise_or.reduce(piece) in (0, 1))

    def _compared(self, piece: NDArray[Any], buffer: Mask) -> Mask | None:
        mask: Mask = np.equal(piece, self._positive, out=buffer[: piece.size])
        count = piece.size - np.count_nonzero(mask)
        if count == 0:
            return mask
        if not self._meets(piece[mask.argmin()].item()):
            return None
        rest = np.equal(piece, self.negative, out=self._spare[: piece.size])
        # nan equals nothing, so this finds it too.
        return mask if np.count_nonzero(rest) == count else None

    def _meets(self, label: Any) -> bool:
        """Adopt the first non-positive label as the other class; return whether this is it."""
        if self.negative is None and (self._others is None or label in self._others):
            self.negative = label
        return bool(self.negative == label)
