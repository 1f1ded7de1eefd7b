"""The draw and the distribution of its scores, through the public API."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baserate as br
import reference
from baserate.null.hypergeometric import MOST_VALUES
from reference import relative_error
from strategies import draws

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


def test_value_with_rounding_error_finds_its_mass() -> None:
    """Scores computed in another way, a few last digits off, count as the same scores."""
    draw = br.DutchDraw(RATE, theta=0.4)
    for tp in range(40, 75):
        table = br.Confusion.from_tp(tp, RATE, draw.predicted_positives)
        tpr, tnr = tp / 139, table.tn / 164
        mass = draw.score("TP").pmf(tp)
        assert draw.score("J").pmf(tpr + tnr - 1) == mass
        assert draw.score("BACC").pmf((tpr + tnr) / 2) == mass
        assert draw.score("G2").pmf(math.sqrt(tpr) * math.sqrt(tnr)) == mass
        assert draw.score("F1").pmf(2 / (121 / tp + 139 / tp)) == mass
        assert draw.score("FNR").pmf(1 - tpr) == mass


@pytest.mark.parametrize("key", br.MEASURES)
def test_anything_else_has_mass_zero(key: str) -> None:
    """Half-way between two scores, and beyond all scores, the probability is zero."""
    law = br.DutchDraw(RATE, theta=0.4).score(key)
    values = law.values()
    between = (values[:-1] + values[1:]) / 2
    assert not law.pmf(between).any()
    assert not law.pmf([values[0] - 1, values[-1] + 1, math.inf, -math.inf, math.nan]).any()
    assert law.cdf(between) == pytest.approx(law.cdf(values[:-1]), rel=1e-15)
    assert law.sf(between) == pytest.approx(law.sf(values[:-1]), rel=1e-15)


@pytest.mark.parametrize("key", br.MEASURES)
def test_law_hangs_together(key: str) -> None:
    """support, values, pmf, cdf, sf, ppf and interval are consistent, in both directions."""
    law = br.DutchDraw(br.BaseRate(positives=9, total=40), theta=0.3).score(key)
    values, (lowest, highest) = law.values(), law.support()
    assert (values[0], values[-1]) == (pytest.approx(lowest), pytest.approx(highest))
    assert (np.diff(values) > 0).all()
    assert law.cdf(values) == pytest.approx(np.cumsum(law.pmf(values)), rel=1e-12)
    assert law.cdf(values) + law.sf(values) == pytest.approx(1)
    assert law.ppf(law.cdf(values[:-1])) == pytest.approx(values[:-1])
    assert (law.ppf(0), law.ppf(1)) == (pytest.approx(lowest), pytest.approx(highest))
    low, high = law.interval(0.9)
    assert law.cdf(high) - law.cdf(low) + law.pmf(low) >= 0.9
    assert np.isnan(law.ppf([-0.1, 1.1, math.nan])).all()
    assert math.isnan(law.cdf(math.nan))
    assert math.isnan(law.sf(math.nan))
    better = br.get_measure(key).direction
    tails = [
        law.tail(each, better) + law.tail(each, better.opposite) - law.pmf(each) for each in values
    ]
    assert tails == pytest.approx([1] * values.size)
    assert math.isnan(law.tail(math.nan, better))
    assert law.exact
    assert (law.cdf(highest + 1), law.sf(highest + 1)) == (1, 0)
    assert (law.cdf(lowest - 1), law.sf(lowest - 1)) == (0, 1)
    assert law.std() == pytest.approx(math.sqrt(law.var()))


def test_shared_values_are_merged() -> None:
    """A score that several TP share is one value with their total probability."""
    parity = br.Measure.custom("parity", lambda tp, fp, fn, tn: tp % 2)
    law = br.DutchDraw(br.BaseRate(positives=9, total=40), theta=0.3).score(parity)
    tp = br.DutchDraw(br.BaseRate(positives=9, total=40), theta=0.3).score("TP")
    assert law.values().tolist() == [0, 1]
    assert law.pmf(1) == pytest.approx(tp.pmf([1, 3, 5, 7, 9]).sum(), rel=1e-14)
    assert law.mean() == pytest.approx(law.pmf(1), rel=1e-14)
    assert law.var() == pytest.approx(law.pmf(1) * law.pmf(0), rel=1e-13)
    assert (law.cdf(0), law.cdf(1), law.sf(0), law.sf(1)) == (law.pmf(0), 1, law.pmf(1), 0)
    assert (law.cdf(-1), law.sf(-1), law.pmf(0.5)) == (0, 1, 0)
    assert (law.ppf(0), law.ppf(1), law.support()) == (0, 1, (0, 1))
    assert math.isnan(law.cdf(math.nan))
    assert math.isnan(law.sf(math.nan))


def test_values_that_differ_only_by_rounding_are_merged() -> None:
    """A custom function that computes one number in several ways has one value."""
    third = br.Measure.custom("third", lambda tp, fp, fn, tn: (tp + 1) / (3 * (tp + 1)))
    law = br.DutchDraw(br.BaseRate(positives=50, total=100), theta=0.5).score(third)
    assert law.values() == pytest.approx([1 / 3], rel=1e-15)
    assert law.pmf(1 / 3) == pytest.approx(1, abs=1e-13)


@pytest.mark.parametrize("key", ["G2", "TS", "F1", "FNR"])
def test_random_scores(key: str) -> None:
    """Random scores are possible ones with the right mean, in any shape, fixed by the seed."""
    law = br.DutchDraw(RATE, theta=0.4).score(key)
    scores = law.rvs(5000, rng=1)
    assert (scores == law.rvs(5000, rng=1)).all()
    assert abs(scores.mean() - law.mean()) < 5 * law.std() / math.sqrt(5000)
    assert (law.pmf(scores[:50]) > 0).all()
    assert law.rvs((2, 3), rng=1).shape == (2, 3)
    assert type(law.rvs(rng=1)) is float


def test_variance_is_not_the_second_moment() -> None:
    """G2 and TS have a formula or a sum for E[X²]; the variance subtracts the squared mean."""
    for key in ("G2", "TS"):
        law = br.DutchDraw(RATE, theta=0.5).score(key)
        values = law.values()
        spread = ((values - law.mean()) ** 2 * law.pmf(values)).sum()
        assert law.var() == pytest.approx(spread, rel=1e-11)
        assert law.var() < 0.1 * law.mean() ** 2


@pytest.mark.parametrize("key", ["TNR", "ACC", "J", "TS"])
def test_many_questions_at_once_about_a_huge_test_set(key: str) -> None:
    """Scores a few last digits apart stay distinct, one by one and in arrays."""
    for positives, total, drawn in ((10**6, 10**15, 1000), (5 * 10**14, 10**15, 1000)):
        rate = br.BaseRate(positives=positives, total=total)
        law = br.DutchDraw(rate, predicted_positives=drawn).score(key)
        middle = law.ppf(0.5)
        assert law.pmf([middle] * 300) == pytest.approx([law.pmf(middle)] * 300, rel=1e-12)
        assert law.cdf([middle] * 300) == pytest.approx([law.cdf(middle)] * 300, rel=1e-12)
        assert law.pmf(law.values()).sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("key", ["F1", "FNR", "G2"])
def test_many_questions_at_once(key: str) -> None:
    """Arrays of scores are looked up in a table, with the same answers as single scores."""
    law = br.DutchDraw(RATE, theta=0.4).score(key)
    values = law.values()
    for method in (law.pmf, law.cdf, law.sf):
        one_by_one = [method(value) for value in values.tolist()]
        assert method(values) == pytest.approx(one_by_one, rel=1e-12, abs=1e-300)
    assert law.pmf(np.append(values, math.nan))[-1] == 0
    assert math.isnan(law.cdf(np.append(values, math.nan))[-1])


def test_too_many_values_are_refused() -> None:
    """A support of 10⁹ scores is never listed; single scores can still be looked up."""
    rate = br.BaseRate(positives=10**9, total=10**10)
    law = br.DutchDraw(rate, theta=0.5).score("ACC")
    with pytest.raises(br.exceptions.TooManyValuesError, match="1,000,000,001"):
        law.values()
    assert law.cdf(law.mean()) == pytest.approx(0.5, abs=1e-4)
    assert MOST_VALUES < 10**9


def test_law_is_scipy_shaped() -> None:
    """The method names are those of a frozen scipy distribution."""
    from scipy.stats import hypergeom

    ours = br.DutchDraw(RATE, theta=0.4).score("TP")
    theirs = hypergeom(303, 139, 121)
    for name in ("mean", "var", "std", "support"):
        assert getattr(ours, name)() == pytest.approx(getattr(theirs, name)())
    for name, argument in (("pmf", 55), ("cdf", 55), ("sf", 55), ("ppf", 0.3), ("interval", 0.95)):
        assert getattr(ours, name)(argument) == pytest.approx(getattr(theirs, name)(argument))


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
    definition = br.MEASURES[key].definition
    mean = reference.expectation(definition, positives, total, drawn)
    exact = reference.expectation(
        lambda *table: (definition(*table) - mean) ** 2, positives, total, drawn
    )
    rate = br.BaseRate(positives=positives, total=total)
    law = br.DutchDraw(rate, predicted_positives=drawn).score(key)
    assert relative_error(law.var(), exact) < 2e-14
