"""Frequencies are repeated rows: every number is that of the rows, laid out one by one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import baserate as br
from backends import EVERYWHERE, sparing
from baserate.core.observed import Rows, Weights
from baserate.data.weights import count_places, frequencies, importance_weights, repeated, seen_rows
from baserate.exceptions import (
    InvalidFrameError,
    InvalidLabelsError,
    InvalidWeightsError,
    MisalignedRowsError,
)
from baserate.tasks import TASKS
from sklearn import metrics

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SIZE = 40
RANDOM = np.random.default_rng(18)
WEIGHTS = RANDOM.permutation(np.arange(SIZE) % 5)
GROUPS = RANDOM.choice(["north", "south"], SIZE)


def _rows_of_one(size: int) -> np.ndarray[Any, Any]:
    return (
        RANDOM.dirichlet([1.0, 1.0, 1.0], size).round(2) * 0
        + np.eye(3)[RANDOM.integers(0, 3, size)] * 0.4
        + 0.2
    )


# The truth, the predictions of two models, and measures: for every task.
CASES: dict[str, tuple[Any, Any, Any, list[str]]] = {
    "labels": (*RANDOM.integers(0, 2, (3, SIZE)), ["F1", "MCC", "ACC"]),
    "text": (*np.array(["cat", "dog", "eel"])[RANDOM.integers(0, 3, (3, SIZE))], ["accuracy"]),
    "classes": (*RANDOM.integers(0, 3, (3, SIZE)), ["macro F1", "accuracy"]),
    "scores": (RANDOM.integers(0, 2, SIZE), *RANDOM.random((2, SIZE)).round(1), ["AUC"]),
    "top-k": (np.arange(SIZE) % 3, *RANDOM.random((2, SIZE, 3)), ["top-2 accuracy"]),
    "probabilities": (
        np.arange(SIZE) % 3,
        _rows_of_one(SIZE),
        _rows_of_one(SIZE),
        ["log loss"],
    ),
    "numbers": (*RANDOM.normal(0, 1, (3, SIZE)).round(1), ["MAE", "RMSE"]),
}
OF_TASKS = {
    "binary": "labels",
    "multiclass": "classes",
    "scores": "scores",
    "regression": "numbers",
}


def _laid_out(column: Any, weights: Any = WEIGHTS) -> Any:
    return np.repeat(column, weights, axis=0)


def _options(case: str) -> dict[str, Any]:
    return {"task": "class-scores" if case in {"probabilities", "top-k"} else None}


def _same(found: Any, expected: Any) -> None:
    assert found.dropped == expected.dropped
    assert found.to_json() == expected.to_json()


def _lacking(column: Any) -> Any:
    """Return a column in which some values are missing: one of them is never seen."""
    lacking = column.astype(float if column.dtype.kind in "if" else object)
    rows = [int(np.flatnonzero(WEIGHTS == 0)[0]), int(np.flatnonzero(WEIGHTS == 3)[0])]
    lacking[rows] = math.nan if lacking.dtype.kind == "f" else None
    return lacking


@pytest.mark.parametrize("case", CASES)
def test_a_report_is_that_of_repeated_rows(case: str) -> None:
    """Scores, limits, p-values, baselines and counts are equal, for two models and in groups."""
    y_true, one, other, measures = CASES[case]
    found = br.evaluate(
        y_true,
        {"one": one, "other": other},
        measures,
        by=GROUPS,
        sample_weight=WEIGHTS,
        weights="frequency",
        **_options(case),
    )
    models = {"one": _laid_out(one), "other": _laid_out(other)}
    expected = br.evaluate(
        _laid_out(y_true), models, measures, by=_laid_out(GROUPS), **_options(case)
    )
    _same(found, expected)


@pytest.mark.parametrize("case", CASES)
def test_a_comparison_is_that_of_repeated_rows(case: str) -> None:
    """Pairs of models are counted together, as often as their rows were seen."""
    y_true, one, other, measures = CASES[case]
    found = br.compare(
        y_true,
        {"one": one, "other": other},
        measures,
        by=GROUPS,
        sample_weight=WEIGHTS,
        weights="frequency",
        **_options(case),
    )
    models = {"one": _laid_out(one), "other": _laid_out(other)}
    by = _laid_out(GROUPS)
    _same(found, br.compare(_laid_out(y_true), models, measures, by=by, **_options(case)))


@pytest.mark.parametrize("case", CASES)
def test_rows_that_were_never_seen_are_not_there(case: str) -> None:
    """What they lack is no error, and what is dropped counts as often as it was seen."""
    y_true, one, _, measures = CASES[case]
    lacking = _lacking(one)
    options = _options(case) | {"sample_weight": WEIGHTS, "weights": "frequency"}
    found = br.evaluate(y_true, lacking, measures, missing="drop", **options)
    expected = br.evaluate(
        _laid_out(y_true), _laid_out(lacking), measures, missing="drop", **_options(case)
    )
    assert found.dropped == 3
    _same(found, expected)
    compared = br.compare(y_true, {"a": lacking, "b": one}, measures, missing="drop", **options)
    assert compared.dropped == 3
    with pytest.raises(ValueError, match="missing"):
        br.evaluate(y_true, lacking, measures, **options)
    options["sample_weight"] = np.where(WEIGHTS == 3, 0, WEIGHTS)
    assert br.evaluate(y_true, lacking, measures, **options).dropped == 0


def test_a_class_that_was_never_seen_is_none() -> None:
    """A third class that weighs nothing leaves two."""
    y_true, y_pred, weights = [0, 1, 2, 1, 0], [0, 1, 1, 0, 0], [2, 3, 0, 1, 4]
    found = br.evaluate(y_true, y_pred, sample_weight=weights, weights="frequency")
    assert {each.performance.table.task for each in found} == {"binary"}
    _same(found, br.evaluate(_laid_out(y_true, weights), _laid_out(y_pred, weights)))


@pytest.mark.parametrize(
    "form", [list, np.float64, pd.Series, pl.Series, pa.array], ids=lambda form: form.__name__
)
@pytest.mark.parametrize("case", ["labels", "text", "numbers"])
def test_weights_come_in_any_form(case: str, form: Callable[[Any], Any]) -> None:
    """Lists, arrays and columns of any library are read alike."""
    y_true, one, _, measures = CASES[case]
    found = br.evaluate(
        y_true, form(one.tolist()) if case != "text" else one, measures[:1],
        sample_weight=form(WEIGHTS.tolist()), weights="frequency",
    )  # fmt: skip
    expected = br.evaluate(_laid_out(y_true), _laid_out(one), measures[:1])
    assert [each.score for each in found] == [each.score for each in expected]
    assert [each.p_value for each in found] == [each.p_value for each in expected]


@pytest.mark.filterwarnings("ignore::baserate.exceptions.UnseenClassWarning")
@settings(max_examples=12, deadline=None)
@given(
    rows=st.lists(
        st.tuples(*[st.integers(0, 2)] * 3, st.integers(0, 4)), min_size=1, max_size=12
    ).filter(lambda rows: any(row[-1] for row in rows))
)
def test_any_labels(rows: list[tuple[int, int, int, int]]) -> None:
    """Tables of classes, groups and one class against the rest are those of repeated rows."""
    y_true, y_pred, groups, weights = map(np.array, zip(*rows, strict=True))
    names = np.array(["north", "south", "west"])
    for pos_label in (None, 1):
        options: Any = {"pos_label": pos_label, "task": "binary" if pos_label else "multiclass"}
        if pos_label and 1 not in (*_laid_out(y_true, weights), *_laid_out(y_pred, weights)):
            continue
        measures = ["ACC"] if pos_label else ["accuracy"]
        found = br.evaluate(
            y_true, y_pred, measures, by=names[groups], sample_weight=weights,
            weights="frequency", **options,
        )  # fmt: skip
        rows_of = [_laid_out(each, weights) for each in (y_true, y_pred, names[groups])]
        _same(found, br.evaluate(*rows_of[:2], measures, by=rows_of[2], **options))


@pytest.mark.parametrize("make", sparing(EVERYWHERE))
@pytest.mark.parametrize("name", ["binary", "multiclass", "scores", "regression"])
def test_frames(name: str, make: Callable[[Any], Any]) -> None:
    """Engines add weights up where the rows are: what is observed is that of repeated rows."""
    y_true, one, other, _ = CASES[OF_TASKS[name]]
    task, columns = TASKS[name], {"y": y_true, "one": one, "other": other}
    columns |= {"region": GROUPS, "times": WEIGHTS}
    frame = make({name: column.tolist() for name, column in columns.items()})
    rows = Rows(by="region", weights=Weights("times", "frequency"))
    laid_out = Rows(by=_laid_out(GROUPS))
    truth, models = _laid_out(y_true), {"one": _laid_out(one), "other": _laid_out(other)}
    asked = (frame, "y", {"one": "one", "other": "other"}, rows)
    _alike(task.observe_frame(*asked), task.observe(truth, models, laid_out))
    _alike(task.observe_frame_pairs(*asked), task.observe_pairs(truth, models, laid_out))
    test_set, dropped = task.count_column(frame, "y", rows)
    assert (test_set, dropped) == (task.test_set_of(truth, None), 0)


@pytest.mark.parametrize("make", sparing(EVERYWHERE))
def test_frames_of_many_models_with_gaps(make: Callable[[Any], Any]) -> None:
    """More models than are counted together, and rows without a label that were seen or not."""
    labels = np.random.default_rng(4).integers(0, 2, (9, SIZE)).astype(float)
    columns = {f"m{number}": row.tolist() for number, row in enumerate(labels)}
    for name, weight in (("m1", 0), ("m2", 2), ("m8", 3)):
        columns[name][int(np.flatnonzero(weight == WEIGHTS)[0])] = None
    frame = make(columns | {"times": WEIGHTS.astype(float).tolist()})
    laid_out = {name: _laid_out(np.array(column, dtype=float)) for name, column in columns.items()}
    truth = laid_out.pop("m0")
    rows = Rows(drop=True, weights=Weights("times", "frequency"))
    asked = (frame, "m0", {name: name for name in laid_out}, rows)
    for task in (TASKS["binary"], TASKS["multiclass"]):
        found = task.observe_frame(*asked)
        assert found.dropped == 5
        _alike(found, task.observe(truth, laid_out, Rows(drop=True)))
    found = TASKS["binary"].observe_frame_pairs(*asked)
    _alike(found, TASKS["binary"].observe_pairs(truth, laid_out, Rows(drop=True)))


def _alike(found: Any, expected: Any) -> None:
    assert found.dropped == expected.dropped
    (tables, known) = (dict(each[0].items()) for each in (found, expected))
    assert list(tables) == list(known)
    for name, groups in known.items():
        assert dict(tables[name]) == dict(groups)


@pytest.mark.parametrize("case", ["labels", "text", "scores", "numbers"])
def test_files_of_text(case: str, tmp_path: Path) -> None:
    """Weights are read from CSV, with decimal points or not."""
    y_true, one, _, measures = CASES[case]
    written = [f"{each}.0" if place % 2 else str(each) for place, each in enumerate(WEIGHTS)]
    table = pd.DataFrame({"y": y_true, "one": one, "times": written})
    table.to_csv(tmp_path / "rows.csv", index=False)
    scanned = br.scan(tmp_path / "rows.csv")
    options: Any = {"truth": "y", "sample_weight": "times", "weights": "frequency"}
    found = br.evaluate(scanned, "one", measures, **options)
    _same(found, br.evaluate(_laid_out(y_true), {"one": _laid_out(one)}, measures))
    (tmp_path / "bad.csv").write_text("y,one,times\n1,1,2\n0,1,many\n")
    with pytest.raises(InvalidWeightsError, match="'many' in column 'times'"):
        br.evaluate(br.scan(tmp_path / "bad.csv"), "one", **options)


def test_a_million_million() -> None:
    """Labels and scores are counted, not laid out; a column of numbers is not that long."""
    large = 10**12
    counted = br.Confusion(tp=3 * large, fp=large + 1, fn=large, tn=4 * large)
    y_true, y_pred = [1, 0, 1, 0], [1, 1, 0, 0]
    weights = [3 * large, large + 1, large, 4 * large]
    options: Any = {"sample_weight": weights, "weights": "frequency"}
    found = br.evaluate(y_true, y_pred, ["F1", "MCC"], **options)
    assert found["model", "F1"].performance.table == counted
    frame = pl.LazyFrame({"y": y_true, "m": y_pred, "w": weights})
    options_of_frame: Any = {"truth": "y", "sample_weight": "w", "weights": "frequency"}
    assert br.evaluate(frame, "m", "F1", **options_of_frame)["m", "F1"].performance.table == counted
    classes = br.evaluate(y_true, y_pred, "accuracy", task="multiclass", **options)
    assert classes["model", "accuracy"].performance.table.test_set.total == counted.total
    scores = br.evaluate(y_true, [0.9, 0.4, 0.4, 0.1], "AUC", **options)
    table: Any = scores["model", "AUC"].performance.table
    assert (table.positives.tolist(), table.total) == ([3 * large, large, 0], counted.total)
    y_true, rows, _, _ = CASES["probabilities"]
    options["sample_weight"] = 1 + WEIGHTS * large // 100
    for verdict in br.evaluate(y_true, {"net": rows}, **options):
        assert verdict.low < verdict.score < verdict.high
        assert verdict.high - verdict.low < 1e-4
    options["sample_weight"] = weights
    with pytest.raises(InvalidWeightsError, match="at most 10,000,000 where every row is kept"):
        br.evaluate([0.5, 1.5, 2, 3], [1, 2, 3, 4.0], "MAE", **options)


def test_scikit_learn_agrees() -> None:
    """A weighted score is scikit-learn's, of every task that takes whole numbers."""
    options: Any = {"sample_weight": WEIGHTS, "weights": "frequency"}
    theirs = {
        "labels": ("F1", metrics.f1_score),
        "classes": ("accuracy", metrics.accuracy_score),
        "scores": ("AUC", metrics.roc_auc_score),
        "numbers": ("MAE", metrics.mean_absolute_error),
    }
    for case, (name, function) in theirs.items():
        y_true, one, *_ = CASES[case]
        (verdict,) = br.evaluate(y_true, one, name, **options)
        expected = function(y_true, one, sample_weight=WEIGHTS)
        assert verdict.score == pytest.approx(expected, rel=1e-12)


