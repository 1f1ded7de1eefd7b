"""What can go wrong with files: links, long lines, lost ends, names of folders and of columns."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import baserate as br

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FRAME = pl.DataFrame({"y": [1, 0, 1, 0, 1], "m": [1, 0, 0, 1, 1]})
WRITERS: dict[str, Callable[[pl.DataFrame, Any], object]] = {
    "csv": pl.DataFrame.write_csv,
    "parquet": pl.DataFrame.write_parquet,
    "jsonl": pl.DataFrame.write_ndjson,
    "arrow": pl.DataFrame.write_ipc,
}


def _rows(path: Any) -> int:
    return len(br.scan(path).fetchall())


# One file, one name.


def test_a_file_of_several_names_is_counted_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second spelling of a path, a link and a hard link add no rows."""
    monkeypatch.chdir(tmp_path)
    FRAME.write_csv("a.csv")
    (tmp_path / "b.csv").symlink_to("a.csv")
    (tmp_path / "c.csv").hardlink_to("a.csv")
    for path in (["a.csv", "./a.csv", tmp_path / "a.csv"], ["a.csv", "c.csv"], "?.csv", "."):
        assert _rows(path) == 5


@pytest.mark.parametrize("pattern", ["", "**", "**/*.csv", "*/a.csv", "*/*.csv", "**/**/a.csv"])
def test_links_to_folders_add_no_rows(tmp_path: Path, pattern: str) -> None:
    """A link to a sibling, and links to the folder itself, lead to no new files, and to an end."""
    (tmp_path / "one").mkdir()
    FRAME.write_csv(tmp_path / "one" / "a.csv")
    (tmp_path / "two").symlink_to("one")
    for name in ("self", "again"):
        (tmp_path / name).symlink_to(".")
        (tmp_path / "one" / name).symlink_to("..")
    assert _rows(tmp_path / pattern) == 5


def test_a_link_moves_no_rows_to_another_partition(tmp_path: Path) -> None:
    """Of two folders that are one, the real one says which group the rows are of."""
    (tmp_path / "g=2").mkdir()
    FRAME.write_csv(tmp_path / "g=2" / "a.csv")
    (tmp_path / "g=1").symlink_to("g=2")
    for path in (tmp_path, tmp_path / "*" / "a.csv"):
        assert set(br.scan(path).project("g").fetchall()) == {(2,)}


# Compressed files.


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_zstandard_file_without_its_end(tmp_path: Path, kind: str) -> None:
    """A file that was cut off is an error, wherever it was cut."""
    path, kinds = tmp_path / f"p.{kind}.zst", {"csv": "CSV", "jsonl": "JSON"}
    rows = "SELECT random() AS y, 1 AS m FROM range(5_000)"
    duckdb.connect().execute(f"COPY ({rows}) TO '{path}' (FORMAT {kinds[kind]}, COMPRESSION zstd)")
    content = path.read_bytes()
    assert _rows(path) == 5_000
    path.write_bytes(content + bytes.fromhex("502a4d18 03000000 616263") + content)
    assert _rows(path) > 5_000  # two frames, and one to skip between them
    for end in (3, 5, 100, len(content) // 2, len(content) - 100, len(content) - 1):
        path.write_bytes(content[:end])
        with pytest.raises(br.exceptions.InvalidFileError, match="Truncated"):
            br.scan(path)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "json"])
def test_a_wrong_checksum(tmp_path: Path, kind: str) -> None:
    """A .gz file whose checksum or length is wrong is an error."""
    WRITERS["csv" if kind == "csv" else "jsonl"](FRAME, tmp_path / "plain")
    packed = gzip.compress((tmp_path / "plain").read_bytes())
    path = tmp_path / f"p.{kind}.gz"
    path.write_bytes(packed)
    assert _rows(path) == 5
    for place in (-8, -1):
        broken = bytearray(packed)
        broken[place] ^= 1
        path.write_bytes(broken)
        with pytest.raises(br.exceptions.InvalidFileError, match="could not be read"):
            br.scan(path)


# Long lines and many columns.

LONG: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "a row": ("p.csv", lambda: b"y,m\n1,1\n1," + bytes(5_000_000), "line 3"),
    "a row after carriage returns": ("p.csv", lambda: b"y,m\r1,1\r" + bytes(9_000_000), "line 3"),
    "names": ("p.csv", lambda: b"y," + b"m" * 5_000_000, "line 1"),
    "NULs": ("p.csv", lambda: bytes(5_000_000), "line 1"),
    "a gzip bomb": ("p.csv.gz", lambda: gzip.compress(b"y,m\n" + bytes(5_000_000), 1), "line 2"),
    "JSON": ("p.jsonl", lambda: b'{"y": 1, "m": "' + b"1" * 9_000_000 + b'"}\n', "line 1"),
    "blank lines": ("p.csv", lambda: b"\n" * 5_000_000, "1,000 blank lines"),
}


