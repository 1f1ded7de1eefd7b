"""The second axis of the threshold display."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import baserate as br
from baserate.binary.draw import DrawsBySize
from baserate.displays.threshold_axis import _round

DRAWS = functools.cache(DrawsBySize.of)
RNG = np.random.default_rng(7)
TRUTH = (np.arange(500) < 10).astype(int)
LOGIT = RNG.normal(TRUTH * 2.0, 1) - 4
PROBABILITIES = 1 / (1 + np.exp(-LOGIT))
SCORES: dict[str, Any] = {
    "probabilities": PROBABILITIES,
    "in single precision": PROBABILITIES.astype(np.float32),
    "in half precision": PROBABILITIES.astype(np.float16),
    "decision function": LOGIT,
    "tenths": PROBABILITIES.round(1),
    "tenths in single precision": PROBABILITIES.round(1).astype(np.float32),
    "whole numbers": (100 * LOGIT).astype(int),
    "large": 1e9 * LOGIT,
    "tiny": 1e-9 * PROBABILITIES,
    "close together": 0.5 + 1e-7 * PROBABILITIES,
    "one score": np.full(500, 0.3),
    "with infinite ones": np.where(np.arange(500) % 50 == 0, np.inf, -LOGIT),
    "with minus infinity": np.where(np.arange(500) % 50 == 0, -np.inf, LOGIT),
    "only infinite": np.where(TRUTH == 1, np.inf, -np.inf),
}


@pytest.fixture(autouse=True)
def _the_same_draws_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DrawsBySize, "of", DRAWS)


def _ticks(display: br.ThresholdDisplay) -> list[tuple[float, float]]:
    """Return the position and the threshold of each tick."""
    axis = display.thresholds_.xaxis
    labels = [label.get_text() for label in axis.get_ticklabels()]
    numbers = [float(label.replace("−", "-").replace("∞", "inf")) for label in labels]
    return list(zip(axis.get_ticklocs().tolist(), numbers, strict=True))


@pytest.mark.parametrize("xscale", [pytest.param("linear", marks=pytest.mark.exhaustive), "log"])
@pytest.mark.parametrize("kind", SCORES)
def test_a_tick_is_where_its_threshold_predicts(kind: str, xscale: Any) -> None:
    """The fraction at a tick is that of the scores at or above its label, as numpy compares."""
    scores = SCORES[kind]
    display = br.ThresholdDisplay.from_predictions(TRUTH, scores, "F1", xscale=xscale)
    ticks = _ticks(display)
    for place, threshold in ticks:
        assert place == np.mean(scores >= threshold)
    assert sorted(ticks) == ticks
    assert display.thresholds_.get_xlim() == display.ax_.get_xlim()
    assert display.thresholds_.get_xscale() == display.ax_.get_xscale()
    few = np.unique(scores[np.isfinite(scores)]).size
    assert len(ticks) >= min(5 if kind == "probabilities" else 2, few)
    assert ((0.0, np.inf) in ticks) == (not np.isposinf(scores).any())


@pytest.mark.parametrize("size", [(6.4, 4.8), (3.4, 2.6)])
@pytest.mark.parametrize("xscale", ["linear", "log"])
@pytest.mark.parametrize("kind", ["probabilities", "large", "close together"])
def test_labels_do_not_overlap(size: tuple[float, float], xscale: Any, kind: str) -> None:
    """Labels are apart, and the legend is above the axis."""
    figure = Figure(figsize=size, layout="constrained")
    display = br.ThresholdDisplay.from_predictions(
        TRUTH, SCORES[kind], "F1", ax=figure.subplots(), xscale=xscale
    )
    figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in display.thresholds_.get_xticklabels()]
    for left, right in itertools.pairwise(boxes):
        assert left.x1 < right.x0
    legend = display.ax_.get_legend()
    assert legend.get_window_extent().y0 >= display.thresholds_.xaxis.label.get_window_extent().y1


def test_the_axis_follows_the_plot() -> None:
    """When a user zooms in, the thresholds stay above their fractions."""
    display = br.ThresholdDisplay.from_predictions(TRUTH, PROBABILITIES, "F1")
    display.ax_.set_xlim(0.01, 0.2)
    assert display.thresholds_.get_xlim() == (0.01, 0.2)
    for place, _ in _ticks(display):
        below = display.ax_.transData.transform((place, 0))[0]
        assert display.thresholds_.transData.transform((place, 0))[0] == pytest.approx(below)


def test_a_threshold_above_all_scores() -> None:
    """The legend says that nothing is predicted positive, and writes infinity as the axis does."""
    display = br.ThresholdDisplay.from_predictions(TRUTH, PROBABILITIES / 9, "F1", threshold=0.5)
    assert display.own_ is not None
    assert display.own_.get_label() == "its threshold 0.5: predicts no positives"
    reversed_ = br.ThresholdDisplay.from_predictions(TRUTH, -LOGIT, "ACC")
    assert reversed_.best_.get_label() == "best cut-off ∞: 0.980"


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.21, 0.59, 0.5),
        (0.21, 0.39, 0.3),
        (0.21, 0.29, 0.25),
        (0.21, 0.24, 0.24),
        (0.123, 0.123, 0.123),
        (0.4, 1.7, 1),
        (-3.2, -0.4, -1),
        (-0.2, 0.3, 0),
        (np.float32(0.7), np.float32(0.7), 0.7),
        (1e-300, 9e-300, 5e-300),
        (1234.5, 98765.0, 50000),
    ],
)
def test_thresholds_are_round(low: Any, high: Any, expected: float) -> None:
    """Between two cut-offs it is the number with the fewest digits, fives before others."""
    assert _round(low, high) == expected


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_how_many_are_predicted_positive(kind: Any) -> None:
    """The count is that of the comparison, at, between and beyond the scores."""
    scores = np.array([0.1, 0.7, 0.7, 0.2, 0.9, 0.3], dtype=kind)
    curve = br.threshold_curve([0, 1, 0, 0, 1, 1], scores, "F1")
    for threshold in (0.05, 0.1, 0.15, 0.2, 0.3, 0.7, 0.71, 0.9, 0.95, np.inf):
        assert curve.predicted_at(threshold) == np.sum(scores >= threshold)
