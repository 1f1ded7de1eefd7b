"""Measures of rankings: scores and baselines, against every way to place the positives."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
import pytest

import baserate as br
import exact_scores as oracle
from baserate.core.baseline import ANY, EQUAL, RANDOM
from baserate.exceptions import UndefinedMeasureWarning
from baserate.measures.rankings import (
    discount_sums,
    in_top,
    ndcg,
    partial_auc,
)
from baserate.observed.curves import harmonic
from baserate.observed.scores import RankedScores, ScoreLevels
from sklearn import metrics

if TYPE_CHECKING:
    from collections.abc import Callable


def _at(k: int, *, of: str = "") -> Callable[..., Fraction]:
    """Return the expected share of positives in the top, of the top or of a total."""

    def score(truth: Any, scores: Any) -> Fraction:
        found = oracle.positives_in_top(truth, scores, k)
        per = {"recall": Fraction(sum(truth)), "lift": k * Fraction(sum(truth), len(truth))}
        return found / per.get(of, Fraction(k))

    return score


DEFINED: dict[str, Callable[..., Any]] = {
    "AUC": oracle.auc,
    "AP": oracle.average_precision,
    "AUC@0.1": partial(oracle.partial_auc, max_fpr=Fraction(1, 10)),
    "AUC@0.5": partial(oracle.partial_auc, max_fpr=Fraction(1, 2)),
    "NDCG@3": partial(oracle.ndcg, k=3),
    "precision@2": _at(2),
    "recall@2": _at(2, of="recall"),
    "lift@2": _at(2, of="lift"),
}
RANDOM_IS_BEST = {"AP", "AUC@0.1", "AUC@0.5"}  # any other ranking expects the same


def _rows(seed: int) -> tuple[Any, Any, Any]:
    """Return labels of both classes, scores with ties, and weights."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(3, 120))
    truth = rng.random(size) < rng.uniform(0.05, 0.95)
    truth[:2] = True, False
    weights = rng.integers(0, 3, size) + rng.random(size)
    return truth, rng.integers(0, int(rng.integers(1, 60)) + 1, size) / 7, weights


@pytest.mark.parametrize("key", DEFINED)
def test_scores_are_those_of_the_definition(key: str) -> None:
    """In fractions, with ties of all kinds."""
    for seed in range(8):
        truth, scores, _ = _rows(seed)
        rows = [Fraction(float(each)) for each in scores[:20]]
        expected = float(DEFINED[key](truth[:20].astype(int).tolist(), rows))
        observed = RankedScores.of(truth[:20], scores[:20])
        assert br.get_measure(key).score(observed) == pytest.approx(expected, rel=1e-12)


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


@pytest.mark.parametrize("key", DEFINED)
def test_baselines_are_the_best_of_all_rankings(key: str) -> None:
    """With any ties: a random ranking expects most, and one score for all least."""
    for positives, total in [(p, m) for m in range(2, 6) for p in range(1, m)]:
        means = {
            sizes: float(oracle.mean(oracle.null(DEFINED[key], oracle.scores_of(sizes), positives)))
            for sizes in oracle.compositions(total)
        }
        base: Any = br.baseline(br.BaseRate(positives=positives, total=total), key)
        assert base.best.value == pytest.approx(max(means.values()), rel=1e-12)
        assert base.best.value == pytest.approx(means[(1,) * total], rel=1e-12)
        assert base.worst.value == pytest.approx(min(means.values()), rel=1e-12)
        words = (RANDOM, EQUAL) if key in RANDOM_IS_BEST else (ANY, ANY)
        assert (base.guesses, base.worst.guesses) == words


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


def test_two_very_large_parts_are_approximated() -> None:
    """Where too many pairs of counts are possible a saddlepoint takes over, and says so."""
    rate = br.BaseRate(positives=10**6, total=10**8)
    deck = ScoreLevels(np.array([3.0, 2.0, 1.0]), np.array([10**7, 10**7, 8 * 10**7]))
    null = in_top("precision", 15 * 10**6).null(rate, deck)
    assert not null.exact
    assert null.error <= 0.07
    deviation = math.sqrt(null.var())
    assert null.sf(null.mean() + 2 * deviation) == pytest.approx(0.02275, rel=5e-3)
    assert null.cdf(null.mean() - 2 * deviation) == pytest.approx(0.02275, rel=5e-3)


def test_what_is_undefined_says_why() -> None:
    """A top larger than the test set, or no positives."""
    scores = RankedScores.of([0, 0, 1], [0.1, 0.2, 0.3])
    none = RankedScores.of([0, 0, 0], [0.1, 0.2, 0.3], 1)
    with pytest.warns(UndefinedMeasureWarning, match="there are fewer than 4 observations"):
        assert math.isnan(in_top("precision", 4).score(scores))
    for measure in (in_top("recall", 2), in_top("lift", 2), ndcg(2), ndcg()):
        with pytest.warns(UndefinedMeasureWarning, match="there are no positives"):
            assert math.isnan(measure.score(none))
    assert in_top("precision", 2).score(none) == 0
    assert ndcg(4).score(scores) == 1


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


def test_numbers_that_are_none() -> None:
    """K is at least 1, and a rate is above 0 and at most 1."""
    for name in ("precision@0", "F1@3", "AUC@2", "AUC@", "AUC@."):
        with pytest.raises(br.exceptions.BaserateError):
            br.get_measure(name)


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
