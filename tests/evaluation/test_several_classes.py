"""Evaluate labels of several classes, as users do."""

from __future__ import annotations

import math
import warnings
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import baserate as br
from baserate.exceptions import UnseenClassWarning

if TYPE_CHECKING:
    from pathlib import Path

COUNTS = br.BaseRate({"a": 70, "b": 20, "c": 10})
MATRIX = br.ConfusionMatrix([[50, 15, 5], [8, 10, 2], [4, 3, 3]], labels=["a", "b", "c"])


def _labels(matrix: br.ConfusionMatrix) -> tuple[list[Any], list[Any]]:
    """The labels behind a matrix, row by row."""
    cells = [
        (true, predicted)
        for (row, true), (column, predicted) in product(enumerate(matrix.labels), repeat=2)
        for _ in range(int(matrix.counts[row, column]))
    ]
    truth, prediction = zip(*cells, strict=True)
    return list(truth), list(prediction)


def test_many_classes_stay_readable() -> None:
    """Of 250 classes, the heat map shows the most frequent, and the title a few."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 250, 5_000)
    report = br.evaluate(truth, np.where(rng.random(5_000) < 0.5, truth, 7), ["accuracy"])
    page = report.to_html()
    assert page.count('<th scope="col">') < 100
    assert 'class="heat"' in page
    assert "Dutch Draw" not in page
    assert "all others" in page
    assert len(str(report).splitlines()[0]) < 120
    assert len(page) < 200_000


def test_functions_of_the_table() -> None:
    """A function is judged; without a p-value where some shuffled table has no score."""
    worst = br.Measure.custom(
        "worst recall",
        lambda table: float(np.min(np.diag(table) / table.sum(axis=1))),
        codomain=(0, 1),
    )
    few = br.ConfusionMatrix([[5, 1, 1], [1, 2, 0], [0, 1, 1]])
    verdict = br.evaluate(None, few, worst)["model", "worst recall"]
    assert verdict.score == 0.5
    assert 0 < verdict.baseline < 0.35
    assert not math.isnan(verdict.p_value)
    gaps = br.Measure.custom("ratio", lambda table: table[0, 0] / table[1, 1])
    verdict = br.evaluate(None, br.ConfusionMatrix([[3, 1], [1, 2]]), gaps)["model", "ratio"]
    assert verdict.score == 1.5
    assert math.isnan(verdict.p_value)
    assert math.isnan(verdict.null_low)


# Classes that are predicted and never occur.

Y = ["a", "b", "c", "a"] * 5
TYPO = ["a", "b", "C", "a"] * 5
SAYS = (
    "predicts 'C', which never occurs in the truth: macro averages are over 'C', 'a', 'b', 'c', "
    "and balanced accuracy is over 'a', 'b', 'c'"
)
FRAME = pl.DataFrame({"y": Y, "tree": TYPO, "right": Y})


def _file(folder: Path) -> Any:
    FRAME.write_csv(folder / "rows.csv")
    return br.scan(folder / "rows.csv")


@pytest.mark.parametrize("form", ["arrays", "frame", "lazy", "file"])
def test_the_class_and_the_average_are_named(form: str, tmp_path: Path) -> None:
    """Of one model, beside a reference and beside another model, wherever the rows are."""
    frame = {"frame": FRAME, "lazy": FRAME.lazy(), "file": _file(tmp_path)}.get(form)
    given: Any = (Y, {"tree": TYPO}) if form == "arrays" else (frame, ["tree"])
    both: Any = (Y, {"tree": TYPO, "right": Y}) if form == "arrays" else (frame, ["tree", "right"])
    options: Any = {} if form == "arrays" else {"truth": "y"}
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        br.evaluate(*given, "macro F1", **options)
        br.evaluate(*both, "macro F1", reference="right", **options)
        br.compare(*both, "macro F1", **options)
    assert {each.category for each in found} == {UnseenClassWarning}
    assert [str(each.message) for each in found] == [f"tree {SAYS}"] * 3
    assert {each.filename for each in found} == {__file__}
