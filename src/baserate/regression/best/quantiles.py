"""Medians and quantiles, as intervals, of numbers that count alike and of weighted ones."""

from __future__ import annotations

import sys
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from baserate.regression.constants import Constants, between

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# scikit-learn divides by at least this much in MAPE.
EPSILON = float(np.finfo(np.float64).eps)
# Whole numbers up to this, and their halves, are floats.
_WHOLE = 2.0**52


def quantiles(values: Floats, alpha: float, weights: Floats | None = None) -> Constants:
    """Return all constants with the least pinball loss, of numbers in ascending order.

    If a share of exactly alpha is up to a number, they are all from it to the next. Alpha is the
    decimal fraction that was written: 0.29 of 100 is 29, which floating-point numbers miss.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.array([1.0, 2, 3, 10])
    >>> quantiles(values, 0.5), quantiles(values, 0.5, np.array([3.0, 1, 1, 1]))
    ((ConstantSet(low=2.0, high=3.0),), (ConstantSet(low=1.0, high=2.0),))
    """
    share = Fraction(repr(float(alpha)))
    if weights is not None:
        return _at(values, running_sums(weights), share)
    place = share * values.size
    below = place.numerator // place.denominator
    low = below - 1 if place.denominator == 1 else below
    return between(values[max(low, 0)], values[min(below, values.size - 1)])


def medians(values: Floats, weights: Floats | None = None) -> Constants:
    """Return all medians of numbers in ascending order."""
    if weights is not None:
        return _at(values, running_sums(weights), Fraction(1, 2))
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
    sizes = np.maximum(np.abs(values), EPSILON)
    shares = 1.0 if weights is None else weights / weights.max()
    return _at(values, rounded_sums(_quotients(shares, sizes)), Fraction(1, 2))


def _quotients(over: Floats | float, under: Floats) -> Floats:
    """Return quotients, all divided by the same power of 2, so that none is too large."""
    (top, raised), (bottom, lowered) = np.frexp(over), np.frexp(under)
    powers = raised.astype(np.int64) - lowered
    return np.asarray(np.ldexp(top / bottom, powers - powers.max()))


class Sums(NamedTuple):
    """Sums of weights up to each number, and how far they may be off: 0 for whole numbers."""

    upto: Floats
    slack: float

    def around(self, place: Fraction) -> tuple[int, int]:
        """Return which sum is the first of at least this much, and which the first of more."""
        ends: tuple[float, float] = ceil(place), floor(place) + 1
        if self.slack:
            ends = float(place) - self.slack, float(place) + self.slack
        found = np.searchsorted(self.upto, ends)
        low, high = np.minimum(found, self.upto.size - 1).tolist()
        return low, high


def running_sums(weights: Floats) -> Sums:
    """Return the sums of weights, which are exact of whole numbers and of equal ones.

    Examples
    --------
    >>> import numpy as np
    >>> running_sums(np.array([0.1, 0.1, 0.1])).upto.tolist()
    [1.0, 2.0, 3.0]
    """
    for unit in (1.0, float(weights.min())):
        with np.errstate(all="ignore"):  # what is beyond floats is not whole
            units = weights / unit
            is_whole = (units % 1 == 0).all() and units.sum() <= _WHOLE
        if is_whole:
            return Sums(np.cumsum(units), 0.0)
    return rounded_sums(weights / weights.max())


def rounded_sums(weights: Floats) -> Sums:
    """Return the sums of weights that are rounded, and by how much equal sums may differ."""
    upto = np.cumsum(weights)
    # How far a running sum is off after so many steps, which is like a random walk.
    return Sums(upto, sys.float_info.epsilon * (8 + weights.size**0.5) * float(upto[-1]))


def _at(values: Floats, sums: Sums, share: Fraction) -> Constants:
    """Return all constants with a share of the weight on either side, as near as there is one."""
    low, high = sums.around(share * Fraction(float(sums.upto[-1])))
    return between(values[low], values[high])
