"""The mean of numbers, and of their logarithms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baserate.regression.constants import Constants, one

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def mean_of(values: Floats) -> float:
    """Return the mean of numbers in ascending order, which is never beyond their ends."""
    half = values / 2 if max(-values[0], values[-1]) > 1e290 else None
    mean = float(values.mean()) if half is None else 2 * float((half / values.size).sum())
    return min(max(mean, float(values[0])), float(values[-1]))


def mean_constant(values: Floats) -> Constants:
    """Return the constant with the least squared error: the mean."""
    return one(mean_of(values))


def geometric_centre(values: Floats) -> Constants:
    """Return the constant with the least squared error of log(1 + y)."""
    return one(float(np.expm1(np.log1p(values).mean())))
