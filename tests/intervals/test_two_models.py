"""The limits of a difference between two models."""

from __future__ import annotations

import numpy as np
import pytest

import baserate as br
from baserate.kinds.two_classes.task import BINARY
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from baserate.observed.two_classes import Answers, JointTable

JOINT = JointTable(Answers(88, 24, 58, 14), Answers(9, 67, 52, 288))
MEASURES = [
    *TWO_CLASS_MEASURES.values(),
    br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn),
]


def _joint(counts: list[int]) -> JointTable:
    return JointTable(Answers(*counts[:4]), Answers(*counts[4:]))


def _mirrored(joint: JointTable) -> JointTable:
    both = joint.positives, joint.negatives
    return JointTable(*(side._replace(first=side.second, second=side.first) for side in both))


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.key)
def test_who_comes_first_does_not_matter(measure: br.Measure) -> None:
    """With the models swapped, the limits are the same with the other sign."""
    low, high = BINARY.paired(JOINT, 0.05).limits(measure)
    assert BINARY.paired(_mirrored(JOINT), 0.05).limits(measure) == pytest.approx((-high, -low))
    gap = measure.score(JOINT.second) - measure.score(JOINT.first)
    assert low < gap < high


def test_a_model_that_is_always_right_leaves_the_limits_of_the_other() -> None:
    """Beside a perfect model, the difference of accuracies is one minus that of the other."""
    joint = JointTable(Answers(40, 0, 12, 0), Answers(0, 8, 0, 140))
    low, high = BINARY.paired(joint, 0.05).limits(br.get_measure("ACC"))
    of_first = BINARY.uncertainty(joint.first, 0.05).score(br.get_measure("ACC"))
    # A spare observation may go against the perfect model too, so the lower limit is lower.
    assert high == pytest.approx(1 - of_first[0], abs=0.004)
    assert 0 < low <= 1 - of_first[1] + 0.004


@pytest.mark.parametrize(
    "measure", [br.get_measure("ACC"), br.get_measure("F1"), br.get_measure("MCC")]
)
@pytest.mark.parametrize("total", [60, 400])
def test_limits_are_seldom_wrong(measure: br.Measure, total: int) -> None:
    """Over 300 test sets each limit misses the true difference in at most 2.5%, up to chance."""
    shares = np.array([0.12, 0.03, 0.06, 0.09, 0.06, 0.06, 0.03, 0.55])
    truth = _joint((shares * 100).round().astype(int).tolist())
    gap = measure.score(truth.second) - measure.score(truth.first)
    missed = np.zeros(2)
    for counts in np.random.default_rng(4).multinomial(total, shares, size=300).tolist():
        low, high = BINARY.paired(_joint(counts), 0.05).limits(measure)
        missed += low > gap, high < gap
    # Four standard errors above 2.5%.
    assert (missed <= 300 * 0.025 + 4 * np.sqrt(300 * 0.025)).all()


def test_models_that_have_only_the_truth_in_common_vary_on_their_own() -> None:
    """Many cells are merged by what they do, so that nothing of the spread is lost."""
    rng = np.random.default_rng(4)
    y = (rng.random(30_000) < 0.3).astype(int)
    models = {name: y + rng.normal(size=y.size) for name in ("first", "second")}
    (found,) = br.compare(y, models, "AUC")
    alone = [br.confidence_interval(y, each, "AUC") for each in models.values()]
    expected = np.hypot(*(each.high - each.low for each in alone))
    assert 0.85 * expected < found.high - found.low < 1.15 * expected