@pytest.mark.parametrize("case", LONG)
def test_what_is_too_long_is_refused(tmp_path: Path, case: str) -> None:
    """A line over 2 MB is refused while it is read, however long it is."""
    name, content, message = LONG[case]
    (tmp_path / name).write_bytes(content())
    with pytest.raises(br.exceptions.InvalidFileError, match=message):
        br.scan(tmp_path / name)


# Folders that are groups.


FOLDERS = ["a=1e3/b=01/c=9/d=2024-01-01", "a=1000/b=1/c=10/d=2024-1-1", "a=1000.0/b=1/c=10/d="]
GROUPS: dict[str, tuple[object, ...]] = {
    "a": ("1000", "1000.0", "1e3"),
    "b": ("01", "1"),
    "c": (9, 10),
    "d": ("2024-01-01", "2024-1-1", "(missing)"),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_every_folder_is_a_group(tmp_path: Path, kind: str) -> None:
    """Folders are groups by their names, and numbers only if all are written alike."""
    for folder in FOLDERS:
        path = tmp_path / (folder + "__HIVE_DEFAULT_PARTITION__" * folder.endswith("="))
        path.mkdir(parents=True)
        scored = FRAME.with_columns(w=1, p=0.1 + 0.8 * pl.col("m"))
        WRITERS[kind](scored, path / f"p.{kind}")
    frame: Any = br.scan(tmp_path)
    for key, groups in GROUPS.items():
        assert br.evaluate(frame, "m", "ACC", truth="y", by=key).groups == groups
    weights: Any = {"sample_weight": "w", "weights": "importance"}
    assert br.evaluate(frame, "m", "ACC", truth="y", by="a", **weights).groups == GROUPS["a"]
    for measure, column in (("RMSE", "m"), ("macro F1", "m"), ("Brier", "p")):
        assert br.evaluate(frame, column, measure, truth="y", by="a").groups == GROUPS["a"]


# Columns of one name.

NAMES = ["y", "x", "m", "m"]
TABLE = pa.table([[1, 0, 1], [1, 0, 1], [1, 0, 0], [0, 1, 1]], names=NAMES)
FRAMES: dict[str, Callable[[Path], Any]] = {
    "CSV": lambda folder: _written(folder / "p.csv", "y,x,m,m\n1,1,1,0\n0,0,0,1\n1,1,0,1\n"),
    "Parquet": lambda folder: _parquet(folder / "p.parquet", TABLE),
    "DuckDB": lambda _: duckdb.sql("SELECT 1 AS y, 1 AS x, 1 AS m, 0 AS m UNION SELECT 0, 0, 0, 1"),
    "pandas": lambda _: pd.DataFrame(zip(*TABLE.columns, strict=True), columns=NAMES),
    "pyarrow": lambda _: TABLE,
}


def _written(path: Path, text: str) -> Any:
    path.write_text(text)
    return br.scan(path)


def _parquet(path: Path, table: pa.Table) -> Any:
    pq.write_table(table, path)
    return br.scan(path)


@pytest.mark.parametrize("kind", FRAMES)
def test_a_name_of_two_columns_is_an_error(tmp_path: Path, kind: str) -> None:
    """A name that two columns have means neither, for labels, numbers and groups."""
    frame = FRAMES[kind](tmp_path)
    for model, measure, by in (("m", "ACC", None), ("m", "RMSE", None), ("x", "ACC", "m")):
        with pytest.raises(br.exceptions.InvalidFrameError, match=r"several named 'm'|'m' 2 times"):
            br.evaluate(frame, model, measure, truth="y", by=by)


def test_a_name_that_was_taken(tmp_path: Path) -> None:
    """DuckDB would call the second m m_1: that name means neither of two columns, too."""
    relation = _written(tmp_path / "p.csv", "y,m,m,m_1,Tree,tree\n1,1,0,0,1,0\n0,0,1,1,0,1\n")
    for name in ("m", "m_1", "tree"):
        with pytest.raises(br.exceptions.InvalidFrameError, match=f"several named '{name}'"):
            br.ConfusionMatrix.from_frame(relation, "y", name)
    assert br.ConfusionMatrix.from_frame(relation, "y", "Tree") == br.ConfusionMatrix(tp=1, tn=1)
