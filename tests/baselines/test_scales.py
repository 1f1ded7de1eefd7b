"""Where a score stands: rescaled between baseline and perfection, and as a share of an oracle."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import baserate as br
from baserate.baselines.dutch_scaler import Mixture, _ends
from baserate.measures.two_classes import TWO_CLASS_MEASURES

CLEVELAND = br.BaseRate(positives=139, total=303)
INFORMATIVE = tuple(key for key, measure in TWO_CLASS_MEASURES.items() if measure.level is not None)


# --- Rescaled scores ------------------------------------------------------------------------------


@pytest.mark.parametrize("key", TWO_CLASS_MEASURES)
def test_marks_of_the_scale(key: str) -> None:
    """-1 at the worst baseline, 0 at the best, 1 for a perfect prediction, and straight between."""
    scale = br.baseline(CLEVELAND, key).scale
    assert scale.informative == (key in INFORMATIVE)
    assert scale.rescaled(scale.best) == 0
    if scale.worst != scale.best:
        assert scale.rescaled(scale.worst) == -1
        assert scale.rescaled((scale.worst + scale.best) / 2) == pytest.approx(-0.5)
    if scale.informative:
        assert scale.rescaled(scale.perfect) == 1
        assert scale.rescaled((scale.best + scale.perfect) / 2) == pytest.approx(0.5)
    assert math.isnan(br.rescaled_score(CLEVELAND, key, math.nan))


@pytest.mark.parametrize(
    ("key", "score", "rescaled"),
    [
        # The paper's formula: (μ - Δmax) / (Δmax - Δmin) below, (μ - Δmax) / (μmax - Δmax) above.
        ("ACC", 0.5, (0.5 - 164 / 303) / (25 / 303)),
        ("ACC", 0.9, (0.9 - 164 / 303) / (139 / 303)),
        # If Δmax = Δmin, it is -1 below the baseline; with a perfect baseline it is 0 at most.
        ("MCC", -1e-9, -1),
        ("MCC", 0, 0),
        ("MCC", 0.25, 0.25),
        ("TPR", 1, 0),
        ("TPR", 0.75, -0.25),
    ],
)
def test_rescaled_scores(key: str, score: float, rescaled: float) -> None:
    """Above and below the baseline, and on degenerate scales."""
    assert br.rescaled_score(CLEVELAND, key, score) == pytest.approx(rescaled)


def test_custom_measures() -> None:
    """The perfect score is that of the perfect table, or the end of the codomain, or unknown."""
    rate = br.BaseRate(positives=4, total=10)
    cost = br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")
    assert br.rescaled_score(rate, cost, 3) == pytest.approx(0.5)  # all positive costs 6

    def precision(tp: float, fp: float, fn: float, tn: float) -> float:
        return tp / (tp + fp) / (fp + fn)

    unknown = br.Measure.custom("odd", precision)
    assert math.isnan(br.rescaled_score(rate, unknown, 10))
    assert br.rescaled_score(rate, unknown, -1) == -1
    known = br.Measure.custom("odd", precision, codomain=(0, 1))
    assert br.baseline(rate, known).scale.perfect == 1
    # A table with errors may be the best by a measure of one's own.
    greedy = br.Measure.custom("greedy", lambda tp, fp, fn, tn: tp + fp)
    assert not br.baseline(rate, greedy).scale.informative


# --- The Dutch Scaler -----------------------------------------------------------------------------


CLOSED_FORMS = {
    "ACC": lambda s, p, n, rho: ((p + n) * s - max(p, n)) / (min(p, n) - (p + n) * rho),
    "J": lambda s, p, n, rho: s / (1 - 2 * rho),
    "BACC": lambda s, p, n, rho: (2 * s - 1) / (1 - 2 * rho),
    "F1": lambda s, p, n, rho: (2 * p * (1 - s) - s * n) / (s * (rho * (n - p) - n) + 2 * p * rho),
    "F2": lambda s, p, n, rho: (5 * p * (1 - s) - s * n) / (s * (rho * (n - p) - n) + 5 * p * rho),
}


@pytest.mark.parametrize("rho", [0.0, 0.05, 0.2])
@pytest.mark.parametrize("key", CLOSED_FORMS)
def test_the_published_closed_forms(key: str, rho: float) -> None:
    """The published closed forms equal ours."""
    for rate in (CLEVELAND, br.BaseRate(positives=9, total=20), br.BaseRate(positives=5, total=9)):
        for weight in (0.1, 0.5, 0.9, 1.0):
            base = br.baseline(rate, key)
            (draw,) = _ends(base.guesses) if key not in ("J", "BACC") else (1,)
            score = float(
                base.measure.scores(*Mixture(base, draw, rho).cells(np.array([weight])))[0]
            )
            if base.scale.advantage(score, base.best.value) <= 0:
                continue
            expected = CLOSED_FORMS[key](score, rate.positives, rate.negatives, rho)
            assert br.dutch_scaler(rate, key, score, rho=rho) == pytest.approx(expected, rel=1e-9)


def test_exact_weights() -> None:
    """A weight is rounded once; a score between E[G2] and the G2 of expected counts needs none."""
    for positives in range(1, 15):
        rate = br.BaseRate(positives=positives, total=29)
        for right in range(30 - positives, 29):
            score = right / 29
            exact = (Fraction(score) * 29 - rate.negatives) / positives  # ACC of α is (N + αP)/M
            assert br.dutch_scaler(rate, "ACC", score) == float(exact)
    rate = br.BaseRate(positives=10**6, total=10**12)
    # FM at θ = 1: P² = s² P (M - αN), so α = (M - P/s²) / N.
    exact = Fraction(10**12 - 16 * 10**6, 10**12 - 10**6)
    assert br.dutch_scaler(rate, "FM", 0.25) == pytest.approx(float(exact), rel=1e-15)
    rate = br.BaseRate(positives=3, total=10)
    base = br.baseline(rate, "G2").best
    theta = base.guesses.counts[0][0] / 10
    of_counts = math.sqrt(theta * (1 - theta))
    assert base.value < of_counts
    assert br.dutch_scaler(rate, "G2", (base.value + of_counts) / 2) == 0
    assert br.dutch_scaler(rate, "G2", of_counts + 0.01) > 0


def test_custom_measures_are_bracketed() -> None:
    """A copy of a built-in measure has the same Dutch Scaler; a cost has one too."""
    table = br.ConfusionMatrix(tp=110, fp=20, fn=29, tn=144)

    def copied(key: str, function: object, **options: object) -> br.Measure:
        return br.Measure.custom(f"my{key}", function, **options)  # type: ignore[arg-type]

    f1 = copied("F1", lambda tp, fp, fn, tn: 2 * tp / (2 * tp + fp + fn), smooth=True)
    score = f1.score(table)
    expected = br.dutch_scaler(table, "F1", score)
    assert br.dutch_scaler(table, f1, score) == pytest.approx(expected, abs=1e-12)
    # All draws are best for J, and nearly all for precision: some of each part are tried.
    j = copied("J", lambda tp, fp, fn, tn: tp / (tp + fn) - fp / (tn + fp), smooth=True)
    assert br.dutch_scaler(table, j, 0.5) == pytest.approx(0.5, abs=1e-9)
    ppv = copied("PPV", lambda tp, fp, fn, tn: tp / (tp + fp), smooth=True, codomain=(0, 1))
    rate = br.BaseRate(positives=400, total=1000)
    expected = br.dutch_scaler(rate, "PPV", 0.7)
    assert br.dutch_scaler(rate, ppv, 0.7) == pytest.approx(expected, abs=1e-9)
    cost = copied("cost", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")
    # Predicting all positive costs 164, the oracle nothing.
    assert br.dutch_scaler(table, cost, 41) == pytest.approx(0.75, abs=1e-12)
