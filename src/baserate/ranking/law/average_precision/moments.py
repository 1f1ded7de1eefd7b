"""The mean and the variance of average precision, for any blocks of equal scores.

With y for the truth of an observation, P times average precision is a sum over observations and
pairs of them, Σ d_i y_i + Σ c_ij y_i y_j: d_i = 1/T_b for an observation of block b, and c_ij =
1/T_b for the lower of the two blocks, twice that if both are in it. All moments follow from these
weights and from the chances of some given observations to be positive together.
"""

from __future__ import annotations

import math
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate

    Floats = NDArray[np.float64]

# As many blocks as stay in the processor's cache.
_CHUNK = 1 << 15
# From here on the series of the harmonic numbers is exact up to rounding.
_MANY = 40


def harmonic(number: int) -> float:
    """Return 1 + 1/2 + … + 1/number.

    Examples
    --------
    >>> round(harmonic(3), 4), round(harmonic(10**9), 4)
    (1.8333, 21.3005)
    """
    if number < _MANY:
        return math.fsum(1 / term for term in range(1, number + 1))
    inverse = 1 / number
    series = inverse / 2 - inverse**2 / 12 + inverse**4 / 120 - inverse**6 / 252
    return math.log(number) + float(np.euler_gamma) + series


def mean_precision(rate: BaseRate, shares: float) -> float:
    """Return the expected average precision of a deck, given Σ t_b/T_b over its blocks."""
    total, positives = rate.total, rate.positives
    if positives == total:
        return 1.0
    rest = rate.negatives / total * (shares / (total - 1))
    return (positives - 1) / (total - 1) + rest


def variance_of_sum(sizes: NDArray[Any], positives: int) -> float:
    """Return the variance of P times average precision.

    Parameters
    ----------
    sizes
        The number of observations in each block of equal scores, from the highest; two in all, or
        more.
    positives
        The number of positives, P.
    """
    total = round(float(sizes.sum()))
    shares = sum(float((size / upto).sum()) for size, upto in _chunks(sizes))
    # The mean weight of an observation, of all pairs with it, and of a pair. Weights less their
    # means have the same variance, and nothing cancels.
    single, row = shares / total, 2 * (total - shares) / total
    parts = np.zeros(4)
    below = shares
    for size, upto in _chunks(sizes):
        each = 1 / upto
        after = below - np.cumsum(size * each)
        below = float(after[-1])
        parts += _parts(size, upto, (each, after), (single, row, row / (total - 1)))
    one, two, three, four = (_together(count, positives, total) for count in range(1, 5))
    weights = one - two, 2 * (two - three), three - four, two - 2 * three + four
    return float(parts @ weights)


def _chunks(sizes: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Yield the sizes of some blocks, and the number of observations down to each."""
    seen = 0.0
    for start in range(0, sizes.size, _CHUNK):
        size = sizes[start : start + _CHUNK].astype(float)
        upto = np.cumsum(size)
        upto += seen
        seen = float(upto[-1])
        yield size, upto


def _parts(
    size: Floats, upto: Floats, weights: tuple[Floats, Floats], means: tuple[float, float, float]
) -> Floats:
    """Return the sums of squares and products of weights, less their means, of some blocks."""
    each, after = weights
    single = each - means[0]
    row = (upto + size - 2) * each + after - means[1]
    inside = size * (size - 1) / 2 @ (2 * each - means[2]) ** 2
    across = size * (upto - size) @ (each - means[2]) ** 2
    weighted = size * single
    return np.array([weighted @ single, weighted @ row, size * row @ row, inside + across])


def _together(count: int, positives: int, total: int) -> float:
    """Return the chance of some given observations to be positive, all of them."""
    if positives < count:
        return 0.0
    return reduce(lambda chance, each: chance * ((positives - each) / (total - each)),
                  range(count), 1.0)  # fmt: skip
