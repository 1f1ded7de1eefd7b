"""Losses with a parameter, that bend: pinball and Huber."""

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
from baserate.regression.best.huber import huber_centres
from baserate.regression.best.quantiles import quantiles
from baserate.regression.measures.forms import MeanLoss
from baserate.regression.measures.record import NumberMeasure
from baserate.regression.measures.sums import mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_MOST_DELTA = 1e100


def written(number: float) -> str:
    """Write a parameter for a key.

    Examples
    --------
    >>> written(0.9), written(2.0)
    ('0.9', '2')
    """
    return repr(float(number)).removesuffix(".0")


def require_alpha(alpha: float) -> float:
    """Return the level of a quantile as a float, or raise if it is none."""
    if not is_number(alpha) or not 0 < as_float(alpha) < 1:
        raise InvalidMeasureError(
            f"must be a number between 0 and 1 (got {shown(alpha)}): the share of the truth that "
            "predictions are to exceed",
            parameter="alpha",
        )
    return float(alpha)


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


def pinball(alpha: float = 0.5) -> NumberMeasure:
    """Return the pinball loss of a quantile; the same record every time.

    Examples
    --------
    >>> pinball(0.9)
    <Measure pinball@0.9: Pinball Loss of the 0.9 Quantile>
    """
    return _pinball(require_alpha(alpha))


@cache
def _pinball(alpha: float) -> NumberMeasure:
    loss, number = PinballLoss(alpha), written(alpha)
    default = ("pinball", "mean_pinball_loss", "neg_mean_pinball_loss", "pinball loss")
    return NumberMeasure(
        key=f"pinball@{number}",
        name=f"Pinball Loss of the {number} Quantile",
        aliases=default if alpha == 0.5 else (),
        meaning="Half the mean absolute error."
        if alpha == 0.5
        else f"The mean error, where one below the truth counts {number} and one above it "
        f"{written(round(1 - alpha, 12))}.",
        pitfall="It judges predictions of this quantile, not predictions of a mean.",
        sklearn=SklearnCall("mean_pinball_loss", {"alpha": alpha}),
        direction=Direction.MINIMIZE,
        codomain=COUNT,
        rounds=True,
        definition=r"\frac{1}{M} \sum_i \max\left(\alpha (y_i - \hat{y}_i), "
        r"(1 - \alpha) (\hat{y}_i - y_i)\right)",
        kernel=lambda y, z, w: mean(loss(y, z), w),
        constants=lambda values, weights: quantiles(values, alpha, weights),
        form=MeanLoss(loss),
    )


def huber(delta: float = 1.0) -> NumberMeasure:
    """Return the Huber loss for a delta; the same record every time.

    Examples
    --------
    >>> huber(2)
    <Measure Huber@2: Huber Loss with delta 2>
    """
    if not is_number(delta) or not 1 / _MOST_DELTA <= as_float(delta) <= _MOST_DELTA:
        raise InvalidMeasureError(
            f"must be a number above 0, from {1 / _MOST_DELTA:g} to {_MOST_DELTA:g} "
            f"(got {shown(delta)}): the error from which the loss is linear",
            parameter="delta",
        )
    return _huber(float(delta))


@cache
def _huber(delta: float) -> NumberMeasure:
    loss, number = HuberLoss(delta), written(delta)
    return NumberMeasure(
        key=f"Huber@{number}",
        name=f"Huber Loss with delta {number}",
        aliases=("Huber", "Huber loss", "mean_huber_loss") if delta == 1 else (),
        meaning=f"Half the squared error up to {number}, and beyond it in proportion to the error.",
        pitfall="Delta is in the unit of the truth: choose it to fit the size of the errors.",
        direction=Direction.MINIMIZE,
        codomain=COUNT,
        rounds=True,
        definition=r"\frac{1}{M} \sum_i m_i \left(|e_i| - \tfrac{1}{2} m_i\right), \quad "
        r"e_i = y_i - \hat{y}_i, \; m_i = \min(|e_i|, \delta)",
        kernel=lambda y, z, w: mean(loss(y, z), w),
        constants=lambda values, weights: huber_centres(values, delta, weights),
        form=MeanLoss(loss),
    )


BENT = (pinball(), huber())
