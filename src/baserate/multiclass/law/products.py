"""The expectation of a product over the classes, such as the geometric mean of recalls."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from baserate.multiclass.law.gauss import gauss_rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.multiclass.measures.forms import OfProduct

    Floats = NDArray[np.float64]

# With more right answers than this on average, none at all is so unlikely that a root is smooth.
_MANY = 200.0
# How often a deck is improved, and by which fraction its counts are changed to find out how.
_STEPS, _MORE = 12, 0.05


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
    largest = sorted(range(len(whole)), key=lambda k: -whole[k])
    left = total - sum(whole)
    for k in largest:
        change = max(left, 1 - whole[k])
        whole[k] += change
        left -= change
    return tuple(whole)


def _factors(
    form: OfProduct, truth: Floats, deck: Floats, total: int
) -> tuple[Floats, Floats, Floats]:
    """Return the right answers of each class, their weights, and the factors."""
    right, weights = _laws(truth, deck, total)
    return right, weights, np.asarray(form.factor(right, truth, deck))


def _laws(truth: Floats, deck: Floats, total: int) -> tuple[Floats, Floats]:
    """Return values and weights, of shape (values, K), of the right answers of each class."""
    expected = truth * (deck / total)
    many = expected > _MANY
    lowest = np.maximum(truth + deck - total, 0)
    longest = np.minimum(truth, deck) - lowest
    ends = np.minimum(longest, np.ceil(expected - lowest + 10 * np.sqrt(expected) + 40))
    steps = np.arange(max(1, int(ends[~many].max(initial=0))))[:, np.newaxis]
    x = np.minimum(lowest + steps, lowest + longest)
    ratios = (truth - x) * (deck - x) / ((x + 1) * (total - truth - deck + x + 1))
    with np.errstate(divide="ignore"):
        logs = np.vstack([np.zeros(truth.size), np.cumsum(np.log(np.maximum(ratios, 0)), axis=0)])
    weights = np.exp(logs - logs.max(axis=0))
    values = np.minimum(np.vstack([lowest, x + 1]), lowest + longest)
    if many.any():
        nodes, chances = gauss_rule(truth, deck, total)
        size = max(len(values), nodes.shape[-1])
        values, weights = (_longer(each, size) for each in (values, weights))
        values[:, many] = _longer(nodes.T, size)[:, many]
        weights[:, many] = _longer(chances.T, size)[:, many]
    return values, weights / weights.sum(axis=0)


def _longer(rows: Floats, size: int) -> Floats:
    """Return rows with more of them, which are zero."""
    return np.vstack([rows, np.zeros((size - len(rows), rows.shape[1]))])
