"""The counts per distinct score: what they are, what bins lose, and their records."""

from __future__ import annotations

import json
import math
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from baserate.measures.rankings import AUC
from baserate.observed.scores import JointScores, RankedScores

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _data(size: int = 5000, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(seed)
    truth = rng.random(size) < 0.15
    return truth, 1 / (1 + np.exp(-(rng.normal(size=size) + truth - 1.5)))


# Bins.


def test_error_of_auc() -> None:
    """The bound of AUC's error is half of the pairs in bins, and both extremes attain it."""
    scores = RankedScores.of(*_data()).in_bins(50)
    best, worst = scores.extremes()
    assert AUC.score(best) - AUC.score(scores) == pytest.approx(scores.auc_error)
    assert AUC.score(scores) - AUC.score(worst) == pytest.approx(scores.auc_error)
    assert 0 < scores.auc_error < 1 / 50
    assert RankedScores.of(*_data()).auc_error == 0
    assert RankedScores.of([1] * 20, np.arange(20)).in_bins(8).auc_error == 0
    assert not scores.exact
    assert repr(scores).endswith("bins)")
    assert AUC.score_error(scores) == pytest.approx(scores.auc_error)
    assert AUC.score_error(RankedScores.of(*_data())) == 0
    assert math.isnan(AUC.score_error(RankedScores.of([1] * 20, np.arange(20)).in_bins(8)))


# Records.


def _through_json(scores: RankedScores) -> RankedScores:
    return RankedScores.from_facts(json.loads(json.dumps(scores.facts, allow_nan=False)))


def test_a_record_of_many_scores_is_short() -> None:
    """More are put in bins, which say so; labels at the threshold stay the same."""
    scores = RankedScores.of(*_data(50_000), threshold=0.4)
    found = _through_json(scores)
    assert len(json.dumps(scores.facts)) < 150_000
    assert 1500 < found.values.size <= 2000
    assert found.test_set == scores.test_set
    assert found.table(0.4) == scores.table(0.4)
    assert abs(AUC.score(found) - AUC.score(scores)) <= found.auc_error < 5e-4
    assert _through_json(found) == found


# Two models.


def _joint(size: int = 500, seed: int = 0, digits: int = 1) -> JointScores:
    rng = np.random.default_rng(seed)
    truth, first = _data(size, seed)
    second = np.where(rng.random(size) < 0.3, first, first + rng.normal(size=size))
    return JointScores.of_rows(truth, first.round(digits), second.round(digits))


def test_a_record_of_pairs() -> None:
    """Up to 2,000 pairs come back as they were; more are put in bins of both models."""
    joint = _joint()
    for each in (joint, pickle.loads(pickle.dumps(joint))):
        found = JointScores.from_facts(json.loads(json.dumps(each.facts, allow_nan=False)))
        assert found == joint
        assert hash(found) == hash(joint)
    assert joint != _joint(seed=1)
    assert joint != 1
    itself = joint
    assert joint == itself
    rate = joint.first.test_set
    counts = {"positives": rate.positives, "negatives": rate.negatives}
    assert joint.flat == counts | {"disagreements": joint.disagreements}
    many = _joint(20_000, digits=9)
    found = JointScores.from_facts(json.loads(json.dumps(many.facts, allow_nan=False)))
    assert 100 < found.positives.size <= 2000
    assert found.disagreements == many.disagreements
    assert found.first.test_set == many.first.test_set
    assert abs(AUC.score(found.first) - AUC.score(many.first)) < 0.02
    assert abs(AUC.score(found.second) - AUC.score(many.second)) < 0.02
    assert repr(joint).startswith("JointScores(500 observations, ")


def test_edges_of_scores() -> None:
    """Whole scores are floats; one score is said so."""
    whole = RankedScores(np.array([9, 1]), np.array([1, 0]), np.array([0, 1]))
    assert whole.values.dtype == np.float64
    assert whole.true_positives.tolist() == [1, 1]
    assert whole.predicted_positives.tolist() == [1, 2]
    assert RankedScores.of([0, 1], [0.5, 0.5]).one_class == "gives every observation the same score"
    with pytest.raises(match="per distinct pair"):
        JointScores(np.zeros(3), np.zeros(3), np.zeros(2), np.zeros(3))
