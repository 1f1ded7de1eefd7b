"""The groups of a test set: customer segments, hospitals, years."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from baserate.data.cells import coded_numbers
from baserate.data.columns import Values, is_missing, read, text_of
from baserate.exceptions import InvalidPredictionsError
from baserate.formatting import shown

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from baserate.data.columns import Column, Labels

MISSING = "(missing)"
_HELD = {"by": "the group", "clusters": "the cluster"}
Group: TypeAlias = str | int | float | bool
"""The value of a group, as JSON can hold it."""


@dataclass(frozen=True)
class Groups:
    """The group of each observation."""

    names: tuple[Group, ...]  # the groups, in order
    codes: NDArray[np.intp]  # the index of each observation's group

    @classmethod
    def of(cls, by: Labels, length: int | None, parameter: str = "by") -> Groups:
        """Read a column of groups or clusters; missing values form their own group."""
        column = _column(by, parameter)
        if length is not None and column.size != length:
            kind = "groups" if parameter == "by" else parameter
            raise InvalidPredictionsError(
                f"must be equally long (got {column.size} {kind} and {length} labels)",
                parameter=(parameter, "y_true"),
            )
        if not isinstance(column, Values):
            values, codes = _sorted(column)
            return cls(tuple(map(plain_group, values)), codes)
        names = [plain_group(value) for value in column.present]
        found = ordered_groups(dict.fromkeys(names))
        places = {name: place for place, name in enumerate(found)}
        codes = np.array([places.get(plain_group(value), -1) for value in column.distinct])
        return cls(found, codes[column.codes])

    def chosen(self, rows: Any) -> Groups:
        """Return the groups of some of the observations."""
        codes, place = np.unique(self.codes[rows], return_inverse=True)
        return Groups(tuple(self.names[code] for code in codes), place)


def ordered_groups(names: Collection[Group]) -> tuple[Group, ...]:
    """Return groups in their natural order, or sorted by name; the missing group comes last."""
    known = [name for name in names if name != MISSING]
    try:
        ordered = sorted(known)
    except Exception:  # a user's object may raise anything
        ordered = sorted(known, key=text_of)
    return (*ordered, *([MISSING] if MISSING in names else []))


def plain_group(value: Any) -> Group:
    """Return a group as a JSON value."""
    if is_missing(value):
        return MISSING
    plain = value.item() if isinstance(value, np.generic) and value.dtype.kind in "biuf" else value
    if isinstance(plain, float) and math.isinf(plain):
        return str(plain)
    return plain if isinstance(plain, str | int | float | bool) else text_of(plain)


def _sorted(column: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the distinct numbers, ascending, and the place of each row's number."""
    found = None if column.dtype.kind == "f" else coded_numbers(column)
    if found is None:  # too many, or perhaps nan, which numpy sorts to the end
        return np.unique(column, return_inverse=True)
    values = column[found.firsts]
    order = np.argsort(values)
    return values[order], np.argsort(order)[found.codes]


def _column(by: Labels, parameter: str) -> Column:
    column = None if isinstance(by, str | bytes) else read(by)
    if column is None or len(column.shape) != 1:
        raise InvalidPredictionsError(
            f"must be a column with {_HELD[parameter]} of each observation (got {shown(by)})",
            parameter=parameter,
        )
    if isinstance(column, Values) or column.dtype.kind != "O":
        return column
    try:
        return Values.of_objects(column)
    except TypeError:  # not hashable: distinguish them by their text
        return Values.of(list(map(plain_group, column.tolist())))


def rows_by_group(groups: Groups | None) -> dict[Group | None, Any]:
    """Return the rows of the whole test set, and of each group."""
    found: dict[Group | None, Any] = {None: slice(None)}
    if groups is not None:
        order = np.argsort(groups.codes, kind="stable")
        ends = np.searchsorted(groups.codes[order], np.arange(len(groups.names) + 1))
        for name, start, end in zip(groups.names, ends[:-1], ends[1:], strict=True):
            found[name] = order[start:end]
    return found
