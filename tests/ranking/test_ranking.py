"""The p-value of a ranking: against every way to place the positives, or close to it."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate, combinations
from typing import Any

import numpy as np
import pytest
from scipy.stats import hypergeom, mannwhitneyu
from sklearn.metrics import roc_auc_score

from baserate.ranking.law import tail as rank_tail
from baserate.ranking.law.blocks import Blocks
from baserate.ranking.law.counts import cheapest
from baserate.ranking.law.saddlepoint import approximate_probability
from baserate.ranking.law.tail import tail
from baserate.ranking.ranking import Ranking

RNG = np.random.default_rng(5)


def _compositions(total: int) -> list[tuple[int, ...]]:
    """Every way to tie this many observations."""
    cuts = (each for size in range(total) for each in combinations(range(1, total), size))
    return [tuple(np.diff([0, *cut, total]).tolist()) for cut in cuts]


def _wrong(scores: list[int], chosen: tuple[int, ...]) -> int:
    """Twice the number of pairs with the negative above the positive, by definition."""
    negatives = [score for place, score in enumerate(scores) if place not in chosen]
    positives = [scores[place] for place in chosen]
    return sum(2 * (low > high) + (low == high) for high in positives for low in negatives)


def _enumerated(sizes: tuple[int, ...], positives: int) -> dict[int, Fraction]:
    """The probability of at most this many wrong pairs, over all subsets."""
    scores = [-block for block, size in enumerate(sizes) for _ in range(size)]
    subsets = combinations(range(len(scores)), positives)
    counts = sorted(_wrong(scores, chosen) for chosen in subsets)
    return {wrong: Fraction(place, len(counts)) for place, wrong in enumerate(counts, 1)}


def _convolved(sizes: list[int], positives: int) -> dict[int, Fraction]:
    """The same in whole numbers, one block at a time."""
    ways, seen = {(0, 0): 1}, 0
    for size in sizes:
        grown: dict[tuple[int, int], int] = {}
        for (count, wrong), number in ways.items():
            for more in range(min(size, positives - count) + 1):
                key = count + more, wrong + more * (2 * (seen - count) + size - more)
                grown[key] = grown.get(key, 0) + number * math.comb(size, more)
        ways, seen = grown, seen + size
    law = sorted((wrong, number) for (count, wrong), number in ways.items() if count == positives)
    below = accumulate(number for _, number in law)
    return {
        wrong: Fraction(number, math.comb(seen, positives))
        for (wrong, _), number in zip(law, below, strict=True)
    }


def _blocks(sizes: Any, positives: int, wrong: int) -> Blocks:
    return Blocks(np.array(sizes), positives, wrong)


def _at_deviation(sizes: Any, positives: int, deviation: float) -> Blocks:
    """A ranking this many standard deviations better than the mean."""
    sizes = np.array(sizes)
    total = int(sizes.sum())
    ties = 1 - float(((sizes / total) ** 3).sum())
    pairs = positives * (total - positives)
    return Blocks(sizes, positives, round(pairs - deviation * math.sqrt(pairs * total / 3 * ties)))


@pytest.mark.parametrize("total", range(2, 8))
def test_all_small_rankings(total: int) -> None:
    """For all ties of up to 7 observations, the p-value is the share of subsets."""
    # For the largest, half the numbers of positives suffice: the classes are interchangeable.
    for sizes in _compositions(total):
        for positives in range(1, total if total < 7 else 4):
            for wrong, share in _enumerated(sizes, positives).items():
                found = tail(_blocks(sizes, positives, wrong))
                assert found.exact
                assert found.probability == pytest.approx(float(share), rel=1e-13)


@pytest.mark.parametrize(
    ("sizes", "positives"),
    [
        ([1] * 20, 8),
        ([2, 1, 7, 3, 1, 1, 6, 4], 12),
        ([1] * 6 + [30], 8),
        ([10, 1, 1, 20, 1, 5], 30),
    ],
)
@pytest.mark.parametrize("way", ["states", "counts"])
def test_larger_rankings(
    sizes: list[int], positives: int, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both ways to count agree with whole numbers, for every number of wrong pairs."""
    monkeypatch.setattr(rank_tail, "_STATES", 2e6 if way == "states" else 0)
    monkeypatch.setattr(rank_tail, "_ADDITIONS", 0 if way == "states" else 1e9)
    for wrong, share in _convolved(sizes, positives).items():
        found = tail(_blocks(sizes, positives, wrong))
        assert found == (pytest.approx(float(share), rel=1e-12), True)


