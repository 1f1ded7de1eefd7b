"""Pairs of observations in order and out of order, counted without looking at each pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


# Of more observations than these, scipy counts pairs faster; of fewer, it takes longer to import.
_MANY = 30_000


def pairs_in_order(
    truth: Floats, predicted: Floats, weights: Floats | None = None
) -> tuple[float, float, float]:
    """Return pairs in order minus pairs out of order, and pairs not tied, in each of both.

    A pair counts the product of its weights.

    Examples
    --------
    >>> import numpy as np
    >>> pairs_in_order(np.array([1.0, 2, 3, 3]), np.array([1.0, 3, 2, 4]))
    (3.0, 5.0, 6.0)
    """
    if weights is None and truth.size > _MANY:
        return _unweighted(truth, predicted)
    each = np.ones(truth.size) if weights is None else weights
    y = np.unique(truth, return_inverse=True)[1]
    z = np.unique(predicted, return_inverse=True)[1]
    of_truth, of_predictions = _untied(y, each), _untied(z, each)
    _, cells = np.unique(y.astype(np.int64) * (z.max() + 1) + z, return_inverse=True)
    in_neither = of_truth + of_predictions - _untied(cells, each)
    order = np.lexsort((z, y))  # equal truths are in the order of predictions, so not out of it
    out_of_order = _inversions(z[order].astype(np.int64), each[order])
    return in_neither - 2 * out_of_order, of_truth, of_predictions


def _unweighted(truth: Floats, predicted: Floats) -> tuple[float, float, float]:
    """Return the same without weights, by scipy, which is faster."""
    from scipy.stats import kendalltau

    total = truth.size * (truth.size - 1) / 2
    ties = (np.unique(side, return_counts=True)[1].astype(float) for side in (truth, predicted))
    of_truth, of_predictions = (total - float((t * (t - 1)).sum()) / 2 for t in ties)
    tau = kendalltau(truth, predicted, method="asymptotic").statistic
    return float(round(tau * of_truth**0.5 * of_predictions**0.5)), of_truth, of_predictions


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
        group = codes >> (bit + 1)
        starts = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
        sizes = np.diff(np.append(starts, codes.size))
        ones = (codes >> bit & 1).astype(bool)
        before = np.append(0.0, np.cumsum(weights * ones))
        since = before[:-1] - np.repeat(before[starts], sizes)
        found += float(since[~ones] @ weights[~ones])
        order = _ones_last(ones, starts, sizes)
        codes, weights = codes[order], weights[order]
    return found


def _ones_last(ones: NDArray[np.bool_], starts: Ints, sizes: Ints) -> Ints:
    """Return the order that puts the ones of each group after its zeros."""
    zeros = np.append(0, np.cumsum(~ones))
    first = np.repeat(starts, sizes)
    zeros_before = zeros[:-1] - np.repeat(zeros[starts], sizes)
    zeros_inside = np.repeat(zeros[starts + sizes] - zeros[starts], sizes)
    ones_before = np.arange(ones.size) - first - zeros_before
    places = first + np.where(ones, zeros_inside + ones_before, zeros_before)
    order = np.empty(ones.size, dtype=np.int64)
    order[places] = np.arange(ones.size)
    return order
