"""What several modules ask of their arguments."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np


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
