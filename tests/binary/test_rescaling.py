"""Rescaled scores: where a score stands between the baseline and perfection."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baserate as br
from baserate.core.baseline import Scale
from baserate.core.measure import Direction
from baserate.exceptions import InvalidMeasureError, UndefinedMeasureError
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from exact import DEFINITIONS, as_float, enumerated_tables, expectations, extremes
from reproduction import PAPER_MEASURES
from strategies import base_rates, tables

CLEVELAND = br.BaseRate(positives=139, total=303)
NEVER_INFORMATIVE = ("TP", "TN", "FN", "FP", "TPR", "TNR", "FNR", "FPR")


def _scale(rate: br.BaseRate, key: str) -> Scale | None:
    try:
        return br.baseline(rate, key).scale
    except UndefinedMeasureError:
        return None


@pytest.mark.parametrize("key", TWO_CLASS_MEASURES)
def test_marks_of_the_scale(key: str) -> None:
    """-1 at the worst baseline, 0 at the best, 1 for a perfect prediction, and straight between."""
    scale = br.baseline(CLEVELAND, key).scale
    assert scale.rescaled(scale.best) == 0
    if scale.worst != scale.best:
        assert scale.rescaled(scale.worst) == -1
        middle = (scale.worst + scale.best) / 2
        assert scale.rescaled(middle) == pytest.approx(-0.5)
    if scale.informative:
        assert scale.rescaled(scale.perfect) == 1
        assert scale.rescaled((scale.best + scale.perfect) / 2) == pytest.approx(0.5)


@pytest.mark.parametrize("key", PAPER_MEASURES)
def test_a_measure_is_informative_unless_a_draw_is_perfect(key: str) -> None:
    """With two classes, these eight are perfect for free, and no other of the paper's."""
    assert br.baseline(CLEVELAND, key).scale.informative == (key not in NEVER_INFORMATIVE)


@pytest.mark.parametrize(("positives", "total"), [(0, 5), (5, 5), (1, 1), (0, 1)])
@pytest.mark.parametrize("key", TWO_CLASS_MEASURES)
def test_one_class_informs_about_nothing(key: str, positives: int, total: int) -> None:
    """With one class, a draw is as good as any prediction, or there is no baseline."""
    scale = _scale(br.BaseRate(positives=positives, total=total), key)
    assert scale is None or not scale.informative


def test_the_paper_s_formula_between_and_above() -> None:
    """(μ - Δmax) / (Δmax - Δmin) below, and (μ - Δmax) / (μmax - Δmax) above."""
    low, high = 164 / 303 - 25 / 303, 164 / 303
    assert br.rescaled_score(CLEVELAND, "ACC", 0.5) == pytest.approx((0.5 - high) / (high - low))
    assert br.rescaled_score(CLEVELAND, "ACC", 0.9) == pytest.approx((0.9 - high) / (1 - high))


def test_minimized_measures_are_mirrored() -> None:
    """FDR = 1 - PPV and FOR = 1 - NPV rescale to the same value, and so do FNR and TPR."""
    pairs = {"FDR": "PPV", "FOR": "NPV", "FNR": "TPR", "FPR": "TNR"}
    for minimized, maximized in pairs.items():
        for score in (0.0, 0.2, 0.5, 0.7, 1.0):
            assert br.rescaled_score(CLEVELAND, minimized, 1 - score) == pytest.approx(
                br.rescaled_score(CLEVELAND, maximized, score)
            )


def test_degenerate_scales() -> None:
    """If Δmax = Δmin, it is -1 below the baseline and 0 at it. A perfect baseline: 0 at most."""
    assert br.rescaled_score(CLEVELAND, "MCC", -1e-9) == -1
    assert br.rescaled_score(CLEVELAND, "MCC", 0) == 0
    assert br.rescaled_score(CLEVELAND, "MCC", 0.25) == 0.25
    assert br.rescaled_score(CLEVELAND, "TPR", 1) == 0
    assert br.rescaled_score(CLEVELAND, "TPR", 0.75) == -0.25
    assert br.rescaled_score(br.BaseRate(positives=3, total=3), "ACC", 1) == 0


@given(tables(), st.sampled_from(list(TWO_CLASS_MEASURES)))
def test_laws_of_rescaling(table: br.Confusion, key: str) -> None:
    """It is between -1 and 1, has the sign of the margin, and is 1 only for perfection."""
    scale = _scale(table.base_rate, key)
    score, reason = br.get_measure(key).score_or_reason(table)
    if scale is None or reason:
        return
    rescaled = scale.rescaled(score)
    assert -1 <= rescaled <= 1
    margin = scale.advantage(score, scale.best)
    assert (rescaled > 0, rescaled < 0) == (margin > 0, margin < 0)
    if table.fp == table.fn == 0:
        assert rescaled == (1 if scale.informative else 0)


@given(base_rates(st.integers(2, 10**6)), st.sampled_from(list(TWO_CLASS_MEASURES)))
def test_order_is_kept(rate: br.BaseRate, key: str) -> None:
    """A better score never has a lower rescaled score."""
    scale = _scale(rate, key)
    if scale is None:
        return
    low, high = sorted((scale.worst, scale.perfect))
    scores = [low + (high - low) * step / 20 for step in range(21)]
    rescaled = [scale.rescaled(score) for score in scores]
    assert rescaled == sorted(rescaled, reverse=scale.direction is Direction.MINIMIZE)


