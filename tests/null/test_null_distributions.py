"""The score of shuffled predictions: against all shuffles, exact counts, and itself."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

import baserate as br
import exact_scores as oracle
from baserate.null.sums import linear
from exact_tables import DEFINITIONS, Counts, compositions, exact_law, small_test_sets

if TYPE_CHECKING:
    from collections.abc import Callable

# Margins of up to seven rows and four classes.
MARGINS = [
    (n, m)
    for most, classes in ((3, 1), (6, 2), (7, 3), (7, 4))
    for n in small_test_sets(most, classes, each=False)
    for m in compositions(sum(n), classes)
]
LEVELS = (0.01, 0.025, 0.3, 0.5, 0.8, 0.975, 0.999)


def check(found: br.NullDistribution, exact: dict[Any, Fraction]) -> None:
    """Compare mean, variance, both tails of every score, and quantiles with all shuffles."""
    scores = sorted(exact)
    assert found.exact
    assert found.error == found.floor == 0
    mean = sum(score * chance for score, chance in exact.items())
    assert found.mean() == pytest.approx(float(mean), abs=1e-12)
    spread = sum((score - mean) ** 2 * chance for score, chance in exact.items())
    assert found.var() == pytest.approx(float(spread), abs=1e-12)
    for score in scores:
        above = sum(chance for other, chance in exact.items() if other >= score)
        below = sum(chance for other, chance in exact.items() if other <= score)
        assert found.sf(float(score)) == pytest.approx(float(above), rel=1e-11)
        assert found.cdf(float(score)) == pytest.approx(float(below), rel=1e-11)
    for level in LEVELS:
        below, wanted = Fraction(), scores[-1]
        for score in reversed(scores):
            below += exact[score]
            if 1 - below < Fraction(level) - Fraction(1, 10**12):
                wanted = score
                break
        assert found.ppf(level) == pytest.approx(float(wanted), abs=1e-11)


# --- several classes ------------------------------------------------------------------------------


def check_classes(key: str, n: Counts, m: Counts) -> None:
    """Compare a measure of several classes with all tables."""
    law = exact_law(key, n, m)
    counts = br.ClassCounts(dict(zip("abcd", n, strict=False)))
    if law is None:
        with pytest.raises(br.exceptions.UndefinedMeasureError):
            br.null_distribution(counts, m, key)
        return
    pairs = zip(law.scores, law.chances, strict=True)
    check(br.null_distribution(counts, m, key), dict(pairs))


KEYS = [key for key in DEFINITIONS if "0/0" not in key]


@pytest.mark.parametrize("key", KEYS)
def test_measures_of_classes_agree_with_all_tables(key: str) -> None:
    """For some margins of up to seven rows."""
    for n, m in MARGINS[KEYS.index(key) :: 1009]:
        check_classes(key, n, m)


# --- scores and probabilities ---------------------------------------------------------------------


def of_two(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Return a rule of several classes for probabilities of the positive one."""
    return lambda truth, scores: rule(truth, oracle.of_positive(scores))


def skill(loss: Callable[..., Any]) -> Callable[..., Any]:
    """Return a loss as a share of that of the base rate for everyone, less 1."""
    return lambda truth, scores: (
        1 - loss(truth, scores) / loss(truth, [Fraction(sum(truth), len(truth))] * len(truth))
    )


SCORES: dict[str, Callable[..., Any]] = {
    "AUC": oracle.auc,
    "Gini": lambda truth, scores: 2 * oracle.auc(truth, scores) - 1,
    "NDCG": partial(oracle.ndcg, k=10**6),
    "NDCG@2": partial(oracle.ndcg, k=2),
    "precision@2": lambda truth, scores: oracle.positives_in_top(truth, scores, 2) / 2,
    "recall@2": lambda truth, scores: oracle.positives_in_top(truth, scores, 2) / sum(truth),
    "lift@2": lambda truth, scores: (
        oracle.positives_in_top(truth, scores, 2) * Fraction(len(truth), 2 * sum(truth))
    ),
    "AP": oracle.average_precision,
    "AUC@0.5": partial(oracle.partial_auc, max_fpr=Fraction(1, 2)),
    "ECE": oracle.calibration_error,
    "Brier": oracle.brier,
    "log loss": of_two(oracle.class_log_loss),
    "spherical": of_two(oracle.class_spherical),
    "D2 Brier": skill(oracle.brier),
    "D2 log loss": skill(of_two(oracle.class_log_loss)),
}


