"""Measures of many test sets at once, as resamples and permutations need them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.ranking.scores import Scores

    Floats = NDArray[np.float64]


class Counts(NamedTuple):
    """The counts of one model on several test sets, of shape (…, blocks), and their scores."""

    values: Floats
    positives: Floats
    negatives: Floats


def alone(many: Callable[[Counts], Floats]) -> Callable[[Scores], float]:
    """Return the score of one test set, by what scores many of them."""

    def score(scores: Scores) -> float:
        both = (each.astype(float) for each in (scores.positives, scores.negatives))
        return float(many(Counts(scores.values, *both)))

    return score


def areas(counts: Counts) -> Floats:
    """Return how many pairs of a positive and a negative are in order, ties counting half."""
    middle = np.cumsum(counts.positives, axis=-1) - counts.positives / 2
    pairs = counts.positives.sum(axis=-1) * counts.negatives.sum(axis=-1)
    return np.asarray((counts.negatives * middle).sum(axis=-1) / pairs)


def average_precisions(counts: Counts) -> Floats:
    """Return the precision down to the score of each positive, averaged over the positives."""
    upto = np.cumsum(counts.positives, axis=-1)
    drawn = np.cumsum(counts.negatives, axis=-1) + upto
    precision = upto / np.maximum(drawn, np.finfo(float).tiny)
    return np.asarray((counts.positives * precision).sum(axis=-1) / upto[..., -1])


def positives_in_tops(counts: Counts, k: float | Floats) -> Floats:
    """Return the number of positives among the k highest scores; of a block, a part may count.

    A k for each test set is of the shape (test sets, 1).
    """
    sizes = counts.positives + counts.negatives
    above = np.cumsum(sizes, axis=-1) - sizes
    taken = np.clip(k - above, 0.0, sizes)
    parts = np.divide(taken, sizes, out=np.zeros_like(taken), where=sizes > 0)
    return np.asarray((counts.positives * parts).sum(axis=-1))


def means(points: Callable[[Floats], tuple[Floats, Floats]]) -> Callable[[Counts], Floats]:
    """Return the mean of what a positive and a negative add that have each score."""

    def of(counts: Counts) -> Floats:
        positive, negative = points(counts.values)
        total = counts.positives.sum(axis=-1) + counts.negatives.sum(axis=-1)
        return np.asarray((counts.positives @ positive + counts.negatives @ negative) / total)

    return of
