"""Columns of text in a terminal."""

from __future__ import annotations

from itertools import starmap

from hypothesis import given
from hypothesis import strategies as st

from baserate.report.text import KEPT, WIDTH, aligned, display_width, folded

WORDS = st.text("ab 模é-", max_size=12)


def test_columns_are_aligned() -> None:
    """The first to the left, the others to the right; a header may take several lines."""
    fixed = [["measure", "F1", "MCC"]]
    others = [["a long name", "✗ 0.5", "-0.125"], [f"95%{KEPT}interval", "0.1–0.2", "0–1"]]
    assert list(aligned(fixed, others)) == [
        "         a long",
        "measure    name  95% interval",
        "F1        ✗ 0.5       0.1–0.2",
        "MCC      -0.125           0–1",
    ]


@given(st.integers(1, 5), st.lists(st.lists(WORDS, min_size=4, max_size=4), min_size=1))
def test_lines_are_never_too_long(fixed: int, columns: list[list[str]]) -> None:
    """Columns that do not fit continue below, with the fixed ones repeated; none is lost."""
    names = [[f"{place}:", "x", "y", "z"] for place in range(fixed)]
    lines = list(aligned(names, columns))
    assert max(map(display_width, lines)) <= WIDTH
    assert sum("0:" in line for line in lines) >= 1
    cells = " ".join(lines)
    for column in columns:
        assert all(word in cells for cell in column[1:] for word in cell.split())


def test_a_kept_blank_breaks_no_line() -> None:
    """A p-value stays in one piece."""
    text = folded("x" * 73 + " (p = 0.001)", "  ")
    assert text == "x" * 73 + "\n  (p = 0.001)"


def test_wide_letters_take_two_cells() -> None:
    """And accents that combine take none."""
    assert list(starmap(display_width, [("ab",), ("模型",), ("e\u0301",)])) == [2, 4, 1]


def test_rows_that_are_empty_below_are_left_out() -> None:
    """Columns that continue below repeat only the names of rows that have something there."""
    columns = [["score", "0.5", "0.1"], ["x" * 70, "1", ""]]
    assert list(aligned([["measure", "F1", "p-value"]], columns))[4:] == [
        f"measure  {'x' * 70}",
        f"F1       {'1':>70}",
    ]
