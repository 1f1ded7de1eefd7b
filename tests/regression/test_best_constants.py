"""Importance weights: scores as scikit-learn's, best constants as a search in fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import exact_numbers as oracle
from baserate.exceptions import (
    InvalidLabelsError,
    InvalidScoresError,
    InvalidWeightsError,
    UndefinedMeasureError,
)
from baserate.measures.numbers import NUMBER_MEASURES, get_number_measure
from baserate.observed import best_constants as symmetric
from baserate.observed.best_constants import (
    ConstantSet,
    Optimum,
    medians,
    quantiles,
    relative_medians,
    running_sums,
)
from baserate.observed.numbers import Numbers, NumericPredictions
from sklearn import metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from baserate.observed.best_constants import Optimum

RNG = np.random.default_rng(77)
HALF = Fraction(1, 2)
SOME_OR_ALL = pytest.mark.parametrize(
    "exhaustive", [False, pytest.param(True, marks=pytest.mark.exhaustive)]
)
NAMES = [
    *NUMBER_MEASURES,
    *("pinball@0.9", "pinball@0.29", "Huber@0.5", "Tweedie@-1", "Tweedie@3", "D2 pinball@0.9"),
    *("D2 Tweedie@1.5", "D2 Tweedie@2"),
]


def _best(name: str, values: Any, weights: Any = None) -> Optimum:
    return get_number_measure(name).best_constant(Numbers(values, weights))


def _ranges(best: Optimum) -> list[tuple[float, float]]:
    return [(each.low, each.high) for each in best.guesses]


def _cases(*, exhaustive: bool, low: int = -2) -> Iterator[tuple[list[int], list[Fraction]]]:
    """Truths and weights: many of up to 7 observations, with ties; not all weigh nothing."""
    choices = [Fraction(0), Fraction(1), Fraction(2), Fraction(3), HALF]
    for size in (1, 2, 3):
        every = product(
            combinations_with_replacement(range(low, low + 5), size), product(choices, repeat=size)
        )
        for place, (truth, weights) in enumerate(every):
            if any(weights) and (exhaustive or place % 29 == 0):
                yield list(truth), list(weights)
    for place in range(3_000 if exhaustive else 60):
        size = int(RNG.integers(4, 8))
        weights = [choices[place] for place in RNG.integers(0, 5, size)]
        if any(weights):
            yield RNG.integers(low, low + 9, size).tolist(), weights
        if place % 4 == 0:
            yield RNG.integers(low, low + 9, size).tolist(), [Fraction(1)] * size  # no weights


def _floats(weights: Sequence[Any]) -> list[float] | None:
    """Return weights as they are given: none if all weigh 1."""
    return None if set(weights) == {1} else [float(weight) for weight in weights]


def _present(truth: list[int], weights: list[Fraction]) -> list[Fraction]:
    return sorted(Fraction(y) for y, w in zip(truth, weights, strict=True) if w)


def _of_constant(score: Any, truth: list[int], weights: list[Fraction]) -> Callable[[Any], Any]:
    values = oracle.fractions_of(truth)
    return lambda constant: score(values, [Fraction(constant)] * len(values), weights)


LINEAR: dict[str, Any] = {
    "MAE": oracle.average(oracle.absolute),
    "MAPE": oracle.average(oracle.percentage),
    "MedAE": oracle.median_error,
    "max error": oracle.max_error,
    "pinball@0.3": oracle.average(oracle.pinball(Fraction(3, 10))),
    "pinball@0.25": oracle.average(oracle.pinball(Fraction(1, 4))),
}


@SOME_OR_ALL
@pytest.mark.parametrize("name", LINEAR)
def test_all_best_constants_of_weighted_numbers(name: str, *, exhaustive: bool) -> None:
    """The whole set of them, and the score, of losses that are linear between breakpoints."""
    for truth, weights in _cases(exhaustive=exhaustive):
        present = _present(truth, weights)
        points = {(a + b) / 2 for a, b in combinations_with_replacement(present, 2)}
        lowest, expected = oracle.least(_of_constant(LINEAR[name], truth, weights), points)
        best = _best(name, truth, _floats(weights))
        assert best.value == pytest.approx(float(lowest), rel=1e-12, abs=1e-300)
        found, wanted = np.array(_ranges(best)), np.array(expected, dtype=float)
        np.testing.assert_allclose(
            found, wanted, rtol=1e-12, atol=1e-13, err_msg=f"{truth, weights}"
        )


@SOME_OR_ALL
def test_the_best_constants_for_weighted_huber(*, exhaustive: bool) -> None:
    """The slope of the loss is 0 there in fractions, and not beside."""
    for truth, weights in _cases(exhaustive=exhaustive):
        rows = list(zip(oracle.fractions_of(truth), weights, strict=True))
        for delta in (HALF, Fraction(3)):
            zero = _roots(rows, delta)
            ((low, high),) = _ranges(_best(f"Huber@{float(delta)}", truth, _floats(weights)))
            assert (low, high) == pytest.approx((float(min(zero)), float(max(zero))), abs=1e-12)


def _roots(rows: Sequence[tuple[Fraction, Fraction]], delta: Fraction) -> list[Fraction]:
    def slope(c: Fraction) -> Fraction:
        return sum((w * max(-delta, min(delta, c - y)) for y, w in rows), Fraction())

    ends = sorted({y + side * delta for y, w in rows for side in (-1, 1) if w})
    zero = [c for c in ends if slope(c) == 0]
    for a, b in pairwise(ends):
        if slope(a) < 0 < slope(b):
            zero.append(a - slope(a) * (b - a) / (slope(b) - slope(a)))
    return zero


@SOME_OR_ALL
def test_the_best_constants_for_weighted_symmetric_mape(*, exhaustive: bool) -> None:
    """They are among the numbers."""
    score = oracle.average(oracle.symmetric)
    for truth, weights in _cases(exhaustive=exhaustive):
        at = _of_constant(score, truth, weights)
        found = {c: at(c) for c in sorted(set(_present(truth, weights)))}
        lowest = min(found.values())
        best = _best("sMAPE", truth, _floats(weights))
        assert best.value == pytest.approx(float(lowest), rel=1e-12, abs=1e-15)
        assert _ranges(best) == [(float(c),) * 2 for c, value in found.items() if value == lowest]


SMOOTH: dict[str, Any] = {
    "MSE": oracle.average(oracle.squared),
    "MSLE": oracle.average(oracle.log_squared),
    "Poisson deviance": oracle.average(oracle.deviance(1)),
    "Gamma deviance": oracle.average(oracle.deviance(2)),
    "Tweedie@1.5": oracle.average(oracle.deviance(1.5)),
    "Tweedie@-1": oracle.average(oracle.deviance(-1)),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_losses_have_one_best_constant(name: str) -> None:
    """A constant a little lower or higher is worse, in high precision."""
    for truth, weights in [
        ([1, 2, 3, 10, 100], [1, 2, HALF, 0, 3]),
        ([5, 5, 6], [HALF, 1, 2]),
        ([0.25, 8, 40], [1] * 3),
    ]:
        best = _best(name, truth, _floats(weights))
        ((low, high),) = _ranges(best)
        assert low == high
        at = _of_constant(SMOOTH[name], truth, weights)
        assert best.value == pytest.approx(float(at(low)), rel=1e-12)
        assert min(at(low * (1 - 1e-6)), at(low * (1 + 1e-6))) > at(low)


def test_a_median_does_not_depend_on_how_sums_of_weights_are_rounded() -> None:
    """Of tenths, in fractions; scikit-learn misses some sums that are exactly a half."""
    measure, missed = get_number_measure("MedAE"), 0
    for size in range(2, 40):
        tenths = RNG.integers(1, 4, size)
        y, z = RNG.integers(0, 50, size), np.zeros(size)
        value, _ = measure.weighted(y.astype(float), z, tenths / 10)
        expected = oracle.median_error(y.tolist(), [0] * size, tenths.tolist())
        assert value == expected
        missed += metrics.median_absolute_error(y, z, sample_weight=tenths / 10) != expected
    assert missed < 10
    y, tenths = np.arange(50.0), np.full(50, 0.1)
    assert measure.weighted(y, np.zeros(50), tenths)[0] == np.median(y) == 24.5
    assert metrics.median_absolute_error(y, np.zeros(50), sample_weight=tenths) != 24.5


@pytest.mark.parametrize("name", NAMES)
def test_a_whole_weight_is_as_many_rows(name: str) -> None:
    """For every measure, also for the median, ranks and pairs: score and best constants."""
    measure = get_number_measure(name)
    for size in (3, 6, 9, 30):
        for _ in range(10):
            y, z = RNG.integers(1, 9, (2, size)).astype(float)
            y[:2], z[:2] = (1, 9), (4, 3)
            counts = RNG.integers(0, 4, size)
            counts[:2] = 1, 2
            once = NumericPredictions.of(y, z, counts)
            rows = NumericPredictions.of(np.repeat(y, counts), np.repeat(z, counts))
            mine, theirs = measure.score_or_reason(once), measure.score_or_reason(rows)
            assert mine[0] == pytest.approx(theirs[0], rel=1e-12, abs=1e-13)
            if measure.constants is not None:
                best, expected = (measure.best_constant(fit.test_set) for fit in (once, rows))
                assert best.value == pytest.approx(expected.value, rel=1e-12, abs=1e-13)
                np.testing.assert_allclose(_ranges(best), _ranges(expected), rtol=1e-12)


def test_sums_that_are_a_half_but_for_rounding() -> None:
    """0.1 and 0.2 are as much as 0.3, in any order; whole numbers are exact."""
    for weights in ([0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.3, 0.1, 0.2]):
        (found,) = medians(np.array([1.0, 2, 3]), np.array(weights))
        assert (found.low, found.high) == ((1, 2) if weights[0] == 0.3 else (2, 3))
    many = np.array([2.0**50, 1, 2.0**50])
    assert medians(np.array([1.0, 2, 3]), many)[0] == medians(np.array([2.0]))[0]
    (tenth,) = quantiles(np.array([1.0, 2, 3]), 0.1, np.array([1e9, 2e9, 7e9]))
    assert (tenth.low, tenth.high) == (1, 2)
    assert running_sums(np.array([0.7, 0.7])).slack == 0
    assert running_sums(np.array([5e-324, 1.0])).slack > 0


def test_weights_of_any_size() -> None:
    """Neither tiny nor huge weights are lost, nor what weighs as much as it is large."""
    values = np.array([1.0, 2, 10])
    for scale in (1e-300, 1e300):
        for name in ("MAE", "MAPE", "MedAE", "Huber@1", "sMAPE", "pinball@0.3"):
            scaled = _ranges(_best(name, values, np.array([1, 2, 4]) * scale))
            assert scaled == _ranges(_best(name, values, [1, 2, 4])), name
    (found,) = relative_medians(np.array([1e-10, 1e300]), np.array([1e-300, 1e10]))
    assert (found.low, found.high) == (1e-10, 1e300)
    with pytest.raises(InvalidWeightsError, match="sample_weight must have a finite sum"):
        Numbers([1.0, 2], [1e308, 1e308])


RANDOM = np.random.default_rng(5)


def _free(name: str, values: Sequence[float]) -> Optimum:
    return get_number_measure(name).baseline(Numbers(values)).best


@pytest.mark.parametrize("spread", [0.01, 1.0, 8.0])
def test_symmetric_mape_of_many_numbers(spread: float) -> None:
    """The series of bins gives what all pairs give, wherever a best constant may be."""
    y = np.sort(np.exp(spread * RANDOM.normal(size=1_200)))
    logs, shares = np.log(y), np.full(y.size, 1 / y.size)
    pairs = symmetric._few(logs, shares, logs)
    series = symmetric._many(logs, shares)
    looked_at = np.isfinite(series)
    np.testing.assert_allclose(series[looked_at], pairs[looked_at], rtol=0, atol=4e-15)
    assert pairs[~looked_at].min(initial=9) > pairs.min()


def test_nothing_is_for_free_for_shares_and_correlations() -> None:
    """R² and D² of their best constant are 0; of others, all that ignores its input expects 0."""
    for name in ("R2", "D2 absolute error", "D2 pinball@0.9", "D2 Tweedie@1", "D2 Tweedie@1.5"):
        for truth in ([1.0, 2, 3, 10, 100], [0.1, 0.1, 0.3, 7], RANDOM.random(100)):
            assert _free(name, truth).value == 0
    assert _ranges(_free("R2", [1, 2, 6])) == [(3, 3)]
    assert _ranges(_free("D2 absolute error", [1, 2, 6, 9])) == [(2, 6)]
    assert _free("explained variance", [1, 2, 6]).guesses == (ConstantSet.every(),)
    assert _free("CCC", [1, 2, 6]).guesses == (ConstantSet.every(),)
    for name in ("Pearson", "Spearman", "Kendall"):
        best = _free(name, [1, 2, 6])
        assert (best.value, best.guesses) == (0, ())
        assert best.said == "any numbers that ignore their input and are not all the same"


def test_a_truth_without_a_best_constant_says_why() -> None:
    """And what is undefined for every prediction."""
    cases = {
        (
            "Poisson",
            (0.0, 0.0),
        ): "Poisson deviance has no best constant: the mean of the truth must",
        ("Gamma", (0.0, 1.0)): "Gamma deviance is undefined: every true number must be above 0",
        ("MSLE", (-1.0, 1.0)): "MSLE is undefined: every true number must be above -1",
        ("R2", (2.0, 2.0)): "R2 is undefined: all true numbers are the same",
        ("Pearson", (2.0,)): "Pearson is undefined: there is one observation",
        ("Tweedie@-1", (-2.0, 1.0)): "Tweedie@-1 has no best constant: the mean of the truth",
        ("MSE", (-1e200, 1e200)): "MSE has no best constant: it is beyond the range",
    }
    for (name, truth), why in cases.items():
        with pytest.raises(UndefinedMeasureError) as caught:
            _free(name, truth)
        assert str(caught.value).startswith(why)


def test_numbers_that_are_none() -> None:
    """A test set and predictions are finite numbers, as many of both."""
    for values in ([], [[1.0]], [math.nan], [math.inf, 1], ["a"], [10**400], None):
        with pytest.raises(InvalidLabelsError):
            Numbers(values)
    with pytest.raises(InvalidScoresError, match="y_true and y_pred must be equally long"):
        NumericPredictions.of([1, 2], [1])


def test_numbers_and_fits_are_values() -> None:
    """Equal if their numbers are, of a test set in any order."""
    assert Numbers([2, 1.0]) == Numbers([1, 2.0])
    assert hash(Numbers([0.0, 1])) == hash(Numbers([-0.0, 1]))
    assert Numbers([2, 1.0]) != Numbers([1, 2.5])
    assert Numbers([1.0]) != 1
    fit = NumericPredictions.of([1, 2, 2], [1, 1, 1])
    assert fit == NumericPredictions.from_facts(fit.facts)
    assert hash(fit) == hash(NumericPredictions.from_facts(fit.facts))
    assert fit != NumericPredictions.of([1, 2, 2], [1, 1, 2])
    assert fit != 1
    assert fit == fit  # noqa: PLR0124
    assert fit.one_class == "predicts the same number for every observation"
    assert NumericPredictions.of([1, 2], [1, 2]).one_class == ""
    assert fit.residuals.tolist() == [0, 1, 1]
    assert repr(fit.test_set) == "Numbers(3 observations from 1 to 2, mean 1.66667)"
    assert fit.flat == {"observations": 3}
    assert fit.test_set.class_sizes == (1, 2)
    assert fit.test_set.share == ("observations", "3")
    assert fit.test_set.facts == {"truth": [1, 2, 2]}
    assert Numbers([1e308, 1.5e308]).mean == pytest.approx(1.25e308)
