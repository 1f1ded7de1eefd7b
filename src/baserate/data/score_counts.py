"""Count positives and negatives per distinct score, with one sort of the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from baserate.data.counting import Mask

    Floats = NDArray[Any]
    Ints = NDArray[np.int64]

_ONE = np.uint64(1)
# How many numbers are read at a time.
_PIECE = 2**16
# The bits of a float without its sign.
_MAGNITUDE = np.int64(2**63 - 1)
# Shifted by so many bits, a number is 0, or -1 if it is negative.
_SIGN = np.int64(63)
# Keys below this leave room for the label in a word of 64 bits.
_ROOM = 2**63


class ScoreCounts(NamedTuple):
    """How many positives and negatives have each score.

    Parameters
    ----------
    values
        The distinct scores, descending; of a bin, the middle.
    positives, negatives
        How many observations of each class have each score.
    widths
        How far apart the scores of a bin are; None if scores were not binned.
    """

    values: Floats
    positives: Ints
    negatives: Ints
    widths: Floats | None = None


def pieces(size: int) -> Iterator[slice]:
    """Yield parts of a column that fit in the cache, so that each is read from memory once."""
    return (slice(start, min(start + _PIECE, size)) for start in range(0, size, _PIECE))


def count_by_score(is_positive: Mask, scores: Floats) -> ScoreCounts:
    """Count the positives and the negatives of each distinct score; none may be nan.

    A float is as large as its bits are, read as a whole number. These leave room for the label: one
    sort of the packed numbers brings equal scores together, with their labels.
    """
    wide = np.ascontiguousarray(scores, dtype=np.float64)
    packing = _Packing.of(wide)
    if packing is None:
        return _by_looking_up(is_positive, scores)
    packed = np.empty(wide.size, dtype=np.uint64)
    for part in pieces(wide.size):
        packing.write_keys(wide[part], packed[part])
    keys, positives, negatives = count_by_key(packed, is_positive)
    values = packing.values(keys).astype(scores.dtype, copy=False)
    return ScoreCounts(values, positives, negatives)


def count_by_key(keys: NDArray[np.uint64], is_positive: Mask) -> tuple[Any, Ints, Ints]:
    """Return the distinct keys, ascending, and how many positives and negatives have each.

    Parameters
    ----------
    keys
        Numbers below 2⁶³, which are overwritten.
    is_positive
        The label of each.
    """
    for part in pieces(keys.size):
        np.left_shift(keys[part], _ONE, out=keys[part])
        np.bitwise_or(keys[part], is_positive[part], out=keys[part])
    keys.sort()
    labels = np.empty(keys.size, dtype=np.int64)
    differ = np.ones(keys.size, dtype=bool)  # from the next one
    for part in pieces(keys.size):
        np.bitwise_and(keys[part], _ONE, out=labels[part].view(np.uint64))
        np.right_shift(keys[part], _ONE, out=keys[part])
        before = slice(max(part.start - 1, 0), part.stop - 1)
        np.not_equal(keys[before.start + 1 : part.stop], keys[before], out=differ[before])
    if differ.all():
        return keys, labels, 1 - labels
    ends = np.flatnonzero(differ)
    positives = np.diff(np.cumsum(labels)[ends], prepend=0)
    return keys[ends], positives, np.diff(ends, prepend=-1) - positives


class _Packing(NamedTuple):
    """How floats become whole numbers that sort the other way round, and back.

    Parameters
    ----------
    top
        The number of the largest score.
    gap
        How many numbers between those of 0 and of the smallest scores around it are left out.
    signed
        Whether a score has a sign.
    """

    top: np.int64
    gap: np.int64
    signed: bool

    @classmethod
    def of(cls, scores: Floats) -> _Packing | None:
        """Return the packing of some scores; None if their numbers span too much."""
        bits = scores.view(np.int64)
        if bits.min(initial=0) >= 0:
            return cls(bits.max(initial=0), np.int64(0), signed=False)
        smallest = min(_smallest(bits[part]) for part in pieces(bits.size))
        gap = np.maximum(smallest - np.int64(1), np.int64(0))
        plain = cls(np.int64(0), gap, signed=True)
        low, high = (plain._numbers(np.array([end]))[0] for end in (scores.min(), scores.max()))
        return None if int(high) - int(low) >= _ROOM else plain._replace(top=high)

    def write_keys(self, scores: Floats, keys: NDArray[np.uint64]) -> None:
        """Write a number for each score; the highest score has 0."""
        numbers = self._numbers(scores)
        # The difference may be too large for a signed number, and wraps round to the right one.
        np.subtract(self.top.view(np.uint64), numbers.view(np.uint64), out=keys)

    def values(self, keys: NDArray[np.uint64]) -> Floats:
        """Return the score of each number, in the place of the numbers."""
        numbers = keys.view(np.int64)
        for part in pieces(keys.size):
            np.subtract(self.top.view(np.uint64), keys[part], out=keys[part])
            if self.signed:
                numbers[part] = self._bits(numbers[part])
        return keys.view(np.float64)

    def _numbers(self, scores: Floats) -> Ints:
        bits = scores.view(np.int64)
        if not self.signed:
            return bits
        magnitudes: Ints = bits & _MAGNITUDE
        magnitudes -= self.gap * (magnitudes > 0)
        sign = bits >> _SIGN
        return (magnitudes ^ sign) - sign

    def _bits(self, numbers: Ints) -> Ints:
        magnitudes: Ints = np.abs(numbers)
        magnitudes += self.gap * (magnitudes > 0)
        return magnitudes | (numbers & ~_MAGNITUDE)


def _smallest(bits: Ints) -> np.int64:
    """Return the bits of the smallest number that is not 0, whatever its sign."""
    magnitudes = bits & _MAGNITUDE
    return np.int64(magnitudes[magnitudes > 0].min(initial=_MAGNITUDE))


def _by_looking_up(is_positive: Mask, scores: Floats) -> ScoreCounts:
    """Count scores whose numbers do not fit: sort all of them, and find those of the positives."""
    values, sizes = np.unique(scores, return_counts=True)
    places = np.searchsorted(values, np.sort(scores[is_positive]))
    positives = np.bincount(places, minlength=values.size)[::-1]
    return ScoreCounts(values[::-1].copy(), positives, sizes[::-1] - positives)


def count_weighted(is_positive: Mask, scores: Floats, counts: Ints) -> ScoreCounts:
    """Count each row as often as it was seen.

    Parameters
    ----------
    is_positive, scores
        The label and the score of each row.
    counts
        How often it was seen; rows that were never seen are left out.
    """
    seen = counts > 0
    is_positive, counts = is_positive[seen], counts[seen]
    plain = scores[seen] + scores.dtype.type(0)  # one zero only, as in `count_by_score`
    none = np.zeros_like(counts)
    return added_up(plain, np.where(is_positive, counts, none), np.where(is_positive, none, counts))


def added_up(values: Floats, positives: Ints, negatives: Ints) -> ScoreCounts:
    """Return counts whose scores may repeat, and come in any order, with each score once."""
    found, places = np.unique(values, return_inverse=True)
    totals = []
    for counts in (positives, negatives):
        total = np.zeros(found.size, dtype=counts.dtype)
        np.add.at(total, places, counts)
        totals.append(total[::-1])
    return ScoreCounts(found[::-1], totals[0], totals[1])
