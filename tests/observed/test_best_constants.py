"""Importance weights: scores as scikit-learn's, best constants as a search in fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import exact_numbers as oracle
from baserate.measures.numbers import NUMBER_MEASURES, get_number_measure
from baserate.observed.best_constants import (
    Optimum,
)
from baserate.observed.numbers import Numbers, NumericPredictions

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
