"""Fewer blocks of scores: enough to know the spread of a score, though not the score itself."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.data.score_counts import pieces

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.ranking.scores import Scores

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]


@dataclass(frozen=True)
class Fineness:
    """How finely blocks are kept apart.

    Parameters
    ----------
    most
        So many blocks are all kept.
    top
        So many of the highest observations are kept apart: measures of the top look at them.
    ratio
        Beyond, each block ends this many times as far down.
    parts
        In how many parts each class is cut besides, the narrowest at both ends.
    """

    most: int
    top: int
    ratio: float
    parts: int


ALONE = Fineness(most=192, top=32, ratio=1.15, parts=64)
PAIRED = Fineness(most=64, top=8, ratio=1.5, parts=32)


def block_starts(scores: Scores, fineness: Fineness) -> Ints:
    """Return the first place of each run of blocks that are taken together."""
    size = scores.values.size
    if size <= fineness.most:
        return np.arange(size)
    rate = scores.test_set
    steps = math.ceil(math.log(max(rate.total / fineness.top, 1), fineness.ratio))
    ranks = np.append(
        np.arange(1.0, fineness.top + 1), fineness.top * fineness.ratio ** np.arange(1, steps + 1)
    )
    # Equal steps of the arcsine are equal steps of a standard deviation of a proportion.
    shares = np.sin(np.arange(1, fineness.parts) / fineness.parts * math.pi / 2) ** 2
    every = [max(each, 1) for each in rate.class_sizes]

    def passed(positives: Ints, negatives: Ints) -> Floats:
        return np.asarray(positives / every[0] + negatives / every[1])

    ends = np.append(
        _first_places(scores, np.add, ranks),
        _first_places(scores, passed, shares * passed(*map(np.asarray, rate.class_sizes))),
    )
    starts = np.unique(np.append(0, ends + 1))
    return starts[starts < size]


def _first_places(
    scores: Scores, reached: Callable[[Ints, Ints], Floats], marks: Floats
) -> NDArray[np.int64]:
    """Return the first places where marks are reached, by the counts of each class down to there.

    Counts are added up in pieces first, and then only in those with a mark.
    """
    parts = list(pieces(scores.values.size))
    both = (scores.positives, scores.negatives)
    sums = np.array([[each[part].sum() for part in parts] for each in both])
    upto = np.cumsum(sums, axis=1)
    inside = np.searchsorted(reached(*upto), marks).clip(max=len(parts) - 1)
    found = np.empty(marks.size, dtype=np.int64)
    for place in np.unique(inside):
        part, is_here = parts[place], inside == place
        before = upto[:, place] - sums[:, place]
        counts = (np.cumsum(each[part]) + start for each, start in zip(both, before, strict=True))
        found[is_here] = part.start + np.searchsorted(reached(*counts), marks[is_here])
    return found


def merged(scores: Scores, starts: Ints) -> tuple[Floats, Ints, Ints]:
    """Return the mean score and the counts of blocks that are taken together."""
    positives, negatives = merged_counts(scores, starts)
    if starts.size == scores.values.size:
        return scores.values, positives, negatives
    with np.errstate(invalid="ignore"):  # infinite scores are ranked, not averaged
        sums = np.add.reduceat(scores.values * scores.deck.sizes, starts)
        return sums / (positives + negatives), positives, negatives


def merged_counts(scores: Scores, starts: Ints) -> tuple[Ints, Ints]:
    """Return the counts of blocks that are taken together."""
    if starts.size == scores.values.size:
        return scores.positives, scores.negatives
    return np.add.reduceat(scores.positives, starts), np.add.reduceat(scores.negatives, starts)
