"""Two models of numbers side by side."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

import baserate as br
from baserate.exceptions import UndefinedMeasureError
from baserate.kinds.numbers.scores import by_orders
from baserate.kinds.numbers.task import REGRESSION
from baserate.measures.numbers import NUMBER_MEASURES, get_number_measure
from baserate.observed.numbers import JointFit, NumericPredictions

if TYPE_CHECKING:
    from baserate.measures.numbers_record import NumberMeasure

KEYS = tuple(NUMBER_MEASURES)


def _two_models(rows: int, seed: int = 0, spreads: tuple[float, float] = (0.5, 0.3)) -> JointFit:
    rng = np.random.default_rng(seed)
    truth = rng.lognormal(0, 0.7, rows)
    return JointFit(truth, *(truth * rng.lognormal(0, spread, rows) for spread in spreads))


def by_all_swaps(measure: NumberMeasure, joint: JointFit) -> float:
    """Return the share of all swaps that are as far apart, tried one by one."""

    def apart(swap: np.ndarray) -> float:
        one = np.where(swap, joint.second_predicted, joint.first_predicted)
        other = np.where(swap, joint.first_predicted, joint.second_predicted)
        scores = [measure.weighted(joint.truth, each, joint.weights)[0] for each in (one, other)]
        return abs(scores[1] - scores[0])

    ways = [np.array(way) for way in itertools.product([False, True], repeat=joint.total)]
    observed = apart(ways[0])
    return float(np.mean([apart(way) >= observed * (1 - 1e-9) for way in ways]))


@pytest.mark.parametrize("key", KEYS)
def test_all_swaps_of_few_rows(key: str) -> None:
    """All swaps of few rows."""
    measure, weights = get_number_measure(key), np.random.default_rng(8).lognormal(size=7)
    for joint in (_two_models(7, 2), replace(_two_models(7, 2), weights=weights)):
        p_value, method, _ = REGRESSION.paired(joint, 0.05).swap_test(measure)
        assert method == "exact"
        assert p_value == pytest.approx(by_all_swaps(measure, joint), abs=1e-12)


@pytest.mark.parametrize("rows", [3, 9, 40])
@pytest.mark.parametrize("key", [key for key in KEYS if key != "max error"])
def test_limits_hold_the_difference_and_can_be_mirrored(key: str, rows: int) -> None:
    """Limits hold the difference and can be mirrored."""
    joint, measure = _two_models(rows, 3), get_number_measure(key)
    low, high = REGRESSION.paired(joint, 0.05).limits(measure)
    assert low <= measure.score(joint.second) - measure.score(joint.first) <= high
    assert REGRESSION.paired(joint.mirrored, 0.05).limits(measure) == pytest.approx(
        (-high, -low), rel=1e-9, abs=1e-12
    )


def test_the_models_as_facts() -> None:
    """The models as facts."""
    joint = JointFit.of([1.0, 2, 3], [1.0, 2, 4], [1.0, 3, 3])
    assert joint.task == "regression"
    assert joint.first == NumericPredictions.of([1.0, 2, 3], [1.0, 2, 4])
    assert joint.flat == {"observations": 3, "disagreements": 2}
    again = JointFit.from_facts(json.loads(json.dumps(joint.facts)))
    assert again == joint
    assert hash(again) == hash(joint)
    assert joint != joint.mirrored
    assert joint != "joint"


@pytest.mark.parametrize("key", ["MedAE", "max error", "Spearman"])
def test_many_rows(key: str) -> None:
    """Differences of many rows are of random swaps."""
    joint, measure = _two_models(2_500, 6, (0.9, 0.3)), get_number_measure(key)
    p_value, method, _ = REGRESSION.paired(joint, 0.05).swap_test(measure)
    assert 0 < p_value <= (0.01 if key != "max error" else 1)
    assert method == "permutations"


def test_kendall_of_many_rows() -> None:
    """Of more than 30,000 rows scipy counts the pairs, and of 61 with weights the kernel."""
    rng = np.random.default_rng(3)
    y, z = rng.integers(0, 500, (2, 31_000)).astype(float)
    measure, expected = get_number_measure("Kendall"), stats.kendalltau(y, z).statistic
    assert measure.score(NumericPredictions.of(y, z)) == pytest.approx(expected)
    y, z = rng.normal(size=(2, 61))
    w, order = rng.exponential(size=61), rng.permutation(61)
    scores, _, shuffled = by_orders(measure, y, z, w)
    assert scores(shuffled[order[np.newaxis]])[0] == pytest.approx(measure.kernel(y, z[order], w))


def test_without_scores_there_is_nothing_to_compare() -> None:
    """One row has no R2, and constant predictions no correlation."""
    found = br.compare([1.0], {"first": [2.0], "second": [3.0]}, "R2")
    assert np.isnan(found.differences[0].p_value)
    assert br.Comparison.from_json(found.to_json()).differences[0].first == "first"
    with pytest.raises(UndefinedMeasureError, match="all predictions are the same"):
        br.null_distribution([1.0, 2, 4], [3.0] * 3, "Pearson")
