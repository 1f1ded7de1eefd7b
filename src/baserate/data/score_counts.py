"""Read scores, count positives and negatives of each, and put neighbouring ones into bins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.data.columns import column_of, missing_in
from baserate.data.labels import count_labels, positive_mask
from baserate.data.rows import SCORES, Content, Shown, read_rows
from baserate.exceptions import InvalidLabelsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from baserate.core.observed import Rows
    from baserate.data.columns import Column, Labels, Mask
    from baserate.data.rows import ReadColumns

    Floats = NDArray[Any]
    Ints = NDArray[np.int64]

# How many numbers are read at a time.
_PIECE = 2**16
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
    y_true: Labels, models: Mapping[str, Any], asked: Rows, shown: Shown | None = None
) -> ReadColumns:
    """Read which rows are positive, and the scores of each model, or raise; see `read_rows`."""

    def read(name: str, labels: Labels) -> Column:
        truth = column_of(name, labels)
        missing = missing_in(truth)
        # Another task may take a third class, and what looks like scores then.
        count_labels({name: truth[~missing] if missing.any() else truth}, asked.pos_label)
        return truth

    shown, truth = shown or Shown.of(models), Content(read, InvalidLabelsError)
    rows = read_rows(y_true, models, asked, shown, truth=truth, predictions=SCORES)
    return rows._replace(truth=positive_mask(rows.truth, asked.pos_label, shown.truth))


def pieces(size: int) -> Iterator[slice]:
    """Yield parts of a column that fit in the cache, so that each is read from memory once."""
    return (slice(start, min(start + _PIECE, size)) for start in range(0, size, _PIECE))


def count_by_score(is_positive: Mask, scores: Floats, counts: Ints | None = None) -> ScoreCounts:
    """Count the positives and the negatives of each score, each row as often as it was seen."""
    plain = scores + scores.dtype.type(0)  # one zero only
    if counts is not None:
        return added_up(plain, np.where(is_positive, counts, 0), np.where(is_positive, 0, counts))
    values, sizes = np.unique(plain, return_counts=True)
    # Sorted scores are looked up far faster than they come.
    places = np.searchsorted(values, np.sort(plain[is_positive]))
    positives = np.bincount(places, minlength=values.size)
    return ScoreCounts(*(each[::-1].copy() for each in (values, positives, sizes - positives)))


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
    """Return at most so many blocks: neighbours are put together, with as many rows each.

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
