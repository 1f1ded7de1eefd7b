"""Relative errors: MAPE and symmetric MAPE."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baserate.core.codomain import COUNT, Codomain
from baserate.core.direction import Direction
from baserate.core.sklearn_call import SklearnCall
from baserate.regression.best.quantiles import EPSILON, relative_medians
from baserate.regression.best.symmetric import symmetric_centres
from baserate.regression.measures.forms import MeanLoss
from baserate.regression.measures.record import NumberMeasure
from baserate.regression.measures.sums import mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def relative_error(truth: Floats, predicted: Floats) -> Floats:
    """Return the absolute error as a share of the truth; of 0, as scikit-learn has it."""
    return np.abs(predicted - truth) / np.maximum(np.abs(truth), EPSILON)


def symmetric_error(truth: Floats, predicted: Floats) -> Floats:
    """Return the absolute error as a share of the mean of both; 0 if both are 0."""
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
    direction=Direction.MINIMIZE,
    codomain=COUNT,
    rounds=True,
    definition=r"\frac{1}{M} \sum_i \frac{|y_i - \hat{y}_i|}{\max(|y_i|, \varepsilon)}",
    kernel=lambda y, z, w: mean(relative_error(y, z), w),
    constants=relative_medians,
    form=MeanLoss(relative_error),
)
SYMMETRIC_MAPE = NumberMeasure(
    key="sMAPE",
    name="Symmetric Mean Absolute Percentage Error",
    aliases=("symmetric MAPE", "symmetric_mean_absolute_percentage_error"),
    meaning="How far predictions are off on average, as a share of the mean of truth and "
    "prediction: from 0 to 2.",
    pitfall="Any prediction with the wrong sign costs 2, however small, and so does any but 0 for "
    "a truth of 0. Some define it without the factor 2.",
    direction=Direction.MINIMIZE,
    codomain=Codomain(0, 2),
    rounds=True,
    definition=r"\frac{1}{M} \sum_i \frac{2 |y_i - \hat{y}_i|}{|y_i| + |\hat{y}_i|}",
    kernel=lambda y, z, w: mean(symmetric_error(y, z), w),
    constants=symmetric_centres,
    form=MeanLoss(symmetric_error),
)
RELATIVE = (MAPE, SYMMETRIC_MAPE)
