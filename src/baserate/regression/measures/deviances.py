"""Deviances of Poisson, Gamma and other Tweedie distributions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from baserate.arguments import as_float, is_number
from baserate.core.codomain import COUNT
from baserate.core.direction import Direction
from baserate.core.sklearn_call import SklearnCall
from baserate.exceptions import InvalidMeasureError
from baserate.formatting import shown
from baserate.regression.best.means import mean_constant
from baserate.regression.measures.bent import written
from baserate.regression.measures.domains import Reason, above, at_least, no_reason, positive_mean
from baserate.regression.measures.errors import MSE, same, twice_covariance
from baserate.regression.measures.forms import Products
from baserate.regression.measures.record import NumberMeasure
from baserate.regression.measures.sums import mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_MOST_POWER = 100.0
_BELOW = {1.0: "Poisson", 2.0: "Gamma", 3.0: "inverse Gaussian"}


def require_power(power: float) -> float:
    """Return the power of a Tweedie distribution as a float, or raise if there is none."""
    value = as_float(power) if is_number(power) else np.nan
    if not abs(value) <= _MOST_POWER or 0 < value < 1:
        raise InvalidMeasureError(
            f"must be a number up to {_MOST_POWER:g} that is not between 0 and 1 "
            f"(got {shown(power)}): 1 is Poisson, 2 is Gamma",
            parameter="power",
        )
    return value


@dataclass(frozen=True)
class TweedieLoss:
    """The deviance of an observation, as scikit-learn computes it, and never below 0."""

    power: float

    def __call__(self, truth: Floats, predicted: Floats) -> Floats:
        """Return the loss of a truth and a prediction."""
        return np.maximum(2 * self._half(truth, predicted), 0)

    def _half(self, y: Floats, z: Floats) -> Floats:
        p = self.power
        if p == 1:
            return _y_log(y, z) - y + z
        if p == 2:
            return np.log(z / y) + y / z - 1
        first = np.where(y > 0, y, 0.0) ** (2 - p) / ((1 - p) * (2 - p))
        second = y * z ** (1 - p) / (1 - p)
        return np.asarray(first - second + z ** (2 - p) / (2 - p))


def _y_log(truth: Floats, predicted: Floats) -> Floats:
    """Return y log(y / z), which is 0 for y = 0."""
    return truth * np.log(np.where(truth > 0, truth, predicted) / predicted)


def truths_of(power: float) -> Reason:
    """Return what is said of a truth that has no deviance, or no best constant."""
    if power < 0:
        return no_reason
    limit = at_least if power < 2 else above
    return limit(0, "true number")


def tweedie(power: float = 1.5) -> NumberMeasure:
    """Return the Tweedie deviance of a power: 0 is MSE, 1 Poisson, 2 Gamma.

    Examples
    --------
    >>> tweedie(1.5), tweedie(0).key
    (<Measure Tweedie@1.5: Tweedie Deviance of Power 1.5>, 'MSE')
    """
    value = require_power(power)
    return MSE if value == 0 else _tweedie(value)


@cache
def _tweedie(power: float) -> NumberMeasure:
    loss, number = TweedieLoss(power), written(power)
    label = _BELOW.get(power, "")
    return NumberMeasure(
        key=f"{label} deviance" if power in (1, 2) else f"Tweedie@{number}",
        name=f"{label} Deviance" if power in (1, 2) else f"Tweedie Deviance of Power {number}",
        aliases=_aliases(power, number),
        meaning=f"The deviance of a {label} distribution: the error in proportion to the spread "
        "that is expected at this size."
        if label
        else f"The deviance of a Tweedie distribution, whose variance grows as the mean to the "
        f"power of {number}.",
        pitfall="The cost of a prediction near 0 has no limit if the truth is larger."
        if power > 0
        else "It counts large numbers more than a squared error does.",
        sklearn=_call(power),
        direction=Direction.MINIMIZE,
        codomain=COUNT,
        rounds=True,
        definition=_definition(power),
        kernel=lambda y, z, w: mean(loss(y, z), w),
        constants=mean_constant,
        form=tweedie_form(power),
        no_score_of_truth=truths_of(power),
        no_score_of_predictions=above(0, "prediction"),
        no_best_constant=positive_mean,
    )


def _aliases(power: float, number: str) -> tuple[str, ...]:
    if power == 1:
        return (
            "mean_poisson_deviance", "neg_mean_poisson_deviance", "Poisson", "Tweedie@1",
        )  # fmt: skip
    if power == 2:
        return "mean_gamma_deviance", "neg_mean_gamma_deviance", "Gamma", "Tweedie@2"
    return (f"tweedie deviance {number}",)


def _call(power: float) -> SklearnCall:
    if power in (1, 2):
        return SklearnCall("mean_poisson_deviance" if power == 1 else "mean_gamma_deviance")
    return SklearnCall("mean_tweedie_deviance", {"power": power})


def _definition(power: float) -> str:
    if power == 1:
        return r"\frac{2}{M} \sum_i \left(y_i \log\frac{y_i}{\hat{y}_i} - y_i + \hat{y}_i\right)"
    if power == 2:
        return (
            r"\frac{2}{M} \sum_i \left(\log\frac{\hat{y}_i}{y_i} + \frac{y_i}{\hat{y}_i} - 1\right)"
        )
    return (
        r"\frac{2}{M} \sum_i \left(\frac{\max(y_i, 0)^{2-p}}{(1-p)(2-p)} - "
        r"\frac{y_i \hat{y}_i^{1-p}}{1-p} + \frac{\hat{y}_i^{2-p}}{2-p}\right)"
    )


def tweedie_form(power: float) -> Products:
    """Truth and prediction meet in one product: of y and log z, or of y and a power of z."""
    if power == 1:
        return Products(same, np.log, twice_covariance, loss=TweedieLoss(power))
    return Products(
        same,
        lambda z: z ** (1 - power),
        lambda _, __, a, b: -2 * a * b / (1 - power),
        loss=TweedieLoss(power),
    )


POISSON, GAMMA = tweedie(1), tweedie(2)
DEVIANCES = (POISSON, GAMMA, tweedie(1.5))
