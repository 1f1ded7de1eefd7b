"""Two models of numbers side by side."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from baserate.kinds.numbers.task import REGRESSION
from baserate.measures.numbers import NUMBER_MEASURES, get_number_measure
from baserate.observed.numbers import JointFit, NumericPredictions

if TYPE_CHECKING:
    from baserate.measures.numbers_record import NumberMeasure

KEYS = tuple(NUMBER_MEASURES)


def _about(*ends: float) -> Any:
    return pytest.approx(ends, rel=1e-9, abs=1e-12)


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


@pytest.mark.parametrize("key", KEYS)
def test_identical_models(key: str) -> None:
    """Identical models."""
    joint = _two_models(20)
    same = JointFit(joint.truth, joint.first_predicted, joint.first_predicted.copy())
    paired = REGRESSION.paired(same, 0.05)
    assert paired.swap_test(get_number_measure(key)) == (1.0, "exact", 0)
    assert paired.limits(get_number_measure(key)) == (0.0, 0.0)


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


@pytest.mark.parametrize("key", ["MAE", "RMSE", "MedAE", "Spearman", "CCC", "max error"])
def test_who_is_first_does_not_matter(key: str) -> None:
    """Who is first does not matter."""
    joint, measure = _two_models(60, 4), get_number_measure(key)
    p_value = REGRESSION.paired(joint, 0.05).swap_test(measure)
    assert REGRESSION.paired(joint.mirrored, 0.05).swap_test(measure) == p_value
    assert REGRESSION.paired(joint, 0.05).swap_test(measure) == p_value


def test_measures_of_one_mean_loss_share_a_p_value() -> None:
    """Measures of one mean loss share a p value."""
    paired = REGRESSION.paired(_two_models(50), 0.05)
    values = {paired.swap_test(get_number_measure(key)) for key in ("MSE", "RMSE", "R2")}
    assert len(values) == 1


@pytest.mark.parametrize("key", ["MAE", "RMSE", "R2", "MedAE", "Pearson", "Kendall"])
def test_a_better_model_is_found(key: str) -> None:
    """A better model is found."""
    joint, measure = _two_models(200, 5, (1.2, 0.1)), get_number_measure(key)
    paired = REGRESSION.paired(joint, 0.05)
    assert paired.swap_test(measure)[0] <= 0.01
    if key != "R2":  # of lognormal errors, how much better is anyone's guess
        low, high = paired.limits(measure)
        assert low > 0 or high < 0


@pytest.mark.parametrize("key", ["MedAE", "max error", "Pearson", "Spearman", "Kendall"])
def test_many_rows(key: str) -> None:
    """Many rows."""
    joint, measure = _two_models(2_500, 6, (0.9, 0.3)), get_number_measure(key)
    p_value, method, _ = REGRESSION.paired(joint, 0.05).swap_test(measure)
    assert 0 < p_value <= (0.01 if key != "max error" else 1)
    assert method == "permutations"


def test_one_row_and_rows_without_a_score() -> None:
    """One row and rows without a score."""
    paired = REGRESSION.paired(JointFit.of([1.0], [2.0], [3.0]), 0.05)
    assert np.isnan(paired.limits(get_number_measure("MAE"))).all()
    assert paired.swap_test(get_number_measure("MAE")) == (1.0, "exact", 0)
    assert np.isnan(paired.swap_test(get_number_measure("R2"))[0])


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


@pytest.mark.parametrize("key", [key for key in KEYS if key != "max error"])
def test_weights_that_are_all_the_same_change_nothing_of_a_pair(key: str) -> None:
    """Weights that are all the same change nothing of a pair."""
    joint, measure = _two_models(30, 10), get_number_measure(key)
    same = replace(joint, weights=np.full(30, 2.0))
    found, expected = (REGRESSION.paired(each, 0.05).limits(measure) for each in (same, joint))
    assert found == pytest.approx(expected, rel=1e-9)
    weights = np.random.default_rng(10).lognormal(size=30)
    low, high = REGRESSION.paired(replace(joint, weights=weights), 0.05).limits(measure)
    weighted = replace(joint, weights=weights)
    assert low <= measure.score(weighted.second) - measure.score(weighted.first) <= high
    assert REGRESSION.paired(weighted.mirrored, 0.05).limits(measure) == pytest.approx(
        (-high, -low), rel=1e-9, abs=1e-12
    )


def test_weighted_models_as_facts() -> None:
    """Weighted models as facts."""
    joint = JointFit.of([1.0, 2, 3], [1.0, 2, 4], [1.0, 3, 3], weights=[1, 0, 2.5])
    assert joint.total == 2
    assert joint.facts["weights"] == [1.0, 2.5]
    again = JointFit.from_facts(json.loads(json.dumps(joint.facts)))
    assert again == joint
    assert joint != JointFit.of([1.0, 3], [1.0, 4], [1.0, 3])
