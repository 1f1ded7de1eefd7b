"""Confidence intervals of class scores, and swaps of two models."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

import baserate as br
from baserate.kinds.class_scores.measures import CLASS_SCORE_MEASURES
from baserate.kinds.class_scores.observed import JointProbabilities
from baserate.kinds.class_scores.task import CLASS_SCORES
from baserate.measures import scoring_rules as rules
from baserate.measures.scoring_rules import RULES, ScoringRule
from worked_examples import RULES as SECTION
from worked_examples import example

POWER_LOSS = example(SECTION, "POWER_LOSS", rules)
RNG = np.random.default_rng(31)
MEASURES = CLASS_SCORE_MEASURES
KEYS = [key for key in MEASURES if key != "ECE"]


@pytest.mark.parametrize("rule", [*RULES, POWER_LOSS], ids=lambda rule: rule.key)
def test_what_is_free_is_the_mean_of_the_points_of_the_shares(rule: ScoringRule) -> None:
    """Its slope towards a class is what that class has: a margin is a mean over the rows."""
    for counts in ([5, 3, 2], [6, 4]):
        shares = np.array(counts) / sum(counts)
        points = rule.points(shares[np.newaxis], 1e-300)[0]
        assert shares @ points == pytest.approx(float(rule.free(shares)))
        step = 1e-6
        moved = (1 - step) * shares + step * np.eye(len(counts))
        slopes = (rule.free(moved) - rule.free(shares)) / step
        assert points - rule.free(shares) == pytest.approx(slopes, abs=1e-4)


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


@pytest.mark.parametrize("key", ["AUC ovr", "AUC ovo weighted"])
def test_the_interval_of_an_area_narrows_with_the_rows(key: str) -> None:
    """It is as wide as the score varies over test sets of that size, if there are many rows."""
    scores = [MEASURES[key].score(_drawn(300)) for _ in range(100)]
    low, high = CLASS_SCORES.uncertainty(_drawn(300), 0.05).score(MEASURES[key])
    assert (high - low) / 3.92 == pytest.approx(np.std(scores), rel=0.35)


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
            assert len(set(observed.points(measure.rule))) == 1
            continue
        assert low <= measure.score(observed) <= high
        below, above = known.margin(measure, CLASS_SCORES.baseline(observed.test_set, measure))
        assert below <= above


def test_few_rows_and_perfect_models() -> None:
    """Two rows say nothing of others; certainty that was right on 30 surely beats any guess."""
    for truth in ([0], [0, 1]):
        observed = br.ClassProbabilities.of_rows((0, 1, 2), np.array(truth), np.eye(3)[truth])
        for key in ("Brier", "log loss", "spherical"):
            assert np.isnan(CLASS_SCORES.uncertainty(observed, 0.05).score(MEASURES[key])).all()
    truth = np.arange(30) % 3
    report = br.evaluate(truth, np.eye(3)[truth], [key for key in KEYS if "D2" not in key])
    assert all(verdict.margin_low > 0 for verdict in report)


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
    if not measure.relative:
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
    return float(alone.points(measure.rule)[0]) / 6


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
