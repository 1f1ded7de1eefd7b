"""The law of shuffled predictions: against all M! orders, or many random ones."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

import exact_numbers as oracle
from baserate.core.direction import Direction
from baserate.exceptions import UndefinedMeasureError
from baserate.regression.fit import Fit
from baserate.regression.law import choice, outliers
from baserate.regression.law.counts import LargestCount, MiddleCount
from baserate.regression.law.curve import Curve
from baserate.regression.law.moments import grouped, of_losses, of_products
from baserate.regression.law.orders import of_pairs, orders_of
from baserate.regression.law.reading import Reading
from baserate.regression.law.scored import ScoredLaw
from baserate.regression.law.shuffles import all_dealt, number_of_shuffles
from baserate.regression.law.smooth import SmoothLaw
from baserate.regression.measures.catalogue import NUMBER_MEASURES, get_number_measure
from baserate.regression.measures.errors import absolute_error

RNG = np.random.default_rng(40)


def _more(name: str) -> Any:
    return pytest.param(name, marks=pytest.mark.exhaustive)


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
    assert law.variance() == pytest.approx(float(oracle.variance(every)), rel=1e-9, abs=1e-14)
    for score in sorted(set(every)):
        at_least = sum(other >= score for other in every) / len(every)
        at_most = sum(other <= score for other in every) / len(every)
        assert law.tail(float(score), UP) == pytest.approx(at_least, rel=1e-12)
        assert law.tail(float(score), DOWN) == pytest.approx(at_most, rel=1e-12)
        assert law.quantile(at_most) == pytest.approx(float(score), rel=1e-12, abs=1e-13)


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
        if measure.monotone:
            assert measure.tails(fit, measure.score(fit)).better == pytest.approx(p), measure
    assert sum(measure.monotone for measure in NUMBER_MEASURES.values()) == 6
    errors = sorted(
        sum(abs(a - b) for a, b in zip(truth, o, strict=True)) for o in _orders(predicted)
    )
    mae = sum(abs(a - b) for a, b in zip(truth, predicted, strict=True))
    expected = sum(error <= mae for error in errors) / len(errors)
    assert get_number_measure("MAE").tails(fit, mae / 7).better == pytest.approx(expected)


def _orders(values: list[int]) -> list[tuple[float, ...]]:
    return [tuple(row) for row in all_dealt(np.array(values, dtype=float)).tolist()]


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
        every = all_dealt(right) @ left / 6
        curve = of_products(left, right)
        assert curve.mean == pytest.approx(every.mean(), abs=1e-15)
        assert curve.deviation == pytest.approx(every.std())
        assert curve.skewness == pytest.approx(stats.skew(every))
        assert curve.kurtosis == pytest.approx(stats.kurtosis(every))
    for size in (1, 2, 3):
        numbers = np.arange(size) - (size - 1) / 2
        every = all_dealt(numbers) @ numbers / size
        assert of_products(numbers, numbers).deviation == pytest.approx(every.std())


@pytest.mark.parametrize("name", ["MAE", "MAPE", "sMAPE", "pinball@0.2", "Huber@1"])
def test_the_moments_of_losses_are_exact(name: str) -> None:
    """Mean, variance and skewness, against all orders."""
    form = get_number_measure(name).form
    for _ in range(3):
        truth, predicted = RNG.exponential(size=(2, 6))
        every = form.loss(truth, all_dealt(predicted)).mean(axis=1)
        curve = of_losses(form.loss, truth, predicted)
        assert curve.mean == pytest.approx(every.mean())
        assert curve.deviation == pytest.approx(every.std())
        assert curve.skewness == pytest.approx(stats.skew(every))
    assert of_losses(form.loss, truth[:2], predicted[:2]).deviation == 0


def test_the_variance_of_pairs_is_exact_with_ties() -> None:
    """Against all orders."""
    for truth, predicted in (
        ([1, 2, 3, 4, 5, 6], [2, 1, 3, 4, 6, 5]),
        ([1, 1, 2, 2, 2, 3], [1, 1, 1, 2, 3, 3]),
    ):
        y, z = np.array(truth, dtype=float), np.array(predicted, dtype=float)
        orders = orders_of(get_number_measure("Kendall").form, Fit.of(y, z))
        every = orders.numbers(all_dealt(z))
        curve = of_pairs(y, z)
        assert curve.deviation == pytest.approx(every.std())
        if len(set(truth)) == 6:
            assert curve.kurtosis == pytest.approx(stats.kurtosis(every))


def test_groups_keep_the_moments_of_many_losses() -> None:
    """Of 2,600 observations: the mean to a hundredth of the standard deviation."""
    truth, predicted = np.exp(RNG.normal(size=(2, 2_600)))
    loss = get_number_measure("MAPE").form.loss
    curve = of_losses(loss, truth, predicted)
    matrix = loss(truth[:, np.newaxis], predicted)
    centre = matrix - matrix.mean(axis=0) - matrix.mean(axis=1)[:, np.newaxis] + matrix.mean()
    deviation = np.sqrt((centre**2).sum() / 2_599) / 2_600
    assert abs(curve.mean - matrix.mean()) < 0.02 * deviation
    assert curve.deviation == pytest.approx(deviation, rel=0.01)
    values, counts = grouped(truth)
    assert values @ counts == pytest.approx(truth.sum())


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


def test_p_values_of_a_simulation_are_valid() -> None:
    """No p is 0; beyond what was shuffled it falls, and never below that of one order."""
    y = RNG.normal(size=30)
    fit = Fit.of(y, y)
    measure = get_number_measure("Pearson")
    law = measure.law(fit)
    assert (law.exact, law.method) == (False, "simulation")
    assert 0 < law.error < 0.03
    scores = np.linspace(-1, 1, 13)
    up = [law.tail(score, UP) for score in scores]
    down = [law.tail(score, DOWN) for score in scores]
    assert (np.diff(up) <= 1e-15).all()
    assert (np.diff(down) >= -1e-15).all()
    assert up[-1] >= 1 / math.factorial(30)
    assert up[-1] < 1e-9
    assert law.mean() == pytest.approx(0, abs=1e-12)
    assert law.variance() == pytest.approx(1 / 29)
    low, high = law.interval(0.95)
    assert (low, high) == pytest.approx((-0.36, 0.36), abs=0.02)


def test_tails_far_out_are_those_of_a_long_simulation() -> None:
    """Of 200,000 shuffles of 12 observations, at 0.0005 of them on either side."""
    y, z = np.exp(RNG.normal(size=(2, 12)))
    for name in ("Pearson", "MAE", "MedAE"):
        measure = get_number_measure(name)
        orders = orders_of(measure.form, Fit.of(y, z))
        law = measure.law(Fit.of(y, z))
        dealt = RNG.permuted(np.tile(orders.cards, (200_000, 1)), axis=1)
        numbers = np.sort(orders.numbers(dealt))
        for level in (0.01, 0.0005):
            count = int(level * numbers.size)
            low, high = numbers[count - 1] + orders.slack, numbers[-count] - orders.slack
            assert 0.5 < law.below(low) / (numbers <= low).mean() < 2, (name, level)
            assert 0.5 < law.above(high) / (numbers >= high).mean() < 2, (name, level)


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
    y, z = np.exp(0.7 * RNG.normal(size=(2, 12_000)))
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
    orders = orders_of(measure.form, fit)
    numbers = np.concatenate(
        [orders.numbers(RNG.permuted(np.tile(orders.cards, (50, 1)), axis=1)) for _ in range(8)]
    )
    reading = Reading(orders.observed, measure.score(fit), orders.slope, orders.rooted)
    scores = reading.scores(numbers)
    deviation = math.sqrt(law.variance())
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
    assert math.sqrt(law.variance()) == pytest.approx(matrix.std(), rel=0.02)
    for level in (0.1, 0.5, 0.9):
        assert law.quantile(level) == pytest.approx(np.quantile(matrix, level) + rest, rel=0.02)


def test_kendall_without_ties_is_close_to_its_exact_law() -> None:
    """Pairs out of order are a sum of independent numbers: convolved, down to 1e-9."""
    law = np.ones(1)
    for size in range(2, 81):
        law = np.convolve(law, np.full(size, 1 / size))
    numbers = np.arange(80.0)
    curve, below = of_pairs(numbers, numbers), np.cumsum(law)
    for level in (0.1, 1e-3, 1e-6, 1e-9):
        place = int(np.searchsorted(below, level))
        assert curve.above(80 * 79 / 2 - 2 * place) == pytest.approx(below[place], rel=0.02)


def test_rows_of_many_are_kept_for_a_while() -> None:
    """The law of 100,001 observations is found once for its p-value and its luck."""
    y = RNG.normal(size=100_001)
    fit, measure = Fit.of(y, y[::-1]), get_number_measure("RMSE")
    assert measure.law(fit) is measure.law(fit)
    assert measure.law(fit).method == "saddlepoint"


def test_a_mirrored_law_is_the_same() -> None:
    """Its mean, deviation and quantiles too."""
    y, z = RNG.normal(size=(2, 20))
    law = get_number_measure("Pearson").law(Fit.of(y, z))
    assert isinstance(law, ScoredLaw)
    curve, mirrored = law.curve, law._mirrored.curve
    assert mirrored.mean == -curve.mean
    assert mirrored.deviation == curve.deviation
    assert mirrored.quantile(0.1) == pytest.approx(-curve.quantile(0.9))
    assert mirrored.above(0.5) == curve.below(-0.5)


def test_counts_of_small_errors_give_median_and_maximum() -> None:
    """The laws of many observations, by 300 shuffles."""
    y, z = RNG.normal(size=(2, 12_000))
    fit = Fit.of(y, z)
    for name in ("MedAE", "max error"):
        measure = get_number_measure(name)
        law = measure.law(fit)
        assert law.method == "counts"
        orders = orders_of(measure.form, fit)
        scores = np.concatenate(
            [orders.numbers(RNG.permuted(np.tile(z, (50, 1)), axis=1)) for _ in range(6)]
        )
        for level in (0.1, 0.5, 0.9):
            assert (scores <= law.quantile(level)).mean() == pytest.approx(level, abs=0.09)
            assert law.tail(law.quantile(level), UP) == pytest.approx(1 - level, abs=0.01)
        assert law.mean() == pytest.approx(scores.mean(), abs=0.4 * scores.std())
        assert math.sqrt(law.variance()) == pytest.approx(scores.std(), rel=0.4)
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
    measure = get_number_measure("MAE")
    first, second = measure.law(Fit.of(y, z)), measure.law(Fit.of(y.copy(), z.copy()))
    assert first is second
    choice._kept.cache_clear()
    again = measure.law(Fit.of(y, z))
    assert isinstance(again, ScoredLaw)
    np.testing.assert_array_equal(again.numbers, first.numbers)
    assert number_of_shuffles(10) == 39_999
    assert number_of_shuffles(1e9) == 199


def test_luck_and_exactness_as_a_judge_asks() -> None:
    """From bad to good: of a loss, the higher score is the worse."""
    measure, fit = get_number_measure("MAE"), Fit.of([1.0, 2, 3, 4], [1.0, 2, 4, 9])
    low, high = measure.luck(fit, (0.025, 0.975))
    law = measure.law(fit)
    assert (low, high) == (law.quantile(0.025), law.quantile(0.975))
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
    smooth = SmoothLaw(Reading(0.0, 0.0, -2.0, rooted=True), Curve(0.0, 0.0), "moments", 0.1)
    assert (smooth.mean(), smooth.variance()) == (0, 0)


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
