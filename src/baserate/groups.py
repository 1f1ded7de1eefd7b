"""The groups of a test set: customer segments, hospitals, years."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.confusion import Confusion
from baserate.exceptions import InvalidPredictionsError
from baserate.labels import is_missing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.counting import Mask
    from baserate.labels import Labels
    from baserate.verdict import Group

MISSING = "(missing)"


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
    def of(cls, by: Labels, length: int) -> Groups:
        """Read a column of groups; what is missing makes a group of its own."""
        vector = np.asarray(by) if not isinstance(by, str) else np.empty(())
        if vector.ndim != 1:
            raise InvalidPredictionsError.not_a_column(by)
        if vector.size != length:
            raise InvalidPredictionsError.other_length(vector.size, length)
        if vector.dtype.kind in "biufM":
            values, codes = np.unique(vector, return_inverse=True)
            return cls(tuple(map(_name, values)), codes)
        return cls._of_objects([_name(value) for value in np.asarray(by, dtype=object).tolist()])

    @classmethod
    def _of_objects(cls, names: list[Group]) -> Groups:
        found = tuple(sorted(dict.fromkeys(names), key=lambda name: (name == MISSING, str(name))))
        numbers = {name: code for code, name in enumerate(found)}
        codes = np.fromiter((numbers[name] for name in names), dtype=np.intp, count=len(names))
        return cls(found, codes)

    def count(self, truth: Mask, prediction: Mask) -> dict[Group | None, Confusion]:
        """Count the confusion table of each group, all in one pass."""
        cells = self.codes * 4 + 2 * truth + prediction
        counts = np.bincount(cells, minlength=4 * len(self.names)).reshape(-1, 4).tolist()
        return {
            name: Confusion(tp=tp, fp=fp, fn=fn, tn=tn)
            for name, (tn, fp, fn, tp) in zip(self.names, counts, strict=True)
        }


def _name(value: Any) -> Group:
    """Return a group as a value that JSON can hold."""
    if is_missing(value):
        return MISSING
    plain = value.item() if isinstance(value, np.generic) and value.dtype.kind in "biuf" else value
    return plain if isinstance(plain, str | int | float | bool) else str(plain)