BAD = {
    "one below 0": ([1, -1, 1, 1], "-1 at position 1"),
    "a fraction": ([1, 1, 1.5, 1], r"1\.5 at position 2.*set weights='importance'"),
    "nan": ([1, math.nan, 1, 1], "nan at position 1"),
    "None": ([1, None, 1, 1], "nan at position 1"),
    "infinity": ([math.inf, 1, 1, 1], "inf at position 0"),
    "only 0": ([0, 0, 0, 0], "must not all be zero"),
    "too short": ([1, 1], r"each of 4 observations \(got 2\)"),
    "too many": ([10**15, 1, 1, 1], "at most 1,000,000,000,000,000"),
    "far too many": ([2.0**62] * 4, "at most 1,000,000,000,000,000"),
    "text": (list("abcd"), "one column of numbers"),
    "two columns": (np.ones((4, 2)), "one column of numbers"),
    "a name": ("times", "got the text 'times'.*truth"),
}
Y, P = [1, 0, 1, 0], [1, 1, 0, 0]


@pytest.mark.parametrize(("weights", "why"), BAD.values(), ids=BAD)
def test_what_are_no_frequencies(weights: Any, why: str) -> None:
    """The error names the first weight that cannot be one."""
    with pytest.raises(InvalidWeightsError, match=why):
        br.evaluate(Y, P, sample_weight=weights, weights="frequency")


