"""What an observation adds to a measure, for measures of a mean loss."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from baserate.core.direction import Direction
from baserate.regression.measures.deviances import tweedie_loss
from baserate.regression.measures.errors import MSE, MSLE, RMSE, RMSLE, log_errors
from baserate.regression.measures.explained import R2
from baserate.regression.measures.forms import MeanLoss

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from baserate.regression.measures.record import NumberMeasure

    Floats = NDArray[np.float64]
    Loss = Callable[[Floats, Floats], Floats]

_POWERS = {"Poisson deviance": 1.0, "Gamma deviance": 2.0}
_TWEEDIE = ("Tweedie@", "D2 Tweedie@")


class Shape(Enum):
    """How a score follows from the mean loss."""

    MEAN = "the mean loss"
    ROOT = "its root"
    SHARE = "the share that is saved of the best constant's"


def row_loss(measure: NumberMeasure) -> Loss | None:
    """Return the loss of an observation; None if the measure is no mean of losses.

    Examples
    --------
    >>> import numpy as np
    >>> row_loss(RMSE)(np.array([1.0, 2.0]), np.array([3.0, 2.0])).tolist()
    [4.0, 0.0]
    """
    if isinstance(measure.form, MeanLoss):
        return measure.form.loss
    if measure in (MSE, RMSE, R2):
        return lambda y, z: (y - z) ** 2
    if measure in (MSLE, RMSLE):
        return lambda y, z: log_errors(y, z) ** 2
    power = _POWERS.get(measure.key)
    if power is None and measure.key.startswith(_TWEEDIE):
        power = float(measure.key.rpartition("@")[2])
    return None if power is None else tweedie_loss(power)


def shape_of(measure: NumberMeasure) -> Shape:
    """Return how the score follows from the mean loss.

    Examples
    --------
    >>> shape_of(RMSE).value, shape_of(R2).name
    ('its root', 'SHARE')
    """
    if measure.direction is Direction.MAXIMIZE:
        return Shape.SHARE
    return Shape.ROOT if measure in (RMSE, RMSLE) else Shape.MEAN
