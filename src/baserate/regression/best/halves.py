"""The best constants for the median and for the largest absolute error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baserate.core.rounding import FORMULA
from baserate.regression.constants import Constants, joined, one

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def middle_of(low: Floats, high: Floats) -> Floats:
    """Return the numbers in the middle, which neither overflow nor leave the two ends."""
    return low / 2 + high / 2


def midrange(values: Floats, weights: Floats | None = None) -> Constants:
    """Return the constant with the least largest error, of numbers in ascending order."""
    return one(float(values[0]) / 2 + float(values[-1]) / 2)


def shortest_halves(values: Floats, weights: Floats | None = None) -> Constants:
    """Return all constants with the least median absolute error, of numbers in ascending order.

    Let h be ⌊M/2⌋. The best score is half the length of the shortest range that holds h + 1 of
    the numbers. If M is odd, it is the constant in the middle that has it. If M is even, the
    median is the mean of the errors h and h + 1, which are those of the two ends as long as
    no number between them is further away than the nearer end: that makes an interval.

    Examples
    --------
    >>> import numpy as np
    >>> shortest_halves(np.array([1.0, 2, 3, 10, 100])), shortest_halves(np.array([1.0, 2]))
    ((ConstantSet(low=2.0, high=2.0),), (ConstantSet(low=1.0, high=2.0),))
    """
    half = values.size // 2
    first, last = values[: values.size - half], values[half:]
    lengths = last / 2 - first / 2
    # Ends are rounded already: lengths that should be equal differ in the last places of them.
    slack = FORMULA * max(abs(float(values[0])), abs(float(values[-1])))
    found = np.flatnonzero(lengths <= lengths.min() + min(slack, FORMULA * lengths.min() * 2**20))
    if values.size % 2:
        low = high = middle_of(first[found], last[found])
    else:
        low = middle_of(values[found], values[found + half - 1])
        high = middle_of(values[found + 1], values[found + half])
    return joined(sorted(zip(low.tolist(), high.tolist(), strict=True)))
