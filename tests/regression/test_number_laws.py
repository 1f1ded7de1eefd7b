"""The law of shuffled predictions: against all M! orders, or many random ones."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy import stats

import baserate as br
import exact_numbers as oracle
from baserate.core.measure import Direction
from baserate.exceptions import UndefinedMeasureError
from baserate.kinds.numbers.null import null_of
from baserate.kinds.numbers.task import REGRESSION
from baserate.measures.numbers import NUMBER_MEASURES, get_number_measure
from baserate.measures.numbers_errors import absolute_error
from baserate.observed.numbers import NumericPredictions
from chances import chance_range, tails_of

RNG = np.random.default_rng(40)


def _more(value: Any) -> Any:
    return pytest.param(value, marks=pytest.mark.exhaustive)


UP, DOWN = Direction.MAXIMIZE, Direction.MINIMIZE

SCORES: dict[str, Any] = {
    "MSE": oracle.average(oracle.squared),
    "MAE": oracle.average(oracle.absolute),
    "MAPE": oracle.average(oracle.percentage),
    "sMAPE": oracle.average(oracle.symmetric),
    "MedAE": oracle.median_error,
    "max error": oracle.max_error,
    "pinball@0.25": oracle.average(oracle.pinball(Fraction(1, 4))),
    "Huber@1": oracle.average(oracle.huber(1)),
    "R2": oracle.r2,
    "explained variance": oracle.explained_variance,
    "CCC": oracle.concordance,
}
CASES = [
    ([1, 2, 3, 4], [2, 1, 4, 3]),
    ([1, 1, 2, 5], [1, 3, 3, 4]),
    ([1, 2, 3, 10, 11], [2, 2, 3, 7, 20]),
    ([3, 3, 3, 4, 9], [1, 2, 2, 2, 2]),
]


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize(("truth", "predicted"), CASES)
def test_small_laws_are_those_of_all_orders(
    name: str, truth: list[int], predicted: list[int]
) -> None:
    """Mean, variance, both tails at every score, and quantiles, in fractions."""
    fit, measure = NumericPredictions.of(truth, predicted), get_number_measure(name)
    law = null_of(measure, fit)
    every = oracle.dealt(SCORES[name], oracle.fractions_of(truth), oracle.fractions_of(predicted))
    assert (law.exact, law.method, law.error) == (True, "exact", 0)
    assert law.mean() == pytest.approx(float(oracle.mean(every)), rel=1e-12, abs=1e-14)
    assert law.var() == pytest.approx(float(oracle.variance(every)), rel=1e-9, abs=1e-14)
    for score in sorted(set(every)):
        at_least = sum(other >= score for other in every) / len(every)
        at_most = sum(other <= score for other in every) / len(every)
        assert law.tail(float(score), UP) == pytest.approx(at_least, rel=1e-12)
        assert law.tail(float(score), DOWN) == pytest.approx(at_most, rel=1e-12)
        assert law.ppf(at_most) == pytest.approx(float(score), rel=1e-12, abs=1e-13)


@pytest.mark.parametrize(
    "name", ["RMSE", "Pearson", "Spearman", "Kendall", "MSLE", "Gamma", "Poisson"]
)
@pytest.mark.parametrize(("truth", "predicted"), CASES)
def test_p_values_of_small_laws(name: str, truth: list[int], predicted: list[int]) -> None:
    """Of the observed score, where roots and logarithms are not fractions."""
    measure = get_number_measure(name)
    score = {
        "RMSE": oracle.root(oracle.average(oracle.squared)),
        "Pearson": oracle.pearson,
        "Spearman": oracle.spearman,
        "Kendall": oracle.kendall,
        "MSLE": oracle.average(oracle.log_squared),
        "Gamma": oracle.average(oracle.deviance(2)),
        "Poisson": oracle.average(oracle.deviance(1)),
    }[name]
    every = oracle.dealt(score, oracle.fractions_of(truth), oracle.fractions_of(predicted))
    observed = score(oracle.fractions_of(truth), oracle.fractions_of(predicted))
    fit = NumericPredictions.of(truth, predicted)
    tails = tails_of(measure, fit, measure.score(fit))
    better, worse = (
        sum(sign * (other - observed) >= -1e-30 for other in every) / len(every)
        for sign in ((1, -1) if measure.direction is UP else (-1, 1))
    )
    assert tails.better == pytest.approx(better)
    assert tails.worse == pytest.approx(worse)
    assert null_of(measure, fit).mean() == pytest.approx(float(oracle.mean(every)), abs=1e-12)


def test_seven_observations_against_all_5040_orders() -> None:
    """One p-value is shared by MSE, RMSE, R2, Pearson, explained variance and CCC."""
    truth, predicted = [1, 2, 3, 4, 8, 9, 11], [2, 1, 5, 4, 4, 9, 7]
    products = [
        sum(a * b for a, b in zip(truth, order, strict=True)) for order in _orders(predicted)
    ]
    observed = sum(a * b for a, b in zip(truth, predicted, strict=True))
    p = sum(product >= observed for product in products) / len(products)
    fit = NumericPredictions.of(truth, predicted)
    for measure in NUMBER_MEASURES.values():
        if measure.monotone:  # MSE, RMSE and R2
            assert tails_of(measure, fit, measure.score(fit)).better == pytest.approx(p), measure
    for name in ("Pearson", "explained variance", "CCC"):  # not with weights, but without
        measure = get_number_measure(name)
        assert tails_of(measure, fit, measure.score(fit)).better == pytest.approx(p), name
    errors = sorted(
        sum(abs(a - b) for a, b in zip(truth, o, strict=True)) for o in _orders(predicted)
    )
    mae = sum(abs(a - b) for a, b in zip(truth, predicted, strict=True))
    expected = sum(error <= mae for error in errors) / len(errors)
    assert tails_of(get_number_measure("MAE"), fit, mae / 7).better == pytest.approx(expected)


def _orders(values: list[int]) -> list[tuple[float, ...]]:
    return [tuple(row) for row in _all_dealt(np.array(values, dtype=float)).tolist()]


def _all_dealt(cards: Any) -> Any:
    return cards[np.array(list(permutations(range(cards.size))))]


def _shuffled(score: Any, truth: Any, predicted: Any, times: int) -> Any:
    """Return the scores of random orders, of a kernel that shares nothing with laws."""
    return np.array([score(truth, RNG.permutation(predicted), None) for _ in range(times)])


def test_perfect_predictions_far_from_zero() -> None:
    """One order of six is as good: the offset of 10¹² does not make all orders equal."""
    truth = np.array([1.0, 2, 4]) + 1e12
    for name in ("RMSE", "MSE", "R2", "Pearson", "CCC"):
        measure, fit = get_number_measure(name), NumericPredictions.of(truth, truth)
        assert tails_of(measure, fit, measure.score(fit)).better == pytest.approx(1 / 6)


def test_constant_predictions_are_dealt_alike() -> None:
    """Every order has the same score, so p is 1; a correlation has none."""
    fit = NumericPredictions.of([1.0, 2, 4, 7], [3.0] * 4)
    many = NumericPredictions.of(np.arange(1.0, 13), np.full(12, 3.0))
    for measure in NUMBER_MEASURES.values():
        for each in (fit, many):
            if measure.score_or_reason(each)[1]:
                with pytest.raises(UndefinedMeasureError, match="all predictions are the same"):
                    null_of(measure, each)
                continue
            score = measure.score(each)
            assert tails_of(measure, each, score)[:2] == (1, 1)
            assert null_of(measure, each).var() == pytest.approx(0, abs=1e-20)


@pytest.mark.parametrize("size", [1, 2, 9, 40, *map(_more, (400, 6_000, 30_000))])
def test_perfect_predictions_have_a_p_value(size: int) -> None:
    """However many there are, and whatever the measure: it is positive, and the other one is 1."""
    y = np.exp(RNG.normal(size=size))
    fit = NumericPredictions.of(y, y)
    for measure in NUMBER_MEASURES.values():
        score, reason = measure.score_or_reason(fit)
        if reason:
            assert size == 1
            continue
        tails = tails_of(measure, fit, score)
        assert (
            1 / math.factorial(size) * (1 - 1e-9)
            <= tails.better
            <= (1 / math.factorial(size) if size < 3 else 1e-2)
        )
        assert tails.worse > 0.99


def test_p_values_of_normal_numbers_are_those_of_the_t_test() -> None:
    """Nearly, also far out, where nothing was shuffled."""
    y = stats.norm.ppf((np.arange(100) + 0.5) / 100)
    z = RNG.permutation(y)
    law = null_of(get_number_measure("Pearson"), NumericPredictions.of(y, z))
    for r in (0.2, 0.35, 0.45, 0.5):
        t = r * math.sqrt(98 / (1 - r * r))
        assert law.tail(r, UP) == pytest.approx(stats.t.sf(t, 98), rel=0.35)


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


def test_a_few_rows_that_weigh_most_of_a_loss() -> None:
    """One truth near 0 among 6,000: MAPE is what its row gets, mostly."""
    y, z = np.append(RNG.random(5_999) + 1, 1e-7), RNG.random(6_000) + 1
    measure, fit = get_number_measure("MAPE"), NumericPredictions.of(y, z)
    law = null_of(measure, fit)
    assert law.method in ("saddlepoint", "permutations")
    matrix = measure.form.loss(y[-1:], z) / 6_000
    rest = float(measure.form.loss(y[:-1, np.newaxis], z[:500]).mean())
    assert law.mean() == pytest.approx(matrix.mean() + rest, rel=0.01)
    assert math.sqrt(law.var()) == pytest.approx(matrix.std(), rel=0.02)
    for level in (0.1, 0.5, 0.9):
        assert law.ppf(level) == pytest.approx(np.quantile(matrix, level) + rest, rel=0.02)


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


def _untied(values: Any) -> float:
    return sum(a != b for k, a in enumerate(values) for b in values[:k])


def test_zeros_and_ones_are_hypergeometric() -> None:
    """R2 of 0 and 1 beside 0 and 1, at every number of hits that is not rarer than 1e-12."""
    y, z = np.repeat([0.0, 1.0], [60, 40]), np.repeat([0.0, 1.0], [70, 30])
    law = null_of(get_number_measure("MSE"), NumericPredictions.of(y, z))
    assert law.exact
    hits = stats.hypergeom(100, 40, 30)
    for both in range(31):
        if hits.sf(both - 1) > 1e-12:
            mse = (40 - both + 30 - both) / 100
            assert law.tail(mse, DOWN) == pytest.approx(hits.sf(both - 1), rel=law.error)
        if hits.cdf(both) > 1e-12:
            assert law.tail(mse, UP) == pytest.approx(hits.cdf(both), rel=law.error)


def test_luck_and_exactness_as_a_judge_asks() -> None:
    """From bad to good: of a loss, the higher score is the worse."""
    measure, fit = get_number_measure("MAE"), NumericPredictions.of([1.0, 2, 3, 4], [1.0, 2, 4, 9])
    low, high = chance_range(measure, fit, (0.025, 0.975))
    law = null_of(measure, fit)
    assert (low, high) == (law.ppf(0.025), law.ppf(0.975))
    assert REGRESSION.null_of(measure, fit).exact
    measure = get_number_measure("R2")
    assert chance_range(measure, fit, (0.1, 0.9)) == (
        null_of(measure, fit).ppf(0.1),
        null_of(measure, fit).ppf(0.9),
    )


def test_absolute_errors_broadcast() -> None:
    """A loss takes a column of truths beside a row of predictions."""
    assert absolute_error(np.ones((2, 1)), np.zeros(3)).shape == (2, 3)


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


def test_median_and_largest_errors_of_whole_numbers() -> None:
    """Many errors are the same, and rounding does not tell them apart: by 300 shuffles."""
    y, z = RNG.poisson(3.0, 5_100) / 10, RNG.poisson(3.0, 5_100) / 10
    for name in ("MedAE", "max error"):
        measure, fit = get_number_measure(name), NumericPredictions.of(y, z)
        found = _shuffled(measure.kernel, y, z, 300)
        score = float(np.median(found))
        law = null_of(measure, fit)
        at_least, at_most = (found >= score - 1e-9).mean(), (found <= score + 1e-9).mean()
        assert law.tail(score, UP) == pytest.approx(at_least, abs=0.1), name
        assert law.tail(score, DOWN) == pytest.approx(at_most, abs=0.1), name


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


@pytest.mark.parametrize("far", [1e100, 1e160, 1e300])
def test_a_prediction_that_is_very_far_away_is_no_error(far: float) -> None:
    """A model that diverged has a verdict, or a reason why it has none."""
    y = RNG.gamma(2.0, 1.0, 30)
    report = br.evaluate(y, {"diverged": np.append(y[1:], far)}, ["RMSE", "MAE", "R2"])
    for verdict in report:
        assert verdict.reason or verdict.score == verdict.score
        assert verdict.outcome is not br.Outcome.CLEARS
