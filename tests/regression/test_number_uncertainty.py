"""How sure scores of numbers and their margins are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from baserate.regression.fit import Fit
from baserate.regression.measures.bent import huber, pinball
from baserate.regression.measures.catalogue import NUMBER_MEASURES, get_number_measure
from baserate.regression.measures.deviances import tweedie
from baserate.regression.measures.explained import d2_pinball, d2_tweedie
from baserate.regression.uncertainty import NumberUncertainty
from baserate.regression.uncertainty.draws import _wider
from baserate.regression.uncertainty.limits import best_constant, reading_of_fit
from baserate.regression.uncertainty.losses import row_loss
from baserate.regression.uncertainty.readings import OfMeans, OfMedians, Spare
from baserate.regression.uncertainty.scales import unseen

KEYS = tuple(NUMBER_MEASURES)
WITH_LIMITS = tuple(key for key in KEYS if key != "max error")
LOSSES = ("MSE", "RMSE", "MAE", "MedAE", "MAPE", "sMAPE", "Huber@1", "MSLE", "RMSLE")


def _positive_fit(rows: int, seed: int = 0, spread: float = 0.4) -> Fit:
    rng = np.random.default_rng(seed)
    truth = rng.lognormal(0, 0.7, rows)
    return Fit(truth, truth * rng.lognormal(0, spread, rows))


def _margin_of(key: str, fit: Fit, alpha: float = 0.05) -> tuple[float, float]:
    measure = get_number_measure(key)
    return NumberUncertainty(fit, alpha).margin(measure.yardstick(fit.test_set))


@pytest.mark.parametrize("rows", [2, 3, 7, 30, 300])
@pytest.mark.parametrize("key", WITH_LIMITS)
def test_limits_hold_what_was_observed(key: str, rows: int) -> None:
    """Limits hold what was observed."""
    fit, measure = _positive_fit(rows, rows), get_number_measure(key)
    yardstick = measure.yardstick(fit.test_set)
    score = measure.score(fit)
    low, high = NumberUncertainty(fit, 0.05).score(measure)
    assert measure.codomain.lower <= low <= score <= high <= measure.codomain.upper
    low, high = NumberUncertainty(fit, 0.05).margin(yardstick)
    assert low <= yardstick.scale.advantage(score, yardstick.scale.best) <= high


@pytest.mark.parametrize("key", WITH_LIMITS)
def test_readings_are_the_scores(key: str) -> None:
    """Readings are the scores."""
    fit, measure = _positive_fit(40), get_number_measure(key)
    constant = best_constant(measure, fit.test_set)
    reading = reading_of_fit(measure, fit, constant, is_margin=False)
    assert reading is not None
    assert reading.observed == pytest.approx(measure.score(fit), rel=1e-9)


@pytest.mark.parametrize(
    "measure",
    [
        pinball(0.9),
        huber(0.3),
        tweedie(1),
        tweedie(2),
        tweedie(1.7),
        d2_pinball(0.2),
        d2_tweedie(2),
    ],
    ids=lambda measure: measure.key,
)
def test_measures_with_a_number_have_limits(measure: object) -> None:
    """Measures with a number have limits."""
    fit, known = _positive_fit(30), get_number_measure(measure)  # type: ignore[arg-type]
    low, high = NumberUncertainty(fit, 0.05).score(known)
    assert low < known.score(fit) < high


@pytest.mark.parametrize("key", ["MSE", "MAE", "MAPE", "Poisson deviance", "R2", "Pearson", "CCC"])
@pytest.mark.parametrize("given", [False, True])
def test_a_reading_follows_weights(key: str, *, given: bool) -> None:
    """As the kernel has it with weights, the constant staying as it is."""
    fit, measure = _positive_fit(12, 3), get_number_measure(key)
    own = np.random.default_rng(11).exponential(size=12) + 0.1 if given else np.ones(12)
    fit = fit.weighted(own) if given else fit
    constant = float(np.average(fit.truth, weights=own))
    reading = reading_of_fit(measure, fit, constant, is_margin=False)
    assert reading is not None
    weights = np.random.default_rng(1).exponential(size=(3, 12))
    expected = [measure.weighted(fit.truth, fit.predicted, own * each)[0] for each in weights]
    if key == "R2":  # whose kernel fits the constant again
        squares = [(fit.truth - each) ** 2 for each in (fit.predicted, constant)]
        means = [[np.average(each, weights=own * w) for each in squares] for w in weights]
        expected = [1 - model / free for model, free in means]
    assert reading.values(weights)[0] == pytest.approx(expected, rel=1e-9)
    assert reading.observed == pytest.approx(measure.score(fit))


@pytest.mark.parametrize("key", ["Spearman", "Kendall"])
@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("ties", [False, True])
def test_ranks_are_linear_in_weights_to_the_first_order(
    key: str, *, ties: bool, given: bool
) -> None:
    """Ranks are linear in weights to the first order."""
    fit, measure = _positive_fit(60, 5), get_number_measure(key)
    if ties:
        fit = Fit(np.round(fit.truth * 3), np.round(fit.predicted * 2))
    own = np.random.default_rng(12).exponential(size=60) + 0.1 if given else np.ones(60)
    fit = fit.weighted(own) if given else fit
    reading = reading_of_fit(measure, fit, math.nan, is_margin=False)
    assert reading is not None
    direction = np.random.default_rng(2).standard_normal(60)
    step = 1e-4
    ends = [1 + step * direction, 1 - step * direction]
    exact = [measure.weighted(fit.truth, fit.predicted, own * each)[0] for each in ends]
    found = reading.values(np.array(ends))[0]
    assert found[0] - found[1] == pytest.approx(exact[0] - exact[1], rel=1e-5)


def test_weighted_medians_with_a_spare_row() -> None:
    """Weighted medians with a spare row."""
    rng = np.random.default_rng(3)
    errors = np.round(rng.exponential(size=9), 1)
    weights = rng.integers(1, 4, (50, 9)).astype(float)
    found = OfMedians(errors).values(weights, [Spare(4, np.full(50, 2.0))])[0]
    for each, median in zip(weights, found, strict=True):
        more = each + 2.0 * (np.arange(9) == 4)
        repeated = np.sort(np.repeat(errors, more.astype(int)))
        assert median == repeated[(repeated.size - 1) // 2]


@pytest.mark.parametrize("key", WITH_LIMITS)
def test_the_order_of_rows_does_not_matter(key: str) -> None:
    """The order of rows does not matter."""
    fit, measure = _positive_fit(25), get_number_measure(key)
    order = np.random.default_rng(4).permutation(25)
    other = Fit(fit.truth[order], fit.predicted[order])
    first, second = (NumberUncertainty(each, 0.05).score(measure) for each in (fit, other))
    assert first == pytest.approx(second, rel=1e-12)
    assert first == NumberUncertainty(fit, 0.05).score(measure)


@pytest.mark.parametrize("key", WITH_LIMITS)
def test_one_observation_says_nothing(key: str) -> None:
    """One observation says nothing."""
    known = NumberUncertainty(Fit.of([2.0], [3.0]), 0.05)
    assert np.isnan(known.score(get_number_measure(key))).all()


def test_nothing_honest_is_known_of_the_largest_error() -> None:
    """Nothing honest is known of the largest error."""
    fit = _positive_fit(30)
    assert np.isnan(NumberUncertainty(fit, 0.05).score(get_number_measure("max error"))).all()
    assert np.isnan(_margin_of("max error", fit)).all()


@pytest.mark.parametrize("key", LOSSES)
def test_predictions_without_an_error(key: str) -> None:
    """One that is missed as the best constant misses it cannot be excluded."""
    fit, measure = _positive_fit(20, spread=0.0), get_number_measure(key)
    low, high = NumberUncertainty(fit, 0.05).score(measure)
    assert low == 0 <= high < measure.weighted(fit.truth, np.full(20, fit.truth.max()))[0]
    lowest, highest = _margin_of(key, fit)
    best = measure.yardstick(fit.test_set).base.best.value
    assert 0 <= lowest < best <= highest


@pytest.mark.parametrize("key", ["R2", "Pearson", "Spearman", "Kendall", "CCC"])
def test_a_perfect_share_or_correlation(key: str) -> None:
    """A perfect share or correlation."""
    low, high = NumberUncertainty(_positive_fit(20, spread=0.0), 0.05).score(
        get_number_measure(key)
    )
    assert low < high == pytest.approx(1)
    more = NumberUncertainty(_positive_fit(200, spread=0.0), 0.05).score(get_number_measure(key))
    assert low < more[0] < 1


@pytest.mark.parametrize("key", ["Pearson", "Spearman", "Kendall"])
def test_a_perfectly_wrong_order(key: str) -> None:
    """A perfectly wrong order."""
    numbers = np.arange(15.0)
    low, high = NumberUncertainty(Fit(numbers, -numbers), 0.05).score(get_number_measure(key))
    assert low == pytest.approx(-1)
    assert -1 < high < 1


def test_a_constant_prediction() -> None:
    """A constant prediction."""
    truth = np.random.default_rng(5).standard_normal(30)
    fit = Fit(truth, np.full(30, truth.mean()))
    low, high = _margin_of("MSE", fit)
    assert low == pytest.approx(0, abs=1e-12)
    assert high == pytest.approx(0, abs=1e-12)
    assert np.isnan(NumberUncertainty(fit, 0.05).score(get_number_measure("Pearson"))).all()


@pytest.mark.parametrize("key", ["MAE", "MedAE", "Huber@1"])
def test_limits_are_numbers_that_json_can_hold(key: str) -> None:
    """Limits are numbers that JSON can hold."""
    fit = Fit.of([0.0, 0.0, 1e59], [0.0, 1.0, 2.0])
    assert np.isfinite(NumberUncertainty(fit, 0.05).score(get_number_measure(key))).all()


def test_a_share_far_below_zero() -> None:
    """It is no perfect order: more truths may be as far off, and more predictions."""
    rng = np.random.default_rng(20)
    fit = Fit(rng.standard_normal(30), 3 * rng.standard_normal(30))
    score = get_number_measure("R2").score(fit)
    low, high = NumberUncertainty(fit, 0.05).score(get_number_measure("R2"))
    assert low < score < -1
    assert score < high < 0


def test_a_constant_truth() -> None:
    """A constant truth."""
    fit = Fit(np.full(10, 3.0), np.arange(10.0))
    assert _margin_of("MAE", fit)[1] < 0
    assert np.isnan(NumberUncertainty(fit, 0.05).score(get_number_measure("R2"))).all()


@pytest.mark.parametrize("key", ["RMSE", "R2", "RMSLE", "D2 absolute error", "D2 Tweedie@1"])
def test_roots_and_shares_claim_what_the_mean_loss_claims(key: str) -> None:
    """Roots and shares claim what the mean loss claims."""
    means = {"RMSE": "MSE", "R2": "MSE", "RMSLE": "MSLE", "D2 absolute error": "MAE"}
    for seed in range(12):
        fit = _positive_fit(15, seed, spread=0.3 + 0.1 * seed)
        low, lowest = (
            _margin_of(key, fit)[0],
            _margin_of(means.get(key, "Poisson deviance"), fit)[0],
        )
        assert (low > 0) == (lowest > 0)


def test_limits_narrow_with_rows_and_widen_with_confidence() -> None:
    """Limits narrow with rows and widen with confidence."""
    measure = get_number_measure("MAE")
    widths = []
    for rows, alpha in ((50, 0.01), (50, 0.1), (5_000, 0.1)):
        low, high = NumberUncertainty(_positive_fit(rows), alpha).score(measure)
        widths.append(high - low)
    assert widths[0] > widths[1] > 4 * widths[2]


def test_many_rows_have_the_limits_of_the_central_limit_theorem() -> None:
    """Many rows have the limits of the central limit theorem."""
    rng = np.random.default_rng(6)
    truth = rng.standard_normal(20_000)
    fit = Fit(truth, truth + rng.uniform(-1, 1, 20_000))
    for key, errors in (("MSE", fit.residuals**2), ("MAE", np.abs(fit.residuals))):
        low, high = NumberUncertainty(fit, 0.05).score(get_number_measure(key))
        deviation = errors.std() / math.sqrt(20_000)
        assert low == pytest.approx(errors.mean() - 1.96 * deviation, abs=0.35 * deviation)
        assert high == pytest.approx(errors.mean() + 1.96 * deviation, abs=0.35 * deviation)
    low, high = NumberUncertainty(fit, 0.05).score(get_number_measure("Kendall"))
    assert high - low < 0.02
    low, high = NumberUncertainty(fit, 0.05).score(get_number_measure("MedAE"))
    assert low < 0.5 < high < low + 0.03


def test_joined_rows_are_the_same_number() -> None:
    """Joined rows are the same number."""
    reading = OfMeans(np.random.default_rng(7).exponential(size=(5_000, 1)), lambda m: m[..., 0])
    joined, sizes = reading.joined()
    assert sizes.sum() == 5_000
    assert joined.rows == sizes.size <= 1_024
    assert joined.observed == pytest.approx(reading.observed)


def test_every_mean_loss_is_known() -> None:
    """Every mean loss is known."""
    fit = _positive_fit(9)
    for key in ("MSE", "MAE", "MAPE", "sMAPE", "Huber@1", "Gamma deviance", "Tweedie@1.5", "MSLE"):
        measure = get_number_measure(key)
        loss = row_loss(measure)
        assert loss is not None
        assert loss(fit.truth, fit.predicted).mean() == pytest.approx(measure.score(fit))


@pytest.mark.parametrize("key", ["MSE", "MAE", "RMSE", "R2", "Spearman"])
def test_lower_limits_of_margins_are_seldom_wrong(key: str) -> None:
    """A model that knows nothing: its margin is below 0. The benchmark tries many more."""
    rng = np.random.default_rng(8)
    wrong = 0
    for _ in range(60):
        fit = Fit(rng.standard_t(3, 20), 0.3 * rng.standard_normal(20))
        wrong += _margin_of(key, fit)[0] > 0
    assert wrong <= 5  # 1.5 are expected at most, and more than 5 in 1 of 200 runs


def _limits_of(key: str, fit: Fit) -> list[float]:
    known = NumberUncertainty(fit, 0.05)
    measure = get_number_measure(key)
    return [*known.score(measure), *known.margin(measure.yardstick(fit.test_set))]


@pytest.mark.parametrize("key", WITH_LIMITS)
def test_weights_that_are_all_the_same_change_nothing(key: str) -> None:
    """Weights that are all the same change nothing."""
    fit = _positive_fit(30, 13)
    same = fit.weighted(np.full(30, 2.0))
    assert _limits_of(key, same) == pytest.approx(_limits_of(key, fit), rel=1e-12)


@pytest.mark.parametrize("key", WITH_LIMITS)
def test_the_unit_of_weights_does_not_matter(key: str) -> None:
    """The unit of weights does not matter."""
    fit, weights = _positive_fit(30, 14), np.random.default_rng(14).lognormal(size=30)
    first, second = (_limits_of(key, fit.weighted(unit * weights)) for unit in (1.0, 1024.0))
    assert first == pytest.approx(second, rel=1e-9)


@pytest.mark.parametrize("key", ["RMSE", "R2", "Pearson", "Spearman", "MedAE"])
def test_weights_that_differ_widen_limits(key: str) -> None:
    """A few observations that count most are few."""
    fit, measure = _positive_fit(200, 15), get_number_measure(key)
    weights = np.where(np.arange(200) < 20, 50.0, 1.0)
    widths = [
        np.diff(NumberUncertainty(each, 0.05).score(measure))[0]
        for each in (fit, fit.weighted(weights))
    ]
    assert widths[1] > 1.5 * widths[0]


def test_many_weighted_rows_have_the_limits_of_the_central_limit_theorem() -> None:
    """Many weighted rows have the limits of the central limit theorem."""
    rng = np.random.default_rng(16)
    truth, weights = rng.standard_normal(20_000), rng.lognormal(0, 0.7, 20_000)
    fit = Fit(truth, truth + rng.uniform(-1, 1, 20_000), weights)
    low, high = NumberUncertainty(fit, 0.05).score(get_number_measure("MAE"))
    errors = np.abs(fit.residuals)
    mean = np.average(errors, weights=weights)
    deviation = math.sqrt(((weights * (errors - mean)) ** 2).sum()) / weights.sum()
    assert low == pytest.approx(mean - 1.96 * deviation, abs=0.35 * deviation)
    assert high == pytest.approx(mean + 1.96 * deviation, abs=0.35 * deviation)


def test_few_rows_may_hide_errors() -> None:
    """Limits of few observations allow for errors that were not seen, unless errors have an end."""
    fit = _positive_fit(10, 17)
    for key, times in (("MSE", 30), ("RMSE", 30**0.5), ("MAE", 4.6)):
        score = get_number_measure(key).score(fit)
        assert NumberUncertainty(fit, 0.05).score(get_number_measure(key))[1] >= times * score
    assert unseen(get_number_measure("sMAPE"), 10) == unseen(get_number_measure("MedAE"), 10) == 0


@pytest.mark.parametrize("kind", ["contaminated", "lognormal", "uneven"])
@pytest.mark.parametrize("key", ["MSE", "R2", "RMSE", "MAE", "Pearson", "CCC"])
def test_a_model_worth_nothing_is_seldom_said_to_be_worth_something(key: str, kind: str) -> None:
    """Claims of models whose predictions have nothing to do with the truth."""
    rng, claims = np.random.default_rng(18), 0
    for _ in range(80):
        said, normal = 0.3 * rng.standard_normal((2, 12))
        if kind == "contaminated":
            truth = normal * np.where(rng.random(12) < 0.05, 10, 1)
        else:
            truth = rng.lognormal(size=12) if kind == "lognormal" else normal * np.abs(said)
        claims += _margin_of(key, Fit(truth, said))[0] > 0
    assert claims <= 6  # 2 are expected at most, and more than 6 in 1 of 200 runs


@pytest.mark.parametrize("key", ["MSE", "R2", "Pearson"])
def test_lower_limits_with_weights_are_seldom_wrong(key: str) -> None:
    """Weights are drawn with the rows; what is true is known for a model that knows nothing."""
    rng, wrong = np.random.default_rng(19), 0
    for _ in range(80):
        fit = Fit(rng.standard_t(3, 25), 0.3 * rng.standard_normal(25), rng.lognormal(size=25))
        wrong += _margin_of(key, fit)[0] > 0
    assert wrong <= 6


@pytest.mark.parametrize("key", ["MSE", "RMSE", "MAE"])
def test_the_margin_of_perfect_predictions(key: str) -> None:
    """It is what the best constant loses, which is as uncertain: limits hold the true one."""
    loss = {"MSE": 1.0, "RMSE": 1.0, "MAE": math.sqrt(2 / math.pi)}[key]  # of normal numbers
    missed = 0
    for seed in range(60):
        truth = np.random.default_rng(seed).normal(size=30)
        low, high = _margin_of(key, Fit(truth, truth.copy()))
        missed += not low <= loss <= high
    assert missed <= 4  # 1.5 are expected; five or more have a chance of 2%


def test_numbers_of_unusual_size() -> None:
    """Powers of them leave the range of floats: there are no limits, rather than wrong ones."""
    rng = np.random.default_rng(3)
    truth, noise = rng.normal(size=40), rng.normal(size=40)
    for size in (1e80, 1e200, 1e-100, 1e-200):
        fit = Fit(size * truth, size * (truth + noise / 4))
        for key in ("RMSE", "MAE", "R2", "Pearson"):
            limits = NumberUncertainty(fit, 0.05).score(get_number_measure(key))
            assert np.isnan([*limits, *_margin_of(key, fit)]).all(), (size, key)


def test_equal_weights_are_left_out() -> None:
    """Only the relation of weights counts."""
    truth, predicted = [1.0, 2, 4], [1.0, 3, 3]
    assert Fit.of(truth, predicted, [2.5] * 3) == Fit.of(truth, predicted)
    assert Fit.of(truth, predicted, [2, 0, 2]) == Fit.of([1.0, 4], [1.0, 3])
    assert Fit.of(truth, predicted, [1, 2, 2]) != Fit.of(truth, predicted)


def test_limits_of_few_numbers_are_wider() -> None:
    """By Student's t in place of the normal, and by one observation that is known already."""
    for total, alpha in ((10, 0.05), (100, 0.01)):
        student = stats.t(total - 1).ppf(1 - alpha / 2) / stats.norm.ppf(1 - alpha / 2)
        assert _wider(total, alpha) == pytest.approx(student * ((total + 1) / (total - 1)) ** 0.5)
