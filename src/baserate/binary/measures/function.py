"""Wrap a user's function of (tp, fp, fn, tn), so that it behaves like a built-in formula."""

from __future__ import annotations

import math
import numbers
import warnings
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.exceptions import InvalidMeasureError
from baserate.support.arguments import as_float

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
            raise InvalidMeasureError.not_callable(key, function)
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
            raise InvalidMeasureError.function_raised(self.key, counts, error) from error
        if type(value) is float:
            return value
        if isinstance(value, np.generic | np.ndarray) and value.ndim == 0:
            value = value.item()  # numpy.where returns a zero-dimensional array
        if not isinstance(value, numbers.Real | Decimal):
            raise InvalidMeasureError.not_a_number(self.key, counts, value)
        return as_float(value)

    def _array(self, counts: tuple[NDArray[Any], ...]) -> NDArray[np.float64]:
        if counts[0].size == 0:
            return np.empty(counts[0].shape)
        first = tuple(count.flat[0] for count in counts)
        try:
            values = np.asarray(self.function(*counts))
        except Exception as error:
            raise InvalidMeasureError.function_raised(self.key, first, error) from error
        if values.shape != counts[0].shape or values.dtype.kind not in _NUMBERS:
            raise InvalidMeasureError.not_a_number(self.key, first, values)
        return values.astype(float)


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
