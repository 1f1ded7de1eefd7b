"""The same rows have the same verdict, wherever they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings

from front_door import (
    command_verdict,
    database_table,
    frame_verdict,
    scan,
    verdict,
)
from properties.agreement import EVERYTHING, assert_agree, few_examples
from properties.kinds import KINDS, Sketch, scores, sketches

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# A column per model: one kind of each shape, since class probabilities need several columns.
IN_COLUMNS = [
    "two classes, F1",
    "several classes, macro F1",
    "scores, AUC",
    "probabilities, Brier",
    "numbers, RMSE",
    "numbers, Kendall",
    "weighted labels, F1",
    "weighted numbers, RMSE",
]


def _csv(frame: pd.DataFrame, folder: Path) -> Any:
    frame.to_csv(folder / "rows.csv", index=False)
    return scan(folder / "rows.csv")


def _parquet(frame: pd.DataFrame, folder: Path) -> Any:
    frame.to_parquet(folder / "rows.parquet")
    return scan(folder / "rows.parquet")


SOURCES: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "pandas": lambda frame, _: frame,
    "polars": lambda frame, _: pl.from_pandas(frame),
    "lazy polars": lambda frame, _: pl.from_pandas(frame).lazy(),
    "DuckDB": lambda frame, _: database_table(frame),
    "CSV": _csv,
    "Parquet": _parquet,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for files, which every example overwrites."""
    return tmp_path_factory.mktemp("sources")


@pytest.mark.parametrize("name", IN_COLUMNS)
@given(sketch=sketches)
@settings(few_examples, max_examples=2)
def test_every_source(name: str, folder: Path, sketch: Sketch) -> None:
    """Lists, columns, frames, tables and files are read alike, and so they are by the command."""
    kind, rows = KINDS[name], KINDS[name].rows(sketch)
    options = kind.asked(rows)
    expected = verdict(rows.y_true, rows.first, kind.measure, **options)
    columns = {"truth": rows.y_true, "model": rows.first}
    if rows.weights is not None:
        columns["weight"], options = rows.weights, options | {"sample_weight": "weight"}
    frame = pd.DataFrame(columns)
    for make in SOURCES.values():
        source = make(frame, folder)
        found = frame_verdict(source, "truth", "model", kind.measure, **options)
        assert_agree(found, expected, EVERYTHING)
    as_scores = kind.make is scores
    file = folder / "rows.csv"
    found = command_verdict(file, "truth", "model", kind.measure, as_scores=as_scores, **options)
    assert_agree(found, expected, EVERYTHING)


@pytest.mark.parametrize("name", KINDS)
@given(sketch=sketches)
@settings(few_examples, max_examples=2)
def test_lists_and_columns(name: str, sketch: Sketch) -> None:
    """Lists and columns of pandas and polars are read as arrays are."""
    kind, rows = KINDS[name], KINDS[name].rows(sketch)
    options = kind.asked(rows)
    expected = verdict(rows.y_true, rows.first, kind.measure, **options)
    for make in (list, pd.Series, pl.Series):
        truth = make(rows.y_true.tolist())
        is_table = rows.first.ndim > 1
        predicted = pd.DataFrame(rows.first) if is_table else make(rows.first.tolist())
        found = verdict(truth, predicted, kind.measure, **options)
        assert_agree(found, expected, EVERYTHING)
