"""Predictions in a file that is too large to load comfortably."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pandas as pd
from sklearn.metrics import confusion_matrix
from timing import Comparison, peak_megabytes

import baserate as br

if TYPE_CHECKING:
    from collections.abc import Iterator

MODELS = tuple(f"model{number}" for number in range(5))
GROUPS = 20


@contextlib.contextmanager
def written(rows: int) -> Iterator[Path]:
    """Write a Parquet file of predictions, and remove it."""
    hospital = f"'hospital ' || (i % {GROUPS}) AS hospital"
    truth = f"SELECT {hospital}, random() < 0.3 AS y FROM range({rows}) r(i)"
    models = ", ".join(f"(y <> (random() < 0.2))::TINYINT AS {model}" for model in MODELS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.parquet"
        rows_of = f"SELECT hospital, y::TINYINT AS y, {models} FROM ({truth})"
        duckdb.connect().execute(f"COPY ({rows_of}) TO '{path}'")
        yield path


def scanning(path: Path, rows: int) -> list[Comparison]:
    """All verdicts on a file, against the plain query with the same counts, and against pandas."""
    part = min(rows, 10**7)
    few = path.with_name("part.parquet")
    duckdb.connect().execute(f"COPY (FROM '{path}' LIMIT {part}) TO '{few}'")
    return [
        Comparison(
            f"a Parquet file of {rows:,} rows, 5 models, {GROUPS} groups",
            "the plain query of DuckDB",
            lambda: evaluated(path),
            lambda: queried(path),
            # The verdicts themselves cost the same at any size.
            goal="≤ 1.5" if rows >= 10**8 else "",
            rounds=3,
        ),
        Comparison(
            f"the same, {part:,} rows",
            "pandas and scikit-learn",
            lambda: evaluated(few),
            lambda: by_pandas(few),
            rounds=1,
        ),
    ]


def evaluated(path: Path) -> br.Report:
    """Evaluate a file."""
    return br.evaluate(br.scan(path), truth="y", y_pred=list(MODELS), by="hospital")


def queried(path: Path) -> list[tuple[object, ...]]:
    """Count every combination of group, truth and predictions."""
    query = f"SELECT hospital, y, {', '.join(MODELS)}, count(*) FROM '{path}' GROUP BY ALL"
    return duckdb.connect().execute(query).fetchall()


def by_pandas(path: Path) -> list[object]:
    """Count as most people would: load, group, and one confusion matrix at a time."""
    frame = pd.read_parquet(path)
    parts = [frame, *(part for _, part in frame.groupby("hospital"))]
    return [confusion_matrix(part["y"], part[model]) for part in parts for model in MODELS]


def scan_megabytes(path: Path) -> float:
    """Return the peak resident size of a process that evaluates a file."""
    return peak_megabytes(
        "import baserate as br\n"
        f"file, models = br.scan({str(path)!r}), {list(MODELS)!r}\n"
        "br.evaluate(file, truth='y', y_pred=models, by='hospital')"
    )
