"""Partial AUC: its score, its baseline and its law, against every way to deal a deck."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import exact_scores
from baserate.binary.base_rate import BaseRate
from baserate.core.direction import Direction
from baserate.exceptions import InvalidProbabilityError
from baserate.ranking.deck import ScoreDeck
from baserate.ranking.law.partial_area import PartialAreaLaw
from baserate.ranking.law.partial_area_simulation import simulated
from baserate.ranking.measures.area import AUC
from baserate.ranking.measures.partial_area import named_partial_auc, partial_area, partial_auc
from baserate.ranking.optimum import ANY, EQUAL, RANDOM
from baserate.ranking.scores import Scores

UP, DOWN = Direction.MAXIMIZE, Direction.MINIMIZE
RNG = np.random.default_rng(29)
RATES = (Fraction(1, 10), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10))


def _law(sizes: Any, positives: int, max_fpr: float) -> PartialAreaLaw:
    sizes = np.array(sizes)
    deck = ScoreDeck(np.arange(sizes.size, 0.0, -1.0), sizes)
    rate = BaseRate(positives=positives, total=int(sizes.sum()))
    return PartialAreaLaw(rate, deck, max_fpr)


def _check_law(sizes: tuple[int, ...], positives: int, max_fpr: Fraction) -> float:
    """Everything that the law says is what enumeration says."""
    law = _law(sizes, positives, float(max_fpr))
    score = partial(exact_scores.partial_auc, max_fpr=max_fpr)
    true = exact_scores.law(score, exact_scores.scores_of(sizes), positives)
    assert law.exact
    assert law.mean() == pytest.approx(float(exact_scores.mean(true)), rel=1e-12)
    assert law.variance() == pytest.approx(float(exact_scores.variance(true)), abs=1e-14)
    for value in true:
        at_least = float(exact_scores.at_least(true, value))
        assert law.tail(float(value), UP) == pytest.approx(at_least, rel=1e-11)
        at_most = float(exact_scores.at_most(true, value))
        assert law.tail(float(value), DOWN) == pytest.approx(at_most, rel=1e-11)
    for level in (0.025, 0.5, 0.975):
        least = min(value for value in true if exact_scores.at_most(true, value) >= level)
        assert law.quantile(level) == pytest.approx(float(least), rel=1e-11)
    return float(exact_scores.mean(true))


def _check_decks(total: int) -> None:
    """All decks have the law of enumeration, and the baseline is the best and worst of them."""
    for positives in range(1, total):
        for max_fpr in RATES:
            means = {
                sizes: _check_law(sizes, positives, max_fpr)
                for sizes in exact_scores.compositions(total)
            }
            rate = BaseRate(positives=positives, total=total)
            base = partial_auc(float(max_fpr)).yardstick(rate).base
            assert base.best.value == pytest.approx(max(means.values()), rel=1e-12)
            assert base.best.value == pytest.approx(means[(1,) * total], rel=1e-12)
            assert base.worst.value == pytest.approx(min(means.values()), rel=1e-12)
            assert (base.best.decks, base.worst.decks) == (RANDOM, EQUAL)


@pytest.mark.parametrize("total", range(2, 6))
def test_law_of_all_small_decks(total: int) -> None:
    """Mean, variance, tails, quantiles and both extremes, of every deck."""
    _check_decks(total)


@pytest.mark.exhaustive
@pytest.mark.parametrize("total", range(6, 10))
def test_law_of_all_decks_to_nine(total: int) -> None:
    """The same for more observations."""
    _check_decks(total)


def test_law_of_some_decks_of_nine() -> None:
    """A sample of the same."""
    decks = list(exact_scores.compositions(9))
    for place in RNG.choice(len(decks), 12, replace=False):
        _check_law(decks[place], int(RNG.integers(1, 9)), RATES[int(RNG.integers(4))])


@pytest.mark.parametrize("seed", range(40))
def test_score_is_scikit_learns(seed: int) -> None:
    """Scores agree, with ties, at any rate, and with weights."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 200))
    truth = rng.random(size) < rng.uniform(0.05, 0.95)
    truth[:2] = True, False
    scores = rng.integers(0, int(rng.integers(1, 60)) + 1, size) / 7
    observed = Scores.of(truth, scores)
    weights = rng.integers(0, 3, size) + rng.random(size)
    values = observed.values
    of_class = [
        np.array([weights[(scores == value) & (truth == kind)].sum() for value in values])
        for kind in (True, False)
    ]
    for max_fpr in (0.01, 0.1, 0.5, 1.0, float(rng.random())):
        expected = roc_auc_score(truth, scores, max_fpr=max_fpr)
        assert partial_auc(max_fpr).score(observed) == pytest.approx(expected, rel=1e-12)
        expected = roc_auc_score(truth, scores, max_fpr=max_fpr, sample_weight=weights)
        weighted = partial_area(Scores(values, *of_class), max_fpr)
        assert weighted == pytest.approx(expected, rel=1e-11)


