"""Confidence intervals of scores of numbers and of their margins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import ttest_1samp

import baserate as br
from baserate.measures.numbers import NUMBER_MEASURES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

KEYS = tuple(NUMBER_MEASURES)
WITH_INTERVALS = tuple(key for key in KEYS if key != "max error")


def _rows(rows: int, seed: int = 1) -> tuple[Floats, Floats]:
    """Return positive numbers, and predictions that know something of them."""
    rng = np.random.default_rng(seed)
    truth = np.exp(rng.normal(size=rows))
    return truth, truth * np.exp(0.5 * rng.normal(size=rows))


def _verdict(truth: Any, predicted: Any, key: str, **options: Any) -> br.Verdict:
    return br.evaluate(truth, predicted, key, task="regression", **options)["model", key]


@pytest.mark.parametrize("key", WITH_INTERVALS)
@pytest.mark.parametrize("rows", [3, 40, 1_500])
def test_intervals_hold_what_was_observed(key: str, rows: int) -> None:
    """Both ends are numbers, in the range of the measure, and the score is between them."""
    found = _verdict(*_rows(rows), key)
    ends = br.get_measure(key).codomain
    assert ends.lower <= found.low <= found.score <= found.high <= ends.upper
    assert found.margin_low <= found.margin <= found.margin_high


@pytest.mark.parametrize("key", KEYS)
def test_two_rows_say_nothing(key: str) -> None:
    """Of how much others differ, nothing is known; and never of the largest error."""
    found = _verdict([1.0, 3.0], [1.5, 2.0], key)
    assert np.isnan([found.low, found.high, found.margin_low, found.margin_high]).all()
    assert np.isnan(_verdict(*_rows(50), "max error").low)


@pytest.mark.parametrize("key", WITH_INTERVALS)
def test_the_order_of_rows_does_not_matter(key: str) -> None:
    """Rows are given their random weights by what they do."""
    truth, predicted = _rows(60)
    order = np.random.default_rng(2).permutation(60)
    one, other = _verdict(truth, predicted, key), _verdict(truth[order], predicted[order], key)
    ends = ("low", "high", "margin_low", "margin_high")
    assert [getattr(one, end) for end in ends] == pytest.approx(
        [getattr(other, end) for end in ends], rel=1e-9, abs=1e-12
    )


@pytest.mark.parametrize("key", ["MAE", "Pearson", "MAPE"])
def test_equal_weights_change_nothing_and_unequal_ones_widen(key: str) -> None:
    """Only the relation of weights counts; a few rows that count most are few."""
    rng = np.random.default_rng(9)
    truth = 10 + rng.normal(size=80)
    predicted = truth + rng.normal(size=80)
    plain = _verdict(truth, predicted, key)
    same = _verdict(truth, predicted, key, sample_weight=np.full(80, 3.0), weights="importance")
    assert (same.low, same.high) == pytest.approx((plain.low, plain.high))
    unequal = np.where(np.arange(80) % 8 == 0, 20.0, 1.0)
    other = _verdict(truth, predicted, key, sample_weight=unequal, weights="importance")
    assert other.high - other.low > 1.2 * (plain.high - plain.low)


def test_many_rows_have_the_interval_of_the_central_limit_theorem() -> None:
    """1.96 standard errors to each side, whether rows are merged or a sample of them."""
    rng = np.random.default_rng(3)
    for rows in (5_000, 150_000):
        truth = rng.normal(size=rows)
        predicted = truth + rng.normal(size=rows)
        found = _verdict(truth, predicted, "MAE")
        error = np.abs(truth - predicted).std() / np.sqrt(rows)
        assert (found.high - found.low) / 2 == pytest.approx(1.96 * error, rel=0.08)


def test_few_rows_have_the_interval_of_student() -> None:
    """Of a mean of nearly normal numbers it is about as wide as Student's t."""
    rng = np.random.default_rng(4)
    ratios = []
    for _ in range(40):
        loss = 10 + rng.normal(size=12)
        found = _verdict(np.zeros(12), loss, "MAE")
        ratios.append((found.high - found.low) / (2 * 2.201 * loss.std(ddof=1) / np.sqrt(12)))
    assert np.median(ratios) == pytest.approx(1, abs=0.15)


def test_predictions_without_an_error() -> None:
    """What others lose cannot be known; by how much the best constant is beaten can."""
    truth = np.arange(20.0)
    found = _verdict(truth, truth, "RMSE")
    assert np.isnan([found.low, found.high]).all()
    assert 0 < found.margin_low < found.margin <= found.margin_high
    assert found.outcome is br.Outcome.CLEARS
    assert _verdict(truth, truth, "R2").outcome is br.Outcome.CLEARS


@pytest.mark.parametrize("key", ["RMSE", "MAE", "Pearson"])
@pytest.mark.parametrize("kind", ["normal", "lognormal", "rare"])
def test_a_model_worth_nothing_is_seldom_said_to_be_worth_something(key: str, kind: str) -> None:
    """Predictions that have nothing to do with the truth are claimed to in about 2.5%."""
    rng = np.random.default_rng(7)
    claims = 0
    for _ in range(40):
        truth = rng.normal(size=30)
        if kind == "lognormal":
            truth = np.exp(truth)
        elif kind == "rare":
            truth = (rng.permutation(30) < 2) * 1.0
        noise = truth.mean() + 0.2 * truth.std() * rng.normal(size=30)
        claims += _verdict(truth, noise, key).outcome is br.Outcome.CLEARS
    assert claims <= 4


@pytest.mark.parametrize("key", ["RMSE", "MAE", "Brier", "log loss"])
def test_a_model_with_signal_is_said_to_have_it(key: str) -> None:
    """On 60 rows, nearly as often as a t-test of the losses says so."""
    rng = np.random.default_rng(6)
    clears = tested = 0
    for _ in range(40):
        logits = 3 * rng.normal(size=60)
        chance = 1 / (1 + np.exp(-logits))
        truth = (rng.random(60) < chance).astype(int)
        share = truth.mean()
        if key in ("RMSE", "MAE"):
            predicted = logits + 2 * rng.normal(size=60)
            power = 2 if key == "RMSE" else 1
            gain = np.abs(logits - logits.mean()) ** power - np.abs(logits - predicted) ** power
            found = _verdict(logits, predicted, key)
        else:
            found = br.evaluate(truth, chance, key)["model", key]
            gain = (truth - share) ** 2 - (truth - chance) ** 2
            if key == "log loss":
                gain = np.log(np.where(truth, chance / share, (1 - chance) / (1 - share)))
        clears += found.outcome is br.Outcome.CLEARS
        tested += ttest_1samp(gain, 0, alternative="greater").pvalue <= 0.025
    assert clears >= tested - 6
