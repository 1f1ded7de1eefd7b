"""The score of shuffled predictions: against all shuffles, exact counts, and itself."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import baserate as br
from baserate.null.sums import linear

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
    assert 0 < null.error < 0.1
    assert null.ppf(0.1) < null.mean() < null.ppf(0.9)
    assert null.var() > 0


def test_a_part_of_many_columns_stands_for_all() -> None:
    """Of three levels and 21,000 different predictions."""
    adds = np.exp(0.3 * np.random.default_rng(3).normal(size=(3, 21_000)))
    null = linear([7_000] * 3, np.ones(21_000), adds)
    assert null.method == "saddlepoint"
    assert null.mean() == pytest.approx(7_000 * adds.mean(axis=1).sum())
    assert null.sf(null.mean()) == pytest.approx(0.5, abs=0.01)


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
