"""Weights: frequencies are repeated rows, and importance weights are scikit-learn's."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import baserate as br
from backends import EVERYWHERE, grid
from baserate.exceptions import (
    InvalidFrameError,
    InvalidLabelsError,
    InvalidWeightsError,
)
from sklearn import metrics

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SIZE = 40
RANDOM = np.random.default_rng(18)
WEIGHTS = RANDOM.permutation(np.arange(SIZE) % 5)
HEAVY = WEIGHTS * 0.75
GROUPS = RANDOM.choice(["north", "south"], SIZE)
SHARES = np.eye(3)[RANDOM.integers(0, 3, (2, SIZE))] * 0.4 + 0.2
NUMBERS = RANDOM.gamma(2, 1, SIZE).round(1) + 0.1
# The truth, the predictions of two models, and measures: for every task.
CASES: dict[str, tuple[Any, Any, Any, list[str]]] = {
    "labels": (*RANDOM.integers(0, 2, (3, SIZE)), ["F1", "MCC", "ACC"]),
    "text": (*np.array(["cat", "dog", "eel"])[RANDOM.integers(0, 3, (3, SIZE))], ["accuracy"]),
    "classes": (*RANDOM.integers(0, 3, (3, SIZE)), ["macro recall", "accuracy"]),
    "scores": (RANDOM.integers(0, 2, SIZE), *RANDOM.random((2, SIZE)).round(1), ["AUC"]),
    "top-k": (np.arange(SIZE) % 3, *RANDOM.random((2, SIZE, 3)), ["top-2 accuracy"]),
    "probabilities": (np.arange(SIZE) % 3, *SHARES, ["log loss"]),
    "numbers": (NUMBERS, *(NUMBERS + RANDOM.normal(0, 0.5, (2, SIZE)).round(1)), ["MAE", "RMSE"]),
}
THEIRS: dict[str, tuple[str, Callable[..., float]]] = {
    "F1": ("labels", metrics.f1_score),
    "accuracy": ("classes", metrics.accuracy_score),
    "AUC": ("scores", metrics.roc_auc_score),
    "MAE": ("numbers", metrics.mean_absolute_error),
    "RMSE": ("numbers", metrics.root_mean_squared_error),
    "R2": ("numbers", metrics.r2_score),
    "MAPE": ("numbers", metrics.mean_absolute_percentage_error),
}
FREQUENT: Any = {"sample_weight": WEIGHTS, "weights": "frequency"}
IMPORTANT: Any = {"sample_weight": HEAVY, "weights": "importance"}


def _laid_out(column: Any, weights: Any = WEIGHTS) -> Any:
    return np.repeat(column, weights, axis=0)


def _options(case: str) -> dict[str, Any]:
    return {"task": "class-scores" if case in {"probabilities", "top-k"} else None}


def _lacking(column: Any) -> Any:
    """Return a column in which some values are missing: one of them is never seen."""
    lacking = column.astype(float if column.dtype.kind in "if" else object)
    rows = [int(np.flatnonzero(WEIGHTS == 0)[0]), int(np.flatnonzero(WEIGHTS == 3)[0])]
    lacking[rows] = math.nan if lacking.dtype.kind == "f" else None
    return lacking


@pytest.mark.parametrize("case", CASES)
def test_frequencies_are_repeated_rows(case: str) -> None:
    """All numbers of reports and comparisons are equal, in groups and where values are missing."""
    y_true, one, other, measures = CASES[case]
    options = _options(case)
    models, laid_out = {"one": one, "other": other}, {"one": _laid_out(one)}
    laid_out["other"] = _laid_out(other)
    for call in (br.evaluate, br.compare):
        found: Any = call(y_true, models, measures, by=GROUPS, **FREQUENT, **options)
        truth, by = _laid_out(y_true), _laid_out(GROUPS)
        assert found.to_json() == call(truth, laid_out, measures, by=by, **options).to_json()
    lacking, options = _lacking(one), options | FREQUENT
    found = br.evaluate(y_true, lacking, measures, missing="drop", **options)
    expected = br.evaluate(truth, _laid_out(lacking), measures, missing="drop", **_options(case))
    assert (found.dropped, found.to_json()) == (3, expected.to_json())
    assert br.compare(y_true, models | {"one": lacking}, measures, missing="drop", **options)
    with pytest.raises(ValueError, match="missing"):
        br.evaluate(y_true, lacking, measures, **options)
    options["sample_weight"] = np.where(WEIGHTS == 3, 0, WEIGHTS)  # then no gap was ever seen
    assert br.evaluate(y_true, lacking, measures, **options).dropped == 0


OF_FRAMES: dict[str, tuple[str, str, str]] = {
    "labels": ("labels", "ACC", "frequency"),
    "classes": ("classes", "accuracy", "frequency"),
    "scores": ("scores", "AUC", "frequency"),
    "numbers": ("numbers", "MAE", "frequency"),
    "important numbers": ("numbers", "MAE", "importance"),
    "important classes": ("classes", "accuracy", "importance"),
    "important scores": ("scores", "AUC", "importance"),
}


@cache
def _of_arrays(case: str) -> tuple[Any, Any]:
    name, measure, kind = OF_FRAMES[case]
    y_true, one, other, _ = CASES[name]
    options: Any = FREQUENT if kind == "frequency" else IMPORTANT
    models, by = {"one": one, "other": other}, pd.Series(GROUPS, name="region")
    report = br.evaluate(y_true, models, measure, by=by, **options)
    return report, br.compare(y_true, models, measure, by=by, **options)


@grid(EVERYWHERE, OF_FRAMES, always=["labels", "numbers", "important scores"])
def test_frames(make: Callable[[Any], Any], case: str) -> None:
    """A column of weights gives what an array of them gives, from every library and engine."""
    name, measure, kind = OF_FRAMES[case]
    y_true, one, other, _ = CASES[name]
    weights = WEIGHTS if kind == "frequency" else HEAVY
    columns = {"y": y_true, "one": one, "other": other, "region": GROUPS, "w": weights}
    frame = make({name: column.tolist() for name, column in columns.items()})
    options: Any = {"truth": "y", "by": "region", "sample_weight": "w", "weights": kind}
    for call, expected in zip((br.evaluate, br.compare), _of_arrays(case), strict=True):
        assert call(frame, ["one", "other"], measure, **options) == expected


@pytest.mark.parametrize("case", ["labels", "text", "scores", "numbers"])
def test_files_of_text(case: str, tmp_path: Path) -> None:
    """Weights are read from CSV, with decimal points or not."""
    y_true, one, _, measures = CASES[case]
    written = [f"{each}.0" if place % 2 else str(each) for place, each in enumerate(WEIGHTS)]
    table = pd.DataFrame({"y": y_true, "one": one, "times": written})
    table.to_csv(tmp_path / "rows.csv", index=False)
    options: Any = {"truth": "y", "sample_weight": "times", "weights": "frequency"}
    found = br.evaluate(br.scan(tmp_path / "rows.csv"), "one", measures, **options)
    expected = br.evaluate(_laid_out(y_true), {"one": _laid_out(one)}, measures)
    assert found.to_json() == expected.to_json()
    (tmp_path / "bad.csv").write_text("y,one,times\n1,1,2\n0,1,many\n")
    with pytest.raises(InvalidWeightsError, match="'many' in column 'times'"):
        br.evaluate(br.scan(tmp_path / "bad.csv"), "one", **options)


def test_a_million_million() -> None:
    """Labels and scores are counted, not laid out; a column of numbers is not that long."""
    large = 10**12
    counted = br.ConfusionMatrix(tp=3 * large, fp=large + 1, fn=large, tn=4 * large)
    y_true, y_pred = [1, 0, 1, 0], [1, 1, 0, 0]
    weights = [3 * large, large + 1, large, 4 * large]
    options: Any = {"sample_weight": weights, "weights": "frequency"}
    found = br.evaluate(y_true, y_pred, ["F1", "MCC"], **options)
    assert found["model", "F1"].performance.table == counted
    frame = pl.LazyFrame({"y": y_true, "m": y_pred, "w": weights})
    named: Any = {"truth": "y", "sample_weight": "w", "weights": "frequency"}
    assert br.evaluate(frame, "m", "F1", **named)["m", "F1"].performance.table == counted
    classes = br.evaluate(y_true, y_pred, "accuracy", task="multiclass", **options)
    assert classes["model", "accuracy"].performance.table.test_set.total == counted.total
    scores = br.evaluate(y_true, [0.9, 0.4, 0.4, 0.1], "AUC", **options)
    table: Any = scores["model", "AUC"].performance.table
    assert (table.positives.tolist(), table.total) == ([3 * large, large, 0], counted.total)
    with pytest.raises(InvalidWeightsError, match="at most 10,000,000 where every row is kept"):
        br.evaluate([0.5, 1.5, 2, 3], [1, 2, 3, 4.0], "MAE", **options)
    y_true, rows, _, _ = CASES["probabilities"]
    options["sample_weight"] = 1 + WEIGHTS * large // 100
    for verdict in br.evaluate(y_true, {"net": rows}, **options):
        assert verdict.low < verdict.score < verdict.high < verdict.low + 1e-4


@pytest.mark.parametrize("kind", ["frequency", "importance"])
def test_scikit_learn_agrees(kind: Any) -> None:
    """The score of the whole test set and of each group is scikit-learn's, with its weights."""
    weights = WEIGHTS if kind == "frequency" else HEAVY
    for measure, (case, theirs) in THEIRS.items():
        y_true, one, *_ = CASES[case]
        options: Any = {"sample_weight": weights, "weights": kind, "by": GROUPS}
        report = br.evaluate(y_true, one, measure, **options)
        assert report.dropped == 0
        for verdict in report:
            rows = slice(None) if verdict.group is None else verdict.group == GROUPS
            expected = theirs(y_true[rows], one[rows], sample_weight=weights[rows])
            assert verdict.score == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_only_ratios_of_importance_weights_matter(case: str) -> None:
    """A constant factor changes nothing, and weights that are all the same are none."""
    y_true, one, other, measures = CASES[case]
    models, options = {"one": one, "other": other}, _options(case)
    whole = HEAVY + 0.25

    def of(weights: Any) -> Any:
        asked: Any = options | {"sample_weight": weights, "weights": "importance"}
        return [call(y_true, models, measures, **asked) for call in (br.evaluate, br.compare)]

    for mine, twice in zip(of(whole), of(2 * whole), strict=True):
        assert [str(each) for each in mine] == [str(each) for each in twice]
    plain = [call(y_true, models, measures, **options) for call in (br.evaluate, br.compare)]
    for mine, alike in zip(plain, of(np.full(SIZE, 0.7)), strict=True):
        assert [str(each) for each in mine] == [str(each) for each in alike]


