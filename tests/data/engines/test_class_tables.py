"""Tables of several classes from every library, engine and kind of file are those of arrays."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

from backends import BACKENDS, EVERYWHERE, Columns, grid, sparing
from baserate.data.classes import count_class_pairs
from baserate.data.engines import labels
from baserate.data.engines.labels import count_frame_class_pairs, count_frame_classes
from baserate.data.files import scan
from baserate.exceptions import InvalidFrameError, InvalidLabelsError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from baserate.data.classes import ClassPairs, ClassTables

SIZE = 200
MODELS = ("tree", "knn", "svm")
LABELS: dict[str, list[list[Any]]] = {
    "text": [["setosa", "a", "z é"]] * 4,
    "integers": [[3, -1, 7]] * 4,
    "integers and floats": [[3, -1, 7], [3.0, -1.0, 7.0], [3, -1, 7], [3.0, -1.0, 8.0]],
    "booleans and integers": [[True, False, True], [1, 0, 2], [True, False, True], [1, 0, 2]],
}


def _columns(labels: list[list[Any]], seed: int = 1) -> Columns:
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 3, (4, SIZE))
    columns: Columns = {
        name: [each[number] for number in row]
        for name, each, row in zip(("y", *MODELS), labels, numbers, strict=True)
    }
    return columns | {"region": rng.choice(["north", "south", "west"], SIZE).tolist()}


def _expected(columns: Columns, *, drop: bool = False) -> ClassPairs:
    models = {name: columns[name] for name in MODELS}
    return count_class_pairs(columns["y"], models, columns["region"], drop=drop)


def _assert_same(found: ClassTables | ClassPairs, expected: ClassPairs) -> None:
    assert found.labels == expected.labels
    assert found.dropped == expected.dropped
    assert list(found.tables) == list(expected.tables)
    for name, tables in expected.tables.items():
        assert list(found.tables[name]) == list(tables)
        for group, table in tables.items():
            assert np.array_equal(found.tables[name][group], table)


def _assert_same_pairs(found: ClassPairs, expected: ClassPairs) -> None:
    _assert_same(found, expected)
    assert list(found.joint) == list(expected.joint)
    for pair, joint in expected.joint.items():
        assert list(found.joint[pair]) == list(joint)
        for group, cells in joint.items():
            other = found.joint[pair][group]
            for field in ("truth", "first", "second", "counts"):
                assert np.array_equal(getattr(other, field), getattr(cells, field))


@grid(EVERYWHERE, LABELS, always=["integers"])
def test_the_same_tables_from_everywhere(make: Callable[[Columns], Any], case: str) -> None:
    """Every engine gives numpy's tables, for all models, groups and pairs."""
    columns = _columns(LABELS[case])
    expected = _expected(columns)
    models = {name: name for name in MODELS}
    _assert_same(count_frame_classes(make(columns), "y", models, by="region"), expected)
    _assert_same_pairs(count_frame_class_pairs(make(columns), "y", models, by="region"), expected)


@pytest.mark.parametrize("make", sparing(EVERYWHERE))
def test_one_model_without_groups(make: Callable[[Columns], Any]) -> None:
    """One model is one table, and no pair."""
    columns = _columns(LABELS["text"])
    found = count_frame_class_pairs(make(columns), "y", {"my tree": "tree"})
    assert list(found.tables["my tree"]) == [None]
    expected = _expected(columns).tables["tree"][None]
    assert np.array_equal(found.tables["my tree"][None], expected)
    assert found.joint == {}


