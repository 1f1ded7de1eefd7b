"""Measures of rankings: scores and baselines, against every way to place the positives."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
import pytest

import baserate as br
from baserate.core.baseline import ANY
from baserate.measures.rankings import (
    discount_sums,
    ndcg,
    partial_auc,
)
from baserate.observed.curves import harmonic
from baserate.observed.scores import RankedScores
from sklearn import metrics

if TYPE_CHECKING:
    from collections.abc import Callable


def _rows(seed: int) -> tuple[Any, Any, Any]:
    """Return labels of both classes, scores with ties, and weights."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(3, 120))
    truth = rng.random(size) < rng.uniform(0.05, 0.95)
    truth[:2] = True, False
    weights = rng.integers(0, 3, size) + rng.random(size)
    return truth, rng.integers(0, int(rng.integers(1, 60)) + 1, size) / 7, weights


@pytest.mark.parametrize("seed", range(8))
def test_scores_are_those_of_scikit_learn(seed: int) -> None:
    """With ties and with weights, at any rate and any k."""
    truth, scores, weights = _rows(seed)
    observed = RankedScores.of(truth, scores)
    of_class = [
        np.array([weights[(scores == each) & (truth == kind)].sum() for each in observed.values])
        for kind in (True, False)
    ]
    weighted = RankedScores(observed.values, *of_class)
    theirs: dict[Any, Callable[..., float]] = {"AP": metrics.average_precision_score}
    for rate in (0.01, 0.1, 0.5, 1.0):
        theirs[partial_auc(rate)] = partial(metrics.roc_auc_score, max_fpr=rate)
    for measure, function in theirs.items():
        mine = br.get_measure(measure)
        assert mine.score(observed) == pytest.approx(function(truth, scores), rel=1e-12)
        expected = function(truth, scores, sample_weight=weights)
        assert mine.score(weighted) == pytest.approx(expected, rel=1e-11)
    for k in (None, 1, 2, truth.size, truth.size + 5):
        expected = metrics.ndcg_score([truth], [scores], k=k)
        assert ndcg(k).score(observed) == pytest.approx(expected, rel=1e-12)


def test_edges_of_partial_areas_and_average_precision() -> None:
    """Up to a rate of 1 it is the AUC; and without negatives every average precision is perfect."""
    scores = RankedScores.of([0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.4, 0.1])
    assert partial_auc(1.0).score(scores) == pytest.approx(br.get_measure("AUC").score(scores))
    base: Any = br.baseline(br.BaseRate(positives=2, total=5), partial_auc(1))
    assert (base.best.value, base.guesses) == (0.5, ANY)
    alone: Any = br.baseline(br.BaseRate(positives=5, total=5), "AP")
    assert (alone.best.value, alone.guesses) == (1, ANY)
    for number in (1, 2, 39, 40, 41, 10**6, 10**15):
        assert harmonic(number) == pytest.approx(float(mpmath.harmonic(number)), rel=4e-16)


@pytest.mark.parametrize(
    ("key", "names"),
    [
        ("precision@10", ["P@10", "precision at 10", "top 10 precision"]),
        ("recall@3", ["R@3", "Recall at 3"]),
        ("lift@7", ["lift at 7"]),
        ("NDCG@5", ["ndcg@5", "NDCG at 5"]),
        ("AUC@0.1", ["pAUC@0.1", "partial AUC 0.1", "partial_auc@0.1"]),
    ],
)
def test_names_with_numbers(key: str, names: list[str]) -> None:
    """A name with any k, or any rate, is understood; one measure per number."""
    assert br.get_measure(key).key == key
    for name in names:
        assert br.get_measure(name) is br.get_measure(key)


def test_sums_of_discounts_far_down() -> None:
    """A formula continues the sums where a table ends; a discount is the difference of two."""
    for position in (10, 10**6):
        exact = np.sum(1 / np.log2(np.arange(2, position + 2)))
        assert discount_sums(np.array([position]))[0] == pytest.approx(exact, rel=1e-13)
    far = discount_sums(np.array([10**8, 10**8 + 1000]))
    between = np.sum(1 / np.log2(np.arange(10**8 + 2, 10**8 + 1002)))
    assert far[1] - far[0] == pytest.approx(between, rel=1e-9)


def test_a_billion_observations() -> None:
    """Counts do not overflow where a calibration error is of random draws."""
    big = 10**9
    observed = RankedScores(np.array([0.5, 0.1]), np.array([big, big]), np.array([big, 9 * big]))
    null = br.get_measure("ECE").null(observed.test_set, observed.levels)
    assert null.mean() == pytest.approx(1 / 9, rel=1e-3)
    assert null.cdf(0.1) == null.floor
