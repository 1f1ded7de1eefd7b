"""The reliability display, tested by what it draws."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

import baserate as br
from baserate.displays.reliability import ReliabilityDisplay
from baserate.evaluation.reliability import reliability_curve
from baserate.exceptions import InvalidPredictionsError

RNG = np.random.default_rng(3)
TRUTH = (RNG.random(200) < 0.4).astype(int)
X = np.column_stack([TRUTH + RNG.normal(0, 1, 200), RNG.normal(0, 1, 200)])
MODEL = LogisticRegression().fit(X, TRUTH)
PROBABILITY = MODEL.predict_proba(X)[:, 1]


def test_it_draws_what_the_curve_says() -> None:
    """The line, the band and the bars are the numbers of the curve."""
    display = ReliabilityDisplay.from_predictions(TRUTH, PROBABILITY, threshold=0.5, name="own")
    curve = reliability_curve(TRUTH, PROBABILITY)
    assert np.array_equal(display.line_.get_xdata(), curve.probabilities)
    assert np.array_equal(display.line_.get_ydata(), curve.recalibrated)
    assert display.base_rate_.get_ydata()[0] == TRUTH.mean()
    heights = np.array([bar.get_height() for bar in display.bars_])
    assert heights.max() == pytest.approx(0.18)
    assert display.threshold_ is not None
    assert display.threshold_.get_xdata()[0] == 0.5
    legend = display.ax_.get_legend()
    assert legend is not None
    assert legend.get_title().get_text() == display.curve.diagnosis.sentence
    assert any("own (miscalibration p ≈ " in text.get_text() for text in legend.get_texts())


def test_the_plotted_data() -> None:
    """The frame has one row per probability, whatever the number of blocks of the band."""
    p = RNG.random(3000)
    display = ReliabilityDisplay.from_predictions(RNG.random(3000) < p, p)
    frame = display.frame()
    assert len(frame) == 3000
    assert (frame["low"] <= frame["high"]).all()
    assert frame["total"].sum() == 3000
    assert display.curve.band[0].size == 1000


def test_an_estimator() -> None:
    """Its probabilities, its own threshold and its name are read from it."""
    display = ReliabilityDisplay.from_estimator(MODEL, X, TRUTH)
    assert display.name == "LogisticRegression"
    assert display.curve.threshold == pytest.approx(0.5)
    other = ReliabilityDisplay.from_estimator(MODEL, X, TRUTH, pos_label=0, name="not")
    assert other.curve.base_rate.positives == 200 - TRUTH.sum()
    assert other.curve.ranking.auc == pytest.approx(display.curve.ranking.auc)
    svc = LinearSVC().fit(X, TRUTH)
    with pytest.raises(InvalidPredictionsError, match=r"must have predict_proba .*LinearSVC"):
        ReliabilityDisplay.from_estimator(svc, X, TRUTH)


class _OnItsOwn(LogisticRegression):
    """An estimator that does not predict by its probabilities."""

    def predict(self, X: Any) -> Any:  # noqa: N803
        return (X[:, 1] > 0).astype(int)


def test_an_estimator_that_does_not_use_its_probabilities() -> None:
    """It has no threshold among them."""
    display = ReliabilityDisplay.from_estimator(_OnItsOwn().fit(X, TRUTH), X, TRUTH)
    assert display.threshold_ is None


def test_it_draws_where_it_is_told() -> None:
    """On given axes it does not touch pyplot, and leaves the settings alone."""
    from matplotlib import pyplot

    before, settings = pyplot.get_fignums(), dict(mpl.rcParams)
    ax = Figure(layout="constrained").subplots()
    display = ReliabilityDisplay.from_predictions(TRUTH, PROBABILITY, ax=ax)
    assert display.ax_ is ax
    assert pyplot.get_fignums() == before
    assert dict(mpl.rcParams) == settings
    assert display.plot().ax_ is not ax


@pytest.mark.parametrize(("size", "font"), [((3.4, 2.8), 10), ((10, 5.6), 16), ((6.4, 4.8), 10)])
def test_it_fits(size: tuple[float, float], font: float, tmp_path: Any) -> None:
    """Everything drawn is inside the figure."""
    with mpl.rc_context({"font.size": font}):
        figure = Figure(figsize=size, layout="constrained")
        ReliabilityDisplay.from_predictions(TRUTH, PROBABILITY, threshold=0.5, ax=figure.subplots())
        figure.savefig(tmp_path / "figure.png")
    box = figure.axes[0].get_tightbbox()
    assert box is not None
    assert box.x0 >= -1
    assert box.y0 >= -1
    assert box.x1 <= figure.bbox.x1 + 1
    assert box.y1 <= figure.bbox.y1 + 1


def test_edges() -> None:
    """One probability, one class, a threshold off the scale."""
    for truth, p in (([0, 1], [0.5, 0.5]), ([0, 0, 0], [0.0, 0.1, 1.0]), ([1], [1.0])):
        display = ReliabilityDisplay.from_predictions(truth, p, threshold=7)
        assert display.threshold_ is None
        display.figure_.canvas.draw()


def test_the_band_of_the_best_cut_off() -> None:
    """The threshold display shows where the best cut-offs of shuffled scores are."""
    display = br.ThresholdDisplay.from_predictions(TRUTH, PROBABILITY, "MCC")
    assert display.luck_ is not None
    low, high = display.curve.luck
    assert display.luck_.get_y() == pytest.approx(low)
    assert display.luck_.get_height() == pytest.approx(high - low)
    none = br.ThresholdDisplay.from_predictions([0, 1, 1], [0.5, 0.5, 0.5], "MCC")
    assert none.luck_ is None
