"""Confidence intervals of probabilities of several classes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from baserate.probability.several.catalogue import PROBABILITY_MEASURES
from baserate.probability.several.joint import JointProbabilities
from baserate.probability.several.measures import RULE_MEASURES
from baserate.probability.several.observed import ClassProbabilities
from baserate.probability.several.task import CLASS_PROBABILITIES
from baserate.ranking import rules
from baserate.ranking.rules import RULES, ScoringRule
from baserate.ranking.scores import Scores
from baserate.scores.task import SCORES
from worked_examples import RULES as SECTION
from worked_examples import example

POWER_LOSS = example(SECTION, "POWER_LOSS", rules)
RNG = np.random.default_rng(31)
KEYS = [measure.key for measure in RULE_MEASURES]


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


def _drawn(size: int, power: float) -> ClassProbabilities:
    right = RNG.dirichlet([1.2, 1.0, 0.8], size)
    truth = (RNG.uniform(size=(size, 1)) > right.cumsum(axis=1)).sum(axis=1).clip(0, 2)
    rows = right**power
    rows /= rows.sum(axis=1, keepdims=True)
    return ClassProbabilities.of_rows((0, 1, 2), truth, rows)


@pytest.mark.parametrize("key", ["Brier", "log loss", "D2 Brier"])
def test_intervals_hold(key: str) -> None:
    """Scores and margins are outside of their intervals about as often as alpha says."""
    measure, tests, alpha = PROBABILITY_MEASURES[key], 80, 0.2
    whole = _drawn(200_000, 1.5)
    scale = CLASS_PROBABILITIES.yardstick(whole.test_set, measure).scale
    score = measure.score(whole)
    truths = (score, scale.advantage(score, scale.best))
    wrong = np.zeros(2)
    for _ in range(tests):
        sample = _drawn(40, 1.5)
        known = CLASS_PROBABILITIES.uncertainty(sample, alpha)
        margin = known.margin(CLASS_PROBABILITIES.yardstick(sample.test_set, measure))
        found = (known.score(measure), margin)
        wrong += [not low <= true <= high for true, (low, high) in zip(truths, found, strict=True)]
    assert (wrong / tests <= alpha + 3 * math.sqrt(alpha * (1 - alpha) / tests)).all()


@pytest.mark.parametrize("key", KEYS)
def test_the_score_is_between_the_ends(key: str) -> None:
    """Also of certainty that is right, of certainty of one class, and of a third each."""
    measure, truth = PROBABILITY_MEASURES[key], np.arange(15) % 3
    for rows in (np.eye(3)[truth], np.full((15, 3), 1 / 3), np.eye(3)[[1] * 15]):
        observed = ClassProbabilities.of_rows((0, 1, 2), truth, rows)
        known = CLASS_PROBABILITIES.uncertainty(observed, 0.05)
        low, high = known.score(measure)
        if "log loss" in key and math.isnan(low):
            # Rows that all lose the same say nothing of a loss without an end.
            assert len(set(observed.points(measure.rule))) == 1
            continue
        assert low <= measure.score(observed) <= high
        below, above = known.margin(CLASS_PROBABILITIES.yardstick(observed.test_set, measure))
        assert below <= above


@pytest.mark.parametrize("truth", [[0], [0, 1]])
def test_nothing_is_known_of_fewer_than_three_rows(truth: list[int]) -> None:
    """One row or two say nothing of how much others differ."""
    observed = ClassProbabilities.of_rows((0, 1, 2), np.array(truth), np.eye(3)[truth])
    for measure in RULE_MEASURES:
        known = CLASS_PROBABILITIES.uncertainty(observed, 0.05)
        assert np.isnan(known.score(measure)).all()


def test_a_perfect_model_clears() -> None:
    """Certainty that was right on 30 observations is surely worth more than the class shares."""
    truth = np.arange(30) % 3
    observed = ClassProbabilities.of_rows((0, 1, 2), truth, np.eye(3)[truth])
    for key in ("Brier", "spherical", "D2 Brier", "log loss"):
        measure = PROBABILITY_MEASURES[key]
        yardstick = CLASS_PROBABILITIES.yardstick(observed.test_set, measure)
        assert CLASS_PROBABILITIES.uncertainty(observed, 0.05).margin(yardstick)[0] > 0


@pytest.mark.parametrize("key", KEYS)
def test_one_column_and_two_have_the_same_intervals(key: str) -> None:
    """Probabilities of two classes say the same as those of the positive one."""
    truth, values = RNG.random(80) < 0.4, RNG.beta(2, 3, (2, 80))
    rows = np.stack([1 - values, values], axis=-1)
    both = JointProbabilities.of_rows((False, True), truth.astype(int), *rows)
    measure, of_one = PROBABILITY_MEASURES[key], SCORES.named(key)
    assert of_one is not None
    one = SCORES.uncertainty(Scores.of(truth, values[0]), 0.05)
    two = CLASS_PROBABILITIES.uncertainty(both.first, 0.05)
    assert one.score(of_one) == pytest.approx(two.score(measure), rel=1e-9)
    found = one.margin(of_one.yardstick(Scores.of(truth, values[0]).test_set))
    yardstick = CLASS_PROBABILITIES.yardstick(both.first.test_set, measure)
    assert found == pytest.approx(two.margin(yardstick), rel=1e-9)
