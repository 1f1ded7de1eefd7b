"""The curves of residuals: a histogram, and the share of errors up to each size."""

from __future__ import annotations

import numpy as np
import pytest

import baserate as br
from baserate.core.observed import rounded_up
from baserate.observed.numbers import Numbers, NumericPredictions

RNG = np.random.default_rng(4)
X = RNG.normal(size=(60, 2))
Y = 50 + 10 * X[:, 0] + RNG.normal(0, 3, 60)
GUESS = RNG.normal(50, 20, 60)


@pytest.mark.parametrize("weighted", [False, True])
def test_steps_hold_every_observation_once(weighted: bool) -> None:  # noqa: FBT001
    """Their shares sum to 1, with all weight, and curves end at the share within reach."""
    truth = np.append(Y, [1e4, -2e4])
    predicted = np.append(GUESS, [50, 40])
    weights = RNG.integers(1, 4, truth.size) / 2 if weighted else None
    residuals, errors = NumericPredictions.of(truth, predicted, weights).curves
    reach = residuals.x_ends[1]
    assert reach < 100  # neither of those that are far out
    share = np.ones(truth.size) / truth.size if weights is None else weights / weights.sum()
    for points, off in (
        (residuals.points, truth - predicted),
        (residuals.chance.points, truth - float(residuals.chance.label.split()[-1])),
    ):
        x, y = np.array(points).T
        assert y[1::2][:-1].sum() == pytest.approx(1)
        edges, heights = x[::2], y[1:-1:2]
        held = np.clip((off + reach) * len(heights) / (2 * reach), 0, len(heights) - 1e-9)
        expected = np.bincount(held.astype(int), share, len(heights))
        np.testing.assert_allclose(heights, expected, atol=2e-2)
        assert np.diff(edges) == pytest.approx(np.full(len(heights), 2 * reach / len(heights)))
    for points, off in ((errors.points, truth - predicted),):
        assert points[-1][1] == pytest.approx(share[np.abs(off) <= reach].sum())
        assert errors.area == pytest.approx((np.abs(off) * share).sum())


def test_weights_decide_the_constant() -> None:
    """It is the weighted median."""
    fit = NumericPredictions.of([1.0, 2, 9], [1.0, 2, 3], [1, 1, 5])
    assert [curve.chance.label for curve in fit.curves] == ["always 9"] * 2
    assert fit.curves[1].chance.area == pytest.approx(
        br.baseline(Numbers([1.0, 2, 9], [1, 1, 5]), "MAE").best.value
    )


def test_round_numbers() -> None:
    """At least as large, and hardly more than half as much again."""
    for value in (1e-280, 0.001, 0.9, 1, 1.01, 7.3, 99, 1e10, 3.0000001e280):
        assert value <= rounded_up(value) <= 2 * value
        assert len(f"{rounded_up(value):.12g}".strip("0.").split("e")[0]) == 1
    for value in (5e-324, 1e300, 0.0, np.inf):
        assert rounded_up(value) == value
