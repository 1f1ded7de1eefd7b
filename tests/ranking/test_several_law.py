"""The law of a sum over observations of several classes, against all shuffles."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import exact_scores as oracle
from baserate.binary.base_rate import BaseRate
from baserate.core.direction import Direction
from baserate.ranking.law.linear import LinearLaw
from baserate.ranking.law.linear_several import SeveralLaw
from baserate.ranking.law.linear_shuffled_saddlepoint import ShuffledSaddlepoint
from baserate.ranking.law.linear_shuffles import all_sums, number_of_shuffles, random_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

UP, DOWN = Direction.MAXIMIZE, Direction.MINIMIZE


@pytest.mark.parametrize(
    "counts",
    [
        (3,),
        (0, 2, 3),
        (1, 1, 1),
        (2, 1, 2),
        (3, 2, 0, 1),
        (2, 2, 1, 1),
        *(
            pytest.param(each, marks=pytest.mark.exhaustive)
            for each in [(3, 2, 2), (5, 1, 1), (2, 2, 2, 1), (3, 1, 1, 1, 1)]
        ),
    ],
)
@pytest.mark.parametrize("tied", ["strict", "tied"])
def test_all_questions_agree_with_all_shuffles(counts: tuple[int, ...], tied: str) -> None:
    """Mean, variance, tails and quantiles of every score."""
    rng = np.random.default_rng(sum(counts))
    total = sum(counts)
    rows = rng.integers(-4, 9, (total, len(counts)))
    if tied == "tied":
        rows[: total // 2] = rows[0]
    truth = [k for k, count in enumerate(counts) for _ in range(count)]
    slope, intercept = Fraction(-1, 3), Fraction(2)

    def score(shuffled: Any, given: Any) -> Fraction:
        return intercept + slope * sum(int(row[k]) for k, row in zip(shuffled, given, strict=True))

    expected = oracle.shuffled_law(score, truth, rows)
    distinct, sizes = np.unique(rows, axis=0, return_counts=True)
    check(SeveralLaw(counts, distinct.astype(float), sizes, float(slope), 2.0), expected)


def check(law: Any, truth: Any) -> None:
    """Compare a law with the enumeration of all shuffles."""
    assert law.exact
    assert law.mean() == pytest.approx(float(oracle.mean(truth)), rel=1e-13, abs=1e-13)
    assert law.variance() == pytest.approx(float(oracle.variance(truth)), rel=1e-12, abs=1e-25)
    below = Fraction()
    for score in sorted(truth):
        up, down = oracle.at_least(truth, score), oracle.at_most(truth, score)
        assert law.tail(float(score), UP) == pytest.approx(float(up), rel=1e-12)
        assert law.tail(float(score), DOWN) == pytest.approx(float(down), rel=1e-12)
        middle = float((below + down) / 2)
        assert law.quantile(middle) == pytest.approx(float(score), rel=1e-12, abs=1e-12)
        below = down


def test_two_classes_are_the_law_of_two_classes() -> None:
    """The law of several classes with two of them, and its formula too."""
    rng = np.random.default_rng(1)
    rows = rng.random((300, 2))
    several = SeveralLaw([200, 0, 100], rows[:, [0, 0, 1]], np.ones(300, int), 0.5, 1.0)
    start = 1 + rows[:, 0].sum() / 2
    rate = BaseRate(positives=100, total=300)
    two = LinearLaw(rate, np.ones(300, int), rows[:, 1] - rows[:, 0], 0.5, start)
    assert several.mean() == pytest.approx(two.mean(), rel=1e-12)
    assert several.variance() == pytest.approx(two.variance(), rel=1e-12)
    for z in (-3.0, 0.1, 4.0):
        score = two.mean() + z * math.sqrt(two.variance())
        assert several.tail(score, UP) == pytest.approx(two.tail(score, UP), rel=1e-9)
    centred, _ = several._centred
    formula = ShuffledSaddlepoint.of(
        centred / 2, several.sizes, several.class_counts, several.mean()
    )
    for z in (-3.0, 2.0, 5.0):
        score = two.mean() + z * math.sqrt(two.variance())
        assert formula.tail(score, UP) == pytest.approx(two.tail(score, UP), rel=1e-7)


def integer_law(rows: Any, counts: tuple[int, ...]) -> Floats:
    """Return the chance of each sum of whole rows of three classes, observation by observation."""
    most = int(rows.max(axis=1).sum())
    ways = np.zeros((counts[0] + 1, counts[1] + 1, most + 1))
    ways[0, 0, 0] = 1.0
    for place, row in enumerate(rows.tolist()):
        grown = np.zeros_like(ways)
        grown[1:, :, row[0] :] += ways[:-1, :, : most + 1 - row[0]]
        grown[:, 1:, row[1] :] += ways[:, :-1, : most + 1 - row[1]]
        grown[:, :, row[2] :] += ways[:, :, : most + 1 - row[2]]
        used = np.add.outer(np.arange(counts[0] + 1), np.arange(counts[1] + 1))
        grown[place + 1 - used > counts[2]] = 0
        ways = grown
    masses = ways[counts[0], counts[1]]
    return masses / masses.sum()


@pytest.mark.parametrize("span", [1, 7])
def test_a_saddlepoint_is_within_its_error(span: int) -> None:
    """The formula is as good as it says, on a fine lattice and on a coarse one."""
    rng = np.random.default_rng(2)
    counts = (24, 15, 9)
    rows = rng.integers(0, 25, (48, 3)) if span == 1 else 7 * rng.integers(0, 5, (48, 3))
    law = SeveralLaw(counts, rows.astype(float), np.ones(48, int))
    assert law.method == "saddlepoint"
    masses = integer_law(rows, counts)
    up, down = np.cumsum(masses[::-1])[::-1], np.cumsum(masses)
    tested = 0
    for place in np.flatnonzero(masses)[:: 12 // span + 1].tolist():
        if min(up[place], down[place]) > 1e-8:
            assert law.tail(place, UP) == pytest.approx(up[place], rel=law.error)
            assert law.tail(place, DOWN) == pytest.approx(down[place], rel=law.error)
            tested += 1
    assert tested > 8
    for level in (1e-4, 0.025, 0.975):
        assert law.tail(law.quantile(level), DOWN) >= level * (1 - 1e-6)


def test_right_answers_of_confident_predictions_are_no_less_likely_than_one_shuffle() -> None:
    """A perfect score has a p-value, however small."""
    truth = np.repeat([0, 1, 2], 20)
    law = SeveralLaw([20, 20, 20], np.eye(3)[truth], np.ones(60, int))
    ways = math.factorial(60) // math.factorial(20) ** 3
    assert law.tail(60.0, UP) == pytest.approx(1 / ways, rel=0.5)
    assert law.tail(60.0, UP) >= 1 / ways * (1 - 1e-9)
    assert law.tail(61.0, UP) == 0


@pytest.mark.parametrize(("seed", "kind"), list(product((0, 35), ("numbers", "whole numbers"))))
def test_the_ends_of_the_range(seed: int, kind: str) -> None:
    """The best shuffle of numbers is one of all, and of whole numbers there may be more of them."""
    rng = np.random.default_rng(seed)
    counts = (12, 15, 13)
    rows = rng.normal(size=(40, 3)) if kind == "numbers" else rng.integers(0, 9, (40, 3)) * 1.0
    law = SeveralLaw(counts, rows, np.ones(40, int))
    assert law.method == "saddlepoint"
    shuffled = rows[:, np.repeat(np.arange(3), counts)]
    ways = math.factorial(40) // math.prod(map(math.factorial, counts))
    for sign, direction in ((1, UP), (-1, DOWN)):
        places = linear_sum_assignment(shuffled, maximize=sign > 0)
        best = float(shuffled[places].sum())
        most = 1.001 if kind == "numbers" else 10**6
        assert 1 - 1e-9 <= law.tail(best, direction) * ways < most
        assert law.tail(best, direction.opposite) == pytest.approx(1, abs=1e-12)
        assert law.tail(best + sign, direction) <= law.tail(best, direction)
        assert law.tail(best - sign, direction) >= law.tail(best, direction)
    assert law.quantile(0.0) <= shuffled[places].sum()
    assert law.quantile(1.0) >= law.quantile(0.999)


def test_the_step_of_a_lattice_is_that_of_all_rows() -> None:
    """The first thousand rows have steps of 7, and one row after them has not."""
    rows = 7.0 * np.random.default_rng(3).integers(0, 5, (1200, 3))
    law = ShuffledSaddlepoint.of(rows, np.ones(1200, int), [400, 400, 400], 0.0)
    assert law._span == pytest.approx(7)
    rows[1100, 1] += 2
    other = ShuffledSaddlepoint.of(rows, np.ones(1200, int), [400, 400, 400], 0.0)
    assert other._span == pytest.approx(1)


def test_one_observation_has_no_spread() -> None:
    """There is one shuffle of it."""
    law = SeveralLaw([0, 1, 0], np.array([[1.0, 2.0, 3.0]]), np.ones(1, int))
    assert (law.mean(), law.variance(), law.tail(2.0, UP), law.tail(2.1, UP)) == (2, 0, 1, 0)


def test_a_lumpy_law_is_simulated() -> None:
    """Two observations that outweigh all others."""
    rows = np.zeros((40, 3))
    rows[:2, 2] = [100.0, 71.0]
    law = SeveralLaw([20, 10, 10], rows, np.ones(40, int))
    assert law.method == "simulation"
    assert 0.02 < law.error < 0.03
    assert law.tail(171.0, UP) == pytest.approx(10 * 9 / (40 * 39), rel=0.05)
    assert law.tail(1000.0, UP) == 1 / 40_000


def test_shuffles_are_counted() -> None:
    """All of them, or more than can be listed."""
    assert number_of_shuffles([4], 10) == 1
    assert number_of_shuffles([2, 2, 2], 1000) == 90
    assert number_of_shuffles([10**9, 3, 2], 1000) > 1000
    sums, chances = all_sums(np.arange(9.0).reshape(3, 3) ** 2, np.ones(3, int), [1, 1, 1])
    assert sums.size == 6
    assert chances.sum() == pytest.approx(1)
    some = random_sums(np.arange(9.0).reshape(3, 3) ** 2, np.ones(3, int), [1, 1, 1])
    assert set(some.tolist()) == set(sums.tolist())


def test_scores_that_are_not_finite() -> None:
    """No score is infinite, and nan has no tail."""
    law = SeveralLaw([1, 1, 1], np.eye(3), np.ones(3, int))
    assert math.isnan(law.tail(math.nan, UP))
    assert law.tail(math.inf, UP) == law.tail(-math.inf, DOWN) == 0
    assert law.tail(-math.inf, UP) == law.tail(math.inf, DOWN) == 1
