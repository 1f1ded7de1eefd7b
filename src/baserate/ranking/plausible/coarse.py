"""Fewer blocks of scores: enough to know the spread of a score, though not the score itself."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
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
    positives, negatives = np.cumsum(scores.positives), np.cumsum(scores.negatives)
    total = int(positives[-1] + negatives[-1])
    steps = math.ceil(math.log(max(total / fineness.top, 1), fineness.ratio))
    ranks = np.append(
        np.arange(1.0, fineness.top + 1), fineness.top * fineness.ratio ** np.arange(1, steps + 1)
    )
    # Equal steps of the arcsine are equal steps of a standard deviation of a proportion.
    shares = np.sin(np.arange(1, fineness.parts) / fineness.parts * math.pi / 2) ** 2
    passed = positives / max(int(positives[-1]), 1) + negatives / max(int(negatives[-1]), 1)
    ends = np.append(
        np.searchsorted(positives + negatives, ranks), np.searchsorted(passed, shares * passed[-1])
    )
    starts = np.unique(np.append(0, ends + 1))
    return starts[starts < size]


def merged(scores: Scores, starts: Ints) -> tuple[Floats, Ints, Ints]:
    """Return the mean score and the counts of blocks that are taken together."""
    if starts.size == scores.values.size:
        return scores.values, scores.positives, scores.negatives
    positives, negatives = (
        np.add.reduceat(each, starts) for each in (scores.positives, scores.negatives)
    )
    sizes = scores.positives + scores.negatives
    with np.errstate(invalid="ignore"):  # infinite scores are ranked, not averaged
        values = np.add.reduceat(scores.values * sizes, starts) / (positives + negatives)
    return values, positives, negatives
