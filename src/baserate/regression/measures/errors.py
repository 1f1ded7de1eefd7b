"""Squared, absolute and logarithmic errors: their means, the median and the largest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baserate.core.codomain import COUNT
from baserate.core.direction import Direction
from baserate.core.sklearn_call import SklearnCall
from baserate.regression.best.halves import midrange, shortest_halves
from baserate.regression.best.means import geometric_centre, mean_constant
from baserate.regression.best.quantiles import medians
from baserate.regression.measures.domains import above
from baserate.regression.measures.forms import LargestError, MeanLoss, MiddleError, Products
from baserate.regression.measures.record import NumberMeasure
from baserate.regression.measures.sums import mean, root_mean_square

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def same(numbers: Floats) -> Floats:
    """Return the numbers themselves."""
    return numbers


def twice_covariance(_: Floats, __: Floats, a: float, b: float) -> float:
    """Return by how much a mean square changes with the correlation."""
    return -2 * a * b


def squared_error(truth: Floats, predicted: Floats) -> Floats:
    """Return the square of how far a prediction is off."""
    return (truth - predicted) ** 2


def squared_log_error(truth: Floats, predicted: Floats) -> Floats:
    """Return the square of the difference of log(1 + y)."""
    return log_errors(truth, predicted) ** 2


def absolute_error(truth: Floats, predicted: Floats) -> Floats:
    """Return how far a prediction is off."""
    return np.abs(truth - predicted)


def log_errors(truth: Floats, predicted: Floats) -> Floats:
    """Return the differences of log(1 + y)."""
    return np.log1p(truth) - np.log1p(predicted)


def median_error(truth: Floats, predicted: Floats, weights: Floats | None) -> float:
    """Return the median absolute error; of weighted ones, the middle of all medians."""
    return middle_median(absolute_error(truth, predicted), weights)


def middle_median(values: Floats, weights: Floats | None) -> float:
    """Return the middle of all medians of numbers in any order.

    That is scikit-learn's definition. Its sums of weights are rounded, so that it misses some that
    are exactly a half: of 50 weights of 0.1, it returns the lower of both numbers in the middle.
    """
    if weights is None:
        return float(np.median(values))
    order = np.argsort(values, kind="stable")
    return medians(values[order], weights[order])[0].middle


MSE = NumberMeasure(
    key="MSE",
    name="Mean Squared Error",
    aliases=(
        "mean_squared_error", "neg_mean_squared_error", "mean_tweedie_deviance", "L2 loss",
    ),
    meaning="The mean of the squared errors.",
    pitfall="A few large errors decide it, and its unit is the square of that of the truth.",
    sklearn=SklearnCall("mean_squared_error"),
    direction=Direction.MINIMIZE,
    codomain=COUNT,
    rounds=True,
    definition=r"\frac{1}{M} \sum_i (y_i - \hat{y}_i)^2",
    kernel=lambda y, z, w: mean(squared_error(y, z), w),
    constants=mean_constant,
    form=Products(same, same, twice_covariance, loss=squared_error),
    monotone=True,
)  # fmt: skip
RMSE = NumberMeasure(
    key="RMSE",
    name="Root Mean Squared Error",
    aliases=("root_mean_squared_error", "neg_root_mean_squared_error"),
    meaning="The root of the mean squared error, in the unit of the truth.",
    pitfall="A few large errors decide it.",
    sklearn=SklearnCall("root_mean_squared_error"),
    direction=Direction.MINIMIZE,
    codomain=COUNT,
    rounds=True,
    definition=r"\sqrt{\frac{1}{M} \sum_i (y_i - \hat{y}_i)^2}",
    kernel=lambda y, z, w: root_mean_square(y - z, w),
    constants=mean_constant,
    form=Products(same, same, twice_covariance, rooted=True, loss=squared_error),
    monotone=True,
)
MAE = NumberMeasure(
    key="MAE",
    name="Mean Absolute Error",
    aliases=("mean_absolute_error", "neg_mean_absolute_error", "L1 loss"),
    meaning="How far predictions are off on average.",
    pitfall="It rewards predictions of the median, which are too low on average if the truth has "
    "a long upper tail.",
    sklearn=SklearnCall("mean_absolute_error"),
    direction=Direction.MINIMIZE,
    codomain=COUNT,
    rounds=True,
    definition=r"\frac{1}{M} \sum_i |y_i - \hat{y}_i|",
    kernel=lambda y, z, w: mean(absolute_error(y, z), w),
    constants=medians,
    form=MeanLoss(absolute_error),
)
MSLE = NumberMeasure(
    key="MSLE",
    name="Mean Squared Logarithmic Error",
    aliases=("mean_squared_log_error", "neg_mean_squared_log_error"),
    meaning="The mean squared error of log(1 + y).",
    pitfall="It punishes predictions that are too low more than those that are too high.",
    sklearn=SklearnCall("mean_squared_log_error"),
    direction=Direction.MINIMIZE,
    codomain=COUNT,
    rounds=True,
    definition=r"\frac{1}{M} \sum_i \left(\log(1 + y_i) - \log(1 + \hat{y}_i)\right)^2",
    kernel=lambda y, z, w: mean(squared_log_error(y, z), w),
    constants=geometric_centre,
    form=Products(np.log1p, np.log1p, twice_covariance, loss=squared_log_error),
    no_score_of_truth=above(-1, "true number"),
    no_score_of_predictions=above(-1, "prediction"),
)
RMSLE = NumberMeasure(
    key="RMSLE",
    name="Root Mean Squared Logarithmic Error",
    aliases=("root_mean_squared_log_error", "neg_root_mean_squared_log_error"),
    meaning="The root of the mean squared logarithmic error; if small, about the relative error.",
    pitfall="It punishes predictions that are too low more than those that are too high.",
    sklearn=SklearnCall("root_mean_squared_log_error"),
    direction=Direction.MINIMIZE,
    codomain=COUNT,
    rounds=True,
    definition=r"\sqrt{\frac{1}{M} \sum_i \left(\log(1 + y_i) - \log(1 + \hat{y}_i)\right)^2}",
    kernel=lambda y, z, w: root_mean_square(log_errors(y, z), w),
    constants=geometric_centre,
    form=Products(np.log1p, np.log1p, twice_covariance, rooted=True, loss=squared_log_error),
    no_score_of_truth=above(-1, "true number"),
    no_score_of_predictions=above(-1, "prediction"),
)
MEDIAN_ERROR = NumberMeasure(
    key="MedAE",
    name="Median Absolute Error",
    aliases=("median_absolute_error", "neg_median_absolute_error"),
    meaning="The absolute error that half of the predictions do not exceed.",
    pitfall="It ignores how large the larger half of the errors is.",
    sklearn=SklearnCall("median_absolute_error"),
    direction=Direction.MINIMIZE,
    codomain=COUNT,
    rounds=True,
    definition=r"\operatorname{median}_i |y_i - \hat{y}_i|",
    kernel=median_error,
    constants=shortest_halves,
    form=MiddleError(),
)
MAX_ERROR = NumberMeasure(
    key="max error",
    name="Maximum Error",
    aliases=("max_error", "neg_max_error", "maximum absolute error", "max_absolute_error"),
    meaning="The largest absolute error.",
    pitfall="One observation decides it, and more observations make it worse.",
    sklearn=SklearnCall("max_error"),
    direction=Direction.MINIMIZE,
    codomain=COUNT,
    rounds=True,
    definition=r"\max_i |y_i - \hat{y}_i|",
    kernel=lambda y, z, _: float(absolute_error(y, z).max()),
    constants=midrange,
    form=LargestError(),
)
ERRORS = (RMSE, MAE, MSE, MEDIAN_ERROR, MAX_ERROR, MSLE, RMSLE)
