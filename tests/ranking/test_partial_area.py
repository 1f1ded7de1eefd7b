"""Partial AUC: its score and its baseline, against every way to place the positives."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import exact_scores
from baserate.core.baseline import ANY, EQUAL, RANDOM
from baserate.core.measure import Direction
from baserate.exceptions import InvalidProbabilityError
from baserate.measures.rankings import AUC, named_partial_auc, partial_auc
from baserate.observed.base_rate import BaseRate
from baserate.observed.scores import RankedScores

UP, DOWN = Direction.MAXIMIZE, Direction.MINIMIZE
RNG = np.random.default_rng(29)
RATES = (Fraction(1, 10), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10))


@pytest.mark.parametrize("total", range(2, 6))
def test_baseline_is_the_best_of_all_rankings(total: int) -> None:
    """A random ranking expects most and one score for all least, with any ties."""
    for positives in range(1, total):
        for max_fpr in RATES:
            score = partial(exact_scores.partial_auc, max_fpr=max_fpr)
            means = {
                sizes: float(
                    exact_scores.mean(
                        exact_scores.null(score, exact_scores.scores_of(sizes), positives)
                    )
                )
                for sizes in exact_scores.compositions(total)
            }
            rate = BaseRate(positives=positives, total=total)
            base = partial_auc(float(max_fpr)).baseline(rate)
            assert base.best.value == pytest.approx(max(means.values()), rel=1e-12)
            assert base.best.value == pytest.approx(means[(1,) * total], rel=1e-12)
            assert base.worst.value == pytest.approx(min(means.values()), rel=1e-12)
            assert (base.guesses, base.worst.guesses) == (RANDOM, EQUAL)


@pytest.mark.parametrize("seed", range(40))
def test_score_is_scikit_learns(seed: int) -> None:
    """Scores agree, with ties, at any rate, and with weights."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 200))
    truth = rng.random(size) < rng.uniform(0.05, 0.95)
    truth[:2] = True, False
    scores = rng.integers(0, int(rng.integers(1, 60)) + 1, size) / 7
    observed = RankedScores.of(truth, scores)
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
        weighted = partial_auc(max_fpr).kernel(RankedScores(values, *of_class))
        assert weighted == pytest.approx(expected, rel=1e-11)


def test_whole_range_is_auc() -> None:
    """Up to a rate of 1 it is the AUC, with the same baseline."""
    scores = RankedScores.of([0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.4, 0.1])
    assert partial_auc(1.0).score(scores) == pytest.approx(AUC.score(scores))
    base = partial_auc(1).baseline(BaseRate(positives=2, total=5))
    assert (base.best.value, base.guesses) == (0.5, ANY)


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
