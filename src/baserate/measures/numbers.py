"""Measures of numbers: what is explained, and correlations; all of them by name."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from baserate.core.measure import Catalogue, Direction, SklearnCall
from baserate.measures.correlations import (
    CORRELATIONS,
    EXPLAINED_VARIANCE,
    UP_TO_ONE,
    per_variance,
)
from baserate.measures.numbers_errors import (
    LOSSES,
    MSE,
    huber,
    pinball,
    truths_of,
    tweedie,
    tweedie_products,
    written,
)
from baserate.measures.numbers_record import (
    NumberMeasure,
    Products,
    Shape,
    different_truths,
    positive_mean,
)
from baserate.observed.best_constants import deviation, root_mean_square

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


_BELOW_ZERO = (
    "It compares with the best constant of this test set, so it may be below 0 for predictions "
    "that follow the truth but are off by a constant."
)


def _r2(truth: Floats, predicted: Floats, weights: Floats | None) -> float:
    """Return the share of the variance that is explained; nan if no float holds the spread."""
    left, spread = root_mean_square(truth - predicted, weights), deviation(truth, weights)
    share = left / spread if math.isfinite(spread) else math.nan
    return 1 - share * share  # a power would raise where a product is infinite


def _share(of: NumberMeasure, **facts: Any) -> NumberMeasure:
    """Return the share of a loss that is saved of the best constant's."""
    saved: dict[str, Any] = {"shape": Shape.SHARE, "no_score_of_truth": different_truths}
    saved |= {"direction": Direction.MAXIMIZE, "codomain": UP_TO_ONE, "aliases": ()}
    return replace(of, **(saved | facts))


R2 = _share(
    MSE,
    key="R2",
    name="Coefficient of Determination",
    aliases=("r2_score", "R squared", "R²", "R^2", "d2_tweedie_score", "D2 Tweedie@0"),
    meaning="The share of the variance of the truth that the predictions explain: 1 minus the "
    "mean squared error over that of the mean.",
    pitfall="It depends on the spread of the truth as much as on the errors: with more spread, the "
    "same errors give a higher R2.",
    sklearn=SklearnCall("r2_score"),
    definition=r"1 - \frac{\sum_i (y_i - \hat{y}_i)^2}{\sum_i (y_i - \bar{y})^2}",
    formula=_r2,
    form=Products(per_variance),
)


@cache
def d2_pinball(alpha: float) -> NumberMeasure:
    """Return D² of the pinball loss of a quantile; of 0.5, that is of absolute errors."""
    number = written(alpha)
    found = _share(
        pinball(alpha),
        key=f"D2 pinball@{number}",
        name=f"D² of the Pinball Loss of the {number} Quantile",
        meaning=f"The share of the pinball loss of the {number} quantile that the predictions "
        "save.",
        pitfall=_BELOW_ZERO,
        sklearn=SklearnCall("d2_pinball_score", {"alpha": alpha}),
        definition=r"1 - \frac{\sum_i L(y_i, \hat{y}_i)}{\min_c \sum_i L(y_i, c)}, \quad "
        r"L(y, z) = \max\left(\alpha (y - z), (1 - \alpha) (z - y)\right)",
    )
    if alpha != 0.5:
        return found
    return replace(
        found,
        key="D2 absolute error",
        name="D² of Absolute Errors",
        aliases=("d2_absolute_error_score", "d2_pinball_score", found.key, "D2 AE"),
        meaning="The share of the mean absolute error of the median that the predictions save.",
        sklearn=SklearnCall("d2_absolute_error_score"),
    )


@cache
def d2_tweedie(power: float) -> NumberMeasure:
    """Return D² of a Tweedie deviance: the share of it that is explained; of power 0, R²."""
    deviance, number, products = tweedie(power), written(power), tweedie_products(power)
    if deviance is MSE:
        return R2

    def slope(truth: Floats, predicted: Floats, a: float, b: float) -> float:
        return -products.slope(truth, predicted, a, b) / deviance.free(truth, None)

    def no_score(truth: Floats, weights: Floats | None) -> str:
        reasons = (truths_of(power), different_truths, positive_mean)
        return next(filter(None, (each(truth, weights) for each in reasons)), "")

    poisson = ("D2 Poisson", "D2 Poisson deviance")
    return _share(
        deviance,
        key=f"D2 Tweedie@{number}",
        name=f"D² of the Tweedie Deviance of Power {number}",
        aliases=poisson if power == 1 else ("D2 Gamma", "D2 Gamma deviance") * (power == 2),
        meaning="The share of the deviance of the mean that the predictions explain.",
        pitfall=_BELOW_ZERO,
        sklearn=SklearnCall("d2_tweedie_score", {"power": power}),
        definition=r"1 - \frac{\sum_i D_p(y_i, \hat{y}_i)}{\sum_i D_p(y_i, \bar{y})}",
        form=replace(products, slope=slope),
        no_score_of_truth=no_score,
    )


_NUMBER = r"(?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)"
_NAME = re.compile(
    r"(?P<base>(?:neg[\s_-]*)?(?:mean[\s_-]*)?(?:pinball|quantile|huber|tweedie|d[2²][\s_-]*pinball"
    r"|d[2²][\s_-]*tweedie))(?:[\s_-]*(?:loss|score|deviance))?"
    rf"(?:[\s_-]*(?:@|at)[\s_]*|[\s_]+){_NUMBER}"
)
_OF_NUMBER: dict[str, Callable[[float], NumberMeasure]] = {
    "pinball": pinball,
    "quantile": pinball,
    "huber": huber,
    "tweedie": tweedie,
    "d2pinball": d2_pinball,
    "d2tweedie": d2_tweedie,
}


def _with_number(name: str) -> NumberMeasure | None:
    matched = _NAME.fullmatch(name)
    if matched is None:
        return None
    base = re.sub(r"[\s_-]|^neg[\s_-]*|mean", "", matched["base"]).removeprefix("neg")
    return _OF_NUMBER[base](float(matched["number"]))


NUMBER_MEASURES = Catalogue(
    __name__,
    "NUMBER_MEASURES",
    (*LOSSES, R2, d2_pinball(0.5), d2_tweedie(1.0), EXPLAINED_VARIANCE, *CORRELATIONS),
    of=" of numbers",
    numbered=_with_number,
)
"""The measures of numbers, by key."""

REPORTED = ("RMSE", "MAE", "R2")
"""The measures that people report, which are judged unless others are asked for."""


get_number_measure = NUMBER_MEASURES.find