@pytest.mark.parametrize(("positives", "negatives"), [(3, 5), (8, 8), (20, 11), (40, 60)])
def test_without_ties_it_is_scipy_s(positives: int, negatives: int) -> None:
    """It is the exact Mann-Whitney test, whichever class is larger."""
    for _ in range(5):
        high, low = RNG.normal(0.4, 1, positives), RNG.normal(0, 1, negatives)
        theirs = mannwhitneyu(high, low, alternative="greater", method="exact").pvalue
        truth, scores = np.repeat([1, 0], [positives, negatives]), np.append(high, low)
        ranking = _ranking(truth, scores)
        assert ranking.exact
        assert ranking.p_value == pytest.approx(theirs, rel=1e-11)
        assert ranking.auc == pytest.approx(roc_auc_score(truth, scores))
        assert ranking.reversed().auc == pytest.approx(1 - ranking.auc)


def _ranking(y_true: Any, y_score: Any) -> Ranking:
    groups, place = np.unique(-np.asarray(y_score), return_inverse=True)
    positives = np.bincount(place, weights=y_true, minlength=groups.size).astype(int)
    return Ranking(positives, np.bincount(place, minlength=groups.size) - positives)


@pytest.mark.parametrize("total", [60, 61, 62, 1000, 10**6])
def test_three_tied_at_the_top_of_which_one_of_two_positives(total: int) -> None:
    """The p-value is continuous in M: the chance that not both positives are below the three."""
    positives, negatives = np.array([1, 0, 1]), np.array([2, 0, total - 4])
    ranking = Ranking(positives, negatives)
    assert ranking.exact
    assert ranking.p_value == pytest.approx(hypergeom(total, 3, 2).sf(0), rel=1e-12)


def test_one_positive_among_two_at_the_top() -> None:
    """Two of a thousand observations are as high."""
    ranking = Ranking(np.array([1] + [0] * 998), np.array([1] + [1] * 998))
    assert (ranking.p_value, ranking.exact) == (0.002, True)


def test_two_positives_at_any_size() -> None:
    """With two positives the pairs are counted, for nine scores and for a million."""
    for sizes in ([1] * 9, [2, 3, 1, 4]):
        for wrong, share in _convolved(sizes, 2).items():
            assert tail(_blocks(sizes, 2, wrong)).probability == pytest.approx(float(share))
    total = 10**6
    best = tail(Blocks(np.ones(total, int), 2, 0))
    assert best == (pytest.approx(2 / (total * (total - 1))), True)


@pytest.mark.parametrize(
    ("sizes", "positives"), [([20, 980], 11), ([10**6, 9 * 10**6], 10**5), ([5, 999_995], 200_000)]
)
def test_hard_labels_are_fisher_s_test(sizes: list[int], positives: int) -> None:
    """Two blocks of ties are one table, and the p-value is Fisher's, at any size."""
    law = hypergeom(sum(sizes), sizes[0], positives)
    for tp in {int(law.ppf(q)) for q in (0.3, 0.9, 0.999)}:
        below, above = positives - tp, sizes[0] - tp
        wrong = 2 * above * below + above * tp + below * (sizes[1] - below)
        found = tail(_blocks(sizes, positives, wrong))
        assert found == (pytest.approx(law.sf(tp - 1), rel=1e-8), True)


def test_small_probabilities_keep_their_digits() -> None:
    """The best ranking has the probability of one subset, down to 1e-300."""
    for positives, total in ((5, 400), (100, 300), (150, 500)):
        found = tail(Blocks(np.ones(total, int), positives, 0))
        assert found == (pytest.approx(1 / math.comb(total, positives), rel=1e-11), True)


@pytest.mark.parametrize("sizes", [[1] * 400, [2] * 200, [1, 2, 4, 1] * 50])
def test_four_hundred_observations_are_counted(sizes: list[int]) -> None:
    """200 positives and 200 negatives, with or without ties."""
    found = tail(_at_deviation(sizes, 200, 2.5))
    assert found.exact
    assert 0.004 < found.probability < 0.009


# The accuracy of the approximations, on rankings that can also be counted: distinct scores, ties,
# one block of zeros at an end or in the middle, several large blocks, and geometric ones.
DESIGNS = {
    "distinct": [1] * 400,
    "ties": RNG.integers(1, 9, 100).tolist(),
    "tied top": [3] + [1] * 400,
    "zeros": [1] * 100 + [900],
    "zeros and signs": [1] * 60 + [480] + [1] * 60,
    "two lumps": [100] + [1] * 150 + [300],
    "geometric": [111, 1003, 9008, 90001, 900_000],
}


