"""Functions of numpy arrays, as expressions that an engine evaluates.

A loss is declared once, as a function of arrays. Given columns of an engine in their place, it
returns the expression of the same loss.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# Whole powers up to this are products.
_MOST_FACTORS = 8


def expression_of(function: Any, *columns: Any) -> Any:
    """Return a function of columns as an expression; None if engines cannot evaluate it.

    Examples
    --------
    >>> import narwhals.stable.v2 as nw, polars as pl
    >>> error = expression_of(lambda y, z: np.abs(y - z), nw.col("y"), nw.col("z"))
    >>> frame = nw.from_native(pl.DataFrame({"y": [1.0, 2.0], "z": [4.0, 2.0]}))
    >>> frame.select(error=error)["error"].to_list()
    [3.0, 0.0]
    >>> expression_of(np.sort, nw.col("y")) is None
    True
    """
    try:
        return _expression(function(*map(_Column, columns)))
    except Exception:  # a function may do anything with what it takes for an array
        return None


class _Column(NDArrayOperatorsMixin):
    """A column of an engine, in the place of an array."""

    def __init__(self, expression: Any) -> None:
        self.expression = expression

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        rule = _RULES.get(ufunc.__name__)
        if rule is None or method != "__call__" or options:
            return NotImplemented
        return _Column(rule(*map(_expression, inputs)))

    def __array_function__(self, function: Any, _: object, given: Any, options: Any) -> Any:
        if function is not np.where or options or len(given) != 3:
            return NotImplemented
        return _Column(_where(*map(_expression, given)))


def _expression(value: Any) -> Any:
    """Return the expression of a column, or a number."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, _Column):
        return value.expression
    return float(value)


def _where(condition: Any, one: Any, other: Any) -> Any:
    import narwhals.stable.v2 as nw

    one, other = (nw.lit(each) if isinstance(each, float) else each for each in (one, other))
    return nw.when(condition).then(one).otherwise(other)


# An engine may evaluate a branch in rows where it is not asked for, and raise. So quotients,
# logarithms and powers are only of numbers that have one.


def _quotient(one: Any, other: Any) -> Any:
    return one / (other if isinstance(other, float) else _where(other != 0, other, 1.0))


def _log(number: Any) -> Any:
    return _where(number > 0, number, 1.0).log()


def _log1p(number: Any) -> Any:
    """Return log(1 + x), also of numbers near 0, of which 1 + x loses digits (Kahan)."""
    above = number + 1.0
    rounded = _where(above > 0, above, 2.0)
    step = _where(rounded == 1.0, number * 0.0 + 1.0, rounded - 1.0)
    return _where(rounded == 1.0, number, rounded.log() * (number / step))


def _power(base: Any, exponent: float) -> Any:
    if exponent in range(1, _MOST_FACTORS + 1):
        return _product([base] * int(exponent))
    # SQLFrame takes powers of products, but not of conditions.
    positive = _where(base > 0, base, 1.0) * 1.0
    return _where(base > 0, positive**exponent, 0.0)


def _product(factors: Iterable[Any]) -> Any:
    first, *others = factors
    for factor in others:
        first = first * factor
    return first


_RULES: dict[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": _quotient,
    "negative": lambda x: x * -1.0,
    "absolute": lambda x: x.abs(),
    "square": lambda x: x * x,
    "power": _power,
    "log": _log,
    "log1p": _log1p,
    "exp": lambda x: x.exp(),
    "maximum": lambda x, y: _where(x > y, x, y),
    "minimum": lambda x, y: _where(x < y, x, y),
    "greater": lambda x, y: x > y,
    "greater_equal": lambda x, y: x >= y,
    "less": lambda x, y: x < y,
    "less_equal": lambda x, y: x <= y,
    "equal": lambda x, y: x == y,
    "not_equal": lambda x, y: x != y,
}
