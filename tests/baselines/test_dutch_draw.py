"""The draw and the distribution of its scores: predictions, p-values and intervals of chance."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baserate as br
import reference
from baserate.core.measure import Direction
from baserate.kinds.two_classes_null import within_memory
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from baserate.observed.theta import (
    ThetaInterval,
    ThetaSet,
    predicted_positives_of,
)
from exact import DEFINITIONS, as_float, expectations, extremes, pmf_tables
from reference import relative_error
from strategies import draws
from tools import attainable, masses, members, tie


@given(drawn=draws(st.integers(1, 3000)), seed=st.integers(0, 2**32))
def test_predict_draws_exactly_so_many(drawn: br.DutchDraw, seed: int) -> None:
    """A prediction has one label per observation, ⌊Mθ⌉ ones, and depends only on the seed."""
    labels = drawn.predict(rng=seed)
    assert labels.shape == (drawn.base_rate.total,)
    assert set(np.unique(labels).tolist()) <= {0, 1}
    assert labels.sum() == drawn.predicted_positives
    assert (labels == drawn.predict(rng=seed)).all()
    assert (labels == drawn.predict(rng=np.random.default_rng(seed))).all()


@pytest.mark.parametrize("key", TWO_CLASS_MEASURES)
def test_the_distribution_hangs_together(key: str) -> None:
    """sf, cdf, ppf and interval are consistent, at each score, between two and beyond all."""
    draw = br.DutchDraw(br.BaseRate(positives=9, total=40), theta=0.3)
    null, better = draw.score(key), br.get_measure(key).direction
    scores = attainable(draw, key)
    below = [null.cdf(score) for score in scores]
    above = [null.sf(score) for score in scores]
    assert below == sorted(below)
    assert above[1:] == pytest.approx([1 - each for each in below[:-1]])
    between = [(low + high) / 2 for low, high in pairwise(scores)]
    assert [null.cdf(score) for score in between] == below[:-1]
    assert [null.sf(score) for score in between] == above[1:]
    assert [null.ppf(level) for level in below] == scores
    assert (null.ppf(0), null.ppf(1)) == (scores[0], scores[-1])
    values, chances = np.array(scores), masses(null, scores)
    assert chances.sum() == pytest.approx(1, abs=1e-13)
    assert null.mean() == pytest.approx(values @ chances, rel=1e-12, abs=1e-15)
    assert null.var() == pytest.approx((values - null.mean()) ** 2 @ chances, rel=1e-10, abs=1e-15)
    low, high = null.interval(0.9)
    assert null.cdf(high) + null.sf(low) - 1 >= 0.9
    tails = (above[0], below[0]) if better is Direction.MAXIMIZE else (below[0], above[0])
    assert null.tails(scores[0], better)[:2] == pytest.approx(tails, rel=1e-14)
    assert (null.cdf(scores[-1] + 1), null.sf(scores[-1] + 1)) == (1, 0)
    assert (null.cdf(scores[0] - 1), null.sf(scores[0] - 1)) == (0, 1)
    assert all(
        map(math.isnan, (null.sf(math.nan), null.cdf(math.nan), null.tail(math.nan, better)))
    )
    assert (null.method, null.exact, null.error, null.floor) == ("exact", True, 0, 0)


def test_scores_that_are_too_many_to_list() -> None:
    """A user's function of 10¹² rows has no list of scores, but a mean; others need no list."""
    draw = br.DutchDraw(br.BaseRate(positives=10**11, total=10**12), theta=0.5)
    null = draw.score("ACC")
    assert null.cdf(null.mean()) == pytest.approx(0.5, abs=1e-4)
    square = draw.score(br.Measure.custom("square", lambda tp, fp, fn, tn: tp**2, smooth=True))
    assert square.mean() == pytest.approx(2.5e21, rel=1e-9)
    with pytest.raises(br.exceptions.TooManyValuesError, match="100,000,000,001"):
        square.cdf(0)
    assert "at most 1,000,000 scores can be listed" in repr(square)
    cost = draw.score(br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn))
    assert cost.sf(cost.mean()) == pytest.approx(0.5, abs=1e-4)


