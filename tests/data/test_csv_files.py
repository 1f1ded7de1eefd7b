"""CSV files: no row is lost, whatever they contain."""

from __future__ import annotations

import csv
import gzip
import io
import random
import re
import signal
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

import baserate as br
from baserate.data.csv_files import open_quote
from baserate.data.readers import read_csv
from baserate.exceptions import BaserateError, InvalidFileError, InvalidLabelsError

if TYPE_CHECKING:
    from pathlib import Path

Rows = list[list[str]]


def _table(path: Path, **options: Any) -> br.ConfusionMatrix:
    return br.ConfusionMatrix.from_frame(br.scan(path), "y", "tree", **options)


def _counted(rows: Rows) -> br.ConfusionMatrix:
    """Count by hand: the last two columns are the truth and the prediction."""
    cells = Counter((row[-2], row[-1]) for row in rows)
    return br.ConfusionMatrix(
        tp=cells["1", "1"], fp=cells["0", "1"], fn=cells["1", "0"], tn=cells["0", "0"]
    )


APOSTROPHES = [
    ["'Tis fine", "1", "1"],
    ["rain all day", "0", "0"],
    ["saw the boys'", "0", "1"],
    ["ok", "1", "0"],
]


def test_an_apostrophe_is_no_quote(tmp_path: Path) -> None:
    """Apostrophes swallow no rows: neither of four rows nor of 2,000."""
    ordinary = [[f"row {n}", str(n % 2), str(n % 3 % 2)] for n in range(1998)]
    longer = [["'Tis", "1", "1"], *ordinary, ["the boys'", "0", "1"]]
    for rows in (APOSTROPHES, longer):
        lines = [",".join(row) for row in [["text", "y", "tree"], *rows]]
        (tmp_path / "p.csv").write_text("\n".join(lines))
        assert _table(tmp_path / "p.csv") == _counted(rows)


# Hundreds of files with known content.

LETTERS = [*"ab'#\";\t|,\\/% ~-01é日", "\n", "\r\n", "\r", "NULL", "nan"]
DELIMITERS = {"csv": ",;\t|", "tsv": "\t", "txt": ",;\t|"}


def _quoted(rng: random.Random, text: str, delimiter: str) -> str:
    needs = text != text.strip() or any(letter in text for letter in f'"\r\n{delimiter}')
    return '"' + text.replace('"', '""') + '"' if needs or rng.random() < 0.1 else text


def _written(rng: random.Random, rows: Rows, delimiter: str) -> bytes:
    end = rng.choice(["\n", "\r\n", "\r"])
    lines = [delimiter.join(_quoted(rng, text, delimiter) for text in row) for row in rows]
    blank = end * rng.choice([0, 0, 0, 2])
    text = blank + "".join(line + end * rng.choice([1, 1, 1, 2]) for line in lines)
    packed = text if rng.random() < 0.7 else text.rstrip(end)
    return rng.choice([b"", b"\xef\xbb\xbf"]) + packed.encode()


def test_every_row_of_generated_files_is_counted(tmp_path: Path) -> None:
    """Quotes, comments, blank lines, line ends, breaks in a text, a BOM: no row changes."""
    connection = duckdb.connect()
    for seed in range(150):
        rng = random.Random(seed)
        kind = rng.choice(["csv", "tsv", "txt", "csv.gz"])
        delimiter = rng.choice(DELIMITERS[kind[:3]])
        texts = [
            "".join(rng.choices(LETTERS, k=rng.randrange(7))) for _ in range(rng.randrange(25))
        ]
        rows = [[text, *rng.choices("01", k=2)] for text in texts]
        content = _written(rng, [["text", "y", "tree"], *rows], delimiter)
        path = tmp_path / f"{seed}.{kind}"
        path.write_bytes(gzip.compress(content) if kind.endswith("gz") else content)
        found = read_csv(connection, [str(path)]).relation.fetchall()
        assert found == [(text or None, *labels) for text, *labels in rows], seed
        if rows and seed % 20 == 0:
            assert _table(path, pos_label=1) == _counted(rows), seed


PIECES = ["a", "1", "0", '"', 'a"b', '"a"', '"a', 'a"', "#", "", "'a", "\\", '"a""b"', '"a"b', " "]


def test_broken_files_lose_nothing(tmp_path: Path) -> None:
    """A broken file gives as many rows as Python's own reader finds, or an error; never fewer."""
    connection, readable = duckdb.connect(), 0
    for seed in range(250):
        rng = random.Random(seed)
        end = rng.choice(["\n", "\r\n"])
        lines = [",".join(rng.choices(PIECES, k=rng.choice([2, 2, 2, 2, 3]))) for _ in range(3)]
        text = end.join(["y,tree", *lines]) + rng.choice(["", end])
        (tmp_path / f"{seed}.csv").write_bytes(text.encode())
        try:
            found = read_csv(connection, [str(tmp_path / f"{seed}.csv")]).relation.fetchall()
        except (BaserateError, duckdb.Error):
            continue
        rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row][1:]
        assert len(found) == len(rows), text
        readable += 1
    assert readable > 20  # otherwise nothing was tested


