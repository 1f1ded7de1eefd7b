"""Columns of text in a terminal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from baserate.report.text import KEPT, WIDTH, aligned, display_width

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
