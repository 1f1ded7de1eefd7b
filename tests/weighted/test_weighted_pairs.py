"""Two models with weights: swaps row by row against all of them, and limits of the difference."""

from __future__ import annotations

import numpy as np
import pytest

import exact
import exact_weighted as oracle
from baserate.kinds.two_classes.task import BINARY
from baserate.kinds.weighted.intervals import swap_test
from baserate.kinds.weighted.task import WEIGHTED_LABELS
from baserate.measures.two_classes import get_measure
from baserate.observed.weighted import WeightedJoint
from weighted_cases import cases, weighted

KEYS = [key for key in exact.DEFINITIONS if key not in ("TN", "FP", "FNR", "FPR", "FDR", "FOR")]


@pytest.mark.parametrize("kind", ["free", "class", "equal"])
@pytest.mark.parametrize("key", KEYS)
def test_swaps_are_all_swaps(key: str, kind: str) -> None:
    """The p-value is the share of all row-by-row swaps whose scores differ as much."""
    for case in cases(5, 6, seed=30, kind=kind):
        joint = WeightedJoint.of_rows(case.truth, case.first, case.second, case.floats)
        expected = oracle.swapped(key, case.truth, case.first, case.second, case.weights)
        p_value, method, _ = swap_test(weighted(key), joint)
        assert method == "exact"
        if expected is None:
            assert np.isnan(p_value)
        else:
            assert p_value == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize("key", ["ACC", "PPV", "F1", "MCC", "TP"])
def test_limits_do_not_depend_on_who_is_first(key: str) -> None:
    """Swapped models have the same limits with the other sign, around the difference."""
    rng = np.random.default_rng(32)
    truth, weights = rng.random(90) < 0.5, rng.lognormal(0, 1, 90)
    first, second = (np.where(rng.random(90) < share, truth, ~truth) for share in (0.9, 0.6))
    joint = WeightedJoint.of_rows(truth, first, second, weights)
    measure = weighted(key)
    low, high = WEIGHTED_LABELS.paired(joint, 0.05).limits(measure)
    assert WEIGHTED_LABELS.paired(joint.mirrored, 0.05).limits(measure) == (-high, -low)
    gain = measure.score(joint.second) - measure.score(joint.first)
    assert low < gain < high


def test_the_same_model_twice_does_not_differ() -> None:
    """Without a disagreement the difference is 0, surely, and p is 1."""
    joint = WeightedJoint.of_rows([1, 0, 1], [1, 1, 0], [1, 1, 0], [1.0, 2.0, 3.0])
    assert WEIGHTED_LABELS.paired(joint, 0.05).limits(weighted("F1")) == (0.0, 0.0)
    assert swap_test(weighted("F1"), joint) == (1.0, "exact", 0)


def test_equal_weights_are_compared_as_without_weights() -> None:
    """Limits and p-values are those of the joint table."""
    rng = np.random.default_rng(33)
    truth, first, second = (rng.random(50) < 0.5 for _ in range(3))
    joint = WeightedJoint.of_rows(truth, first, second, np.full(50, 0.3))
    ours, plain = WEIGHTED_LABELS.paired(joint, 0.05), BINARY.paired(joint.table, 0.05)
    for key in ("ACC", "F1", "MCC"):
        measure = get_measure(key)
        assert ours.limits(weighted(key)) == plain.limits(measure)
        assert ours.swap_test(weighted(key)) == plain.swap_test(measure)
