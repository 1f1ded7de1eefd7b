"""The same counts from every library and engine."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import baserate as br
from backends import BACKENDS, EVERYWHERE, Columns, grid, sparing
from baserate.data.engines import distinct, labels
from baserate.exceptions import (
    InvalidFrameError,
    InvalidLabelsError,
    InvalidPredictionsError,
    MissingLabelsWarning,
    TooManyClassesError,
)

if TYPE_CHECKING:
    from collections.abc import Callable

RNG = np.random.default_rng(7)
SIZE = 400
TRUTH = RNG.random(SIZE) < 0.3
TREE = TRUTH ^ (RNG.random(SIZE) < 0.2)
KNN = TRUTH ^ (RNG.random(SIZE) < 0.4)
REGION = RNG.choice(["north", "south", "west"], SIZE, p=[0.8, 0.15, 0.05])


def _columns(positive: Any, negative: Any, groups: list[Any] | None = None) -> Columns:
    """The same test set, with other labels."""
    labels = {
        name: [positive if each else negative for each in mask]
        for name, mask in {"y": TRUTH, "tree": TREE, "knn": KNN}.items()
    }
    return labels | {"region": REGION.tolist() if groups is None else groups}


CASES: dict[str, tuple[Columns, Any]] = {
    "integers": (_columns(1, 0), None),
    "booleans": (_columns(True, False), None),
    "signs": (_columns(1, -1), None),
    "floats": (_columns(1.0, 0.0), None),
    "integers with a positive label": (_columns(1, 2), 1),
    "booleans with a positive label": (_columns(False, True), False),
    "text": (_columns("ill", "well"), "ill"),
    "numbers for groups": (_columns(1, 0, RNG.integers(2020, 2024, SIZE).tolist()), None),
}


@grid(EVERYWHERE, CASES, always=["booleans", "text"])
def test_the_same_report_from_everywhere(make: Callable[[Columns], Any], case: str) -> None:
    """Every engine gives numpy's report, for all models and groups together."""
    columns, pos_label = CASES[case]
    expected = br.evaluate(
        columns["y"],
        {"tree": columns["tree"], "knn": columns["knn"]},
        ["F1", "MCC"],
        pos_label=pos_label,
        by=pd.Series(columns["region"], name="region"),
    )
    report = br.evaluate(
        make(columns),
        truth="y",
        predictions=["tree", "knn"],
        measures=["F1", "MCC"],
        by="region",
        pos_label=pos_label,
    )
    assert report == expected


@pytest.mark.parametrize("make", sparing(EVERYWHERE))
def test_one_table(make: Callable[[Columns], Any]) -> None:
    """Confusion.from_frame counts two columns, as a whole or by group."""
    frame = make(_columns(1, 0))
    expected = br.Confusion.of(TRUTH, TREE)
    assert br.Confusion.from_frame(frame, "y", "tree") == expected
    groups = br.Confusion.from_frame(frame, "y", "tree", by="region")
    assert list(groups) == ["north", "south", "west"]
    assert groups["south"] == br.Confusion.of(TRUTH[REGION == "south"], TREE[REGION == "south"])
    assert sum(groups.values(), br.Confusion()) == expected


@grid(BACKENDS, [None, 1], always=[], argument="pos_label")
def test_many_models(make: Callable[[Columns], Any], pos_label: Any) -> None:
    """Too many models for combinations are counted column by column."""
    rng = np.random.default_rng(1)
    models = {f"m{n}": TRUTH ^ (rng.random(SIZE) < 0.05 * n) for n in range(7)}
    columns = _columns(1, 0) | {name: mask.astype(int).tolist() for name, mask in models.items()}
    arrays = {name: columns[name] for name in models}
    region = pd.Series(columns["region"], name="region")
    expected = br.evaluate(columns["y"], arrays, "F1", by=region)
    report = br.evaluate(
        make(columns),
        truth="y",
        predictions=list(models),
        measures="F1",
        by="region",
        pos_label=pos_label,
    )
    assert report == expected
    columns["m0"][8] = 2
    if pos_label is None:
        with pytest.raises(TooManyClassesError, match=r"the third is 2(\.0)? .*column 'm0'"):
            br.evaluate(make(columns), truth="y", predictions=list(models))
        return
    report = br.evaluate(make(columns), "m0", "F1", truth="y", pos_label=pos_label)
    is_one = np.array(columns["m0"]) == 1
    assert report["m0", "F1"].performance.table == br.Confusion.of(TRUTH, is_one)


