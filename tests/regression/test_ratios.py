"""A mean loss that is divided by a mean of the truth, as a measure of one's own may be."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from baserate.core.measure import COUNT, Direction
from baserate.exceptions import InvalidMeasureError
from baserate.kinds.numbers.task import REGRESSION
from baserate.measures.numbers import d2_pinball
from baserate.measures.numbers_errors import MAE, absolute_error
from baserate.measures.numbers_record import MeanLoss, NumberMeasure
from baserate.observed.best_constants import medians
from baserate.observed.means import mean
from baserate.observed.numbers import JointFit, NumericPredictions
from chances import chance_range, tails_of

WAPE = NumberMeasure(
    key="WAPE",
    name="Weighted Absolute Percentage Error",
    meaning="The mean absolute error, as a share of the mean size of the truth.",
    direction=Direction.MINIMIZE,
    codomain=COUNT,
    rounds=True,
    definition=r"\frac{\sum_i |y_i - \hat{y}_i|}{\sum_i |y_i|}",
    kernel=lambda y, z, w: mean(absolute_error(y, z), w) / mean(np.abs(y), w),
    constants=medians,
    form=MeanLoss(absolute_error, per=np.abs),
)
WEIGHTS = (None, np.random.default_rng(3).exponential(size=60))


def _limits(measure: NumberMeasure, fit: NumericPredictions) -> list[float]:
    known = REGRESSION.uncertainty(fit, 0.05)
    return [*known.score(measure), *known.margin(measure, measure.baseline(fit.test_set))]


@pytest.mark.parametrize("weights", WEIGHTS, ids=["unweighted", "weighted"])
@pytest.mark.parametrize("error", [0.1, 1.0, 3.0])
def test_truths_of_one_size(error: float, weights: np.ndarray | None) -> None:
    """If all truths are 50 or -50, all is that of the mean absolute error, divided by 50."""
    rng = np.random.default_rng(5)
    truth = 50 * rng.choice([-1.0, 1.0], 60)
    predicted = truth + 50 * error * rng.standard_normal(60)
    fit = NumericPredictions(truth, predicted, weights)
    assert WAPE.score(fit) == pytest.approx(MAE.score(fit) / 50)
    assert _limits(WAPE, fit) == pytest.approx([each / 50 for each in _limits(MAE, fit)])
    levels = (0.05, 0.95)
    assert chance_range(WAPE, fit, levels) == pytest.approx(
        [each / 50 for each in chance_range(MAE, fit, levels)]
    )
    score = MAE.score(fit)
    assert tails_of(WAPE, fit, score / 50)[:2] == pytest.approx(tails_of(MAE, fit, score)[:2])
    joint = REGRESSION.paired(JointFit(truth, predicted, truth + 30, weights), 0.05)
    of_errors = [each / 50 for each in joint.limits(MAE)]
    assert joint.limits(WAPE) == pytest.approx(of_errors)
    assert joint.swap_test(WAPE) == joint.swap_test(MAE)


@pytest.mark.parametrize("weights", WEIGHTS, ids=["unweighted", "weighted"])
def test_truths_of_several_sizes(weights: np.ndarray | None) -> None:
    """Limits hold what was observed, the unit does not matter, nor does it for chance."""
    rng = np.random.default_rng(6)
    truth = rng.lognormal(3, 1, 60)
    fit = NumericPredictions(truth, truth * rng.lognormal(0, 0.3, 60), weights)
    score = WAPE.score(fit)
    low, high, least, most = _limits(WAPE, fit)
    scale = WAPE.baseline(fit.test_set).scale
    assert 0 < low < score < high < 1
    assert least < scale.advantage(score, scale.best) < most < 2
    larger = NumericPredictions(1_000 * fit.truth, 1_000 * fit.predicted, weights)
    assert _limits(WAPE, larger) == pytest.approx([low, high, least, most])
    size = float(np.average(truth, weights=weights))
    assert tails_of(WAPE, fit, score) == pytest.approx(tails_of(MAE, fit, score * size))
    luck = [each / size for each in chance_range(MAE, fit, (0.1, 0.9))]
    assert chance_range(WAPE, fit, (0.1, 0.9)) == pytest.approx(luck)


def test_limits_are_seldom_wrong() -> None:
    """They hold the ratio of a population, of which test sets of 50 are drawn."""
    rng = np.random.default_rng(4)
    whole = rng.lognormal(0, 0.8, (200_000, 2))
    true = float(np.abs(whole[:, 0] - whole[:, 1]).mean() / whole[:, 0].mean())
    wrong = 0
    for _ in range(60):
        truth, predicted = rng.lognormal(0, 0.8, (2, 50))
        low, high = REGRESSION.uncertainty(NumericPredictions(truth, predicted), 0.05).score(WAPE)
        wrong += not low <= true <= high
    assert wrong <= 6


def test_what_is_refused() -> None:
    """A mean loss that is maximised, a share that is not, and a share of a ratio."""
    with pytest.raises(InvalidMeasureError, match=r"direction 'minimize'.*got 'maximize' of MAE"):
        dataclasses.replace(MAE, direction=Direction.MAXIMIZE)
    with pytest.raises(InvalidMeasureError, match=r"got 'minimize' of D2 pinball@0\.9"):
        dataclasses.replace(d2_pinball(0.9), direction=Direction.MINIMIZE)
    with pytest.raises(InvalidMeasureError, match="leave per out"):
        MeanLoss(absolute_error, free=lambda _: 1.0, per=np.abs)
