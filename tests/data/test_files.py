"""Files of predictions, scanned without loading them."""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path
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

if TYPE_CHECKING:
    from collections.abc import Callable

FRAME = pl.DataFrame(
    {
        "y": [1, 1, 1, 0, 0, 0, 0, 1],
        "tree": [1, 0, 1, 0, 0, 1, 0, 1],
        "year": [2023, 2023, 2023, 2023, 2024, 2024, 2024, 2024],
    }
)
TABLE = br.ConfusionMatrix(tp=3, fp=1, fn=1, tn=3)

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
    """One file, as text or as a path, stays lazy until it is counted."""
    WRITERS[name](FRAME, tmp_path / name)
    for path in (tmp_path / name, str(tmp_path / name)):
        relation = br.scan(path)
        assert type(relation).__name__ == "DuckDBPyRelation"
        assert br.ConfusionMatrix.from_frame(relation, "y", "tree") == TABLE


@pytest.mark.parametrize("name", ["csv", "arrow"])
def test_patterns_lists_and_folders(tmp_path: Path, name: str) -> None:
    """Many files are one test set."""
    for part in range(3):
        WRITERS[f"p.{name}"](FRAME, tmp_path / f"part{part}.{name}")
    (tmp_path / "_SUCCESS").write_text("")
    expected = br.ConfusionMatrix(tp=9, fp=3, fn=3, tn=9)
    for path in (
        tmp_path / f"*.{name}",
        tmp_path,
        [tmp_path / "part0.*", tmp_path / f"part[12].{name}"],
    ):
        assert br.ConfusionMatrix.from_frame(br.scan(path), "y", "tree") == expected


@pytest.mark.parametrize("name", ["csv", "parquet"])
@pytest.mark.parametrize("folder", ["tree=1", "Tree=1", "year=2024/tree=1"])
def test_a_folder_replaces_no_column(tmp_path: Path, name: str, folder: str) -> None:
    """A folder with the name of a column of its files is an error."""
    (tmp_path / folder).mkdir(parents=True)
    WRITERS[f"p.{name}"](FRAME.drop("year"), tmp_path / folder / f"p.{name}")
    for path in (tmp_path, tmp_path / folder / f"p.{name}", tmp_path / "*" / "**" / f"*.{name}"):
        with pytest.raises(InvalidFileError, match="must not be named as a column of its files"):
            br.scan(path)


@pytest.mark.parametrize("name", ["csv", "parquet", "jsonl", "arrow"])
def test_folders_of_one_depth_and_name(tmp_path: Path, name: str) -> None:
    """All files must have the same partitions; with a plain folder among them there are none."""
    for folder in ("year=2023", "year=2024"):
        (tmp_path / folder).mkdir()
        WRITERS[f"p.{name}"](FRAME.drop("year"), tmp_path / folder / f"p.{name}")
    assert br.scan(tmp_path).columns == ["y", "tree", "year"]
    (tmp_path / "plain").mkdir()
    WRITERS[f"p.{name}"](FRAME.drop("year"), tmp_path / "plain" / f"p.{name}")
    assert br.scan(tmp_path).columns == ["y", "tree"]
    (tmp_path / "plain").rename(tmp_path / "month=3")
    with pytest.raises(InvalidFileError, match="the same names for all files"):
        br.scan(tmp_path)


@pytest.mark.parametrize("name", ["csv", "parquet", "jsonl", "arrow"])
def test_columns_go_by_their_names(tmp_path: Path, name: str) -> None:
    """Columns match by name, in any order; what a file lacks is missing, and scores stay scores."""
    WRITERS[f"p.{name}"](pl.DataFrame({"y": [1, 0], "tree": [1, 1]}), tmp_path / f"1.{name}")
    WRITERS[f"p.{name}"](pl.DataFrame({"tree": [0, 0], "y": [1, 0]}), tmp_path / f"2.{name}")
    expected = br.ConfusionMatrix(tp=1, fp=1, fn=1, tn=1)
    assert br.ConfusionMatrix.from_frame(br.scan(tmp_path), "y", "tree") == expected
    more = pl.DataFrame({"y": [1], "tree": [1], "knn": [1]})
    WRITERS[f"p.{name}"](more, tmp_path / f"3.{name}")
    report = br.evaluate(br.scan(tmp_path), "knn", "ACC", truth="y", missing="drop")
    assert (report.dropped, report["knn", "ACC"].performance.table) == (4, br.ConfusionMatrix(tp=1))
    WRITERS[f"p.{name}"](pl.DataFrame({"y": [1.0], "tree": [0.7]}), tmp_path / f"4.{name}")
    with pytest.raises(InvalidLabelsError, match=r"two classes .* 0\.7"):
        br.ConfusionMatrix.from_frame(br.scan(tmp_path), "y", "tree")


NASTY = ["~root.csv", "a[b]*?{1,2}.csv", "a\\b\n'c\".csv", "http:x.csv"]


@pytest.mark.parametrize("name", NASTY)
def test_any_name_is_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """An existing file is taken literally, whatever its name means to a shell or to DuckDB."""
    monkeypatch.chdir(tmp_path)
    FRAME.write_csv(tmp_path / name)
    for path in (name, Path(name), tmp_path / name, "*.csv", "."):
        assert br.ConfusionMatrix.from_frame(br.scan(path), "y", "tree") == TABLE
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / name).rename(tmp_path / "folder.csv" / name)
    assert br.ConfusionMatrix.from_frame(br.scan("folder.csv"), "y", "tree") == TABLE