def test_rows_of_many_pieces(tmp_path: Path) -> None:
    """Threads that start in the middle of a file find the same rows, with and without quotes."""
    rng = random.Random(1)
    words = ["the", "rain", "in", '"Spain"', "stays, mainly", "on", "the\nplain", ""]
    for kind in (words, [word for word in words if word.isalpha()]):
        rows = [[" ".join(rng.choices(kind, k=9)), *rng.choices("01", k=2)] for _ in range(20_000)]
        block = io.StringIO()
        csv.writer(block, lineterminator="\n").writerows(rows)
        copies = 12_000_000 // len(block.getvalue())
        (tmp_path / "p.csv").write_text("text,y,tree\n" + block.getvalue() * copies)
        once, found = _counted(rows), _table(tmp_path / "p.csv")
        for cell in ("tp", "fp", "fn", "tn"):
            assert getattr(found, cell) == copies * getattr(once, cell)


# Unreadable files.

UNREADABLE: dict[str, tuple[bytes, str]] = {
    "a row too short": (b"a,y,tree\n1,1,1\n1,1\n", r"Line: 3 .* Columns: 3 Found: 2\)"),
    "a row too long": (b"y,tree\n1,1\n0,0\n1,1,5\n", r"Line: 4 .* Columns: 2 Found: 3\)"),
    "a line of blanks": (b"y,tree\n1,1\n   \n0,0\n", "Line: 3 .* Columns: 2 Found: 1"),
    "a quote that is not closed, far below": (
        b'text,y,tree\n"a\nb",1,1\n' * 9 + b'5" pipe,0,0\n"",1,1\n , "c"",0\nd,1,1\n',
        r"on line 30 that is never",
    ),
    "a row too long, far below": (b"y,tree\n" + b"1,1\n" * 50_000 + b"1,1,5\n", "Line: 50002 "),
    "a quote that is not closed": (
        b'text,y,tree\n"a,1,1\nb,0,0\n', r"a \" on line 2 that is never",
    ),
    "a quote closed too early": (b'text,y,tree\n"a"b,1,1\n', "Line: 2 .*unterminated quote"),
    "Latin-1": (b"text,y,tree\n" + b"a,1,1\n" * 9999 + b"a,1,\xe9\n", "Line: 10001 .*not utf-8"),
    "Latin-1 above": ("é,y,tree\na,1,1\n".encode("latin-1"), "must be written in UTF-8"),
    "UTF-16": ("y,tree\n1,1\n".encode("utf-16"), "must be written in UTF-8"),
    "a quote in the header": (b'"y,tree\n1,1\n', "must have the names of its columns on line 1"),
    "several line ends": (b"y,tree\n1,1\r\n0,0\n", "could not be read"),
    "several line ends above": (b"\r\ny,tree\n1,1\n0,0\n", "must all end alike"),
    "a name with another line end": (b'"a\nb",y,tree\r\n1,1,1\r\n', "must all end alike"),
    "a line of 3 MB": (b"y,tree\n1," + b"1" * 3_000_000 + b"\n", r"2 MB \(got more in line 2\)"),
    "only blank lines": (b"\n\n", "must have rows"),
}  # fmt: skip


@pytest.mark.parametrize("case", UNREADABLE)
def test_what_cannot_be_read_is_an_error(tmp_path: Path, case: str) -> None:
    """The error has the line number, and no advice that would lose rows."""
    content, message = UNREADABLE[case]
    (tmp_path / "p.csv").write_bytes(content)
    with pytest.raises(InvalidFileError, match=message) as raised:
        _table(tmp_path / "p.csv")
    assert "ignore_errors" not in str(raised.value)
    assert "p.csv" in str(raised.value)


NAMES = {
    "y,tree\n": ["y", "tree"],
    "y, tree\n": ["y", "tree"],
    "y;tree,a;b\n": ["y", "tree,a", "b"],
    "y,tree,tree,Tree,\n": ["y", "tree", "tree_1", "Tree_2", "column4"],
    '"a ""b""","c\nd","x,y"\n': ['a "b"', "c\nd", "x,y"],
    "y": ["y"],
    "\n\n\ny|tree\n": ["y", "tree"],
    'size 5",y\n': ['size 5"', "y"],
}


@pytest.mark.parametrize("header", NAMES)
def test_names_of_columns(tmp_path: Path, header: str) -> None:
    """Column names come from the first non-blank line, with the delimiter that gives the most."""
    (tmp_path / "p.csv").write_text(header)
    assert br.scan(tmp_path / "p.csv").columns == NAMES[header]


