"""Every kind of label in every container gives the same table, or the same kind of error."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import baserate as br
from backends import NO_DASK, NO_PYTZ
from baserate.exceptions import InvalidLabelsError

if TYPE_CHECKING:
    from collections.abc import Callable

Y = [True, True, True, False, False, False, False]
P = [True, True, False, True, False, False, False]
TABLE = br.ConfusionMatrix(tp=2, fn=1, fp=1, tn=3)


def _labels(mask: list[bool], positive: Any, negative: Any) -> list[Any]:
    return [positive if each else negative for each in mask]


def _objects(values: list[Any]) -> np.ndarray[Any, Any]:
    vector = np.empty(len(values), dtype=object)
    vector[:] = values
    return vector


NOON, MIDNIGHT = dt.datetime(2026, 1, 1, 12), dt.datetime(2026, 1, 1)
AWARE = [each.replace(tzinfo=dt.UTC) for each in (NOON, MIDNIGHT)]

# Two labels, and the column that each library makes from a list of them.
KINDS: dict[str, tuple[Any, Any, Callable[[list[Any]], Any]]] = {
    "list": (1, 0, list),
    "uint64": (2**64 - 1, 2**64 - 2, lambda v: np.array(v, dtype=np.uint64)),
    "int64 beyond the floats": (2**53 + 1, 2**53, np.array),
    "floats": (1.5, -1.5, np.array),
    "float32": (0.7, 0.3, lambda v: np.array(v, dtype=np.float32)),
    "long double": (1.0, 0.0, lambda v: np.array(v, dtype=np.longdouble)),
    "infinities": (math.inf, -math.inf, np.array),
    "complex": (1 + 1j, 1 - 1j, np.array),
    "booleans": (True, False, np.array),
    "numpy text": ("ill", "well", np.array),
    "numpy bytes": (b"ill", b"well", np.array),
    "numpy strings of any length": ("ill", "well", lambda v: np.array(v, np.dtypes.StringDType())),
    "numpy nanoseconds": (NOON, MIDNIGHT, lambda v: np.array(v, "M8[ns]")),
    "numpy durations": (dt.timedelta(1), dt.timedelta(2), lambda v: np.array(v, "m8[ns]")),
    "decimals": (Decimal("0.1"), Decimal("0.2"), _objects),
    "decimals and integers": (Decimal(1), 0, _objects),
    "huge integers": (10**400, -(10**400), _objects),
    "mixed objects": ("ill", 0, _objects),
    "bytes": (b"ill\0", b"ill", list),
    "text that ends in zeros": ("ill\0", "ill", list),
    "pandas nullable integers": (1, 0, lambda v: pd.Series(v, dtype="Int64")),
    "pandas nullable floats": (0.5, 1.5, lambda v: pd.Series(v, dtype="Float32")),
    "pandas text": ("ill", "well", pd.Series),
    "pandas arrow integers": (1, 0, lambda v: pd.Series(v, dtype="int8[pyarrow]")),
    "pandas arrow dates": (NOON, MIDNIGHT, lambda v: pd.Series(v, dtype="timestamp[us][pyarrow]")),
    "pandas dates with a zone": (*AWARE, pd.Series),
    "pandas periods": (pd.Period("2026"), pd.Period("2025"), pd.Series),
    "pandas sparse": (1, 0, lambda v: pd.Series(pd.arrays.SparseArray(v))),
    "pandas objects": (1, "none", lambda v: pd.Series(v, dtype=object)),
    "pandas decimals": (Decimal("0.1"), Decimal("0.2"), pd.Series),
    "pandas index": (1, 0, pd.Index),
    "categories of integers": (1, 0, lambda v: pd.Series(v, dtype="category")),
    "categories of text": ("ill", "well", lambda v: pd.Series(v, dtype="category")),
    "categories of dates": (NOON, MIDNIGHT, lambda v: pd.Series(v, dtype="category")),
    "categories of anything": ("ill", 0, lambda v: pd.Series(v, dtype="category")),
    "polars huge Int128": (2**100, -(2**100), lambda v: pl.Series(v, dtype=pl.Int128)),
    "polars Decimal": (Decimal("0.1"), Decimal("0.2"), pl.Series),
    "polars whole Decimal": (
        Decimal(1), Decimal(0), lambda v: pl.Series(v, dtype=pl.Decimal(9, 2)),
    ),
    "polars Float32": (0.7, 0.3, lambda v: pl.Series(v, dtype=pl.Float32)),
    "polars text": ("ill", "well", pl.Series),
    "polars Categorical": ("ill", "well", lambda v: pl.Series(v, dtype=pl.Categorical)),
    "polars Enum": ("ill", "well", lambda v: pl.Series(v, dtype=pl.Enum(["ill", "well"]))),
    "polars datetimes": (NOON, MIDNIGHT, pl.Series),
    "polars datetimes with a zone": (*AWARE, pl.Series),
    "polars objects": ("ill", 0, lambda v: pl.Series(v, dtype=pl.Object)),
    "pyarrow integers": (1, 0, lambda v: pa.chunked_array([v[:2], v[2:]])),
    "pyarrow text": ("ill", "well", lambda v: pa.chunked_array([v])),
    "pyarrow categories": (
        "ill", "well", lambda v: pa.chunked_array([pa.array(v).dictionary_encode()]),
    ),
    "pyarrow categories of integers": (1, 0, lambda v: pa.array(v).dictionary_encode()),
    "pyarrow dates with a zone": (*AWARE, pa.array),
}  # fmt: skip


def _frame(truth: Any, prediction: Any) -> Any:
    """A data frame of the library that made the columns; pandas for numpy columns."""
    if isinstance(truth, pl.Series):
        return pl.DataFrame({"y": truth, "p": prediction})
    if isinstance(truth, pa.Array | pa.ChunkedArray):
        return pa.table({"y": truth, "p": prediction})
    if isinstance(truth, np.ndarray) and truth.dtype == "M8[D]":
        truth, prediction = truth.tolist(), prediction.tolist()  # pandas has no day type
    if not isinstance(truth, pd.Series):
        # Before version 3.1, pandas makes a float of a huge integer, and fails.
        is_huge = any(isinstance(each, int) and abs(each) > 2**1024 for each in truth)
        truth, prediction = (
            pd.Series(list(each), dtype=object if is_huge else None) for each in (truth, prediction)
        )
    return pd.DataFrame({"y": truth, "p": prediction})


def _lazy(frame: Any) -> list[Any]:
    """The same columns in engines with types; no engine keeps Python objects."""
    if isinstance(frame, pl.DataFrame):
        return [] if frame["y"].dtype == pl.Object else [frame.lazy()]
    if isinstance(frame, pa.Table):
        is_readable = not pa.types.is_timestamp(frame["y"].type) or not NO_PYTZ
        return [duckdb.connect().from_arrow(frame)] if is_readable else []
    if NO_DASK or frame["y"].dtype != "category" or frame["y"].cat.categories.dtype == object:
        return []
    import dask.dataframe as dd

    return [dd.from_pandas(frame, npartitions=2)]


def _counts(
    truth: Any, prediction: Any, pos_label: Any
) -> dict[str, Callable[[], br.ConfusionMatrix]]:
    """Every way to count two columns."""

    def streamed() -> br.ConfusionMatrix:
        parts = (slice(None, 3), slice(3, None))
        return sum(
            br.ConfusionMatrix.of(truth[each], prediction[each], pos_label) for each in parts
        )

    def evaluated(*arguments: Any, **options: Any) -> br.ConfusionMatrix:
        report = br.evaluate(*arguments, measures="F1", pos_label=pos_label, **options)
        return report.performances[0].table

    frame = _frame(truth, prediction)
    return {
        "of": lambda: br.ConfusionMatrix.of(truth, prediction, pos_label),
        "evaluate": lambda: evaluated(truth, prediction),
        "by group": lambda: evaluated(truth, prediction, by=["a"] * len(truth)),
        "dropping": lambda: evaluated(truth, prediction, missing="drop"),
        "streams": streamed,
        "frame": lambda: br.ConfusionMatrix.from_frame(frame, "y", "p", pos_label=pos_label),
        "evaluate a frame": lambda: evaluated(frame, truth="y", y_pred="p"),
        "frame, dropping": lambda: evaluated(frame, truth="y", y_pred="p", missing="drop"),
        **{
            f"lazy {type(lazy).__module__}": lambda lazy=lazy: evaluated(
                lazy, truth="y", y_pred="p"
            )
            for lazy in _lazy(frame)
        },
    }


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_table_from_every_container(kind: str) -> None:
    """Arrays, columns, frames, engines and streams count any two labels in the same way."""
    positive, negative, make = KINDS[kind]
    truth, prediction = (make(_labels(mask, positive, negative)) for mask in (Y, P))
    found = {way: _outcome(count) for way, count in _counts(truth, prediction, positive).items()}
    assert found == dict.fromkeys(found, TABLE)
    swapped = br.ConfusionMatrix.of(truth, prediction, negative)
    assert swapped == br.ConfusionMatrix(tp=3, fn=1, fp=1, tn=2)


def _outcome(count: Callable[[], br.ConfusionMatrix]) -> object:
    """The table, or the kind of error; any other exception fails the test."""
    try:
        return count()
    except InvalidLabelsError as error:
        return type(error)


MISSING = [
    None,
    math.nan,
    np.nan,
    pd.NA,
    pd.NaT,
    Decimal("NaN"),
    Decimal("sNaN"),
    np.datetime64("NaT", "s"),
]


@pytest.mark.parametrize("missing", MISSING, ids=repr)
def test_every_missing_value_is_missing(missing: Any) -> None:
    """Arrays and frames count and drop a missing label alike, and it cannot be positive."""
    truth, prediction = _objects([1, 0, 1, 0]), _objects([1, missing, 0, 0])
    frame = pd.DataFrame({"y": truth, "p": prediction})
    kept = br.ConfusionMatrix(tp=1, fn=1, tn=1)
    assert br.evaluate(truth, prediction, "F1", missing="drop").performances[0].table == kept
    report = br.evaluate(frame, truth="y", y_pred="p", measures="F1", missing="drop")
    assert report.performances[0].table == kept
    assert report.dropped == 1
    with pytest.raises(InvalidLabelsError, match="missing"):
        br.ConfusionMatrix.of(truth, prediction)
    with pytest.raises(InvalidLabelsError, match="got 1 in 'p'"):
        br.ConfusionMatrix.from_frame(frame, "y", "p")
    if missing is not None:
        with pytest.raises(InvalidLabelsError, match="pos_label"):
            br.ConfusionMatrix.of([0, 0], [0, 0], pos_label=missing)


@pytest.mark.parametrize("pos_label", [[1], {1}, {}, np.ones(1), np.ones((2, 2))], ids=repr)
def test_a_positive_label_is_one_value(pos_label: Any) -> None:
    """A list is not a label: numpy would compare it element by element."""
    with pytest.raises(InvalidLabelsError, match="pos_label must hold plain values"):
        br.ConfusionMatrix.of([1, 1], [1, 1], pos_label=pos_label)
    with pytest.raises(InvalidLabelsError, match="pos_label must hold plain values"):
        br.ConfusionMatrix.from_frame(
            pl.LazyFrame({"y": [1], "p": [1]}), "y", "p", pos_label=pos_label
        )


@pytest.mark.parametrize("labels", [[0.0, 0.0], [0, 0], [False, False], [Decimal(0)] * 2], ids=repr)
@pytest.mark.parametrize(
    "pos_label",
    [10**400, 10**5000, Decimal("1e400"), Fraction(1, 3)],
    ids=lambda each: type(each).__name__,
)
def test_a_positive_label_that_no_column_holds(labels: list[Any], pos_label: Any) -> None:
    """A positive label too large for its column leaves one class, the negative one."""
    none = br.ConfusionMatrix(tn=2)
    assert br.ConfusionMatrix.of(labels, labels, pos_label) == none
    if isinstance(labels[0], bool):
        return
    for frame in (pd.DataFrame, pl.LazyFrame):
        columns = frame({"y": labels, "p": labels})
        assert br.ConfusionMatrix.from_frame(columns, "y", "p", pos_label=pos_label) == none
    with pytest.raises(InvalidLabelsError, match="pos_label must be one of the classes"):
        br.ConfusionMatrix.of([0, 1], [0, 1], pos_label)


def test_a_positive_label_is_not_rounded() -> None:
    """A whole number that no float holds is not the float nearby."""
    floats = np.array([2.0**53, 0.0])
    with pytest.raises(InvalidLabelsError, match="pos_label must be one of"):
        br.ConfusionMatrix.of(floats, floats, 2**53 + 1)


def test_models_with_other_negative_classes() -> None:
    """All models of a report share two classes, in arrays and in frames."""
    columns = {"y": [1, 1], "a": [1, 0], "b": [1, -1]}
    with pytest.raises(InvalidLabelsError, match="all models must have the same two classes"):
        br.evaluate(columns["y"], {name: columns[name] for name in "ab"})
    for frame in (pd.DataFrame(columns), pl.LazyFrame(columns)):
        with pytest.raises(InvalidLabelsError, match="two classes"):
            br.evaluate(frame, truth="y", y_pred=["a", "b"])
