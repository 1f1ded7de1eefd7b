"""Means and roots of squares that neither overflow nor underflow."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


# Numbers within these have squares that are neither 0 nor infinite.
_SMALL, _LARGE = 1e-140, 1e140


def mean(values: Floats, weights: Floats | None = None) -> float:
    """Return the mean, each value counted as often as its weight; of numbers of any size.

    Examples
    --------
    >>> import numpy as np
    >>> mean(np.array([1e308, 1.5e308]))
    1.25e+308
    """
    with np.errstate(over="ignore", invalid="ignore"):
        found = float(values.mean() if weights is None else values @ weights / weights.sum())
        if math.isfinite(found):
            return found
        # Shares of them, whose sum is finite.
        shares = 1 / values.size if weights is None else weights / weights.sum()
        return 2 * float((values / 2 * shares).sum())


def of_usual_size(weights: Floats) -> Floats:
    """Return weights whose products no float may hold times a power of 2, which changes no mean.

    Examples
    --------
    >>> import numpy as np
    >>> of_usual_size(np.array([1.0, 3])).tolist(), of_usual_size(np.array([2.0**-900])).tolist()
    ([1.0, 3.0], [0.5])
    """
    largest = float(weights.max())
    if _SMALL < largest < _LARGE:
        return weights
    return np.asarray(np.ldexp(weights, -np.frexp(largest)[1]))


def root_mean_square(values: Floats, weights: Floats | None = None) -> float:
    """Return the root of the mean square, of numbers whose squares no float may hold too.

    Examples
    --------
    >>> import numpy as np
    >>> root_mean_square(np.array([3e200, -4e200]) * 2**0.5)
    5e+200
    """
    size = float(np.abs(values).max())
    if _SMALL < size < _LARGE or size == 0 or math.isinf(size):
        return math.sqrt(mean(values**2, weights))
    return size * math.sqrt(mean((values / size) ** 2, weights))


def centred(values: Floats, weights: Floats | None = None) -> Floats:
    """Return the differences from the mean."""
    return values - mean(values, weights)


def deviation(values: Floats, weights: Floats | None = None) -> float:
    """Return the standard deviation around the mean."""
    return root_mean_square(centred(values, weights), weights)


def are_equal(values: Floats) -> bool:
    """Return whether all numbers are the same."""
    return bool((values == values[0]).all())
