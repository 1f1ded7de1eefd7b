"""The expectation of a product over the classes, such as the geometric mean of recalls."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from baserate.multiclass.optimum.gauss import gauss_rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.multiclass.measures.forms import OfProduct

    Floats = NDArray[np.float64]

# With more right answers than this on average, none at all is so unlikely that a root is smooth.
_MANY = 200.0
# How often a deck is improved, and by which fraction its counts are changed to find out how.
_STEPS, _MORE = 8, 0.05


def mean_of_product(form: OfProduct, n: Sequence[int], m: Sequence[int]) -> float:
    """Return the expectation of a product of functions of the right answers of each class.

    It is that of independent classes, with their covariances to first order. See decision 36 for
    the error.
    """
    truth, deck, total = np.array(n, dtype=float), np.array(m, dtype=float), sum(n)
    right, weights, factors = _factors(form, truth, deck, total)
    means = (weights * factors).sum(axis=0)
    if not means.all():
        return 0.0
    expected = truth * (deck / total)
    aside = right - expected
    variances = (weights * aside * aside).sum(axis=0)
    slopes = (weights * aside * factors).sum(axis=0) / np.where(variances == 0, 1, variances)
    # Cov(C_aa, C_bb) = n_a n_b m_a m_b / (M²(M - 1)), summed over the pairs.
    relative = expected * slopes / means
    pairs = float(relative.sum() ** 2 - (relative**2).sum()) / 2
    return math.exp(math.fsum(np.log(means))) * (1 + pairs / (total - 1))


def deck_of_product(form: OfProduct, n: Sequence[int]) -> tuple[int, ...]:
    """Return a deck under which a product expects about the most.

    There, one percent more predictions add the same percentage to the product for each
    prediction, whichever class they are of: each class is predicted in proportion to what a
    percent more would add.
    """
    truth, total = np.array(n, dtype=float), sum(n)

    def log_means(deck: Floats) -> Floats:
        _, weights, factors = _factors(form, truth, deck, total)
        return np.asarray(np.log((weights * factors).sum(axis=0)))

    deck = np.full_like(truth, max(1, total // len(n)))
    for _ in range(_STEPS):
        more = np.minimum(deck + np.maximum(1, np.rint(_MORE * deck)), total)
        less = np.maximum(deck - np.maximum(1, np.rint(_MORE * deck)), 1)
        gains = (log_means(more) - log_means(less)) / (np.log(more) - np.log(less))
        aim = total * gains / gains.sum()
        deck = np.clip(np.rint(np.sqrt(deck * aim)), 1, total)
    return _of_total(deck * (total / deck.sum()), total)


def _of_total(deck: Floats, total: int) -> tuple[int, ...]:
    """Return whole numbers with a total, each at least 1, that are near some numbers."""
    whole = [max(1, int(count)) for count in deck.tolist()]
    by_rest = sorted(range(len(whole)), key=lambda k: whole[k] - deck[k])
    for k in by_rest[: max(0, total - sum(whole))]:
        whole[k] += 1
    # Classes that were raised to 1, and rounding, are paid for by the largest, again and again.
    left = total - sum(whole)
    for _ in range(abs(left)):
        whole[whole.index(max(whole))] += 1 if left > 0 else -1
    return tuple(whole)


def _factors(
    form: OfProduct, truth: Floats, deck: Floats, total: int
) -> tuple[Floats, Floats, Floats]:
    """Return the right answers of each class, their weights, and the factors."""
    right, weights = _laws(truth, deck, total)
    return right, weights, np.asarray(form.factor(right, truth, deck))


def _laws(truth: Floats, deck: Floats, total: int) -> tuple[Floats, Floats]:
    """Return values and weights, of shape (values, K), of the right answers of each class."""
    many = truth * (deck / total) > _MANY
    parts = [
        (~many, *_summed(truth[~many], deck[~many], total)),
        (many, *(each.T for each in gauss_rule(truth[many], deck[many], total))),
    ]
    size = max(len(values) for _, values, _ in parts)
    values, weights = np.zeros((2, size, truth.size))
    for where, found, chances in parts:
        values[: len(found), where], weights[: len(found), where] = found, chances
    return values, weights / weights.sum(axis=0)


def _summed(truth: Floats, deck: Floats, total: int) -> tuple[Floats, Floats]:
    """Return all likely values with weights, each from its neighbour's."""
    expected = truth * (deck / total)
    lowest = np.maximum(truth + deck - total, 0)
    highest = np.minimum(truth, deck)
    ends = np.minimum(highest, np.ceil(expected + 10 * np.sqrt(expected) + 40)) - lowest
    x = np.minimum(lowest + np.arange(1 + int(ends.max(initial=0)))[:, np.newaxis], highest)
    before = x[:-1]
    ratios = (
        (truth - before) * (deck - before) / ((before + 1) * (total - truth - deck + before + 1))
    )
    with np.errstate(divide="ignore"):  # beyond the highest value there is no weight
        logs = np.cumsum(np.log(np.maximum(ratios, 0)), axis=0)
    logs = np.vstack([np.zeros_like(truth), logs])
    return x, np.exp(logs - logs.max(axis=0, initial=0))
