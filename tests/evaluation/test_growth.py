"""How work grows with the number of groups, in Python instructions instead of seconds."""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING

import pytest

import baserate as br

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType

    from _typeshed import TraceFunction

# Equally spaced. HTML leaves out more tables than these, and text far more.
SIZES = (8, 16, 24)
MODELS = ("tree", "knn")

METHODS: dict[str, Callable[[br.Report], object]] = {
    "str": str,
    "to_html": lambda report: report.to_html(),
    "to_markdown": lambda report: report.to_markdown(),
    "to_json": lambda report: report.to_json(),
    "to_frame": lambda report: report.to_frame("polars"),
    "from_json": lambda report: br.Report.from_json(report.to_json()),
    "==": lambda report: report == br.Report(tuple(report), report.by, report.dropped),
    "performances": lambda report: report.performances,
    "every group": lambda report: [report.group(group) for group in report.groups],
    "every verdict": lambda report: [report[v.model, v.measure, v.group] for v in report],
}


def _labels(groups: int) -> tuple[list[int], dict[str, list[int]], list[int]]:
    """Twenty observations per group, with different classes and predictions."""
    rows = [(group, row) for group in range(groups) for row in range(20)]
    truth = [int(row * 7 % 20 < 4 + group % 8) for group, row in rows]
    tree = [int(row * 7 % 20 < 6 + group % 4) for group, row in rows]
    knn = [int(row * 3 % 20 < 2 + 2 * (group % 8)) for group, row in rows]
    return truth, dict(zip(MODELS, (tree, knn), strict=True)), [group for group, _ in rows]


@cache
def _verdicts(groups: int) -> tuple[br.Verdict, ...]:
    truth, models, by = _labels(groups)
    return br.evaluate(truth, models, ["F1", "MCC"], by=by).verdicts


def _report(groups: int) -> br.Report:
    """A report with empty indexes."""
    return br.Report(_verdicts(groups))


@pytest.fixture(scope="module", autouse=True)
def _is_warm() -> None:
    """Load and compile everything first: that is not part of the growth."""
    for method in METHODS.values():
        method(_report(2))


def _steps(work: Callable[[], object]) -> int:
    """Count the instructions that Python executes: unlike time, the same in every run."""
    count = 0

    def seen(frame: FrameType, event: str, _: object) -> TraceFunction:
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return seen

    before = sys.gettrace()
    sys.settrace(seen)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def _grows_linearly(steps: Iterable[int]) -> bool:
    """Return whether the last groups take as much work as the same number before them."""
    few, some, many = steps
    return many - some <= 1.02 * (some - few) + 200


@pytest.mark.parametrize("name", METHODS)
def test_a_report_is_written_and_searched_in_linear_time(name: str) -> None:
    """A group costs the same, however many there are."""
    reports = map(_report, SIZES)
    assert _grows_linearly(
        _steps(lambda report=report: METHODS[name](report)) for report in reports
    )