def test_importance_weights_of_clusters() -> None:
    """Rows that are clusters of their own have the intervals of rows, or wider ones."""
    whole: Any = {"sample_weight": HEAVY + 0.25, "weights": "importance"}
    for case in ("labels", "classes", "scores", "top-k", "probabilities"):
        y_true, one, other, measures = CASES[case]
        models, options = {"one": one, "other": other}, _options(case) | whole
        alone = br.evaluate(y_true, models, measures, **options)
        found = br.evaluate(y_true, models, measures, clusters=range(SIZE), **options)
        pairs = br.evaluate(y_true, models, measures, clusters=np.arange(SIZE) // 2, **options)
        for row, each, pair in zip(alone, found, pairs, strict=True):
            assert row.score == each.score == pair.score
            assert each.low <= row.low <= row.high <= each.high
            assert 0 < each.p_value <= 1
            assert 0 < pair.p_value <= 1
        compared = br.compare(y_true, models, measures, clusters=range(SIZE), **options)
        for row, each in zip(
            br.compare(y_true, models, measures, **options), compared, strict=True
        ):
            assert each.p_value == pytest.approx(row.p_value, abs=0.05)
            assert each.low <= row.low <= row.high <= each.high


def test_importance_weights() -> None:
    """One weight for all is none; incomplete rows of weight are dropped; the report says so."""
    y_true, one, other, measures = CASES["numbers"]
    plain = br.evaluate(y_true, one, measures)
    twice = br.evaluate(
        y_true, one, measures, sample_weight=np.full(SIZE, 2.0), weights="importance"
    )
    assert [each.score for each in twice] == pytest.approx([each.score for each in plain])
    lacking = _lacking(one)
    kept = (HEAVY > 0) & ~np.isnan(lacking)
    rest: Any = {"sample_weight": HEAVY[kept], "weights": "importance"}
    for call in (br.evaluate, br.compare):
        found: Any = call(y_true, {"a": lacking, "b": other}, measures, missing="drop", **IMPORTANT)
        expected = call(y_true[kept], {"a": one[kept], "b": other[kept]}, measures, **rest)
        assert found.dropped == 1  # a row that matters more is still one
        assert [str(each) for each in found] == [str(each) for each in expected]
    assert "weighted mean" in str(br.evaluate(y_true, one, "MAE", **IMPORTANT))


# What are no weights.

Y, P = [1, 0, 1, 0], [1, 1, 0, 0]


@pytest.mark.parametrize("make", [pl.LazyFrame, pl.DataFrame])
def test_what_are_no_frequencies_in_a_frame(make: Callable[..., Any]) -> None:
    """An engine finds them too; without rows it is the labels that are missing."""
    options: Any = {"truth": "y", "weights": "frequency"}
    for bad, got in ((-1, "-1"), (0.5, r"0\.5"), (math.nan, "nan|missing"), (None, "nan|missing")):
        frame = make({"y": Y, "m": P, "w": [1, 1, bad, 1]}, strict=False)
        with pytest.raises(InvalidWeightsError, match=rf"whole numbers .*\(got .*({got})"):
            br.evaluate(frame, "m", sample_weight="w", **options)
    frame = make({"y": Y, "m": P, "w": [0] * 4, "large": [10**15] * 4, "t": list("abcd")})
    for name, error, why in (
        ("w", InvalidWeightsError, "all be zero"),
        ("large", InvalidWeightsError, "at most 1,000,000"),
        (Y, InvalidWeightsError, "name of a"),
        ("t", ValueError, "number"),
        ("m", InvalidFrameError, "sample_weight must be different columns"),
    ):
        with pytest.raises(error, match=why):
            br.evaluate(frame, "m", sample_weight=name, **options)
    empty = pl.LazyFrame(schema={"y": pl.Int64, "p": pl.Int64, "w": pl.Int64})
    with pytest.raises(InvalidLabelsError, match="at least one label"):
        br.evaluate(empty, "p", sample_weight="w", **options)