@pytest.mark.parametrize("make", sparing(BACKENDS))
def test_many_models_with_missing_labels(make: Callable[[Columns], Any]) -> None:
    """Missing labels are counted by column, or their rows are left out for all models."""
    columns = _columns(1.0, 0.0) | {f"m{n}": [float(x) for x in KNN] for n in range(7)}
    columns["y"][3] = columns["m4"][3] = columns["m4"][5] = None
    models = [f"m{n}" for n in range(7)]
    with pytest.raises(InvalidLabelsError, match=r"\(got 1 in 'y', 2 in 'm4'\)"):
        br.evaluate(make(columns), truth="y", predictions=models)
    report = br.evaluate(
        make(columns), truth="y", predictions=models, measures="F1", missing="drop"
    )
    keep = np.ones(SIZE, dtype=bool)
    keep[[3, 5]] = False
    assert report.dropped == 2
    assert {each.table for each in report.performances} == {br.Confusion.of(TRUTH[keep], KNN[keep])}


@pytest.mark.parametrize("make", sparing(BACKENDS))
def test_positive_labels_of_booleans_and_numbers(make: Callable[[Columns], Any]) -> None:
    """True equals 1 for both; no boolean is 2, and nan is not a class."""
    expected = br.Confusion.of(TRUTH, TREE)
    for frame in (make(_columns(True, False)), make(_columns(1, 0))):
        for pos_label in (True, np.int64(1)):
            assert br.Confusion.from_frame(frame, "y", "tree", pos_label=pos_label) == expected
        for pos_label in (2, math.nan):
            with pytest.raises(InvalidLabelsError, match="pos_label must be one of"):
                br.Confusion.from_frame(frame, "y", "tree", pos_label=pos_label)


@pytest.mark.parametrize("make", BACKENDS)
def test_columns_called_like_ours(make: Callable[[Columns], Any]) -> None:
    """Columns may have any names, including ours for computed columns."""
    columns = _columns(1, 0)
    names = {"y": "key1", "tree": "rows", "knn": "group", "region": "key0"}
    renamed = {names[name]: values for name, values in columns.items()}
    tables = br.Confusion.from_frame(make(renamed), "key1", "rows", by="key0")
    assert sum(tables.values(), br.Confusion()) == br.Confusion.of(TRUTH, TREE)


# Pitfalls.


@pytest.mark.parametrize("make", EVERYWHERE)
def test_missing_labels(make: Callable[[Columns], Any]) -> None:
    """Missing labels are an error with counts by column, or their rows are dropped and reported."""
    columns = _columns(1.0, 0.0)
    columns["y"][3] = None
    columns["tree"][5] = columns["tree"][3] = None
    frame = make(columns)
    with pytest.raises(
        InvalidLabelsError, match=r"\(got 1 in 'y', 2 in 'tree'\); .* missing='drop'"
    ):
        br.evaluate(frame, truth="y", predictions=["tree", "knn"])
    report = br.evaluate(
        make(columns), truth="y", predictions=["tree", "knn"], measures="F1", missing="drop"
    )
    keep = np.ones(SIZE, dtype=bool)
    keep[[3, 5]] = False
    assert report.dropped == 2
    assert report.performances[1].table == br.Confusion.of(TRUTH[keep], KNN[keep])
    assert "2 observations with a missing value left out." in str(report)
    with pytest.warns(MissingLabelsWarning, match="2 observations with a missing value left out"):
        br.Confusion.from_frame(make(columns), "y", "tree", missing="drop")


