"""The axis of the fraction predicted positive, and what is shown along it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import baserate as br
from baserate.displays.fractions import FractionScale
from baserate.exceptions import InvalidReportError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RARE = br.BaseRate(positives=10, total=1000)
GOOD = br.Confusion(tp=6, fp=2, fn=4, tn=988)
NOTHING = br.Confusion(fn=10, tn=990)
ERRORS = br.Measure.custom(
    "errors", lambda tp, fp, fn, tn: (fp + fn) / (tp + fp + fn + tn), direction="minimize"
)


def _along(ax: Axes, fraction: float) -> float:
    """Return where a fraction is on the axis, from 0 at the left end to 1."""
    left, right = ax.get_xlim()
    (start, at, end) = ax.transData.transform([[left, 0], [fraction, 0], [right, 0]])[:, 0]
    return float((at - start) / (end - start))


@pytest.mark.parametrize(
    ("positives", "total", "xscale", "start"),
    [
        (500, 1000, "auto", None),
        (50, 1000, "auto", None),
        (49, 1000, "auto", 0.001),
        (1, 30, "auto", 0.01),  # the power of ten below 1 / 30
        (10**4, 10**6, "auto", 1e-5),  # a thousandth of the base rate, and more than 1 / M
        (10**12, 10**15, "auto", 1e-6),
        (1, 1000, "linear", None),
        (500, 1000, "log", 1e-3),
        (500, 10**6, "log", 1e-6),
        (0, 10, "auto", None),
        (0, 10, "log", 0.1),
    ],
)
def test_rare_positives_need_a_logarithm(
    positives: int, total: int, xscale: Any, start: float | None
) -> None:
    """Below 5% positives the axis is logarithmic, unless the user asks for another one."""
    rate = br.BaseRate(positives=positives, total=total)
    assert FractionScale.of(rate, xscale).start == start


@pytest.mark.parametrize("rate", [RARE, br.BaseRate(positives=1000, total=10**6)])
@pytest.mark.parametrize("key", ["F1", "MCC", "FDR", "ACC"])
def test_rare_positives_are_not_at_the_edge(rate: br.BaseRate, key: str) -> None:
    """The base rate is in the middle part of the axis, and zero and one are inside it."""
    ax = br.BaselineDisplay.from_test_set(rate, key).ax_
    assert ax.get_xscale() == "symlog"
    assert 0.3 < _along(ax, rate.rate) < 0.7
    assert 0.01 < _along(ax, 0) < _along(ax, 1 / rate.total) - 0.05
    assert _along(ax, 1) < 0.99
    linear = br.BaselineDisplay.from_test_set(rate, key, xscale="linear").ax_
    assert linear.get_xscale() == "linear"
    assert _along(linear, rate.rate) < 0.05


def test_the_numbers_along_the_axis() -> None:
    """Zero is one of them, and all are written out as far as they are short."""
    display = br.BaselineDisplay.from_test_set(br.BaseRate(positives=1000, total=10**6), "F1")
    display.figure_.canvas.draw()
    labels = [label.get_text() for label in display.ax_.get_xticklabels()]
    assert labels == ["0", "1e-6", "1e-5", "0.0001", "0.001", "0.01", "0.1", "1"]


def test_the_scale_changes_no_data() -> None:
    """The same numbers are drawn on either axis, and the scale can change in a new drawing."""
    display = br.BaselineDisplay.from_test_set(RARE, "F1")
    before = display.expectation_.get_xydata()
    after = display.plot(xscale="linear").expectation_.get_xydata()
    np.testing.assert_array_equal(before, after)
    assert display.ax_.get_xscale() == "linear"


@pytest.mark.parametrize("xscale", ["symlog", None, 3, ["log"]])
def test_an_unknown_scale(xscale: Any) -> None:
    """The error names the three scales."""
    with pytest.raises(InvalidReportError, match="xscale must be 'auto', 'linear' or 'log'"):
        br.BaselineDisplay.from_test_set(RARE, "F1", xscale=xscale)


def test_no_predicted_positives_are_shown_or_said() -> None:
    """A model that predicts no positives is at zero, or the legend says that it has no score."""
    tables = {"nothing": NOTHING, "good": GOOD}
    shown = br.BaselineDisplay.from_predictions(None, tables, "ACC")
    assert shown.points_[0].get_xydata().tolist() == [[0, 0.99]]
    assert shown.ax_.get_xlim()[0] < 0
    said = br.BaselineDisplay.from_predictions(None, tables, "F1").points_[0]
    assert said.get_label() == "nothing (predicts no positives)"
    everything = {"all": br.Confusion(tp=10, fp=990)}
    said = br.BaselineDisplay.from_predictions(None, everything, "NPV").points_[0]
    assert said.get_label() == "all (predicts no negatives)"


@pytest.mark.parametrize("measure", ["ACC", ERRORS])
@pytest.mark.parametrize(
    "others", [{}, {"zeros": NOTHING}, {"poor": br.Confusion(fp=30, fn=10, tn=960)}]
)
def test_what_is_near_the_baseline_is_told_apart(measure: Any, others: Any) -> None:
    """An accuracy of 0.994 is seen to be above 0.990, and all points are within the axes."""
    display = br.BaselineDisplay.from_predictions(None, {"good": GOOD} | others, measure)
    low, high = display.ax_.get_ylim()
    scores = [verdict.score for verdict in display.verdicts]
    assert low < min(scores) <= max(scores) < high
    assert abs(scores[0] - display.baseline.best.value) > 0.05 * (high - low)
    linear = display.plot(xscale="linear").ax_
    assert np.ptp(linear.get_ylim()) > 0.9


def test_a_draw_of_the_usual_size_is_shown_if_nothing_else_differs() -> None:
    """Without models a close-up reaches down to the draw with as many positives as there are."""
    display = br.BaselineDisplay.from_test_set(RARE, "ACC")
    low, high = display.ax_.get_ylim()
    usual = br.expected_score(RARE, "ACC", 0.01)
    assert 0.95 < low < usual < 0.99 < high < 1


@pytest.mark.parametrize("key", ["F1", "MCC", "FDR", "G2", "BACC"])
def test_other_measures_keep_all_scores_of_draws(key: str) -> None:
    """Where scores do not crowd at the baseline, nothing drawn is left out."""
    ax = br.BaselineDisplay.from_predictions(None, GOOD, key).ax_
    low, high = ax.get_ylim()
    assert low < ax.dataLim.y0
    assert ax.dataLim.y1 < high


@pytest.mark.parametrize("size", [(1, 1), (2, 2), (1, 2), (2, 3), (0, 3)])
def test_tiny_test_sets_have_a_logarithmic_axis_too(size: tuple[int, int]) -> None:
    """Also where a measure is undefined for draws of as many positives as there are."""
    rate = br.BaseRate(positives=size[0], total=size[1])
    judged = [measure for measure in br.MEASURES.values() if len(measure.allowed(rate))]
    assert judged
    for measure in judged:
        ax = br.BaselineDisplay.from_test_set(
            rate, measure, xscale="log", ax=Figure().subplots()
        ).ax_
        assert ax.get_xscale() == "symlog"
