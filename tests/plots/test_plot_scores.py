"""Thresholds and reliability, tested by what is drawn."""

from __future__ import annotations

import functools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

import baserate as br
from baserate.exceptions import InvalidLabelsError, InvalidPredictionsError
from baserate.kinds.two_classes_null import DrawsBySize
from baserate.plots import ReliabilityDisplay, ThresholdDisplay
from baserate.plots.scores import outline

RNG = np.random.default_rng(3)
TRUTH = (RNG.random(200) < 0.4).astype(int)
X = np.column_stack([TRUTH + RNG.normal(0, 1, 200), RNG.normal(0, 1, 200)])
MODEL = LogisticRegression().fit(X, TRUTH)
PROBABILITY = MODEL.predict_proba(X)[:, 1]
TEXT = np.where(TRUTH == 1, "ill", "well")
FEW = (np.arange(500) < 10).astype(int)
LOGIT = RNG.normal(FEW * 2.0, 1) - 4
SMALL = 1 / (1 + np.exp(-LOGIT))
SCORES: dict[str, Any] = {
    "probabilities": SMALL,
    "in half precision": SMALL.astype(np.float16),
    "tenths in single precision": SMALL.round(1).astype(np.float32),
    "whole numbers": (100 * LOGIT).astype(int),
    "large": 1e9 * LOGIT,
    "close together": 0.5 + 1e-7 * SMALL,
    "one score": np.full(500, 0.3),
    "with infinite ones": np.where(np.arange(500) % 50 == 0, np.inf, -LOGIT),
    "with minus infinity": np.where(np.arange(500) % 50 == 0, -np.inf, LOGIT),
    "only infinite": np.where(FEW == 1, np.inf, -np.inf),
}
DRAWS = functools.cache(DrawsBySize.of)


@pytest.fixture(autouse=True)
def _the_same_draws_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DrawsBySize, "of", DRAWS)


def _ticks(display: ThresholdDisplay) -> list[tuple[float, float]]:
    """Return the position and the threshold of each tick."""
    axis = display.thresholds_.xaxis
    labels = [label.get_text() for label in axis.get_ticklabels()]
    numbers = [float(label.replace("−", "-").replace("∞", "inf")) for label in labels]
    return list(zip(axis.get_ticklocs().tolist(), numbers, strict=True))


def test_scores_at_every_threshold() -> None:
    """The model's line, its best threshold and its own; the title is the diagnosis."""
    display = ThresholdDisplay.from_estimator(MODEL, X, TRUTH, "MCC")
    curve = display.curve
    np.testing.assert_array_equal(display.line_.get_ydata(), curve.scores)
    assert display.best_.get_ydata()[0] == curve.best.verdict.score
    assert curve.threshold == 0.5
    own = br.ConfusionMatrix.of(TRUTH, MODEL.predict(X))
    assert display.own_ is not None
    assert display.own_.get_xdata()[0] == own.predicted_positives / 200
    assert curve.own is not None
    assert curve.own.verdict.performance.table == own
    assert display.ax_.get_legend().get_title().get_text() == curve.diagnosis.sentence
    assert display.frame()["cutoff"].notna().sum() == curve.cutoffs.size
    low, high = curve.chance
    assert display.shuffled_ is not None
    assert display.shuffled_.get_y() == pytest.approx(low)
    assert display.shuffled_.get_height() == pytest.approx(high - low)
    none = br.threshold_curve([0, 1, 1], [0.5, 0.5, 0.5], "MCC").plot(name="flat")
    assert (none.shuffled_, none.own_) == (None, None)
    assert none.name == "flat"


class _Unlike(LogisticRegression):
    """A model whose probabilities disagree with its predictions, like an SVM's."""

    def predict_proba(self, X: Any) -> Any:  # noqa: N803
        """Return unrelated probabilities."""
        return 1 - super().predict_proba(X)