@pytest.mark.parametrize("make", sparing(BACKENDS))
def test_missing_labels(make: Callable[[Columns], Any]) -> None:
    """Missing labels are an error with counts by column, or rows left out for all models."""
    columns = _columns([[0.0, 1.0, 2.0]] * 4)
    columns["y"][3] = columns["knn"][3] = columns["knn"][5] = columns["svm"][7] = None
    models = {name: name for name in MODELS}
    for count in (count_frame_classes, count_frame_class_pairs):
        with pytest.raises(InvalidLabelsError, match=r"got 1 in 'y', 2 in 'knn', 1 in 'svm'\);"):
            count(make(columns), "y", models, by="region")
    expected = _expected(columns, drop=True)
    assert expected.dropped == 3
    found = count_frame_classes(make(columns), "y", models, by="region", drop=True)
    _assert_same(found, expected)
    pairs = count_frame_class_pairs(make(columns), "y", models, by="region", drop=True)
    _assert_same_pairs(pairs, expected)
    nothing: Columns = {"y": [1.0, None], "tree": [None, 0.0]}
    with pytest.raises(InvalidLabelsError, match=r"y'? must hold at least one label \(got none\)"):
        count_frame_classes(make(nothing), "y", {"tree": "tree"}, drop=True)


@pytest.mark.parametrize("make", sparing(BACKENDS))
def test_missing_groups_and_odd_names(make: Callable[[Columns], Any]) -> None:
    """Missing groups are a group; columns may have our names."""
    columns = {"truth": list("abcab"), "rows": list("abbca"), "part": [None, "x", "x", None, "y"]}
    found = count_frame_classes(make(columns), "truth", {"m": "rows"}, by="part")
    expected = count_class_pairs(columns["truth"], {"m": columns["rows"]}, columns["part"])
    _assert_same(found, expected)
    assert list(found.tables["m"]) == [None, "x", "y", "(missing)"]


@pytest.mark.parametrize("make", sparing(BACKENDS))
def test_scores(make: Callable[[Columns], Any]) -> None:
    """A column of scores is an error."""
    columns: Columns = {"y": [0, 1, 2], "tree": [0.25, 1.0, 0.5]}
    with pytest.raises(InvalidLabelsError, match=r"column 'tree' must hold labels, not scores"):
        count_frame_classes(make(columns), "y", {"tree": "tree"})