def merged(law: dict[Any, Fraction]) -> dict[Any, Fraction]:
    """Return a distribution whose scores with roots and logarithms are equal if they nearly are."""
    found: dict[Any, Fraction] = {}
    for score in sorted(law):
        near = next((each for each in found if abs(each - score) < 1e-30), score)
        found[near] = found.get(near, Fraction()) + law[score]
    return found


@pytest.mark.parametrize("key", SCORES)
def test_measures_of_scores_agree_with_all_ways_to_place_the_positives(key: str) -> None:
    """For ties of all kinds."""
    for total, every in ((3, 1), (5, 3), (7, 11)):
        for sizes in list(oracle.compositions(total))[::every]:
            for positives in range(1, total):
                scores = [Fraction(each, len(sizes) + 1) for each in oracle.scores_of(sizes)]
                law = merged(oracle.null(SCORES[key], scores, positives))
                rate = br.BaseRate(positives=positives, total=total)
                check(br.null_distribution(rate, [float(each) for each in scores], key), law)


# --- beyond enumeration ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("positives", "negatives", "method", "error"),
    [(30, 30, "exact", 1e-9), (20, 60, "exact", 1e-9), (90, 50, "saddlepoint", 0.01)],
)
def test_an_auc_agrees_with_an_exact_count(
    positives: int, negatives: int, method: str, error: float
) -> None:
    """Tails are those of the Mann-Whitney test, and within 1% by a saddlepoint, down to 1e-12."""
    rate = br.BaseRate(positives=positives, total=positives + negatives)
    null = br.null_distribution(rate, list(range(rate.total)), "AUC")
    assert null.method == method
    pairs = positives * negatives
    for share in (0.5, 0.6, 0.7, 0.8, 0.85):
        right = round(share * pairs)
        wanted = _mann_whitney(positives, negatives, right)
        assert null.sf(right / pairs) == pytest.approx(wanted, rel=error)


def _mann_whitney(positives: int, negatives: int, right: int) -> float:
    """Return the chance of at least so many pairs in order, by counting ways (Mann, Whitney)."""
    ways = np.zeros((positives + 1, positives * negatives + 1))
    ways[0, 0] = 1
    for below in range(negatives + 1):
        for chosen in range(1, positives + 1):
            ways[chosen, below:] += ways[chosen - 1, : ways.shape[1] - below]
    # Positives are placed into gaps between negatives: a multiset, so gaps are used repeatedly.
    return float(ways[positives, right:].sum() / math.comb(positives + negatives, positives))


def test_a_few_huge_gains_are_permuted() -> None:
    """Where a few rows decide, no formula is used, and a p-value is never below its floor."""
    y, scores = [1, 0] * 40, [10.0**-each for each in range(80)]
    null = br.null_distribution(y, scores, "NDCG")
    assert null.method == "permutations"
    assert null.sf(1.0) == null.floor == 1e-4
    assert 0.4 < null.sf(null.ppf(0.5)) < 0.6


def test_large_test_sets_are_nearly_normal() -> None:
    """Of a million scores, merged into blocks, tails of the AUC are the normal ones."""
    rate = br.BaseRate(positives=300_000, total=10**6)
    null = br.null_distribution(rate, np.arange(10**6), "AUC")
    sd = math.sqrt(null.var())
    assert null.mean() == pytest.approx(0.5)
    assert sd == pytest.approx(math.sqrt((10**6 + 1) / (12 * 300_000 * 700_000)), rel=1e-9)
    for z in (0.0, 1.0, 3.0):
        assert null.sf(0.5 + z * sd) == pytest.approx(stats.norm.sf(z), rel=1e-3)
    assert null.interval(0.95) == pytest.approx((0.5 - 1.96 * sd, 0.5 + 1.96 * sd), abs=1e-5)


def test_a_part_of_many_columns_stands_for_all() -> None:
    """Of three levels and 21,000 different predictions."""
    adds = np.exp(0.3 * np.random.default_rng(3).normal(size=(3, 21_000)))
    null = linear([7_000] * 3, np.ones(21_000), adds)
    assert null.method == "saddlepoint"
    assert null.mean() == pytest.approx(7_000 * adds.mean(axis=1).sum())
    assert null.sf(null.mean()) == pytest.approx(0.5, abs=0.01)


