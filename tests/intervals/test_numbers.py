"""Confidence intervals of scores of numbers and of their margins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

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


def test_many_rows_have_the_interval_of_the_central_limit_theorem() -> None:
    """1.96 standard errors to each side, whether rows are merged or a sample of them."""
    rng = np.random.default_rng(3)
    for rows in (5_000, 150_000):
        truth = rng.normal(size=rows)
        predicted = truth + rng.normal(size=rows)
        found = _verdict(truth, predicted, "MAE")
        error = np.abs(truth - predicted).std() / np.sqrt(rows)
        assert (found.high - found.low) / 2 == pytest.approx(1.96 * error, rel=0.08)


def test_predictions_without_an_error() -> None:
    """What others lose cannot be known; by how much the best constant is beaten can."""
    truth = np.arange(20.0)
    found = _verdict(truth, truth, "RMSE")
    assert np.isnan([found.low, found.high]).all()
    assert 0 < found.margin_low < found.margin <= found.margin_high
    assert found.outcome is br.Outcome.CLEARS
    assert _verdict(truth, truth, "R2").outcome is br.Outcome.CLEARS