def test_a_sample_that_memory_refuses_is_an_error_of_ours() -> None:
    """A sample may be small enough for the limit, and still too large for a machine."""
    error = pytest.raises(br.exceptions.InvalidSampleError, match=r"fit in memory.*got 1,?000")
    with error, within_memory(1000):
        raise MemoryError


@pytest.mark.parametrize("key", ["G2", "TS"])
@pytest.mark.parametrize(
    ("positives", "total", "drawn"),
    [
        (3, 10, 4),
        (139, 303, 121),
        (10**12 - 100, 10**12, 10**12 - 10**10),
        (2, 1185323155423, 1185323155373),  # almost always the same score
        (3 * 10**14, 10**15, 77 * 10**13),
        (10**15 - 50, 10**15, 10**15 - 10**14),
    ],
)
def test_variances_to_the_last_digits(key: str, positives: int, total: int, drawn: int) -> None:
    """At M = 10¹⁵ scores differ by 10⁻⁸ of their size or less: the variance is right to 2e-14."""
    definition = TWO_CLASS_MEASURES[key].definition
    mean = reference.expectation(definition, positives, total, drawn)
    exact = reference.expectation(
        lambda *table: (definition(*table) - mean) ** 2, positives, total, drawn
    )
    rate = br.BaseRate(positives=positives, total=total)
    null = br.DutchDraw(rate, predicted_positives=drawn).score(key)
    assert relative_error(null.var(), exact) < 2e-14


# --- edges: M = 1, P = 0, P = M, P̂ = 0, P̂ = M, and counts up to 10¹⁵ -----------------------------


