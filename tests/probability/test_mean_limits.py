"""Limits of means: of rates, of any values, and of the scores and margins of probabilities."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import beta

from baserate.probability import rules
from baserate.probability.rules import RULES, Rule
from baserate.probability.several import means
from baserate.probability.several.catalogue import PROBABILITY_MEASURES
from baserate.probability.several.means import limits_of_mean
from baserate.probability.several.measures import RULE_MEASURES
from baserate.probability.several.observed import ClassProbabilities
from baserate.probability.several.task import CLASS_PROBABILITIES
from baserate.probability.several.uncertainty import influences
from worked_examples import RULES as SECTION
from worked_examples import example

POWER_LOSS = example(SECTION, "POWER_LOSS", rules)
RNG = np.random.default_rng(31)
KEYS = [measure.key for measure in RULE_MEASURES]


@pytest.mark.parametrize(("hits", "misses"), [(8, 2), (1, 99), (0, 10), (10, 0), (50, 950), (3, 0)])
@pytest.mark.parametrize("alpha", [0.001, 0.05, 0.5])
def test_of_a_rate_they_are_those_of_clopper_and_pearson(
    hits: int, misses: int, alpha: float
) -> None:
    """They are narrower by at most 0.2%, and wider by at most 5% of the rate or its opposite."""
    low, high = limits_of_mean(np.array([0.0, 1.0]), np.array([misses, hits]), (0.0, 1.0), alpha)
    exact_low = beta.ppf(alpha / 2, hits, misses + 1) if hits else 0.0
    exact_high = beta.ppf(1 - alpha / 2, hits + 1, misses) if misses else 1.0
    assert 0.95 * exact_low <= low <= exact_low * 1.002
    assert 0.95 * (1 - exact_high) <= 1 - high <= (1 - exact_high) * 1.002


def test_of_values_they_are_those_of_random_weights() -> None:
    """A Dirichlet distribution of weights has the same quantiles, with one observation to spare."""
    values = RNG.exponential(size=20)
    low, high = limits_of_mean(values, np.ones(20), (-0.5, 9.0), 0.1)
    weights, spare = RNG.exponential(size=(40_000, 20)), RNG.exponential(size=40_000)
    total = weights.sum(axis=1) + spare
    lows = (weights @ values - 0.5 * spare) / total
    highs = (weights @ values + 9 * spare) / total
    expected = np.quantile(lows, 0.05), np.quantile(highs, 0.95)
    assert (low, high) == pytest.approx(expected, rel=0.01)


def test_counts_are_repeated_values() -> None:
    """It does not matter how often a value is listed, nor a value with the count 0."""
    one = limits_of_mean(np.array([1.0, 3.0, 9.0]), np.array([2, 3, 0]), (0.0, 4.0), 0.05)
    other = limits_of_mean(np.array([3.0, 1.0, 3.0, 1.0, 3.0]), np.ones(5), (0.0, 4.0), 0.05)
    assert one == pytest.approx(other, rel=1e-9)


def test_nothing_varies() -> None:
    """Equal values without another to spare have no width; with one they have."""
    same = np.full(7, 0.3)
    assert limits_of_mean(same, np.ones(7), (0.3, 0.3), 0.05) == (0.3, 0.3)
    low, high = limits_of_mean(same, np.ones(7), (0.0, 1.0), 0.05)
    assert 0 < low < 0.3 < high < 1


def test_many_values_are_joined() -> None:
    """The limits of 10,000 values hardly depend on how many are joined."""
    values = RNG.exponential(size=10_000) ** 2
    found = limits_of_mean(values, np.ones(values.size), (0.0, 200.0), 0.05)
    limit, means._MOST_VALUES = means._MOST_VALUES, 10**6
    try:
        exact = limits_of_mean(values, np.ones(values.size), (0.0, 200.0), 0.05)
    finally:
        means._MOST_VALUES = limit
    assert found == pytest.approx(exact, rel=1e-6)


def test_a_billion_observations() -> None:
    """Counts may be of any size."""
    low, high = limits_of_mean(np.array([0.0, 1.0]), np.array([10**9, 10**9]), (0.0, 1.0), 0.05)
    width = 1.96 / math.sqrt(8e9)
    assert (0.5 - low, high - 0.5) == pytest.approx((width, width), rel=0.001)


@pytest.mark.parametrize("rule", [*RULES, POWER_LOSS], ids=lambda rule: rule.key)
def test_influences_add_up_to_what_is_free(rule: Rule) -> None:
    """Their mean is the score of the class shares, and they are its derivative.

    So it is for any rule that is proper.
    """
    for counts in ([5, 3, 2], [6, 4]):
        observed = _counted(counts)
        found = influences(rule, observed.test_set)
        shares = np.array(counts) / sum(counts)
        assert shares @ found == pytest.approx(rule.free(shares))
        for place in range(len(counts)):
            step = 1e-6
            moved = (1 - step) * shares + step * np.eye(len(counts))[place]
            slope = (rule.free(moved) - rule.free(shares)) / step
            assert found[place] - rule.free(shares) == pytest.approx(slope, abs=1e-4)


def _counted(counts: list[int]) -> ClassProbabilities:
    truth = np.repeat(np.arange(len(counts)), counts)
    rows = RNG.dirichlet(np.ones(len(counts)), truth.size)
    return ClassProbabilities.of_rows(tuple(range(len(counts))), truth, rows)


def _drawn(size: int, power: float) -> ClassProbabilities:
    right = RNG.dirichlet([1.2, 1.0, 0.8], size)
    truth = (RNG.uniform(size=(size, 1)) > right.cumsum(axis=1)).sum(axis=1).clip(0, 2)
    rows = right**power
    rows /= rows.sum(axis=1, keepdims=True)
    return ClassProbabilities.of_rows((0, 1, 2), truth, rows)


@pytest.mark.parametrize("key", ["Brier", "log loss", "D2 Brier"])
def test_limits_hold(key: str) -> None:
    """Scores and margins are outside of their limits at most as often as alpha says."""
    measure, tests, alpha = PROBABILITY_MEASURES[key], 80, 0.2
    whole = _drawn(200_000, 1.5)
    scale = CLASS_PROBABILITIES.yardstick(whole.test_set, measure).scale
    score = measure.score(whole)
    margin = scale.advantage(score, scale.best)
    wrong = np.zeros(2)
    for _ in range(tests):
        sample = _drawn(40, 1.5)
        known = CLASS_PROBABILITIES.uncertainty(sample, alpha)
        for place, (true, (low, high)) in enumerate(
            [
                (score, known.score(measure)),
                (margin, known.margin(CLASS_PROBABILITIES.yardstick(sample.test_set, measure))),
            ]
        ):
            wrong[place] += not low <= true <= high
    assert (wrong / tests <= alpha + 3 * math.sqrt(alpha * (1 - alpha) / tests)).all()


@pytest.mark.parametrize("key", KEYS)
def test_limits_have_the_score_between_them(key: str) -> None:
    """Also for one observation, for certainty that is right, and for one class."""
    measure = PROBABILITY_MEASURES[key]
    for truth in ([0], [0, 1], [0, 1, 2] * 5):
        size = len(truth)
        for rows in (np.eye(3)[truth], np.full((size, 3), 1 / 3), np.eye(3)[[1] * size]):
            observed = ClassProbabilities.of_rows((0, 1, 2), np.array(truth), rows)
            known = CLASS_PROBABILITIES.uncertainty(observed, 0.05)
            score, reason = measure.score_or_reason(observed)
            low, high = known.score(measure)
            if reason:
                assert math.isnan(low)
                continue
            assert low <= score + 1e-12
            assert score - 1e-12 <= high
            low, high = known.margin(CLASS_PROBABILITIES.yardstick(observed.test_set, measure))
            assert low <= high


def test_a_perfect_model_clears() -> None:
    """Certainty that was right on 30 observations is surely worth more than the class shares."""
    truth = np.arange(30) % 3
    observed = ClassProbabilities.of_rows((0, 1, 2), truth, np.eye(3)[truth])
    for measure in RULE_MEASURES:
        yardstick = CLASS_PROBABILITIES.yardstick(observed.test_set, measure)
        assert CLASS_PROBABILITIES.uncertainty(observed, 0.05).margin(yardstick)[0] > 0


def test_a_mean_is_as_often_above_as_below_its_middle() -> None:
    """The normal deviate of values on both sides alike is 0 at their mean, and continuous there."""
    values, counts = np.array([0.0, 0.3, 0.7, 1.0]), np.array([2.0, 5.0, 5.0, 2.0])
    assert means._deviate(values, counts, 0.5) == 0
    assert -1e-3 < means._deviate(values, counts, 0.5 - 1e-5) < -1e-5
