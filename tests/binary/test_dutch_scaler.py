"""The Dutch Scaler: closed forms, bisection and the definition against each other."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import baserate as br
from baserate.baselines.dutch_scaler import Mixture, Scaler, _ends
from baserate.exceptions import InvalidProbabilityError, UndefinedMeasureError
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from reproduction import PAPER_MEASURES
from strategies import tables

CLEVELAND = br.BaseRate(positives=139, total=303)
INFORMATIVE = tuple(key for key, measure in TWO_CLASS_MEASURES.items() if measure.level is not None)
SMALL = st.integers(2, 60)


def _score(table: br.Confusion, key: str) -> float:
    score, reason = br.get_measure(key).score_or_reason(table)
    assume(not reason)
    return score


def test_levels_are_declared_where_a_draw_is_not_perfect() -> None:
    """14 of the paper's 22 measures have a Dutch Scaler."""
    perfect_for_free = {"TP", "TN", "FN", "FP", "TPR", "TNR", "FNR", "FPR"}
    assert set(PAPER_MEASURES) - set(INFORMATIVE) == perfect_for_free


@pytest.mark.parametrize("key", [*INFORMATIVE, "F2", "F0.5"])
@settings(max_examples=40, suppress_health_check=[HealthCheck.filter_too_much])
@given(table=tables())
def test_a_level_has_the_sign_of_the_measure_minus_the_score(key: str, table: br.Confusion) -> None:
    """The level is zero where the measure is s, positive just below and negative just above."""
    value = _score(table, key)
    assume(value > 1e-6)
    cells = (table.tp, table.fp, table.fn, table.tn)
    for score, is_below in ((value - 1e-7, True), (value + 1e-7, False)):
        with localcontext(prec=400):
            level = br.get_measure(key).level(Decimal(score), *cells)
        assert (level > 0) == is_below


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


@given(
    tables(st.integers(2, 10**6)), st.sampled_from([*INFORMATIVE, "F2", "F0.5"]), st.floats(0, 0.4)
)
def test_closed_form_and_bisection_agree(table: br.Confusion, key: str, rho: float) -> None:
    """Bisection finds the same roots as the polynomial, at each end of the optimal θ."""
    score = _score(table, key)
    try:
        base = br.baseline(table, key)
        weight = Scaler(base, rho).weight(score)
    except UndefinedMeasureError:
        return
    mixtures = [Mixture(base, draw, rho) for draw in _ends(base.guesses)]
    found = min(mixture.bracketed(score) for mixture in mixtures)
    # Where a measure is almost flat, floats cannot distinguish the weights with its score.
    flat = min(_range(mixture, found, weight) for mixture in mixtures)
    assert abs(found - weight) < 1e-7 or flat < 1e-12


def _range(mixture: Mixture, *weights: float) -> float:
    return float(np.ptp(mixture.base.measure.scores(*mixture.cells(np.array(weights)))))


@given(tables(SMALL), st.sampled_from(INFORMATIVE), st.sampled_from([0.0, 0.1, 0.3]))
def test_no_optimal_draw_needs_less(table: br.Confusion, key: str, rho: float) -> None:
    """The smallest α over all optimal θ* is at an end of their range."""
    score = _score(table, key)
    try:
        base = br.baseline(table, key)
        weight = Scaler(base, rho).weight(score)
    except UndefinedMeasureError:
        return
    if base.scale.advantage(score, base.best.value) == 0:  # a tie, which rounding may hide
        assert weight == 0
        return
    draws = [draw for part in base.guesses.counts for draw in part]
    least = min(Mixture(base, draw, rho).solved(score) for draw in draws)
    assert weight == pytest.approx(least, abs=1e-12)


@given(tables(SMALL), st.sampled_from(INFORMATIVE))
def test_the_mixture_has_the_score(table: br.Confusion, key: str) -> None:
    """At α the expected counts of one of the best draws and the oracle give the model's score."""
    score = _score(table, key)
    try:
        base = br.baseline(table, key)
        weight = Scaler(base).weight(score)
    except UndefinedMeasureError:
        return
    assert 0 <= weight <= 1
    if weight == 0:
        return
    values = [
        float(base.measure.scores(*Mixture(base, draw, 0).cells(np.array([weight])))[0])
        for draw in _ends(base.guesses)
    ]
    assert min(abs(value - score) for value in values) < 1e-9


@pytest.mark.parametrize("key", INFORMATIVE)
def test_ends_of_the_scale(key: str) -> None:
    """The baseline needs none of the oracle, perfection all of it."""
    base = br.baseline(CLEVELAND, key)
    assert br.dutch_scaler(CLEVELAND, key, base.best.value) == 0
    assert br.dutch_scaler(CLEVELAND, key, base.scale.perfect) == 1


@pytest.mark.parametrize("key", INFORMATIVE)
def test_more_of_the_oracle_for_a_better_score(key: str) -> None:
    """The weight grows with the score, even on a test set of 10¹² with a millionth positive."""
    for rate in (CLEVELAND, br.BaseRate(positives=10**6, total=10**12)):
        base = br.baseline(rate, key)
        perfect = base.scale.perfect
        steps = [(base.best.value * (10 - step) + perfect * step) / 10 for step in range(11)]
        weights = [br.dutch_scaler(rate, key, score) for score in steps]
        assert weights == sorted(weights)
        assert (weights[0], weights[-1]) == (0, 1)


