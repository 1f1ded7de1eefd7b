"""Precision, recall and lift at k and NDCG, against all ways to place the positives."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
import pytest
from sklearn.metrics import ndcg_score

import exact_scores as oracle
from baserate.core.measure import Direction
from baserate.exceptions import InvalidCountError, UndefinedMeasureWarning
from baserate.measures.rankings import (
    discount_sums,
    lift_at,
    mean_discounts,
    measure_at_k,
    ndcg,
    precision_at,
    recall_at,
)
from baserate.null.hypergeometric import Hypergeometric
from baserate.null.rankings import null_of_top
from baserate.observed.base_rate import BaseRate
from baserate.observed.scores import RankedScores, ScoreLevels

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.measures.scores_record import ScoreMeasure

    Floats = NDArray[np.float64]

UP, DOWN = Direction.MAXIMIZE, Direction.MINIMIZE


def deck_of(sizes: Any) -> ScoreLevels:
    """Return the deck of blocks of these sizes."""
    return ScoreLevels.of([float(score) for score in oracle.scores_of(sizes)])


def precision(truth: Any, scores: Any, k: int) -> Fraction:
    """Return the expected share of positives in the top."""
    return oracle.positives_in_top(truth, scores, k) / k


def recall(truth: Any, scores: Any, k: int) -> Fraction:
    """Return the expected share of the positives that are in the top."""
    return oracle.positives_in_top(truth, scores, k) / sum(truth)


def lift(truth: Any, scores: Any, k: int) -> Fraction:
    """Return the precision over the prevalence."""
    return precision(truth, scores, k) * Fraction(len(truth), sum(truth))


MEASURES = {
    precision: precision_at,
    recall: recall_at,
    lift: lift_at,
    oracle.ndcg: ndcg,
}


@pytest.mark.parametrize("exact", MEASURES, ids=lambda exact: exact.__name__)
@pytest.mark.parametrize(
    ("total", "every"),
    [
        (1, 1),
        (3, 1),
        (5, 3),
        (7, 23),
        (9, 150),
        *(pytest.param(total, 1, marks=pytest.mark.exhaustive) for total in range(4, 10)),
    ],
)
def test_all_questions_agree_with_all_ways_to_place_the_positives(
    exact: Callable[..., Fraction], total: int, every: int
) -> None:
    """Mean, variance, tails, quantiles and perfection, for ties of all kinds."""
    for sizes in list(oracle.compositions(total))[::every]:
        scores = oracle.scores_of(sizes)
        for k in {1, total // 2, total - 1, total} - {0}:
            measure = MEASURES[exact](k)
            for positives in range(1, total + 1):
                check(measure, exact, k, scores, positives)


def check(
    measure: ScoreMeasure, exact: Callable[..., Fraction], k: int, scores: Any, positives: int
) -> None:
    """Compare a law with the enumeration of all ways."""
    truth = oracle.null(lambda t, s: exact(t, s, k), scores, positives)
    rate = BaseRate(positives=positives, total=len(scores))
    law = measure.null(rate, ScoreLevels.of([float(score) for score in scores]))
    assert law.exact
    assert law.mean() == pytest.approx(float(oracle.mean(truth)), rel=1e-13)
    assert measure.extremes(rate).max.value == pytest.approx(law.mean(), rel=1e-13)
    spread = float(oracle.variance(truth))
    assert law.var() == pytest.approx(spread, rel=1e-11, abs=1e-28)
    assert measure.perfect(rate) == pytest.approx(float(best(exact, k, rate)), rel=1e-13)
    below = Fraction()
    for score in sorted(truth):
        up, down = oracle.at_least(truth, score), oracle.at_most(truth, score)
        assert law.tail(float(score), UP) == pytest.approx(float(up), rel=1e-12)
        assert law.tail(float(score), DOWN) == pytest.approx(float(down), rel=1e-12)
        for level in (float((below + down) / 2), float(down)):
            assert law.ppf(level) == pytest.approx(float(score), rel=1e-12, abs=1e-14)
        below = down


def best(exact: Callable[..., Fraction], k: int, rate: BaseRate) -> Fraction:
    """Return the score of a ranking without errors."""
    truth = [1] * rate.positives + [0] * rate.negatives
    return exact(truth, list(range(rate.total, 0, -1)), k)


def random_scores(rng: np.random.Generator, total: int) -> tuple[Any, Floats]:
    """Return labels and scores with ties, at least one label positive."""
    truth = (rng.random(total) < rng.uniform(0.1, 0.9)).astype(int)
    truth[rng.integers(total)] = 1
    return truth, np.round(rng.random(total), int(rng.integers(0, 3)))


def test_scores_are_those_of_the_definitions() -> None:
    """The kernels agree with the definitions in fractions."""
    rng = np.random.default_rng(1)
    for _ in range(60):
        truth, values = random_scores(rng, int(rng.integers(2, 25)))
        scores, rows = RankedScores.of(truth, values), [Fraction(float(each)) for each in values]
        for k in (1, 2, int(rng.integers(1, truth.size + 1)), truth.size):
            for exact, made in MEASURES.items():
                expected = float(exact(truth.tolist(), rows, k))
                assert made(k).score(scores) == pytest.approx(expected, rel=1e-13)


def test_ndcg_is_that_of_scikit_learn_ties_included() -> None:
    """Also where ties cross the k-th place, and where k is more than all."""
    rng = np.random.default_rng(2)
    for _ in range(80):
        truth, values = random_scores(rng, int(rng.integers(2, 60)))
        for k in (None, 1, 2, int(rng.integers(1, truth.size + 1)), truth.size, truth.size + 5):
            expected = ndcg_score([truth], [values], k=k)
            assert ndcg(k).score(RankedScores.of(truth, values)) == pytest.approx(
                expected, rel=1e-12
            )


def test_the_three_share_their_p_value() -> None:
    """Precision, recall and lift are multiples of one number."""
    rate, deck = BaseRate(positives=30, total=200), deck_of([3, 4, 5, 188])
    for count in (1, 2.4, 6):
        tails = [
            made(10).null(rate, deck).tail(made(10).perfect(rate) * count / 10, UP)
            for made in (precision_at, recall_at, lift_at)
        ]
        assert tails == pytest.approx([tails[0]] * 3, rel=1e-12)


def test_a_billion_observations_have_all_digits() -> None:
    """Without a tie at the k-th place the law is hypergeometric."""
    rate = BaseRate(positives=10**6, total=10**9)
    strict = ScoreLevels(np.array([2.0, 1.0]), np.array([1000, 10**9 - 1000]))
    law = precision_at(1000).null(rate, strict)
    assert law.exact
    exact = Hypergeometric(rate.positives, rate.negatives, 1000)
    assert law.tail(8 / 1000, UP) == pytest.approx(exact.sf(7), rel=1e-9)
    assert law.tail(0.0, DOWN) == pytest.approx(exact.cdf(0), rel=1e-9)
    assert law.ppf(0.975) == exact.ppf(0.975) / 1000
    assert law.var() == pytest.approx(float(exact.variance) / 10**6, rel=1e-9)


def test_a_tie_at_the_end_of_a_large_top() -> None:
    """P(X + Y/2 ≥ 6), where 10 positives are among 10⁹: nearly independent binomial numbers."""
    rate = BaseRate(positives=10**7, total=10**9)
    deck = ScoreLevels(np.array([3.0, 2.0, 1.0]), np.array([100, 100, 10**9 - 200]))
    law = null_of_top(rate, deck, 150, 1 / 150)
    assert law.exact
    chances = [math.comb(100, x) * 0.01**x * 0.99 ** (100 - x) for x in range(101)]
    expected = sum(
        chances[x] * chances[y] for x in range(101) for y in range(101) if x + y / 2 >= 6
    )
    assert law.tail(6 / 150, UP) == pytest.approx(expected, rel=1e-5)


def test_two_very_large_parts_are_approximated() -> None:
    """Where too many pairs of counts are possible a saddlepoint takes over, and says so."""
    rate = BaseRate(positives=10**6, total=10**8)
    deck = ScoreLevels(np.array([3.0, 2.0, 1.0]), np.array([10**7, 10**7, 8 * 10**7]))
    law = precision_at(15 * 10**6).null(rate, deck)
    assert not law.exact
    assert law.error <= 0.07
    deviation = math.sqrt(law.var())
    assert law.tail(law.mean() + 2 * deviation, UP) == pytest.approx(0.02275, rel=5e-3)
    assert law.tail(law.mean() - 2 * deviation, DOWN) == pytest.approx(0.02275, rel=5e-3)
    low, high = law.interval(0.95)
    assert (low, high) == pytest.approx(
        (law.mean() - 1.96 * deviation, law.mean() + 1.96 * deviation), rel=1e-4
    )


def test_what_is_undefined_says_why() -> None:
    """A top larger than the test set, or no positives."""
    scores = RankedScores.of([0, 0, 1], [0.1, 0.2, 0.3])
    none = RankedScores.of([0, 0, 0], [0.1, 0.2, 0.3], 1)
    with pytest.warns(UndefinedMeasureWarning, match="there are fewer than 4 observations"):
        assert math.isnan(precision_at(4).score(scores))
    for measure in (recall_at(2), lift_at(2), ndcg(2), ndcg()):
        with pytest.warns(UndefinedMeasureWarning, match="there are no positives"):
            assert math.isnan(measure.score(none))
    assert precision_at(2).score(none) == 0
    assert ndcg(4).score(scores) == 1


@pytest.mark.parametrize("make", [precision_at, recall_at, lift_at, ndcg])
def test_a_measure_is_made_once(make: Callable[[int], ScoreMeasure]) -> None:
    """Measures of one k are the same object, and k is checked."""
    assert make(7) is make(7)
    assert "@7" in make(7).key
    with pytest.raises(InvalidCountError, match="at least 1"):
        make(0)


def test_weights_of_equal_size_change_nothing() -> None:
    """Counts may be any numbers: positions are cumulated weights."""
    truth, values = [1, 0, 1, 1, 0, 0], [0.9, 0.9, 0.5, 0.4, 0.4, 0.1]
    scores = RankedScores.of(truth, values)
    doubled = RankedScores(scores.values, scores.positives * 2.0, scores.negatives * 2.0)
    for made in (precision_at, recall_at, lift_at):
        assert made(6).score(doubled) == pytest.approx(made(3).score(scores), rel=1e-14)
    repeated = RankedScores.of(truth * 2, values * 2)
    assert ndcg(4).score(doubled) == pytest.approx(ndcg(4).score(repeated), rel=1e-14)


def test_a_score_changes_continuously_with_weights() -> None:
    """A small change of a weight is a small change of the score."""
    scores = RankedScores.of([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    step = 1e-9
    for measure in (precision_at(2), recall_at(2), lift_at(2), ndcg(2), ndcg()):
        near = [
            RankedScores(scores.values, scores.positives + change, scores.negatives + change / 2)
            for change in (0.0, step, 2 * step)
        ]
        first, second, third = (measure.kernel(each) for each in near)
        assert second == pytest.approx(first, abs=1e-7)
        assert third - second == pytest.approx(second - first, abs=1e-12)


def test_sums_of_discounts_far_down() -> None:
    """A formula continues the sums where a table ends."""
    for position in (10, 70_000, 10**6):
        exact = (
            mpmath.fsum(1 / mpmath.log(r + 1, 2) for r in range(1, 11))
            if position == 10
            else (np.sum(1 / np.log2(np.arange(2, position + 2))))
        )
        assert discount_sums(np.array([position]))[0] == pytest.approx(float(exact), rel=1e-13)
    # Beyond, a discount is the difference of two sums.
    far = discount_sums(np.array([10**8, 10**8 + 1000]))
    between = np.sum(1 / np.log2(np.arange(10**8 + 2, 10**8 + 1002)))
    assert far[1] - far[0] == pytest.approx(between, rel=1e-9)


def test_mean_discounts_of_few_large_blocks() -> None:
    """A block has the average discount of its positions."""
    found = mean_discounts(np.array([10**9, 10**9]), math.inf)
    assert found[0] > found[1] == pytest.approx(1 / math.log2(1.5e9), rel=1e-3)
    assert mean_discounts(np.array([1, 1, 1]), 2).tolist() == [1.0, 1 / np.log2(3), 0.0]


def test_the_number_that_beyond_labels_quotes() -> None:
    """A random ranking of 100, half of them positive, has an NDCG of 0.81."""
    rate = BaseRate(positives=50, total=100)
    assert ndcg().extremes(rate).max.value == pytest.approx(0.81, abs=0.005)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("precision@10", "precision@10"),
        ("P@10", "precision@10"),
        ("precision at 10", "precision@10"),
        ("top 10 precision", "precision@10"),
        ("R@3", "recall@3"),
        ("Recall at 3", "recall@3"),
        ("lift at 7", "lift@7"),
        ("ndcg@5", "NDCG@5"),
        ("NDCG at 5", "NDCG@5"),
    ],
)
def test_a_measure_has_many_names(name: str, key: str) -> None:
    """A name with any k is understood."""
    found = measure_at_k(name)
    assert found is not None
    assert found.key == key
    assert measure_at_k(key) is found


@pytest.mark.parametrize("name", ["AUC", "precision", "precision@0", "F1@3", "at 3", "10", ""])
def test_other_names_are_not_of_a_top(name: str) -> None:
    """Other measures are found elsewhere."""
    assert measure_at_k(name) is None
