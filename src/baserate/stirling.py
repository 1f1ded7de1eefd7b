"""Factorials of any size: Stirling's series, and the deviance that survives cancellation.

Differences of log-gamma lose a digit for every digit of M. Loader's form does not: log x! is
split into √(2πx) (x/e)^x and a small error, and what the powers leave over is a sum of
deviances, each of them positive (C. Loader, Fast and accurate computation of binomial
probabilities, 2000).
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# log M! of M = 10¹⁸ has 20 digits before its point; 30 more are plenty behind it.
DIGITS = 50
# B₂ₙ / (2n (2n - 1)) for n = 1, 2, …: the coefficients of Stirling's series.
_BERNOULLI = (
    "1/6 -1/30 1/42 -1/30 5/66 -691/2730 7/6 -3617/510 43867/798 -174611/330 "
    "854513/138 -236364091/2730 8553103/6 -23749461029/870 8615841276005/14322"
)
_SERIES = tuple(
    Fraction(number) / (2 * n * (2 * n - 1)) for n, number in enumerate(_BERNOULLI.split(), 1)
)
_FLOAT_SERIES = tuple(float(coefficient) for coefficient in _SERIES[:7])
# From here on, fifteen terms of the series are right to 10⁻³⁰.
_LARGE = 128


def deviance(mean: Any, excess: Any) -> Any:
    """Return x·log(x/mean) - x + mean for x = mean + excess, without cancellation."""
    u = excess / mean
    v = u / (2 + u)
    near = excess * v + 2 * (mean + excess) * v * _atanh_tail(np.minimum(v * v, 0.01))
    far = (mean + excess) * np.log1p(u) - excess
    return np.where(np.abs(u) < 0.1, near, far)


def _atanh_tail(square: Floats) -> Floats:
    """Return atanh(v)/v - 1 = v²/3 + v⁴/5 + … for |v| < 0.06."""
    total = np.zeros_like(square)
    for power in range(8, 0, -1):
        total = (total + 1 / (2 * power + 1)) * square
    return total


def stirling_error(x: Any) -> Any:
    """Return log x! - log(√(2πx) (x/e)^x) for x > 15."""
    inverse_square = 1 / (x * x)
    series = np.zeros_like(inverse_square)
    for coefficient in reversed(_FLOAT_SERIES):
        series = series * inverse_square + coefficient
    return series / x


@cache
def _half_log_two_pi() -> Decimal:
    # 1000! by its definition, less Stirling's formula for it: no constant to mistype.
    return _exact_log_factorial(1000) - _stirling_powers(1000) - _stirling_series(1000)


def log_factorial(n: int) -> Decimal:
    """Return log n! to `DIGITS` significant digits.

    Examples
    --------
    >>> log_factorial(5)
    Decimal('4.7874917427820459942477009345232430483995923151720')
    """
    with localcontext(prec=DIGITS):
        if n < _LARGE:
            return _exact_log_factorial(n)
        return _half_log_two_pi() + _stirling_powers(n) + _stirling_series(n)


def _exact_log_factorial(n: int) -> Decimal:
    return Decimal(math.factorial(n)).ln()


def _stirling_powers(n: int) -> Decimal:
    return (n + Decimal("0.5")) * Decimal(n).ln() - n


def _stirling_series(n: int) -> Decimal:
    total, power, square = Decimal(0), Decimal(n), Decimal(n) ** 2
    for coefficient in _SERIES:
        total += coefficient.numerator / (coefficient.denominator * power)
        power *= square
    return total
