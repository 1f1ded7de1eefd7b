"""Files with known rows: the counts must equal what was written."""

from __future__ import annotations

import csv
import io
import json
from random import Random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import feather, parquet

import baserate as br
from baserate.exceptions import BaserateError
from fuzz.law import Breach, TooSlowError, watched

if TYPE_CHECKING:
    from pathlib import Path

Rows = list[dict[str, Any]]

# The content of a column that no query uses.
REMARKS = [
    "fine", "'Tis fine", "the boys'", "#3", "# no comment", "", " ", '"', '""', 'say "hi"', "a,b",
    "a;b", "a\tb", "a|b", "two\nlines", "two\r\nlines", "\\", "\\n", "NULL", "nan", "NA", "-", "1",
    "0.7", "1e5", "2026-01-01", "true", "naïve θ 漢字 🎲", "--", "//", "/* */", "%", "=1+1", "''",
]  # fmt: skip
PAIRS = [("1", "0"), ("1", "0"), ("1", "-1"), ("ill", "well"), ("true", "false"), ("2", "1")]


def tried_file(seed: int, folder: Path) -> Breach | None:
    """Write a file, count it, and return how the count differs from the rows, if it does."""
    random = Random(f"file {seed}")
    pair, rows = _drawn(random)
    write = random.choice([_csv, _csv, _csv, _tsv, _json, _parquet, _arrow])
    path = write(folder / f"rows-{seed}", rows, random)
    try:
        with watched():
            expected = _expected(rows, pair)
            found = _counted(path, pair)
    except (Exception, TooSlowError) as error:
        return Breach(f"file:{seed}", [path.name, pair, rows], error)
    finally:
        path.unlink(missing_ok=True)
    if found == expected:
        return None
    why = AssertionError(f"{found} of a file of {expected}")
    return Breach(f"file:{seed}", [path.name, pair, rows], why)


def _drawn(random: Random) -> tuple[tuple[str, str], Rows]:
    pair = random.choice(PAIRS)
    size = random.choice([1, 2, 4, 30, 30, 1000])
    remarks = random.sample(REMARKS, random.randint(1, 6))
    rows: Rows = [
        {
            "remark": random.choice(remarks),
            "y": random.choice(pair),
            "tree": random.choice(pair),
            "note": random.choice(remarks),
        }
        for _ in range(size)
    ]
    return pair, [dict(random.sample(list(row.items()), 4)) for row in rows[:1]] + rows[1:]


def _expected(rows: Rows, pair: tuple[str, str]) -> br.Confusion:
    """Count the rows in Python, one by one."""
    cells = dict.fromkeys(("tp", "fp", "fn", "tn"), 0)
    for row in rows:
        name = ("t" if row["y"] == row["tree"] else "f") + ("p" if row["tree"] == pair[0] else "n")
        cells[name] += 1
    return br.Confusion(**cells)


def _counted(path: Path, pair: tuple[str, str]) -> br.Confusion | str:
    """Count a file by its labels, with the positive class in the type they are read as."""
    labels: list[Any] = [pair[0], None if pair[0] in ("1", "true") else pair[0]]
    labels = [2, "2"] if pair[0] == "2" else labels[::-1]
    error: BaserateError | None = None
    for pos_label in labels:
        try:
            return br.Confusion.from_frame(br.scan(path), "y", "tree", pos_label=pos_label)
        except BaserateError as refused:
            error = error or refused
    return f"refused: {error}"


def _csv(stem: Path, rows: Rows, random: Random, delimiter: str = ",", kind: str = ".csv") -> Path:
    text = io.StringIO()
    ending, quoting = (
        random.choice(["\n", "\r\n"]),
        random.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    )
    writer = csv.DictWriter(
        text, list(rows[0]), delimiter=delimiter, lineterminator=ending, quoting=quoting
    )
    writer.writeheader()
    writer.writerows(rows)
    path = stem.with_suffix(kind)
    path.write_bytes(random.choice([b"", b"", b"\xef\xbb\xbf"]) + text.getvalue().encode())
    return path


def _tsv(stem: Path, rows: Rows, random: Random) -> Path:
    return _csv(stem, rows, random, "\t", ".tsv")


def _json(stem: Path, rows: Rows, random: Random) -> Path:
    path = stem.with_suffix(".jsonl")
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _parquet(stem: Path, rows: Rows, random: Random) -> Path:
    path = stem.with_suffix(".parquet")
    parquet.write_table(
        pa.Table.from_pylist(rows), path, row_group_size=random.choice([1, 7, 1000])
    )
    return path


def _arrow(stem: Path, rows: Rows, random: Random) -> Path:
    path = stem.with_suffix(".arrow")
    feather.write_feather(pa.Table.from_pylist(rows), str(path), compression="uncompressed")
    return path
