"""Counting labels: one read of each array, in pieces that fit in the cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]

# Large enough that a piece outweighs the calls on it, small enough to be read twice from cache.
PIECE_BYTES = 2**21
MOST_LABELS = 2**19


class LabelCounts(NamedTuple):
    """How many labels there are, how many are positive in the first, the last and both columns.

    `negative` is the other class, None if it does not occur.
    """

    total: int
    first: int
    last: int
    both: int
    negative: Any = None

    @property
    def cells(self) -> FourCounts:
        """The first column as the truth, and the last as the prediction."""
        return four_counts(self.both, self.first, self.total - self.first, self.last)


class FourCounts(NamedTuple):
    """How often truth and prediction are positive: together, one without the other, and neither."""

    tp: Any
    fp: Any
    fn: Any
    tn: Any


def four_counts(tp: Any, positives: Any, negatives: Any, predicted_positives: Any) -> FourCounts:
    """Complete the four counts from the true positives: eqs. (B1) to (B4) of the paper.

    Parameters
    ----------
    tp
        The true positives: a number of any type, or an array of them.
    positives, negatives, predicted_positives
        P, N and P̂.
    """
    fp, fn = predicted_positives - tp, positives - tp
    return FourCounts(tp, fp, fn, negatives - predicted_positives + tp)


def count_positives(
    columns: Sequence[NDArray[Any]], positive: Any, others: Container[Any] | None = None
) -> LabelCounts | None:
    """Count the positive labels of one or two columns, or return None if a third class is met.

    Nothing as long as the columns is allocated, and each of them is read once.

    Parameters
    ----------
    columns
        Equally long vectors of booleans, integers or floats.
    positive
        The positive class.
    others
        What the one other class may be; anything by default.
    """
    length = min(MOST_LABELS, PIECE_BYTES // max(column.itemsize for column in columns))
    reader = _Reader(positive, others, length)
    buffers = [np.empty(length, dtype=bool) for _ in columns]
    first = last = both = 0
    for start in range(0, columns[0].size, length):
        packed = []
        for column, buffer in zip(columns, buffers, strict=True):
            mask = reader.read(column[start : start + length], buffer)
            if mask is None:
                return None
            # A bit for each label: from here on there is an eighth as much to read.
            packed.append(np.packbits(mask))
        first += _bits(packed[0])
        last += _bits(packed[-1])
        both += _bits(packed[0] & packed[-1])
    return LabelCounts(columns[0].size, first, last, both, reader.negative)


def _bits(packed: NDArray[np.uint8]) -> int:
    """Return how many bits are set."""
    words = packed.view(np.uint64) if packed.size % 8 == 0 else packed
    return int(np.bitwise_count(words).sum())


class _Reader:
    """Tells the positive labels of one piece after another from those of the one other class."""

    def __init__(self, positive: Any, others: Container[Any] | None, length: int) -> None:
        self._positive = positive
        self._others = others
        self.negative: Any = None
        self._spare = np.empty(length, dtype=bool)

    def read(self, piece: NDArray[Any], buffer: Mask) -> Mask | None:
        """Return where a piece is positive, or None if it has a third class."""
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
        """Tell in one pass, by the bits that are set anywhere; a negative number sets the sign."""
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
        # nan equals nothing, so that it is found here as well.
        return mask if np.count_nonzero(rest) == count else None

    def _meets(self, label: Any) -> bool:
        """Take the first label that is not positive for the other class, and tell if this is it."""
        if self.negative is None and (self._others is None or label in self._others):
            self.negative = label
        return bool(self.negative == label)
