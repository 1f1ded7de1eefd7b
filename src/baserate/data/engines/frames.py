"""Data frames and engines of any library, behind one interface, and the meaning of their texts."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

import narwhals.stable.v2 as nw

from baserate.data.files import repeated_names
from baserate.data.rows import MISSING, plain_group
from baserate.exceptions import BaserateError, InvalidFrameError
from baserate.formatting import listed, shortened, shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from baserate.data.rows import Group

    Frame: TypeAlias = nw.DataFrame[Any] | nw.LazyFrame[Any]

# The nullable pandas type for each kind of numpy type, which cannot hold missing labels.
_NULLABLE = {"b": "boolean", "i": "Int64", "u": "UInt64"}


def as_frame(native: Any) -> Frame:
    """Wrap a frame of any library in the narwhals interface."""
    try:
        frame: Frame = nw.from_native(native)
    except TypeError:
        raise InvalidFrameError(
            "a data frame must be of pandas, polars, pyarrow, DuckDB, Dask, Spark, Ibis or another "
            f"library that narwhals knows (got {type(native).__name__})"
        ) from None
    return nw.from_native(_of_categories(native)) if frame.implementation.is_dask() else frame


def _of_categories(native: Any) -> Any:
    """Return a Dask frame whose categories are the numbers and dates they stand for, not text."""
    kinds = {}
    for name, dtype in native.dtypes.items():
        kind: Any = getattr(getattr(dtype, "categories", None), "dtype", None)
        if kind is not None and kind.kind != "O":
            kinds[name] = _NULLABLE.get(kind.kind, kind)
    return native.astype(kinds) if kinds else native


def is_in_memory(frame: Frame) -> bool:
    """Return whether the rows are in memory: then numpy counts them, as for arrays."""
    return isinstance(frame, nw.DataFrame)


def require_columns(
    frame: Frame, names: Iterable[str], by: str | None = None, weight: str | None = None
) -> Mapping[str, Any]:
    """Return the types of a frame's columns, or raise unless it has each of these."""
    schema = frame.collect_schema()
    repeated = _repeated(frame)
    purposes = ("truth", "y_pred", "by", *(() if weight is None else ("sample_weight",)))
    seen = set()
    for name in (*names, *(each for each in (by, weight) if each is not None)):
        if not isinstance(name, str):
            raise InvalidFrameError.not_a_name(name)
        if name in repeated:
            raise InvalidFrameError(
                f"a column must have a name of its own, also if case is ignored (got several named "
                f"{shown(name)}); rename all but one"
            )
        if name not in schema:
            raise _no_column(name, schema.names())
        if name in seen:
            raise InvalidFrameError(
                f"must be different columns (got {shown(name)} twice)",
                parameter=purposes,
            )
        seen.add(name)
    return schema


def _repeated(frame: Frame) -> Collection[str]:
    """Return the names that several columns have, of which narwhals would take one."""
    native: Any = frame.to_native()
    if not (frame.implementation.is_duckdb() or frame.implementation.is_spark_like()):
        return ()
    return repeated_names(native) | {name for name, n in Counter(native.columns).items() if n > 1}


def _no_column(name: str, known: Sequence[str]) -> InvalidFrameError:
    import difflib

    alike = [each for each in known if each.casefold() == name.casefold()]
    nearest = alike or difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    advice = (
        f"did you mean {' or '.join(map(shown, nearest))}?"
        if nearest
        else f"they have {listed(known, most=12)}"
    )
    return InvalidFrameError(f"the data have no column {shown(name)}: {advice}")


@contextlib.contextmanager
def engine_errors() -> Iterator[None]:
    """Turn whatever an engine raises into one clear error."""
    try:
        yield
    except BaserateError:
        raise
    except Exception as error:
        raise InvalidFrameError(
            f"the data could not be counted ({type(error).__name__}: {shortened(error)})"
        ) from error


def fetched(frame: Frame) -> dict[str, Any]:
    """Run a query, and return its columns: arrays, lists, or those of the frame's library."""
    if frame.implementation.is_duckdb():  # it returns rows without another library
        native: Any = frame.to_native()
        if all(map(_is_plain, frame.collect_schema().values())):
            columns: dict[str, Any] = native.fetchnumpy()
            return columns
        rows = zip(*native.fetchall(), strict=True)
        return dict(zip(native.columns, map(list, rows), strict=False)) or {
            name: [] for name in native.columns
        }
    eager = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    return {name: eager[name].to_native() for name in eager.columns}


def _is_plain(kind: Any) -> bool:
    """Return whether numpy holds the values of a type as they are."""
    if kind.is_numeric():
        return not kind.is_decimal() and kind not in (nw.Int128, nw.UInt128)
    return kind in (nw.Boolean, nw.String)


def values_of(column: Any) -> list[Any]:
    """Return a column that was fetched as Python values, None where one is missing."""
    if isinstance(column, list):
        return column
    if not hasattr(column, "tolist"):
        column = nw.from_native(column, series_only=True)
        return list(column.to_list())
    found: list[Any] = column.tolist()
    return found


def column_name(column: str) -> str:
    """Return what errors call a column."""
    return f"column {shown(column)}"


# Files without types: the meaning of each text.

# A number has no leading zeros: 007 is a name.
_NUMBER = re.compile(
    r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]{1,3})?", re.IGNORECASE
)
_NOT_A_NUMBER = re.compile(r"[+-]?nan", re.IGNORECASE)
# Any float of an engine can be read from such a text.
_FLOAT = r"(?i)^\s*[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|inf|infinity)\s*$"
_FLAGS = {"true": True, "false": False}


def label_of(text: str) -> Any:
    """Return the meaning of a text: a number, a boolean, the text itself, or None for nan."""
    plain = text.strip()
    if _NUMBER.fullmatch(plain):
        return _number(Decimal(plain))
    if _NOT_A_NUMBER.fullmatch(plain):
        return None
    return _FLAGS.get(plain.lower(), text)


def is_nan(label: nw.Expr) -> nw.Expr:
    """Flag texts that mean nan, where the rows are; a missing text is not flagged."""
    is_nan = label.str.strip_chars().str.to_lowercase().is_in(["nan", "+nan", "-nan"])
    return nw.when(~label.is_null()).then(is_nan).otherwise(nw.lit(value=False))


def is_number(text: nw.Expr) -> nw.Expr:
    """Flag texts that are numbers, where the rows are."""
    return text.str.contains(_FLOAT)


def _number(number: Decimal) -> Any:
    """Return a Python number; keep the decimal if a float would round it to a whole number."""
    if number == number.to_integral_value():
        return int(number)
    return number if float(number).is_integer() else float(number)


def typed_groups(names: Iterable[Group]) -> dict[Group, Group]:
    """Return the meaning of group names, if all are numbers or all are booleans."""
    read = {name: label_of(name) for name in names if isinstance(name, str) and name != MISSING}
    kinds = {isinstance(label, bool) for label in read.values()}
    if len(kinds) > 1 or any(isinstance(label, str) for label in read.values()):
        return {}
    return {name: plain_group(label) for name, label in read.items()}
