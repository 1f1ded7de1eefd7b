"""Neighbouring scores in one bin: fewer numbers, with a bound of what is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.data.score_counts import ScoreCounts, added_up

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[Any]
    Ints = NDArray[Any]

# The most positives that are set apart to break ties among them in the worst order.
_MOST_APART = 2**22


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
