"""Numbers as people read them: counts have no decimals."""

from __future__ import annotations

import re

import matplotlib as mpl
import pytest

import baserate as br
from baserate.cli.measures import Row
from baserate.kinds.two_classes.task import BINARY
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from baserate.tasks import TASKS, is_count

COUNTS = ("TP", "TN", "FN", "FP")
# A count that is written as if it were measured.
_DECIMALS = re.compile(r"\b\d+\.000\b")


def test_what_counts() -> None:
    """The four cells of the table, and nothing else."""
    assert {each.key for task in TASKS.values() for each in task.chosen("all") if each.counts} == {
        *COUNTS
    }
    assert [key for key in (*TWO_CLASS_MEASURES, "cost", "RMSE", "hits") if is_count(key)] == [
        *COUNTS
    ]


def test_what_is_read_again_counts() -> None:
    """JSON does not say it, and a report or a comparison that was read looks the same."""
    truth, models = [1, 1, 0, 0, 1], {"a": [1, 0, 0, 0, 1], "b": [1, 1, 1, 1, 1]}
    report = br.evaluate(truth, models, ["TP", "ACC"])
    assert [verdict.counts for verdict in report] == [True, False] * 2
    assert str(br.Report.from_json(report.to_json())) == str(report)
    comparison = br.compare(truth, models, "TP")
    assert [str(each) for each in br.Comparison.from_json(comparison.to_json())] == [
        str(each) for each in comparison
    ]


@pytest.mark.parametrize("table", [(1, 0, 0, 9), (12, 3, 2, 13), (0, 1, 1, 0)])
def test_no_report_gives_a_count_decimals(table: tuple[int, int, int, int]) -> None:
    """Sentences, tables and tooltips write 12, and not 12.000."""
    tp, fp, fn, tn = table
    report = br.evaluate(None, br.Confusion(tp=tp, fp=fp, fn=fn, tn=tn), COUNTS)
    for verdict in report:
        said = str(verdict).partition("p = ")[0]
        assert not _DECIMALS.search(said)
        assert not _DECIMALS.search(
            str(br.confidence_interval(None, report.performances[0].table, verdict.measure))
        )
    rows = [line for line in str(report).splitlines() if any(key in line for key in COUNTS)]
    assert rows
    assert not any(map(_DECIMALS.search, rows))
    assert not any(map(_DECIMALS.search, report.to_markdown().split("p-value")[0].splitlines()))


def test_no_baseline_gives_a_count_decimals() -> None:
    """Nor does the program or a picture."""
    for key in COUNTS:
        for rate in (br.BaseRate(positives=1, total=2), br.BaseRate(positives=1, total=10)):
            row = Row.of(BINARY, rate, br.get_measure(key))
            assert not any(map(_DECIMALS.search, row.cells))
            assert not _DECIMALS.search(str(br.baseline(rate, key)))
    with mpl.rc_context({"backend": "Agg"}):
        display = br.baseline(br.BaseRate(positives=1, total=10), "TP").plot()
    assert display.baseline_.get_label() == "best guess 1"


def test_a_threshold_curve_of_a_count() -> None:
    """Its advice too."""
    assert "0.000" not in str(br.threshold_curve([0, 0, 1, 0, 0], [0.1, 0.2, 0.3, 0.3, 0.9], "TP"))
