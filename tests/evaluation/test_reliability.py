"""Reliability curves: the curve, its band and p-value, and the diagnosis."""

from __future__ import annotations

import math
from dataclasses import astuple
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss, roc_auc_score

from baserate.evaluation.reliability import (
    ReliabilityCurve,
    ReliabilityDiagnosis,
    reliability_curve,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

RNG = np.random.default_rng(2)
RIGHT = RNG.beta(1.5, 3, 300)
TRUTH = RNG.random(300) < RIGHT


def _logit(p: Any, slope: float, shift: float) -> Any:
    return 1 / (1 + np.exp(-slope * np.log(p / (1 - p)) - shift))


def _max_min(rates: Sequence[Fraction], weights: Sequence[int]) -> list[Fraction]:
    """The monotone regression by its definition: the largest of the smallest means."""

    def mean(first: int, last: int) -> Fraction:
        inside = range(first, last + 1)
        return sum(rates[i] * weights[i] for i in inside) / Fraction(
            sum(weights[i] for i in inside)
        )

    size = len(rates)
    return [
        max(min(mean(first, last) for last in range(place, size)) for first in range(place + 1))
        for place in range(size)
    ]


def test_the_curve_is_the_monotone_one_closest_to_the_outcomes() -> None:
    """It agrees with its definition in fractions, and with scikit-learn row by row."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        totals = rng.integers(1, 6, 7)
        positives = rng.integers(0, totals + 1)
        curve = ReliabilityCurve(np.linspace(0, 1, 7), positives, totals)
        rates = [Fraction(int(a), int(b)) for a, b in zip(positives, totals, strict=True)]
        wanted = [float(value) for value in _max_min(rates, totals.tolist())]
        assert curve.recalibrated == pytest.approx(wanted, abs=1e-14)
    rounded = RIGHT.round(2)
    theirs = IsotonicRegression().fit(rounded, TRUTH).predict(np.unique(rounded))
    assert reliability_curve(TRUTH, rounded).recalibrated == pytest.approx(theirs, abs=1e-12)


def test_the_parts_of_the_brier_score() -> None:
    """They add up to scikit-learn's score, and none is negative."""
    for probabilities in (RIGHT, RIGHT.round(1), _logit(RIGHT, 2, 1), np.full(300, 0.3)):
        curve = reliability_curve(TRUTH, probabilities)
        score, wrong, told, free = astuple(curve.decomposition)
        assert score == pytest.approx(brier_score_loss(TRUTH, probabilities), rel=1e-12)
        assert score == pytest.approx(wrong - told + free, rel=1e-12)
        assert wrong >= -1e-15
        assert told >= -1e-15
        assert free == pytest.approx(TRUTH.mean() * (1 - TRUTH.mean()))
        assert wrong == pytest.approx(curve.calibration.miscalibration, abs=1e-12)
        if np.unique(probabilities).size > 1:
            assert curve.ranking.auc == pytest.approx(roc_auc_score(TRUTH, probabilities))


@pytest.mark.parametrize(
    ("probabilities", "threshold", "code", "words"),
    [
        (RIGHT, None, "calibrated", "The ranking has signal (AUC 0."),
        (RIGHT, 0.4, "calibrated", "no evidence that the probabilities are wrong (misc"),
        (RIGHT, 0.999, "wrong_threshold", "at 0.999 no one is positive"),
        (RIGHT, 0.0, "wrong_threshold", "at 0 everyone is positive"),
        (_logit(RIGHT, 1, 1.5), None, "miscalibrated", "the probabilities are too high (misc"),
        (_logit(RIGHT, 1, -1.5), 0.5, "miscalibrated", "the probabilities are too low (misc"),
        (_logit(RIGHT, 3, 2.2), 0.5, "miscalibrated", "too extreme"),
        (_logit(RIGHT, 0.2, -0.6), None, "miscalibrated", "not extreme enough"),
        (RNG.permutation(RIGHT), None, "no_signal", "neither another threshold nor recalibration"),
        (1 - RIGHT, None, "reversed", "upside down"),
        (np.full(300, TRUTH.mean()), None, "no_signal", "AUC 0.500"),
    ],
)
def test_threshold_ranking_or_calibration(
    probabilities: Any, threshold: float | None, code: str, words: str
) -> None:
    """The diagnosis names what is at fault, and the sentence says what to do."""
    curve = reliability_curve(TRUTH, probabilities, threshold=threshold)
    assert curve.diagnosis == ReliabilityDiagnosis(code)
    assert words in str(curve)
    assert str(curve) in repr(curve)
    assert curve.diagnosis.sentence


def test_the_threshold_that_means_the_same() -> None:
    """Where probabilities are too low, half of the positives are found from a lower one on."""
    low = _logit(RIGHT, 1, -1.5)
    curve = reliability_curve(TRUTH, low, threshold=0.5)
    found = curve.equivalent_threshold
    assert found < 0.4
    assert curve.recalibrated[curve.probabilities >= found].min() >= 0.5
    assert f"Recalibrated, 0.5 is reached from {found:.4g} on." in str(curve)
    assert math.isnan(reliability_curve(TRUTH, low).equivalent_threshold)
    never = reliability_curve([0, 1] * 200, [0.8, 0.9] * 200, threshold=1.5)
    assert never.equivalent_threshold == math.inf
    assert str(never).endswith("Recalibrated, none reaches 1.5.")
    assert reliability_curve(TRUTH, RIGHT).predicted_positives is None


def test_many_probabilities_are_merged() -> None:
    """Beyond a thousand blocks neighbours are merged, and hardly anything changes."""
    rng = np.random.default_rng(5)
    p = rng.random(5000)
    for q, is_wrong in ((p, False), (_logit(p, 1.4, 0), True)):
        curve = reliability_curve(rng.random(5000) < p, q)
        blocks = curve.calibration
        assert blocks.totals.size <= 1000
        assert blocks.totals.sum() == 5000
        assert blocks.positives.sum() == curve.base_rate.positives
        assert (np.diff(blocks.probabilities) > 0).all()
        assert float(blocks.totals @ blocks.probabilities) == pytest.approx(float(q.sum()))
        assert curve.is_miscalibrated is is_wrong
        parts = curve.decomposition
        assert blocks.miscalibration == pytest.approx(parts.miscalibration, abs=0.003)