def test_a_packed_file(tmp_path: Path) -> None:
    """DuckDB decompresses what Python cannot; a broken file is an error."""
    content = "SELECT 'a;b' AS text, 1 AS y, 0 AS tree UNION ALL SELECT 'c', 1, 1"
    duckdb.connect().execute(f"COPY ({content}) TO '{tmp_path}/p.csv.zst' (COMPRESSION zstd)")
    assert _table(tmp_path / "p.csv.zst") == br.ConfusionMatrix(tp=1, fn=1)
    packed = gzip.compress(b"y,tree\n1,1\n" * 1000)
    for broken in (packed[:20], packed[:-4], b"no gzip"):
        (tmp_path / "p.csv.gz").write_bytes(broken)
        with pytest.raises(InvalidFileError, match="could not be read"):
            _table(tmp_path / "p.csv.gz")


def test_files_that_are_written_differently_are_one_test_set(tmp_path: Path) -> None:
    """Files may differ in column order, delimiter and extra columns, and one may be empty."""
    (tmp_path / "1.csv").write_text("y,tree\n1,1\n0,1\n")
    (tmp_path / "2.csv").write_text("tree;y\n1;0\n0;1\n")
    (tmp_path / "3.csv").write_text('"extra",y,tree\n"a\nb",0,0\n')
    (tmp_path / "4.csv").write_text("")
    assert _table(tmp_path) == br.ConfusionMatrix(tp=1, fp=2, fn=1, tn=1)
    (tmp_path / "5.csv").write_text("y\n1\n")
    with pytest.raises(InvalidLabelsError, match=r"missing \(got 1 in 'tree'\)"):
        _table(tmp_path)


def test_a_file_that_is_written_anew_is_read_anew(tmp_path: Path) -> None:
    """A rewritten file is read again."""
    (tmp_path / "p.csv").write_text("y,tree\n1,1\n0,0\n")
    relation = br.scan(tmp_path / "p.csv")
    for copies in (1, 2, 3):
        (tmp_path / "p.csv").write_text("y,tree\n" + "1,1\n0,0\n" * copies)
        found = br.ConfusionMatrix.from_frame(relation, "y", "tree")
        assert found == br.ConfusionMatrix(tp=copies, tn=copies)


# A shell starts background processes with the signal ignored.
INTERRUPTED = """
import signal, sys, baserate as br
signal.signal(signal.SIGINT, signal.default_int_handler)
print("ready", flush=True)
for _ in range(1000):
    br.ConfusionMatrix.from_frame(br.scan(sys.argv[1]), "y", "tree")
"""


@pytest.mark.parametrize("name", ["p.csv", "p.jsonl"])
def test_ctrl_c_ends_the_reading_at_once(tmp_path: Path, name: str) -> None:
    """Ctrl-C ends the reading at once, whatever DuckDB is doing."""
    line = "1,0\n0,1\n" if name == "p.csv" else '{"y": 1, "tree": 0}\n'
    (tmp_path / name).write_text(("y,tree\n" if name == "p.csv" else "") + line * 1_000_000)
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(tmp_path / name)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert re.search(r"^KeyboardInterrupt$", errors, re.MULTILINE)
    assert process.returncode in (-signal.SIGINT, 130)


# Quotes that are still open at the end.

WORDS = ["a", "1", '5" pipe', 'q""q', "x,y", "b\nc", 'd"e', "", '"', "\r\n", "é", "'", "f\rg"]


def _pieces(content: bytes, size: int) -> list[bytes]:
    return [content[start : start + size] for start in range(0, len(content), size)]


def _ends_open(text: str) -> bool:
    """Ask Python's own reader."""
    try:
        list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        return "unexpected end" in str(error)
    return False


def test_files_cut_anywhere() -> None:
    """The end is inside quotes if Python's reader says so, for any pieces."""
    seen = set()
    for seed in range(600):
        rng = random.Random(seed)
        rows = [rng.choices(WORDS, k=2) for _ in range(rng.randrange(1, 6))]
        written = io.StringIO()
        csv.writer(written, lineterminator=rng.choice(["\n", "\r\n"])).writerows(rows)
        # A quote in the middle of a text may stay unquoted.
        text = written.getvalue().replace('"5"" pipe"', '5" pipe').replace('"q""""q"', 'q""q')
        text = text[: rng.randrange(len(text) + 1)]
        mark = rng.choice([b"", b"\xef\xbb\xbf"])
        pieces = _pieces(mark + text.encode(), rng.choice([3, 20, 999]))
        has_quotes, line = open_quote(pieces, ",")
        assert (has_quotes, line > 0) == ('"' in text, _ends_open(text)), text
        seen.add((has_quotes, line > 0))
    assert seen == {(False, False), (True, False), (True, True)}


@pytest.mark.parametrize("size", [1, 5, 1000])
@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('"a', 1),
        ('a\n"b\nc\n', 2),
        ('"a\nb",1\n5" pipe,0\n"c""\nd\n', 4),
        ('a\r\r "b\r', 3),
        ('a\r\n;  "b""""\r\n', 2),
    ],
)
def test_the_line_of_an_open_quote(content: str, line: int, size: int) -> None:
    """The line is the one where the quote opens."""
    delimiter = ";" if ";" in content else ","
    assert open_quote(_pieces(content.encode(), size), delimiter) == (True, line)
