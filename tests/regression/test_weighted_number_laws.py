"""The law of shuffled predictions of weighted observations: against all M! orders."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import exact_numbers as oracle
from baserate.core.measure import Direction
from baserate.kinds.numbers.null import null_of
from baserate.kinds.numbers.orders import SCORES, WeightedRows
from baserate.kinds.numbers.task import REGRESSION
from baserate.measures.numbers import NUMBER_MEASURES, get_number_measure
from baserate.observed.numbers import NumericPredictions
from baserate.task import Chance
from chances import tails_of

RNG = np.random.default_rng(45)
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
    ([1, 2, 3, 10, 11], [2, 2, 3, 7, 20], [3, 3, 3, 3, 3]),
]


def test_the_oracle_knows_every_measure() -> None:
    """So that no measure is forgotten."""
    assert set(NUMBER_MEASURES) <= set(EVERY)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize(("truth", "predicted", "weights"), CASES)
def test_small_laws_are_those_of_all_orders(
    name: str, truth: list[int], predicted: list[int], weights: list[Any]
) -> None:
    """Mean, variance and both tails at every score."""
    fit = NumericPredictions.of(truth, predicted, weights=[float(w) for w in weights])
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


def _more(name: str, size: int) -> Any:
    return pytest.param(name, size, marks=pytest.mark.exhaustive)


@pytest.mark.parametrize(
    ("name", "size"),
    [("MSE", 6), ("CCC", 6), ("Kendall", 6), ("MedAE", 6), *(_more(name, 7) for name in EVERY)],
)
def test_p_values_of_more_weighted_observations(name: str, size: int) -> None:
    """Of the observed score, among all 720 or 5,040 orders, with ties in all three columns."""
    truth, predicted = [1, 2, 2, 4, 8, 9, 11][:size], [2, 1, 5, 4, 4, 9, 7][:size]
    weights = [1, 4, 2, 2, 3, 1, 6][:size]
    fit = NumericPredictions.of(truth, predicted, weights=weights)
    sides = [oracle.fractions_of(each) for each in (truth, predicted, weights)]
    every, observed = oracle.weighted_dealt(EVERY[name], *sides), EVERY[name](*sides)
    measure = get_number_measure(name)
    tails = tails_of(measure, fit, measure.score(fit))
    sign = 1 if measure.direction is UP else -1
    near = Fraction(0) if name in RATIONAL else 1e-30
    better = sum(sign * (other - observed) >= -near for other in every) / len(every)
    assert tails.better == pytest.approx(better, rel=1e-12)
    assert null_of(measure, fit).mean() == pytest.approx(float(oracle.mean(every)), rel=1e-12)


@pytest.mark.parametrize("name", EVERY)
def test_equal_weights_change_nothing(name: str) -> None:
    """Whatever they are; of shuffled orders the p-value is about the same."""
    y = np.exp(RNG.normal(size=25))
    z = np.exp(0.5 * np.log(y) + RNG.normal(size=25))
    measure = get_number_measure(name)
    plain, weighted = (
        NumericPredictions.of(y, z),
        NumericPredictions.of(y, z, weights=np.full(25, 0.3)),
    )
    assert measure.score(weighted) == pytest.approx(measure.score(plain))
    one, other = (tails_of(measure, fit, measure.score(fit)).better for fit in (plain, weighted))
    # Where it is counted among 39,999 orders, 4 standard errors.
    assert other == pytest.approx(one, rel=0.05, abs=4 * np.sqrt(one / 24_999))


@pytest.mark.parametrize("name", EVERY)
def test_many_weighted_orders_are_scored_as_one_by_one(name: str) -> None:
    """Of 300 shuffles of 30 observations by the kernel: mean, spread and both tails."""
    y, z = np.round(3 * np.exp(RNG.normal(size=(2, 30)))) + 1
    w = RNG.exponential(size=30)
    fit, measure = NumericPredictions.of(y, z, weights=w), get_number_measure(name)
    law = null_of(measure, fit)
    orders = [RNG.permutation(30) for _ in range(300)]
    found = np.array([measure.kernel(y, z[order], w) for order in orders])
    assert not law.exact
    assert abs(law.mean() - found.mean()) < 4 * found.std() / np.sqrt(300)
    assert np.sqrt(law.var()) == pytest.approx(found.std(), rel=0.35)
    for level in (0.2, 0.5, 0.8):
        value = law.ppf(level)
        assert (found <= value + 1e-9).mean() == pytest.approx(law.tail(value, DOWN), abs=0.13)
    if measure in SCORES:
        scores, _ = SCORES[measure](WeightedRows(y, z, w))
        places = np.array([_as_dealt(name, z, order) for order in orders])
        np.testing.assert_allclose(scores(places), found, rtol=1e-12, atol=1e-13)


def _as_dealt(name: str, cards: Any, order: Any) -> Any:
    """Return an order as it is asked for: by ranks and pairs, which row each card goes to."""
    if name not in {"Spearman", "Kendall"}:
        return order
    return np.argsort(cards[order], kind="stable")


def test_kendall_of_more_rows_is_scored_by_its_kernel() -> None:
    """From 61 rows on."""
    y, z = RNG.normal(size=(2, 61))
    w = RNG.exponential(size=61)
    measure = get_number_measure("Kendall")
    scores, _ = SCORES[measure](WeightedRows(y, z, w))
    order = RNG.permutation(61)
    assert scores(order[np.newaxis])[0] == pytest.approx(measure.kernel(y, z[order], w))


def test_which_measures_share_a_p_value() -> None:
    """MSE, RMSE and R2 do, with weights too; Pearson, CCC and explained variance have their own."""
    y = RNG.normal(size=7)
    z, w = y + RNG.normal(size=7), RNG.exponential(size=7)
    fit = NumericPredictions.of(y, z, weights=w)
    p = {
        name: tails_of(get_number_measure(name), fit, get_number_measure(name).score(fit)).better
        for name in ("MSE", "RMSE", "R2", "Pearson", "CCC", "explained variance")
    }
    assert p["MSE"] == p["RMSE"] == p["R2"] == REGRESSION.tails([fit])[0].better
    assert len({p["MSE"], p["Pearson"], p["CCC"], p["explained variance"]}) > 2
    assert [m.key for m in NUMBER_MEASURES.values() if m.monotone] == ["RMSE", "MSE", "R2"]
    null = Chance(REGRESSION, fit, (0.025, 0.975))
    assert null.is_exact(get_number_measure("Pearson"))


def test_one_weight_that_decides() -> None:
    """Of 30 observations one has nearly all the weight: p is the rank of its error."""
    y = np.arange(30.0)
    z, w = y[::-1].copy(), np.ones(30)
    w[3] = 1e9
    z[3], z[26] = 4.0, 26.0  # only the prediction of 3, which row 26 has not, would be closer
    fit = NumericPredictions.of(y, z, weights=w)
    measure = get_number_measure("MAE")
    law = null_of(measure, fit)
    closer = (np.abs(z - 3) <= 1).sum() / 30
    assert law.tail(1.0 + 1e-6, DOWN) == pytest.approx(closer, rel=0.3)
    assert law.mean() == pytest.approx(np.abs(z - 3).mean(), rel=1e-6)


@pytest.mark.parametrize("name", ["R2", "MAPE"])
def test_many_weighted_losses(name: str) -> None:
    """Of 6,000 rows: mean, spread and quantiles by 400 shuffles."""
    y = np.exp(RNG.normal(size=6_000))
    z, w = np.exp(RNG.normal(size=6_000)), RNG.exponential(size=6_000)
    fit, measure = NumericPredictions.of(y, z, weights=w), get_number_measure(name)
    law = null_of(measure, fit)
    found = np.array([measure.kernel(y, RNG.permutation(z), w) for _ in range(400)])
    deviation = np.sqrt(law.var())
    assert abs(law.mean() - found.mean()) < 4 * deviation / 20
    assert deviation == pytest.approx(found.std(), rel=0.2)
    for level in (0.1, 0.5, 0.9):
        assert (found <= law.ppf(level)).mean() == pytest.approx(level, abs=0.09)


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