def test_more_combinations_than_classes_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models are counted in parts, which share their classes; identifiers are not handed over."""
    columns = _columns(LABELS["integers and floats"])
    expected = _expected(columns)
    frame, models = pl.LazyFrame(columns), {name: name for name in MODELS}
    monkeypatch.setattr(labels, "MOST_ROWS", 81)
    _assert_same_pairs(count_frame_class_pairs(frame, "y", models, by="region"), expected)
    monkeypatch.setattr(labels, "MOST_ROWS", 50)
    _assert_same(count_frame_classes(frame, "y", models, by="region"), expected)
    frame = pl.LazyFrame({"y": range(60), "tree": range(60)})
    with pytest.raises(InvalidLabelsError, match="y and tree must have at most 50 different rows"):
        count_frame_classes(frame, "y", {"tree": "tree"})
    monkeypatch.setattr(labels, "_may_be_numbers", lambda *_: True)
    monkeypatch.setattr(labels, "MOST_CLASSES", 50)
    with pytest.raises(InvalidLabelsError, match="y and tree must have at most 50 different rows"):
        count_frame_classes(frame, "y", {"tree": "tree"})


def test_types_of_polars() -> None:
    """Labels of any width, category or precision are the labels of arrays."""
    columns = {"y": [0, 1, 2, 1], "a": [0, 2, 2, 1], "b": [1, 1, 2, 0], "c": [2, 1, 2, 0]}
    frame = pl.DataFrame(columns)
    expected = count_class_pairs(columns["y"], {name: columns[name] for name in "abc"}, None)
    kinds = (pl.Int8, pl.UInt64, pl.Float32), (pl.Int16, pl.Int64, pl.UInt8)
    for kind in kinds:
        typed = frame.cast(dict(zip("abc", kind, strict=True)))
        found = count_frame_class_pairs(typed.lazy(), "y", {name: name for name in "abc"})
        _assert_same_pairs(found, expected)
    words = frame.select(pl.all().cast(pl.String))
    as_text = count_class_pairs(*_split(words), None)
    for kind in (pl.Categorical, pl.Enum(["2", "0", "1"])):
        lazy = words.cast(kind).lazy()
        _assert_same_pairs(
            count_frame_class_pairs(lazy, "y", dict(zip("abc", "abc", strict=True))), as_text
        )


def _split(frame: pl.DataFrame) -> tuple[Any, dict[str, Any]]:
    return frame["y"], {name: frame[name] for name in frame.columns if name != "y"}


# Files.


def _written(folder: Path, kind: str) -> tuple[Any, ClassPairs]:
    columns = _columns(LABELS["integers"])
    columns["region"] = [f"{year}" for year in np.arange(SIZE) % 3 + 2020]
    frame = pl.DataFrame(columns)
    path = folder / f"p.{kind}"
    getattr(frame, {"csv": "write_csv", "parquet": "write_parquet", "jsonl": "write_ndjson"}[kind])(
        path
    )
    years = [int(year) for year in columns["region"]] if kind == "csv" else columns["region"]
    return scan(path), _expected(columns | {"region": years})


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_files(tmp_path: Path, kind: str) -> None:
    """Files are counted like arrays; texts of a CSV file are read as numbers."""
    relation, expected = _written(tmp_path, kind)
    models = {name: name for name in MODELS}
    _assert_same(count_frame_classes(relation, "y", models, by="region"), expected)
    _assert_same_pairs(count_frame_class_pairs(relation, "y", models, by="region"), expected)


def test_many_spellings_are_one_label(tmp_path: Path) -> None:
    """1, 1.0 and true are one label, nan and nothing are missing, and 007 is a name."""
    lines = [
        "y,a,b",
        "1,1.0,true",
        "0,0,-0",
        "2,+2,2.00",
        "007,007,1",
        " NaN,1,1",
        "1,,1",
        "2,1, nan",
    ]
    (tmp_path / "p.csv").write_text("\n".join(lines))
    relation = scan(tmp_path / "p.csv")
    models = {"a": "a", "b": "b"}
    with pytest.raises(InvalidLabelsError, match=r"got 1 in 'y', 1 in 'a', 1 in 'b'"):
        count_frame_classes(relation, "y", models)
    expected = count_class_pairs([1, 0, 2, "007"], {"a": [1, 0, 2, "007"], "b": [1, 0, 2, 1]}, None)
    for count in (count_frame_classes, count_frame_class_pairs):
        found = count(relation, "y", models, drop=True)
        assert found.dropped == 3
        _assert_same(found, expected._replace(dropped=3))


def test_a_folder_with_partitions(tmp_path: Path) -> None:
    """Columns of partitions have types, next to columns of text."""
    for year, rows in ((2023, "a,a\nb,c\n"), (2024, "b,b\n")):
        (tmp_path / f"year={year}").mkdir()
        (tmp_path / f"year={year}" / "p.csv").write_text("y,tree\n" + rows)
    found = count_frame_classes(scan(tmp_path), "y", {"tree": "tree"}, by="year")
    assert list(found.tables["tree"]) == [None, 2023, 2024]
    assert found.tables["tree"][2023].tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 0]]


def test_nan_is_missing_whoever_says_it() -> None:
    """NaN is a missing label in polars too, not a class."""
    frame = pl.LazyFrame({"y": [1.0, 0.0, 2.0], "tree": [1.0, math.nan, 0.0]})
    with pytest.raises(InvalidLabelsError, match="got 1 in 'tree'"):
        count_frame_classes(frame, "y", {"tree": "tree"})


def test_bad_requests() -> None:
    """Columns must be there, and be different ones."""
    frame = pl.LazyFrame({"y": [1], "tree": [1]})
    with pytest.raises(InvalidFrameError, match=r"no column 'tre': did you mean 'tree'\?"):
        count_frame_classes(frame, "y", {"tree": "tre"})
    with pytest.raises(InvalidFrameError, match="must be different columns"):
        count_frame_class_pairs(frame, "y", {"a": "tree", "b": "tree"})
