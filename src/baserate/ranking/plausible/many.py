"""Measures of many test sets at once: as their kernels, with counts of shape (test sets, blocks).

A measure that declares one of these has its limits sooner; they are the same without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.ranking.scores import Scores

    Floats = NDArray[np.float64]


def areas(scores: Scores) -> Floats:
    """Return how many pairs of a positive and a negative are in order, ties counting half."""
    middle = np.cumsum(scores.positives, axis=-1) - scores.positives / 2
    pairs = scores.positives.sum(axis=-1) * scores.negatives.sum(axis=-1)
    return np.asarray((scores.negatives * middle).sum(axis=-1) / pairs)


def average_precisions(scores: Scores) -> Floats:
    """Return the precision down to the score of each positive, averaged over the positives."""
    upto = np.cumsum(scores.positives, axis=-1)
    drawn = np.cumsum(scores.negatives, axis=-1) + upto
    precision = upto / np.maximum(drawn, np.finfo(float).tiny)
    return np.asarray((scores.positives * precision).sum(axis=-1) / upto[..., -1])


def positives_in_tops(scores: Scores, k: float) -> Floats:
    """Return the number of positives among the k highest scores; of a block, a part may count."""
    sizes = scores.positives + scores.negatives
    above = np.cumsum(sizes, axis=-1) - sizes
    taken = np.clip(k - above, 0.0, sizes)
    parts = np.divide(taken, sizes, out=np.zeros_like(taken), where=sizes > 0)
    return np.asarray((scores.positives * parts).sum(axis=-1))


def means(points: Callable[[Floats], tuple[Floats, Floats]]) -> Callable[[Scores], Floats]:
    """Return the mean of what a positive and a negative add that have each score."""

    def of(scores: Scores) -> Floats:
        positive, negative = points(scores.values)
        total = scores.positives.sum(axis=-1) + scores.negatives.sum(axis=-1)
        return np.asarray((scores.positives @ positive + scores.negatives @ negative) / total)

    return of