@pytest.mark.parametrize(
    "positives", [3, *(pytest.param(each, marks=pytest.mark.exhaustive) for each in (6, 12)), 40]
)
@pytest.mark.parametrize("name", DESIGNS)
def test_the_approximation(name: str, positives: int) -> None:
    """The approximation is within 1% of the exact law, from one half to one in ten million."""
    for deviation in (0.1, 1.7, 2.5, 4.5):
        blocks = _at_deviation(DESIGNS[name], positives, deviation)
        exact = rank_tail._counted(blocks) if blocks.wrong >= 0 else None
        if exact is not None and exact.probability > 1e-7:
            found = rank_tail._approximated(blocks)
            assert not found.exact
            assert found.probability == pytest.approx(exact.probability, rel=0.01)


@pytest.mark.parametrize(
    ("sizes", "positives"),
    [
        ([10_000, 980_000, 10_000], 300),
        ([10_000, 980_000, 10_000], 6000),
        ([300_001, 400_000, 299_999], 1500),
    ],
)
def test_where_lumps_stay_it_is_on_the_safe_side(sizes: list[int], positives: int) -> None:
    """A wide gap in the ranks counts as a lattice: the result may be too large, never too small."""
    for deviation in (0.1, 1.3, 1.7, 2.5, 4.5):
        blocks = _at_deviation(sizes, positives, deviation)
        exact = rank_tail._counted(blocks)
        assert exact is not None
        assert rank_tail._approximated(blocks).probability > exact.probability * 0.999


def test_three_huge_blocks() -> None:
    """Their positives vary too much to be listed, and enough to be nearly normal."""
    found = rank_tail._approximated(_at_deviation([10**7] * 3, 5 * 10**6, 1.0))
    assert found == (pytest.approx(math.erfc(1 / math.sqrt(2)) / 2, rel=0.01), False)


def test_the_approximation_at_the_ends() -> None:
    """All rankings have at most all pairs wrong, and one subset of all has none."""
    few = Blocks(np.array([5, 5, 1000]), 20, 2 * 20 * 990)
    assert approximate_probability(few, 5) == pytest.approx(1)
    sizes = np.array([1] * 100 + [900])
    best = rank_tail._approximated(Blocks(sizes, 20, 0)).probability
    assert best == pytest.approx(1 / math.comb(1000, 20), rel=0.3)


@pytest.mark.parametrize("budget", [5e5, 7e5, 1e6])
def test_a_plan_within_a_budget(budget: float) -> None:
    """There is none, or it is exact, or its probability is too large: wherever two parts meet."""
    sizes, positives = [2, 1, 7, 3, 1, 1, 6, 4], 12
    law = _convolved(sizes, positives)
    plans = {wrong: cheapest(_blocks(sizes, positives, wrong), budget, 1e-22) for wrong in law}
    assert any(plans.values()) is all(plans.values()) is (budget > 6e5)
    for wrong, plan in plans.items():
        if plan is not None:
            least = float(law[wrong]) * (1 - 1e-12)
            assert plan.probability() >= least
            assert not plan.is_exact or plan.probability() == pytest.approx(float(law[wrong]))


@pytest.mark.parametrize("positives", [30, 1000, 300_000])
def test_a_million_distinct_scores(positives: int) -> None:
    """Near the middle the law is almost normal, and so is the approximation."""
    found = tail(_at_deviation(np.ones(10**6, int), positives, 1.0))
    assert not found.exact
    assert found.probability == pytest.approx(math.erfc(1 / math.sqrt(2)) / 2, rel=0.01)


def test_a_million_scores_and_few_positives() -> None:
    """Three positives of very many are three uniform numbers: their sum is below ½ in 1/48."""
    found = tail(Blocks(np.ones(10**6, int), 3, 10**6))
    assert found == (pytest.approx(1 / 48, rel=0.002), False)


def test_nothing_to_rank() -> None:
    """One class, or one score for all, has no ranking."""
    assert math.isnan(_ranking([1, 1], [1, 2]).auc)
    assert _ranking([1, 1], [1, 2]).p_value == 1
    assert _ranking([1, 0, 1, 0], [1, 1, 1, 1]).p_value == 1
    assert Ranking(np.array([10**6]), np.array([10**6])).p_value == 1
