"""The data frame libraries and engines, and how to give each the same columns."""

from __future__ import annotations

import importlib.util
import shutil
from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

Columns = dict[str, list[Any]]


def _missing(*packages: str) -> str:
    """Name the packages that are not installed; empty if all are."""
    lacking = [package for package in packages if importlib.util.find_spec(package) is None]
    return f"not installed: {', '.join(lacking)} (make engines)" if lacking else ""


NO_DASK = _missing("dask", "distributed")
NO_PYTZ = _missing("pytz")  # DuckDB needs it for times with a zone
NO_SPARK = _missing("pyspark") or ("" if shutil.which("java") else "Spark needs Java")


def _duckdb(columns: Columns) -> Any:
    import duckdb

    return duckdb.connect().from_arrow(pa.table(columns))


def _dask(columns: Columns) -> Any:
    import dask.dataframe as dd

    return dd.from_pandas(pd.DataFrame(columns), npartitions=3)


def _ibis(columns: Columns) -> Any:
    import ibis

    return ibis.memtable(pl.DataFrame(columns, strict=False))


def _sqlframe(columns: Columns) -> Any:
    from sqlframe.duckdb import DuckDBSession

    return DuckDBSession().createDataFrame(_rows(columns), list(columns))


def spark_session() -> Any:
    """A local Spark, started once."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("baserate")
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.log.level": "ERROR",
        "spark.driver.memory": "1g",
        # Short queries on a few rows: better compiled code would cost more than it gains.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def _spark(columns: Columns) -> Any:
    return spark_session().createDataFrame(_rows(columns), list(columns))


def _rows(columns: Columns) -> list[tuple[Any, ...]]:
    return list(zip(*columns.values(), strict=True))


def _backend(name: str, make: Callable[[Columns], Any], *packages: str, why: str = "") -> Any:
    lacking = why or _missing(*packages)
    mark = pytest.mark.skipif(bool(lacking), reason=lacking)
    return pytest.param(make, id=name, marks=mark)


EAGER = [
    _backend("pandas", pd.DataFrame),
    _backend("pandas-pyarrow", lambda c: pd.DataFrame(c).convert_dtypes(dtype_backend="pyarrow")),
    _backend("pandas-nullable", lambda columns: pd.DataFrame(columns).convert_dtypes()),
    _backend("polars", lambda columns: pl.DataFrame(columns, strict=False)),
    _backend("pyarrow", pa.table),
]
LAZY = [
    _backend("polars-lazy", lambda columns: pl.LazyFrame(columns, strict=False)),
    _backend("duckdb", _duckdb, "duckdb"),
    _backend("dask", _dask, why=NO_DASK),
    _backend("spark", _spark, why=NO_SPARK),
    _backend("ibis", _ibis, "ibis"),
]
BACKENDS = [*EAGER, *LAZY]
# SQLFrame generates SQL slowly, and DuckDB runs it: the main cases are enough.
EVERYWHERE = [*BACKENDS, _backend("sqlframe", _sqlframe, "sqlframe")]

# Each query of theirs takes a hundred times as long as one of polars.
_SLOW = {"dask", "spark", "sqlframe"}
# An array, a frame that narwhals plans, and SQL: the others do as these do.
_MAIN = {"pandas", "polars-lazy", "duckdb"}


def sparing(backends: Iterable[Any]) -> list[Any]:
    """Every backend; the slow ones are left to make test-all."""
    left_out = {True: [pytest.mark.exhaustive], False: []}
    return [
        pytest.param(*make.values, id=make.id, marks=[*make.marks, *left_out[make.id in _SLOW]])
        for make in backends
    ]


def grid(backends: Iterable[Any], cases: Iterable[Any], always: Collection[Any]) -> Any:
    """Every case with every backend; beyond some of them and some cases, in make test-all."""
    pairs = [
        pytest.param(
            *make.values,
            case,
            id=f"{make.id}-{case}",
            marks=[*make.marks, *([pytest.mark.exhaustive] if is_left_out else [])],
        )
        for make in backends
        for case in cases
        for is_left_out in [make.id in _SLOW or (make.id not in _MAIN and case not in always)]
    ]
    return pytest.mark.parametrize(("make", "case"), pairs)