def _edge_draws() -> list[tuple[int, int, int]]:
    sizes = (1, 2, 10**15 - 1, 10**15)
    edges = {total: sorted({0, 1, total // 2, total - 1, total}) for total in sizes}
    return [
        (positives, total, drawn)
        for total in sizes
        for positives, drawn in product(edges[total], repeat=2)
    ]


@np.errstate(all="raise")
@pytest.mark.parametrize("key", TWO_CLASS_MEASURES)
def test_draws_and_baselines_at_the_edges(key: str) -> None:
    """Edge cases have finite numbers, or are undefined; optima are attained by their own θ*."""
    measure = TWO_CLASS_MEASURES[key]
    for positives, total, drawn in _edge_draws():
        rate = br.BaseRate(positives=positives, total=total)
        draw = br.DutchDraw(rate, predicted_positives=drawn)
        if drawn not in measure.allowed(rate):
            with pytest.raises(br.exceptions.UndefinedMeasureError):
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
        base = br.baseline(rate, measure)
        largest = max(abs(base.max.value), abs(base.min.value))
        slack = 1e-14 * largest + tie(measure, largest)
        assert base.min.value - slack <= null.mean() <= base.max.value + slack
        for optimum in (base.max, base.min):
            count = optimum.guesses.counts[0].start
            attained = br.DutchDraw(rate, predicted_positives=count).score(measure).mean()
            slack = 1e-300 + tie(measure, abs(optimum.value))
            assert attained == pytest.approx(optimum.value, rel=1e-14, abs=slack)


# --- p-values and intervals of chance -------------------------------------------------------------


@pytest.mark.parametrize("key", TWO_CLASS_MEASURES)
def test_one_number_for_every_measure(key: str) -> None:
    """At least as good by any measure means at least as many true positives: one p-value."""
    measure, tables = br.get_measure(key), [(7, 4, 5, 9), (110, 20, 29, 144), (4, 2, 900, 3000)]
    for tp, fp, fn, tn in tables:
        table = br.ConfusionMatrix(tp=tp, fp=fp, fn=fn, tn=tn)
        null = br.DutchDraw(table, predicted_positives=tp + fp).score(key)
        verdict = br.evaluate(None, table, key)["model", key]
        assert verdict.p_value == br.p_value(table)
        assert null.tail(measure.score(table), measure.direction) == pytest.approx(
            verdict.p_value, rel=1e-12
        )
        null_ends = (verdict.null_low, verdict.null_high)
        assert null_ends == pytest.approx(null.interval(0.95), rel=1e-12)


# --- every expectation and optimum, in fractions --------------------------------------------------

TOTALS = (*range(1, 9), 16, 25)
CLOSE = {"rel": 4e-15, "abs": 4e-15}


@pytest.mark.parametrize("key", DEFINITIONS)
def test_baseline_and_expectation_at_pmf_level(key: str) -> None:
    """They agree, with every expectation, for all M to 8, and for 16 and 25."""
    for total in TOTALS:
        for positives in range(total + 1):
            _check_baseline(key, positives, total)


def _check_baseline(key: str, positives: int, total: int) -> None:
    rate = br.BaseRate(positives=positives, total=total)
    means = expectations(key, positives, total, pmf_tables)
    if not means:
        with pytest.raises(br.exceptions.UndefinedMeasureError):
            br.baseline(rate, key)
        return
    computed = br.expected_score(rate, key, [Fraction(drawn, total) for drawn in means])
    assert computed == pytest.approx([as_float(value) for value in means.values()], **CLOSE)
    base = br.baseline(rate, key)
    for optimum, (value, counts) in zip((base.max, base.min), extremes(means), strict=True):
        assert optimum.value == pytest.approx(as_float(value), **CLOSE)
        assert members(optimum.guesses) == counts


@given(total=st.integers(1, 10**15), data=st.data())
def test_halves_round_up(total: int, data: st.DataObject) -> None:
    """(2k - 1)/(2M) and k/M draw k, as a fraction and as a float."""
    count = data.draw(st.integers(1, total))
    assert predicted_positives_of(Fraction(count, total), total) == count
    assert predicted_positives_of(count / total, total) == count
    assert predicted_positives_of(Fraction(2 * count - 1, 2 * total), total) == count
    assert predicted_positives_of((2 * count - 1) / (2 * total), total) == count


def test_theta_set_is_a_collection() -> None:
    """len, in and iteration work without listing the members."""
    ends = br.baseline(br.BaseRate(positives=3, total=10), "G2").min.guesses
    assert (len(ends), list(ends), repr(ends)) == (2, [0.0, 1.0], "ThetaSet({0, 1})")
    assert 0.0 in ends
    assert 1 in ends
    assert 0.5 not in ends
    assert "0" not in ends
    assert 2 not in ends
    assert float("nan") not in ends
    assert repr(ThetaSet((range(1, 3),), 10)) == "ThetaSet({1/10, 2/10})"
    assert repr(ThetaSet((range(1, 4),), 10)) == "ThetaSet({1/10, …, 3/10})"
    assert ends == ThetaSet((range(1), range(10, 11)), 10)
    assert not ThetaSet((), 10)
    many = ThetaSet(tuple(range(k, k + 1) for k in range(0, 90, 2)), 100)
    assert "…" in str(many)
    assert len(str(many)) < 200


def test_intervals_contain_what_rounds_into_them() -> None:
    """θ lies in the intervals of a set exactly when it rounds to a member."""
    total = 7
    part = ThetaSet((range(1, 3), range(5, 8)), total)
    for numerator in range(2 * 4 * total + 1):
        theta = Fraction(numerator, 8 * total)
        rounds_in = predicted_positives_of(theta, total) in {1, 2, 5, 6, 7}
        assert any(theta in interval for interval in part.intervals) == rounds_in
    open_interval = ThetaInterval(Fraction(0), Fraction(1), False, False)
    assert 0 not in open_interval
    assert str(open_interval) == "(0, 1)"