@pytest.mark.parametrize("make", EVERYWHERE)
def test_a_missing_group_is_a_group(make: Callable[[Columns], Any]) -> None:
    """Null keys are neither dropped nor merged into another group."""
    groups = [None if number % 5 == 0 else "some" for number in range(SIZE)]
    tables = br.Confusion.from_frame(make(_columns(1, 0, groups)), "y", "tree", by="region")
    assert list(tables) == ["some", "(missing)"]
    assert tables["(missing)"] == br.Confusion.of(TRUTH[::5], TREE[::5])


@pytest.mark.parametrize("make", BACKENDS)
def test_booleans_with_a_missing_one(make: Callable[[Columns], Any]) -> None:
    """Some libraries turn an object column of booleans and None into text; none miscounts it."""
    columns = _columns(True, False)
    columns["tree"][7] = None
    with pytest.raises(InvalidLabelsError, match=r"missing|pos_label|same kind"):
        br.evaluate(make(columns), truth="y", predictions="tree")


UNKNOWN: dict[str, tuple[Any, Any, Any, str]] = {
    "text": ("ill", "well", None, r"must say which class of .*y\W.*tree\W.* is positive"),
    "another text": ("ill", "well", "sick", r"must be one of the classes .* \(got 'sick'"),
    "a number for text": ("ill", "well", 1, r"must be one of the classes .* \(got 1"),
    "text for a number": (1, 0, "1", r"must be one of the classes .* \(got '1'"),
    "numbers": (3, 4, None, "must say which class"),
}


@grid(BACKENDS, UNKNOWN, always=["numbers"])
def test_the_positive_class_must_be_known(make: Callable[[Columns], Any], case: str) -> None:
    """The same errors as for arrays."""
    positive, negative, pos_label, message = UNKNOWN[case]
    frame = make(_columns(positive, negative))
    with pytest.raises(InvalidLabelsError, match=f"pos_label {message}"):
        br.evaluate(frame, truth="y", predictions=["tree", "knn"], pos_label=pos_label)


@pytest.mark.parametrize("make", sparing(BACKENDS))
def test_a_third_class(make: Callable[[Columns], Any]) -> None:
    """The error names a third class and its column, and how to go on."""
    columns = _columns(1, 0)
    columns["knn"][11] = 2
    message = r"at most two classes \(got 0, 1, 2; the third is 2(\.0)? .*column 'knn'\); name meas"
    with pytest.raises(TooManyClassesError, match=message):
        br.evaluate(make(columns), truth="y", predictions=["tree", "knn"])
    columns["knn"][11] = -1
    with pytest.raises(TooManyClassesError, match="at most two classes"):
        br.evaluate(make(columns), truth="y", predictions=["tree", "knn"])


@grid(BACKENDS, ["integers", "floats", "text"], always=["text"])
def test_one_class_against_the_rest(make: Callable[[Columns], Any], case: str) -> None:
    """With a positive class, all others are one, for all models and groups; it must occur."""
    labels: list[Any] = {"integers": [3, 1, 7], "floats": [3.0, -1.0, 7.5], "text": ["c", "", "d"]}[
        case
    ]
    rng = np.random.default_rng(5)
    numbers = {name: rng.integers(0, 3, SIZE) for name in ("y", "tree", "knn")}
    columns: Columns = {name: [labels[n] for n in each] for name, each in numbers.items()}
    columns["region"] = REGION.tolist()
    report = br.evaluate(
        make(columns),
        truth="y",
        predictions=["tree", "knn"],
        measures="F1",
        by="region",
        pos_label=labels[0],
    )
    masks = {name: each == 0 for name, each in numbers.items()}
    for name in ("tree", "knn"):
        for group in (None, "north", "west"):
            rows = np.full(SIZE, True) if group is None else group == REGION
            expected = br.Confusion.of(masks["y"][rows], masks[name][rows])
            assert report[name, "F1", group].performance.table == expected
    absent = "nowhere" if case == "text" else 4
    with pytest.raises(InvalidLabelsError, match=r"one of the classes of .* \(got ('nowhere'|4)"):
        br.evaluate(make(columns), truth="y", predictions="tree", pos_label=absent)


