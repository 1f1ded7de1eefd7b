"""The best and the worst draw by a weighted score, against every draw of units."""

from __future__ import annotations

import numpy as np
import pytest

import exact
import exact_weighted as oracle
from baserate import BaseRate, Measure
from baserate.baselines.weighted import estimated, weighted_baseline
from baserate.exceptions import NoBaselineError, UndefinedMeasureError
from baserate.kinds.two_classes.task import BINARY
from baserate.kinds.weighted.task import WEIGHTED_LABELS
from baserate.measures.weighted import WeightedMeasure, classed
from baserate.observed.weighted import WeightedLabels
from weighted_cases import Case, cases, weighted


def _sizes(optimum: object) -> list[int]:
    return [count for part in optimum.guesses.counts for count in part]  # type: ignore[attr-defined]


def _check(key: str, case: Case) -> bool:
    """Compare both optima with the oracle; False if the measure has no baseline there."""
    expected = oracle.expectations(key, case.truth, case.weights)
    base = case.labels.test_set
    if not expected:
        with pytest.raises(UndefinedMeasureError):
            WEIGHTED_LABELS.baseline(base, weighted(key))
        return False
    found = WEIGHTED_LABELS.baseline(base, weighted(key))
    for optimum, (value, sizes) in zip(
        (found.max, found.min), exact.extremes(expected), strict=True
    ):
        assert optimum.value == pytest.approx(float(value), abs=1e-12)
        assert _sizes(optimum) == sizes
        assert optimum.exact
    return True


@pytest.mark.parametrize("kind", ["free", "class", "equal"])
@pytest.mark.parametrize("key", exact.DEFINITIONS)
def test_optima_are_those_of_all_draws(key: str, kind: str) -> None:
    """The best and the worst expectation, and all sizes that attain them, of up to 7 units."""
    checked = [_check(key, case) for case in cases(8, 7, seed=7, kind=kind)]
    assert sum(checked) >= 4


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["free", "class", "equal"])
@pytest.mark.parametrize("key", exact.DEFINITIONS)
def test_optima_are_those_of_all_draws_of_ten(key: str, kind: str) -> None:
    """The same with up to 10 units."""
    checked = [_check(key, case) for case in cases(25, 10, seed=8, kind=kind)]
    assert sum(checked) >= 10


def test_all_positive_is_not_always_best() -> None:
    """By F1, one positive prediction of two is better if the negative has most of the weight."""
    base = WeightedLabels.of_rows([1, 0], [1, 1], [1.0, 100.0]).test_set
    expected = {1: 0.5, 2: 2 / 102}
    found = WEIGHTED_LABELS.baseline(base, weighted("F1"))
    assert found.best.value == expected[1]
    assert _sizes(found.best) == [1]
    assert found.min.value == pytest.approx(expected[2])


@pytest.mark.parametrize("weight", [1.0, 0.3, 8.0])
@pytest.mark.parametrize("key", [*exact.DEFINITIONS])
def test_equal_weights_change_nothing(key: str, weight: float) -> None:
    """With the same weight for all, baselines are those without weights, to the last digit."""
    rate = BaseRate(positives=12, total=40)
    truth = np.arange(40) < 12
    base = WeightedLabels.of_rows(truth, truth, np.full(40, weight)).test_set
    factor = weight if key in ("TP", "TN", "FN", "FP") else 1.0
    found = WEIGHTED_LABELS.baseline(base, weighted(key))
    plain = BINARY.baseline(rate, weighted(key).of)
    assert found.max.value == pytest.approx(factor * plain.max.value, rel=1e-15)
    assert found.min.value == pytest.approx(factor * plain.min.value, rel=1e-15)
    assert _sizes(found.best) == _sizes(plain.best)


@pytest.mark.parametrize("key", ["PPV", "F1", "MCC", "KAPPA", "G2", "TS"])
def test_estimates_agree_with_all_draws(key: str) -> None:
    """Random orders give the expectation of every size, within four standard errors."""
    measure = weighted(key)
    for case in cases(3, 9, seed=9):
        expected = oracle.expectations(key, case.truth, case.weights)
        sizes = np.array(sorted(expected))
        if not sizes.size:
            continue
        means, errors = estimated(measure, measure.on(case.labels.test_set), sizes)
        apart = np.abs(means - [float(expected[size]) for size in sizes.tolist()])
        assert (apart <= 4.5 * errors + 1e-9).all()
        assert (errors < 2e-3).all()


