"""Edge cases: M = 1, P = 0, P = M, P̂ = 0, P̂ = M, and counts up to 10¹⁵."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import baserate as br
from baserate.exceptions import UndefinedMeasureError, UndefinedMeasureWarning
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from exact import DEFINITIONS, as_float
from tools import tie

HUGE = 10**15
SIZES = [1, 2, HUGE - 1, HUGE]


@pytest.fixture(autouse=True)
def no_numpy_warning() -> object:
    """Turn overflow, invalid values and division by zero into errors."""
    with np.errstate(all="raise"):
        yield


def _edge_draws() -> list[tuple[int, int, int]]:
    edges = {total: sorted({0, 1, total // 2, total - 1, total}) for total in SIZES}
    return [
        (positives, total, drawn)
        for total in SIZES
        for positives, drawn in product(edges[total], repeat=2)
    ]


@pytest.mark.parametrize("key", TWO_CLASS_MEASURES)
def test_laws_at_the_edges(key: str) -> None:
    """Every edge case gives finite numbers, or an undefined draw."""
    measure = TWO_CLASS_MEASURES[key]
    for positives, total, drawn in _edge_draws():
        rate = br.BaseRate(positives=positives, total=total)
        draw = br.DutchDraw(rate, predicted_positives=drawn)
        if drawn not in measure.allowed(rate):
            with pytest.raises(UndefinedMeasureError):
                draw.score(measure)
            continue
        null = draw.score(measure)
        lowest, middle, highest = null.ppf(0), null.ppf(0.5), null.ppf(1)
        assert lowest <= null.mean() * (1 + 1e-12) + 1e-300
        assert null.mean() <= highest * (1 + 1e-12) + 1e-300
        assert math.isfinite(null.var())
        assert lowest <= middle <= highest
        assert 0 <= null.cdf(middle) <= 1
        assert 0 <= null.sf(middle) <= 1


@pytest.mark.parametrize("key", TWO_CLASS_MEASURES)
def test_baselines_at_the_edges(key: str) -> None:
    """Both optima exist if any draw is allowed, and their own θ* attain them."""
    measure = TWO_CLASS_MEASURES[key]
    for positives, total, _ in _edge_draws():
        rate = br.BaseRate(positives=positives, total=total)
        if not measure.allowed(rate):
            with pytest.raises(UndefinedMeasureError):
                br.baseline(rate, measure)
            continue
        base = br.baseline(rate, measure)
        for optimum in (base.max, base.min):
            count = optimum.guesses.counts[0].start
            attained = br.DutchDraw(rate, predicted_positives=count).score(measure).mean()
            slack = 1e-300 + tie(measure, abs(optimum.value))
            assert attained == pytest.approx(optimum.value, rel=1e-14, abs=slack)


@pytest.mark.parametrize("key", TWO_CLASS_MEASURES)
def test_scores_of_huge_tables(key: str) -> None:
    """Scores of tables with up to 10¹⁵ observations are right to the last digits."""
    near = [HUGE // 4 - 1, HUGE // 4, 0, 3]
    for tp, fp, fn, tn in product(near, repeat=4):
        if tp + fp + fn + tn == 0:
            continue
        table = br.Confusion(tp=tp, fp=fp, fn=fn, tn=tn)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMeasureWarning)
            score = TWO_CLASS_MEASURES[key].score(table)
        try:
            exact = as_float(DEFINITIONS[key](tp, fp, fn, tn))
        except ZeroDivisionError:
            assert math.isnan(score)
        else:
            assert score == pytest.approx(exact, rel=1e-15, abs=0)


def test_products_that_overflow_64_bits() -> None:
    """P·N·P̂·N̂ exceeds 64 bits from M ≈ 110,000 on: MCC is still the correlation."""
    truth = np.arange(200_000) % 3 == 0
    prediction = np.arange(200_000) % 2 == 0
    table = br.Confusion.of(truth, prediction)
    correlation = np.corrcoef(truth, prediction)[0, 1]
    assert br.get_measure("MCC").score(table) == pytest.approx(correlation, abs=1e-12)


def test_whole_curves_of_the_largest_test_set() -> None:
    """Curves at M = 10¹⁵ are exact for measures with a formula, and computed for the rest."""
    rate = br.BaseRate(positives=HUGE // 4, total=HUGE)
    thetas = [0.0, 0.25, 0.5, Fraction(1, 3), 1.0]
    for key in TWO_CLASS_MEASURES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMeasureWarning)
            assert np.isfinite(br.expected_score(rate, key, thetas)[1:4]).all()
    accuracy = br.expected_score(rate, "ACC", thetas)
    assert accuracy == pytest.approx([0.75 - 0.5 * float(theta) for theta in thetas], rel=1e-15)
    g2 = br.expected_score(rate, "G2", thetas)
    assert g2 == pytest.approx([float(t * (1 - t)) ** 0.5 for t in thetas], rel=1e-12)
