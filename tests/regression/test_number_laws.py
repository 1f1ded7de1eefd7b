"""The law of shuffled predictions: against all M! orders, or many random ones."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

import baserate as br
import exact_numbers as oracle
from baserate.core.direction import Direction
from baserate.exceptions import UndefinedMeasureError
from baserate.regression.fit import Fit
from baserate.regression.law import outliers
from baserate.regression.law.counts import LargestCount, MiddleCount
from baserate.regression.law.curve import Curve
from baserate.regression.law.dealings import dealing_of
from baserate.regression.law.distribution import Smooth
from baserate.regression.law.grid import step_of
from baserate.regression.law.groups import groups_by_times, groups_of
from baserate.regression.law.moments import of_losses, of_products, of_sum
from baserate.regression.law.pair_law import Inversions, of_pairs, pair_law, pairs_of
from baserate.regression.law.reading import Reading
from baserate.regression.law.saddle import PermutationSum
from baserate.regression.law.shuffles import all_orders, number_of_shuffles, one_of_all
from baserate.regression.law.sum_law import agrees
from baserate.regression.law.sums import DealtSum
from baserate.regression.measures.catalogue import NUMBER_MEASURES, get_number_measure
from baserate.regression.measures.errors import absolute_error

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
    fit, measure = Fit.of(truth, predicted), get_number_measure(name)
    law = measure.law(fit)
    every = oracle.dealt(SCORES[name], oracle.fractions_of(truth), oracle.fractions_of(predicted))
    assert (law.exact, law.method, law.error) == (True, "enumeration", 0)
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
    fit = Fit.of(truth, predicted)
    tails = measure.tails(fit, measure.score(fit))
    better, worse = (
        sum(sign * (other - observed) >= -1e-30 for other in every) / len(every)
        for sign in ((1, -1) if measure.direction is UP else (-1, 1))
    )
    assert tails.better == pytest.approx(better)
    assert tails.worse == pytest.approx(worse)
    assert measure.law(fit).mean() == pytest.approx(float(oracle.mean(every)), abs=1e-12)


def test_seven_observations_against_all_5040_orders() -> None:
    """One p-value is shared by MSE, RMSE, R2, Pearson, explained variance and CCC."""
    truth, predicted = [1, 2, 3, 4, 8, 9, 11], [2, 1, 5, 4, 4, 9, 7]
    products = [
        sum(a * b for a, b in zip(truth, order, strict=True)) for order in _orders(predicted)
    ]
    observed = sum(a * b for a, b in zip(truth, predicted, strict=True))
    p = sum(product >= observed for product in products) / len(products)
    fit = Fit.of(truth, predicted)
    for measure in NUMBER_MEASURES.values():
        if measure.monotone:  # MSE, RMSE and R2
            assert measure.tails(fit, measure.score(fit)).better == pytest.approx(p), measure
    for name in ("Pearson", "explained variance", "CCC"):  # not with weights, but without
        measure = get_number_measure(name)
        assert measure.tails(fit, measure.score(fit)).better == pytest.approx(p), name
    errors = sorted(
        sum(abs(a - b) for a, b in zip(truth, o, strict=True)) for o in _orders(predicted)
    )
    mae = sum(abs(a - b) for a, b in zip(truth, predicted, strict=True))
    expected = sum(error <= mae for error in errors) / len(errors)
    assert get_number_measure("MAE").tails(fit, mae / 7).better == pytest.approx(expected)


def _orders(values: list[int]) -> list[tuple[float, ...]]:
    return [tuple(row) for row in _all_dealt(np.array(values, dtype=float)).tolist()]


def _all_dealt(cards: Any) -> Any:
    return cards[all_orders(cards.size)]


def _shuffled(score: Any, truth: Any, predicted: Any, times: int) -> Any:
    """Return the scores of random orders, of a kernel that shares nothing with laws."""
    return np.array([score(truth, RNG.permutation(predicted), None) for _ in range(times)])


def test_perfect_predictions_far_from_zero() -> None:
    """One order of six is as good: the offset of 10¹² does not make all orders equal."""
    truth = np.array([1.0, 2, 4]) + 1e12
    for name in ("RMSE", "MSE", "R2", "Pearson", "CCC"):
        measure, fit = get_number_measure(name), Fit.of(truth, truth)
        assert measure.tails(fit, measure.score(fit)).better == pytest.approx(1 / 6)


def test_constant_predictions_are_dealt_alike() -> None:
    """Every order has the same score, so p is 1; a correlation has none."""
    fit = Fit.of([1.0, 2, 4, 7], [3.0] * 4)
    many = Fit.of(np.arange(1.0, 13), np.full(12, 3.0))
    for measure in NUMBER_MEASURES.values():
        for each in (fit, many):
            if measure.score_or_reason(each)[1]:
                with pytest.raises(UndefinedMeasureError, match="all predictions are the same"):
                    measure.law(each)
                continue
            score = measure.score(each)
            assert measure.tails(each, score)[:2] == (1, 1)
            assert measure.law(each).variance() == pytest.approx(0, abs=1e-20)


def test_the_moments_of_products_are_exact() -> None:
    """All four, against all orders."""
    for _ in range(5):
        left, right = RNG.exponential(size=(2, 6))
        left, right = left - left.mean(), right - right.mean()
        every = _all_dealt(right) @ left / 6
        curve = of_products(left, right)
        assert curve.mean == pytest.approx(every.mean(), abs=1e-15)
        assert curve.deviation == pytest.approx(every.std())
        assert curve.skewness == pytest.approx(stats.skew(every))
        assert curve.kurtosis == pytest.approx(stats.kurtosis(every))
    for size in (1, 2, 3):
        numbers = np.arange(size) - (size - 1) / 2
        every = _all_dealt(numbers) @ numbers / size
        assert of_products(numbers, numbers).deviation == pytest.approx(every.std())


@pytest.mark.parametrize("name", ["MAE", "MAPE", "sMAPE", "pinball@0.2", "Huber@1"])
def test_the_moments_of_losses_are_exact(name: str) -> None:
    """Mean, variance and skewness, against all orders."""
    form = get_number_measure(name).form
    for _ in range(3):
        truth, predicted = RNG.exponential(size=(2, 6))
        every = form.loss(truth, _all_dealt(predicted)).mean(axis=1)
        curve = of_losses(DealtSum(form.loss, truth, predicted))
        assert curve.mean == pytest.approx(every.mean())
        assert curve.deviation == pytest.approx(every.std())
        assert curve.skewness == pytest.approx(stats.skew(every))
        weights = RNG.exponential(size=6)
        weights /= weights.mean()
        every = form.loss(truth, _all_dealt(predicted)) @ weights / 6
        curve = of_losses(DealtSum(form.loss, truth, predicted, weights))
        assert curve.mean == pytest.approx(every.mean(), rel=1e-12)
        assert curve.deviation == pytest.approx(every.std(), rel=1e-12)
        assert curve.skewness == pytest.approx(stats.skew(every))
    two = DealtSum(form.loss, truth[:2], predicted[:2])
    assert of_losses(two).deviation == pytest.approx(two.numbers(all_orders(2)).std())
    assert of_losses(DealtSum(form.loss, truth[:1], predicted[:1])).deviation == 0


def test_the_variance_of_pairs_is_exact_with_ties() -> None:
    """Against all orders."""
    for truth, predicted in (
        ([1, 2, 3, 4, 5, 6], [2, 1, 3, 4, 6, 5]),
        ([1, 1, 2, 2, 2, 3], [1, 1, 1, 2, 3, 3]),
    ):
        y, z = np.array(truth, dtype=float), np.array(predicted, dtype=float)
        every = pairs_of(y, _all_dealt(z))
        curve = of_pairs(y, z)
        assert curve.deviation == pytest.approx(every.std())
        if len(set(truth)) == 6:
            assert curve.kurtosis == pytest.approx(stats.kurtosis(every))


@pytest.mark.parametrize("name", ["MAPE", "MAE", "weighted MAPE"])
def test_groups_keep_the_moments_of_many_losses(name: str) -> None:
    """Of 1,500 observations: the mean to a thousandth of the standard deviation."""
    truth, predicted = np.exp(RNG.normal(size=(2, 1_500)))
    truth[:700] *= -1  # so that truths near 0 are in the middle
    loss = get_number_measure(name.rpartition(" ")[2]).form.loss
    weights = RNG.exponential(size=1_500) if name.startswith("weighted") else np.ones(1_500)
    weights /= weights.mean()
    curve = of_losses(DealtSum(loss, truth, predicted, weights))
    matrix = loss(truth[:, np.newaxis], predicted) * weights[:, np.newaxis]
    centre = matrix - matrix.mean(axis=0) - matrix.mean(axis=1)[:, np.newaxis] + matrix.mean()
    deviation = np.sqrt((centre**2).sum() / 1_499) / 1_500
    assert abs(curve.mean - matrix.mean()) < 1e-3 * deviation
    assert curve.deviation == pytest.approx(deviation, rel=1e-3)


def test_groups_stand_for_all() -> None:
    """Their sums are those of all numbers, and numbers that weigh most are by themselves."""
    values, times = np.exp(RNG.normal(size=(2, 5_000)))
    sizes = np.ones(5_000)
    sizes[17] = 1e6
    for found in (
        groups_of(values, None, sizes, 100),
        groups_of(values, times, sizes, 100),
        groups_by_times(values, times, sizes, 100),
        groups_by_times(values, np.where(times > 1, 2.0, 1.0), sizes, 100),
    ):
        assert found.values.size <= 100
        assert found.counts.sum() == 5_000
        place = int(np.argmin(np.abs(found.values - values[17])))
        assert (found.values[place], found.counts[place]) == (pytest.approx(values[17]), 1)
    weighted = groups_by_times(values, times, sizes, 100)
    assert weighted.counts @ weighted.times == pytest.approx(times.sum())
    assert (weighted.counts * weighted.times) @ weighted.values == pytest.approx(values @ times)


@pytest.mark.parametrize("z", [-4.0, -1.0, 0.0, 0.02, 0.5, 3.0, 5.0])
def test_curves_have_the_tails_of_known_distributions(z: float) -> None:
    """Normal, gamma and beta exactly; a mixture with heavier tails closely."""
    assert Curve(0, 1).above(z) == pytest.approx(stats.norm.sf(z))
    for skewness in (0.5, -0.5):
        gamma = Curve(0, 1, skewness, 1.5 * skewness**2)
        assert gamma.above(z) == pytest.approx(stats.pearson3.sf(z, skewness), rel=1e-8)
        assert gamma.below(z) == pytest.approx(stats.pearson3.cdf(z, skewness), rel=1e-8)
    beta = stats.beta(3, 9)
    mean, variance, skewness, kurtosis = (float(m) for m in beta.stats("mvsk"))
    curve = Curve(mean, math.sqrt(variance), skewness, kurtosis)
    value = mean + z * math.sqrt(variance)
    assert curve.above(value) == pytest.approx(beta.sf(value), rel=1e-8, abs=1e-300)
    assert curve.below(value) == pytest.approx(beta.cdf(value), rel=1e-8, abs=1e-300)
    # A slope of the cumulants that is flat at first, so that the saddlepoint is far out.
    assert 0 < Curve(0, 1, -1.0, 1.51).above(4.0) < Curve(0, 1, 1.0, 1.51).above(4.0)
    assert 0 < Curve(0, 1, 1.0, 1.51).below(-4.0) < Curve(0, 1, -1.0, 1.51).below(-4.0)
    heavy = stats.t(60)
    curve = Curve(0, float(heavy.std()), 0, float(heavy.stats("k")))
    value = z * float(heavy.std())
    assert curve.above(value) == pytest.approx(heavy.sf(value), rel=0.06 if z < 5 else 0.3)


def test_curves_without_a_spread() -> None:
    """All is at the mean."""
    curve = Curve(2.0, 0.0)
    assert (curve.above(2.0), curve.above(3.0), curve.below(1.0)) == (0.5, 0, 0)
    assert (curve.above(1.0), curve.below(3.0)) == (1, 1)
    for each in (Curve(1, 2, 0.3, 0.1), Curve(1, 2), Curve(1, 2, 0.1, 0.5)):
        for level in (0.001, 0.3, 0.975):
            assert each.below(each.quantile(level)) == pytest.approx(level, rel=1e-6)


@pytest.mark.parametrize("size", [12, 30])
def test_p_values_are_never_0(size: int) -> None:
    """By simulation and by saddlepoint, they fall outwards to that of one order and no further."""
    y = RNG.normal(size=size)
    fit = Fit.of(y, y)
    measure = get_number_measure("Pearson")
    law = measure.law(fit)
    assert (law.exact, law.method) == (False, "simulation" if size < 20 else "saddlepoint")
    assert 0 < law.error < 0.2
    scores = np.linspace(-1, 1, 13)
    up = [law.tail(score, UP) for score in scores]
    down = [law.tail(score, DOWN) for score in scores]
    assert (np.diff(up) <= 1e-15).all()
    assert (np.diff(down) >= -1e-15).all()
    assert 1 / math.factorial(size) <= up[-1] < (1e-4 if size < 20 else 1e-9)
    assert law.mean() == pytest.approx(0, abs=1e-12)
    assert law.var() == pytest.approx(1 / (size - 1))


@pytest.mark.parametrize("size", [1, 2, 9, 40, *map(_more, (400, 6_000, 30_000))])
def test_perfect_predictions_have_a_p_value(size: int) -> None:
    """However many there are, and whatever the measure: it is positive, and the other one is 1."""
    y = np.exp(RNG.normal(size=size))
    fit = Fit.of(y, y)
    for measure in NUMBER_MEASURES.values():
        score, reason = measure.score_or_reason(fit)
        if reason:
            assert size == 1
            continue
        tails = measure.tails(fit, score)
        assert one_of_all(size) <= tails.better <= (1 / math.factorial(size) if size < 3 else 1e-2)
        assert tails.worse > 0.99


def test_tails_far_out_are_those_of_a_long_simulation() -> None:
    """Of 200,000 shuffles of 12 observations, at 0.0005 of them on either side."""
    y, z = np.exp(RNG.normal(size=(2, 12)))
    dealt = RNG.permuted(np.tile(z, (200_000, 1)), axis=1)
    for name, numbers in (
        ("MSE", ((y - dealt) ** 2).mean(axis=1)),
        ("MAE", np.abs(y - dealt).mean(axis=1)),
        ("MedAE", np.median(np.abs(y - dealt), axis=1)),
    ):
        law = get_number_measure(name).law(Fit.of(y, z))
        scores = np.sort(numbers)
        for level in (0.01, 0.0005):
            count = int(level * scores.size)
            low, high = scores[count - 1] + 1e-12, scores[-count] - 1e-12
            assert 0.5 < law.tail(low, DOWN) / (scores <= low).mean() < 2, (name, level)
            assert 0.5 < law.tail(high, UP) / (scores >= high).mean() < 2, (name, level)


def test_p_values_of_normal_numbers_are_those_of_the_t_test() -> None:
    """Nearly, also far out, where nothing was shuffled."""
    y = stats.norm.ppf((np.arange(100) + 0.5) / 100)
    z = RNG.permutation(y)
    law = get_number_measure("Pearson").law(Fit.of(y, z))
    for r in (0.2, 0.35, 0.45, 0.5):
        t = r * math.sqrt(98 / (1 - r * r))
        assert law.tail(r, UP) == pytest.approx(stats.t.sf(t, 98), rel=0.35)


def test_a_lump_is_counted_and_not_smoothed() -> None:
    """One outlier in both: its order has a thirtieth of all orders, and the curve is not asked."""
    y, z = np.append(RNG.normal(size=29), 1e4), np.append(RNG.normal(size=29), 1e4)
    law = get_number_measure("Pearson").law(Fit.of(y, z))
    assert law.tail(0.9, UP) == pytest.approx(1 / 30, rel=0.1)


@pytest.mark.parametrize(
    "name",
    ["RMSE", "MAPE", "Kendall", *(_more(n) for n in ("R2", "MAE", "sMAPE", "Spearman", "Gamma"))],
)
def test_laws_of_many_are_close_to_simulated_ones(name: str) -> None:
    """Mean, standard deviation and luck interval of a curve, by 400 shuffles."""
    y, z = np.exp(0.7 * RNG.normal(size=(2, 6_000)))
    fit, measure = Fit.of(y, z), get_number_measure(name)
    law = measure.law(fit)
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


def test_a_few_outliers_are_drawn_and_the_rest_is_smooth() -> None:
    """Of 12,000 rows one weighs most on either side: the law is that of what they get."""
    y, z = np.append(RNG.normal(size=11_999), 3e3), np.append(RNG.normal(size=11_999), 1e3)
    law = get_number_measure("Pearson").law(Fit.of(y, z))
    assert law.method == "mixture"
    # The outliers meet once in 12,000 orders, which have nearly all of the correlation: too rarely
    # for 20,000 draws to count, so that p is never below that of one draw.
    assert 1 / 20_001 <= law.tail(0.9, UP) < 5 / 12_000
    assert law.mean() == pytest.approx(0, abs=0.001)


def test_a_few_rows_that_weigh_most_of_a_loss() -> None:
    """One truth near 0 among 6,000: MAPE is what its row gets, mostly."""
    y, z = np.append(RNG.random(5_999) + 1, 1e-7), RNG.random(6_000) + 1
    measure, fit = get_number_measure("MAPE"), Fit.of(y, z)
    law = measure.law(fit)
    assert law.method == "mixture"
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
    law = get_number_measure("Kendall").law(Fit.of(y, z))
    assert (law.exact, law.method, law.error) == (True, "counting", 0)
    expected = stats.kendalltau(y, z, alternative="greater", method="exact")
    assert law.tail(expected.statistic, UP) == pytest.approx(expected.pvalue, rel=1e-9)
    assert law.mean() == pytest.approx(0, abs=1e-15)
    assert law.var() == pytest.approx(2 * (2 * 40 + 5) / (9 * 40 * 39))
    pairs = Inversions(12)
    assert pairs.above(66.0) == pytest.approx(1 / math.factorial(12), rel=1e-12)
    assert pairs.below(-64.0) == pytest.approx(12 / math.factorial(12), rel=1e-12)
    assert (pairs.below(-67.0), pairs.above(-66.0)) == (0, pytest.approx(1, abs=1e-14))
    assert pairs.below(100.0) == pairs.above(-66.0)
    assert pairs.number_at(0.5, upwards=True) == pairs.number_at(0.5, upwards=False) == 0
    assert Inversions(200).above(199 * 100) == one_of_all(200)


def test_kendall_with_ties_and_many() -> None:
    """The curve through the middle of the steps, against the exact law without ties."""
    numbers, law = np.arange(301.0), Inversions(301)
    shape = pair_law(numbers, numbers, 0.0)
    assert shape.method == "moments"
    for z in (1.0, 3.0, 5.0, 6.5):
        number = 2.0 * round(z * math.sqrt(300 * 301 * 607 / 18) / 2)
        assert shape.above(number) == pytest.approx(law.above(number), rel=shape.error)
    y, z = RNG.integers(0, 4, 30).astype(float), RNG.integers(0, 3, 30).astype(float)
    tied = pair_law(y, z, 0.0)
    every = np.array([stats.kendalltau(y, RNG.permutation(z)).statistic for _ in range(300)])
    assert tied.method == "simulation"
    slope = 1 / math.sqrt(_untied(y) * _untied(z))
    assert tied.below(0.0) == pytest.approx((every <= 1e-12).mean(), abs=0.12)
    assert tied.moments(Reading(0.0, 0.0, slope))[1] == pytest.approx(every.var(), rel=0.35)


def _untied(values: Any) -> float:
    return sum(a != b for k, a in enumerate(values) for b in values[:k])


def test_rows_of_many_are_kept_for_a_while() -> None:
    """The law of 20,001 observations is found once for its p-value and its luck."""
    y = RNG.normal(size=20_001)
    fit, measure = Fit.of(y, y[::-1]), get_number_measure("RMSE")
    assert measure.law(fit) is measure.law(fit)
    assert measure.law(fit).method == "moments"


def test_a_saddlepoint_knows_both_sides_and_its_quantiles() -> None:
    """Tails of a negated sum are mirrored, and those of quantiles are their levels."""
    y, z = np.exp(RNG.normal(size=(2, 25)))
    y, z = y - y.mean(), z - z.mean()
    one, other = DealtSum(np.multiply, y, z), DealtSum(np.multiply, -y, z)
    one, other = (PermutationSum(each, of_sum(each)) for each in (one, other))
    for value in (-0.5, 0.1, 0.4):
        assert one.above(value) == pytest.approx(other.below(-value), rel=1e-6)
        assert one.above(value) + one.below(value) == pytest.approx(1)
    for level in (1e-6, 0.025, 0.4, 0.975):
        assert one.below(one.quantile(level)) == pytest.approx(level, rel=1e-6)


def test_numbers_on_a_grid() -> None:
    """Its step is that of swaps: twice the unit by absolute errors of whole numbers."""
    y, z = RNG.poisson(1.0, 30) * 1.0, RNG.poisson(2.0, 30) * 1.0
    assert step_of(DealtSum(absolute_error, y, z)) * 30 == pytest.approx(2)
    assert step_of(DealtSum(np.multiply, y / 10, z)) * 30 == pytest.approx(0.1)
    times = np.where(y > 1, 3.0, 1.5)
    assert step_of(DealtSum(np.multiply, y, z, times)) * 30 == pytest.approx(1.5)
    assert step_of(DealtSum(np.multiply, y, RNG.normal(size=30))) < 1e-4
    assert step_of(DealtSum(np.multiply, np.arange(101.0), np.arange(101.0))) == 0
    assert step_of(DealtSum(np.multiply, np.ones(3), np.ones(3))) == 0


def test_zeros_and_ones_are_hypergeometric() -> None:
    """R2 of 0 and 1 beside 0 and 1, at every number of hits that is not rarer than 1e-12."""
    y, z = np.repeat([0.0, 1.0], [60, 40]), np.repeat([0.0, 1.0], [70, 30])
    law = get_number_measure("MSE").law(Fit.of(y, z))
    assert law.method == "saddlepoint"
    hits = stats.hypergeom(100, 40, 30)
    for both in range(31):
        if hits.sf(both - 1) > 1e-12:
            mse = (40 - both + 30 - both) / 100
            assert law.tail(mse, DOWN) == pytest.approx(hits.sf(both - 1), rel=law.error)
        if hits.cdf(both) > 1e-12:
            assert law.tail(mse, UP) == pytest.approx(hits.cdf(both), rel=law.error)


def test_shuffles_tell_a_curve_that_is_wrong() -> None:
    """One that is too wide, or has no lumps, is not believed."""
    numbers = RNG.normal(size=9_999)
    assert agrees(Curve(0.0, 1.0), numbers, 0.3, 0.0)
    assert not agrees(Curve(0.0, 1.1), numbers, 0.3, 0.0)
    assert not agrees(Curve(0.0, 1.0), np.round(numbers), 1.0, 0.0)


def test_counts_of_small_errors_give_median_and_maximum() -> None:
    """The laws of many observations, by 300 shuffles."""
    y, z = RNG.normal(size=(2, 6_000))
    fit = Fit.of(y, z)
    for name in ("MedAE", "max error"):
        measure = get_number_measure(name)
        law = measure.law(fit)
        assert law.method == "counts"
        scores = _shuffled(measure.kernel, y, z, 300)
        for level in (0.1, 0.5, 0.9):
            assert (scores <= law.ppf(level)).mean() == pytest.approx(level, abs=0.09)
            assert law.tail(law.ppf(level), UP) == pytest.approx(1 - level, abs=0.01)
        assert law.mean() == pytest.approx(scores.mean(), abs=0.4 * scores.std())
        assert math.sqrt(law.var()) == pytest.approx(scores.std(), rel=0.4)
    assert LargestCount(y, z).below(0.1) == 0
    assert MiddleCount(np.zeros(3), np.ones(3)).below(1.0) == 1


def test_the_largest_error_of_single_outliers() -> None:
    """Whatever the outlier of either side gets decides: an exact fraction of orders."""
    y, z = np.append(np.linspace(0, 1, 9_999), 100), np.linspace(0, 1, 10_000)
    assert LargestCount(y, z).below(99.5) == pytest.approx(0.5, abs=1e-3)
    assert LargestCount(z, y).below(99.5) == pytest.approx(0.5, abs=1e-3)


def test_the_same_numbers_every_time() -> None:
    """Laws have no chance in them: a fixed stream is shuffled."""
    y, z = RNG.normal(size=(2, 40))
    measure = get_number_measure("MedAE")
    first, second = measure.law(Fit.of(y, z)), measure.law(Fit.of(y.copy(), z.copy()))
    assert first is second
    again = measure.form, Fit.of(y, z)
    np.testing.assert_array_equal(dealing_of(*again).dealt.numbers, first.dealt.numbers)
    assert number_of_shuffles(10) == 39_999
    assert number_of_shuffles(1e9) == 199


def test_luck_and_exactness_as_a_judge_asks() -> None:
    """From bad to good: of a loss, the higher score is the worse."""
    measure, fit = get_number_measure("MAE"), Fit.of([1.0, 2, 3, 4], [1.0, 2, 4, 9])
    low, high = measure.luck(fit, (0.025, 0.975))
    law = measure.law(fit)
    assert (low, high) == (law.ppf(0.025), law.ppf(0.975))
    assert measure.is_exact(fit)
    measure = get_number_measure("R2")
    assert measure.luck(fit, (0.1, 0.9)) == (
        measure.law(fit).quantile(0.1),
        measure.law(fit).quantile(0.9),
    )


def test_roots_below_zero_are_never_reached() -> None:
    """A reading knows no number for a negative root."""
    law = get_number_measure("RMSE").law(Fit.of([1.0, 2, 3], [1.0, 2, 3]))
    assert law.tail(-1.0, DOWN) == 0
    assert law.tail(-1.0, UP) == 1
    assert Reading(1.0, 2.0, 0.0).number(3.0) == -math.inf
    smooth = Smooth(Curve(0.0, 0.0), "moments", 0.1, 0.0)
    assert smooth.moments(Reading(0.0, 0.0, -2.0, rooted=True)) == (0, 0)


def test_mixtures_with_and_without_skewness() -> None:
    """The tails on both sides are one, and quantiles are where they should be."""
    for skewness in (0.0, 0.3, -0.3):
        mixture = outliers.Mixture(RNG.normal(size=1_000), 0.5, skewness)
        for value in (-1.0, 0.2, 1.5):
            assert mixture.above(value) + mixture.below(value) == pytest.approx(1 + 1 / 1_001)
        assert mixture.below(mixture.quantile(0.2)) == pytest.approx(0.2, abs=1e-6)


def test_absolute_errors_broadcast() -> None:
    """A loss takes a column of truths beside a row of predictions."""
    assert absolute_error(np.ones((2, 1)), np.zeros(3)).shape == (2, 3)


def test_what_was_asked_before_does_not_matter() -> None:
    """A saddlepoint that was asked far out has the same tails as one that was not."""
    y, z = RNG.normal(size=(2, 40))
    y, z = y - y.mean(), z - z.mean()
    one, other = (
        PermutationSum(each, of_sum(each))
        for each in (DealtSum(np.multiply, y, z), DealtSum(np.multiply, y, z))
    )
    values = [0.05, 0.3, 0.6, 0.8, -0.5]
    first = [one.above(value) for value in values]
    assert [other.above(value) for value in values[::-1]] == first[::-1]


@pytest.mark.parametrize("size", [1, 2, 7, 30, 5_001])
@pytest.mark.parametrize("weighted", [False, True])
def test_truths_or_predictions_that_are_all_the_same(size: int, *, weighted: bool) -> None:
    """Every order has the same score, so that both chances are 1, or there is none."""
    numbers = np.arange(size) % 5 + 1.0
    same = np.full(size, 0.1)
    weights = np.ones(size) if weighted else None
    for fit in (
        Fit(numbers, same, weights),
        Fit(same, numbers, weights),
        Fit(same, same + 0.2, weights),
    ):
        for measure in NUMBER_MEASURES.values():
            score, reason = measure.score_or_reason(fit)
            if reason or (weighted and measure.key in _WITH_WEIGHTED_MEANS):
                continue
            assert measure.tails(fit, score)[:2] == (1, 1), measure
            assert measure.law(fit).mean() == pytest.approx(score, rel=1e-12, abs=1e-12)
            low, high = measure.law(fit).interval(0.95)
            assert (low, high) == pytest.approx((score, score), rel=1e-7, abs=1e-7)


# The weighted mean of predictions that differ depends on their order.
_WITH_WEIGHTED_MEANS = ("explained variance", "CCC")


@pytest.mark.parametrize("size", [30, 6_000])
def test_nearly_all_are_the_same(size: int) -> None:
    """Of two values with one exception on either side: the exceptions meet once in M orders."""
    y, z = np.zeros(size), np.zeros(size)
    y[3] = z[3] = 1.0
    for name in ("RMSE", "MAE", "Pearson", "Spearman", "Kendall", "CCC", "Huber@1"):
        measure, fit = get_number_measure(name), Fit.of(y, z)
        tails = measure.tails(fit, measure.score(fit))
        # Pairs of 6,000 rows are counted for 199 shuffles only: p is never below 0.005.
        most = 4 / size if name != "Kendall" or size < 60 else 0.005
        assert 0.5 / size < tails.better <= most, name
        assert tails.worse > 0.9, name


def test_losses_beyond_floats() -> None:
    """Other orders may have infinite losses: they are worse than what was observed."""
    y = np.append(np.full(10, 1e-300), 1e300)
    z = np.append(np.linspace(1e-300, 2e-300, 10), 1e300)
    measure, fit = get_number_measure("MAPE"), Fit.of(y, z)
    tails = measure.tails(fit, measure.score(fit))
    assert 0 < tails.better < 0.2
    assert tails.worse > 0.8


@pytest.mark.parametrize("size", [40, 61, 6_000])
def test_kendall_of_two_values_is_that_of_mann_and_whitney(size: int) -> None:
    """Against scipy, and of zeros and ones against the hypergeometric distribution."""
    y, z = np.arange(size) % 3 // 2 * 1.0, RNG.normal(size=size)
    z += 0.3 * y
    measure, fit = get_number_measure("Kendall"), Fit.of(y, z)
    law = measure.law(fit)
    test = stats.mannwhitneyu(
        z[y == 1], z[y == 0], alternative="greater", method="exact" if size < 100 else "asymptotic"
    )
    assert law.tail(measure.score(fit), UP) == pytest.approx(test.pvalue, rel=0.02)
    fit = Fit.of(y, (z > 0.5) * 1.0)
    hits = stats.hypergeom(size, int(y.sum()), int((z > 0.5).sum()))
    both = int((y * (z > 0.5)).sum())
    tails = measure.tails(fit, measure.score(fit))
    assert tails.better == pytest.approx(hits.sf(both - 1), rel=0.02)
    assert tails.worse == pytest.approx(hits.cdf(both), rel=0.02)


def test_median_and_largest_errors_of_whole_numbers() -> None:
    """Many errors are the same, and rounding does not tell them apart: by 300 shuffles."""
    y, z = RNG.poisson(3.0, 5_100) / 10, RNG.poisson(3.0, 5_100) / 10
    for name in ("MedAE", "max error"):
        measure, fit = get_number_measure(name), Fit.of(y, z)
        found = _shuffled(measure.kernel, y, z, 300)
        score = float(np.median(found))
        law = measure.law(fit)
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
        measure.tails(fit, measure.score(fit))
        for fit in (Fit.of(scale * y, scale * z), Fit.of(y, z))
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
