"""The groups of a test set: customer segments, hospitals, years."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from baserate.confusion import Confusion
from baserate.exceptions import InvalidPredictionsError
from baserate.vectors import NUMBERS, as_vector, is_missing

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from baserate.counting import Mask
    from baserate.labels import Labels

MISSING = "(missing)"
Group: TypeAlias = str | int | float | bool
"""The value of a column of groups, as JSON can hold it."""


@dataclass(frozen=True)
class Groups:
    """Which observation belongs to which group.

    Parameters
    ----------
    names
        The groups, in order.
    codes
        The number of each observation's group.
    """

    names: tuple[Group, ...]
    codes: NDArray[np.intp]

    @classmethod
    def of(cls, by: Labels | Groups, length: int) -> Groups:
        """Read a column of groups; what is missing makes a group of its own."""
        if isinstance(by, Groups):
            return by
        vector = _column(by)
        if vector.size != length:
            raise InvalidPredictionsError.other_length(vector.size, length)
        if vector.dtype.kind in NUMBERS:
            values, codes = np.unique(vector, return_inverse=True)
            return cls(tuple(map(plain_group, values)), codes)
        return cls._of_values(vector.tolist())

    @classmethod
    def _of_values(cls, values: list[Any]) -> Groups:
        try:
            names = {value: plain_group(value) for value in dict.fromkeys(values)}
        except TypeError:  # not hashable: by its text
            values = list(map(plain_group, values))
            names = {value: value for value in values}
        found = ordered_groups(dict.fromkeys(names.values()))
        places = {name: place for place, name in enumerate(found)}
        codes = {value: places[name] for value, name in names.items()}
        numbers = np.fromiter(map(codes.__getitem__, values), dtype=np.intp, count=len(values))
        return cls(found, numbers)

    def kept(self, keep: Mask) -> Groups:
        """Return the groups of some of the observations."""
        codes, place = np.unique(self.codes[keep], return_inverse=True)
        return Groups(tuple(self.names[code] for code in codes), place)

    def count(self, truth: Mask, prediction: Mask) -> dict[Group | None, Confusion]:
        """Count the confusion table of each group, all in one pass."""
        cells = self.codes * 4 + 2 * truth + prediction
        counts = np.bincount(cells, minlength=4 * len(self.names)).reshape(-1, 4).tolist()
        return {
            name: Confusion(tp=tp, fp=fp, fn=fn, tn=tn)
            for name, (tn, fp, fn, tp) in zip(self.names, counts, strict=True)
        }


def ordered_groups(names: Collection[Group]) -> tuple[Group, ...]:
    """Return groups in their own order, or in that of their names; what is missing comes last."""
    known = [name for name in names if name != MISSING]
    try:
        ordered = sorted(known)
    except TypeError:
        ordered = sorted(known, key=str)
    return (*ordered, *([MISSING] if MISSING in names else []))


def plain_group(value: Any) -> Group:
    """Return a group as a value that JSON can hold."""
    if is_missing(value):
        return MISSING
    plain = value.item() if isinstance(value, np.generic) and value.dtype.kind in "biuf" else value
    if isinstance(plain, float) and math.isinf(plain):
        return str(plain)
    return plain if isinstance(plain, str | int | float | bool) else str(plain)


def _column(by: Labels) -> NDArray[Any]:
    vector = None if isinstance(by, str | bytes) else as_vector(by)
    if vector is None or vector.ndim != 1:
        raise InvalidPredictionsError.not_a_column(by)
    return vector