@pytest.mark.parametrize(
    ("model", "truth", "pos_label"),
    [
        (LinearSVC(), TRUTH, 1),
        (LinearSVC(), TEXT, "ill"),
        (LogisticRegression(), TEXT, "ill"),
        (KNeighborsClassifier(4), TRUTH, 1),  # ties of two against two go to the first class
        (FixedThresholdClassifier(LogisticRegression(), threshold=0.2), TRUTH, 1),
        (_Unlike(), TRUTH, 1),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_threshold_of_an_estimator(model: Any, truth: Any, pos_label: Any) -> None:
    """It reproduces the predictions, by probabilities or by the decision function."""
    fitted = model.fit(X, truth)
    curve = ThresholdDisplay.from_estimator(fitted, X, truth, "F1", pos_label=pos_label).curve
    expected = br.ConfusionMatrix.of(truth, fitted.predict(X), pos_label=pos_label)
    assert curve.own is not None
    assert curve.own.verdict.performance.table == expected


@pytest.mark.parametrize("kind", SCORES)
def test_a_tick_is_where_its_threshold_predicts(kind: str) -> None:
    """The fraction at a tick is that of the scores at or above its threshold, which is rounded."""
    display = ThresholdDisplay.from_predictions(FEW, SCORES[kind], "F1")
    curve, ticks = display.curve, _ticks(display)
    for place, threshold in ticks:
        at = np.flatnonzero(curve.predicted_positives == round(place * FEW.size))
        assert threshold in [float(f"{each:.3g}") for each in curve.cutoffs[at]]
    assert sorted(ticks) == ticks
    assert display.thresholds_.get_xlim() == display.ax_.get_xlim()
    assert len(ticks) >= (4 if kind == "probabilities" else 1)
    display.ax_.set_xlim(0.01, 0.2)  # the axis follows
    assert display.thresholds_.get_xlim() == (0.01, 0.2)


def test_a_long_curve_is_thinned_to_what_is_seen() -> None:
    """The ends, the highest and the lowest points stay, and the first ones, as on a log axis."""
    values = np.random.default_rng(0).random(100_000)
    values[[500, 70_000]] = 2, -1
    values[20_000:20_400] = np.nan
    kept = outline(values)
    assert kept.size < 8200
    assert {*range(50), 500, 70_000, 99_999} <= set(kept.tolist())
    assert (np.diff(kept) > 0).all()
    assert outline(values[:1000]).size == 1000


def test_the_reliability_of_probabilities() -> None:
    """The line, the band and the bars are the numbers of the curve."""
    display = ReliabilityDisplay.from_predictions(TRUTH, PROBABILITY, threshold=0.5, name="own")
    curve = br.reliability_curve(TRUTH, PROBABILITY)
    assert np.array_equal(display.line_.get_xdata(), curve.probabilities)
    assert np.array_equal(display.line_.get_ydata(), curve.recalibrated)
    assert display.base_rate_.get_ydata()[0] == TRUTH.mean()
    assert max(bar.get_height() for bar in display.bars_) == pytest.approx(0.18)
    assert display.threshold_ is not None
    assert display.threshold_.get_xdata()[0] == 0.5
    legend = display.ax_.get_legend()
    assert legend.get_title().get_text() == display.curve.diagnosis.sentence
    assert any("own (miscalibration p ≈ " in text.get_text() for text in legend.get_texts())
    frame = display.frame()
    assert (frame["low"] <= frame["high"]).all()
    assert frame["total"].sum() == 200


def test_the_probabilities_of_an_estimator() -> None:
    """Its probabilities, its own threshold if it predicts by them, and its name."""
    display = ReliabilityDisplay.from_estimator(MODEL, X, TRUTH)
    assert display.name == "LogisticRegression"
    assert display.curve.threshold == pytest.approx(0.5)
    other = ReliabilityDisplay.from_estimator(MODEL, X, TRUTH, pos_label=0, name="not")
    assert other.curve.base_rate.positives == 200 - TRUTH.sum()
    assert ReliabilityDisplay.from_estimator(_Unlike().fit(X, TRUTH), X, TRUTH).threshold_ is None
    with pytest.raises(InvalidPredictionsError, match=r"must have predict_proba .*LinearSVC"):
        ReliabilityDisplay.from_estimator(LinearSVC().fit(X, TRUTH), X, TRUTH)


def test_predictions_that_no_threshold_gives() -> None:
    """Then the model's own threshold is unknown; labels alone are refused."""

    class Random(DummyClassifier):
        """Predictions unrelated to the probabilities."""

        def predict(self, X: Any) -> Any:  # noqa: ARG002, N803
            return RNG.permutation(TRUTH)

    model = Random(strategy="prior").fit(X, TRUTH)
    assert ThresholdDisplay.from_estimator(model, X, TRUTH, "F1").own_ is None
    labels = SimpleNamespace(classes_=np.array([0, 1]))
    with pytest.raises(InvalidPredictionsError, match="must have predict_proba or decision"):
        ThresholdDisplay.from_estimator(labels, X, TRUTH, "F1")
    three = LogisticRegression().fit(X, RNG.choice([*"abc"], 200))
    with pytest.raises(InvalidLabelsError, match="one of the estimator's 3"):
        ThresholdDisplay.from_estimator(three, X, TRUTH, "F1")
