"""Importance weights: scores as scikit-learn's, best constants as a search in fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import baserate as br
import exact_numbers as oracle
from baserate.exceptions import InvalidWeightsError, UndefinedMeasureError
from baserate.measures.numbers import NUMBER_MEASURES, get_number_measure
from baserate.observed.best_constants import medians, quantiles, relative_medians, running_sums
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
    for _ in range(3_000 if exhaustive else 80):
        size = int(RNG.integers(4, 8))
        weights = [choices[place] for place in RNG.integers(0, 5, size)]
        if any(weights):
            yield RNG.integers(low, low + 9, size).tolist(), weights


def _present(truth: list[int], weights: list[Fraction]) -> list[Fraction]:
    return sorted(Fraction(y) for y, w in zip(truth, weights, strict=True) if w)


def _of_constant(score: Any, truth: list[int], weights: list[Fraction]) -> Callable[[Any], Any]:
    values = oracle.fractions_of(truth)
    return lambda constant: score(values, [Fraction(constant)] * len(values), weights)


LINEAR: dict[str, Any] = {
    "MAE": oracle.weighted_average(oracle.absolute),
    "MAPE": oracle.weighted_average(oracle.percentage),
    "MedAE": oracle.weighted_median_error,
    "max error": oracle.weighted_max_error,
    "pinball@0.3": oracle.weighted_average(oracle.pinball(Fraction(3, 10))),
    "pinball@0.25": oracle.weighted_average(oracle.pinball(Fraction(1, 4))),
}


@SOME_OR_ALL
@pytest.mark.parametrize("name", LINEAR)
def test_all_best_constants_of_weighted_numbers(name: str, *, exhaustive: bool) -> None:
    """The whole set of them, and the score, of losses that are linear between breakpoints."""
    for truth, weights in _cases(exhaustive=exhaustive):
        present = _present(truth, weights)
        points = {(a + b) / 2 for a, b in combinations_with_replacement(present, 2)}
        lowest, expected = oracle.least(_of_constant(LINEAR[name], truth, weights), points)
        best = _best(name, truth, [float(w) for w in weights])
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
            ((low, high),) = _ranges(
                _best(f"Huber@{float(delta)}", truth, list(map(float, weights)))
            )
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
    score = oracle.weighted_average(oracle.symmetric)
    for truth, weights in _cases(exhaustive=exhaustive):
        at = _of_constant(score, truth, weights)
        found = {c: at(c) for c in sorted(set(_present(truth, weights)))}
        lowest = min(found.values())
        best = _best("sMAPE", truth, list(map(float, weights)))
        assert best.value == pytest.approx(float(lowest), rel=1e-12, abs=1e-15)
        assert _ranges(best) == [(float(c),) * 2 for c, value in found.items() if value == lowest]


SMOOTH: dict[str, Any] = {
    "MSE": oracle.weighted_average(oracle.squared),
    "MSLE": oracle.weighted_average(oracle.log_squared),
    "Poisson deviance": oracle.weighted_average(oracle.deviance(1)),
    "Gamma deviance": oracle.weighted_average(oracle.deviance(2)),
    "Tweedie@1.5": oracle.weighted_average(oracle.deviance(1.5)),
    "Tweedie@-1": oracle.weighted_average(oracle.deviance(-1)),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_losses_have_one_best_constant(name: str) -> None:
    """A constant a little lower or higher is worse, in high precision."""
    for truth, weights in [([1, 2, 3, 10, 100], [1, 2, HALF, 0, 3]), ([5, 5, 6], [HALF, 1, 2])]:
        best = _best(name, truth, list(map(float, weights)))
        ((low, high),) = _ranges(best)
        assert low == high
        at = _of_constant(SMOOTH[name], truth, weights)
        assert best.value == pytest.approx(float(at(low)), rel=1e-12)
        assert min(at(low * (1 - 1e-6)), at(low * (1 + 1e-6))) > at(low)


def _weights(size: int) -> list[np.ndarray]:
    whole = RNG.integers(0, 4, size).astype(float)
    whole[:2] = 1, 2
    part = np.where(RNG.random(size) < 0.2, 0.0, RNG.random(size))
    part[:2] = 0.3, 0.6
    return [whole, whole / 2, part, np.full(size, 0.25)]


@pytest.mark.parametrize("name", [n for n in NAMES if get_number_measure(n).sklearn])
def test_weighted_scores_are_those_of_scikit_learn(name: str) -> None:
    """Of tied and of different numbers, with whole weights, halves, fractions and zeros."""
    measure = get_number_measure(name)
    for size in (2, 3, 8, 30):
        for kind in range(4):
            y = (
                RNG.integers(1, 5, size).astype(float)
                if kind % 2
                else np.exp(RNG.normal(size=size))
            )
            z = RNG.integers(1, 5, size).astype(float) if kind % 3 else y * (0.5 + RNG.random(size))
            y[:2] = 1, 4
            for weights in _weights(size):
                value, reason = measure.weighted(y, z, weights)
                assert not reason
                counts = weights > 0
                theirs = (
                    metrics.max_error(y[counts], z[counts])
                    if name == "max error"  # it takes no weights
                    else measure.sklearn.score(y, z, weights)
                )
                assert value == pytest.approx(theirs, rel=1e-9, abs=1e-12)


def test_a_median_does_not_depend_on_how_sums_of_weights_are_rounded() -> None:
    """Of tenths, in fractions; scikit-learn misses some sums that are exactly a half."""
    measure, missed = get_number_measure("MedAE"), 0
    for size in range(2, 40):
        tenths = RNG.integers(1, 4, size)
        y, z = RNG.integers(0, 50, size), np.zeros(size)
        value, _ = measure.weighted(y.astype(float), z, tenths / 10)
        expected = oracle.weighted_median_error(y.tolist(), [0] * size, tenths.tolist())
        assert value == expected
        missed += metrics.median_absolute_error(y, z, sample_weight=tenths / 10) != expected
    assert missed < 10
    y, tenths = np.arange(50.0), np.full(50, 0.1)
    assert measure.weighted(y, np.zeros(50), tenths)[0] == np.median(y) == 24.5
    assert metrics.median_absolute_error(y, np.zeros(50), sample_weight=tenths) != 24.5


@pytest.mark.parametrize("name", NAMES)
def test_equal_weights_change_nothing(name: str) -> None:
    """Neither the score nor any of the best constants, whatever the weight is."""
    measure = get_number_measure(name)
    for size in (2, 3, 8, 9, 50):
        y = RNG.integers(1, 6, size) / 10
        z = RNG.integers(1, 6, size) / 10
        y[:2], z[:2] = (0.1, 0.6), (0.3, 0.2)
        for weight in (1.0, 0.1, 3.0, 1e-200, 1e200):
            weights = np.full(size, weight)
            plain = measure.score_or_reason(NumericPredictions.of(y, z))[0]
            assert measure.weighted(y, z, weights)[0] == pytest.approx(plain, rel=1e-9)
            if measure.constants is not None:
                found = _ranges(_best(name, y, weights))
                expected = _ranges(_best(name, y))
                np.testing.assert_allclose(found, expected, rtol=1e-12)


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


@pytest.mark.parametrize("name", ["R2", "D2 absolute error", "D2 pinball@0.9", "D2 Tweedie@1"])
def test_a_share_of_the_best_constant_is_nothing(name: str) -> None:
    """R² and D² of it are 0 with weights too."""
    for size in (5, 40):
        values, weights = RNG.random(size), RNG.random(size)
        assert _best(name, values, weights).value == 0


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


@pytest.mark.parametrize("name", NAMES)
def test_weights_that_hardly_count_are_no_failure(name: str) -> None:
    """A number, or a reason why there is none."""
    for weights in ([1.0, 1e-17, 1e-17], [1e10, 5e-324, 5e-324], [1.0, 1e-300, 1.0]):
        fit = NumericPredictions.of([1.0, 2, 3], [2.0, 1, 3], weights)
        value, reason = get_number_measure(name).score_or_reason(fit)
        assert math.isnan(value) == bool(reason)


def test_the_weighted_mean_decides_where_a_deviance_has_a_best_constant() -> None:
    """A power below 0 takes any truth, and a mean above 0."""
    values, heavy = [-3.0, 1], [1.0, 9]
    with pytest.raises(UndefinedMeasureError, match="has no best constant: the mean"):
        _best("Tweedie@-1", values)
    assert _best("Tweedie@-1", values, heavy).guesses[0].low == pytest.approx(0.6)
    with pytest.raises(UndefinedMeasureError, match="has no best constant: the mean"):
        _best("Tweedie@-1", values, heavy[::-1])


def test_weights_in_words() -> None:
    """The total weight and the weighted mean."""
    numbers = Numbers([10.0, 1, 100, 7], [1, 2.5, 0.5, 0])
    assert (
        numbers.described == "3 observations of total weight 4 from 1 to 100, weighted mean 15.625"
    )
    assert numbers == Numbers([1.0, 100, 10], [2.5, 0.5, 1])
    assert numbers != Numbers([1.0, 100, 10])
    assert Numbers([5.0], [3]).described == "1 observation, 5"
    base = br.baseline(numbers, "MAE")
    assert str(base).startswith("MAE baseline: 14.625 (always 1)\n(3 observations of")


@pytest.mark.parametrize("name", ["MAE", "MAPE", "sMAPE", "MedAE", "Huber@0.5", "pinball@0.9"])
def test_many_weighted_numbers(name: str) -> None:
    """Whole weights of more numbers than are compared in pairs are as many rows."""
    values = np.exp(RNG.normal(size=2_500)) * np.where(RNG.random(2_500) < 0.2, -1, 1)
    counts = RNG.integers(0, 4, 2_500)
    once, rows = _best(name, values, counts), _best(name, np.repeat(values, counts))
    assert once.value == pytest.approx(rows.value, rel=1e-12)
    np.testing.assert_allclose(_ranges(once), _ranges(rows), rtol=1e-10)


@pytest.mark.parametrize("name", ["MAE", "MAPE", "sMAPE", "MedAE", "Huber@0.5", "pinball@0.9"])
def test_no_constant_is_better(name: str) -> None:
    """Of any weights: neither a number, nor the middle of two, nor one beside the best."""
    measure = get_number_measure(name)
    for size in (2, 5, 17):
        for _ in range(8):
            y, w = RNG.normal(size=size).round(1), RNG.random(size) ** 4
            best = _best(name, y, w)
            tried = [(a + b) / 2 for a, b in combinations_with_replacement(y.tolist(), 2)]
            tried += [
                end + step for pair in _ranges(best) for end in pair for step in (-0.01, 0.01)
            ]
            scores = [measure.weighted(y, np.full(size, c), w)[0] for c in tried]
            assert min(scores) >= best.value * (1 - 1e-12) - 1e-15
