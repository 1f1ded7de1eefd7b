"""The number that decides a score of weighted observations, and its distribution.

Predictions are dealt to the observations, each of which keeps its truth and its weight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.rounding import COMPUTATION
from baserate.regression.law.counted import Counted
from baserate.regression.law.dealings import Dealing, dealing_of, kept
from baserate.regression.law.shuffles import (
    FEW,
    number_of_shuffles,
    of_all_orders,
    of_shuffles,
    one_of_all,
)
from baserate.regression.law.sum_law import distribution_of
from baserate.regression.law.sums import DealtSum
from baserate.regression.law.weighted_scores import WeightedRows, scores_of
from baserate.regression.measures.forms import LargestError
from baserate.regression.uncertainty.losses import Shape, divisors, row_loss, shape_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.regression.fit import Fit
    from baserate.regression.law.distribution import Distribution
    from baserate.regression.measures.record import NumberMeasure

    Floats = NDArray[np.float64]


def weighted_dealing_of(measure: NumberMeasure, fit: Fit) -> Dealing:
    """Return the number that decides a score, and its distribution."""
    if isinstance(measure.form, LargestError):  # which no weight changes
        return dealing_of(measure.form, fit)
    loss = row_loss(measure)
    if loss is None:
        return Dealing(measure.score_or_reason(fit)[0], _scored(measure, fit))
    observed, dealt = _of_losses(loss, fit)
    shape = shape_of(measure)
    if shape is Shape.SHARE:
        return Dealing(observed, dealt, _slope_of_share(measure, fit))
    if shape is Shape.RATIO:
        per = float(divisors(measure, fit.truth) @ _rows(fit).times) / fit.total
        return Dealing(observed, dealt, 1 / per)
    return Dealing(observed, dealt, rooted=shape is Shape.ROOT)


@kept  # MSE, RMSE and R2 share it
def _of_losses(loss: Any, fit: Fit) -> tuple[float, Distribution]:
    dealt = DealtSum(loss, fit.truth, fit.predicted, _rows(fit).times)
    return dealt.observed, distribution_of(dealt)


def _rows(fit: Fit) -> WeightedRows:
    weights = np.ones(fit.total) if fit.weights is None else fit.weights
    return WeightedRows(fit.truth, fit.predicted, weights)


def _slope_of_share(measure: NumberMeasure, fit: Fit) -> float:
    """Return by how much a share grows with the mean loss: minus 1 over that of the constant.

    Of the observed order and another one, that with the larger loss tells it with less rounding.
    """
    loss: Any = row_loss(measure)
    times, slopes = _rows(fit).times, {0.0: 0.0}
    for predicted in (fit.predicted, fit.predicted[np.argsort(-fit.truth)]):
        mean = float(loss(fit.truth, predicted) @ times) / fit.total
        share = float(measure.kernel(fit.truth, predicted, fit.weights))
        slopes[mean] = (share - 1) / mean if mean > 0 else 0.0
    return slopes[max(slopes)]


def _scored(measure: NumberMeasure, fit: Fit) -> Distribution:
    """Return the distribution of a score, order by order."""
    scores, cost = scores_of(measure, _rows(fit))
    # Correlations are differences of numbers of the order of 1.
    size = max(abs(measure.score_or_reason(fit)[0]), measure.perfect)
    slack, least = COMPUTATION * size, one_of_all(fit.total)
    if fit.total <= FEW:
        return Counted(of_all_orders(scores, fit.total), slack, least, complete=True)
    orders = number_of_shuffles(cost)
    return Counted(of_shuffles(scores, fit.total, orders), slack, least)
