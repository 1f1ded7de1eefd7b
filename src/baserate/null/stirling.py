"""Factorials of any size: Stirling's series, and the deviance that survives cancellation.

Differences of log-gamma lose a digit for every digit of M. Loader's form does not: log x! is
split into √(2πx) (x/e)^x and a small error, and the powers combine to a sum of deviances, each
of them positive (C. Loader, Fast and accurate computation of binomial probabilities, 2000).
"""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# log M! of M = 10¹⁸ has 20 digits before the point; 30 more after it are plenty.
# Trap nothing, whatever the user's own decimal context does.
CONTEXT = Context(prec=50, traps=[])
# B₂ₙ / (2n (2n - 1)) for n = 1, 2, …: the coefficients of Stirling's series.
_BERNOULLI = (
    "1/6 -1/30 1/42 -1/30 5/66 -691/2730 7/6 -3617/510 43867/798 -174611/330 "
    "854513/138 -236364091/2730 8553103/6 -23749461029/870 8615841276005/14322"
)
_SERIES = tuple(
    Fraction(number) / (2 * n * (2 * n - 1)) for n, number in enumerate(_BERNOULLI.split(), 1)
)
_FLOAT_SERIES = tuple(float(coefficient) for coefficient in _SERIES[:7])
# Up to this relative change, a series compares factorials.
_NEAR = 0.1
# From here on, fifteen terms of the series are right to 10⁻³⁰.
_LARGE = 128


def log_factorial_excess(anchor: Any, change: Any) -> Any:
    """Return log (a + c)! - c·log a, up to terms that do not depend on c; for a + c > 15.

    This is the deviance (a + c)·log(1 + c/a) - c, plus ½ log(1 + c/a) of Stirling's root, plus
    Stirling's error. For |c/a| < 0.1 the first two come from one series, which has no
    cancellation and no logarithm.
    """
    u = change / anchor
    if np.abs(u).max(initial=0) < _NEAR:
        excess = _near_excess(anchor, change, u)
    else:
        near = _near_excess(anchor, change, np.clip(u, -_NEAR, _NEAR))
        far = (anchor + change + 0.5) * np.log1p(u) - change
        excess = np.where(np.abs(u) < _NEAR, near, far)
    return excess + stirling_error(anchor + change)


def _near_excess(anchor: Any, change: Any, u: Any) -> Any:
    """Sum the series: with v = u/(2 + u), log(1 + u) = 2 atanh(v) = 2v (1 + v²/3 + v⁴/5 + …)."""
    v = u / (2 + u)
    tail = _atanh_tail(v * v)
    # c·v + 2(a + c)·v·tail is Loader's deviance, and v + v·tail half the logarithm.
    return v * (change + 1 + (2 * (anchor + change) + 1) * tail)


def _atanh_tail(square: Any) -> Any:
    """Return atanh(v)/v - 1 = v²/3 + v⁴/5 + … for v² < 0.003, to 10⁻¹⁹."""
    total = square * (1 / 15)
    for denominator in (13, 11, 9, 7, 5, 3):
        total += 1 / denominator
        total *= square
    return total


def stirling_error(x: Any) -> Any:
    """Return log x! - log(√(2πx) (x/e)^x) for x > 15."""
    inverse_square = 1 / (x * x)
    # The fourth term is below 10⁻¹⁷ from x = 100 on.
    terms = 3 if np.min(x, initial=np.inf) > 100 else len(_FLOAT_SERIES)
    series = np.full_like(inverse_square, _FLOAT_SERIES[terms - 1])
    for coefficient in reversed(_FLOAT_SERIES[: terms - 1]):
        series *= inverse_square
        series += coefficient
    return series / x


@cache
def _half_log_two_pi() -> Decimal:
    # 1000! by its definition, minus Stirling's formula for it: no constant to mistype.
    return _exact_log_factorial(1000) - _stirling_powers(1000) - _stirling_series(1000)


@lru_cache(maxsize=2**15)
def log_factorial(n: int) -> Decimal:
    """Return log n! to 50 significant digits.

    Examples
    --------
    >>> log_factorial(5)
    Decimal('4.7874917427820459942477009345232430483995923151720')
    """
    with localcontext(CONTEXT):
        if n < _LARGE:
            return _exact_log_factorial(n)
        return _half_log_two_pi() + _stirling_powers(n) + _stirling_series(n)


def log_factorials(counts: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return log n! of many counts to 30 digits: each as a float and its rounding error."""
    distinct, places = np.unique(counts, return_inverse=True)
    places = places.reshape(counts.shape)
    logs = [log_factorial(n) for n in distinct.tolist()]
    near = [float(log) for log in logs]
    with localcontext(CONTEXT):
        rest = [float(log - Decimal(each)) for log, each in zip(logs, near, strict=True)]
    return np.array(near)[places], np.array(rest)[places]


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
