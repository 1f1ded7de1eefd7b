"""Means, spreads, ranks and correlations of numbers, each counted as often as its weight.

Means and roots of squares neither overflow nor underflow.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


# Numbers within these have squares that are neither 0 nor infinite.
_SMALL, _LARGE = 1e-140, 1e140
# Of more observations than these, scipy counts pairs faster; of fewer, it takes longer to import.
_MANY = 30_000


def mean(values: Floats, weights: Floats | None = None) -> float:
    """Return the mean, of numbers of any size."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = float(values.mean() if weights is None else values @ weights / weights.sum())
        if math.isfinite(found):
            return found
        # Shares of them, whose sum is finite.
        shares = 1 / values.size if weights is None else weights / weights.sum()
        return 2 * float((values / 2 * shares).sum())


def of_usual_size(weights: Floats) -> Floats:
    """Return weights whose products no float may hold times a power of 2, which changes no mean."""
    largest = float(weights.max())
    if _SMALL < largest < _LARGE:
        return weights
    return np.asarray(np.ldexp(weights, -np.frexp(largest)[1]))


def root_mean_square(values: Floats, weights: Floats | None = None) -> float:
    """Return the root of the mean square, of numbers whose squares no float may hold too."""
    size = float(np.abs(values).max())
    if _SMALL < size < _LARGE or size == 0 or math.isinf(size):
        return math.sqrt(mean(values**2, weights))
    return size * math.sqrt(mean((values / size) ** 2, weights))


def centred(values: Floats, weights: Floats | None = None) -> Floats:
    """Return the differences from the mean."""
    return values - mean(values, weights)


def deviation(values: Floats, weights: Floats | None = None) -> float:
    """Return the standard deviation around the mean."""
    return root_mean_square(centred(values, weights), weights)


def are_equal(values: Floats) -> bool:
    """Return whether all numbers are the same."""
    return bool((values == values[0]).all())


def codes_of(values: Floats) -> Ints:
    """Return the place of each number among the different ones."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def ranks(values: Floats, weights: Floats | None = None) -> Floats:
    """Return how much weight is below each value, and half of what is equal to it.

    Without weights these are the ranks, less a half: equal values share the mean of theirs.

    Examples
    --------
    >>> ranks(np.array([10.0, 30, 10, 20])).tolist()
    [1.0, 3.5, 1.0, 2.5]
    """
    place = codes_of(values)
    sizes = np.bincount(place, weights=weights).astype(float)
    return np.asarray((np.cumsum(sizes) - sizes / 2)[place])


def pearson(truth: Floats, predicted: Floats, weights: Floats | None = None) -> float:
    """Return the correlation, of weighted covariance and variances."""
    y, z = centred(truth, weights), centred(predicted, weights)
    y, z = y / root_mean_square(y, weights), z / root_mean_square(z, weights)
    return min(max(mean(y * z, weights), -1.0), 1.0)


def spearman(truth: Floats, predicted: Floats, weights: Floats | None) -> float:
    """Return the correlation of the ranks."""
    return pearson(ranks(truth, weights), ranks(predicted, weights), weights)


def concordance(truth: Floats, predicted: Floats, weights: Floats | None) -> float:
    """Return Lin's concordance."""
    y, z = centred(truth, weights), centred(predicted, weights)
    a, b = root_mean_square(y, weights), root_mean_square(z, weights)
    if b == 0:
        return 0.0
    shift = mean(truth, weights) - mean(predicted, weights)
    # Quotients first, and no power: of very large numbers, they are infinite and not an error.
    return 2 * mean((y / a) * (z / b), weights) / (a / b + b / a + (shift / a) * (shift / b))


def kendall(truth: Floats, predicted: Floats, weights: Floats | None) -> float:
    """Return tau-b; a pair of weighted observations counts the product of their weights."""
    difference, of_truth, of_predictions = pairs_in_order(truth, predicted, weights)
    tau = difference / math.sqrt(of_truth) / math.sqrt(of_predictions)
    return min(max(tau, -1.0), 1.0)


def pairs_in_order(
    truth: Floats, predicted: Floats, weights: Floats | None = None
) -> tuple[float, float, float]:
    """Return pairs in order minus pairs out of order, and pairs not tied, in each of both.

    A pair counts the product of its weights.
    """
    y, z = codes_of(truth), codes_of(predicted)
    each = np.ones(truth.size) if weights is None else weights
    of_truth, of_predictions = _untied(y, each), _untied(z, each)
    if weights is None and truth.size > _MANY:
        from scipy.stats import kendalltau

        tau = kendalltau(truth, predicted, method="asymptotic").statistic
        return float(round(tau * of_truth**0.5 * of_predictions**0.5)), of_truth, of_predictions
    cells = codes_of(y * (z.max() + 1) + z)
    in_neither = of_truth + of_predictions - _untied(cells, each)
    order = np.lexsort((z, y))  # equal truths are in the order of predictions, so not out of it
    return in_neither - 2 * _inversions(z[order], each[order]), of_truth, of_predictions


def _untied(codes: Ints, weights: Floats) -> float:
    """Return how many pairs have different codes; nothing cancels, however unequal they weigh."""
    sizes = np.bincount(codes, weights=weights)
    return float(sizes[1:] @ np.cumsum(sizes)[:-1])


def _inversions(codes: Ints, weights: Floats) -> float:
    """Return how many pairs have the larger code first.

    Two codes differ first in one bit, from the highest down. Codes that are equal so far are a
    group, in their order; in it, each 1 before a 0 is a pair.
    """
    found = 0.0
    for bit in range(int(codes.max()).bit_length() - 1, -1, -1):
        starts = np.flatnonzero(np.diff(codes >> (bit + 1), prepend=-1))
        ones: Any = (codes >> bit & 1).astype(bool)
        before = np.append(0.0, np.cumsum(weights * ones))
        since = before[:-1] - np.repeat(before[starts], np.diff(starts, append=codes.size))
        found += float(since[~ones] @ weights[~ones])
        order = np.argsort(codes >> bit, kind="stable")
        codes, weights = codes[order], weights[order]
    return found
