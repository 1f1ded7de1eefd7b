"""How sure weighted scores and margins are."""

from __future__ import annotations

import math

import numpy as np
import pytest

from baserate import Measure
from baserate.kinds.weighted.task import WEIGHTED_LABELS as TASK
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from baserate.measures.weighted import WeightedMeasure
from baserate.observed.weighted import WeightedLabels
from weighted_cases import weighted


def _labels(size: int, seed: int, share: float = 0.8, unit: float = 1.0) -> WeightedLabels:
    rng = np.random.default_rng(seed)
    truth = rng.random(size) < 0.4
    said = np.where(rng.random(size) < share, truth, ~truth)
    return WeightedLabels.of_rows(truth, said, unit * rng.lognormal(0, 1, size))


@pytest.mark.parametrize("key", TWO_CLASS_MEASURES)
def test_limits_are_around_the_score_and_within_range(key: str) -> None:
    """Every measure has limits of its score and of its margin, with the observed in between."""
    labels, measure = _labels(60, seed=40, share=0.7), weighted(key)
    known = TASK.uncertainty(labels, 0.05)
    score = measure.score(labels)
    low, high = known.score(measure)
    assert measure.codomain.lower <= low < score < high <= measure.codomain.upper
    baseline = TASK.baseline(labels.test_set, measure)
    margin_low, margin_high = known.margin(baseline.measure, baseline)
    assert margin_low <= baseline.scale.advantage(score, baseline.scale.best) <= margin_high


def test_more_observations_give_closer_limits_and_the_unit_does_not_matter() -> None:
    """Limits come closer with the number of rows, and twice the weights change nothing."""
    wide = [high - low for low, high in (_limits(size) for size in (30, 120, 480))]
    assert wide[0] > wide[1] > wide[2]
    assert _limits(60, unit=4.0) == _limits(60)


def _limits(size: int, unit: float = 1.0) -> tuple[float, float]:
    return TASK.uncertainty(_labels(size, 41, unit=unit), 0.05).score(weighted("F1"))


def test_limits_of_many_rows_are_those_of_the_delta_method() -> None:
    """With 20,000 rows the limits of accuracy are 1.96 standard errors away, or a bit more."""
    rng = np.random.default_rng(42)
    weights, right = rng.lognormal(0, 0.5, 20_000), rng.random(20_000) < 0.8
    truth = rng.random(20_000) < 0.5
    labels = WeightedLabels.of_rows(truth, truth == right, weights)
    accuracy = float(weights[right].sum() / weights.sum())
    error = float(np.sqrt((weights**2 * (right - accuracy) ** 2).sum()) / weights.sum())
    low, high = TASK.uncertainty(labels, 0.05).score(weighted("ACC"))
    assert accuracy - low == pytest.approx(1.96 * error, rel=0.15)
    assert high - accuracy == pytest.approx(1.96 * error, rel=0.15)


def test_a_model_without_a_score_has_no_limits() -> None:
    """Limits are nan where the score is."""
    labels = WeightedLabels.of_rows([1, 0, 1], [0, 0, 0], [1.0, 2.0, 3.0])
    known = TASK.uncertainty(labels, 0.05)
    assert all(map(math.isnan, known.score(weighted("F1"))))
    assert all(
        map(
            math.isnan, known.margin(weighted("F1"), TASK.baseline(labels.test_set, weighted("F1")))
        )
    )


def test_functions_of_ones_own_have_limits() -> None:
    """A cost is of as many observations as were seen."""
    cost = WeightedMeasure.by(
        Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")
    )
    labels = _labels(50, seed=43)
    low, high = TASK.uncertainty(labels, 0.05).score(cost)
    assert 0 <= low < cost.score(labels) < high < 5 * labels.counts.total


def test_coin_flips_rarely_clear() -> None:
    """Of 60 coin flips with weights, at most a few have a margin that is surely above 0."""
    rng = np.random.default_rng(45)
    clear = 0
    for _ in range(60):
        truth, said = rng.random(40) < 0.4, rng.random(40) < 0.5
        labels = WeightedLabels.of_rows(truth, said, rng.lognormal(0, 1, 40))
        baseline = TASK.baseline(labels.test_set, weighted("BACC"))
        clear += TASK.uncertainty(labels, 0.05).margin(baseline.measure, baseline)[0] > 0
    assert clear <= 4
