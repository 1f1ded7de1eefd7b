"""Expectations without a formula: against the oracle, and to 50 digits beyond it."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

import baserate as br
import reference
from baserate.baselines.expectation import WIDE, expected_scores, means
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from reference import relative_error

if TYPE_CHECKING:
    from collections.abc import Callable

TOLERANCE = 1e-14
LAST_PLACE = 1e-15
SMOOTH = [*(each for each in TWO_CLASS_MEASURES.values() if each.smooth), br.fbeta(2)]


def _computed(measure: br.Measure, positives: int, total: int, drawn: int) -> float:
    """The computed expectation, even if there is a formula."""
    rate = br.BaseRate(positives=positives, total=total)
    return float(means(measure.scores, rate, np.array([drawn]), smooth=True)[0])


def _random_cases(seed: int, count: int) -> list[tuple[int, int, int]]:
    rng = random.Random(seed)
    cases = []
    for _ in range(count):
        total = int(10 ** rng.uniform(0.4, 15))
        edges = [1, 2, total - 1, total - 2, total // 2]
        log_total = math.log10(total)
        middle = [
            int(10 ** rng.uniform(0, log_total)),
            total - int(10 ** rng.uniform(0, log_total)),
        ]
        pick = [min(max(rng.choice(edges + 2 * middle), 1), total - 1) for _ in range(2)]
        cases.append((pick[0], total, pick[1]))
    return cases


def _switch_cases() -> list[tuple[int, int, int]]:
    """Draws whose standard deviation is just below and just above the switch of method."""
    cases = []
    for total in (10**4, 10**9, 10**15):
        for positives in (total // 2, total - 3000, 2000):
            variance_per = positives * (total - positives) / (total * total * (total - 1))
            root = math.sqrt(max(total**2 - 4 * WIDE**2 / variance_per, 0))
            drawn = int((total - root) / 2)
            cases += [(positives, total, drawn + shift) for shift in (0, 1)]
    return [case for case in cases if 0 < case[2] < case[1]]


def _check(measure: br.Measure, case: tuple[int, int, int]) -> None:
    positives, total, drawn = case
    exact = reference.expectation(measure.definition, positives, total, drawn)
    assert relative_error(_computed(measure, *case), exact) <= TOLERANCE


@pytest.mark.parametrize("key", ["G2", "TS"])
def test_across_the_switch(key: str) -> None:
    """The error does not change where one method takes over from the other."""
    sds = [float(reference.sd(*case)) for case in _switch_cases()]
    assert min(sds) < WIDE < max(sds)
    for case in _switch_cases():
        _check(TWO_CLASS_MEASURES[key], case)


@pytest.mark.parametrize("measure", SMOOTH, ids=lambda measure: measure.key)
def test_computation_agrees_with_the_formula(measure: br.Measure) -> None:
    """The numeric path gives every built-in measure its mean, by 50 digits or by its formula."""
    for positives, total, drawn in _random_cases(seed=7, count=30):
        rate = br.BaseRate(positives=positives, total=total)
        if drawn not in measure.allowed(rate):
            continue
        computed = _computed(measure, positives, total, drawn)
        if measure.draw.expectation is None:
            exact = reference.expectation(measure.definition, positives, total, drawn)
            assert relative_error(computed, exact) <= TOLERANCE
        else:
            # An expectation of zero is a difference of scores: it is right to their last digit.
            formula = float(expected_scores(rate, measure, np.array([drawn]))[0])
            assert abs(computed - formula) <= (TOLERANCE * abs(formula) or LAST_PLACE)


def _youden(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray, tn: np.ndarray) -> np.ndarray:
    return tp / (tp + fn) + tn / (tn + fp) - 1


NOT_SMOOTH: dict[str, Callable[..., np.ndarray]] = {
    "a pole": lambda *table: 1 / _youden(*table),
    "a pole that is squared": lambda *table: _youden(*table) ** -2,
    "a kink": lambda *table: np.abs(_youden(*table)),
    "a ramp": lambda *table: np.maximum(_youden(*table), 0),
    "a step": lambda *table: np.where(_youden(*table) > 0, 1.0, 0.0),
    "a step of counts": lambda tp, fp, fn, tn: np.where(tp > fn, 1.0, 0.0),
    "a rounded count": lambda tp, fp, fn, tn: np.floor(tp / 100),
    "a wave": lambda tp, fp, fn, tn: np.cos(tp),
    "parity": lambda tp, fp, fn, tn: tp % 2,
    "a power of a negative number": lambda tp, fp, fn, tn: (-1.0) ** tp,
    "a root of a negative number": lambda *table: np.sqrt(_youden(*table) ** 2 - 1e-20),
}


@pytest.mark.parametrize("name", NOT_SMOOTH)
def test_what_is_not_smooth_is_noticed(name: str) -> None:
    """If a law's middle has a pole, a kink, a step or a wave, no integral is reported."""
    liar = br.Measure.custom(name, NOT_SMOOTH[name], smooth=True)
    for total in (10**6, 10**9):
        rate = br.BaseRate(positives=total // 3, total=total)
        with pytest.raises(br.exceptions.InvalidMeasureError, match="a pole, a kink"):
            br.expected_score(rate, liar, np.linspace(0.3, 0.7, 101))


def _naive_kappa(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray, tn: np.ndarray) -> np.ndarray:
    total = tp + fp + fn + tn
    chance = ((tp + fp) * (tp + fn) + (tn + fn) * (tn + fp)) / total**2
    return ((tp + tn) / total - chance) / (1 - chance)


@pytest.mark.parametrize(
    "function",
    [
        lambda tp, fp, fn, tn: np.sqrt(tp / (tp + fn) * tn / (tn + fp)),
        lambda tp, fp, fn, tn: np.log((tp + 1) * (tn + 1) / (fp + 1) / (fn + 1)),
        lambda tp, fp, fn, tn: tp**4.0,
        lambda *table: _youden(*table) ** 2,
        _naive_kappa,
    ],
)
def test_what_is_smooth_is_not_suspected(function: Callable[..., np.ndarray]) -> None:
    """Rounding is not mistaken for a kink, even in naive differences of rates, up to M = 10¹⁵."""
    smooth = br.Measure.custom("smooth", function, smooth=True)
    for total in (10**6, 10**9, 10**12, 10**15):
        for positives in (total // 3, total // 1000, total - total // 10**5):
            rate = br.BaseRate(positives=positives, total=total)
            assert np.isfinite(br.expected_score(rate, smooth, np.linspace(0.01, 0.99, 99))).all()


@pytest.mark.parametrize("smooth", [True, False])
@pytest.mark.parametrize(("total", "distance"), [(800, 10), (800, 20), (10**4, 12), (10**6, 20)])
def test_a_spike_anywhere_is_in_the_mean(total: int, distance: int, smooth: bool) -> None:  # noqa: FBT001
    """The mean is that of all counts, even far from the middle."""
    rate = br.BaseRate(positives=total // 2, total=total)
    draw = br.DutchDraw(rate, 0.5)
    at = int(draw.score("TP").mean() + distance * math.sqrt(draw.score("TP").var()))
    mass = reference.pmf(rate.positives, total, total // 2, at)
    height = float(0.267 / mass)
    spike = br.Measure.custom(
        "spike", lambda tp, fp, fn, tn: np.where(tp == at, height, 1.0), smooth=smooth
    )
    law = draw.score(spike)
    assert law.mean() == pytest.approx(1.267, rel=1e-12)
    assert br.expected_score(rate, spike, [0.5])[0] == law.mean()
    assert law.var() == pytest.approx(0.267 * height, rel=1e-10)
    if total == 800:
        base = br.baseline(rate, spike)
        assert base.max.exact
        curve = [br.expected_score(rate, spike, Fraction(k, total)) for k in range(395, 406)]
        assert base.max.value >= max(curve)


def test_scores_that_outgrow_what_can_be_summed_are_undefined() -> None:
    """A function too large at far counts, or not a number in the middle, has no expectation."""
    huge = br.BaseRate(positives=10**12, total=3 * 10**12)
    large = br.BaseRate(positives=10**7, total=3 * 10**7)
    steep = br.Measure.custom(
        "steep", lambda tp, fp, fn, tn: np.exp(np.minimum((tp - 5e11) / 4e4, 600)), smooth=True
    )
    hole = br.Measure.custom("hole", lambda tp, fp, fn, tn: np.where(tp == 5_000_000, np.nan, 1.0))
    for rate, measure in ((huge, steep), (large, hole)):
        with pytest.warns(br.exceptions.UndefinedMeasureWarning):
            assert math.isnan(br.expected_score(rate, measure, 0.5))


def test_scores_that_outgrow_a_huge_law_are_undefined() -> None:
    """If unlikely counts of a very long support decide the expectation, it is nan, not wrong."""
    rate = br.BaseRate(positives=10**9, total=3 * 10**9)
    power = br.Measure.custom("power", lambda tp, fp, fn, tn: np.exp(tp / 1e3 - 5e5), smooth=True)
    with pytest.warns(br.exceptions.UndefinedMeasureWarning):
        assert math.isnan(br.expected_score(rate, power, 0.5))