@pytest.mark.parametrize("key", ["PPV", "MCC"])
def test_normal_draws_of_large_test_sets_agree_with_random_ones(key: str) -> None:
    """Beyond 2,000 observations the middle sizes agree with 1,000 random draws."""
    rng = np.random.default_rng(10)
    truth, weights = rng.random(2_500) < 0.3, rng.lognormal(0, 1, 2_500)
    measure = weighted(key)
    base = measure.on(WeightedLabels.of_rows(truth, truth, weights).test_set)
    weights = weights * measure.unit(WeightedLabels.of_rows(truth, truth, weights).test_set)
    for size in (300, 1_250):
        (mean,), _ = estimated(measure, base, np.array([size]))
        keys = rng.random((1_000, 2_500))
        said = keys < np.partition(keys, size, axis=1)[:, size : size + 1]
        cells = [
            np.where(said == is_said, 1.0, 0.0) @ (weights * (truth == is_true))
            for is_said, is_true in ((True, True), (True, False), (False, True), (False, False))
        ]
        scores = measure.scores(*cells)
        assert mean == pytest.approx(scores.mean(), abs=4 * scores.std() / np.sqrt(1_000))


def test_a_search_is_not_called_exact() -> None:
    """A best draw that was searched for says so; one at the end of a straight line is certain."""
    rng = np.random.default_rng(11)
    truth, weights = rng.random(60) < 0.4, rng.lognormal(0, 1, 60)
    base = WeightedLabels.of_rows(truth, truth, weights).test_set
    assert not weighted_baseline(base, weighted("F1")).best.exact
    assert "not certain" in str(weighted_baseline(base, weighted("F1")))
    accuracy = weighted_baseline(base, weighted("ACC"))
    assert accuracy.best.exact
    share = (weights * truth).sum() / weights.sum()
    assert accuracy.best.value == pytest.approx(max(share, 1 - share))


def test_measures_of_ones_own_are_weighted() -> None:
    """A cost of weighted errors has its best draw at an end; any function has a search."""
    cost = WeightedMeasure.by(
        Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")
    )
    base = WeightedLabels.of_rows([1, 0, 0], [1, 0, 0], [1.0, 2.0, 4.0]).test_set
    found = WEIGHTED_LABELS.baseline(base, cost)
    assert found.best.value == 5.0
    assert found.best.exact
    either = Measure.custom("best", lambda tp, fp, fn, tn: np.maximum(tp, tn))
    assert WEIGHTED_LABELS.baseline(base, WeightedMeasure.by(either)).max.value == 6.0


def test_weights_by_class_leave_rates_alone() -> None:
    """Balanced accuracy has no use for them, and accuracy has."""
    base = WeightedLabels.of_rows([1, 1, 0, 0, 0], [1] * 5, [2.0, 2.0, 1.0, 1.0, 1.0]).test_set
    for key in ("TPR", "TNR", "J", "BACC", "G2"):
        assert classed(weighted(key), base) is weighted(key).of
    assert classed(weighted("ACC"), base) is not weighted("ACC").of
    assert WEIGHTED_LABELS.baseline(base, weighted("ACC")).best.value == pytest.approx(4 / 7)


def test_no_baseline_where_there_is_none() -> None:
    """PT has no baseline, and TPR none without positives."""
    base = WeightedLabels.of_rows([1, 1, 0], [1, 0, 1], [2.0, 1.0, 1.0]).test_set
    with pytest.raises(NoBaselineError):
        WEIGHTED_LABELS.baseline(base, weighted("PT"))
    none = WeightedLabels.of_rows([0, 0, 0], [1, 0, 1], [2.0, 1.0, 1.5]).test_set
    with pytest.raises(UndefinedMeasureError, match="P > 0"):
        WEIGHTED_LABELS.baseline(none, weighted("TPR"))


def test_the_oracle_weight_of_a_perfect_model_is_one() -> None:
    """A score without errors needs all of an oracle, and the baseline nothing of it."""
    base = WeightedLabels.of_rows([1, 1, 0, 0], [1, 0, 1, 0], [2.0, 1.0, 1.0, 3.0]).test_set
    for key in ("F1", "ACC", "MCC"):
        baseline = WEIGHTED_LABELS.baseline(base, weighted(key))
        assert baseline.oracle_weight(1.0) == pytest.approx(1.0)
        assert baseline.oracle_weight(baseline.scale.best) == 0.0
        assert np.isnan(baseline.oracle_weight(0.0))
