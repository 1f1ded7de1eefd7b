"""What an observation adds to a measure, for measures of a mean loss."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.direction import Direction
from baserate.regression.measures.forms import MeanLoss, Products

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.regression.measures.forms import Loss
    from baserate.regression.measures.record import NumberMeasure

    Floats = NDArray[np.float64]


class Shape(Enum):
    """How a score follows from the mean loss."""

    MEAN = "the mean loss"
    ROOT = "its root"
    RATIO = "the mean loss, divided by a mean of the truth"
    SHARE = "the share that is saved of the best constant's"


def row_loss(measure: NumberMeasure) -> Loss | None:
    """Return the loss of an observation; None if the measure is no mean of losses.

    Examples
    --------
    >>> import numpy as np
    >>> from baserate.regression.measures.errors import RMSE
    >>> row_loss(RMSE)(np.array([1.0, 2.0]), np.array([3.0, 2.0])).tolist()
    [4.0, 0.0]
    """
    return measure.form.loss if isinstance(measure.form, MeanLoss | Products) else None


def shape_of(measure: NumberMeasure) -> Shape:
    """Return how the score follows from the mean loss.

    Examples
    --------
    >>> from baserate.regression.measures.errors import RMSE
    >>> from baserate.regression.measures.explained import R2
    >>> shape_of(RMSE).value, shape_of(R2).name
    ('its root', 'SHARE')
    """
    if measure.direction is Direction.MAXIMIZE:
        return Shape.SHARE
    form = measure.form
    if isinstance(form, MeanLoss) and form.per is not None:
        return Shape.RATIO
    return Shape.ROOT if isinstance(form, Products) and form.rooted else Shape.MEAN


def divisors(measure: NumberMeasure, truth: Floats) -> Floats:
    """Return the numbers by whose mean the mean loss of a ratio is divided; others have none."""
    form: Any = measure.form
    return np.asarray(form.per(truth), dtype=float)