@pytest.mark.parametrize("path", [None, 5, b"p.csv", [b"p.csv"], ["p.csv", None], {1: 2}])
def test_what_is_no_path(path: Any) -> None:
    """A value that is not a path is one clear error."""
    with pytest.raises(InvalidFileError, match=r"a path must be text or a pathlib\.Path"):
        br.scan(path)


@pytest.mark.parametrize("path", ["a" * 300 + ".csv", "a\0b.csv", "p.csv/q.csv", "loop/p.csv"])
def test_names_that_no_file_can_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """A name too long, a NUL, a file as folder and a circular link are errors of ours."""
    monkeypatch.chdir(tmp_path)
    FRAME.write_csv(tmp_path / "p.csv")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises((MissingFileError, InvalidFileError)):
        br.scan(path)


@pytest.mark.parametrize("pattern", ["", "**", "**/*.csv", "*/*.csv", "o*/**/p.csv"])
def test_a_folder_that_cannot_be_opened_is_not_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    """An unreadable folder is an error: its rows would be missing. Others are not opened."""
    for name in ("open", "closed"):
        (tmp_path / name).mkdir()
        FRAME.write_csv(tmp_path / name / "p.csv")
    scandir = os.scandir

    def guarded(path: Any) -> Any:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", guarded)
    if pattern.startswith("o"):
        assert br.ConfusionMatrix.from_frame(br.scan(tmp_path / pattern), "y", "tree") == TABLE
        return
    with pytest.raises(InvalidFileError, match="Permission denied"):
        br.scan(tmp_path / pattern)


def test_every_file_once(tmp_path: Path) -> None:
    """Overlapping patterns count once, odd names are literal, and engines' markers are skipped."""
    for name in ("a.csv", "a*.csv", "ab.csv"):
        FRAME.write_csv(tmp_path / name)
    for name in ("_temporary", ".hidden"):
        (tmp_path / name).mkdir()
        FRAME.write_csv(tmp_path / name / "part.csv")
    once = br.ConfusionMatrix.from_frame(br.scan(tmp_path / "a*.csv"), "y", "tree")
    assert once == TABLE
    thrice = br.ConfusionMatrix(tp=9, fp=3, fn=3, tn=9)
    for path in (tmp_path, [tmp_path / "a.csv", tmp_path / "*.csv"], tmp_path / "**" / "*.csv"):
        assert br.ConfusionMatrix.from_frame(br.scan(path), "y", "tree") == thrice


# A path or several, and the error of scanning them.
BAD: dict[str, tuple[type[Exception], str, Any]] = {
    "no file": (MissingFileError, r"no file '.*nothing.parquet'; a pattern", "nothing.parquet"),
    "no match": (MissingFileError, r"there is no file '.*\*.tsv'", "*.tsv"),
    "nothing": (MissingFileError, "there is no file", []),
    "an empty name": (MissingFileError, "there is no file ''", ""),
    "an unknown kind": (InvalidFileError, r"one of \.arrow, .* \(got \.xlsx\)", "sheet.xlsx"),
    "no kind": (InvalidFileError, "got files without a suffix", "plain"),
    "two kinds": (
        InvalidFileError, r"of one kind \(got \.jsonl, \.parquet\)", ["p.jsonl", "p.parquet"],
    ),
    **{
        f"a broken {kind} file": (InvalidFileError, f"'broken.{kind}' could not", f"broken.{kind}")
        for kind in ("parquet", "arrow", "jsonl")
    },
}  # fmt: skip
# A file, and the error of counting its labels.
BAD_LABELS: dict[str, tuple[type[Exception], str]] = {
    "p.parquet": (InvalidFrameError, r"no column 'tre': did you mean 'tree'\?"),
    "later.csv": (InvalidLabelsError, r"at most two classes \(got 1, 'what', 0"),
    "score.csv": (
        InvalidLabelsError, r"\(got 1, 0, 0.7; the third is 0.7 in column 'tree'",
    ),
    "score.jsonl": (InvalidLabelsError, "at most two classes"),
    "empty.csv": (InvalidLabelsError, r"column 'y' must hold at least one label \(got none\)"),
}  # fmt: skip


def test_bad_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong path, a missing column, a broken file and labels far below are clear errors."""
    monkeypatch.chdir(tmp_path)
    FRAME.write_parquet("p.parquet")
    FRAME.write_ndjson("p.jsonl")
    for name in ("broken.parquet", "broken.arrow", "sheet.xlsx", "plain"):
        (tmp_path / name).write_bytes(b"this is something else")
    (tmp_path / "broken.jsonl").write_text('{"y": 1, "tree": \n[}')
    (tmp_path / "later.csv").write_text("y,tree\n" + "1,0\n" * 50_000 + "what,0\n")
    (tmp_path / "score.csv").write_text("y,tree\n" + "1,0\n" * 50_000 + "1,0.7\n")
    line = '{"y": 1, "tree": 0}\n'
    (tmp_path / "score.jsonl").write_text(line * 50_000 + line.replace("0}", "0.7}"))
    (tmp_path / "empty.csv").write_text("y,tree\n")
    for error, message, path in BAD.values():
        with pytest.raises(error, match=message):
            br.scan(path)
    for name, (error, message) in BAD_LABELS.items():
        with pytest.raises(error, match=message):
            br.ConfusionMatrix.from_frame(
                br.scan(name), "y", "tre" if name == "p.parquet" else "tree"
            )


def test_missing_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pyarrow or DuckDB, an error says what to install."""
    FRAME.write_ipc(tmp_path / "p.arrow")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependencyError, match="pip install pyarrow"):
        br.scan(tmp_path / "p.arrow")
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(MissingDependencyError, match=r"scan needs duckdb, .* pip install duckdb"):
        br.scan(tmp_path / "p.arrow")