@pytest.mark.parametrize("make", [pl.LazyFrame, pl.DataFrame])
def test_what_are_no_frequencies_in_a_frame(make: Callable[..., Any]) -> None:
    """An engine finds them too."""
    options: Any = {"truth": "y", "weights": "frequency"}
    for bad, got in ((-1, "-1"), (0.5, r"0\.5"), (math.nan, "nan|missing"), (None, "nan|missing")):
        frame = make({"y": Y, "m": P, "w": [1, 1, bad, 1]}, strict=False)
        with pytest.raises(InvalidWeightsError, match=rf"whole numbers .*\(got .*({got})"):
            br.evaluate(frame, "m", sample_weight="w", **options)
    frame = make({"y": Y, "m": P, "w": [0] * 4, "large": [10**15] * 4, "t": list("abcd")})
    for name, why in (("w", "all be zero"), ("large", "at most 1,000,000"), (Y, "name of a")):
        with pytest.raises(InvalidWeightsError, match=why):
            br.evaluate(frame, "m", sample_weight=name, **options)
    with pytest.raises(ValueError, match="number"):
        br.evaluate(frame, "m", sample_weight="t", **options)
    with pytest.raises(InvalidFrameError, match="sample_weight must be different columns"):
        br.evaluate(frame, "m", sample_weight="m", **options)


