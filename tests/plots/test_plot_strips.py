"""The strips of reports and comparisons."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import baserate as br
from baserate.exceptions import InvalidPredictionsError, InvalidReportError
from baserate.plots import ComparisonDisplay

RNG = np.random.default_rng(3)
TRUTH = (RNG.random(200) < 0.4).astype(int)
GOOD = np.where(RNG.random(200) < 0.85, TRUTH, 1 - TRUTH)
ALIKE = np.where(RNG.random(200) < 0.85, TRUTH, 1 - TRUTH)
POOR = np.where(RNG.random(200) < 0.3, TRUTH, 0)
BY = np.where(np.arange(200) < 120, "a", "b")
TABLES = {
    "sure": br.ConfusionMatrix(tp=90, fp=10, fn=10, tn=190),
    "unsure": br.ConfusionMatrix(tp=9, fp=4, fn=91, tn=196),
    "worse": br.ConfusionMatrix(tp=10, fp=90, fn=90, tn=110),
}
COST = br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")


def _rows(display: Any) -> list[str]:
    return [label.get_text() for label in display.ax_.get_yticklabels()]


def _texts(display: Any) -> list[str]:
    return [text.get_text() for text in display.texts_]


def _line(display: Any, column: int = 0) -> float:
    """Return where the line of a column of strips is."""
    upright = [each for each in display.ax_.collections if _is_upright(each)]
    return float(upright[column].get_segments()[0][0, 0])


def _is_upright(collection: Any) -> bool:
    segments = getattr(collection, "get_segments", list)()
    return len(segments) == 1 and segments[0][0, 0] == segments[0][1, 0]


def test_a_bar_crosses_the_line_where_a_better_score_is_unsure() -> None:
    """Dots are at the margin, on one scale from the best guess to perfect, whatever is better."""
    report = br.evaluate(None, TABLES, ["ACC", "FDR", "TPR"])
    display = report.plot()
    shown = [report[model, key] for key in ("ACC", "FDR") for model in TABLES]  # no guess beats TPR
    assert _texts(display) == [f"{verdict.score:.3f}" for verdict in shown]
    assert _rows(display) == [*TABLES]
    dots = {tuple(point) for line in display.lines_ for point in line.get_xydata().tolist()}
    for place, (verdict, bar) in enumerate(
        zip(shown, display.intervals_.get_segments(), strict=True)
    ):
        line = _line(display, place // 3)
        (low, row), (high, _) = bar
        assert (low > line) == (verdict.margin_low > 0)
        assert (high < line) == (verdict.margin_high < 0)
        (dot,) = [x for x, y in dots if y == row and low - 1e-9 <= x <= high + 1e-9]
        assert (dot > line) == verdict.beats


@pytest.mark.parametrize(
    ("truth", "models", "measures"),
    [
        (TRUTH, {"none": 0 * TRUTH, "good": GOOD}, ["F1", "MCC"]),  # undefined
        (TRUTH, {"good": GOOD, "poor": POOR}, [COST, "F1"]),
        (TRUTH, {"good": GOOD + 0.1 * POOR, "poor": POOR + 0.5}, ["AUC", "AP"]),
        (TRUTH + 0.5 * GOOD, {"good": GOOD, "poor": POOR + 9.5}, ["RMSE", "R2"]),
        (np.where(GOOD, "x", BY), {"b": BY, "a": np.where(POOR, "x", "a")}, ["macro F1", "kappa"]),
    ],
)
def test_every_kind_of_prediction_has_strips(truth: Any, models: Any, measures: Any) -> None:
    """Scores without an interval, off the scale or undefined are written all the same."""
    display = br.evaluate(truth, models, measures).plot()
    assert len(display.texts_) == 4
    display.figure_.canvas.draw()


def test_a_report_that_shows_nothing() -> None:
    """If every measure is uninformative there is nothing to draw."""
    with pytest.raises(InvalidReportError, match="an informative measure to draw"):
        br.evaluate(TRUTH, GOOD, "TPR").plot()


def test_differences_are_beside_zero() -> None:
    """A row is two models, the better one first; colours say whether a difference is shown."""
    comparison = br.compare(TRUTH, {"good": GOOD, "poor": POOR, "alike": ALIKE}, ["F1", "ACC"])
    display = comparison.plot()
    assert _rows(display) == ["good over poor", "alike over good", "alike over poor"]
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert legend == ["First is better", "No difference shown"]
    shown = sorted(comparison, key=lambda each: each.measure, reverse=True)
    for text, each, bar in zip(
        _texts(display), shown, display.intervals_.get_segments(), strict=True
    ):
        assert text == f"+{abs(each.difference):.3f}"
        line = _line(display, ("F1", "ACC").index(each.measure))
        assert (bar[0, 0] > line) == (each.winner is not None)


def test_groups_and_undefined_differences() -> None:
    """Groups are rows of their own, and what has no difference is left out."""
    found = br.compare(TRUTH, {"good": GOOD, "none": 0 * TRUTH}, ["F1", "ACC"], by=BY)
    display = found.plot()
    rows = ["good over none", "good over none, group a", "good over none, group b"]
    assert _rows(display) == rows
    assert len(display.texts_) == 3
    with pytest.raises(InvalidReportError, match="difference to draw"):
        found.measure("F1").plot()
    with pytest.raises(InvalidPredictionsError, match="at least two"):
        ComparisonDisplay.from_predictions(TRUTH, {"good": GOOD}, "ACC")


def test_numbers_below_a_column_are_its_best_guess_and_a_perfect_score() -> None:
    """Groups with best guesses of their own have no number there."""
    report = br.evaluate(TRUTH, {"good": GOOD, "poor": POOR}, ["F1", "ACC"], by=BY)
    texts = [text.get_text() for text in report.plot().ax_.texts]
    base = report["good", "F1"].baseline
    assert f"{base:.3f}\nbest guess" in texts
    assert "1.000\nperfect" in texts
    groups = br.Report([verdict for verdict in report if verdict.group is not None])
    display = groups.plot()
    assert sorted(_rows(display)) == ["a, good", "a, poor", "b, good", "b, poor"]
    assert "best guess" in [text.get_text() for text in display.ax_.texts]


def test_a_verdict_and_a_difference_are_drawn_alone() -> None:
    """Each is a strip of its own, with the level of its interval."""
    verdict = br.evaluate(TRUTH, GOOD, "F1", alpha=0.1)["model", "F1"]
    assert _texts(verdict.plot()) == [f"{verdict.score:.3f}"]
    assert "90%" in verdict.plot().ax_.get_legend().get_title().get_text()
    difference = br.compare(TRUTH, {"good": GOOD, "poor": POOR}, "F1")["good", "poor", "F1"]
    assert _texts(difference.plot()) == [f"{difference.difference:+.3f}"]
