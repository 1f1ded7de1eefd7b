"""Wrap a user's function of (tp, fp, fn, tn), so that it behaves like a built-in formula."""

from __future__ import annotations

import math
import numbers
import warnings
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.arguments import as_float
from baserate.exceptions import InvalidMeasureError
from baserate.formatting import shortened, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.core.formula import Number

# Two unremarkable tables, which meet every requirement of every measure.
_PROBES = ((3, 2, 1, 4), (5, 1, 2, 7))
# numpy's kinds of real numbers. Strings and complex numbers convert to floats, but are not scores.
_NUMBERS = "biuf"


@dataclass(frozen=True)
class UserFunction:
    """A function of four counts, called with numbers, or with arrays if it accepts them.

    Parameters
    ----------
    key
        The name of the measure, for errors.
    function
        The user's function.
    vectorised
        Whether it accepts arrays.
    """

    key: str
    function: Callable[..., Any]
    vectorised: bool = False

    @classmethod
    def probed(cls, key: str, function: Callable[..., Any]) -> UserFunction:
        """Try the function on two tables, separately and together."""
        if not callable(function):
            raise InvalidMeasureError(
                f"measure {shown(key)} must have a function of (tp, fp, fn, tn) "
                f"(got {shown(function)})"
            )
        scalar = cls(key, function)
        one_by_one = np.array([scalar(*probe) for probe in _PROBES])
        return cls(key, function, vectorised=_agrees(function, one_by_one))

    def __call__(self, tp: Number, fp: Number, fn: Number, tn: Number) -> Number:
        """Score one table or arrays of tables; nan where the function divides by zero."""
        with np.errstate(all="ignore"):
            if not isinstance(tp, np.ndarray):
                return self._scalar((tp, fp, fn, tn))
            if self.vectorised:
                return self._array((tp, fp, fn, tn))
            columns = [_whole(column).ravel().tolist() for column in (tp, fp, fn, tn)]
            scores = [self._scalar(table) for table in zip(*columns, strict=True)]
        return np.array(scores, dtype=float).reshape(tp.shape)

    def _scalar(self, counts: tuple[Number, ...]) -> float:
        try:
            value = self.function(*counts)
        except (ZeroDivisionError, OverflowError):  # arrays give inf or nan here
            return math.nan
        except Exception as error:
            raise self._raised(counts, error) from error
        if type(value) is float:
            return value
        if isinstance(value, np.generic | np.ndarray) and value.ndim == 0:
            value = value.item()  # numpy.where returns a zero-dimensional array
        if not isinstance(value, numbers.Real | Decimal):
            raise self._not_a_number(counts, value)
        return as_float(value)

    def _array(self, counts: tuple[NDArray[Any], ...]) -> NDArray[np.float64]:
        if counts[0].size == 0:
            return np.empty(counts[0].shape)
        first = tuple(count.flat[0] for count in counts)
        try:
            values = np.asarray(self.function(*counts))
        except Exception as error:
            raise self._raised(first, error) from error
        if values.shape != counts[0].shape or values.dtype.kind not in _NUMBERS:
            raise self._not_a_number(first, values)
        return values.astype(float)

    def _raised(self, counts: tuple[object, ...], error: Exception) -> InvalidMeasureError:
        return InvalidMeasureError(
            f"the function of measure {shown(self.key)} must return a number for every table "
            f"(got {type(error).__name__}: {shortened(error)}, at {_named(counts)}); "
            "return math.nan where the measure is undefined"
        )

    def _not_a_number(self, counts: tuple[object, ...], value: object) -> InvalidMeasureError:
        return InvalidMeasureError(
            f"the function of measure {shown(self.key)} must return one number per table "
            f"(got {shown(value)} of type {type(value).__name__}, at {_named(counts)})"
        )


def _named(counts: tuple[object, ...]) -> str:
    names = ("tp", "fp", "fn", "tn")
    return ", ".join(f"{name}={count}" for name, count in zip(names, counts, strict=True))


def _whole(column: NDArray[Any]) -> NDArray[Any]:
    """Return counts as integers, for functions that index or enumerate with them."""
    is_whole = np.abs(column).max(initial=0) < 2**63 and (column == np.floor(column)).all()
    return column.astype(np.int64) if is_whole else column


def _agrees(function: Callable[..., Any], expected: NDArray[np.float64]) -> bool:
    """Return whether the function accepts arrays, and gives the same scores for them."""
    columns = [np.array(column, dtype=float) for column in zip(*_PROBES, strict=True)]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("error")
            values = np.asarray(function(*columns))
    except Exception:  # whatever the error, the function does not accept arrays
        return False
    is_alike = values.shape == expected.shape and values.dtype.kind in _NUMBERS
    return is_alike and np.allclose(values, expected, rtol=1e-9, atol=0, equal_nan=True)
