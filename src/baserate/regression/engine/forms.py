"""How an engine finds a score and the best constant: by which loss, and by which centre."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING

from baserate.regression.engine import losses
from baserate.regression.measures.correlations import CONCORDANCE, PEARSON
from baserate.regression.measures.errors import (
    MAE,
    MAX_ERROR,
    MEDIAN_ERROR,
    MSE,
    MSLE,
    RMSE,
    RMSLE,
)
from baserate.regression.measures.explained import EXPLAINED_VARIANCE, R2
from baserate.regression.measures.relative import MAPE, SYMMETRIC_MAPE

if TYPE_CHECKING:
    from baserate.regression.engine.losses import Loss
    from baserate.regression.measures.record import NumberMeasure


class Centre(Enum):
    """Which constant is best."""

    MEAN = "the mean"
    LOG_MEAN = "the mean of log(1 + y)"
    QUANTILE = "a quantile"
    RELATIVE = "the median, each number weighing 1/|y|"
    HUBER = "where errors that are clipped sum to 0"
    OF_SAMPLE = "about that of a sample"


@dataclass(frozen=True)
class OfLoss:
    """A measure of a mean loss.

    Parameters
    ----------
    name
        A name of the loss, unlike that of other losses.
    loss
        The loss of an observation, as an expression.
    centre
        Which constant is best.
    parameter
        The level, if that is a quantile; delta of the Huber loss.
    """

    name: str
    loss: Loss
    centre: Centre
    parameter: float = 0.5

    @property
    def is_of_logs(self) -> bool:
        """Whether it is a loss of log(1 + y), and not of the numbers themselves."""
        return self.centre is Centre.LOG_MEAN

    @property
    def is_squared(self) -> bool:
        """Whether it is in the square of the unit of the numbers."""
        return self.loss is losses.squared and not self.is_of_logs


class Other(Enum):
    """A measure that is no mean loss, but known from sums or order statistics."""

    MOMENTS = "means, variances and the covariance"
    LARGEST = "the largest error"
    MIDDLE = "the median error"


SQUARED = OfLoss("squared", losses.squared, Centre.MEAN)
_LOGARITHMIC = OfLoss("logarithmic", losses.squared, Centre.LOG_MEAN)
_FORMS: dict[NumberMeasure, OfLoss | Other] = {
    MSE: SQUARED,
    RMSE: SQUARED,
    R2: SQUARED,
    MSLE: _LOGARITHMIC,
    RMSLE: _LOGARITHMIC,
    MAE: OfLoss("absolute", losses.absolute, Centre.QUANTILE),
    MAPE: OfLoss("relative", losses.relative, Centre.RELATIVE),
    SYMMETRIC_MAPE: OfLoss("symmetric", losses.symmetric, Centre.OF_SAMPLE),
    PEARSON: Other.MOMENTS,
    CONCORDANCE: Other.MOMENTS,
    EXPLAINED_VARIANCE: Other.MOMENTS,
    MAX_ERROR: Other.LARGEST,
    MEDIAN_ERROR: Other.MIDDLE,
}
# What is before the number in the key of a measure with a parameter.
_PINBALL, _HUBER, _TWEEDIE = ("pinball", "D2 pinball"), ("Huber",), ("Tweedie", "D2 Tweedie")
_PARAMETERS = {
    "D2 absolute error": ("D2 pinball", 0.5),
    "Poisson deviance": ("Tweedie", 1.0),
    "Gamma deviance": ("Tweedie", 2.0),
}


def named(family: str, number: float) -> str:
    """Return a name with a number in it that every engine takes for a column.

    Examples
    --------
    >>> named("tweedie", -1.5)
    'tweedie__1_5'
    """
    return re.sub(r"\W", "_", f"{family}_{float(number)!r}")


@cache  # so that the same loss is the same object
def form_of(measure: NumberMeasure) -> OfLoss | Other | None:
    """Return how an engine finds a measure; None if it would need all rows.

    Examples
    --------
    >>> from baserate.regression.measures.catalogue import get_number_measure
    >>> form_of(get_number_measure("pinball@0.9")).name, form_of(get_number_measure("Kendall"))
    ('pinball_0_9', None)
    """
    if measure in _FORMS:
        return _FORMS[measure]
    family, _, number = measure.key.rpartition("@")
    family, parameter = _PARAMETERS.get(measure.key) or (family, float(number) if family else 0.0)
    if family in _PINBALL:
        loss = losses.pinball(parameter)
        return OfLoss(named("pinball", parameter), loss, Centre.QUANTILE, parameter)
    if family in _HUBER:
        return OfLoss(named("huber", parameter), losses.huber(parameter), Centre.HUBER, parameter)
    if family in _TWEEDIE:
        return OfLoss(named("tweedie", parameter), losses.tweedie(parameter), Centre.MEAN)
    return None


def needs_rows(measure: NumberMeasure) -> bool:
    """Return whether sums are not enough for the score and the best constant.

    Examples
    --------
    >>> needs_rows(RMSE), needs_rows(MEDIAN_ERROR)
    (False, True)
    """
    form = form_of(measure)
    if isinstance(form, OfLoss):
        return form.centre is Centre.OF_SAMPLE
    return form is None or form is Other.MIDDLE
