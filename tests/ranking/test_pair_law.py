"""The law of AUC against all ways to place the positives, and far beyond them."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

import exact_scores as oracle
from baserate.binary.base_rate import BaseRate
from baserate.core.direction import Direction
from baserate.exceptions import InvalidProbabilityError
from baserate.ranking.deck import ScoreDeck
from baserate.ranking.law.blocks import Blocks
from baserate.ranking.law.pairs import PairLaw, _first_place
from baserate.ranking.law.strict_pairs import StrictPairLaw, pair_law
from baserate.ranking.law.tail import is_counted, tail

UP, DOWN = Direction.MAXIMIZE, Direction.MINIMIZE


def law_of(sizes: Any, positives: int, slope: Any = 1.0, intercept: Any = 0.0) -> PairLaw:
    """Return the law of AUC, or of what is linear in it, for blocks of these sizes."""
    sizes = np.array(sizes)
    deck = ScoreDeck(np.arange(sizes.size, 0.0, -1), sizes)
    return PairLaw(BaseRate(positives=positives, total=int(sizes.sum())), deck, slope, intercept)


@pytest.mark.parametrize(
    ("total", "every"),
    [
        (2, 1),
        (3, 1),
        (5, 3),
        (7, 31),
        (9, 140),
        *(pytest.param(total, 1, marks=pytest.mark.exhaustive) for total in range(4, 10)),
    ],
)
def test_all_questions_agree_with_all_ways_to_place_the_positives(total: int, every: int) -> None:
    """Mean, variance, tails and quantiles of every score, for ties of all kinds."""
    for sizes in list(oracle.compositions(total))[::every]:
        for positives in range(1, total):
            truth = oracle.law(oracle.auc, oracle.scores_of(sizes), positives)
            check(law_of(sizes, positives), truth)
            if total > 7:
                continue
            gini = {2 * score - 1: chance for score, chance in truth.items()}
            check(law_of(sizes, positives, 2.0, -1.0), gini)


@pytest.mark.parametrize("total", [2, 5, 8])
def test_all_questions_without_ties(total: int) -> None:
    """Rankings without ties are counted all at once, and agree with all ways as well."""
    deck = ScoreDeck.of(range(total))
    for positives in range(1, total):
        truth = oracle.law(oracle.auc, oracle.scores_of([1] * total), positives)
        law = pair_law(BaseRate(positives=positives, total=total), deck)
        assert isinstance(law, StrictPairLaw)
        assert law.error == 0
        check(law, truth)
        assert math.isnan(law.tail(math.nan, UP))
        assert law.tail(1.2, UP) == law.tail(-0.2, DOWN) == 0
        assert law.tail(-0.2, UP) == law.tail(1.2, DOWN) == 1


def check(law: Any, truth: Any) -> None:
    """Compare a law with the enumeration of all ways."""
    assert law.exact
    assert law.method == "counting"
    assert law.mean() == float(oracle.mean(truth))
    assert law.variance() == pytest.approx(float(oracle.variance(truth)), rel=1e-13, abs=1e-30)
    below = Fraction()
    scores = sorted(truth)
    for score in scores:
        up, down = oracle.at_least(truth, score), oracle.at_most(truth, score)
        assert law.tail(float(score), UP) == pytest.approx(float(up), rel=1e-12)
        assert law.tail(float(score), DOWN) == pytest.approx(float(down), rel=1e-12)
        for level in (float((below + down) / 2), float(down)):
            assert law.quantile(level) == pytest.approx(float(score), rel=1e-14, abs=1e-15)
        below = down
    for low, high in pairwise(scores):
        # A score between two that are attained.
        between = float((low + 3 * high) / 4)
        expected = float(oracle.at_least(truth, high))
        assert law.tail(between, UP) == pytest.approx(expected, rel=1e-12)
        assert law.tail(between, DOWN) == pytest.approx(1 - expected, rel=1e-12)


def test_two_hundred_of_each_are_counted() -> None:
    """It is exact to 200 + 200, with ties and without; and agrees with scipy's count."""
    law = law_of([1] * 60, 30)
    rng = np.random.default_rng(1)
    first, second = rng.normal(size=30) + 0.5, rng.normal(size=30)
    exact = mannwhitneyu(first, second, alternative="greater", method="exact")
    assert law.exact
    assert law.tail(exact.statistic / 900, UP) == pytest.approx(exact.pvalue, rel=1e-10)
    assert law_of([1] * 400, 200).exact
    assert law_of([4] * 100, 200).exact
    assert not law_of([1] * 2000, 1000).exact


@pytest.mark.parametrize(
    ("sizes", "positives"),
    [([1] * 60, 30), ([3, 1, 5, 2] * 8, 20), ([1] * 900, 400), ([2, 7] * 300, 90)],
    ids=["strict", "tied", "large", "large and tied"],
)
def test_a_quantile_is_the_first_score_whose_tail_reaches_the_level(
    sizes: Any, positives: int
) -> None:
    """One step lower, the tail is below the level."""
    law = law_of(sizes, positives)
    for level in (1e-6, 0.025, 0.4, 0.975):
        score = law.quantile(level)
        assert law.tail(score, DOWN) >= level * (1 - 1e-9)
        step = 1 / (2 * positives * (sum(sizes) - positives))
        assert law.tail(score - step, DOWN) < level