def test_a_level_must_be_a_probability() -> None:
    """95% is not 95."""
    null = br.null_distribution([0, 1], [0.1, 0.2], "AUC")
    with pytest.raises(br.exceptions.InvalidProbabilityError, match="95% is written"):
        null.interval(95)
    assert repr(null) == "<null distribution of AUC: mean 0.5, 95% within 0 to 1, exact>"


OF_FEW: dict[str, Callable[[Any, Any], float]] = {
    "RMSE": lambda truth, predicted: -math.sqrt(((truth - predicted) ** 2).mean()),
    "Pearson": lambda truth, predicted: float(np.corrcoef(truth, predicted)[0, 1]),
}


@pytest.mark.parametrize("measure", OF_FEW)
def test_two_ones_among_zeros_are_rarely_reversed(measure: str) -> None:
    """At most 15 of 300 arrangements that know nothing are significantly worse than chance."""
    rng = np.random.default_rng(0)
    truth, predicted = (np.arange(27) < 2) * 1.0, rng.normal(size=27)
    arrangements = [rng.permutation(truth) for _ in range(300)]
    # All share one null distribution: the worst of them tells where it is significant.
    ordered = sorted(arrangements, key=lambda each: OF_FEW[measure](each, predicted))
    outcomes = [
        next(iter(br.evaluate(each, predicted, measure, task="regression"))).outcome
        for each in (ordered[0], ordered[15])
    ]
    assert outcomes[0] is br.Outcome.REVERSED
    assert outcomes[1] is not br.Outcome.REVERSED


def _products(rows: int) -> dict[int, int]:
    """Return how many orders of so many ranks have each sum of products with the ranks."""
    ways: dict[int, dict[int, int]] = {0: {0: 1}}
    for rank in range(1, rows + 1):
        after: dict[int, dict[int, int]] = {}
        for taken, sums in ways.items():
            for other in range(rows):
                if not taken >> other & 1:
                    into = after.setdefault(taken | 1 << other, {})
                    for total, count in sums.items():
                        at = total + rank * (other + 1)
                        into[at] = into.get(at, 0) + count
        ways = after
    (found,) = ways.values()
    return found


def test_spearman_of_eleven_rows() -> None:
    """At p = 2.6e-4 it is that of all orders."""
    counts, rows = _products(11), np.arange(11.0)
    above = 0
    for total in sorted(counts, reverse=True):
        above += counts[total]
        if above / math.factorial(11) >= 2.6e-4:
            break
    rng = np.random.default_rng(1)
    order = np.arange(11)
    while int((order + 1) @ np.arange(1, 12)) != total:
        swapped = order.copy()
        i, j = rng.choice(11, 2, replace=False)
        swapped[[i, j]] = swapped[[j, i]]
        if int((swapped + 1) @ np.arange(1, 12)) >= total:
            order = swapped
    (verdict,) = br.evaluate(rows, order * 1.0, "Spearman", task="regression")
    assert verdict.p_value == pytest.approx(above / math.factorial(11), rel=1e-10)


def test_three_of_many_rows_are_counted() -> None:
    """The chance of a mean loss is that of all ways to draw three of 300 predictions."""
    sizes, values = (150, 100, 50), np.array([1.0, 2, 5])
    truth, predicted = (np.arange(300) < 3) * 4.0, np.repeat(values, sizes)
    null = br.null_distribution(truth, predicted, "MAE")
    ways = {
        taken: math.prod(map(math.comb, sizes, taken))
        for taken in itertools.product(range(4), repeat=3)
        if sum(taken) == 3
    }
    gains = np.abs(values - 4) - values
    score = {taken: (predicted.sum() + gains @ np.array(taken)) / 300 for taken in ways}
    for limit in score.values():
        below = sum(ways[each] for each in ways if score[each] < limit + 1e-9)
        assert null.cdf(limit) == pytest.approx(below / math.comb(300, 3), rel=1e-9)


@pytest.mark.parametrize(("alpha", "floor"), [(0.05, 1e-4), (0.001, 1e-5)])
def test_a_stricter_claim_has_more_permutations(alpha: float, floor: float) -> None:
    """The best of ten tries is told from better ones down to a tenth of what a claim needs."""
    truth = np.arange(20.0)
    report = br.evaluate(truth, truth, "MedAE", task="regression", alpha=alpha, tries=10)
    assert report.verdicts[0].p_value == pytest.approx(10 * floor, rel=1e-3)
