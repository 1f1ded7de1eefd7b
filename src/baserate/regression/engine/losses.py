"""What an observation loses, as an expression that an engine evaluates.

These are the losses of `regression/measures`, in the words of narwhals. An engine may evaluate a
branch in rows where it is not asked for, so logarithms, powers and quotients are only of
numbers that have one; where the measure has no score, the sum is not used.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from baserate.regression.best.quantiles import EPSILON

if TYPE_CHECKING:
    from collections.abc import Callable

    import narwhals.stable.v2 as nw

    Loss = Callable[[nw.Expr, nw.Expr], nw.Expr]


def squared(y: Any, z: Any) -> Any:
    """Return the squared error."""
    return (y - z) * (y - z)


def absolute(y: Any, z: Any) -> Any:
    """Return the absolute error."""
    return (y - z).abs()


def relative(y: Any, z: Any) -> Any:
    """Return the absolute error as a share of the truth."""
    return (y - z).abs() / size_of(y)


def symmetric(y: Any, z: Any) -> Any:
    """Return the absolute error as a share of the mean of both; 0 if both are 0."""
    both = y.abs() / 2 + z.abs() / 2
    return (y / 2 - z / 2).abs() * 2 / _or(both > 0, both, 1.0)


def pinball(alpha: float) -> Loss:
    """Return the pinball loss for a quantile."""
    return partial(_pinball, alpha)


def _pinball(alpha: float, y: Any, z: Any) -> Any:
    return _or(y >= z, (y - z) * alpha, (y - z) * (alpha - 1))


def huber(delta: float) -> Loss:
    """Return the Huber loss: squared up to delta, and linear beyond."""
    return partial(_huber, delta)


def _huber(delta: float, y: Any, z: Any) -> Any:
    error = (y - z).abs()
    return _or(error < delta, error * error / 2, (error - delta / 2) * delta)


def tweedie(power: float) -> Loss:
    """Return the deviance of an observation."""
    if power == 1:
        return _poisson
    return _gamma if power == 2 else partial(_tweedie, power)


def _poisson(y: Any, z: Any) -> Any:
    y, z = _or(y > 0, y, 0.0), _or(z > 0, z, 1.0)
    return _above_zero((y * log(_or(y > 0, y, z) / z) - y + z) * 2)


def _gamma(y: Any, z: Any) -> Any:
    y, z = _or(y > 0, y, 1.0), _or(z > 0, z, 1.0)
    return _above_zero((log(z / y) + y / z - 1.0) * 2)


def _tweedie(power: float, y: Any, z: Any) -> Any:
    z = _or(z > 0, z, 1.0)
    # Without a positive truth there is none of its power.
    of_truth = _or(y > 0, _or(y > 0, y, 1.0) ** (2 - power), 0.0) / ((1 - power) * (2 - power))
    of_both = y * z ** (1 - power) / (1 - power)
    return _above_zero((of_truth - of_both + z ** (2 - power) / (2 - power)) * 2)


def log(number: Any) -> Any:
    """Return the logarithm of what has one."""
    return _or(number > 0, number, 1.0).log()


def log1p(number: Any) -> Any:
    """Return log(1 + y), also of numbers near 0, of which 1 + y loses digits (Kahan)."""
    above = number + 1.0
    rounded = _or(above > 0, above, 2.0)
    step = _or(rounded == 1.0, number * 0.0 + 1.0, rounded - 1.0)
    return _or(rounded == 1.0, number, rounded.log() * (number / step))


def size_of(y: Any) -> Any:
    """Return by what MAPE divides."""
    return _or(y.abs() > EPSILON, y.abs(), EPSILON)


def _above_zero(number: Any) -> Any:
    return _or(number > 0, number, 0.0)


def _or(condition: Any, number: Any, other: Any) -> Any:
    """Return a number where a condition holds, and another one elsewhere."""
    import narwhals.stable.v2 as nw

    return (
        nw.when(condition).then(number).otherwise(other if hasattr(other, "abs") else nw.lit(other))
    )
