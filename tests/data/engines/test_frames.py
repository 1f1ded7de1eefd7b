"""The same reports and comparisons from every library and engine."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import baserate as br
from backends import BACKENDS, EVERYWHERE, LAZY, Columns, grid, sparing
from baserate.data.engines import labels, query
from baserate.exceptions import (
    InvalidFrameError,
    InvalidLabelsError,
    MissingLabelsWarning,
)

if TYPE_CHECKING:
    from collections.abc import Callable

RNG = np.random.default_rng(7)
SIZE = 200
TRUTH = RNG.random(SIZE) < 0.3
TREE = TRUTH ^ (RNG.random(SIZE) < 0.2)
KNN = TRUTH ^ (RNG.random(SIZE) < 0.4)
REGION = RNG.choice(["north", "south", "west"], SIZE, p=[0.8, 0.15, 0.05])


def _columns(positive: Any, negative: Any, groups: list[Any] | None = None) -> Columns:
    """The same test set, with other labels."""
    named = {
        name: [positive if each else negative for each in mask]
        for name, mask in {"y": TRUTH, "tree": TREE, "knn": KNN}.items()
    }
    return named | {"region": REGION.tolist() if groups is None else groups}


def _classes(*kinds: list[Any]) -> Columns:
    """Labels of three classes, in a column of each kind."""
    numbers = np.random.default_rng(1).integers(0, 3, (3, SIZE))
    columns: Columns = {
        name: [kind[number] for number in row]
        for name, kind, row in zip(("y", "tree", "knn"), kinds, numbers, strict=True)
    }
    return columns | {"region": REGION.tolist()}


SCORED: Columns = {
    "y": TRUTH.astype(int).tolist(),
    "tree": RNG.random(SIZE).round(2).tolist(),
    "knn": RNG.integers(0, 6, SIZE).astype(float).tolist(),
    "region": REGION.tolist(),
}
MANY = _columns(1, 0) | {
    f"m{n}": (TRUTH ^ (RNG.random(SIZE) < 0.1 * n)).astype(int).tolist() for n in range(7)
}
# The columns, a measure, and options of the call.
CASES: dict[str, tuple[Columns, str, dict[str, Any]]] = {
    "integers": (_columns(1, 0), "ACC", {}),
    "booleans": (_columns(True, False), "ACC", {}),
    "signs": (_columns(1, -1), "ACC", {}),
    "booleans with a positive label": (_columns(False, True), "F1", {"pos_label": False}),
    "text": (_columns("ill", "well"), "F1", {"pos_label": "ill"}),
    "numbers for groups": (_columns(1, 0, RNG.integers(2020, 2024, SIZE).tolist()), "ACC", {}),
    "one class against the rest": (_classes(*[["c", "", "d"]] * 3), "F1", {"pos_label": "c"}),
    "classes of text": (_classes(*[["setosa", "a", "z é"]] * 3), "accuracy", {}),
    "classes of numbers": (_classes([3, -1, 7], [3.0, -1.0, 7.0], [3, -1, 7]), "accuracy", {}),
    "classes of truths": (
        _classes([True, False, True], [1, 0, 2], [1, 0, 2]), "accuracy", {"task": "multiclass"},
    ),
    "scores": (SCORED, "AUC", {}),
    "a missing group": (_columns(1, 0, [None, "some"] * (SIZE // 2)), "ACC", {}),
    "gaps": (
        _columns(1.0, 0.0) | {"tree": [None, *map(float, TREE[1:])]}, "ACC", {"missing": "drop"},
    ),
    "gaps in classes": (
        _classes(*[["a", "b", "c"]] * 3) | {"tree": [None] * 3 + ["b"] * (SIZE - 3)}, "accuracy",
        {"missing": "drop", "task": "multiclass"},
    ),
    "gaps in scores": (SCORED | {"knn": [None, *SCORED["knn"][1:]]}, "AUC", {"missing": "drop"}),
    "more models than are counted together": (MANY, "ACC", {"pos_label": 1}),
}  # fmt: skip


def _models(columns: Columns) -> list[str]:
    return [name for name in columns if name not in ("y", "region")]


@cache
def _of_arrays(case: str) -> tuple[br.Report, br.Comparison]:
    columns, measure, options = CASES[case]
    models = {name: columns[name] for name in _models(columns)}
    by = pd.Series(columns["region"], name="region")
    report = br.evaluate(columns["y"], models, measure, by=by, **options)
    return report, br.compare(columns["y"], models, measure, **options)


@grid(EVERYWHERE, CASES, always=["integers", "classes of text", "scores", "gaps"])
@pytest.mark.filterwarnings("ignore::baserate.exceptions.UnseenClassWarning")
def test_the_same_from_everywhere(make: Callable[[Columns], Any], case: str) -> None:
    """Every engine gives the numbers of arrays, for all models, pairs and groups together."""
    columns, measure, options = CASES[case]
    frame, models = make(columns), _models(columns)
    report, comparison = _of_arrays(case)
    assert br.evaluate(frame, models, measure, truth="y", by="region", **options) == report
    assert br.compare(frame, models, measure, truth="y", **options) == comparison


@pytest.mark.parametrize("make", sparing(LAZY))
def test_columns_called_like_ours(make: Callable[[Columns], Any]) -> None:
    """Columns may have any names, including ours for computed columns."""
    names = {"y": "truth", "tree": "rows", "knn": "group", "region": "key0"}
    renamed = {names[name]: values for name, values in _columns(1, 0).items()}
    tables = br.ConfusionMatrix.from_frame(
        make(renamed), "truth", "rows", by="key0", pos_label=np.int64(1)
    )
    assert list(tables) == ["north", "south", "west"]
    assert tables["south"] == br.ConfusionMatrix.of(
        TRUTH[REGION == "south"], TREE[REGION == "south"]
    )
    assert sum(tables.values(), br.ConfusionMatrix()) == br.ConfusionMatrix.of(TRUTH, TREE)


def test_missing_labels_are_told() -> None:
    """A table that leaves rows out says how many."""
    frame = pl.DataFrame(CASES["gaps"][0])
    with pytest.warns(MissingLabelsWarning, match="1 observation with a missing value left out"):
        br.ConfusionMatrix.from_frame(frame, "y", "tree", missing="drop")


SCORES = {"y": [1.0, 0.0, 1.0], "tree": [1.0, 0.25, 1.0]}
# The columns, options, and what the error says.
REFUSED: dict[str, tuple[Columns, dict[str, Any], str]] = {
    "gaps": (
        _columns(1.0, 0.0) | {"y": [None] + [1.0] * (SIZE - 1), "knn": [None] * 2 + [0.0] * 198},
        {}, r"\(got 1 in 'y', 2 in 'knn'\); .* missing='drop'",
    ),
    "gaps in classes": (
        _classes(*[[0.0, 1.0, 2.0]] * 3) | {"tree": [None] * 3 + [1.0] * (SIZE - 3)},
        {"task": "multiclass"}, r"\(got 3 in 'tree'\);",
    ),
    "booleans and a gap": (
        _columns(True, False) | {"tree": [None, *TREE[1:].tolist()]}, {}, "missing|pos_label|same",
    ),
    "nothing left": (
        {"y": [1.0, None], "tree": [None, 0.0]}, {"missing": "drop"},
        r"y'? must hold at least one label \(got none\)",
    ),
    "text": (
        _columns("ill", "well"), {},
        r"pos_label must say which class of .*y\W.*tree\W.* is positive",
    ),
    **{
        f"{label!r} for {positive!r}": (
            _columns(positive, negative), {"pos_label": label}, "pos_label must be one of",
        )
        for positive, negative, label in [
            ("ill", "well", "sick"), ("ill", "well", 1), (1, 0, "1"), (1, 0, 2),
            (True, False, math.nan), (3, 4, 5),
        ]
    },
    "a third class": (
        _columns(1, 0) | {"knn": [*KNN[:-1].astype(int).tolist(), 2]}, {},
        r"at most two classes \(got 0, 1, 2; the third is 2(\.0)? .*column 'knn'\); name measures",
    ),
    "a third class among many models": (
        MANY | {"m0": [*MANY["m0"][:-1], 2]}, {}, r"the third is 2(\.0)? .*column 'm0'",
    ),
    "scores": (SCORES, {"pos_label": 1}, r"'?tree'? must hold labels, not scores \(got 0.25"),
    "scores and classes": (
        SCORES | {"y": [1, 0, 2]}, {"task": "multiclass"}, "tree' must hold labels, not scores",
    ),
    "many scores": (
        _columns(1, 0) | {"tree": RNG.random(SIZE).tolist()}, {}, "other measures take labels",
    ),
}  # fmt: skip


@grid(BACKENDS, REFUSED, always=["gaps", "a third class"])
def test_the_same_errors_from_everywhere(make: Callable[[Columns], Any], case: str) -> None:
    """What is no label, or not of two classes, is an error as of arrays."""
    columns, options, says = REFUSED[case]
    measure = "accuracy" if "task" in options else "ACC"
    models = [name for name in columns if name not in ("y", "region")]
    with pytest.raises(InvalidLabelsError, match=says):
        br.evaluate(make(columns), models, measure, truth="y", **options)


# Bad requests.


def test_what_is_no_frame() -> None:
    """An engine that fails, a name of two columns, something else, and a frame without rows."""
    with pytest.raises(InvalidFrameError, match=r"could not be counted \(\w+: .*nowhere"):
        br.evaluate(pl.scan_parquet("nowhere.parquet"), "tree", truth="y")
    twice = pd.DataFrame([[1, 0, 1]], columns=["y", "y", "tree"])
    with pytest.raises(InvalidFrameError, match="could not be counted"):
        br.ConfusionMatrix.from_frame(twice, "y", "tree")
    with pytest.raises(InvalidFrameError, match=r"must be of pandas, polars, .* \(got list\)"):
        br.evaluate([1, 0], "tree", truth="y")
    empty = pl.DataFrame(schema={"y": pl.String, "tree": pl.String})
    for frame in (empty, empty.lazy()):
        with pytest.raises(InvalidLabelsError, match=r"y'? must hold at least one label"):
            br.ConfusionMatrix.from_frame(frame, "y", "tree")


# Types of columns.


def test_types_of_columns() -> None:
    """Categories go by name, decimals and numbers of any width are labels, and nan is missing."""
    columns, names = _columns("yes", "no"), ["y", "tree", "knn"]
    frame, ones = pl.DataFrame(columns), pl.DataFrame(_columns(1, 0))
    typed: list[Any] = [
        pd.DataFrame(columns).astype(dict.fromkeys(names, "category")),
        frame.with_columns(pl.col(names).cast(pl.Categorical)).lazy(),
        frame.with_columns(pl.col(names).cast(pl.Enum(["yes", "no"]))),
        pa.table({name: pa.array(values).dictionary_encode() for name, values in columns.items()}),
        *(
            ones.with_columns(pl.col(names).cast(kind)).lazy()
            for kind in (pl.UInt8, pl.Float32, pl.Boolean, pl.Decimal(4, 1))
        ),
        duckdb.connect().from_arrow(ones.to_arrow()).project("y::DECIMAL(4,1) AS y, tree, knn"),
    ]
    for place, each in enumerate(typed):
        table = br.ConfusionMatrix.from_frame(
            each, "y", "tree", pos_label="yes" if place < 4 else 1
        )
        assert table == br.ConfusionMatrix.of(TRUTH, TREE)
    gap = pl.DataFrame({"y": [1.0, 0.0, 1.0], "tree": [1.0, math.nan, 0.0]})
    relation = duckdb.connect().from_arrow(gap.to_arrow())
    for lacking in (gap, gap.lazy(), gap.to_arrow(), gap.to_pandas(), relation):
        for options in ({}, {"task": "multiclass"}):
            with pytest.raises(InvalidLabelsError, match="got 1 in 'tree'"):
                br.evaluate(lacking, "tree", "accuracy", truth="y", **options)


# What leaves an engine.


def test_only_distinct_rows_leave_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """One query is run, and it returns a row per group and combination of labels."""
    fetched: list[int] = []

    def noted(*arguments: Any, **options: Any) -> Any:
        found = query.distinct_rows(*arguments, **options)
        fetched.append(found.times.size)
        return found

    monkeypatch.setattr(labels, "distinct_rows", noted)
    br.evaluate(pl.LazyFrame(_columns(1, 0)), ["tree", "knn"], "ACC", truth="y", by="region")
    assert len(fetched) == 1
    assert fetched[0] <= 3 * 2**3


@pytest.mark.parametrize(
    ("columns", "options", "most"),
    [
        (_columns(1.0, 0.0), {}, (24, 13, 3)),
        (_columns(1.0, 0.0), {"pos_label": 1}, (24, 13, 3)),
        (_classes(*[[3.0, -1.0, 7.0]] * 3), {"task": "multiclass"}, (60, 30, 3)),
    ],
)
def test_more_combinations_than_leave_an_engine(
    monkeypatch: pytest.MonkeyPatch, columns: Columns, options: Any, most: tuple[int, ...]
) -> None:
    """Models are then counted one by one, or pair by pair, on the same rows."""
    columns["y"][3] = columns["tree"][5] = None
    options = options | {"truth": "y", "by": "region", "missing": "drop"}
    frame, models = pl.DataFrame(columns), ["tree", "knn"]
    report = br.evaluate(frame, models, "accuracy", **options)
    compared = br.compare(frame, models, "accuracy", **options)
    monkeypatch.setattr(labels, "MOST_ROWS", most[0])
    assert br.compare(frame.lazy(), models, "accuracy", **options) == compared
    monkeypatch.setattr(labels, "MOST_ROWS", most[1])
    assert br.evaluate(frame.lazy(), models, "accuracy", **options) == report
    assert report.dropped == 2
    assert "2 observations with a missing value left out." in str(report)
    options["missing"] = "error"
    with pytest.raises(InvalidLabelsError, match=r"got 1 in 'y', 1 in 'tree'"):
        br.evaluate(frame.lazy(), models, "accuracy", **options)
    monkeypatch.setattr(labels, "MOST_ROWS", most[2])
    with pytest.raises(InvalidLabelsError, match="at most 3 different rows"):
        br.evaluate(frame.lazy(), "tree", "accuracy", **options)


def test_pairs_of_classes_are_counted_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three models have more combinations than leave an engine; their parts share the classes."""
    columns = _classes(*[["a", "b", "c"]] * 3)
    columns["svm"] = columns["knn"][::-1]
    frame, models = pl.DataFrame(columns), ["tree", "knn", "svm"]
    expected = br.compare(frame, models, "accuracy", truth="y", by="region")
    monkeypatch.setattr(labels, "MOST_ROWS", 81)
    assert br.compare(frame.lazy(), models, "accuracy", truth="y", by="region") == expected


def test_identifiers_are_not_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """A column of them would be as long as the data, however it is read."""
    frame = pl.LazyFrame({"y": range(60), "tree": range(60)})
    monkeypatch.setattr(labels, "MOST_ROWS", 50)
    monkeypatch.setattr(labels, "MOST_CLASSES", 50)
    for numbers in (False, True):
        monkeypatch.setattr(query.Source, "may_be_numbers", lambda *_, numbers=numbers: numbers)
        with pytest.raises(InvalidLabelsError, match="y and tree must have at most 50 different"):
            br.evaluate(frame, "tree", "accuracy", truth="y", task="multiclass")
