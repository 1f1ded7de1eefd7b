"""Moments of sums over a random permutation, without the permutations."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from baserate.regression.law.curve import Curve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.regression.law.groups import Groups
    from baserate.regression.law.sums import DealtSum

    Floats = NDArray[np.float64]

# More rows or cards than these are put into groups, of which there are so many.
_MOST, _GROUPS = 1_200, 600
# What is smaller, relative to the largest number, is rounding.
_ROUNDING = 1e-14


def of_sum(dealt: DealtSum) -> Curve:
    """Return the law of a sum by its moments."""
    return of_products(dealt.rows, dealt.cards) if dealt.is_product else of_losses(dealt)


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
    size = float(max(numbers.max(), -numbers.min()))
    unit = numbers / size
    powers = unit * unit
    squares = float(powers.sum())
    fourths = float(powers @ powers) / squares**2
    return squares * size * size, float(powers @ unit) / squares**1.5, fourths


def _fourth(m: int, p: float, q: float) -> float:
    """Return the fourth moment, of sums of fourth powers p and q; those of squares are 1."""
    terms = [(1, p, q, 1), (4, -p, -q, 2), (3, 1 - p, 1 - q, 2), (6, 2 * p - 1, 2 * q - 1, 3),
             (1, 3 - 6 * p, 3 - 6 * q, 4)]  # fmt: skip
    return sum(
        times * of_left * of_right / math.perm(m, rows)
        for times, of_left, of_right, rows in terms
        if rows <= m
    )


def of_losses(dealt: DealtSum) -> Curve:
    """Return the law of the mean loss; mean, variance and skewness are exact up to 1,200 rows.

    With d the matrix of losses less the means of their rows and columns, the variance of the sum
    is Σd² / (M - 1) (Hoeffding), and the third moment M Σd³ / ((M - 1)(M - 2)). The kurtosis is
    close to it. There may be more cards than rows that they are dealt to.
    """
    m, others = dealt.total, dealt.cards.size
    rows, cards = dealt.grouped(m if m <= _MOST else _GROUPS)
    losses = dealt.loss(rows.values[:, np.newaxis], cards.values)
    # Fourth powers of less than 1e-80 or more than 1e77 are no floats; a power of 2 rounds nothing.
    unit = math.ldexp(1.0, max(math.frexp(np.abs(losses).max())[1] - 1, -1000))
    found = _Centred.of(losses / unit, rows, cards)
    sums = found.sums * (m / others)
    if m < 2 or sums[0] <= 0:
        return Curve(found.mean * unit, 0.0)
    deviation = math.sqrt(sums[0] / (m - 1))
    third = sums[1] * m / max((m - 1) * (m - 2), 1)
    skewness = float(third) / deviation**3
    kurtosis = found.kurtosis / deviation**4
    return Curve(found.mean * unit, deviation * unit / m, skewness, kurtosis)


class _Centred(NamedTuple):
    """What is left of weighted losses without the means of rows and columns.

    Parameters
    ----------
    mean
        Their mean.
    sums
        The sums of the squares and of the cubes of what is left.
    kurtosis
        Of the sum, times its variance squared, as if rows were independent; or as if columns were,
        if that is further from 0. It shows whether a few of them weigh most.
    """

    mean: float
    sums: Floats
    kurtosis: float

    @classmethod
    def of(cls, losses: Floats, rows: Groups, cards: Groups) -> _Centred:
        """Return it for losses that are multiplied with the weights of rows.

        A row of weight w has w e - f left: e is its loss without the mean of the row, and f what
        columns have in common. Of a group of rows, the means of powers of w are known.
        """
        often = cards.counts / cards.counts.sum()
        many = rows.counts / rows.counts.sum()
        means = losses @ often
        mean = float((many * rows.times) @ means)
        own = losses - means[:, np.newaxis]
        common = (many * rows.times) @ own
        is_flat = np.abs(own).max() <= _ROUNDING * np.abs(losses).max()
        if is_flat:  # what is left of numbers that are all the same is rounding
            return cls(mean, np.zeros(2), 0.0)
        squares, cubes, fourths = _powers(own, common, rows)
        total, others = rows.counts.sum(), cards.counts.sum()
        of_rows = fourths @ often - 3 * (squares @ often) ** 2
        of_columns = many @ fourths - 3 * (many @ squares) ** 2
        kurtosis = max(float(rows.counts @ of_rows), float(cards.counts @ of_columns), key=abs)
        sums = np.array([many @ squares @ often, many @ cubes @ often]) * total * others
        return cls(mean, sums, kurtosis)


def _powers(own: Floats, common: Floats, rows: Groups) -> tuple[Floats, Floats, Floats]:
    """Return the mean second, third and fourth powers of w e - f."""
    w, w2, w3, w4 = rows.powers[:, :, np.newaxis]
    if (rows.powers == 1).all():
        left = own - common
        squares = left * left
        return squares, squares * left, squares * squares
    square, cube = own * own, own * own * own
    squares = w2 * square - 2 * w * own * common + common**2
    cubes = w3 * cube - 3 * w2 * square * common + 3 * w * own * common**2 - common**3
    fourths = w4 * square**2 - 4 * w3 * cube * common + 6 * w2 * square * common**2
    return squares, cubes, fourths - 4 * w * own * common**3 + common**4


def doubly_centred(matrix: Floats, many: Floats, often: Floats) -> tuple[Floats, float]:
    """Return a matrix less the means of its rows and columns, and its mean."""
    rows, columns = matrix @ often / often.sum(), many @ matrix / many.sum()
    mean = float(many @ rows / many.sum())
    centred = matrix - rows[:, np.newaxis] - columns + mean
    return centred, mean
