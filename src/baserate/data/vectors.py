"""Convert a column of any library to numpy numbers or Python values."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.data.series import as_series, from_series
from baserate.data.values import NUMBERS, Values, objects
from baserate.data.words import coded_texts
from baserate.exceptions import InvalidLabelsError
from baserate.formatting import shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.data.counting import Mask
    from baserate.data.values import Column


def column_of(name: str, labels: Any) -> Column:
    """Return labels as one column, or raise.

    Parameters
    ----------
    name
        What errors call them.
    labels
        A list, an array, or a column of any library that narwhals supports.
    """
    if is_model(labels):
        raise InvalidLabelsError(
            f"must be a column of labels, such as a list or an array (got a {type(labels).__name__}"
            "); pass what the model predicts, as in model.predict(X)",
            parameter=name,
        )
    column = read(labels)
    if column is None:
        raise _unread(name, labels)
    if not column.shape:
        raise InvalidLabelsError(
            f"must be a column of labels, such as a list or an array (got {shown(labels)})",
            parameter=name,
        )
    if len(column.shape) != 1:
        raise InvalidLabelsError(
            f"must be one-dimensional (got {len(column.shape)} dimensions of shape "
            f"{column.shape}); {_one_column(labels, column.shape)}",
            parameter=name,
        )
    if column.size == 0:
        raise InvalidLabelsError("must hold at least one label (got none)", parameter=name)
    if isinstance(column, Values) or column.dtype.kind in NUMBERS:
        return column
    try:
        values = Values.of_objects(column)
    except TypeError:
        return _closely_read(name, column)
    # None stands for all missing values: a comparison with some of them has no answer.
    return Values([None if is_missing(each) else each for each in values.distinct], values.codes)


def _one_column(labels: Any, shape: tuple[int, ...]) -> str:
    """Say what to do with a table in the place of a column."""
    if hasattr(type(labels), "columns"):
        return "pass one column of labels, or the whole data frame with truth='…'"
    rows, columns = shape[:2]
    if len(shape) > 2:
        return "pass one column of labels"
    if columns == 1:
        return "pass one column, as in y[:, 0]"
    if isinstance(labels, list | tuple) and rows < columns:
        return "pass several models as a mapping, such as {'tree': …, 'forest': …}"
    if columns == 2:
        return "of predict_proba take the positive class's column, [:, 1]"
    return (
        "name a measure such as 'log loss' or 'top-2 accuracy', which take a column per class; "
        "accuracy takes labels"
    )


def is_model(value: object) -> bool:
    """Return whether something is a model, in the place of what it predicts."""
    return callable(getattr(type(value), "predict", None))


def _unread(name: str, labels: Any) -> InvalidLabelsError:
    """Return the error about labels that neither numpy nor their own library can convert."""
    if isinstance(labels, list | tuple | np.ndarray):
        return InvalidLabelsError.ragged(name)
    return InvalidLabelsError(
        f"must be a column of plain values such as 0, 1, True or 'yes' (got {shown(labels)})",
        parameter=name,
    )


def _closely_read(name: str, column: NDArray[Any]) -> Values:
    """Return a column in which missing values may be all that is not hashable, or raise."""
    values = [None if is_missing(label) else label for label in column.tolist()]
    try:
        return Values.of(values)
    except TypeError:
        culprit = next(label for label in values if not is_hashable(label))
        raise InvalidLabelsError.unhashable(name, culprit) from None


def read(labels: Any) -> Column | None:
    """Return labels as numbers, objects or values; None if they are ragged or cannot be read.

    Masked values become None.
    """
    if isinstance(labels, Values):
        return labels
    if isinstance(labels, np.ma.MaskedArray):
        labels = labels.tolist() if np.ma.is_masked(labels) else labels.data
    try:
        series = None if isinstance(labels, list | tuple | np.ndarray) else as_series(labels)
        column = None if series is None else from_series(series)
    except Exception:  # a library may raise anything
        return None
    if column is not None:
        return column if isinstance(column, Values) else _as_doubles(column)
    texts = _list_of_text(labels)
    return _from_numpy(labels) if texts is None else texts


def _from_numpy(labels: Any) -> Column | None:
    """Return labels as numpy reads them, if that changes none; None if they are ragged."""
    try:
        array = np.asarray(labels)
    except Exception:  # a library may raise anything
        return None
    if array.ndim != 1 or array.dtype.kind in NUMBERS + "O":
        return _as_doubles(array)
    if isinstance(labels, np.ndarray) and array.dtype.kind == "U" and array.dtype.isnative:
        found = coded_texts(array)
        if found is not None:
            return Values(array[found.firsts].tolist(), found.codes)
    return objects(_values(labels, array))


def _list_of_text(labels: Any) -> Values | None:
    """Return a list of text, or None if that is not all it holds."""
    if not isinstance(labels, list | tuple) or not labels or not isinstance(labels[0], str):
        return None
    try:
        column = Values.of_objects(np.fromiter(labels, dtype=object, count=len(labels)))
    except TypeError:
        return None
    is_text = all(value is None or type(value) is str for value in column.distinct)
    return column if is_text else None


def is_missing(value: object) -> bool:
    """Return whether a value is None, nan, NaT or pandas.NA, without importing pandas."""
    if isinstance(value, Decimal):
        return value.is_nan()  # a signalling NaN cannot be compared
    try:
        return value is None or bool(value != value)  # noqa: PLR0124
    except (TypeError, ValueError):
        # pandas.NA cannot be converted to bool; neither can an array among the labels.
        return np.ndim(value) == 0  # type: ignore[arg-type]
    except Exception as error:  # a user's object may raise anything
        raise InvalidLabelsError.not_comparable(error) from None


def is_fraction(value: object) -> bool:
    """Return whether a value is a float that is not a whole number."""
    return isinstance(value, float) and math.isfinite(value) and not value.is_integer()


def is_hashable(value: object) -> bool:
    """Return whether a value can be looked up in a dictionary."""
    try:
        hash(value)
    except Exception:  # a user's object may raise anything
        return False
    return True


def text_of(value: object) -> str:
    """Return the text of a name that a user gave."""
    try:
        return str(value)
    except Exception as error:
        raise InvalidLabelsError(
            f"names must have a text (got {shown(value)}, which raises {type(error).__name__}); "
            "use text or numbers"
        ) from None


def may_be_missing(column: Column) -> bool:
    """Return whether a column may have missing labels, without a look at each row's own."""
    if isinstance(column, Values):
        return any(map(is_missing, column.distinct))
    # nan is the smallest number of all, for numpy.
    return column.dtype.kind == "f" and bool(np.isnan(column.min()))


def missing_in(column: Column) -> Mask:
    """Return which labels are missing."""
    if isinstance(column, Values):
        return column.where(is_missing)
    if column.dtype.kind == "f":
        return np.asarray(np.isnan(column))
    return np.zeros(column.size, dtype=bool)


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
