"""A column of a data frame library as numpy numbers or as codes, without an object per row."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.data.values import NUMBERS, Values, objects
from baserate.data.words import PIECE

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
    from numpy.typing import NDArray

    from baserate.data.values import Column


def as_series(labels: Any) -> nw.Series[Any] | None:
    """Return a column of any library that narwhals supports; None for anything else."""
    import narwhals.stable.v2 as nw

    if hasattr(labels, "dictionary_encode") and not hasattr(labels, "chunks"):
        import pyarrow as pa  # narwhals knows its arrays in chunks only

        labels = pa.chunked_array([labels])
    if not nw.dependencies.is_into_series(labels):
        return None
    series: nw.Series[Any] = nw.from_native(labels, series_only=True)
    return series


def from_series(series: nw.Series[Any]) -> Column:
    """Return numbers if numpy has their type, otherwise Python values."""
    import narwhals.stable.v2 as nw

    if series.dtype == nw.String:
        return _text(series)
    if series.dtype in (nw.Categorical, nw.Enum):
        with suppress(TypeError):  # categories without a hash
            return _categories(series)
    # numpy lacks integers this wide, and time zones.
    if not (series.dtype in (nw.Int128, nw.UInt128) or series.dtype.is_temporal()):
        array = np.asarray(series.to_numpy())
        if array.dtype.kind in NUMBERS + "O" and array.ndim == 1:
            return array
    return objects(series.to_list())


def _text(series: nw.Series[Any]) -> Column:
    """Return text without making an object of each row."""
    native: Any = series.to_native()
    if hasattr(native, "factorize"):  # pandas
        # Before version 3 it took text that goes on after a zero for its start, except in Arrow.
        if native.dtype == object or getattr(native.dtype, "storage", "") == "python":
            return np.asarray(native, dtype=object)
        codes, found = native.factorize()
        return _known(list(found), np.asarray(codes))
    if hasattr(native, "dictionary_encode"):  # pyarrow
        return _of_dictionary(native.dictionary_encode())
    # The first rows usually have all values: to look for them in all rows takes as long again.
    known: list[Any] = series.head(PIECE).drop_nulls().unique().to_list()
    codes = _places_of(series, known)
    if codes.min(initial=0) < 0 and int((codes < 0).sum()) > series.null_count():
        known = series.drop_nulls().unique().to_list()
        codes = _places_of(series, known)
    return _known(known, codes)


def _places_of(series: nw.Series[Any], known: list[Any]) -> NDArray[Any]:
    """Return the place of each value among the known ones; -1 for others and missing values."""
    import narwhals.stable.v2 as nw

    if not known:
        return np.full(len(series), -1)
    places = list(range(len(known)))
    found = series.replace_strict(known, places, default=-1, return_dtype=nw.Int64)
    return np.asarray(found.to_numpy())


def _categories(series: nw.Series[Any]) -> Values:
    """Return categories by the codes that their library has for them.

    Raises TypeError if a category has no hash.
    """
    native: Any = series.to_native()
    if hasattr(native, "cat") and hasattr(native.cat, "codes"):  # pandas and its like
        return _known(native.cat.categories.tolist(), native.cat.codes.to_numpy())
    if hasattr(native, "combine_chunks"):  # pyarrow
        return _of_dictionary(native)
    known = native.drop_nulls().unique()  # polars
    places = np.full(1 + (known.to_physical().max() or 0), -1)
    places[known.to_physical().to_numpy()] = np.arange(len(known))
    is_known = native.is_not_null().to_numpy()
    codes = places[native.to_physical().fill_null(0).to_numpy()]
    return _known(known.to_list(), np.where(is_known, codes, -1))


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
