"""Correlations and concordance: what predictions that ignore their input expect is 0."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.codomain import SIGNED
from baserate.core.direction import Direction
from baserate.intervals.bootstrap import Rule
from baserate.regression.measures.domains import different_predictions, different_truths
from baserate.regression.measures.errors import same
from baserate.regression.measures.forms import PairsInOrder, Products
from baserate.regression.measures.pairs import pairs_in_order
from baserate.regression.measures.record import NumberMeasure
from baserate.regression.measures.sums import centred, mean, root_mean_square

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def pearson(truth: Floats, predicted: Floats, weights: Floats | None = None) -> float:
    """Return the correlation, of weighted covariance and variances."""
    y, z = centred(truth, weights), centred(predicted, weights)
    y, z = y / root_mean_square(y, weights), z / root_mean_square(z, weights)
    return min(max(mean(y * z, weights), -1.0), 1.0)


def ranks(values: Floats, weights: Floats | None = None) -> Floats:
    """Return how much weight is below each value, and half of what is equal to it.

    Without weights these are the ranks, less a half: equal values share the mean of theirs.

    Examples
    --------
    >>> import numpy as np
    >>> ranks(np.array([10.0, 30, 10, 20])).tolist()
    [1.0, 3.5, 1.0, 2.5]
    """
    _, place = np.unique(values, return_inverse=True)
    sizes = np.bincount(place, weights=weights).astype(float)
    return np.asarray((np.cumsum(sizes) - sizes / 2)[place])


def spearman(truth: Floats, predicted: Floats, weights: Floats | None) -> float:
    """Return the correlation of the ranks."""
    return pearson(ranks(truth, weights), ranks(predicted, weights), weights)


def kendall(truth: Floats, predicted: Floats, weights: Floats | None) -> float:
    """Return tau-b; a pair of weighted observations counts the product of their weights."""
    difference, of_truth, of_predictions = pairs_in_order(truth, predicted, weights)
    tau = difference / math.sqrt(of_truth) / math.sqrt(of_predictions)
    return min(max(tau, -1.0), 1.0)


def concordance(truth: Floats, predicted: Floats, weights: Floats | None) -> float:
    """Return Lin's concordance."""
    y, z = centred(truth, weights), centred(predicted, weights)
    a, b = root_mean_square(y, weights), root_mean_square(z, weights)
    if b == 0:
        return 0.0
    shift = mean(truth, weights) - mean(predicted, weights)
    # Quotients first, and no power: of very large numbers, they are infinite and not an error.
    return 2 * mean((y / a) * (z / b), weights) / (a / b + b / a + (shift / a) * (shift / b))


def _as_it_is(*_: object) -> float:
    return 1.0


def _per_both_spreads(truth: Floats, predicted: Floats, a: float, b: float) -> float:
    if b == 0:
        return 0.0
    shift = mean(truth) - mean(predicted)
    return 2 / (a / b + b / a + (shift / a) * (shift / b))


PEARSON = NumberMeasure(
    key="Pearson",
    name="Pearson Correlation",
    aliases=("pearsonr", "Pearson's r", "correlation", "PCC"),
    meaning="How close truth and prediction are to a rising line: 1 if they lie on one.",
    pitfall="Predictions may be far off, or on another scale, and still have a perfect score.",
    direction=Direction.MAXIMIZE,
    codomain=SIGNED,
    rounds=True,
    interval=Rule.CORRELATION,
    definition=r"\frac{\operatorname{Cov}(y, \hat{y})}"
    r"{\sqrt{\operatorname{Var}(y) \operatorname{Var}(\hat{y})}}",
    kernel=pearson,
    constant_scores=False,
    form=Products(same, same, _as_it_is),
    no_score_of_truth=different_truths,
    no_score_of_predictions=different_predictions,
)
SPEARMAN = NumberMeasure(
    key="Spearman",
    name="Spearman Rank Correlation",
    aliases=("spearmanr", "Spearman's rho", "rank correlation"),
    meaning="The correlation of the ranks: 1 if the predictions are in the order of the truth.",
    pitfall="Only the order counts, not how far a prediction is off.",
    direction=Direction.MAXIMIZE,
    codomain=SIGNED,
    rounds=True,
    interval=Rule.CORRELATION,
    definition=r"\text{Pearson}\left(\operatorname{rank}(y), \operatorname{rank}(\hat{y})\right)",
    kernel=spearman,
    constant_scores=False,
    form=Products(ranks, ranks, _as_it_is),
    no_score_of_truth=different_truths,
    no_score_of_predictions=different_predictions,
)
KENDALL = NumberMeasure(
    key="Kendall",
    name="Kendall Rank Correlation",
    aliases=("kendalltau", "Kendall's tau", "tau-b", "Kendall tau-b"),
    meaning="The share of pairs in order minus that of pairs out of order, among pairs that "
    "are not tied: tau-b.",
    pitfall="Only the order counts, not how far a prediction is off.",
    direction=Direction.MAXIMIZE,
    codomain=SIGNED,
    rounds=True,
    interval=Rule.CORRELATION,
    definition=r"\frac{\sum_{i<j} \operatorname{sign}(y_i - y_j) "
    r"\operatorname{sign}(\hat{y}_i - \hat{y}_j)}{\sqrt{n_y \, n_{\hat{y}}}}",
    kernel=kendall,
    constant_scores=False,
    form=PairsInOrder(),
    no_score_of_truth=different_truths,
    no_score_of_predictions=different_predictions,
)
CONCORDANCE = NumberMeasure(
    key="CCC",
    name="Concordance Correlation",
    aliases=("concordance", "Lin's concordance", "concordance_correlation_coefficient"),
    meaning="How close predictions are to the truth itself: the correlation, reduced if their mean "
    "or their spread is another one.",
    pitfall="Like a correlation, it is higher on a test set with more spread.",
    direction=Direction.MAXIMIZE,
    codomain=SIGNED,
    rounds=True,
    interval=Rule.CORRELATION,
    definition=r"\frac{2 \operatorname{Cov}(y, \hat{y})}{\operatorname{Var}(y) + "
    r"\operatorname{Var}(\hat{y}) + (\bar{y} - \bar{\hat{y}})^2}",
    kernel=concordance,
    form=Products(same, same, _per_both_spreads),
    no_score_of_truth=different_truths,
)
CORRELATIONS = (PEARSON, SPEARMAN, KENDALL, CONCORDANCE)