def test_a_quantile_of_more_than_a_hundred_that_are_counted() -> None:
    """It is not worth the time to count: the tail reaches the level nearly, or one step later."""
    law = law_of([3, 1, 5, 2] * 10, 40)
    assert law.exact
    for level in (0.025, 0.4, 0.975):
        score, step = law.quantile(level), 1 / (2 * 40 * 70)
        assert law.tail(score - 2 * step, DOWN) < level
        assert law.tail(score + 2 * step, DOWN) > level


def test_what_is_known_of_the_error() -> None:
    """Nothing is wrong with a count; a saddlepoint has its own error, and so has a linear law."""
    assert law_of([1] * 60, 30).error == 0
    smooth, grid = law_of([1] * 2000, 1000), law_of([1] * 10**5, 3)
    assert (smooth.method, smooth.error) == ("saddlepoint", 0.01)
    assert (grid.method, grid.error) == ("counting on a grid", grid._of_positions.error)


def test_a_search_for_a_step_ends() -> None:
    """Where a secant is of no help the range is halved, and the first place is still found."""
    for step in (1, 777_777, 999_999):
        asked: list[int] = []

        def cdf(place: int, step: int = step, asked: list[int] = asked) -> float:
            asked.append(place)
            return 0.9 if place >= step else 0.3

        assert _first_place(cdf, 500_000, 1e-9, (-1, 10**6), 0.5) == step
        assert len(asked) < 50


def test_the_ends_of_the_levels() -> None:
    """The quantiles of 0 and 1 are the ends of the range, and beyond them there is nothing."""
    law = law_of([2, 3, 1], 2)
    assert law.tail(1.5, UP) == law.tail(-0.5, DOWN) == 0
    # No ranking of these ties is perfect; it took all memory to find that out.
    assert law_of([1] * 100 + [900], 200).tail(1.0, UP) == 0
    with pytest.raises(InvalidProbabilityError, match=r"confidence must be between 0 and 1"):
        law.interval(95)
    assert law.quantile(0.0) == 1 / 8
    assert law.quantile(1.0) == 1.0
    assert law.interval(0.0)[0] == law.quantile(0.5)


def test_a_plan_agrees_with_a_count() -> None:
    """Whether a tail is counted is known without counting it."""
    rng = np.random.default_rng(2)
    for _ in range(15):
        sizes = rng.integers(1, 9, int(rng.integers(3, 40)))
        positives = int(rng.integers(1, sizes.sum()))
        blocks = Blocks(sizes, positives, positives * int(sizes.sum() - positives))
        assert is_counted(blocks) is tail(blocks).exact


def test_ten_billion_observations() -> None:
    """Nothing overflows where the pairs do not fit into 64 bits."""
    law = law_of([4 * 10**9, 10**9, 10**9, 4 * 10**9], 3 * 10**9)
    assert law.mean() == 0.5
    deviation = math.sqrt(law.variance())
    assert law.tail(0.5 + 2 * deviation, UP) == pytest.approx(0.02275, rel=1e-3)
    assert law.quantile(0.975) == pytest.approx(0.5 + 1.96 * deviation, rel=1e-6)
    assert law.method == "saddlepoint"


def test_a_million_strict_scores() -> None:
    """A large law is nearly normal."""
    law = law_of([1] * 10**6, 10**5)
    deviation = math.sqrt(law.variance())
    assert deviation == pytest.approx(math.sqrt((10**6 + 1) / (12 * 10**5 * 9e5)), rel=1e-12)
    assert not law.exact
    assert law.tail(0.5 + 3 * deviation, UP) == pytest.approx(0.00135, rel=2e-3)
    assert law.interval(0.95) == pytest.approx((0.5 - 1.96 * deviation, 0.5 + 1.96 * deviation))


def test_the_same_score_for_everyone() -> None:
    """Without an order there is one AUC."""
    law = law_of([10], 4)
    assert law.variance() == 0
    assert law.tail(0.5, UP) == law.tail(0.5, DOWN) == 1
    assert law.tail(0.6, UP) == law.tail(0.4, DOWN) == 0
    assert law.quantile(0.3) == 0.5


def test_one_class_has_no_pairs() -> None:
    """There is no AUC without both classes."""
    law = law_of([1, 1, 1], 3)
    assert math.isnan(law.tail(0.5, UP))
    assert math.isnan(law.quantile(0.5))
    assert math.isnan(law.variance())


def test_few_positives_among_many_are_bracketed() -> None:
    """Three positives among 10⁵: P(U1 + U2 + U3 ≥ 2.7) of uniform numbers is 0.3³ / 6."""
    law = law_of([1] * 10**5, 3)
    assert not law.exact
    assert law.method == "counting on a grid"
    assert law.tail(0.9, UP) == pytest.approx(0.3**3 / 6, rel=2e-3)
    assert law.tail(law.quantile(0.025), DOWN) == pytest.approx(0.025, rel=1e-3)
