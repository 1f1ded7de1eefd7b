"""Moments of sums over a random permutation, without the permutations."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from baserate.regression.law.curve import Curve

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# More numbers than these are put into groups of neighbours, but for those at the ends. The truth
# has more of them, as what is divided by a truth near 0 changes fast; and most for the mean, which
# has to be right to a part of the standard deviation.
_MOST, _ENDS = 1_200, 200
_ROWS, _END_ROWS = 2_400, 800
_FOR_MEAN, _ENDS_FOR_MEAN = 16_000, 4_000


def of_products(left: Floats, right: Floats) -> Curve:
    """Return the law of the mean product of centred numbers, dealt at random to each other.

    All four moments are exact: they are sums over the ways in which rows of a product of four may
    coincide, and sums of centred numbers over different rows are sums of their powers.

    Examples
    --------
    >>> import numpy as np
    >>> curve = of_products(np.array([-1.0, 0, 1]), np.array([-1.0, 0, 1]))
    >>> round(curve.deviation**2, 4), curve.skewness, round(curve.kurtosis, 4)
    (0.2222, 0.0, -1.5)
    """
    m = left.size
    if m < 2 or not left.any() or not right.any():
        return Curve(0.0, 0.0)
    a, b = (_power_sums(numbers) for numbers in (left, right))
    scale = math.sqrt(a[0] * b[0] / (m - 1))
    # From here on both sums of squares are 1, and the variance of the sum is 1 / (m - 1).
    third = m * a[1] * b[1] / ((m - 1) * (m - 2)) if m > 2 else 0.0
    fourth = _fourth(m, a[2], b[2])
    return Curve(0.0, scale / m, third * (m - 1) ** 1.5, fourth * (m - 1) ** 2 - 3)


def _power_sums(numbers: Floats) -> tuple[float, float, float]:
    """Return the sum of squares; and of third and fourth powers, once that is 1."""
    size = float(np.abs(numbers).max())
    unit = numbers / size
    squares = float(unit @ unit)
    unit = unit / math.sqrt(squares)
    return squares * size * size, float((unit**3).sum()), float((unit**4).sum())


def _fourth(m: int, p: float, q: float) -> float:
    """Return the fourth moment, of sums of fourth powers p and q; those of squares are 1."""
    terms = [(1, p, q, 1), (4, -p, -q, 2), (3, 1 - p, 1 - q, 2), (6, 2 * p - 1, 2 * q - 1, 3),
             (1, 3 - 6 * p, 3 - 6 * q, 4)]  # fmt: skip
    return sum(
        times * of_left * of_right / math.perm(m, rows)
        for times, of_left, of_right, rows in terms
        if rows <= m
    )


def of_losses(loss: Callable[[Floats, Floats], Floats], truth: Floats, predicted: Floats) -> Curve:
    """Return the law of the mean loss; mean, variance and skewness are exact up to a thousand rows.

    With d the matrix of losses less the means of their rows and columns, the variance of the sum
    is Σd² / (M - 1) (Hoeffding), and the third moment M Σd³ / ((M - 1)(M - 2)). The kurtosis is
    close to it. There may be more predictions than rows that they are dealt to.
    """
    m, others = truth.size, predicted.size
    (y, many), (z, often) = grouped(truth, _ROWS, _END_ROWS), grouped(predicted)
    matrix = loss(y[:, np.newaxis], z)
    rows, columns = matrix @ often / others, many @ matrix / m
    mean = float(many @ rows / m)
    matrix = matrix - rows[:, np.newaxis] - columns + mean
    if m > _ROWS:
        mean = _mean_loss(loss, truth, z, often)
    cubes = matrix**3
    squares = float(many @ (matrix**2) @ often) * m / others
    if m < 3 or squares <= 0:
        return Curve(mean, 0.0)
    deviation = math.sqrt(squares / (m - 1))
    third = float(many @ cubes @ often) * m / others * m / ((m - 1) * (m - 2))
    kurtosis = _kurtosis(matrix / deviation, many, often)
    return Curve(mean, deviation / m, third / deviation**3, kurtosis)


def _kurtosis(matrix: Floats, many: Floats, often: Floats) -> float:
    """Return the kurtosis as if rows were independent, or columns if that is further from 0.

    It shows whether a few of them weigh most.
    """
    squares, fourths = matrix**2, matrix**4
    rows = fourths @ often / often.sum() - 3 * (squares @ often / often.sum()) ** 2
    columns = many @ fourths / many.sum() - 3 * (many @ squares / many.sum()) ** 2
    return max(float(many @ rows), float(often @ columns), key=abs)


def _mean_loss(
    loss: Callable[[Floats, Floats], Floats], truth: Floats, z: Floats, often: Floats
) -> float:
    """Return the mean over all pairs, of predictions in groups."""
    y, many = grouped(truth, _FOR_MEAN, _ENDS_FOR_MEAN)
    parts = np.array_split(y, 1 + y.size * z.size // 2_000_000)
    rows = np.concatenate([loss(part[:, np.newaxis], z) @ often for part in parts])
    return float(many @ rows / (many.sum() * often.sum()))


def grouped(values: Floats, most: int = _MOST, ends: int = _ENDS) -> tuple[Floats, Floats]:
    """Return numbers and how often each stands: neighbours by their mean, if there are too many.

    Examples
    --------
    >>> import numpy as np
    >>> values, counts = grouped(np.arange(10_000.0))
    >>> values.size, counts.size, float(counts.sum())
    (1200, 1200, 10000.0)
    """
    if values.size <= most:
        return values, np.ones(values.size)
    ordered = np.sort(values)
    inner = np.linspace(ends, values.size - ends, most - 2 * ends + 1).astype(np.int64)
    first = np.concatenate([np.arange(ends), inner[:-1], np.arange(inner[-1], values.size)])
    counts = np.diff(np.append(first, values.size)).astype(float)
    return np.add.reduceat(ordered, first) / counts, counts
