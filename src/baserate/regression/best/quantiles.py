"""Medians and quantiles, as intervals, of equal and of unequal weights."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from baserate.regression.constants import Constants, between

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# scikit-learn divides by at least this much in MAPE.
EPSILON = float(np.finfo(np.float64).eps)


def quantiles(values: Floats, alpha: float, weights: Floats | None = None) -> Constants:
    """Return all constants with the least pinball loss, of numbers in ascending order.

    With a whole alpha M they are the numbers between two neighbours. Alpha is the decimal fraction
    that was written: 0.29 of 100 is 29, which floating-point numbers miss.

    Examples
    --------
    >>> import numpy as np
    >>> quantiles(np.array([1.0, 2, 3, 10]), 0.5)
    (ConstantSet(low=2.0, high=3.0),)
    """
    place = Fraction(repr(float(alpha))) * values.size
    below = place.numerator // place.denominator
    low = below - 1 if place.denominator == 1 else below
    return between(values[max(low, 0)], values[min(below, values.size - 1)])


def medians(values: Floats, weights: Floats | None = None) -> Constants:
    """Return all medians of numbers in ascending order."""
    return between(values[(values.size - 1) // 2], values[values.size // 2])


def relative_medians(values: Floats, weights: Floats | None = None) -> Constants:
    """Return all constants with the least MAPE: medians, each number weighing 1/|y|.

    A number of 0 weighs 1/2.2e-16, as scikit-learn has it: then the constant 0 is best.

    Examples
    --------
    >>> import numpy as np
    >>> relative_medians(np.array([1.0, 2, 2])), relative_medians(np.array([0.0, 5, 9]))
    ((ConstantSet(low=1.0, high=2.0),), (ConstantSet(low=0.0, high=0.0),))
    """
    # Relative to the largest, so that the sum of weights is finite.
    sizes = np.maximum(np.abs(values), EPSILON)
    upto = np.cumsum(sizes.min() / sizes)
    half = upto[-1] / 2
    # How far a running sum is off after so many steps, which is like a random walk.
    slack = sys.float_info.epsilon * (8 + values.size**0.5) * upto[-1]
    low = int(np.searchsorted(upto, half - slack))
    high = int(np.searchsorted(upto, half + slack))
    return between(values[low], values[min(high, values.size - 1)])
