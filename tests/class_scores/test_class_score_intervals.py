"""Confidence intervals of class scores, and swaps of two models."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import rankdata

import baserate as br
from baserate.kinds.class_scores.task import CLASS_SCORES
from baserate.measures.class_scores import CLASS_SCORE_MEASURES
from baserate.observed.class_scores import JointProbabilities

RNG = np.random.default_rng(31)
MEASURES = CLASS_SCORE_MEASURES
KEYS = [key for key in MEASURES if key != "ECE"]


def _drawn(size: int, power: float = 1.5) -> br.ClassProbabilities:
    right = RNG.dirichlet([1.2, 1.0, 0.8], size)
    truth = (RNG.uniform(size=(size, 1)) > right.cumsum(axis=1)).sum(axis=1).clip(0, 2)
    rows = right**power
    rows /= rows.sum(axis=1, keepdims=True)
    return br.ClassProbabilities.of_rows((0, 1, 2), truth, rows)


@pytest.mark.parametrize("key", ["Brier", "D2 Brier", "AUC ovr", "AUC ovo", "top-2 accuracy"])
def test_intervals_hold(key: str) -> None:
    """Scores and margins are outside of their intervals about as often as alpha says."""
    measure, tests, alpha = MEASURES[key], 60, 0.2
    whole = _drawn(100_000)
    scale = CLASS_SCORES.baseline(whole.test_set, measure).scale
    score = measure.score(whole)
    truths = (score, scale.advantage(score, scale.best))
    wrong = np.zeros(2)
    for _ in range(tests):
        sample = _drawn(40)
        known = CLASS_SCORES.uncertainty(sample, alpha)
        margin = known.margin(measure, CLASS_SCORES.baseline(sample.test_set, measure))
        found = (known.score(measure), margin)
        wrong += [not low <= true <= high for true, (low, high) in zip(truths, found, strict=True)]
    assert (wrong / tests <= alpha + 3 * math.sqrt(alpha * (1 - alpha) / tests)).all()


@pytest.mark.parametrize("key", KEYS)
def test_the_score_is_between_the_ends(key: str) -> None:
    """Also of certainty that is right, of certainty of one class, and of a third each."""
    measure, truth = MEASURES[key], np.arange(15) % 3
    for rows in (np.eye(3)[truth], np.full((15, 3), 1 / 3), np.eye(3)[[1] * 15]):
        observed = br.ClassProbabilities.of_rows((0, 1, 2), truth, rows)
        known = CLASS_SCORES.uncertainty(observed, 0.05)
        low, high = known.score(measure)
        if "log loss" in key and math.isnan(low):
            # Rows that all lose the same say nothing of a loss without an end.
            assert len(set(measure.form.rule.of_cells(observed))) == 1
            continue
        assert low <= measure.score(observed) <= high
        below, above = known.margin(measure, CLASS_SCORES.baseline(observed.test_set, measure))
        assert below <= above


@pytest.mark.parametrize("key", [key for key in KEYS if "AUC" not in key])
def test_all_swaps_of_two_models(key: str) -> None:
    """The p-value is the share of swaps whose sums differ as much, by definition."""
    measure, truth = MEASURES[key], np.array([0, 1, 2, 0, 1, 2])
    first, second = RNG.dirichlet([1, 1, 1], (2, 6))
    second[4] = first[4]
    joint = JointProbabilities.of_rows((0, 1, 2), truth, first, second)
    gains = np.array([_added(measure, truth, second, row) - _added(measure, truth, first, row)
                      for row in range(6)])  # fmt: skip
    difference = measure.score(joint.second) - measure.score(joint.first)
    if not measure.form.relative:
        assert gains.sum() == pytest.approx(difference)
    swaps = np.array(list(product([-1, 1], repeat=6))) @ gains
    share = np.mean(np.abs(swaps) >= abs(gains.sum()) - 1e-12)
    paired = CLASS_SCORES.paired(joint, 0.05)
    assert paired.swap_test(measure) == (pytest.approx(share), "exact", 0)
    low, high = paired.limits(measure)
    assert low <= difference <= high
    turned = JointProbabilities.of_rows((0, 1, 2), truth, second, first)
    assert CLASS_SCORES.paired(turned, 0.05).limits(measure) == pytest.approx((-high, -low))


def _added(measure: Any, truth: Any, rows: Any, row: int) -> float:
    """Return what one row adds to a score of six, two of each class."""
    alone = br.ClassProbabilities.of_rows((0, 1, 2), truth[[row]], rows[[row]])
    return float(measure.form.rule.of_cells(alone)[0]) / 6


def test_the_calibration_error_has_no_interval_and_no_swaps() -> None:
    """It is not a sum over rows; and a guess has its best score."""
    truth = np.arange(12) % 3
    rows = np.eye(3)[truth] * 0.7 + 0.1
    joint, measure = JointProbabilities.of_rows((0, 1, 2), truth, rows, rows[::-1]), MEASURES["ECE"]
    baseline = CLASS_SCORES.baseline(joint.first.test_set, measure)
    assert not baseline.scale.informative
    known, paired = CLASS_SCORES.uncertainty(joint.first, 0.05), CLASS_SCORES.paired(joint, 0.05)
    for limits in (
        known.score(measure),
        known.margin(baseline.measure, baseline),
        paired.limits(measure),
    ):
        assert np.isnan(limits).all()
    assert np.isnan(paired.swap_test(measure)[0])


RANDOM = np.random.default_rng(20_261_118)
TRUTH = np.array([0, 1, 2, 0, 1, 2, 0, 1])
AVERAGES = ("roc_auc_ovr", "roc_auc_ovr_weighted", "roc_auc_ovo", "roc_auc_ovo_weighted")


def _of_two(positives: np.ndarray, negatives: np.ndarray) -> float:
    """Return the share of pairs in order; ties are half."""
    gaps = positives[:, np.newaxis] - negatives
    return float(np.mean((gaps > 0) + (gaps == 0) / 2))


def _area(ranks: np.ndarray, name: str) -> float:
    """Return the average over the classes, or over the pairs of them."""
    areas, weights = [], []
    for one, other in product(range(3), [0, 1, 2] if "ovo" in name else [None]):
        if one != other:
            negatives = one != TRUTH if other is None else other == TRUTH
            areas.append(_of_two(ranks[one == TRUTH, one], ranks[negatives, one]))
            weights.append(np.mean(one == TRUTH) + np.mean(other == TRUTH))
    return float(np.average(areas, weights=weights if "weighted" in name else None))


@pytest.mark.parametrize("name", AVERAGES)
@pytest.mark.parametrize("clusters", [None, [0, 0, 1, 2, 2, 3, 4, 4]])
def test_p_values_are_those_of_all_swaps(name: str, clusters: list[int] | None) -> None:
    """Ranks are swapped in every way, and areas computed again."""
    models = [RANDOM.integers(1, 6, (TRUTH.size, 3)) / 10 for _ in range(2)]
    models[0][np.arange(TRUTH.size), TRUTH] += 0.35
    first, second = (np.apply_along_axis(rankdata, 0, each) for each in models)
    codes = np.arange(TRUTH.size) if clusters is None else np.array(clusters)
    gaps = []
    for coins in product([False, True], repeat=codes.max() + 1):
        turned = np.array(coins)[codes][:, np.newaxis]
        one, other = np.where(turned, second, first), np.where(turned, first, second)
        gaps.append(_area(one, name) - _area(other, name))
    scored = [br.get_measure(name).score(br.ClassProbabilities.of(TRUTH, each)) for each in models]
    assert gaps[0] == pytest.approx(scored[0] - scored[1])
    expected = np.mean(np.abs(gaps) >= abs(gaps[0]) - 1e-12)
    named = {"first": models[0], "second": models[1]}
    (found,) = br.compare(TRUTH, named, [name], clusters=clusters)
    assert found.p_value == pytest.approx(expected, rel=1e-9)
    assert found.exact
