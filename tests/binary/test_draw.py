"""The draw and the distribution of its scores, through the public API."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baserate as br
import reference
from baserate.core.measure import Direction
from baserate.kinds.two_classes.null import within_memory
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from reference import relative_error
from strategies import draws
from tools import attainable, masses

RATE = br.BaseRate(positives=139, total=303)


@given(drawn=draws(st.integers(1, 3000)), seed=st.integers(0, 2**32))
def test_predict_draws_exactly_so_many(drawn: br.DutchDraw, seed: int) -> None:
    """A prediction has one label per observation, ⌊Mθ⌉ ones, and depends only on the seed."""
    labels = drawn.predict(rng=seed)
    assert labels.shape == (drawn.base_rate.total,)
    assert set(np.unique(labels).tolist()) <= {0, 1}
    assert labels.sum() == drawn.predicted_positives
    assert (labels == drawn.predict(rng=seed)).all()
    assert (labels == drawn.predict(rng=np.random.default_rng(seed))).all()


def test_predict_without_a_seed_is_random() -> None:
    """Without a seed, two draws differ."""
    draw = br.DutchDraw(RATE, theta=0.5)
    assert (draw.predict() != draw.predict()).any()


def test_predict_has_no_preference() -> None:
    """Each observation is drawn with probability θ*, whatever its position (4,000 draws)."""
    draw = br.DutchDraw(br.BaseRate(positives=1, total=50), theta=0.3)
    rng = np.random.default_rng(11)
    share = np.mean([draw.predict(rng) for _ in range(4000)], axis=0)
    assert np.abs(share - 0.3).max() < 4.5 * math.sqrt(0.3 * 0.7 / 4000)


def test_theta_or_count() -> None:
    """A draw is given by θ or by its size, and equal draws are equal."""
    by_theta, by_count = br.DutchDraw(RATE, theta=0.4), br.DutchDraw(RATE, predicted_positives=121)
    assert by_theta == by_count
    assert by_theta.theta_star == 121 / 303
    assert hash(by_theta) == hash(by_count)
    with pytest.raises(AttributeError):
        by_theta.predicted_positives = 3  # type: ignore[misc]


def test_value_with_rounding_error_finds_its_tail() -> None:
    """Scores computed in another way, a few last digits off, count as the same scores."""
    draw = br.DutchDraw(RATE, theta=0.4)
    nulls = {key: draw.score(key) for key in ("TP", "J", "BACC", "G2", "F1", "FNR")}
    for tp in range(40, 75):
        table = br.Confusion.from_tp(tp, RATE, draw.predicted_positives)
        tpr, tnr = tp / 139, table.tn / 164
        tail = nulls["TP"].sf(tp)
        assert nulls["J"].sf(tpr + tnr - 1) == tail
        assert nulls["BACC"].sf((tpr + tnr) / 2) == tail
        assert nulls["G2"].sf(math.sqrt(tpr) * math.sqrt(tnr)) == tail
        assert nulls["F1"].sf(2 / (121 / tp + 139 / tp)) == tail
        assert nulls["FNR"].cdf(1 - tpr) == pytest.approx(tail, rel=1e-14)


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
    low, high = null.interval(0.9)
    assert null.cdf(high) + null.sf(low) - 1 >= 0.9
    assert null.tails(scores[0], better)[:2] == (
        (above[0], below[0]) if better is Direction.MAXIMIZE else (below[0], above[0])
    )
    assert (null.cdf(scores[-1] + 1), null.sf(scores[-1] + 1)) == (1, 0)
    assert (null.cdf(scores[0] - 1), null.sf(scores[0] - 1)) == (0, 1)
    assert all(
        map(math.isnan, (null.sf(math.nan), null.cdf(math.nan), null.tail(math.nan, better)))
    )
    assert (null.method, null.exact, null.error, null.floor) == ("exact", True, 0, 0)


def test_shared_scores_are_merged() -> None:
    """A score that several TP share has their total probability."""
    parity = br.Measure.custom("parity", lambda tp, fp, fn, tn: tp % 2)
    draw = br.DutchDraw(br.BaseRate(positives=9, total=40), theta=0.3)
    null, tp = draw.score(parity), draw.score("TP")
    odd = sum(tp.cdf(count) - tp.cdf(count - 1) for count in (1, 3, 5, 7, 9))
    assert null.sf(1) == null.sf(0.5) == pytest.approx(odd, rel=1e-13)
    assert null.cdf(0) == null.cdf(0.5) == pytest.approx(1 - odd, rel=1e-13)
    assert (null.sf(0), null.cdf(1), null.cdf(-1), null.sf(2)) == (1, 1, 0, 0)
    assert (null.ppf(0), null.ppf(0.6), null.ppf(1)) == (0, 1, 1)
    assert null.mean() == pytest.approx(odd, rel=1e-13)
    assert null.var() == pytest.approx(odd * (1 - odd), rel=1e-13)
    assert math.isnan(null.cdf(math.nan))


def test_scores_that_differ_only_by_rounding_are_merged() -> None:
    """A custom function that computes one number in several ways has one score."""
    third = br.Measure.custom("third", lambda tp, fp, fn, tn: (tp + 1) / (3 * (tp + 1)))
    null = br.DutchDraw(br.BaseRate(positives=50, total=100), theta=0.5).score(third)
    assert (null.sf(1 / 3), null.cdf(1 / 3)) == (1, 1)
    level = br.Measure.custom("level", lambda tp, fp, fn, tn: 0.1 * tp + 0.3 * fp - 0.2 * fp)
    null = br.DutchDraw(br.BaseRate(positives=50, total=100), theta=0.5).score(level)
    assert (null.sf(5), null.cdf(5)) == (1, 1)


def test_variance_is_not_the_second_moment() -> None:
    """G2 and TS have a formula or a sum for E[X²]; the variance subtracts the squared mean."""
    draw = br.DutchDraw(RATE, theta=0.5)
    for key in ("G2", "TS"):
        null, scores = draw.score(key), attainable(draw, key)
        spread = ((np.array(scores) - null.mean()) ** 2 * masses(null, scores)).sum()
        assert null.var() == pytest.approx(spread, rel=1e-11)
        assert null.var() < 0.1 * null.mean() ** 2


@pytest.mark.parametrize("key", ["TNR", "ACC", "J", "TS"])
def test_neighbouring_scores_of_a_huge_test_set(key: str) -> None:
    """Scores a few last digits apart stay distinct."""
    for positives, total, drawn in ((10**6, 10**15, 1000), (5 * 10**14, 10**15, 1000)):
        rate = br.BaseRate(positives=positives, total=total)
        draw = br.DutchDraw(rate, predicted_positives=drawn)
        null, tp, scores = draw.score(key), draw.score("TP"), attainable(draw, key)
        middle = int(tp.ppf(0.5))
        for count in range(middle, middle + 3):
            assert null.cdf(scores[count]) == pytest.approx(tp.cdf(count), rel=1e-12)


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


def test_the_moments_and_tails_are_those_of_scipy() -> None:
    """The true positives are hypergeometric; here, sf includes the score itself."""
    from scipy.stats import hypergeom

    ours, theirs = br.DutchDraw(RATE, theta=0.4).score("TP"), hypergeom(303, 139, 121)
    assert (ours.mean(), ours.var()) == pytest.approx((theirs.mean(), theirs.var()))
    assert (ours.cdf(55), ours.sf(55)) == pytest.approx((theirs.cdf(55), theirs.sf(54)))
    assert (ours.ppf(0.3), *ours.interval(0.95)) == (theirs.ppf(0.3), *theirs.interval(0.95))


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
        (10**7, 10**8, 3 * 10**7),
        (10**12 - 100, 10**12, 10**12 - 10**10),
        (2, 1185323155423, 1185323155373),  # almost always the same score
        (10**14, 10**14 + 10**13, 5 * 10**13),
        (3 * 10**14, 10**15, 77 * 10**13),
        (5 * 10**14, 10**15, 5 * 10**14),
        (10**15 - 1, 10**15, 5 * 10**14),
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
