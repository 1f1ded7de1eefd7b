"""The mean of numbers, and of their logarithms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baserate.regression.constants import Constants, one
from baserate.regression.measures.sums import mean, of_usual_size

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Of numbers up to this, sums and weighted sums are finite.
_LARGE = 1e140


def mean_of(values: Floats, weights: Floats | None = None) -> float:
    """Return the mean of numbers in ascending order, which is never beyond their ends."""
    heavy = None if weights is None else of_usual_size(weights)
    if max(-values[0], values[-1]) <= _LARGE:
        found = mean(values, heavy)
    else:  # shares of them, whose sum is finite
        shares = 1 / values.size if heavy is None else heavy / heavy.sum()
        found = 2 * float((values / 2 * shares).sum())
    return min(max(found, float(values[0])), float(values[-1]))


def mean_constant(values: Floats, weights: Floats | None = None) -> Constants:
    """Return the constant with the least squared error: the mean."""
    return one(mean_of(values, weights))


def geometric_centre(values: Floats, weights: Floats | None = None) -> Constants:
    """Return the constant with the least squared error of log(1 + y)."""
    return one(float(np.expm1(mean_of(np.log1p(values), weights))))
