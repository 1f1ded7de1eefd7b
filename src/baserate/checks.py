"""What several modules ask of their arguments."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np


def is_number(value: Any) -> bool:
    """Tell a real number; a boolean is none."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)