def test_whole_range_is_auc() -> None:
    """Up to a rate of 1 it is the AUC, with the same baseline."""
    scores = Scores.of([0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.4, 0.1])
    assert partial_auc(1.0).score(scores) == pytest.approx(AUC.score(scores))
    base = partial_auc(1).yardstick(BaseRate(positives=2, total=5)).base
    assert (base.best.value, base.best.decks) == (0.5, ANY)
    assert _law([2, 3], 2, 1.0).mean() == pytest.approx(0.5)


def test_names() -> None:
    """A rate is part of the name; one measure per rate."""
    measure = partial_auc(0.1)
    assert measure is partial_auc(0.1)
    assert (measure.key, measure.name) == (
        "AUC@0.1",
        "Partial AUC up to a false positive rate of 0.1",
    )
    for name in ("AUC@0.1", "pAUC@0.1", "partial AUC 0.1", "partial_auc@0.1"):
        assert named_partial_auc(name) is measure
    for name in ("AUC", "AUC@", "AUC@2", "AUC@0", "AUC@.", "F1"):
        assert named_partial_auc(name) is None


@pytest.mark.parametrize("rate", [0, -0.1, 1.1, math.nan, "0.1", None])
def test_rates_that_are_none(rate: Any) -> None:
    """A rate is above 0 and at most 1."""
    with pytest.raises(InvalidProbabilityError, match="must be above 0 and at most 1"):
        partial_auc(rate)


@pytest.mark.parametrize("sizes", [[1] * 3000, [3, 1, 6] * 300, [500, 700, 1800]], ids=len)
def test_simulation_has_the_mean(sizes: list[int]) -> None:
    """Simulated deals have the exact mean, for strict rankings and for ties."""
    rate = BaseRate(positives=1000, total=sum(sizes))
    law = _law(sizes, rate.positives, 0.2)
    values = law._score(simulated(np.array(sizes), rate, 0.2 * rate.negatives))
    noise = values.std() / math.sqrt(values.size)
    assert values.mean() == pytest.approx(law.mean(), abs=5 * noise)


def test_simulation_of_few_negatives() -> None:
    """Few negatives may be anywhere, and the simulation knows."""
    sizes, rate = np.ones(100_000, int), BaseRate(positives=99_995, total=100_000)
    law = _law(sizes, rate.positives, 0.1)
    values = law._score(simulated(sizes, rate, 0.5))
    noise = values.std() / math.sqrt(values.size)
    assert values.mean() == pytest.approx(law.mean(), abs=5 * noise)


def test_simulation_has_the_spread() -> None:
    """Simulated deals of a strict ranking have the deviation of dealt labels."""
    sizes, rate = np.ones(2000, int), BaseRate(positives=300, total=2000)
    law = _law(sizes, 300, 0.1)
    assert not law.exact
    assert (law.method, law.error) == ("simulation", 0.07)
    measure, truth = partial_auc(0.1), np.arange(2000) < 300
    dealt = [
        measure.kernel(Scores.of(RNG.permutation(truth), np.arange(2000.0))) for _ in range(1000)
    ]
    assert math.sqrt(law.variance()) == pytest.approx(np.std(dealt), rel=0.1)
    assert law.tail(float(np.quantile(dealt, 0.95)), UP) == pytest.approx(0.05, abs=0.02)
    assert law.tail(1.0, UP) > 0
    assert rate.negatives == 1700


def test_a_few_huge_blocks() -> None:
    """They have too many outcomes to go through; those of a small deck are exact."""
    law = _law([10**8] * 3, 10**8, 0.5)
    assert law.method == "simulation"
    assert law.tail(law.mean(), UP) == pytest.approx(0.5, abs=0.05)
    small = _law([3, 1, 2], 2, 0.5)
    assert (small.method, small.error) == ("enumeration", 0)
