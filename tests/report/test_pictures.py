"""Where a score stands between the worst draw, the baseline and perfection."""

from __future__ import annotations

import math

import pytest
from hypothesis import given

import baserate as br
from baserate.report.panels import panels
from baserate.report.pictures import EDGE, picture, pictures
from strategies import tables

GOOD = br.Confusion(tp=110, fp=20, fn=29, tn=144)
SWAPPED = br.Confusion(tp=29, fp=144, fn=110, tn=20)


@given(tables())
def test_the_dot_is_at_the_rescaled_score(table: br.Confusion) -> None:
    """The place of a score is its rescaled score, but scores worse than any draw stay apart."""
    for verdict in br.evaluate(None, table, ["ACC", "FDR", "MCC", "F1", "TPR"]):
        shown = picture(verdict)
        assert shown.is_drawn == (not math.isnan(verdict.score - verdict.baseline))
        if shown.track.has_worst and abs(shown.dot) <= 1 and verdict.informative:
            assert shown.dot == pytest.approx(verdict.rescaled, abs=1e-9)
        for ends in (shown.interval, shown.luck):
            assert ends is None or -EDGE <= ends[0] <= ends[1] <= EDGE
        if verdict.outcome is br.Outcome.CLEARS:
            assert shown.interval is not None
            assert shown.interval[0] > 0


def test_the_line_agrees_with_the_verdict() -> None:
    """An accuracy that is not surely better is not drawn as if it were, nor the other way round."""
    unsure, clears = br.evaluate(None, br.Confusion(tp=12, fp=4, fn=3, tn=12), ["ACC", "PPV"])
    assert unsure.low > unsure.baseline
    assert unsure.outcome is br.Outcome.UNSURE
    assert picture(unsure).interval[0] < 0  # type: ignore[index]
    assert clears.low < clears.baseline
    assert clears.outcome is br.Outcome.CLEARS
    assert picture(clears).interval[0] > 0  # type: ignore[index]


def test_right_is_better_in_either_direction() -> None:
    """The false discovery rate is drawn as its mirror image, the precision."""
    report = br.evaluate(None, GOOD, ["PPV", "FDR"])
    precision, rate = (picture(verdict) for verdict in report)
    assert precision.dot == pytest.approx(rate.dot)
    assert precision.dot > 0
    assert precision.interval == pytest.approx(rate.interval)


def test_below_draws_that_tie() -> None:
    """By MCC all draws expect 0: a step down is as long as a step up, and not all the way."""
    (verdict,) = br.evaluate(None, SWAPPED, "MCC")
    shown = picture(verdict)
    assert not shown.track.has_worst
    assert shown.dot == pytest.approx(verdict.score)


def test_worse_than_the_worst_draw() -> None:
    """What is worse than any draw expects stops outside the track."""
    (verdict,) = br.evaluate(None, SWAPPED, "ACC")
    assert picture(verdict).dot == -EDGE


def test_where_perfection_is_not_known() -> None:
    """A measure without a known best score has no such mark, and all that is shown has a place."""
    gain = br.Measure.custom(
        "gain", lambda tp, fp, fn, tn: 10 * tp - fp if fp else math.nan, direction="maximize"
    )
    report = br.evaluate(None, {"good": GOOD, "swapped": SWAPPED}, gain)
    assert math.isnan(report["good", "gain"].perfect)
    (panel,) = panels(report)
    (row,) = panel.rows
    good, swapped = pictures(row)
    assert good.track is swapped.track
    assert not good.track.has_perfect
    assert -EDGE <= swapped.dot < good.dot < good.interval[1] < 1  # type: ignore[index]
    assert "perfect" not in report.to_html().partition("<title>gain of good")[2].partition("<")[0]


def test_an_undefined_score_has_no_place() -> None:
    """Nor has one without a baseline."""
    (verdict,) = br.evaluate(None, br.Confusion(fn=3, tn=9), "PPV")
    assert not picture(verdict).is_drawn
    (verdict,) = br.evaluate(None, br.Confusion(tn=9), "TPR")
    assert not picture(verdict).is_drawn
