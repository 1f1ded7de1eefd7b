"""How much of the spread of the truth is explained: R², D² and explained variance."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.codomain import Codomain
from baserate.core.direction import Direction
from baserate.core.sklearn_call import SklearnCall
from baserate.regression.best.means import mean_constant
from baserate.regression.best.quantiles import quantiles
from baserate.regression.constants import every
from baserate.regression.measures.bent import PinballLoss, require_alpha, written
from baserate.regression.measures.deviances import (
    TweedieLoss,
    require_power,
    truths_of,
    tweedie_form,
)
from baserate.regression.measures.domains import above, both, different_truths, positive_mean
from baserate.regression.measures.errors import same, squared_error
from baserate.regression.measures.forms import MeanLoss, Products
from baserate.regression.measures.record import NumberMeasure
from baserate.regression.measures.sums import deviation, mean, root_mean_square

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

UP_TO_ONE = Codomain(-math.inf, 1)
_BELOW_ZERO = (
    "It compares with the best constant of this test set, so it may be below 0 for predictions "
    "that follow the truth but are off by a constant."
)


def _left(errors: float, spread: float) -> float:
    """Return the share of the spread that is left; nan if no float holds the spread."""
    return errors / spread if math.isfinite(spread) else math.nan


def _r2(truth: Floats, predicted: Floats, weights: Floats | None) -> float:
    error = root_mean_square(truth - predicted, weights)
    share = _left(error, deviation(truth, weights))
    return 1 - share * share  # a power would raise where a product is infinite


def _explained(truth: Floats, predicted: Floats, weights: Floats | None) -> float:
    left = deviation(truth - predicted, weights)
    share = _left(left, deviation(truth, weights))
    return 1 - share * share


def _per_variance(_: Floats, __: Floats, a: float, b: float) -> float:
    return 2 * b / a


R2 = NumberMeasure(
    key="R2",
    name="Coefficient of Determination",
    aliases=("r2_score", "R squared", "R²", "R^2", "d2_tweedie_score", "D2 Tweedie@0"),
    meaning="The share of the variance of the truth that the predictions explain: 1 minus the "
    "mean squared error over that of the mean.",
    pitfall="It depends on the spread of the truth as much as on the errors: with more spread, the "
    "same errors give a higher R2.",
    sklearn=SklearnCall("r2_score"),
    direction=Direction.MAXIMIZE,
    codomain=UP_TO_ONE,
    rounds=True,
    definition=r"1 - \frac{\sum_i (y_i - \hat{y}_i)^2}{\sum_i (y_i - \bar{y})^2}",
    kernel=_r2,
    constants=mean_constant,
    form=Products(same, same, _per_variance, loss=squared_error),
    no_score_of_truth=different_truths,
    monotone=True,
)
EXPLAINED_VARIANCE = NumberMeasure(
    key="explained variance",
    name="Explained Variance",
    aliases=("explained_variance_score", "EV"),
    meaning="The share of the variance of the truth that is not in the errors.",
    pitfall="Predictions that are all off by the same number still have a perfect score.",
    sklearn=SklearnCall("explained_variance_score"),
    direction=Direction.MAXIMIZE,
    codomain=UP_TO_ONE,
    rounds=True,
    definition=r"1 - \frac{\operatorname{Var}(y - \hat{y})}{\operatorname{Var}(y)}",
    kernel=_explained,
    constants=lambda *_: every(),
    form=Products(same, same, _per_variance),
    no_score_of_truth=different_truths,
)


def d2_pinball(alpha: float = 0.5) -> NumberMeasure:
    """Return D² of the pinball loss of a quantile; of 0.5, that is of absolute errors.

    Examples
    --------
    >>> d2_pinball(0.9), d2_pinball().key
    (<Measure D2 pinball@0.9: D² of the Pinball Loss of the 0.9 Quantile>, 'D2 absolute error')
    """
    return _d2_pinball(require_alpha(alpha))


@cache
def _d2_pinball(alpha: float) -> NumberMeasure:
    loss, number = PinballLoss(alpha), written(alpha)
    is_median = alpha == 0.5

    def spread(truth: Floats, weights: Floats | None = None) -> float:
        order = np.argsort(truth, kind="stable")
        heavy = None if weights is None else weights[order]
        centre = quantiles(truth[order], alpha, heavy)[0].middle
        return mean(loss(truth, np.array(centre)), weights)

    return NumberMeasure(
        key="D2 absolute error" if is_median else f"D2 pinball@{number}",
        name="D² of Absolute Errors"
        if is_median
        else f"D² of the Pinball Loss of the {number} Quantile",
        aliases=("d2_absolute_error_score", "d2_pinball_score", "D2 pinball@0.5", "D2 AE")
        if is_median
        else (),
        meaning="The share of the mean absolute error of the median that the predictions save."
        if is_median
        else f"The share of the pinball loss of the {number} quantile that the predictions save.",
        pitfall=_BELOW_ZERO,
        sklearn=SklearnCall("d2_absolute_error_score")
        if is_median
        else SklearnCall("d2_pinball_score", {"alpha": alpha}),
        direction=Direction.MAXIMIZE,
        codomain=UP_TO_ONE,
        rounds=True,
        definition=r"1 - \frac{\sum_i L(y_i, \hat{y}_i)}{\min_c \sum_i L(y_i, c)}, \quad "
        r"L(y, z) = \max\left(\alpha (y - z), (1 - \alpha) (z - y)\right)",
        kernel=lambda y, z, w: 1 - _left(mean(loss(y, z), w), spread(y, w)),
        constants=lambda values, weights: quantiles(values, alpha, weights),
        form=MeanLoss(loss, free=spread),
        no_score_of_truth=different_truths,
    )


def d2_tweedie(power: float = 1.5) -> NumberMeasure:
    """Return D² of a Tweedie deviance: the share of it that is explained; of power 0, R².

    Examples
    --------
    >>> d2_tweedie(1), d2_tweedie(0).key
    (<Measure D2 Tweedie@1: D² of the Tweedie Deviance of Power 1>, 'R2')
    """
    value = require_power(power)
    return R2 if value == 0 else _d2_tweedie(value)


@cache
def _d2_tweedie(power: float) -> NumberMeasure:
    loss, number, form = TweedieLoss(power), written(power), tweedie_form(power)

    def spread(truth: Floats, weights: Floats | None = None) -> float:
        return mean(loss(truth, np.array(mean(truth, weights))), weights)

    def slope(truth: Floats, predicted: Floats, a: float, b: float) -> float:
        return -form.slope(truth, predicted, a, b) / spread(truth)

    poisson = ("D2 Poisson", "D2 Poisson deviance")
    return NumberMeasure(
        key=f"D2 Tweedie@{number}",
        name=f"D² of the Tweedie Deviance of Power {number}",
        aliases=poisson if power == 1 else ("D2 Gamma", "D2 Gamma deviance") * (power == 2),
        meaning="The share of the deviance of the mean that the predictions explain.",
        pitfall=_BELOW_ZERO,
        sklearn=SklearnCall("d2_tweedie_score", {"power": power}),
        direction=Direction.MAXIMIZE,
        codomain=UP_TO_ONE,
        rounds=True,
        definition=r"1 - \frac{\sum_i D_p(y_i, \hat{y}_i)}{\sum_i D_p(y_i, \bar{y})}",
        kernel=lambda y, z, w: 1 - _left(mean(loss(y, z), w), spread(y, w)),
        constants=mean_constant,
        form=Products(form.left, form.right, slope, loss=loss),
        no_score_of_truth=both(both(truths_of(power), different_truths), positive_mean),
        no_score_of_predictions=above(0, "prediction"),
    )


EXPLAINED = (R2, d2_pinball(), d2_tweedie(1), EXPLAINED_VARIANCE)