def test_a_call_says_what_weights_mean() -> None:
    """Both arguments or none; a table has no rows to weigh; an index must agree."""
    with pytest.raises(InvalidWeightsError, match=r"'frequency' if 3 stands for three.*importance"):
        br.evaluate(Y, P, sample_weight=[1, 2, 3, 4])
    with pytest.raises(InvalidWeightsError, match="must come with sample_weight"):
        br.compare(Y, {"a": P, "b": P}, weights="frequency")
    with pytest.raises(InvalidWeightsError, match="must be 'frequency' or 'importance'"):
        br.evaluate(Y, P, sample_weight=Y, weights="sampling")  # type: ignore[arg-type]
    table = br.Confusion(tp=1, fp=1, fn=1, tn=1)
    with pytest.raises(InvalidWeightsError, match="a Confusion, which has no rows"):
        br.evaluate(Y, table, sample_weight=Y, weights="frequency")
    shuffled = pd.Series([1, 2, 3, 4], index=[3, 2, 1, 0])
    with pytest.raises(MisalignedRowsError, match="sample_weight"):
        br.evaluate(pd.Series(Y), P, sample_weight=shuffled, weights="frequency")


def test_which_tasks_know_importance() -> None:
    """The error says so, of the task that the data are of."""
    options: Any = {"sample_weight": [1.5, 2, 3, 4], "weights": "importance"}
    with pytest.raises(InvalidWeightsError, match=r"for several classes .*known for .*numbers"):
        br.evaluate([0, 1, 2, 1], [0, 1, 2, 2], **options)
    with pytest.raises(InvalidWeightsError, match="for scores of two classes"):
        br.evaluate(Y, [0.2, 0.4, 0.5, 0.5], **options)
    with pytest.raises(InvalidWeightsError, match="must be 'frequency' for these predictions"):
        seen_rows(Weights([1.5], "importance"), [1], {})


def test_small_parts() -> None:
    """Weights by themselves: whole floats pass, and rows are repeated in place."""
    assert frequencies(np.array([2.0, 0, 1]), 3).dtype == np.int64
    assert frequencies([True, False], 2).tolist() == [1, 0]
    assert repeated(np.array([2, 1])).tolist() == [0, 0, 1]
    large = np.array([2**60, 1, 2])
    assert count_places(np.array([1, 1, 0]), large, 3).tolist() == [2, 2**60 + 1, 0]
    assert count_places(np.array([1, 1, 0]), np.array([3, 1, 2]), 3).tolist() == [2, 4, 0]
    with pytest.raises(InvalidWeightsError, match="finite sum"):
        importance_weights([1.7e308, 1.7e308], 2)
    with pytest.raises(InvalidWeightsError, match="finite numbers of at least 0"):
        importance_weights([1.0, -2.5], 2)


def test_a_frame_without_rows() -> None:
    """It is the labels that are missing, which is what the error says."""
    frame = pl.LazyFrame(schema={"y": pl.Int64, "p": pl.Int64, "w": pl.Int64})
    with pytest.raises(InvalidLabelsError, match="at least one label"):
        br.evaluate(frame, "p", truth="y", sample_weight="w", weights="frequency")
