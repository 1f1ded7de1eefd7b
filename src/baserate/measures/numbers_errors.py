"""Measures of numbers: errors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.measure import Codomain, SklearnCall
from baserate.exceptions import InvalidMeasureError
from baserate.formatting import shown
from baserate.measures.numbers_record import (
    NumberMeasure,
    Ordered,
    Products,
    Reason,
    Shape,
    above,
    no_reason,
    positive_mean,
)
from baserate.observed.best_constants import (
    EPSILON,
    geometric_centre,
    huber_centres,
    mean_constant,
    medians,
    midrange,
    quantiles,
    relative_medians,
    root_mean_square,
    shortest_halves,
    symmetric_centres,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


# The largest delta of a Huber loss, and the largest power of a deviance.
_MOST_DELTA, _MOST_POWER = 1e100, 100.0


def _twice_covariance(_: Floats, __: Floats, a: float, b: float) -> float:
    """Return by how much a mean square changes with the correlation."""
    return -2 * a * b


_SQUARES = Products(_twice_covariance)
_SQUARED_LOGS = Products(_twice_covariance, np.log1p, np.log1p)


def squared_error(truth: Floats, predicted: Floats) -> Floats:
    """Return the square of how far a prediction is off."""
    return (truth - predicted) ** 2


def squared_log_error(truth: Floats, predicted: Floats) -> Floats:
    """Return the square of the difference of log(1 + y)."""
    return (np.log1p(truth) - np.log1p(predicted)) ** 2


def absolute_error(truth: Floats, predicted: Floats) -> Floats:
    """Return how far a prediction is off."""
    return np.abs(truth - predicted)


def _median_error(truth: Floats, predicted: Floats, weights: Floats | None) -> float:
    """Return the median absolute error; of weighted ones, the middle of all medians.

    That is scikit-learn's definition. Its sums of weights are rounded, so that it misses some that
    are exactly a half: of 50 weights of 0.1, it returns the lower of both numbers in the middle.
    """
    errors = absolute_error(truth, predicted)
    if weights is None:
        return float(np.median(errors))
    order = np.argsort(errors, kind="stable")
    return medians(errors[order], weights[order])[0].middle


MSE = NumberMeasure(
    key="MSE",
    name="Mean Squared Error",
    aliases=(
        "mean_squared_error", "neg_mean_squared_error", "mean_tweedie_deviance", "L2 loss",
    ),
    meaning="The mean of the squared errors.",
    pitfall="A few large errors decide it, and its unit is the square of that of the truth.",
    sklearn=SklearnCall("mean_squared_error"),
    definition=r"\frac{1}{M} \sum_i (y_i - \hat{y}_i)^2",
    constants=mean_constant,
    loss=squared_error,
    form=_SQUARES,
    monotone=True,
)  # fmt: skip
RMSE = replace(
    MSE,
    key="RMSE",
    name="Root Mean Squared Error",
    aliases=("root_mean_squared_error", "neg_root_mean_squared_error"),
    meaning="The root of the mean squared error, in the unit of the truth.",
    pitfall="A few large errors decide it.",
    sklearn=SklearnCall("root_mean_squared_error"),
    definition=rf"\sqrt{{{MSE.definition}}}",
    formula=lambda y, z, w: root_mean_square(y - z, w),
    shape=Shape.ROOT,
)
MAE = NumberMeasure(
    key="MAE",
    name="Mean Absolute Error",
    aliases=("mean_absolute_error", "neg_mean_absolute_error", "L1 loss"),
    meaning="How far predictions are off on average.",
    pitfall="It rewards predictions of the median, which are too low on average if the truth has "
    "a long upper tail.",
    sklearn=SklearnCall("mean_absolute_error"),
    definition=r"\frac{1}{M} \sum_i |y_i - \hat{y}_i|",
    constants=medians,
    loss=absolute_error,
)
MSLE = NumberMeasure(
    key="MSLE",
    name="Mean Squared Logarithmic Error",
    aliases=("mean_squared_log_error", "neg_mean_squared_log_error"),
    meaning="The mean squared error of log(1 + y).",
    pitfall="It punishes predictions that are too low more than those that are too high.",
    sklearn=SklearnCall("mean_squared_log_error"),
    definition=r"\frac{1}{M} \sum_i \left(\log(1 + y_i) - \log(1 + \hat{y}_i)\right)^2",
    constants=geometric_centre,
    loss=squared_log_error,
    form=_SQUARED_LOGS,
    no_score_of_truth=above(-1, "true number"),
    no_score_of_predictions=above(-1, "prediction"),
)
RMSLE = replace(
    MSLE,
    key="RMSLE",
    name="Root Mean Squared Logarithmic Error",
    aliases=("root_mean_squared_log_error", "neg_root_mean_squared_log_error"),
    meaning="The root of the mean squared logarithmic error; if small, about the relative error.",
    sklearn=SklearnCall("root_mean_squared_log_error"),
    definition=rf"\sqrt{{{MSLE.definition}}}",
    shape=Shape.ROOT,
)
MEDIAN_ERROR = NumberMeasure(
    key="MedAE",
    name="Median Absolute Error",
    aliases=("median_absolute_error", "neg_median_absolute_error"),
    meaning="The absolute error that half of the predictions do not exceed.",
    pitfall="It ignores how large the larger half of the errors is.",
    sklearn=SklearnCall("median_absolute_error"),
    definition=r"\operatorname{median}_i |y_i - \hat{y}_i|",
    formula=_median_error,
    constants=shortest_halves,
    form=Ordered.MEDIAN,
)
MAX_ERROR = NumberMeasure(
    key="max error",
    name="Maximum Error",
    aliases=("max_error", "neg_max_error", "maximum absolute error", "max_absolute_error"),
    meaning="The largest absolute error.",
    pitfall="One observation decides it, and more observations make it worse.",
    sklearn=SklearnCall("max_error"),
    definition=r"\max_i |y_i - \hat{y}_i|",
    formula=lambda y, z, _: float(absolute_error(y, z).max()),
    constants=midrange,
    form=Ordered.LARGEST,
)


def _relative_error(truth: Floats, predicted: Floats) -> Floats:
    return np.abs(predicted - truth) / np.maximum(np.abs(truth), EPSILON)


def _symmetric_error(truth: Floats, predicted: Floats) -> Floats:
    # Halves, so that the sum of the largest numbers is finite.
    both = np.abs(truth) / 2 + np.abs(predicted) / 2
    errors = np.abs(truth / 2 - predicted / 2)
    return 2 * errors / np.where(both > 0, both, 1.0)


MAPE = NumberMeasure(
    key="MAPE",
    name="Mean Absolute Percentage Error",
    aliases=("mean_absolute_percentage_error", "neg_mean_absolute_percentage_error"),
    meaning="How far predictions are off on average, as a share of the truth.",
    pitfall="It favours low predictions: one between 0 and the truth is never off by more than "
    "100%. A single truth at or near 0 decides it.",
    sklearn=SklearnCall("mean_absolute_percentage_error"),
    definition=r"\frac{1}{M} \sum_i \frac{|y_i - \hat{y}_i|}{\max(|y_i|, \varepsilon)}",
    constants=relative_medians,
    loss=_relative_error,
)
SYMMETRIC_MAPE = NumberMeasure(
    key="sMAPE",
    name="Symmetric Mean Absolute Percentage Error",
    aliases=("symmetric MAPE", "symmetric_mean_absolute_percentage_error"),
    meaning="How far predictions are off on average, as a share of the mean of truth and "
    "prediction: from 0 to 2.",
    pitfall="Any prediction with the wrong sign costs 2, however small, and so does any but 0 for "
    "a truth of 0. Some define it without the factor 2.",
    codomain=Codomain(0, 2),
    definition=r"\frac{1}{M} \sum_i \frac{2 |y_i - \hat{y}_i|}{|y_i| + |\hat{y}_i|}",
    constants=symmetric_centres,
    loss=_symmetric_error,
)


def written(number: float) -> str:
    """Write a parameter for a key."""
    return repr(float(number)).removesuffix(".0")


def require_alpha(alpha: float) -> None:
    """Raise unless a number is the level of a quantile."""
    if not 0 < alpha < 1:
        raise InvalidMeasureError(
            f"must be a number between 0 and 1 (got {shown(alpha)}): the share of the truth that "
            "predictions are to exceed",
            parameter="alpha",
        )


@dataclass(frozen=True)
class PinballLoss:
    """The pinball loss of an observation, for a quantile."""

    alpha: float

    def __call__(self, truth: Floats, predicted: Floats) -> Floats:
        """Return the loss of a truth and a prediction."""
        errors = truth - predicted
        return np.where(errors >= 0, self.alpha * errors, (self.alpha - 1) * errors)


@dataclass(frozen=True)
class HuberLoss:
    """The Huber loss of an observation: squared up to delta, and linear beyond."""

    delta: float

    def __call__(self, truth: Floats, predicted: Floats) -> Floats:
        """Return the loss of a truth and a prediction."""
        errors = np.abs(truth - predicted)
        near = np.minimum(errors, self.delta)
        return np.asarray(near * (errors - near / 2))


@cache
def pinball(alpha: float) -> NumberMeasure:
    """Return the pinball loss of a quantile; the same record every time."""
    require_alpha(alpha)
    number, other = written(alpha), written(round(1 - alpha, 12))
    found = NumberMeasure(
        key=f"pinball@{number}",
        name=f"Pinball Loss of the {number} Quantile",
        meaning=f"The mean error, where one below the truth counts {number} and one above it "
        f"{other}.",
        pitfall="It judges predictions of this quantile, not predictions of a mean.",
        sklearn=SklearnCall("mean_pinball_loss", {"alpha": alpha}),
        definition=r"\frac{1}{M} \sum_i \max\left(\alpha (y_i - \hat{y}_i), "
        r"(1 - \alpha) (\hat{y}_i - y_i)\right)",
        constants=lambda values, weights: quantiles(values, alpha, weights),
        loss=PinballLoss(alpha),
    )
    names = ("pinball", "mean_pinball_loss", "neg_mean_pinball_loss", "pinball loss")
    of_median = replace(found, aliases=names, meaning="Half the mean absolute error.")
    return of_median if alpha == 0.5 else found


@cache
def huber(delta: float) -> NumberMeasure:
    """Return the Huber loss for a delta; the same record every time."""
    if not 1 / _MOST_DELTA <= delta <= _MOST_DELTA:
        raise InvalidMeasureError(
            f"must be a number above 0, from {1 / _MOST_DELTA:g} to {_MOST_DELTA:g} "
            f"(got {shown(delta)}): the error from which the loss is linear",
            parameter="delta",
        )
    number = written(delta)
    return NumberMeasure(
        key=f"Huber@{number}",
        name=f"Huber Loss with delta {number}",
        aliases=("Huber", "Huber loss", "mean_huber_loss") if delta == 1 else (),
        meaning=f"Half the squared error up to {number}, and beyond it in proportion to the error.",
        pitfall="Delta is in the unit of the truth: choose it to fit the size of the errors.",
        definition=r"\frac{1}{M} \sum_i m_i \left(|e_i| - \tfrac{1}{2} m_i\right), \quad "
        r"e_i = y_i - \hat{y}_i, \; m_i = \min(|e_i|, \delta)",
        constants=lambda values, weights: huber_centres(values, delta, weights),
        loss=HuberLoss(delta),
    )


def require_power(power: float) -> None:
    """Raise if no Tweedie distribution has a power."""
    if not abs(power) <= _MOST_POWER or 0 < power < 1:
        raise InvalidMeasureError(
            f"must be a number up to {_MOST_POWER:g} that is not between 0 and 1 "
            f"(got {shown(power)}): 1 is Poisson, 2 is Gamma",
            parameter="power",
        )


@dataclass(frozen=True)
class TweedieLoss:
    """The deviance of an observation, as scikit-learn computes it, and never below 0."""

    power: float

    def __call__(self, truth: Floats, predicted: Floats) -> Floats:
        """Return the loss of a truth and a prediction."""
        p, y, z = self.power, truth, predicted
        if p == 1:
            half = y * np.log(np.where(y > 0, y, z) / z) - y + z  # 0 log 0 is 0
        elif p == 2:
            half = np.log(z / y) + y / z - 1
        else:
            half = np.where(y > 0, y, 0.0) ** (2 - p) / ((1 - p) * (2 - p))
            half = half - y * z ** (1 - p) / (1 - p) + z ** (2 - p) / (2 - p)
        return np.maximum(2 * half, 0)


def truths_of(power: float) -> Reason:
    """Return what is said of a truth that has no deviance, or no best constant."""
    if power < 0:
        return no_reason
    return above(0, "true number", or_at=power < 2)


@cache
def tweedie(power: float) -> NumberMeasure:
    """Return the Tweedie deviance of a power: 0 is MSE, 1 Poisson, 2 Gamma."""
    require_power(power)
    if power == 0:
        return MSE
    number = written(power)
    label = {1.0: "Poisson", 2.0: "Gamma", 3.0: "inverse Gaussian"}.get(power, "")
    found = NumberMeasure(
        key=f"Tweedie@{number}",
        name=f"Tweedie Deviance of Power {number}",
        aliases=(f"tweedie deviance {number}",),
        meaning=f"The deviance of a {label} distribution: the error in proportion to the spread "
        "that is expected at this size."
        if label
        else f"The deviance of a Tweedie distribution, whose variance grows as the mean to the "
        f"power of {number}.",
        pitfall="The cost of a prediction near 0 has no limit if the truth is larger."
        if power > 0
        else "It counts large numbers more than a squared error does.",
        sklearn=SklearnCall("mean_tweedie_deviance", {"power": power}),
        definition=r"\frac{2}{M} \sum_i \left(\frac{\max(y_i, 0)^{2-p}}{(1-p)(2-p)} - "
        r"\frac{y_i \hat{y}_i^{1-p}}{1-p} + \frac{\hat{y}_i^{2-p}}{2-p}\right)",
        constants=mean_constant,
        loss=TweedieLoss(power),
        form=tweedie_products(power),
        no_score_of_truth=truths_of(power),
        no_score_of_predictions=above(0, "prediction"),
        no_best_constant=positive_mean,
    )
    if power not in _DEVIANCES:
        return found
    function = f"mean_{label.lower()}_deviance"
    return replace(
        found,
        key=f"{label} deviance",
        name=f"{label} Deviance",
        aliases=(function, f"neg_{function}", label, found.key),
        sklearn=SklearnCall(function),
        definition=rf"\frac{{2}}{{M}} \sum_i \left({_DEVIANCES[power]}\right)",
    )


# Those with a name of their own: what is added up in their definition.
_DEVIANCES = {
    1.0: r"y_i \log\frac{y_i}{\hat{y}_i} - y_i + \hat{y}_i",
    2.0: r"\log\frac{\hat{y}_i}{y_i} + \frac{y_i}{\hat{y}_i} - 1",
}


def tweedie_products(power: float) -> Products:
    """Truth and prediction meet in one product: of y and log z, or of y and a power of z."""
    if power == 1:
        return Products(_twice_covariance, right=np.log)
    return Products(lambda _, __, a, b: -2 * a * b / (1 - power), right=lambda z: z ** (1 - power))


LOSSES = (
    *(RMSE, MAE, MSE, MEDIAN_ERROR, MAX_ERROR, MSLE, RMSLE, MAPE, SYMMETRIC_MAPE),
    *(pinball(0.5), huber(1.0), tweedie(1.0), tweedie(2.0), tweedie(1.5)),
)
