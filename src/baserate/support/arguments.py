"""What several modules ask of their arguments."""

from __future__ import annotations

import math
import numbers
from decimal import Decimal
from typing import Any

import numpy as np

from baserate.exceptions import InvalidCountError
from baserate.exceptions.base import shown

MOST_OBSERVATIONS = 10**15
"""The largest test set. Up to here every number is tested; beyond, floats run out of digits."""


def is_number(value: Any) -> bool:
    """Tell a real number; a boolean is none, and a duration of numpy only claims to be one."""
    others = bool | np.bool_ | np.timedelta64
    return isinstance(value, numbers.Real) and not isinstance(value, others)


def is_probability(value: Any) -> bool:
    """Tell a number from 0 to 1."""
    return is_number(value) and 0 <= value <= 1


def as_float(value: Any) -> float:
    """Return a number as a float, infinite if it is too large for one."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except ValueError:  # a signaling NaN of decimal
        return math.nan


def whole_number(name: str, value: Any) -> int:
    """Return a count of observations as a Python int, or raise if it is none.

    Whole floats and decimals pass, because sums in data frames come back so; booleans do not.
    """
    if type(value) is int and abs(value) <= MOST_OBSERVATIONS:  # it needs no closer look
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
