"""What several modules ask of their arguments."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np


def is_number(value: Any) -> bool:
    """Tell a real number; a boolean is none."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)


def is_probability(value: Any) -> bool:
    """Tell a number from 0 to 1."""
    return is_number(value) and 0 <= value <= 1


def as_float(value: Any) -> float:
    """Return a number as a float, infinite if it is too large for one."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except ValueError:  # a Decimal that signals it is no number
        return math.nan
