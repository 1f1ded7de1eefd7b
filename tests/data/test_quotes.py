"""Quotes that are still open at the end of a CSV file."""

from __future__ import annotations

import csv
import io
import random

import pytest

from baserate.data.csv_files import line_of_open_quote, quotes_of

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
    for seed in range(1500):
        rng = random.Random(seed)
        rows = [rng.choices(WORDS, k=2) for _ in range(rng.randrange(1, 6))]
        written = io.StringIO()
        csv.writer(written, lineterminator=rng.choice(["\n", "\r\n"])).writerows(rows)
        # A quote in the middle of a text may stay unquoted.
        text = written.getvalue().replace('"5"" pipe"', '5" pipe').replace('"q""""q"', 'q""q')
        text = text[: rng.randrange(len(text) + 1)]
        mark = rng.choice([b"", b"\xef\xbb\xbf"])
        found = quotes_of(_pieces(mark + text.encode(), rng.choice([3, 20, 999])), ",")
        assert found == ('"' in text, _ends_open(text)), text
        seen.add(found)
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
    assert line_of_open_quote(_pieces(content.encode(), size), delimiter) == line
