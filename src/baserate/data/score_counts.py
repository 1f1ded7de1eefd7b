"""Read scores, count positives and negatives of each, and put neighbouring ones into bins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.data.labels import positive_mask
from baserate.data.rows import SCORES, Shown, read_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from baserate.core.observed import Rows
    from baserate.data.columns import Labels, Mask
    from baserate.data.rows import ReadColumns

    Floats = NDArray[Any]
    Ints = NDArray[np.int64]

_ONE = np.uint64(1)
# The bits of a float without its sign.
_MAGNITUDE = np.int64(2**63 - 1)
# Shifted by this many bits, a number is 0, or -1 if it is negative.
_SIGN = np.int64(63)
# Keys below this leave room for the label in a word of 64 bits.
_ROOM = 2**63
# How many rows are read at a time, and how many numbers if there are several columns of them.
_PIECE, _NUMBERS = 2**16, 2**20
# The most positives that are set apart to break ties among them in the worst order.
_MOST_APART = 2**22


class ScoreCounts(NamedTuple):
    """How many positives and negatives have each score."""

    values: Floats  # the distinct scores, descending; of a bin, the middle
    # How many observations of each class have each score.
    positives: Ints
    negatives: Ints
    # How far apart the scores of a bin are; None if scores were not binned.
    widths: Floats | None = None


def read_score_rows(
    y_true: Labels,
    models: Mapping[str, Any],
    asked: Rows,
    shown: Shown | None = None,
    *,
    times: Ints | None = None,
) -> ReadColumns:
    """Read which rows are positive, and the scores of each model, or raise; see `read_rows`."""
    shown = shown or Shown.of(models)
    rows = read_rows(y_true, models, asked, shown, predictions=SCORES, times=times)
    return rows._replace(truth=positive_mask(rows.truth, asked.pos_label, shown.truth))


def pieces(size: int, columns: int = 1) -> Iterator[slice]:
    """Yield parts of columns that fit in the cache, so that each is read from memory once.

    New memory for all of a long column takes longer than what is done with it.
    """
    step = max(min(_PIECE, _NUMBERS // max(columns, 1)), 1)
    return (slice(start, min(start + step, size)) for start in range(0, size, step))


def first_places(
    columns: Sequence[Ints], marks: NDArray[Any], reached: Callable[..., NDArray[Any]] = np.asarray
) -> Ints:
    """Return the first places where a function of the sums of columns, down to there, is a mark."""
    parts = list(pieces(columns[0].size))
    sums = np.array([[each[part].sum() for part in parts] for each in columns])
    upto = np.cumsum(sums, axis=1)
    inside = np.searchsorted(reached(*upto), marks)
    found = np.full(marks.size, columns[0].size)
    for place in np.unique(inside[inside < len(parts)]):
        part, is_here = parts[place], inside == place
        before = upto[:, place] - sums[:, place]
        inner = zip(columns, before, strict=True)
        counts = [np.cumsum(each[part]) + start for each, start in inner]
        found[is_here] = part.start + np.searchsorted(reached(*counts), marks[is_here])
    return found


def count_by_score(is_positive: Mask, scores: Floats, counts: Ints | None = None) -> ScoreCounts:
    """Count the positives and the negatives of each score, each row as often as it was seen.

    A float is as large as its bits are, read as a whole number. These leave room for the label: one
    sort of the packed numbers brings equal scores together, with their labels. Of 10⁷ scores that
    is fifteen times as fast as to sort them and to look up those of the positives.
    """
    if counts is not None:
        plain = scores + scores.dtype.type(0)  # one zero only
        return added_up(plain, np.where(is_positive, counts, 0), np.where(is_positive, 0, counts))
    wide = np.ascontiguousarray(scores, dtype=np.float64)
    packing = _Packing.of(wide)
    if packing is None:
        return _by_looking_up(is_positive, scores)
    is_copy = not np.may_share_memory(wide, scores)
    packed = wide.view(np.uint64) if is_copy else np.empty(wide.size, dtype=np.uint64)
    for part in pieces(wide.size):
        packing.write_keys(wide[part], packed[part])
    keys, positives, negatives = _count_by_key(packed, is_positive)
    values = packing.values(keys).astype(scores.dtype, copy=False)
    return ScoreCounts(values, positives, negatives)


def _count_by_key(keys: NDArray[np.uint64], is_positive: Mask) -> tuple[Any, Ints, Ints]:
    """Return the distinct keys, ascending, and how many positives and negatives have each.

    Keys are below 2⁶³, and are overwritten.
    """
    for part in pieces(keys.size):
        np.left_shift(keys[part], _ONE, out=keys[part])
        np.bitwise_or(keys[part], is_positive[part], out=keys[part])
    keys.sort()
    labels = np.empty(keys.size, dtype=np.uint8)
    differ = np.ones(keys.size, dtype=bool)  # from the next one
    for part in pieces(keys.size):
        np.bitwise_and(keys[part], _ONE, out=labels[part], casting="unsafe")
        np.right_shift(keys[part], _ONE, out=keys[part])
        before = slice(max(part.start - 1, 0), part.stop - 1)
        np.not_equal(keys[before.start + 1 : part.stop], keys[before], out=differ[before])
    if differ.all():
        positives = labels.astype(np.int64)
        return keys, positives, 1 - positives
    ends = np.flatnonzero(differ)
    keys = keys[ends]
    starts = np.append(0, ends[:-1] + 1)
    positives = np.add.reduceat(labels, starts, dtype=np.int64)
    ends -= starts
    ends -= positives
    ends += 1
    return keys, positives, ends


class _Packing(NamedTuple):
    """How floats become whole numbers that sort the other way round, and back."""

    top: np.int64  # the number of the largest score
    gap: np.int64  # how many numbers around 0, which no score has, are left out
    signed: bool  # whether a score has a sign

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


def added_up(values: Floats, positives: Ints, negatives: Ints) -> ScoreCounts:
    """Return counts whose scores may repeat, and come in any order, with each score once."""
    found, places = np.unique(values, return_inverse=True)
    totals = []
    for counts in (positives, negatives):
        total = np.zeros(found.size, dtype=counts.dtype)
        np.add.at(total, places, counts)
        totals.append(total[::-1])
    return ScoreCounts(found[::-1], totals[0], totals[1])


def swept(is_positive: Mask, scores: Floats) -> tuple[Floats, Ints, Ints]:
    """Return every cut-off, descending, with its P̂ and its TP."""
    found = count_by_score(is_positive, scores)
    size = found.values.size
    cutoffs = np.empty(size + 1, dtype=found.values.dtype)
    drawn, tp = np.zeros((2, size + 1), dtype=np.int64)
    cutoffs[0], cutoffs[1:] = np.inf, found.values
    np.cumsum(found.positives, out=tp[1:])
    np.cumsum(found.negatives, out=drawn[1:])
    drawn += tp
    # No cut-off is above an infinite score.
    start = int(np.isposinf(found.values[0]))
    return cutoffs[start:], drawn[start:], tp[start:]


# Bins: fewer numbers, with a bound of what is lost.


def in_bins(counts: ScoreCounts, most: int, border: Any = None) -> ScoreCounts:
    """Return at most this many blocks: neighbours are put together, with as many rows each.

    Infinite scores stay alone.

    Parameters
    ----------
    counts
        The counts per distinct score.
    most
        The largest number of blocks; at least 8.
    border
        A score that no bin reaches across: scores from it on are in other bins.
    """
    values = counts.values
    if values.size <= most:
        return counts
    first = first_of_bins(counts, most, border)
    last = np.append(first[1:], values.size) - 1
    half = 0.0 if counts.widths is None else counts.widths / 2
    low, high = values.astype(float) - half, values.astype(float) + half
    positives, negatives = (np.add.reduceat(each, first) for each in counts[1:3])
    return bins_between(low[last], high[first], positives, negatives, values.dtype)


def first_of_bins(counts: ScoreCounts, most: int, border: Any = None) -> Ints:
    """Return the place of the first score of each bin; see `in_bins`."""
    values = counts.values
    weights = _shares(counts.positives) + _shares(counts.negatives)
    # Three bins are for infinite scores, and for a border.
    cells = np.floor((np.cumsum(weights) - weights / 2) / weights.sum() * (most - 4))
    is_first = np.append(True, cells[1:] != cells[:-1])
    is_first[1:] |= np.isinf(values[1:]) | np.isinf(values[:-1])
    if border is not None:
        is_first[1:] |= (values[1:] < border) & (values[:-1] >= border)
    return np.flatnonzero(is_first)


def joined(
    low: Floats, high: Floats, positives: Ints, negatives: Ints, kind: Any = float
) -> ScoreCounts:
    """Return bins in any order, descending; those that overlap are one.

    Engines round a logarithm in their own way, so that two of their bins may reach into each other.
    """
    order = np.argsort(-high, kind="stable")
    low, high, positives, negatives = (each[order] for each in (low, high, positives, negatives))
    reached = np.minimum.accumulate(low)
    first = np.flatnonzero(np.append(True, high[1:] < reached[:-1]))
    lowest = np.minimum.reduceat(low, first)
    positives, negatives = (np.add.reduceat(each, first) for each in (positives, negatives))
    return bins_between(lowest, high[first], positives, negatives, kind)


def bins_between(
    low: Floats, high: Floats, positives: Ints, negatives: Ints, kind: Any = float
) -> ScoreCounts:
    """Return bins by the lowest and the highest score of each, descending; none overlap."""
    with np.errstate(invalid="ignore", over="ignore"):  # infinite scores
        widths = np.where(low == high, 0.0, high - low)
        middle = np.where(low == high, low, low / 2 + high / 2).astype(kind)
    return ScoreCounts(middle, positives, negatives, widths if widths.any() else None)


def _shares(counts: Ints) -> Floats:
    return np.asarray(counts / max(counts.sum(), 1))


def apart(counts: ScoreCounts, *, best: bool) -> ScoreCounts:
    """Return the counts with the positives of each bin above its negatives, or below them."""
    values, positives, negatives, widths = counts
    half = np.zeros(values.size) if widths is None else widths / 2
    shift = half if best else -half
    none = np.zeros_like(positives)
    return added_up(
        np.append(values + shift, values - shift),
        np.append(positives, none),
        np.append(none, negatives),
    )


def worst_without_ties(counts: ScoreCounts) -> ScoreCounts:
    """Return the worst order in which the positives of a bin, below its negatives, differ too.

    Average precision is lower without ties among them. Those at the top matter most: they are the
    ones that are set apart, if there are very many.
    """
    values, positives, negatives, widths = counts
    half = np.zeros(values.size) if widths is None else widths / 2
    split = np.where(half > 0, positives, 1)
    split[np.cumsum(split) > _MOST_APART] = 1
    place = np.repeat(np.arange(values.size), split)
    within = np.arange(place.size) - np.repeat(np.cumsum(split) - split, split)
    step = within / np.maximum(split[place], 1)
    ones = np.where(split[place] == positives[place], 1, positives[place])
    none = np.zeros_like(ones)
    return added_up(
        np.append(values[place] - half[place] * step, values + half),
        np.append(ones, np.zeros_like(positives)),
        np.append(none, negatives),
    )
