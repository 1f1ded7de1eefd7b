"""A column of any library as one numpy vector: of numbers, or of Python's own values."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.exceptions import InvalidLabelsError

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
    from numpy.typing import NDArray

    from baserate.counting import Mask

NUMBERS = "biuf"
"""The kinds of numpy's types that hold numbers: all other labels are read as Python's values."""


def vector_of(name: str, labels: Any) -> NDArray[Any]:
    """Return labels as a vector, or raise if they are not one column.

    Parameters
    ----------
    name
        What an error calls them.
    labels
        A list, an array, or a column of any library that narwhals knows.
    """
    vector = as_vector(labels)
    if vector is None:
        raise InvalidLabelsError.ragged(name)
    if vector.ndim != 1:
        raise InvalidLabelsError.not_a_vector(name, vector.shape)
    if vector.size == 0:
        raise InvalidLabelsError.empty(name)
    return vector


def as_vector(labels: Any) -> NDArray[Any] | None:
    """Return labels as an array of numbers or objects; None if they are of unequal lengths.

    What is masked becomes None.
    """
    if isinstance(labels, np.ma.MaskedArray):
        labels = labels.tolist() if np.ma.is_masked(labels) else labels.data
    series = None if isinstance(labels, list | tuple | np.ndarray) else _as_series(labels)
    if series is not None:
        return _read(series)
    try:
        array = np.asarray(labels)
    except ValueError:
        return None
    if array.ndim != 1 or array.dtype.kind in NUMBERS + "O":
        return _as_doubles(array)
    return _values(labels, array)


def _as_doubles(array: NDArray[Any]) -> NDArray[Any]:
    """Return long doubles as floats, if that changes none: they do not compare with integers."""
    if array.dtype.kind != "f" or array.itemsize <= 8:
        return array
    with np.errstate(over="ignore"):
        doubles = array.astype(float)
    is_exact = bool(((doubles == array) | np.isnan(array)).all())
    return doubles if is_exact else np.asarray(array, dtype=object)


def is_missing(value: object) -> bool:
    """Return whether a value is None, nan, NaT or pandas.NA, without importing pandas."""
    if isinstance(value, Decimal):
        return value.is_nan()  # a signalling one refuses to be compared
    try:
        return value is None or bool(value != value)  # noqa: PLR0124
    except (TypeError, ValueError):
        # pandas.NA refuses to be a bool; an array among the labels does too.
        return np.ndim(value) == 0  # type: ignore[arg-type]


def missing_in(vector: NDArray[Any]) -> Mask:
    """Return which labels are missing."""
    if vector.dtype.kind == "f":
        return np.asarray(np.isnan(vector))
    if vector.dtype.kind != "O":
        return np.zeros(vector.size, dtype=bool)
    labels = vector.tolist()
    try:
        told = {label: is_missing(label) for label in dict.fromkeys(labels)}
    except TypeError:  # not hashable
        return np.fromiter(map(is_missing, labels), dtype=bool, count=vector.size)
    return mapped(told, labels)


def mapped(told: dict[Any, bool], labels: list[Any]) -> Mask:
    """Return what is told of each label: a look-up is far quicker than a comparison."""
    return np.fromiter(map(told.__getitem__, labels), dtype=bool, count=len(labels))


def _as_series(labels: Any) -> nw.Series[Any] | None:
    import narwhals.stable.v2 as nw

    if not nw.dependencies.is_into_series(labels):
        return None
    series: nw.Series[Any] = nw.from_native(labels, series_only=True)
    return series


def _read(series: nw.Series[Any]) -> NDArray[Any]:
    """Return a column as numbers if numpy has their type, otherwise as Python's values."""
    import narwhals.stable.v2 as nw

    if series.dtype == nw.String:
        return _shared(series)
    # numpy has no integers as wide as these, and no time zones.
    if not (series.dtype in (nw.Int128, nw.UInt128) or series.dtype.is_temporal()):
        array = np.asarray(series.to_numpy())
        if array.dtype.kind in NUMBERS + "O" and array.ndim == 1:
            return _as_doubles(array)
    return objects(series.to_list())


def _shared(series: nw.Series[Any]) -> NDArray[Any]:
    """Return text with one object for each distinct value, not for each row."""
    import narwhals.stable.v2 as nw

    known = series.drop_nulls().unique().to_list()
    if not known:
        return objects([None] * len(series))
    places = list(range(len(known)))
    codes = series.replace_strict(known, places, default=-1, return_dtype=nw.Int64)
    return objects([*known, None])[codes.to_numpy()]


def _values(labels: Any, array: NDArray[Any]) -> NDArray[Any]:
    """Return labels that are not numbers as they were before numpy read them.

    Beside a text, numpy writes 1, None and nan as text, and it drops zeros at the end of a text.
    """
    if hasattr(labels, "to_pylist"):
        return objects(labels.to_pylist())
    if not isinstance(labels, np.ndarray):
        return np.asarray(labels, dtype=object)
    return objects(array.tolist() if array.dtype.kind not in "mM" else _times(array))


def _times(array: NDArray[Any]) -> list[Any]:
    """Return dates and durations as Python's, which knows nothing shorter than a microsecond."""
    if np.datetime_data(array.dtype)[0] not in ("ns", "ps", "fs", "as"):
        return list(array.tolist())
    rounded = array.astype(f"{array.dtype.kind}8[us]")
    is_exact = bool(((rounded == array) | np.isnat(array)).all())
    return list(rounded.tolist() if is_exact else array)


def objects(values: list[Any]) -> NDArray[Any]:
    """Return a vector of Python's values, be they tuples."""
    vector = np.empty(len(values), dtype=object)
    vector[:] = values
    return vector