@pytest.mark.parametrize("make", sparing(BACKENDS))
def test_scores_are_not_the_rest(make: Callable[[Columns], Any]) -> None:
    """Predicted fractions are scores, not other classes, unless the truth has fractions."""
    columns: Columns = {"y": [1.0, 0.0, 1.0], "tree": [1.0, 0.25, 1.0], "knn": [0.5, 1.0, 2.0]}
    with pytest.raises(
        InvalidLabelsError, match=r"'?tree'? must hold labels, not scores \(got 0.25"
    ):
        br.evaluate(make(columns), truth="y", predictions="tree", pos_label=1)
    table = br.Confusion.from_frame(make(columns), "knn", "tree", pos_label=1)
    assert table == br.Confusion(fp=2, fn=1)
    columns["y"] = [1, 0, 1]
    with pytest.raises(InvalidLabelsError, match="must hold labels, not scores"):
        br.evaluate(make(columns), truth="y", predictions="tree", pos_label=1)


@pytest.mark.parametrize("make", sparing(BACKENDS))
def test_probabilities(make: Callable[[Columns], Any]) -> None:
    """A column of scores is an error, not a million groups."""
    columns = _columns(1, 0)
    columns["tree"] = RNG.random(SIZE).tolist()
    with pytest.raises(InvalidLabelsError, match="other measures take labels"):
        br.evaluate(make(columns), "tree", "F1", truth="y")


@pytest.mark.parametrize("make", sparing(BACKENDS))
def test_nothing_to_count(make: Callable[[Columns], Any]) -> None:
    """A frame with a missing label in each row is empty after dropping."""
    columns: Columns = {"y": [1.0, None], "tree": [None, 0.0]}
    with pytest.raises(InvalidLabelsError, match=r"y'? must hold at least one label \(got none\)"):
        br.evaluate(make(columns), truth="y", predictions="tree", missing="drop")


@pytest.mark.parametrize("models", [1, 30])
def test_unsigned_and_boolean_labels(models: int) -> None:
    """Few and many models use different queries, which both handle the type of each column."""
    truth, predicted = [0, 1, 1, 0, 1], [0, 1, 0, 0, 1]
    names = [f"model {number}" for number in range(models)]
    columns = pl.DataFrame({"y": truth} | dict.fromkeys(names, predicted))
    for kind in (pl.UInt8, pl.Float32, pl.Boolean):
        frame = columns.cast(kind).lazy()
        report = br.evaluate(frame, truth="y", predictions=names, measures="F1")
        assert {each.table for each in report.performances} == {br.Confusion.of(truth, predicted)}


@pytest.mark.parametrize("kind", [pl.Int64, pl.String])
def test_a_frame_without_rows(kind: Any) -> None:
    """A frame without rows has no labels to count, whatever their type."""
    frame = pl.DataFrame({"y": [], "tree": []}, schema={"y": kind, "tree": kind})
    for each in (frame, frame.lazy()):
        with pytest.raises(InvalidLabelsError, match=r"y'? must hold at least one label"):
            br.Confusion.from_frame(each, "y", "tree")


# Bad requests.


def test_columns_that_are_not_there() -> None:
    """The error offers the nearest names."""
    frame = pl.LazyFrame(_columns(1, 0))
    with pytest.raises(InvalidFrameError, match=r"no column 'tre': did you mean 'tree'\?"):
        br.evaluate(frame, truth="y", predictions="tre")
    with pytest.raises(InvalidFrameError, match=r"no column 'zzz': they have 'y', 'tree', 'knn'"):
        br.evaluate(frame, truth="zzz", predictions="tree")
    with pytest.raises(InvalidFrameError, match=r"did you mean 'region'\?"):
        br.evaluate(frame, truth="y", predictions="tree", by="regions")