@pytest.mark.parametrize("total", range(1, 7))
@pytest.mark.parametrize("key", TWO_CLASS_MEASURES)
def test_every_small_table_against_enumeration(key: str, total: int) -> None:
    """Every table of every small test set is on the right side of both enumerated baselines."""
    for positives in range(total + 1):
        means = expectations(key, positives, total, enumerated_tables)
        scale = _scale(br.BaseRate(positives=positives, total=total), key)
        assert bool(means) == (scale is not None)
        if scale is None:
            continue
        sign = 1 if scale.direction is Direction.MAXIMIZE else -1
        best, worst = (value for value, _ in extremes(means)[::sign])
        for drawn in means:
            for table in enumerated_tables(positives, total, drawn):
                score = as_float(DEFINITIONS[key](*table))
                margin = scale.advantage(score, scale.best)
                assert np.sign(margin) == sign * _sign(score - as_float(best))
                below = sign * _sign(score - as_float(worst)) <= 0 and margin < 0
                assert (scale.rescaled(score) <= -1 + 1e-12) == below


def _sign(difference: float) -> float:
    # For M ≤ 6 a score and a baseline are either equal or a thousandth apart.
    return 0 if abs(difference) < 1e-12 else math.copysign(1, difference)


def test_custom_measures() -> None:
    """The perfect score is that of the perfect table, or the end of the codomain, or unknown."""
    rate = br.BaseRate(positives=4, total=10)
    cost = br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")
    assert br.baseline(rate, cost).scale.perfect == 0
    assert br.rescaled_score(rate, cost, 3) == pytest.approx(0.5)  # all positive costs 6

    def precision(tp: float, fp: float, fn: float, tn: float) -> float:
        return tp / (tp + fp) / (fp + fn)

    unknown = br.Measure.custom("odd", precision)
    assert math.isnan(br.baseline(rate, unknown).scale.perfect)
    assert math.isnan(br.rescaled_score(rate, unknown, 10))
    assert br.rescaled_score(rate, unknown, -1) == -1
    known = br.Measure.custom("odd", precision, codomain=(0, 1))
    assert br.baseline(rate, known).scale.perfect == 1
    # A table with errors may be the best by a measure of one's own.
    greedy = br.Measure.custom("greedy", lambda tp, fp, fn, tn: tp + fp)
    assert not br.baseline(rate, greedy).scale.informative


def test_a_custom_measure_ties_up_to_its_own_rounding() -> None:
    """J as a difference of rates has expectations of 1e-17; a score of 0 is not below them."""
    j = br.Measure.custom("myJ", lambda tp, fp, fn, tn: tp / (tp + fn) - fp / (tn + fp))
    rate = br.BaseRate(positives=30, total=70)
    assert br.rescaled_score(rate, j, 0.0) == 0
    assert br.rescaled_score(rate, j, -0.001) == -1


def test_bad_scores() -> None:
    """A non-numeric score is an error; nan stays nan."""
    with pytest.raises(InvalidMeasureError, match=r"score must be a finite number \(got 'high'"):
        br.rescaled_score(CLEVELAND, "F1", "high")  # type: ignore[arg-type]
    with pytest.raises(InvalidMeasureError, match="score must be a finite number"):
        br.rescaled_score(CLEVELAND, "F1", math.inf)
    for key in TWO_CLASS_MEASURES:
        assert math.isnan(br.rescaled_score(CLEVELAND, key, math.nan)), key


def test_a_wide_codomain_does_not_swamp_a_score() -> None:
    """Rounding is relative to the numbers that occur, not to those that could occur."""
    euros = br.Measure.custom(
        "euros", lambda tp, fp, fn, tn: 100 * tp - 60 * fp, codomain=(-1e18, 1e18)
    )
    (verdict,) = br.evaluate(None, br.Confusion(tp=5, fp=3, fn=4, tn=20), euros)
    assert verdict.beats
    assert verdict.margin == pytest.approx(320)


def test_scores_beyond_perfection() -> None:
    """A custom measure may score beyond perfection: that counts as perfect, or is unknown."""
    scale = Scale(worst=0.0, best=0.5, perfect=1.0, direction=Direction.MAXIMIZE)
    assert not scale.rounds
    assert scale.rescaled(1.5) == 1
    perfect = Scale(worst=0.0, best=1.0, perfect=1.0, direction=Direction.MAXIMIZE)
    assert math.isnan(perfect.rescaled(1.5))


def test_rounding_of_a_custom_measure() -> None:
    """It is forgiven on the scale of the numbers that it computes with."""
    scale = Scale(worst=0.0, best=1e6, perfect=2e6, direction=Direction.MAXIMIZE, rounds=True)
    assert scale.advantage(1e6 * (1 + 1e-14), 1e6) == 0
    assert scale.advantage(1e6 * (1 + 1e-12), 1e6) > 0
    assert scale.advantage(1e-9, 0.0) == 0
