"""Read the values of JSON that another program may have written."""

from __future__ import annotations

import math
from typing import Any

from baserate.exceptions.base import shown


def finite(value: Any) -> float:
    """Return a number as a float: other programs write 1.0 as 1, and some write 1e400."""
    number = float(typed(value, int, float))
    if math.isinf(number):
        raise OverflowError("a number is larger than a float can be")
    return number


def refused(constant: str) -> float:
    """Refuse NaN and Infinity, which JSON does not allow."""
    raise ValueError(f"{constant} is no number of JSON")


def typed(value: Any, *types: type) -> Any:
    """Return a value that has one of these types; True and False are no numbers."""
    is_bool_for_number = isinstance(value, bool) and bool not in types
    if not isinstance(value, types) or is_bool_for_number:
        raise TypeError(
            f"{shown(value)} is not of type {' or '.join(each.__name__ for each in types)}"
        )
    return value
