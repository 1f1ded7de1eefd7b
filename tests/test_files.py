"""Files of predictions, scanned where they lie."""

from __future__ import annotations

import gzip
import sys
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import baserate as br
from baserate.exceptions import (
    InvalidFileError,
    InvalidFrameError,
    InvalidLabelsError,
    MissingDependencyError,
    MissingFileError,
)
from baserate.frames import count_column

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FRAME = pl.DataFrame(
    {
        "y": [1, 1, 1, 0, 0, 0, 0, 1],
        "tree": [1, 0, 1, 0, 0, 1, 0, 1],
        "year": [2023, 2023, 2023, 2023, 2024, 2024, 2024, 2024],
    }
)
TABLE = br.Confusion(tp=3, fp=1, fn=1, tn=3)

WRITERS: dict[str, Callable[[pl.DataFrame, Any], object]] = {
    "p.csv": pl.DataFrame.write_csv,
    "p.tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    "p.txt": lambda frame, path: frame.write_csv(path, separator=";"),
    "p.csv.gz": lambda frame, path: path.write_bytes(gzip.compress(frame.write_csv().encode())),
    "p.parquet": pl.DataFrame.write_parquet,
    "p.PQ": pl.DataFrame.write_parquet,
    "p.jsonl": pl.DataFrame.write_ndjson,
    "p.ndjson": pl.DataFrame.write_ndjson,
    "p.arrow": pl.DataFrame.write_ipc,
    "p.feather": pl.DataFrame.write_ipc,
    "a [nasty] 'name'.parquet": pl.DataFrame.write_parquet,
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_kind_of_file(tmp_path: Path, name: str) -> None:
    """One file, as text or as a path; lazy until it is counted."""
    WRITERS[name](FRAME, tmp_path / name)
    for path in (tmp_path / name, str(tmp_path / name)):
        relation = br.scan(path)
        assert type(relation).__name__ == "DuckDBPyRelation"
        assert br.Confusion.from_frame(relation, "y", "tree") == TABLE


@pytest.mark.parametrize("name", ["csv", "parquet", "jsonl", "arrow"])
def test_patterns_lists_and_folders(tmp_path: Path, name: str) -> None:
    """Many files are one test set."""
    for part in range(3):
        WRITERS[f"p.{name}"](FRAME, tmp_path / f"part{part}.{name}")
    (tmp_path / "_SUCCESS").write_text("")
    expected = br.Confusion(tp=9, fp=3, fn=3, tn=9)
    for path in (
        tmp_path / f"*.{name}",
        tmp_path,
        [tmp_path / "part0.*", tmp_path / f"part[12].{name}"],
    ):
        assert br.Confusion.from_frame(br.scan(path), "y", "tree") == expected


@pytest.mark.parametrize("name", ["csv", "parquet", "arrow"])
def test_hive_partitions(tmp_path: Path, name: str) -> None:
    """Folders such as year=2024 are a column."""
    for year in (2023, 2024):
        folder = tmp_path / f"year={year}"
        folder.mkdir()
        part = FRAME.filter(pl.col("year") == year).drop("year")
        WRITERS[f"p.{name}"](part, folder / f"part.{name}")
    report = br.evaluate(br.scan(tmp_path), truth="y", predictions="tree", by="year")
    assert report.groups == (2023, 2024)
    expected = br.evaluate(FRAME["y"], {"tree": FRAME["tree"]}, by=FRAME["year"])
    assert report == expected


def test_every_file_once(tmp_path: Path) -> None:
    """Patterns that overlap, names that look like patterns, and what engines leave beside."""
    for name in ("a.csv", "a*.csv", "ab.csv"):
        FRAME.write_csv(tmp_path / name)
    for name in ("_temporary", ".hidden"):
        (tmp_path / name).mkdir()
        FRAME.write_csv(tmp_path / name / "part.csv")
    once = br.Confusion.from_frame(br.scan(tmp_path / "a*.csv"), "y", "tree")
    assert once == TABLE
    thrice = br.Confusion(tp=9, fp=3, fn=3, tn=9)
    for path in (tmp_path, [tmp_path / "a.csv", tmp_path / "*.csv"], tmp_path / "**" / "*.csv"):
        assert br.Confusion.from_frame(br.scan(path), "y", "tree") == thrice


def test_a_relation_can_be_queried_further(tmp_path: Path) -> None:
    """It is DuckDB's own: threshold a score, filter, join."""
    FRAME.with_columns(score=pl.col("tree") * 0.8).write_parquet(tmp_path / "p.parquet")
    relation = br.scan(tmp_path / "p.parquet").project("y, score > 0.5 AS predicted")
    assert br.Confusion.from_frame(relation, "y", "predicted") == TABLE


def test_one_column_is_counted(tmp_path: Path) -> None:
    """A test set without predictions: its base rate, and how many labels are missing."""
    (tmp_path / "p.csv").write_text("y,z\n1,ill\n0,well\n,well\n0,well\n")
    relation = br.scan(tmp_path / "p.csv")
    expected = br.BaseRate(positives=1, total=3)
    assert count_column(relation, "y", drop=True) == (expected, 1)
    rate, dropped = count_column(relation, "z", pos_label="well")
    assert (rate, dropped) == (br.BaseRate(positives=3, total=4), 0)
    with pytest.raises(InvalidLabelsError, match=r"labels must not be missing \(got 1 in 'y'\)"):
        count_column(relation, "y")
    with pytest.raises(InvalidLabelsError, match="pos_label must say which class of z is positive"):
        count_column(relation, "z")


BAD: dict[str, tuple[type[Exception], str, Callable[[Path], object]]] = {
    "no file": (
        MissingFileError,
        r"there is no file '.*nothing.parquet'; a pattern such as",
        lambda folder: br.scan(folder / "nothing.parquet"),
    ),
    "no match": (
        MissingFileError,
        r"there is no file '.*\*.tsv'",
        lambda folder: br.scan(folder / "*.tsv"),
    ),
    "nothing": (MissingFileError, "there is no file", lambda _: br.scan([])),
    "an unknown kind": (
        InvalidFileError,
        r"files must be one of \.arrow, .* \(got \.xlsx\)",
        lambda folder: br.scan(folder / "sheet.xlsx"),
    ),
    "no kind": (
        InvalidFileError,
        "got files without a suffix",
        lambda folder: br.scan(folder / "plain"),
    ),
    "two kinds": (
        InvalidFileError,
        r"must be of one kind \(got \.jsonl, \.parquet\)",
        lambda folder: br.scan([folder / "p.jsonl", folder / "p.parquet"]),
    ),
    "a broken Parquet file": (
        InvalidFileError,
        r"'.*broken.parquet' could not be read",
        lambda folder: br.scan(folder / "broken.parquet"),
    ),
    "a broken Arrow file": (
        InvalidFileError,
        r"'.*broken.arrow' could not be read",
        lambda folder: br.scan(folder / "broken.arrow"),
    ),
    "a broken JSON file": (
        InvalidFileError,
        r"'.*broken.jsonl' could not be read",
        lambda folder: br.scan(folder / "broken.jsonl"),
    ),
    "a column that is not there": (
        InvalidFrameError,
        r"no column 'tre': did you mean 'tree'\?",
        lambda folder: br.Confusion.from_frame(br.scan(folder / "p.parquet"), "y", "tre"),
    ),
    "another label, far below": (
        InvalidLabelsError,
        r"at most two classes \(got '1', 'what'",
        lambda folder: br.Confusion.from_frame(br.scan(folder / "later.csv"), "y", "tree"),
    ),
    "a score, far below": (
        InvalidLabelsError,
        r"at most two classes \(got 1, 0.0, 0.7; the third is 0.7 in column 'tree'",
        lambda folder: br.Confusion.from_frame(br.scan(folder / "score.csv"), "y", "tree"),
    ),
    "a score, far below, in JSON": (
        InvalidLabelsError,
        "at most two classes",
        lambda folder: br.Confusion.from_frame(br.scan(folder / "score.jsonl"), "y", "tree"),
    ),
    "a header and no rows": (
        InvalidLabelsError,
        r"y must hold at least one label \(got none\)",
        lambda folder: br.Confusion.from_frame(br.scan(folder / "empty.csv"), "y", "tree"),
    ),
    "an empty name": (MissingFileError, "there is no file ''", lambda _: br.scan("")),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files(tmp_path: Path, case: str) -> None:
    """A wrong path, a missing column or a broken file is one clear error."""
    FRAME.write_parquet(tmp_path / "p.parquet")
    FRAME.write_ndjson(tmp_path / "p.jsonl")
    for name in ("broken.parquet", "broken.arrow", "sheet.xlsx", "plain"):
        (tmp_path / name).write_bytes(b"this is something else")
    (tmp_path / "broken.jsonl").write_text('{"y": 1, "tree": \n[}')
    (tmp_path / "later.csv").write_text("y,tree\n" + "1,0\n" * 50_000 + "what,0\n")
    (tmp_path / "score.csv").write_text("y,tree\n" + "1,0\n" * 50_000 + "1,0.7\n")
    line = '{"y": 1, "tree": 0}\n'
    (tmp_path / "score.jsonl").write_text(line * 50_000 + line.replace("0}", "0.7}"))
    (tmp_path / "empty.csv").write_text("y,tree\n")
    error, message, call = BAD[case]
    with pytest.raises(error, match=message):
        call(tmp_path)


def test_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So it does for an Arrow file, which DuckDB reads by pyarrow."""
    FRAME.write_ipc(tmp_path / "p.arrow")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependencyError, match="pip install pyarrow"):
        br.scan(tmp_path / "p.arrow")


def test_without_duckdb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what to install."""
    FRAME.write_parquet(tmp_path / "p.parquet")
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(MissingDependencyError, match=r"scan needs duckdb, .* pip install duckdb"):
        br.scan(tmp_path / "p.parquet")
