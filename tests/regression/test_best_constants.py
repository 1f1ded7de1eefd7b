"""The best constants: against a search of all breakpoints in fractions, and against decks."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
import pytest

import exact_numbers as oracle
from baserate.exceptions import InvalidLabelsError, InvalidScoresError, UndefinedMeasureError
from baserate.measures.numbers import NUMBER_MEASURES, get_number_measure
from baserate.observed import best_constants as symmetric
from baserate.observed.best_constants import ConstantSet, Optimum, between, in_words, one
from baserate.observed.numbers import Numbers, NumericPredictions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

RNG = np.random.default_rng(5)


def _best(name: str, values: Sequence[float]) -> Optimum:
    return get_number_measure(name).baseline(Numbers(values)).best


def _ranges(best: Optimum) -> list[tuple[float, float]]:
    return [(each.low, each.high) for each in best.guesses]


def _searched(
    score: Callable[[Fraction], Fraction], breakpoints: Sequence[Fraction]
) -> tuple[Fraction, list[tuple[Fraction, Fraction]]]:
    """The least score of a function that is linear between breakpoints, and where it has it."""
    points = sorted(set(breakpoints))
    scores = [score(point) for point in points]
    least = min(scores)
    found = [(p, p) for p, value in zip(points, scores, strict=True) if value == least]
    for (p, a), (q, b) in pairwise(zip(points, scores, strict=True)):
        if a == b == least and score((p + q) / 2) == least:
            found.append((p, q))
    merged: list[tuple[Fraction, Fraction]] = []
    for low, high in sorted(found):
        if merged and low <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(high, merged[-1][1])
        else:
            merged.append((low, high))
    return least, merged


def _of_constant(score: Any, values: list[Fraction]) -> Callable[[Any], Any]:
    return lambda constant: score(values, [Fraction(constant)] * len(values))


def _clipped_sum(values: list[Fraction], delta: Fraction) -> Callable[[Fraction], Fraction]:
    return lambda c: sum((max(-delta, min(delta, c - y)) for y in values), Fraction())


def _breakpoints(name: str, values: list[Fraction]) -> list[Fraction]:
    """Between these the score of a constant is linear."""
    if name == "MedAE":  # where two errors are equal, or one is 0
        return [(a + b) / 2 for a, b in combinations_with_replacement(values, 2)]
    return values


LINEAR: dict[str, Any] = {
    "MAE": oracle.average(oracle.absolute),
    "MAPE": oracle.average(oracle.percentage),
    "MedAE": oracle.median_error,
    "max error": oracle.max_error,
    "pinball@0.3": oracle.average(oracle.pinball(Fraction(3, 10))),
    "pinball@0.9": oracle.average(oracle.pinball(Fraction(9, 10))),
    "D2 absolute error": None,
}


def _truths() -> list[list[int]]:
    """All truths of whole numbers with M up to 5, and some with more."""
    every = [
        list(y) for size in (1, 2, 3, 4) for y in combinations_with_replacement(range(-2, 5), size)
    ]
    more = [sorted(RNG.integers(-6, 20, RNG.integers(5, 13)).tolist()) for _ in range(60)]
    return [*every[::5], *more]


@pytest.mark.parametrize("name", [name for name, score in LINEAR.items() if score])
def test_all_best_constants_are_found(name: str) -> None:
    """The whole set of them, and the score, of losses that are linear between breakpoints."""
    for truth in _truths():
        values = oracle.fractions_of(truth)
        points = _breakpoints(name, values)
        if name == "max error":
            points = [*points, (values[0] + values[-1]) / 2]
        least, expected = _searched(_of_constant(LINEAR[name], values), points)
        best = _best(name, truth)
        assert best.value == pytest.approx(float(least), rel=1e-12, abs=1e-300)
        found = np.array(_ranges(best))
        np.testing.assert_allclose(found, np.array(expected, dtype=float), rtol=1e-12, atol=1e-13)


def test_the_best_constants_for_huber() -> None:
    """The slope of the loss is 0 there in fractions, and not beside."""
    for truth in _truths():
        values = oracle.fractions_of(truth)
        for delta in (Fraction(1, 2), Fraction(1), Fraction(3)):
            slope = _clipped_sum(values, delta)
            ends = sorted({y + side * delta for y in values for side in (-1, 1)})
            zero = [c for c in ends if slope(c) == 0]
            for a, b in pairwise(ends):
                if slope(a) < 0 < slope(b):
                    zero.append(a - slope(a) * (b - a) / (slope(b) - slope(a)))
            ((low, high),) = _ranges(_best(f"Huber@{float(delta)}", truth))
            assert (low, high) == pytest.approx((float(min(zero)), float(max(zero))), abs=1e-12)


@pytest.mark.parametrize("far", [1e6, 1e12, 1e15, 1e300])
def test_the_best_constant_for_huber_beside_outliers(far: float) -> None:
    """Clipped errors sum to 0 there in fractions, however far away a few numbers are."""
    truth = np.append(np.random.default_rng(3).normal(size=98), [far, -far * 10])
    values = oracle.fractions_of(truth.tolist())
    ((low, high),) = _ranges(_best("Huber@0.3", truth.tolist()))
    assert low == high
    assert abs(float(_clipped_sum(values, Fraction(0.3))(Fraction(low)))) < 1e-13


def test_the_best_constants_for_symmetric_mape() -> None:
    """They are among the numbers: no grid between them has a better one."""
    score = oracle.average(oracle.symmetric)
    for truth in _truths():
        values = oracle.fractions_of(truth)
        at = {c: score(values, [c] * len(values)) for c in sorted(set(values))}
        least = min(at.values())
        expected = [(float(c), float(c)) for c, value in at.items() if value == least]
        best = _best("sMAPE", truth)
        assert best.value == pytest.approx(float(least), rel=1e-12, abs=1e-15)
        assert _ranges(best) == expected
        grid = np.linspace(truth[0] - 3, truth[-1] + 3, 301)
        y = np.array(truth, dtype=float)
        with np.errstate(invalid="ignore"):
            terms = 2 * np.abs(y - grid[:, None]) / (np.abs(y) + np.abs(grid[:, None]))
        assert np.nan_to_num(terms).mean(axis=1).min() >= best.value - 1e-12


@pytest.mark.parametrize("spread", [0.01, 1.0, 8.0])
def test_symmetric_mape_of_many_numbers(spread: float) -> None:
    """The series of bins gives what all pairs give, wherever a best constant may be."""
    y = np.sort(np.exp(spread * RNG.normal(size=1_200)))
    logs, shares = np.log(y), np.full(y.size, 1 / y.size)
    pairs = symmetric._few(logs, shares, logs)
    series = symmetric._many(logs, shares)
    looked_at = np.isfinite(series)
    np.testing.assert_allclose(series[looked_at], pairs[looked_at], rtol=0, atol=4e-15)
    assert pairs[~looked_at].min(initial=9) > pairs.min()


def test_symmetric_mape_of_more_numbers_than_pairs() -> None:
    """With ties, both signs and zeros, as a search of a sample finds it."""
    y = np.round(np.exp(RNG.normal(size=9_000)), 3) * np.where(RNG.random(9_000) < 0.2, -1, 1)
    y[:50] = 0
    best = _best("sMAPE", y)
    for constant in (*np.quantile(y, np.linspace(0.2, 1, 30)), 0.0):
        assert symmetric._loss(y, np.ones(y.size), constant) >= best.value - 1e-12
    assert best.value == pytest.approx(symmetric._loss(y, np.ones(y.size), best.guesses[0].low))


SMOOTH: dict[str, Any] = {
    "MSE": oracle.average(oracle.squared),
    "RMSE": oracle.root(oracle.average(oracle.squared)),
    "MSLE": oracle.average(oracle.log_squared),
    "RMSLE": oracle.root(oracle.average(oracle.log_squared)),
    "Poisson deviance": oracle.average(oracle.deviance(1)),
    "Gamma deviance": oracle.average(oracle.deviance(2)),
    "Tweedie@1.5": oracle.average(oracle.deviance(1.5)),
    "Tweedie@-1": oracle.average(oracle.deviance(-1)),
    "Tweedie@3": oracle.average(oracle.deviance(3)),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_losses_have_one_best_constant(name: str) -> None:
    """A constant a little lower or higher is worse, in high precision."""
    for truth in ([1, 2, 3, 10, 100], [5, 5, 6], [0.25, 0.5, 8, 8, 9, 40], [3]):
        ((low, high),) = _ranges(_best(name, truth))
        assert low == high
        values = oracle.fractions_of(truth)
        at = _of_constant(SMOOTH[name], values)
        assert _best(name, truth).value == pytest.approx(float(at(low)), rel=1e-12, abs=1e-15)
        assert min(at(low * (1 - 1e-6)), at(low * (1 + 1e-6))) > at(low)


def test_nothing_is_for_free_for_shares_and_correlations() -> None:
    """R² and D² of their best constant are 0; of others, all that ignores its input expects 0."""
    for name in ("R2", "D2 absolute error", "D2 pinball@0.9", "D2 Tweedie@1", "D2 Tweedie@1.5"):
        for truth in ([1.0, 2, 3, 10, 100], [0.1, 0.1, 0.3, 7], RNG.random(100)):
            assert _best(name, truth).value == 0
    assert _ranges(_best("R2", [1, 2, 6])) == [(3, 3)]
    assert _ranges(_best("D2 absolute error", [1, 2, 6, 9])) == [(2, 6)]
    assert _best("explained variance", [1, 2, 6]).guesses == (ConstantSet.every(),)
    assert _best("CCC", [1, 2, 6]).guesses == (ConstantSet.every(),)
    for name in ("Pearson", "Spearman", "Kendall"):
        best = _best(name, [1, 2, 6])
        assert (best.value, best.guesses) == (0, ())
        assert best.said == "any numbers that ignore their input and are not all the same"


def test_the_example_of_mape() -> None:
    """The median has 0.834, and the mean 8.32."""
    truth = [1.0, 2, 3, 10, 100]
    best = _best("MAPE", truth)
    assert round(best.value, 3) == 0.611
    assert best.said == "always 1"
    measure = get_number_measure("MAPE")
    assert round(measure.score(NumericPredictions.of(truth, [3.0] * 5)), 3) == 0.834
    assert round(measure.score(NumericPredictions.of(truth, [23.2] * 5)), 2) == 8.32


def test_a_truth_of_zero_forces_a_mape_of_zero() -> None:
    """Then the score is the share of the other numbers."""
    best = _best("MAPE", [0.0, 5, 9, 100])
    assert (best.value, best.said) == (0.75, "always 0")


@pytest.mark.parametrize(
    "name", [n for n in NUMBER_MEASURES if n not in {"MSLE", "RMSLE", "Huber@1", "MAPE"}]
)
@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_constants_scale_with_the_truth(name: str, scale: float) -> None:
    """Of tiny and huge numbers, unless the score is beyond all floats."""
    truth = np.array([1.0, 2, 3, 10, 100])
    try:
        best = _best(name, truth * scale)
    except UndefinedMeasureError as error:
        assert "beyond the range" in str(error)  # noqa: PT017
        assert name in {"MSE", "Poisson deviance", "Tweedie@1.5"}
        return
    plain = [number * scale for pair in _ranges(_best(name, truth)) for number in pair]
    found = [number for pair in _ranges(best) for number in pair]
    assert found == pytest.approx(plain, rel=1e-12)


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
            _best(name, truth)
        assert str(caught.value).startswith(why)


def test_losses_have_no_worst_constant() -> None:
    """Correlations have: all that ignores its input expects the same."""
    truth = Numbers([1.0, 2, 3])
    for measure in NUMBER_MEASURES.values():
        baseline = measure.baseline(truth)
        worst = baseline.base.worst
        assert math.isnan(worst.value) == (measure.constants is not None)
        assert baseline.perfect == (0 if measure.direction == "minimize" else 1)
        assert baseline.scale.informative
        assert baseline.measure is measure
        assert baseline.reference == baseline.base.guess
        assert math.isnan(baseline.oracle_weight(0.0))
        assert math.isnan(baseline.theta_star)
        assert str(baseline.base).startswith(f"{measure.key} baseline: ")


# The theorem: no deck of numbers that is dealt at random is better than the best constant.
DEALT: dict[str, Any] = {
    **{name: score for name, score in LINEAR.items() if score},
    "MSE": SMOOTH["MSE"],
    "RMSE": lambda y, z: mpmath.sqrt(oracle.real(SMOOTH["MSE"](y, z))),
    "sMAPE": oracle.average(oracle.symmetric),
    "Huber@1": oracle.average(oracle.huber(1)),
    "R2": oracle.r2,
    "explained variance": oracle.explained_variance,
    "CCC": oracle.concordance,
}


@pytest.mark.parametrize("name", DEALT)
def test_no_deck_is_better_than_the_best_constant(name: str) -> None:
    """Over all decks of a grid and all M! dealings of each, in fractions.

    For losses of single observations that are averaged, a deck expects the mean of what its
    numbers expect as constants. For a norm of the errors, as RMSE and the largest error are,
    the mean over all dealings is convex in the deck. The median absolute error is neither: that
    no deck beats it is found here, and not proved.
    """
    rises = get_number_measure(name).direction == "maximize"
    for truth in ([0, 1], [1, 3, 4], [0, 0, 1, 1], [0, 1, 2, 4]):
        values = oracle.fractions_of(truth)
        best = _best(name, truth).value
        grid = [
            Fraction(n, 2) for n in range(min(truth) * 2, max(truth) * 2 + 1, 1 + len(truth) // 4)
        ]
        for deck in oracle.guesses(grid, len(truth)):
            expected = float(oracle.expected(DEALT[name], values, deck))
            worse = best - expected if rises else expected - best
            assert worse >= -1e-12, (truth, deck)


def test_a_deck_may_be_as_good_as_the_best_constant() -> None:
    """RMSE of two observations: (0, 1) dealt at random has 0 or 1, and the mean has a half."""
    assert oracle.expected(DEALT["RMSE"], [0, 1], [0, 1]) == 0.5
    assert _best("RMSE", [0, 1]).value == 0.5


@pytest.mark.parametrize("name", ["Pearson", "Spearman", "Kendall", "CCC"])
def test_every_deck_expects_a_correlation_of_zero(name: str) -> None:
    """Whatever is dealt, unless all of it is the same."""
    score = {"CCC": oracle.concordance, "Pearson": oracle.pearson, "Spearman": oracle.spearman,
             "Kendall": oracle.kendall}[name]  # fmt: skip
    for deck in ([0, 0, 0, 1], [0, 1, 2, 5], [1, 1, 3, 3]):
        values = oracle.fractions_of([0, 1, 1, 7])
        assert abs(oracle.expected(score, values, oracle.fractions_of(deck))) < 1e-30


def test_sets_of_constants() -> None:
    """In words, and what is in them."""
    assert 2.5 in between(2, 3)[0]
    assert "2" not in between(2, 3)[0]
    assert ConstantSet.every().middle == 0
    assert ConstantSet(3, math.inf).middle == 3
    assert ConstantSet(-math.inf, -2).middle == -2
    assert in_words(one(1) + one(2) + one(3) + one(4) + one(5)).endswith("or one of 2 more")
    assert in_words(one(1) + one(1 + 1e-9)) == "always 1"
    assert str(ConstantSet(1, 1 + 1e-9)) == "always 1"


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
