"""Null distributions of few numbers, of which one or two decide."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import baserate as br

if TYPE_CHECKING:
    from collections.abc import Callable


SCORES: dict[str, Callable[[Any, Any], float]] = {
    "RMSE": lambda truth, predicted: -math.sqrt(((truth - predicted) ** 2).mean()),
    "Pearson": lambda truth, predicted: float(np.corrcoef(truth, predicted)[0, 1]),
}


@pytest.mark.parametrize("measure", SCORES)
def test_two_ones_among_zeros_are_rarely_reversed(measure: str) -> None:
    """At most 15 of 300 arrangements that know nothing are significantly worse than chance."""
    rng = np.random.default_rng(0)
    truth, predicted = (np.arange(27) < 2) * 1.0, rng.normal(size=27)
    arrangements = [rng.permutation(truth) for _ in range(300)]
    # All share one null distribution: the worst of them tells where it is significant.
    ordered = sorted(arrangements, key=lambda each: SCORES[measure](each, predicted))
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
