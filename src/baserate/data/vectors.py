"""Convert a column of any library to numpy numbers or Python values."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from baserate.exceptions import InvalidLabelsError
from baserate.exceptions.base import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    import narwhals.stable.v2 as nw
    from numpy.typing import NDArray

    from baserate.data.counting import Mask

_NUMBERS = "biuf"


@dataclass(frozen=True)
class Values:
    """A non-numeric column: its distinct values, and the value of each row as a code.

    Questions about rows are answered per distinct value: a lookup is far faster than a comparison.
    """

    distinct: list[Any]
    codes: NDArray[np.intp]

    @classmethod
    def of(cls, values: list[Any]) -> Values:
        """Return the column, or raise TypeError if a value is not hashable."""
        places = {value: place for place, value in enumerate(dict.fromkeys(values))}
        codes = np.fromiter(map(places.__getitem__, values), dtype=np.intp, count=len(values))
        return cls(list(places), codes)

    @property
    def size(self) -> int:
        """The number of rows."""
        return self.codes.size

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape, as numpy gives it."""
        return self.codes.shape

    @property
    def present(self) -> list[Any]:
        """The values that occur in some row."""
        counts = np.bincount(self.codes, minlength=len(self.distinct))
        return [self.distinct[place] for place in np.flatnonzero(counts)]

    def __getitem__(self, keep: Mask) -> Values:
        return Values(self.distinct, self.codes[keep])

    def where(self, told: Callable[[Any], bool]) -> Mask:
        """Return the rows whose value satisfies a condition."""
        return np.array([bool(told(value)) for value in self.distinct], dtype=bool)[self.codes]

    def tolist(self) -> list[Any]:
        """Return the value of each row."""
        return [self.distinct[code] for code in self.codes.tolist()]


Column: TypeAlias = "NDArray[Any] | Values"
"""Numbers, or values."""


def column_of(name: str, labels: Any) -> Column:
    """Return labels as one column, or raise.

    Parameters
    ----------
    name
        What errors call them.
    labels
        A list, an array, or a column of any library that narwhals supports.
    """
    column = read(labels)
    if column is None:
        raise InvalidLabelsError.ragged(name)
    if not column.shape:
        raise InvalidLabelsError(
            f"must be a column of labels, such as a list or an array (got {shown(labels)})",
            parameter=name,
        )
    if len(column.shape) != 1:
        raise InvalidLabelsError(
            f"must be one-dimensional (got {len(column.shape)} dimensions of shape "
            f"{column.shape}); pass one column of labels, or a data frame with truth='…'",
            parameter=name,
        )
    if column.size == 0:
        raise InvalidLabelsError("must hold at least one label (got none)", parameter=name)
    if isinstance(column, Values) or column.dtype.kind in _NUMBERS:
        return column
    values = [None if is_missing(label) else label for label in column.tolist()]
    try:
        return Values.of(values)
    except TypeError:
        culprit = next(label for label in values if not is_hashable(label))
        raise InvalidLabelsError.unhashable(name, culprit) from None


def read(labels: Any) -> Column | None:
    """Return labels as numbers, objects or values; None if they are ragged.

    Masked values become None.
    """
    if isinstance(labels, Values):
        return labels
    if isinstance(labels, np.ma.MaskedArray):
        labels = labels.tolist() if np.ma.is_masked(labels) else labels.data
    series = None if isinstance(labels, list | tuple | np.ndarray) else _as_series(labels)
    if series is not None:
        return _from_series(series)
    try:
        array = np.asarray(labels)
    except Exception:  # a library may raise anything
        return None
    is_plain = array.ndim != 1 or array.dtype.kind in _NUMBERS + "O"
    return _as_doubles(array) if is_plain else objects(_values(labels, array))


def is_missing(value: object) -> bool:
    """Return whether a value is None, nan, NaT or pandas.NA, without importing pandas."""
    if isinstance(value, Decimal):
        return value.is_nan()  # a signalling NaN cannot be compared
    try:
        return value is None or bool(value != value)  # noqa: PLR0124
    except (TypeError, ValueError):
        # pandas.NA cannot be converted to bool; neither can an array among the labels.
        return np.ndim(value) == 0  # type: ignore[arg-type]


def is_hashable(value: object) -> bool:
    """Return whether a value can be looked up in a dictionary."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def missing_in(column: Column) -> Mask:
    """Return which labels are missing."""
    if isinstance(column, Values):
        return column.where(is_missing)
    if column.dtype.kind == "f":
        return np.asarray(np.isnan(column))
    return np.zeros(column.size, dtype=bool)


def _as_series(labels: Any) -> nw.Series[Any] | None:
    import narwhals.stable.v2 as nw

    if not nw.dependencies.is_into_series(labels):
        return None
    series: nw.Series[Any] = nw.from_native(labels, series_only=True)
    return series


def _from_series(series: nw.Series[Any]) -> Column:
    """Return numbers if numpy has their type, otherwise Python values."""
    import narwhals.stable.v2 as nw

    if series.dtype == nw.String:
        return _text(series)
    # numpy lacks integers this wide, and time zones.
    if not (series.dtype in (nw.Int128, nw.UInt128) or series.dtype.is_temporal()):
        array = np.asarray(series.to_numpy())
        if array.dtype.kind in _NUMBERS + "O" and array.ndim == 1:
            return _as_doubles(array)
    return objects(series.to_list())


def _text(series: nw.Series[Any]) -> Values:
    """Return text without making an object of each row."""
    import narwhals.stable.v2 as nw

    native: Any = series.to_native()
    if hasattr(native, "factorize"):  # pandas is slow at the general way below
        codes, found = native.factorize()
        known = list(found)
    else:
        known = series.drop_nulls().unique().to_list()
        places = list(range(len(known)))
        codes = (
            series.replace_strict(known, places, default=-1, return_dtype=nw.Int64)
            if known
            else np.full(len(series), -1)
        )
    # Missing values come last, which code -1 points to.
    return Values([*known, None], np.asarray(codes, dtype=np.intp) % (len(known) + 1))


def _as_doubles(array: NDArray[Any]) -> NDArray[Any]:
    """Return long doubles as floats if none changes: they do not compare with integers."""
    if array.dtype.kind != "f" or array.itemsize <= 8:
        return array
    with np.errstate(over="ignore"):
        doubles = array.astype(float)
    is_exact = bool(((doubles == array) | np.isnan(array)).all())
    return doubles if is_exact else np.asarray(array, dtype=object)


def _values(labels: Any, array: NDArray[Any]) -> list[Any]:
    """Return non-numeric labels as they were before numpy converted them.

    Next to text, numpy turns 1, None and nan into text, and it strips trailing NULs from text.
    """
    if hasattr(labels, "to_pylist"):
        return list(labels.to_pylist())
    if not isinstance(labels, np.ndarray):
        return list(labels)
    return _times(array) if array.dtype.kind in "mM" else list(array.tolist())


def _times(array: NDArray[Any]) -> list[Any]:
    """Return dates and durations as Python values, down to microseconds."""
    if np.datetime_data(array.dtype)[0] not in ("ns", "ps", "fs", "as"):
        return list(array.tolist())
    rounded = array.astype(f"{array.dtype.kind}8[us]")
    is_exact = bool(((rounded == array) | np.isnat(array)).all())
    return list(rounded.tolist() if is_exact else array)


def objects(values: list[Any]) -> NDArray[Any]:
    """Return a vector of Python values, even if they are tuples."""
    vector = np.empty(len(values), dtype=object)
    vector[:] = values
    return vector
