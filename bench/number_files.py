"""Numbers in a file that is too large to load comfortably."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
from timing import Comparison

import baserate as br

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def written(rows: int) -> Iterator[Path]:
    """Write a Parquet file of true and predicted numbers, and remove it."""
    normal = "sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())"
    truth = f"SELECT 500 + 100 * {normal} AS y FROM range({rows})"
    both = f"SELECT y, y + 20 * (random() + random() - 1) AS p FROM ({truth})"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "numbers.parquet"
        duckdb.connect().execute(f"COPY ({both}) TO '{path}' (COMPRESSION uncompressed)")
        yield path


def evaluated(path: Path, measures: list[str]) -> br.Report:
    """Evaluate a file."""
    return br.evaluate(br.scan(path), ["p"], measures, truth="y")


def queried(path: Path) -> tuple[object, ...] | None:
    """Find RMSE, MAE and those of the best constants, as one would by hand: in two queries."""
    connection = duckdb.connect(config={"enable_external_file_cache": False})
    losses = "avg((y - p) * (y - p)), avg(abs(y - p)), avg(y), median(y)"
    found = connection.execute(f"SELECT {losses} FROM '{path}'").fetchone()
    assert found is not None
    of_constants = "avg((y - $1) * (y - $1)), avg(abs(y - $2))"
    query = f"SELECT {of_constants} FROM '{path}'"
    return connection.execute(query, [found[2], found[3]]).fetchone()


def queried_squares(path: Path) -> tuple[object, ...] | None:
    """Find RMSE and that of the mean, in one query."""
    connection = duckdb.connect(config={"enable_external_file_cache": False})
    query = f"SELECT avg((y - p) * (y - p)), avg(y), var_pop(y) FROM '{path}'"
    return connection.execute(query).fetchone()


def scanning(path: Path, rows: int) -> list[Comparison]:
    """Verdicts on a file of numbers, against the plain queries."""
    return [
        Comparison(
            f"RMSE and MAE of a Parquet file of {rows:,} rows",
            "the plain queries of DuckDB",
            lambda: evaluated(path, ["RMSE", "MAE"]),
            lambda: queried(path),
            goal="≤ 2" if rows >= 10**8 else "",
            rounds=3,
        ),
        Comparison(
            "the same, RMSE alone",
            "the plain query of DuckDB",
            lambda: evaluated(path, ["RMSE"]),
            lambda: queried_squares(path),
            goal="≤ 2" if rows >= 10**8 else "",
            rounds=3,
        ),
    ]
