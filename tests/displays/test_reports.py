"""Displays of a report, which are those of its predictions."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import baserate as br
from baserate.exceptions import InvalidPredictionsError, InvalidReportError, NotInReportError

TABLES = {"tree": br.Confusion(tp=9, fp=4, fn=7, tn=11), "knn": br.Confusion(tp=2, fn=14, tn=15)}
REPORT = br.evaluate(None, TABLES, ["F1", "ACC", "MCC"])
GROUPED = br.evaluate([0, 1, 1, 0, 1, 0], [0, 1, 1, 0, 0, 0], ["F1", "ACC"], by=[1, 1, 1, 2, 2, 2])
COST = br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")


def _drawn(display: Any) -> Any:
    """Return the numbers and texts of a display."""
    ax = display.ax_
    lines = [line.get_xydata() for line in ax.lines]
    bars = [(bar.get_x(), bar.get_height()) for bar in ax.patches]
    return pickle.dumps((lines, bars, [text.get_text() for text in ax.texts], ax.get_ylabel()))


def test_a_report_is_drawn_like_its_predictions() -> None:
    """All three ways to the comparison draw the same, and a part of a report is a report."""
    made = br.ComparisonDisplay.from_predictions(None, TABLES, ["F1", "ACC", "MCC"])
    given = Figure().subplots()
    short = REPORT.plot(ax=given)
    assert _drawn(made) == _drawn(br.ComparisonDisplay.from_report(REPORT)) == _drawn(short)
    assert short.ax_ is given
    assert len(REPORT["tree"].measure("F1").plot().texts_) == 3
    assert len(GROUPED.plot().texts_) == 6
    assert len(GROUPED.group(2).plot().texts_) == 6


def test_one_measure_of_a_report() -> None:
    """The baseline and the distribution of a score come from a report that has the measure."""
    made = br.BaselineDisplay.from_predictions(None, TABLES, "F1")
    assert _drawn(made) == _drawn(br.BaselineDisplay.from_report(REPORT, "f1"))
    assert _drawn(made) == _drawn(br.BaselineDisplay.from_report(REPORT.measure("F1")))
    law = br.ScoreDistributionDisplay.from_predictions(None, TABLES["knn"], "MCC", name="knn")
    assert _drawn(law) == _drawn(br.ScoreDistributionDisplay.from_report(REPORT["knn"], "MCC"))
    whole = br.BaselineDisplay.from_report(GROUPED, "F1", xscale="log")
    assert whole.baseline.base_rate.total == 6
    assert whole.ax_.get_xscale() == "symlog"
    group = br.ScoreDistributionDisplay.from_report(GROUPED.group(2), "ACC")
    assert group.null.true_positives.total == 3


def test_a_custom_measure_of_a_report() -> None:
    """The report has only its name, so the measure itself is given."""
    report = br.evaluate(None, TABLES, [COST, "F1"])
    assert br.BaselineDisplay.from_report(report, COST).verdicts == report.measure("cost").verdicts
    with pytest.raises(br.exceptions.UnknownMeasureError, match="cost"):
        br.BaselineDisplay.from_report(report, "cost")
    made = br.ScoreDistributionDisplay.from_predictions(None, TABLES["tree"], COST, name="tree")
    assert _drawn(br.ScoreDistributionDisplay.from_report(report["tree"], COST)) == _drawn(made)
    assert made.score == 4 + 5 * 7
    with pytest.raises(br.exceptions.UnknownMeasureError, match="cost"):
        br.ScoreDistributionDisplay.from_report(report["tree"], "cost")


@pytest.mark.parametrize("display", [br.BaselineDisplay, br.ScoreDistributionDisplay])
def test_a_display_of_one_measure_asks_which(display: Any) -> None:
    """A report with several measures needs one to be named, and it must be in the report."""
    with pytest.raises(InvalidReportError, match=r"measure must be one .*'F1', 'ACC', 'MCC'"):
        display.from_report(REPORT)
    with pytest.raises(NotInReportError, match="no measure 'FDR'"):
        display.from_report(REPORT, "FDR")


def test_a_distribution_is_of_one_model() -> None:
    """The error says how to take one."""
    with pytest.raises(InvalidReportError, match=r"one model .*'tree', 'knn'.*report\['tree'\]"):
        br.ScoreDistributionDisplay.from_report(REPORT, "F1")


@pytest.mark.parametrize(
    "draw",
    [
        br.Report.plot,
        br.ComparisonDisplay.from_report,
        br.BaselineDisplay.from_report,
        br.ScoreDistributionDisplay.from_report,
    ],
)
def test_a_report_without_verdicts_is_not_drawn(draw: Any) -> None:
    """A report without failures has nothing to draw."""
    failures = br.evaluate(*np.tile([0, 1] * 50, (2, 1)), "F1").failures
    with pytest.raises(InvalidReportError, match="a verdict to draw"):
        draw(failures)


def test_groups_alone_are_several_test_sets() -> None:
    """Two groups do not share a baseline."""
    groups = br.Report(tuple(verdict for verdict in GROUPED if verdict.group is not None))
    for draw in (br.Report.plot, br.ComparisonDisplay.from_report):
        with pytest.raises(InvalidPredictionsError, match="one test set"):
            draw(groups)
    with pytest.raises(InvalidPredictionsError, match="one test set"):
        br.BaselineDisplay.from_report(groups, "F1")


def test_a_report_of_another_process_is_drawn() -> None:
    """A pickled report plots where nothing else of the library has been loaded."""
    code = (
        "import pickle, sys; import matplotlib; matplotlib.use('agg');"
        "print(len(pickle.load(sys.stdin.buffer).plot().texts_))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(REPORT), capture_output=True, check=True
    )
    assert run.stdout.split() == [b"12"]


@pytest.mark.parametrize("measures", [[COST], ["TPR"], ["PT"], [COST, "F1"]])
def test_cells_without_an_interval(measures: Any) -> None:
    """Measures that show nothing have no bar, and their numbers are drawn all the same."""
    report = br.evaluate(None, TABLES, measures)
    display = report.plot()
    assert len(display.texts_) == 4 * len(measures)
    known = [verdict for verdict in report if verdict.informative]
    assert len(display.marks_.get_xdata()) == len(known)


def test_intervals_are_drawn_around_the_baseline() -> None:
    """A bar crosses the middle of its cell exactly where a better score is not sure."""
    tables = {
        "sure": br.Confusion(tp=90, fp=10, fn=10, tn=190),
        "not sure": br.Confusion(tp=9, fp=4, fn=91, tn=196),
        "worse": br.Confusion(tp=10, fp=90, fn=90, tn=110),
    }
    report = br.evaluate(None, tables, ["ACC", "FDR", "MCC", "TPR"])
    display = report.plot()
    judged = [report[model, key] for key in ("ACC", "FDR", "MCC") for model in tables]
    bars = display.intervals_.get_segments()
    assert len(bars) == len(judged)
    for verdict, bar, mark in zip(judged, bars, display.marks_.get_xydata(), strict=True):
        (low, row), (high, _) = bar
        middle = 2.5 + list(tables).index(verdict.model)
        assert low <= mark[0] <= high
        assert mark[1] == row
        assert mark[0] - middle == pytest.approx(0.42 * verdict.rescaled)
        assert (low > middle) == (verdict.margin_low > 0)
        assert (high < middle) == (verdict.margin_high < 0)
    unsure = [verdict for verdict in report if verdict.outcome is br.Outcome.UNSURE]
    assert len(display.unsure_) == len(unsure) > 0
    assert len(display.boxes_) == len(report.failures) > 0