def test_precision_beside_high_precision() -> None:
    """A quadratic whose roots differ widely in size loses no digits."""
    rate = br.BaseRate(positives=10**6, total=10**12)
    p, n, s = mpmath.mpf(10) ** 6, mpmath.mpf(10) ** 12 - mpmath.mpf(10) ** 6, mpmath.mpf(0.25)
    # FM at θ = 1: P² = s² P (M - αN), so α = (M - P/s²) / N.
    exact = (p + n - p / s**2) / n
    assert br.dutch_scaler(rate, "FM", 0.25) == pytest.approx(float(exact), rel=1e-15)


def test_a_score_between_the_draw_and_its_expected_counts_needs_no_oracle() -> None:
    """E[G2] of a draw is below the G2 of its expected counts: a score in between needs α = 0."""
    rate = br.BaseRate(positives=3, total=10)
    base = br.baseline(rate, "G2").best
    theta = base.guesses.counts[0][0] / 10
    of_counts = math.sqrt(theta * (1 - theta))
    assert base.value < of_counts
    assert br.dutch_scaler(rate, "G2", (base.value + of_counts) / 2) == 0
    assert br.dutch_scaler(rate, "G2", of_counts + 0.01) > 0


UNDEFINED = {
    "below": (
        "F1",
        0.5,
        0.0,
        r"Scaler of F1 is undefined: the score 0.5 is worse than the baseline 0.62",
    ),
    "perfect for free": (
        "TPR",
        0.9,
        0.0,
        r"the best draw is as good as a perfect prediction \(1\)",
    ),
    "oracle no better": ("ACC", 0.6, 0.46, "scores 0.54, no better than the baseline 0.541254"),
    "oracle worse": ("J", 0.1, 0.6, "rho = 0.6 scores -0.2, no better than the baseline 0"),
    "beyond the oracle": ("J", 0.9, 0.1, "0.9 is better than the 0.8 of an oracle"),
    "nan": ("F1", math.nan, 0.0, "the score is nan"),
}


@pytest.mark.parametrize("case", UNDEFINED)
def test_undefined_says_why(case: str) -> None:
    """A score below the baseline or beyond the oracle, or a large ρ, has no Dutch Scaler."""
    key, score, rho, message = UNDEFINED[case]
    with pytest.raises(UndefinedMeasureError, match=message):
        br.dutch_scaler(CLEVELAND, key, score, rho=rho)


@pytest.mark.parametrize("rho", [-0.1, 1.5, math.nan, "0.1", True, None])
def test_rho_is_a_probability(rho: object) -> None:
    """A ρ that is not a probability is an error."""
    with pytest.raises(InvalidProbabilityError, match="rho must be between 0 and 1"):
        br.dutch_scaler(CLEVELAND, "J", 0.5, rho=rho)  # type: ignore[arg-type]


def test_custom_measures_are_bracketed() -> None:
    """A copy of a built-in measure has the same Dutch Scaler; a cost has one too."""
    table = br.Confusion(tp=110, fp=20, fn=29, tn=144)
    copy = br.Measure.custom(
        "myF1", lambda tp, fp, fn, tn: 2 * tp / (2 * tp + fp + fn), smooth=True, codomain=(0, 1)
    )
    score = copy.score(table)
    assert br.dutch_scaler(table, copy, score) == pytest.approx(
        br.dutch_scaler(table, "F1", score), abs=1e-12
    )
    # All draws are best for this J; each needs the same weight.
    j = br.Measure.custom(
        "myJ", lambda tp, fp, fn, tn: tp / (tp + fn) - fp / (tn + fp), smooth=True
    )
    assert br.dutch_scaler(table, j, 0.5) == pytest.approx(0.5, abs=1e-9)
    cost = br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")
    # Predicting all positive costs 164, the oracle nothing.
    assert br.dutch_scaler(table, cost, 41) == pytest.approx(0.75, abs=1e-12)


def test_many_optimal_draws_of_a_custom_measure() -> None:
    """If there are too many optimal draws, some of each part are tried, including both ends."""
    rate = br.BaseRate(positives=400, total=1000)
    mine = br.Measure.custom(
        "myPPV", lambda tp, fp, fn, tn: tp / (tp + fp), smooth=True, codomain=(0, 1)
    )
    assert len(br.baseline(rate, mine).guesses) == 1000
    found = br.dutch_scaler(rate, mine, 0.7)
    assert found == pytest.approx(br.dutch_scaler(rate, "PPV", 0.7), abs=1e-9)


def test_a_weight_is_rounded_once() -> None:
    """A weight is rounded once, even half-way between two floats: ACC of α is (N + αP)/M."""
    for positives in range(1, 15):
        rate = br.BaseRate(positives=positives, total=29)
        for right in range(30 - positives, 29):
            score = right / 29
            exact = (Fraction(score) * 29 - rate.negatives) / positives
            assert br.dutch_scaler(rate, "ACC", score) == float(exact)
