"""The null distribution of shuffled numbers, and swaps of two models, where rows are many."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import baserate as br
from baserate.core.measure import Direction
from baserate.exceptions import UndefinedMeasureError
from baserate.kinds.numbers import REGRESSION
from baserate.kinds.numbers_null import null_of
from baserate.measures.correlations import by_orders
from baserate.measures.numbers import get_number_measure
from baserate.observed.numbers import JointFit, NumericPredictions
from baserate.task import task_observed

RNG = np.random.default_rng(40)


def _more(value: Any) -> Any:
    return pytest.param(value, marks=pytest.mark.exhaustive)


UP, DOWN = Direction.MAXIMIZE, Direction.MINIMIZE


def tails_of(measure: Any, fit: Any, score: float) -> Any:
    """Return how likely shuffled predictions are to score as well, and as badly."""
    return task_observed(fit.task).nulls([fit], (0.025, 0.975))[0].tails(measure, score)


def _shuffled(score: Any, truth: Any, predicted: Any, times: int) -> Any:
    """Return the scores of random orders, of a kernel that shares nothing with laws."""
    return np.array([score(truth, RNG.permutation(predicted), None) for _ in range(times)])


@pytest.mark.parametrize(
    "name",
    ["RMSE", "MAPE", "Kendall", *(_more(n) for n in ("R2", "MAE", "sMAPE", "Spearman", "Gamma"))],
)
def test_laws_of_many_are_close_to_simulated_ones(name: str) -> None:
    """Mean, standard deviation and null interval of a curve, by 400 shuffles."""
    y, z = np.exp(0.7 * RNG.normal(size=(2, 6_000)))
    fit, measure = NumericPredictions.of(y, z), get_number_measure(name)
    law = null_of(measure, fit)
    assert not law.exact
    assert law.method in {"moments", "saddlepoint"}
    assert law.error > 0
    if name == "Kendall":
        assert law.tail(measure.score(fit), UP) == pytest.approx(
            stats.kendalltau(y, z, alternative="greater").pvalue, rel=0.01
        )
        return
    scores = _shuffled(measure.kernel, y, z, 400)
    deviation = math.sqrt(law.var())
    assert law.mean() == pytest.approx(scores.mean(), abs=0.25 * deviation)
    assert deviation == pytest.approx(scores.std(), rel=0.2)
    low, high = law.interval(0.9)
    assert ((low <= scores) & (scores <= high)).mean() == pytest.approx(0.9, abs=0.06)
    assert law.tail(low, UP) == pytest.approx(0.95, abs=1e-3)


def test_kendall_without_ties_is_exact() -> None:
    """Against scipy's exact test, and in fractions: one order has all pairs in order."""
    y, z = RNG.normal(size=(2, 40))
    z = z + y
    law = null_of(get_number_measure("Kendall"), NumericPredictions.of(y, z))
    assert (law.exact, law.method, law.error) == (True, "exact", 0)
    expected = stats.kendalltau(y, z, alternative="greater", method="exact")
    assert law.tail(expected.statistic, UP) == pytest.approx(expected.pvalue, rel=1e-9)
    assert law.mean() == pytest.approx(0, abs=1e-15)
    assert law.var() == pytest.approx(2 * (2 * 40 + 5) / (9 * 40 * 39))


@pytest.mark.parametrize("size", [40, 61, 6_000])
def test_kendall_of_two_values_is_that_of_mann_and_whitney(size: int) -> None:
    """Against scipy, and of zeros and ones against the hypergeometric distribution."""
    y, z = np.arange(size) % 3 // 2 * 1.0, RNG.normal(size=size)
    z += 0.3 * y
    measure, fit = get_number_measure("Kendall"), NumericPredictions.of(y, z)
    law = null_of(measure, fit)
    test = stats.mannwhitneyu(
        z[y == 1], z[y == 0], alternative="greater", method="exact" if size < 100 else "asymptotic"
    )
    assert law.tail(measure.score(fit), UP) == pytest.approx(test.pvalue, rel=0.02)
    fit = NumericPredictions.of(y, (z > 0.5) * 1.0)
    hits = stats.hypergeom(size, int(y.sum()), int((z > 0.5).sum()))
    both = int((y * (z > 0.5)).sum())
    tails = tails_of(measure, fit, measure.score(fit))
    assert tails.better == pytest.approx(hits.sf(both - 1), rel=0.02)
    assert tails.worse == pytest.approx(hits.cdf(both), rel=0.02)


UP, DOWN = Direction.MAXIMIZE, Direction.MINIMIZE


def _two_models(rows: int, seed: int = 0, spreads: tuple[float, float] = (0.5, 0.3)) -> JointFit:
    rng = np.random.default_rng(seed)
    truth = rng.lognormal(0, 0.7, rows)
    return JointFit(truth, *(truth * rng.lognormal(0, spread, rows) for spread in spreads))


@pytest.mark.parametrize("key", ["MedAE", "max error", "Spearman"])
def test_many_rows(key: str) -> None:
    """Differences of many rows are of random swaps."""
    joint, measure = _two_models(2_500, 6, (0.9, 0.3)), get_number_measure(key)
    p_value, method, _ = REGRESSION.asked(measure, joint).swap_test()
    assert 0 < p_value <= (0.01 if key != "max error" else 1)
    assert method == "permutations"


def test_kendall_of_many_rows() -> None:
    """Of more than 30,000 rows scipy counts the pairs, and of 61 with weights the kernel."""
    rng = np.random.default_rng(3)
    y, z = rng.integers(0, 500, (2, 31_000)).astype(float)
    measure, expected = get_number_measure("Kendall"), stats.kendalltau(y, z).statistic
    assert measure.score(NumericPredictions.of(y, z)) == pytest.approx(expected)
    y, z = rng.normal(size=(2, 61))
    w, order = rng.exponential(size=61), rng.permutation(61)
    scores, _, shuffled = by_orders(measure, y, z, w)
    assert scores(shuffled[order[np.newaxis]])[0] == pytest.approx(measure.kernel(y, z[order], w))


def test_without_scores_there_is_nothing_to_compare() -> None:
    """One row has no R2, and constant predictions no correlation."""
    found = br.compare([1.0], {"first": [2.0], "second": [3.0]}, "R2")
    assert np.isnan(found.differences[0].p_value)
    assert br.Comparison.from_json(found.to_json()).differences[0].first == "first"
    with pytest.raises(UndefinedMeasureError, match="all predictions are the same"):
        br.null_distribution([1.0, 2, 4], [3.0] * 3, "Pearson")