BAD: dict[str, tuple[type[Exception], str, Callable[[Any], object]]] = {
    "an engine that fails": (
        InvalidFrameError,
        r"the data could not be counted \(\w+: .*nowhere",
        lambda _: br.evaluate(pl.scan_parquet("nowhere.parquet"), truth="y", predictions="tree"),
    ),
    "labels for a name": (
        InvalidFrameError,
        r"truth, prediction and by must be the names of columns of the data frame \(got a list\)",
        lambda frame: br.evaluate(frame, truth="y", predictions="tree", by=["north"]),
    ),
    "two columns of one name": (
        InvalidFrameError,
        "could not be counted",
        lambda _: br.Confusion.from_frame(
            pd.DataFrame([[1, 0, 1]], columns=["y", "y", "tree"]), "y", "tree"
        ),
    ),
    "a frame without the name of its truth": (
        InvalidLabelsError,
        "or the whole data frame with truth=",
        lambda frame: br.evaluate(frame, frame["tree"]),
    ),
    "a column twice": (
        InvalidFrameError,
        r"must be different columns \(got 'y' twice\)",
        lambda frame: br.evaluate(frame, truth="y", predictions="y"),
    ),
    "a model twice": (
        InvalidPredictionsError,
        "every model must have its own name",
        lambda frame: br.evaluate(frame, truth="y", predictions=["tree", "tree"]),
    ),
    "no models": (
        InvalidPredictionsError,
        "at least one model",
        lambda frame: br.evaluate(frame, truth="y", predictions=[]),
    ),
    "labels for names": (
        InvalidFrameError,
        "predictions must be the names of columns when truth is one",
        lambda frame: br.evaluate(frame, truth="y", predictions=[1, 0, 1]),
    ),
    "nothing for names": (
        InvalidFrameError,
        "predictions must be the names of columns when truth is one",
        lambda frame: br.evaluate(frame, truth="y"),
    ),
    "no frame": (
        InvalidFrameError,
        r"a data frame must be of pandas, polars, .* \(got list\)",
        lambda _: br.evaluate([1, 0], truth="y", predictions="tree"),
    ),
    "another way with missing values": (
        InvalidFrameError,
        r"missing must be 'error' or 'drop' \(got 'ignore'\)",
        lambda frame: br.evaluate(frame, truth="y", predictions="tree", missing="ignore"),  # type: ignore[arg-type]
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_requests(case: str) -> None:
    """Each bad request is one clear error."""
    error, message, call = BAD[case]
    with pytest.raises(error, match=message):
        call(pl.DataFrame(_columns(1, 0)))


def test_models_by_other_names() -> None:
    """A mapping gives model names and their columns."""
    report = br.evaluate(
        pl.DataFrame(_columns(1, 0)), truth="y", predictions={"my tree": "tree"}, measures="F1"
    )
    assert report.models == ("my tree",)


def test_categories() -> None:
    """Categories of pandas, polars and pyarrow are compared by name, not by order."""
    columns = _columns("yes", "no")
    names = ["y", "tree", "knn"]
    frames = [
        pd.DataFrame(columns).astype(dict.fromkeys(names, "category")),
        pl.DataFrame(columns).with_columns(pl.col(names).cast(pl.Categorical)),
        pl.DataFrame(columns).with_columns(pl.col(names).cast(pl.Enum(["yes", "no"]))),
        pa.table({name: pa.array(values).dictionary_encode() for name, values in columns.items()}),
    ]
    for frame in frames:
        table = br.Confusion.from_frame(frame, "y", "tree", pos_label="yes")
        assert table == br.Confusion.of(TRUTH, TREE)


def test_decimals_are_labels_and_counts() -> None:
    """DuckDB sums decimals to Decimals: they work as labels and as counts."""
    relation = duckdb.connect().sql(
        "SELECT (x % 2)::DECIMAL(4,1) AS y, sum(x) AS n FROM range(9) t(x) GROUP BY x"
    )
    assert br.Confusion.from_frame(relation.project("y, y AS p"), "y", "p").tp == 4
    (value,) = relation.aggregate("sum(n::DECIMAL(18,0))").fetchall()[0]
    assert isinstance(value, Decimal)
    assert br.Confusion(tp=value).tp == 36


def test_nan_is_missing_whoever_says_it() -> None:
    """NaN is a missing label, in polars and DuckDB too."""
    frame = pl.DataFrame({"y": [1.0, 0.0, 1.0], "tree": [1.0, math.nan, 0.0]})
    relation = duckdb.connect().from_arrow(frame.to_arrow())
    for each in (frame, frame.lazy(), frame.to_arrow(), frame.to_pandas(), relation):
        with pytest.raises(InvalidLabelsError, match="got 1 in 'tree'"):
            br.Confusion.from_frame(each, "y", "tree")


def test_only_distinct_rows_leave_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """One query is run, and it returns a row per group and combination of labels."""
    fetched: list[int] = []

    def noted(*arguments: Any, **options: Any) -> Any:
        found = distinct.distinct_rows(*arguments, **options)
        fetched.append(found.times.size)
        return found

    monkeypatch.setattr(labels, "distinct_rows", noted)
    frame = pl.LazyFrame(_columns(1, 0))
    br.evaluate(frame, ["tree", "knn"], "F1", truth="y", by="region")
    assert len(fetched) == 1
    assert fetched[0] <= 3 * 2**3


@pytest.mark.parametrize("pos_label", [None, 1])
def test_more_combinations_than_leave_an_engine(
    monkeypatch: pytest.MonkeyPatch, pos_label: Any
) -> None:
    """Models are then counted one by one, or pair by pair, on the same rows."""
    columns = _columns(1.0, 0.0)
    columns["y"][3] = columns["tree"][5] = None
    options: Any = {"truth": "y", "by": "region", "pos_label": pos_label}
    frame = pl.DataFrame(columns)
    expected = br.evaluate(frame, ["tree", "knn"], "F1", missing="drop", **options)
    compared = br.compare(frame, ["tree", "knn"], "F1", missing="drop", **options)
    monkeypatch.setattr(labels, "MOST_ROWS", 24)
    assert br.compare(frame.lazy(), ["tree", "knn"], "F1", missing="drop", **options) == compared
    monkeypatch.setattr(labels, "MOST_ROWS", 13)
    report = br.evaluate(frame.lazy(), ["tree", "knn"], "F1", missing="drop", **options)
    assert report == expected
    assert report.dropped == 2
    with pytest.raises(InvalidLabelsError, match=r"got 1 in 'y', 1 in 'tree'"):
        br.evaluate(frame.lazy(), ["tree", "knn"], "F1", **options)
    monkeypatch.setattr(labels, "MOST_ROWS", 3)
    with pytest.raises(InvalidLabelsError, match="at most 3 different rows"):
        br.evaluate(frame.lazy(), ["tree"], "F1", **options)


def test_missing_labels_of_arrays_can_be_dropped_too() -> None:
    """Dropping leaves out the same rows for all models, with their groups."""
    y_true = [1, 0, 1, None, 0, 1]
    models = {"a": [1, 0, None, 1, 0, 1], "b": [1, 1, 1, 1, 0, 0]}
    report = br.evaluate(y_true, models, "ACC", by=list("xxxyyz"), missing="drop")
    assert report.dropped == 2
    assert report["a", "ACC"].performance.table == br.Confusion(tp=2, tn=2)
    assert report["b", "ACC"].performance.table == br.Confusion(tp=1, fp=1, fn=1, tn=1)
    assert report.groups == ("x", "y", "z")
    assert report["b", "ACC", "z"].performance.table == br.Confusion(fn=1)
    masked = np.ma.array([1, 0, 1, 1], mask=[False, False, True, False])
    assert br.evaluate([1, 0, 1, 0], masked, "ACC", missing="drop").dropped == 1
