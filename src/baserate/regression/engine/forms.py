"""How an engine finds a score and the best constant: by which loss, and by which centre."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any

from baserate.regression.engine import losses
from baserate.regression.losses import Shape, row_loss, shape_of
from baserate.regression.measures.bent import HuberLoss, PinballLoss
from baserate.regression.measures.correlations import CONCORDANCE, PEARSON
from baserate.regression.measures.deviances import TweedieLoss
from baserate.regression.measures.errors import absolute_error, squared_error, squared_log_error
from baserate.regression.measures.explained import EXPLAINED_VARIANCE
from baserate.regression.measures.forms import LargestError, MiddleError
from baserate.regression.measures.relative import relative_error, symmetric_error

if TYPE_CHECKING:
    from baserate.regression.engine.losses import Loss as Expression
    from baserate.regression.measures.forms import Loss
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
    loss: Expression
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
_LOSSES: dict[Any, OfLoss] = {
    squared_error: SQUARED,
    squared_log_error: OfLoss("logarithmic", losses.squared, Centre.LOG_MEAN),
    absolute_error: OfLoss("absolute", losses.absolute, Centre.QUANTILE),
    relative_error: OfLoss("relative", losses.relative, Centre.RELATIVE),
    symmetric_error: OfLoss("symmetric", losses.symmetric, Centre.OF_SAMPLE),
}
_OF_MOMENTS = (PEARSON, CONCORDANCE, EXPLAINED_VARIANCE)
_OTHERS: dict[type, Other] = {LargestError: Other.LARGEST, MiddleError: Other.MIDDLE}


def named(family: str, number: float) -> str:
    """Return a name with a number in it that every engine takes for a column.

    Examples
    --------
    >>> named("tweedie", -1.5)
    'tweedie__1_5'
    """
    return re.sub(r"\W", "_", f"{family}_{float(number)!r}")


def form_of(measure: NumberMeasure) -> OfLoss | Other | None:
    """Return how an engine finds a measure; None if it would need all rows.

    Examples
    --------
    >>> from baserate.regression.measures.catalogue import get_number_measure
    >>> form_of(get_number_measure("pinball@0.9")).name, form_of(get_number_measure("Kendall"))
    ('pinball_0_9', None)
    """
    if measure in _OF_MOMENTS:
        return Other.MOMENTS
    if shape_of(measure) is Shape.RATIO:  # by which no engine divides
        return None
    return _OTHERS.get(type(measure.form)) or _of_loss(row_loss(measure))


@cache  # so that the same loss is the same object
def _of_loss(loss: Loss | None) -> OfLoss | None:
    """Return how an engine finds a mean loss; None if it does not know the loss."""
    if isinstance(loss, PinballLoss):
        name, expression = named("pinball", loss.alpha), losses.pinball(loss.alpha)
        return OfLoss(name, expression, Centre.QUANTILE, loss.alpha)
    if isinstance(loss, HuberLoss):
        name, expression = named("huber", loss.delta), losses.huber(loss.delta)
        return OfLoss(name, expression, Centre.HUBER, loss.delta)
    if isinstance(loss, TweedieLoss):
        return OfLoss(named("tweedie", loss.power), losses.tweedie(loss.power), Centre.MEAN)
    return _LOSSES.get(loss)


def needs_rows(measure: NumberMeasure) -> bool:
    """Return whether sums are not enough for the score and the best constant.

    Examples
    --------
    >>> from baserate.regression.measures.errors import MEDIAN_ERROR, RMSE
    >>> needs_rows(RMSE), needs_rows(MEDIAN_ERROR)
    (False, True)
    """
    form = form_of(measure)
    if isinstance(form, OfLoss):
        return form.centre is Centre.OF_SAMPLE
    return form is None or form is Other.MIDDLE
