"""Read the values of JSON that another program may have written."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

from baserate.exceptions.base import shown
from baserate.support.arguments import whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T")


def finite(value: Any) -> float:
    """Return a number as a float: other programs write 1.0 as 1, and some write 1e400."""
    number = float(typed(value, int, float))
    if math.isinf(number):
        raise OverflowError("a number is larger than a float can be")
    return number


def count(value: Any) -> int:
    """Return a number of observations."""
    number = whole_number("a count", typed(value, int))
    if number < 0:
        raise ValueError("a count is below 0")
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


def unchanged(table: T, record: Mapping[str, Any]) -> T:
    """Return what was read from a record, which must be written as it was read.

    Otherwise something was converted: "NaN" to a number, or a text to a list of its letters.
    """
    for name, fact in table.facts.items():  # type: ignore[attr-defined]
        if fact != record.get(name):
            raise ValueError(f"{name} is not what baserate writes")
    return table
