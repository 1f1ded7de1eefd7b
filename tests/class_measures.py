"""The measures of several classes by the keys of the oracle."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from baserate.measures.classes import get_class_measure

if TYPE_CHECKING:
    from baserate.measures.classes_record import ClassMeasure

_CHOICE = re.compile(r"(?P<name>.*) \((?P<empty>1|nan) for 0/0\)")


def measure_of(key: str) -> ClassMeasure:
    """Return a measure, also one with another value for 0/0.

    >>> measure_of("macro precision (nan for 0/0)").zero_division
    'A class that is never predicted is left out.'
    """
    choice = _CHOICE.fullmatch(key)
    if choice is None:
        return get_class_measure(key)
    empty = math.nan if choice["empty"] == "nan" else 1
    return get_class_measure(choice["name"], zero_division=empty)
