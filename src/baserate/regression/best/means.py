"""The mean of numbers, and of their logarithms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baserate.regression.constants import Constants, one

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def mean_of(values: Floats, weights: Floats | None = None) -> float:
    """Return the mean of numbers in ascending order, which is never beyond their ends."""
    shares = 1 / values.size if weights is None else weights / weights.sum()
    if weights is None and max(-values[0], values[-1]) <= 1e290:
        mean = float(values.mean())
    else:  # halves, whose sum is finite
        mean = 2 * float((values / 2 * shares).sum())
    return min(max(mean, float(values[0])), float(values[-1]))


def mean_constant(values: Floats, weights: Floats | None = None) -> Constants:
    """Return the constant with the least squared error: the mean."""
    return one(mean_of(values, weights))


def geometric_centre(values: Floats, weights: Floats | None = None) -> Constants:
    """Return the constant with the least squared error of log(1 + y)."""
    return one(float(np.expm1(mean_of(np.log1p(values), weights))))
