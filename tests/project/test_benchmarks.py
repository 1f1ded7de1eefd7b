"""The published benchmarks: the page has what was measured, and nothing else."""

from __future__ import annotations

import json

from bench.page import shown_ratio, shown_time, written
from tools import ROOT

PAGE = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
RESULTS = json.loads((ROOT / "bench" / "results.json").read_text(encoding="utf-8"))


def test_the_page_has_what_was_measured() -> None:
    """Its tables are written from the results, so writing them again changes nothing."""
    assert written(PAGE, RESULTS) == PAGE
    faster = [row | {"ratio": row["ratio"] / 2} for row in RESULTS["ratios"]]
    assert written(PAGE, RESULTS | {"ratios": faster}) != PAGE


def test_numbers_have_two_digits() -> None:
    """A small ratio is a fraction of one."""
    assert [shown_ratio(ratio) for ratio in (123.4, 1.26, 0.31, 0.0101)] == [
        *("120", "1.3", "0.31"),
        "1/99",
    ]
    assert [shown_time(each) for each in (61.2, 0.0123, 4.56e-5, 2e-8)] == [
        *("61 s", "12 ms", "46 µs"),
        "20 ns",
    ]
