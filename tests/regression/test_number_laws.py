"""The law of shuffled predictions: against all M! orders, or many random ones."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

import exact_numbers as oracle
from baserate.core.measure import Direction
from baserate.exceptions import UndefinedMeasureError
from baserate.kinds.numbers.null import null_of
from baserate.kinds.numbers.scores import by_orders
from baserate.measures.numbers import NUMBER_MEASURES, get_number_measure
from baserate.observed.numbers import NumericPredictions
from chances import tails_of

RNG = np.random.default_rng(40)


def _more(value: Any) -> Any:
    return pytest.param(value, marks=pytest.mark.exhaustive)


UP, DOWN = Direction.MAXIMIZE, Direction.MINIMIZE


def _shuffled(score: Any, truth: Any, predicted: Any, times: int) -> Any:
    """Return the scores of random orders, of a kernel that shares nothing with laws."""
    return np.array([score(truth, RNG.permutation(predicted), None) for _ in range(times)])


@pytest.mark.parametrize(
    "name",
    ["RMSE", "MAPE", "Kendall", *(_more(n) for n in ("R2", "MAE", "sMAPE", "Spearman", "Gamma"))],
)
def test_laws_of_many_are_close_to_simulated_ones(name: str) -> None:
    """Mean, standard deviation and luck interval of a curve, by 400 shuffles."""
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


@pytest.mark.parametrize("size", [1, 2, 7, 30, 5_001])
@pytest.mark.parametrize("weighted", [False, True])
def test_truths_or_predictions_that_are_all_the_same(size: int, *, weighted: bool) -> None:
    """Every order has the same score, so that both chances are 1, or there is none."""
    numbers = np.arange(size) % 5 + 1.0
    same = np.full(size, 0.1)
    weights = np.ones(size) if weighted else None
    for fit in (
        NumericPredictions(numbers, same, weights),
        NumericPredictions(same, numbers, weights),
        NumericPredictions(same, same + 0.2, weights),
    ):
        for measure in NUMBER_MEASURES.values():
            score, reason = measure.score_or_reason(fit)
            if reason or (weighted and measure.key in _WITH_WEIGHTED_MEANS):
                continue
            assert tails_of(measure, fit, score)[:2] == (1, 1), measure
            assert null_of(measure, fit).mean() == pytest.approx(score, rel=1e-12, abs=1e-12)
            low, high = null_of(measure, fit).interval(0.95)
            assert (low, high) == pytest.approx((score, score), rel=1e-7, abs=1e-7)


# The weighted mean of predictions that differ depends on their order.
_WITH_WEIGHTED_MEANS = ("explained variance", "CCC")


@pytest.mark.parametrize("size", [30, 6_000])
def test_nearly_all_are_the_same(size: int) -> None:
    """Of two values with one exception on either side: the exceptions meet once in M orders."""
    y, z = np.zeros(size), np.zeros(size)
    y[3] = z[3] = 1.0
    for name in ("RMSE", "MAE", "Pearson", "Spearman", "Kendall", "CCC", "Huber@1"):
        measure, fit = get_number_measure(name), NumericPredictions.of(y, z)
        tails = tails_of(measure, fit, measure.score(fit))
        # Pairs of 6,000 rows are counted for 199 shuffles only: p is never below 0.005.
        most = 4 / size if name != "Kendall" or size < 60 else 0.005
        assert 0.5 / size < tails.better <= most, name
        assert tails.worse > 0.9, name


def test_what_has_no_score_has_no_distribution() -> None:
    """Constant predictions have no correlation, in whatever order."""
    with pytest.raises(UndefinedMeasureError, match="all predictions are the same"):
        null_of(get_number_measure("Pearson"), NumericPredictions.of([1.0, 2, 4, 7], [3.0] * 4))


def test_losses_beyond_floats() -> None:
    """Other orders may have infinite losses: they are worse than what was observed."""
    y = np.append(np.full(10, 1e-300), 1e300)
    z = np.append(np.linspace(1e-300, 2e-300, 10), 1e300)
    measure, fit = get_number_measure("MAPE"), NumericPredictions.of(y, z)
    tails = tails_of(measure, fit, measure.score(fit))
    assert 0 < tails.better < 0.2
    assert tails.worse > 0.8


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


@pytest.mark.parametrize("scale", [2.0**-330, 2.0**330])
@pytest.mark.parametrize("name", ["MAE", "pinball@0.1", "D2 absolute error", "RMSE", "R2"])
def test_p_values_do_not_depend_on_the_unit(name: str, scale: float) -> None:
    """Their fourth powers are no floats: those of numbers near 1e-99 and 1e99."""
    y = RNG.gamma(2.0, 1.0, 30)
    z = y + RNG.normal(0, 1, 30)
    measure = get_number_measure(name)
    found, usual = (
        tails_of(measure, fit, measure.score(fit))
        for fit in (NumericPredictions.of(scale * y, scale * z), NumericPredictions.of(y, z))
    )
    assert found.better == pytest.approx(usual.better, rel=1e-9)
    assert found.worse == pytest.approx(usual.worse, rel=1e-9)


RANDOM = np.random.default_rng(45)
UP, DOWN = Direction.MAXIMIZE, Direction.MINIMIZE
HALF = Fraction(1, 2)


RATIONAL: dict[str, Any] = {
    "MSE": oracle.weighted_average(oracle.squared),
    "MAE": oracle.weighted_average(oracle.absolute),
    "MAPE": oracle.weighted_average(oracle.percentage),
    "sMAPE": oracle.weighted_average(oracle.symmetric),
    "MedAE": oracle.weighted_median_error,
    "max error": oracle.weighted_max_error,
    "pinball@0.25": oracle.weighted_average(oracle.pinball(Fraction(1, 4))),
    "pinball@0.5": oracle.weighted_average(oracle.pinball(HALF)),
    "Huber@1": oracle.weighted_average(oracle.huber(1)),
    "R2": oracle.weighted_share(oracle.squared, oracle.weighted_mean),
    "D2 absolute error": oracle.weighted_share(oracle.absolute, oracle.weighted_median),
    "explained variance": oracle.weighted_explained,
    "CCC": oracle.weighted_concordance,
}
IRRATIONAL: dict[str, Any] = {
    "RMSE": lambda y, z, w: oracle.mpmath.sqrt(oracle.real(RATIONAL["MSE"](y, z, w))),
    "MSLE": oracle.weighted_average(oracle.log_squared),
    "RMSLE": lambda y, z, w: oracle.mpmath.sqrt(
        oracle.weighted_average(oracle.log_squared)(y, z, w)
    ),
    "Poisson deviance": oracle.weighted_average(oracle.deviance(1)),
    "Gamma deviance": oracle.weighted_average(oracle.deviance(2)),
    "Tweedie@1.5": oracle.weighted_average(oracle.deviance(Fraction(3, 2))),
    "D2 Tweedie@1": oracle.weighted_share(oracle.deviance(1), oracle.weighted_mean),
    "Pearson": oracle.weighted_pearson,
    "Spearman": oracle.weighted_spearman,
    "Kendall": oracle.weighted_kendall,
}
EVERY = RATIONAL | IRRATIONAL
CASES = [
    ([1, 2, 3, 4], [2, 1, 4, 3], [1, 2, 3, 4]),
    ([1, 1, 2, 5], [1, 3, 3, 4], [Fraction(1, 2), 1, Fraction(5, 2), 100]),
    ([3, 3, 3, 4, 9], [1, 2, 2, 2, 2], [1, 1, 7, 2, 2]),
    ([1, 2, 3, 10, 11], [2, 2, 3, 7, 20], [1, 1, 1, 1, 1]),  # no weights
]


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize(("truth", "predicted", "weights"), CASES)
def test_small_laws_are_those_of_all_orders(
    name: str, truth: list[int], predicted: list[int], weights: list[Any]
) -> None:
    """Mean, variance and both tails at every score."""
    floats = None if set(weights) == {1} else [float(w) for w in weights]
    fit = NumericPredictions.of(truth, predicted, weights=floats)
    law = null_of(get_number_measure(name), fit)
    sides = (oracle.fractions_of(each) for each in (truth, predicted, weights))
    every = oracle.weighted_dealt(EVERY[name], *sides)
    assert (law.exact, law.method, law.error) == (True, "exact", 0)
    assert law.mean() == pytest.approx(float(oracle.mean(every)), rel=1e-12, abs=1e-13)
    assert law.var() == pytest.approx(float(oracle.variance(every)), rel=1e-12, abs=1e-13)
    near = Fraction(0) if name in RATIONAL else 1e-30
    for score in sorted(set(every))[:: 1 if len(every) < 25 else 7]:
        at_least = sum(other >= score - near for other in every) / len(every)
        at_most = sum(other <= score + near for other in every) / len(every)
        assert law.tail(float(score), UP) == pytest.approx(at_least, rel=1e-12)
        assert law.tail(float(score), DOWN) == pytest.approx(at_most, rel=1e-12)


@pytest.mark.parametrize("name", EVERY)
def test_many_weighted_orders_are_scored_as_one_by_one(name: str) -> None:
    """Of 300 shuffles of 30 observations by the kernel: mean, spread and both tails."""
    y, z = np.round(3 * np.exp(RANDOM.normal(size=(2, 30)))) + 1
    w = RANDOM.exponential(size=30)
    fit, measure = NumericPredictions.of(y, z, weights=w), get_number_measure(name)
    law = null_of(measure, fit)
    orders = [RANDOM.permutation(30) for _ in range(300)]
    found = np.array([measure.kernel(y, z[order], w) for order in orders])
    assert not law.exact
    assert abs(law.mean() - found.mean()) < 4 * found.std() / np.sqrt(300)
    assert np.sqrt(law.var()) == pytest.approx(found.std(), rel=0.35)
    for level in (0.2, 0.5, 0.8):
        value = law.ppf(level)
        assert (found <= value + 1e-9).mean() == pytest.approx(law.tail(value, DOWN), abs=0.13)
    if measure.loss is None:
        scores, _, shuffled = by_orders(measure, y, z, w)
        np.testing.assert_allclose(scores(shuffled[orders]), found, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", ["R2", "MAPE"])
def test_many_weighted_losses(name: str) -> None:
    """Of 5,500 rows: mean, spread and quantiles by 200 shuffles."""
    y = np.exp(RANDOM.normal(size=5_500))
    z, w = np.exp(RANDOM.normal(size=5_500)), RANDOM.exponential(size=5_500)
    fit, measure = NumericPredictions.of(y, z, weights=w), get_number_measure(name)
    law = null_of(measure, fit)
    found = np.array([measure.kernel(y, RANDOM.permutation(z), w) for _ in range(200)])
    deviation = np.sqrt(law.var())
    assert abs(law.mean() - found.mean()) < 4 * deviation / 14
    assert deviation == pytest.approx(found.std(), rel=0.2)
    for level in (0.1, 0.5, 0.9):
        assert (found <= law.ppf(level)).mean() == pytest.approx(level, abs=0.12)


@pytest.mark.parametrize("key", ["Pearson", "CCC", "Kendall", "MedAE"])
def test_a_measure_of_one_s_own_has_a_law(key: str) -> None:
    """One that is not listed is scored by its kernel, with the same chances."""
    listed = get_number_measure(key)
    own = dataclasses.replace(listed, key="own")
    truth, predicted, weights = CASES[1]
    fit = NumericPredictions.of(truth, predicted, weights=[float(w) for w in weights])
    score = listed.score(fit)
    assert null_of(own, fit).exact
    assert tails_of(own, fit, score)[:2] == pytest.approx(tails_of(listed, fit, score)[:2])
    assert null_of(own, fit).mean() == pytest.approx(null_of(listed, fit).mean(), abs=1e-12)
