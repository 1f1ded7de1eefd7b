"""Checks of arguments that several modules share."""

from __future__ import annotations

import math
import numbers
from decimal import Decimal
from typing import Any

import numpy as np

from baserate.exceptions import InvalidCountError
from baserate.formatting import shown

MOST_OBSERVATIONS = 10**15
"""The largest test set. Every number is tested up to here; beyond, floats run out of digits."""


def is_number(value: Any) -> bool:
    """Return whether the value is a real number; booleans and numpy durations are not."""
    others = bool | np.bool_ | np.timedelta64
    return isinstance(value, numbers.Real) and not isinstance(value, others)


def is_probability(value: Any) -> bool:
    """Return whether the value is a number from 0 to 1."""
    return is_number(value) and 0 <= value <= 1


def as_float(value: Any) -> float:
    """Return a number as a float; infinite if it is too large."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except ValueError:  # a signaling NaN of decimal
        return math.nan


def whole_number(name: str, value: Any) -> int:
    """Return a count of observations as a Python int, or raise if it is not a whole number.

    Whole floats and decimals pass, because data frames return sums as such; booleans do not.
    """
    if type(value) is int and abs(value) <= MOST_OBSERVATIONS:  # the common case, first
        return value
    is_count = is_number(value) or isinstance(value, Decimal)
    size = as_float(value) if is_count else math.nan
    if size > MOST_OBSERVATIONS:
        raise InvalidCountError(
            f"must be a whole number of at most {MOST_OBSERVATIONS:,} (got more): up to there "
            "every number is right, and beyond it floats run out of digits",
            parameter=name,
        )
    if not math.isfinite(size) or int(value) != value:
        raise InvalidCountError(
            f"must be a whole number (got {shown(value)} of type {type(value).__name__}); "
            "pass a count of observations, not a rate",
            parameter=name,
        )
    return int(value)
