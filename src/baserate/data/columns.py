"""Read a column of any library as numpy numbers, or as Python values with a code per row."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from baserate.data.cells import coded_objects, coded_texts
from baserate.exceptions import InvalidLabelsError
from baserate.formatting import Term, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import narwhals.stable.v2 as nw
    from numpy.typing import NDArray

    from baserate.exceptions import BaserateError

    Mask: TypeAlias = NDArray[np.bool_]

NUMBERS = "biuf"
"""The kinds of numpy types that are numbers."""
Labels: TypeAlias = Any
"""A list, an array or a column of labels: numpy, pandas, polars, pyarrow, …"""
Column: TypeAlias = "NDArray[Any] | Values"
"""Numbers, or values."""
# Spelled out, because a gate or a display that asks `evaluate` has no such argument itself.
_DROPPING = Term("missing", "missing='drop' of evaluate or compare", "drop")


@dataclass(frozen=True)
class Values:
    """A non-numeric column: its distinct values, and the value of each row as a code.

    Questions about rows are answered per distinct value: a lookup is far faster than a comparison.
    """

    distinct: list[Any]
    codes: NDArray[Any]

    @classmethod
    def of(cls, values: list[Any] | tuple[Any, ...]) -> Values:
        """Return the column, or raise TypeError if a value is not hashable."""
        places = Places()
        try:
            codes = np.fromiter(map(places.__getitem__, values), dtype=np.intp, count=len(values))
        except TypeError:
            raise
        except Exception as error:  # a user's object may raise anything
            raise InvalidLabelsError.not_comparable(error) from None
        return cls(list(places), codes)

    @classmethod
    def of_objects(cls, column: NDArray[Any]) -> Values:
        """Return a column of objects, or raise TypeError if one is not hashable."""
        shared = coded_objects(column)
        if shared is None:
            return cls.of(column.tolist())
        found = cls.of(column[shared.firsts].tolist())  # different objects may be equal
        return cls(found.distinct, found.codes[shared.codes])

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
        answers = np.array([bool(told(value)) for value in self.distinct], dtype=bool)
        return np.asarray(answers[self.codes])

    def tolist(self) -> list[Any]:
        """Return the value of each row."""
        return [self.distinct[code] for code in self.codes.tolist()]


class Places(dict[Any, int]):
    """The place of each value: those that are new come last."""

    def __missing__(self, value: Any) -> int:
        self[value] = place = len(self)
        return place


def column_of(name: str, labels: Any) -> Column:
    """Return labels of any library as one column, or raise an error that has their name."""
    if is_model(labels):
        raise InvalidLabelsError(
            f"must be a column of labels, such as a list or an array (got a {type(labels).__name__}"
            "); pass what the model predicts, as in model.predict(X)",
            parameter=name,
        )
    column = read(labels)
    if column is None and isinstance(labels, list | tuple | np.ndarray):
        raise InvalidLabelsError.ragged(name)
    if column is None:
        raise InvalidLabelsError(
            f"must be a column of plain values such as 0, 1, True or 'yes' (got {shown(labels)})",
            parameter=name,
        )
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
    if isinstance(labels, list | tuple) and labels and isinstance(labels[0], str):
        with suppress(TypeError):
            texts = Values.of(labels)
            if all(value is None or type(value) is str for value in texts.distinct):
                return texts
    try:
        series = None if isinstance(labels, list | tuple | np.ndarray) else _as_series(labels)
        return _from_numpy(labels) if series is None else _from_series(series)
    except Exception:  # a library may raise anything
        return None


# What a column holds, as far as that says what kind of prediction it is. The first rows mostly do.

_FIRST_ROWS = 1_000
_ROWS_AT_ONCE = 2**16


def has_fractions(labels: Any) -> bool:
    """Return whether a column has numbers that are not whole.

    Of numbers in a list or of objects, only the first rows tell: who reads the others as labels
    finds what is none.
    """
    first = _first_rows(labels)
    if not isinstance(first, np.ndarray):
        return first is not None and any(map(is_fraction, first.present))
    if first.dtype.kind == "O":
        return any(map(is_fraction, first.tolist()))
    if first.dtype.kind != "f" or first.size == 0:
        return False
    return any(_any_fraction(each) for part in ([first], _pieces(labels)) for each in part)


def _any_fraction(numbers: Any) -> bool:
    is_odd = np.floor(numbers) != numbers
    return bool(is_odd.any() and np.isfinite(numbers[is_odd]).any())  # nan is none


def has_several(labels: Any) -> bool:
    """Return whether a column has more than two different values."""
    first = _first_rows(labels)
    met = set() if first is None else _distinct(first)
    if len(met) > 2 or first is None:
        return len(met) > 2
    return any(len(met := met | _distinct(piece)) > 2 for piece in _pieces(labels))


def _distinct(column: Column) -> set[Any]:
    """Return the different values of a column; of numbers at most three."""
    if isinstance(column, Values):
        return {value for value in column.present if not is_missing(value)}
    if column.dtype.kind == "O":
        return {value for value in column.tolist() if is_hashable(value) and not is_missing(value)}
    known = column[~np.isnan(column)] if column.dtype.kind == "f" else column
    found: set[Any] = set()
    while known.size and len(found) < 3:
        found.add(known[0].item())
        known = known[known != known[0]]
    return found


def _first_rows(labels: Any) -> Column | None:
    """Return the first rows of a column; None if it cannot be read, or is none."""
    if not hasattr(labels, "__len__") or isinstance(labels, str | bytes | Mapping):
        return None
    try:
        first = read((labels.iloc if hasattr(labels, "iloc") else labels)[:_FIRST_ROWS])
    except Exception:  # a library may raise anything
        return None
    return first if first is not None and len(first.shape) == 1 else None


def _pieces(labels: Any) -> Iterator[Column]:
    """Return a long column in pieces that fit in the cache; Values are one."""
    column = read(labels) if len(labels) > _FIRST_ROWS else None
    if isinstance(column, Values):
        yield column
    elif column is not None:
        for start in range(0, column.size, _ROWS_AT_ONCE):
            yield column[start : start + _ROWS_AT_ONCE]


# Numpy.


def _from_numpy(labels: Any) -> Column:
    """Return labels as numpy reads them, if that changes none."""
    array = np.asarray(labels)
    if array.ndim != 1 or array.dtype.kind in NUMBERS + "O":
        return _as_doubles(array)
    if not isinstance(labels, np.ndarray):
        # Beside text, numpy turns 1, None and nan into text, and it strips NULs at the end.
        return _objects(list(labels))
    if array.dtype.kind == "U" and array.dtype.isnative:
        found = coded_texts(array)
        if found is not None:
            return Values(array[found.firsts].tolist(), found.codes)
    return _objects(_times(array) if array.dtype.kind in "mM" else array.tolist())


def _as_doubles(array: NDArray[Any]) -> NDArray[Any]:
    """Return long doubles as floats if none changes: they do not compare with integers."""
    if array.dtype.kind != "f" or array.itemsize <= 8:
        return array
    with np.errstate(over="ignore"):
        doubles = array.astype(float)
    is_exact = bool(((doubles == array) | np.isnan(array)).all())
    return doubles if is_exact else np.asarray(array, dtype=object)


def _times(array: NDArray[Any]) -> list[Any]:
    """Return dates and durations as Python values, down to microseconds."""
    if np.datetime_data(array.dtype)[0] not in ("ns", "ps", "fs", "as"):
        return list(array.tolist())
    rounded = array.astype(f"{array.dtype.kind}8[us]")
    is_exact = bool(((rounded == array) | np.isnat(array)).all())
    return list(rounded.tolist() if is_exact else array)


def _objects(values: list[Any]) -> NDArray[Any]:
    """Return a vector of Python values, even if they are tuples."""
    vector = np.empty(len(values), dtype=object)
    vector[:] = values
    return vector


# Data frame libraries: no object per row is made of text and categories.


def _as_series(labels: Any) -> nw.Series[Any] | None:
    """Return a column of any library that narwhals supports; None for anything else."""
    import narwhals.stable.v2 as nw

    if hasattr(labels, "dictionary_encode") and not hasattr(labels, "chunks"):
        import pyarrow as pa  # narwhals knows its arrays in chunks only

        labels = pa.chunked_array([labels])
    if not nw.dependencies.is_into_series(labels):
        return None
    series: nw.Series[Any] = nw.from_native(labels, series_only=True)
    return series


def _from_series(series: nw.Series[Any]) -> Column:
    """Return numbers if numpy has their type, otherwise Python values."""
    import narwhals.stable.v2 as nw

    if series.dtype == nw.String:
        return _text(series)
    if series.dtype in (nw.Categorical, nw.Enum):
        with suppress(TypeError):  # categories without a hash
            return _categories(series.to_native())
    # numpy lacks integers this wide, and time zones.
    if not (series.dtype in (nw.Int128, nw.UInt128) or series.dtype.is_temporal()):
        array = np.asarray(series.to_numpy())
        if array.dtype.kind in NUMBERS + "O" and array.ndim == 1:
            return _as_doubles(array)
    return _objects(series.to_list())


def _text(series: nw.Series[Any]) -> Column:
    import narwhals.stable.v2 as nw

    native: Any = series.to_native()
    if hasattr(native, "factorize"):  # pandas
        # Before version 3 it took text that goes on after a zero for its start, except in Arrow.
        if native.dtype == object or getattr(native.dtype, "storage", "") == "python":
            return np.asarray(native, dtype=object)
        codes, found = native.factorize()
        return _known(list(found), np.asarray(codes))
    if hasattr(native, "dictionary_encode"):  # pyarrow
        return _of_dictionary(native.dictionary_encode())
    return _categories(series.cast(nw.Categorical).to_native())  # polars


def _categories(native: Any) -> Values:
    """Return categories by the codes of their library; raise TypeError if one has no hash."""
    if hasattr(native, "cat") and hasattr(native.cat, "codes"):  # pandas and its like
        return _known(native.cat.categories.tolist(), native.cat.codes.to_numpy())
    if hasattr(native, "combine_chunks"):  # pyarrow
        return _of_dictionary(native)
    known = native.drop_nulls().unique()  # polars
    places = np.full(1 + (known.to_physical().max() or 0), -1)
    places[known.to_physical().to_numpy()] = np.arange(len(known))
    codes = places[native.to_physical().fill_null(0).to_numpy()]
    return _known(known.to_list(), np.where(native.is_not_null().to_numpy(), codes, -1))


def _of_dictionary(native: Any) -> Values:
    """Return what pyarrow has encoded, or raise TypeError if a value has no hash."""
    whole = native.unify_dictionaries().combine_chunks() if hasattr(native, "chunks") else native
    codes = whole.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    known = Values.of(whole.dictionary.to_pylist())  # a dictionary may have a value twice
    return _known(known.distinct, np.append(known.codes, -1)[codes])


def _known(known: list[Any], codes: NDArray[Any]) -> Values:
    """Return values by their codes; those with code -1 are missing."""
    is_missing = codes < 0
    if not is_missing.any():
        return Values(known, codes)
    return Values([*known, None], np.where(is_missing, len(known), codes.astype(np.intp)))


# Single values.


def is_model(value: object) -> bool:
    """Return whether something is a model, in the place of what it predicts."""
    return callable(getattr(type(value), "predict", None))


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
    """Return whether a value is a float or a decimal that is not a whole number."""
    if isinstance(value, Decimal):
        return value.is_finite() and value != value.to_integral_value()
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


def missing_in(column: Column) -> Mask:
    """Return which labels are missing."""
    if isinstance(column, Values) and any(map(is_missing, column.distinct)):
        return column.where(is_missing)
    if not isinstance(column, Values) and column.dtype.kind == "f":
        return np.asarray(np.isnan(column))
    return np.zeros(column.size, dtype=bool)


def require_complete(
    name: str,
    column: Column,
    *,
    may_drop: bool,
    error: type[BaserateError] = InvalidLabelsError,
) -> None:
    """Raise if a column has missing values; say how to leave out those rows if the caller can."""
    if isinstance(column, Values):
        may_be_missing = any(map(is_missing, column.distinct))
    else:  # nan is the smallest number of all, for numpy
        may_be_missing = column.dtype.kind == "f" and column.size > 0 and np.isnan(column.min())
    missing = missing_in(column) if may_be_missing else np.zeros(0, dtype=bool)
    if missing.any():
        advice = (
            ("fill them, or leave those rows out with ", _DROPPING)
            if may_drop
            else ("drop or fill those rows first",)
        )
        raise error(
            f"must not have missing values (got {np.count_nonzero(missing)}, the first at position "
            f"{missing.argmax()}); ",
            *advice,
            parameter=name,
        )
