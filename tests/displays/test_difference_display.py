"""The display of differences, tested by what it draws."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

import baserate as br
from baserate.exceptions import InvalidPredictionsError, InvalidReportError
from baserate.report.difference_display import EVIDENCE, NO_EVIDENCE

mpl.use("Agg")
RNG = np.random.default_rng(3)
TRUTH = (RNG.random(200) < 0.4).astype(int)
X = np.column_stack([TRUTH + RNG.normal(0, 1, 200), RNG.normal(0, 1, 200)])
GOOD = np.where(RNG.random(200) < 0.85, TRUTH, 1 - TRUTH)
POOR = np.where(RNG.random(200) < 0.3, TRUTH, 0)
ALIKE = np.where(RNG.random(200) < 0.85, TRUTH, 1 - TRUTH)
COMPARISON = br.compare(TRUTH, {"good": GOOD, "poor": POOR, "alike": ALIKE}, ["F1", "ACC"])


def test_each_difference_is_a_dot_with_its_interval() -> None:
    """The dots and intervals are the numbers of the comparison, row by row."""
    figure = Figure()
    display = br.DifferenceDisplay.from_comparison(COMPARISON, ax=figure.subplots())
    assert display.figure_ is figure
    assert len(COMPARISON.plot(ax=Figure().subplots()).dots_) == len(display.dots_)
    assert [dot.get_xdata()[0] for dot in display.dots_] == [each.difference for each in COMPARISON]
    ends = [segment[:, 0].tolist() for segment in display.intervals_.get_segments()]
    assert ends == [[each.low, each.high] for each in COMPARISON]
    assert display.zero_.get_xdata() == [0, 0]
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert names[0] == "good − poor: F1 ↑"
    assert len(names) == len(COMPARISON)


def test_evidence_is_coloured() -> None:
    """A difference with evidence has a colour, and one without is grey."""
    display = br.DifferenceDisplay(COMPARISON).plot(Figure().subplots())
    colours = [dot.get_color() for dot in display.dots_]
    assert colours == [NO_EVIDENCE if each.winner is None else EVIDENCE for each in COMPARISON]
    assert {*colours} == {NO_EVIDENCE, EVIDENCE}


def test_from_predictions_and_estimators_draw_the_same_numbers() -> None:
    """All ways of making the display compare in the same way."""
    models = {
        "logistic": LogisticRegression().fit(X, TRUTH),
        "dummy": DummyClassifier().fit(X, TRUTH),
    }
    display = br.DifferenceDisplay.from_estimator(models, X, TRUTH, "ACC", ax=Figure().subplots())
    predicted = {name: model.predict(X) for name, model in models.items()}
    expected = br.compare(TRUTH, predicted, "ACC")
    assert display.comparison == expected
    other = br.DifferenceDisplay.from_predictions(TRUTH, predicted, "ACC", ax=Figure().subplots())
    assert other.comparison == expected
    assert len(other.frame()) == 1
    with pytest.raises(InvalidPredictionsError, match="at least two"):
        br.DifferenceDisplay.from_estimator(models["dummy"], X, TRUTH, "ACC")


def test_groups_and_undefined_differences() -> None:
    """Groups are rows of their own, and what has no difference is left out."""
    by = np.where(np.arange(200) < 120, "a", "b")
    display = br.DifferenceDisplay.from_predictions(
        TRUTH, {"good": GOOD, "none": 0 * TRUTH}, ["F1", "ACC"], by=by, ax=Figure().subplots()
    )
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert names == [
        "good − none: ACC ↑",
        "good − none, group a: ACC ↑",
        "good − none, group b: ACC ↑",
    ]
    with pytest.raises(InvalidReportError, match="difference to draw"):
        br.DifferenceDisplay(display.comparison.measure("F1")).plot()
