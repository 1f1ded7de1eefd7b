"""The null distribution of a weighted score, against every draw of units."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import baserate as br
import exact
import exact_weighted as oracle
from baserate.baselines.weighted import estimated, weighted_baseline
from baserate.core.measure import Direction
from baserate.exceptions import NoBaselineError, UndefinedMeasureError
from baserate.kinds.weighted.intervals import swap_test
from baserate.kinds.weighted.null import null_of
from baserate.kinds.weighted.task import WEIGHTED_LABELS
from baserate.observed.weighted import WeightedJoint, WeightedLabels
from weighted_cases import Case, cases, weighted

LEVELS = (Fraction(1, 40), Fraction(1, 3), Fraction(39, 40))


@pytest.mark.parametrize("key", exact.DEFINITIONS)
def test_laws_are_those_of_all_draws(key: str) -> None:
    """Mean, variance, tails and quantiles equal those of every subset of the units."""
    checked = 0
    for case in cases(12, 8, seed=1):
        labels, measure = case.labels, weighted(key)
        drawn = sum(case.first)
        expected = oracle.null(key, case.truth, case.weights, drawn)
        if expected is None:
            with pytest.raises(UndefinedMeasureError):
                null_of(measure, labels.test_set, drawn)
            continue
        law = null_of(measure, labels.test_set, drawn)
        score, _ = measure.score_or_reason(labels)
        cells = oracle.counted(case.truth, case.first, case.weights)
        exact_score = exact.DEFINITIONS[key](*cells)
        assert score == pytest.approx(exact.as_float(exact_score), rel=1e-14)
        assert law.mean() == pytest.approx(float(exact.mean(expected)), abs=1e-13)
        assert law.var() == pytest.approx(float(exact.variance(expected)), abs=1e-12)
        for direction, upper in ((Direction.MAXIMIZE, True), (Direction.MINIMIZE, False)):
            tail = oracle.tail(expected, exact_score, upper=upper)
            assert law.tail(score, direction) == pytest.approx(float(tail), abs=1e-13)
        for level in LEVELS:
            quantile = float(oracle.quantile(expected, level))
            assert law.ppf(float(level)) == pytest.approx(quantile, abs=1e-12)
        assert law.exact
        checked += 1
    assert checked >= 6


@pytest.mark.parametrize("key", ["ACC", "F1", "MCC"])
def test_p_values_are_those_of_all_shuffles(key: str) -> None:
    """Through the front door, with weights of 100 : 1, whose sums tie but for rounding."""
    definition = exact.DEFINITIONS[key]
    for seed in range(6):
        rng = np.random.default_rng(seed)
        truth, said = ((1, 0, *rng.integers(0, 2, 7).tolist()) for _ in range(2))
        weights = tuple(Fraction(int(each), 10) for each in rng.choice([1, 3, 10, 1000], 9))
        floats = [float(each) for each in weights]
        (verdict,) = br.evaluate(truth, said, key, sample_weight=floats, weights="importance")
        law = oracle.null(key, truth, weights, int(sum(said)))
        assert law is not None
        wanted = oracle.tail(law, definition(*oracle.counted(truth, said, weights)), upper=True)
        assert verdict.p_value == pytest.approx(float(wanted), rel=1e-12)


@pytest.mark.parametrize("key", ["F1", "MCC"])
def test_permutations_keep_ties_together(key: str) -> None:
    """Draws of 100 : 1 with the observed score are as good, in whatever order weights are added."""
    truth, weights = np.arange(60) % 2 == 0, np.where(np.arange(60) % 3 == 0, 30.1, 0.301)
    weights = weights * np.where(np.arange(60) < 40, 1.0, 1.7)
    labels = WeightedLabels.of_rows(truth, truth, weights)
    null = null_of(weighted(key), labels.test_set, 30)
    assert null.method == "permutations"
    assert 0 < null.error < 0.08
    drawn = np.unique(null.first(999))  # type: ignore[attr-defined]
    for score in drawn[::100].tolist():
        for near in (score - 1e-14, score + 1e-14):
            assert null.sf(near) == null.sf(score)
            assert null.cdf(near) == null.cdf(score)


@pytest.mark.parametrize(
    ("rows", "drawn", "spread", "method"),
    [(40, 18, 0.5, "exact"), (60, 30, 0.5, "exact"), (60, 30, 1, "exact")],
)
def test_tails_of_many_observations_agree_with_counting(
    rows: int, drawn: int, spread: float, method: str
) -> None:
    """With whole weights all draws can be counted by their sums, and tails are within 3%."""
    rng = np.random.default_rng(50)
    truth = rng.random(rows) < 0.4
    weights = np.maximum(np.rint(8 * np.exp(spread * rng.normal(size=rows))), 1).astype(int)
    counts = oracle.sums(np.where(truth, weights, -weights).tolist(), drawn)
    law = null_of(weighted("ACC"), WeightedLabels.of_rows(truth, truth, weights).test_set, drawn)
    assert law.method == method
    ordered, every = sorted(counts), math.comb(rows, drawn)
    for level in (0.3, 0.05, 1e-2, 1e-3, 1e-5):
        above, place = 0, len(ordered)
        while above < level * every:
            place -= 1
            above += counts[ordered[place]]
        score = (weights[~truth].sum() + ordered[place]) / weights.sum()
        found = law.tail(float(score), Direction.MAXIMIZE)
        assert found == pytest.approx(above / every, rel=law.error or 1e-10)


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


def test_all_positive_is_not_always_best() -> None:
    """By F1, one positive prediction of two is better if the negative has most of the weight."""
    base = WeightedLabels.of_rows([1, 0], [1, 1], [1.0, 100.0]).test_set
    expected = {1: 0.5, 2: 2 / 102}
    found = WEIGHTED_LABELS.baseline(base, weighted("F1"))
    assert found.best.value == expected[1]
    assert _sizes(found.best) == [1]
    assert found.min.value == pytest.approx(expected[2])


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


def test_no_baseline_where_there_is_none() -> None:
    """PT has no baseline, and TPR none without positives."""
    base = WeightedLabels.of_rows([1, 1, 0], [1, 0, 1], [2.0, 1.0, 1.0]).test_set
    with pytest.raises(NoBaselineError):
        WEIGHTED_LABELS.baseline(base, weighted("PT"))
    none = WeightedLabels.of_rows([0, 0, 0], [1, 0, 1], [2.0, 1.0, 1.5]).test_set
    with pytest.raises(UndefinedMeasureError, match="P > 0"):
        WEIGHTED_LABELS.baseline(none, weighted("TPR"))


KEYS = [key for key in exact.DEFINITIONS if key not in ("TN", "FP", "FNR", "FPR", "FDR", "FOR")]


@pytest.mark.parametrize("kind", ["free", "class", "equal"])
@pytest.mark.parametrize("key", KEYS)
def test_swaps_are_all_swaps(key: str, kind: str) -> None:
    """The p-value is the share of all row-by-row swaps whose scores differ as much."""
    for case in cases(5, 6, seed=30, kind=kind):
        joint = WeightedJoint.of_rows(case.truth, case.first, case.second, case.floats)
        expected = oracle.swapped(key, case.truth, case.first, case.second, case.weights)
        p_value, method, _ = swap_test(weighted(key), joint)
        assert method == "exact"
        if expected is None:
            assert np.isnan(p_value)
        else:
            assert p_value == pytest.approx(float(expected), rel=1e-12)
