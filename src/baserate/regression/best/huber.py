"""The best constants for the Huber loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baserate.regression.best.quantiles import medians
from baserate.regression.constants import Constants, between, one

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def huber_centres(values: Floats, delta: float, weights: Floats | None = None) -> Constants:
    """Return all constants with the least Huber loss, of numbers in ascending order.

    The slope of the loss is a sum of errors that are clipped at delta, which never falls as the
    constant grows. It is 0 along an interval only if half the weight is below by at least
    delta, and half above.

    Examples
    --------
    >>> import numpy as np
    >>> huber_centres(np.array([0.0, 1, 2, 30]), 1.0), huber_centres(np.array([0.0, 10]), 1.0)
    ((ConstantSet(low=1.5, high=1.5),), (ConstantSet(low=1.0, high=9.0),))
    """
    ((low, high),) = ((each.low + delta, each.high - delta) for each in medians(values, weights))
    if low <= high:
        return between(low, high)
    # Relative to the largest, so that the sum of weights is finite.
    shares = np.ones(values.size) if weights is None else weights / weights.max()
    return one(_root(values, shares, delta))


def _root(values: Floats, weights: Floats, delta: float) -> float:
    """Return the one constant at which clipped errors sum to 0."""
    # Running sums around the median, so that no large numbers cancel where the root is: within
    # delta of the median. Numbers further away than 2 delta are not near it, however far they are.
    heavy = np.append(0.0, np.cumsum(weights))
    centre = float(values[np.searchsorted(heavy, heavy[-1] / 2, side="right") - 1])
    around = np.clip(values / 2 - centre / 2, -3 * delta, 3 * delta) * 2
    upto = np.append(0.0, np.cumsum(weights * around))

    def slope(constant: float) -> float:
        first, last = _near(values, constant, delta)
        pull = delta * (heavy[first] - (heavy[-1] - heavy[last]))
        near = (heavy[last] - heavy[first]) * (constant - centre)
        return float(near - (upto[last] - upto[first]) + pull)

    # Between neighbouring ends of the ranges within delta of a number, the slope is linear.
    ends = [_around(values, -delta, slope), _around(values, delta, slope)]
    low, high = max(end[0] for end in ends), min(end[1] for end in ends)
    return _within(values, weights, (low, high), delta)


def _around(values: Floats, shift: float, slope: Callable[[float], float]) -> tuple[float, float]:
    """Return the two neighbours, of numbers shifted by so much, between which the slope is 0."""
    low, high = -1, values.size
    while high - low > 1:
        middle = (low + high) // 2
        if slope(float(values[middle]) + shift) <= 0:
            low = middle
        else:
            high = middle
    below = float(values[low]) + shift if low >= 0 else float(values[0]) - abs(shift)
    above = float(values[high]) + shift if high < values.size else float(values[-1]) + abs(shift)
    return below, above


def _near(values: Floats, constant: float, delta: float) -> tuple[int, int]:
    """Return the first number within delta of a constant, and the first beyond."""
    first = int(np.searchsorted(values, constant - delta))
    return first, int(np.searchsorted(values, constant + delta, side="right"))


def _within(values: Floats, weights: Floats, ends: tuple[float, float], delta: float) -> float:
    """Return the root between two neighbouring ends, where the same numbers are near."""
    middle = ends[0] / 2 + ends[1] / 2
    first, last = _near(values, middle, delta)
    near, heavy = values[first:last], weights[first:last]
    pull = delta * float(weights[last:].sum() - weights[:first].sum())
    # Around the middle, so that no large numbers cancel.
    root = middle + float((near - middle) @ heavy + pull) / (float(heavy.sum()) or 1.0)
    return min(max(root, ends[0]), ends[1])
