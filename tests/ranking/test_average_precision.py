"""Average precision: its score and its baseline, against every way to place the positives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
import pytest
from sklearn.metrics import average_precision_score

import exact_scores
from baserate.core.baseline import ANY, EQUAL, RANDOM
from baserate.core.measure import Direction
from baserate.measures.rankings import AP, average_precision, harmonic
from baserate.observed.base_rate import BaseRate
from baserate.observed.scores import RankedScores

if TYPE_CHECKING:
    from fractions import Fraction

UP, DOWN = Direction.MAXIMIZE, Direction.MINIMIZE
RNG = np.random.default_rng(23)


def _enumerated(sizes: tuple[int, ...], positives: int) -> dict[Fraction, Fraction]:
    return exact_scores.null(
        exact_scores.average_precision, exact_scores.scores_of(sizes), positives
    )


@pytest.mark.parametrize("total", range(1, 8))
def test_baseline_is_the_best_of_all_decks(total: int) -> None:
    """A random ranking expects most and one score for all least, of all decks."""
    for positives in range(1, total + 1):
        means = {
            sizes: float(exact_scores.mean(_enumerated(sizes, positives)))
            for sizes in exact_scores.compositions(total)
        }
        base = AP.baseline(BaseRate(positives=positives, total=total))
        assert base.best.value == pytest.approx(max(means.values()), rel=1e-13)
        assert base.worst.value == pytest.approx(min(means.values()), rel=1e-13)
        assert means[(1,) * total] == pytest.approx(base.best.value, rel=1e-13)
        assert means[(total,)] == pytest.approx(base.worst.value, rel=1e-13)
        words = (ANY, ANY) if positives == total else (RANDOM, EQUAL)
        assert (base.guesses, base.worst.guesses) == words


def test_baselines_of_the_page() -> None:
    """The numbers of the theory: the prevalence is what the worst deck expects."""
    expected = {(2, 20): 0.2230, (10, 100): 0.138, (100, 10**4): 0.0109}
    for (positives, total), value in expected.items():
        base = AP.baseline(BaseRate(positives=positives, total=total))
        assert base.best.value == pytest.approx(value, abs=5e-4)
        assert base.worst.value == positives / total


def test_only_positives_are_uninformative() -> None:
    """Without negatives every score is perfect; without positives there is none."""
    baseline = AP.baseline(BaseRate(positives=5, total=5))
    assert not baseline.scale.informative
    assert AP.missing(BaseRate(positives=0, total=5)) == "there are no positives"


def test_harmonic_numbers() -> None:
    """Harmonic numbers are right to the last digits, of any size."""
    for number in (1, 2, 10, 39, 40, 41, 1000, 10**6, 10**9, 10**15):
        assert harmonic(number) == pytest.approx(float(mpmath.harmonic(number)), rel=4e-16)


@pytest.mark.parametrize("seed", range(40))
def test_score_is_scikit_learns(seed: int) -> None:
    """Scores agree, with ties and with weights."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 200))
    truth = rng.random(size) < rng.uniform(0.05, 0.95)
    truth[0] = True
    scores = rng.integers(0, int(rng.integers(1, 60)) + 1, size) / 7
    expected = average_precision_score(truth, scores)
    assert AP.score(RankedScores.of(truth, scores)) == pytest.approx(expected, rel=1e-13)

    weights = rng.integers(0, 3, size) + rng.random(size) * (rng.random(size) < 0.7)
    weights[0] = 1.0
    values = np.unique(scores)[::-1]
    of_class = [
        np.array([weights[(scores == value) & (truth == kind)].sum() for value in values])
        for kind in (True, False)
    ]
    weighted = average_precision(RankedScores(values, *of_class))
    expected = average_precision_score(truth, scores, sample_weight=weights)
    assert weighted == pytest.approx(expected, rel=1e-12)


def test_score_of_several_chunks() -> None:
    """A long ranking is summed piece by piece."""
    truth, scores = RNG.random(100_000) < 0.1, RNG.random(100_000)
    expected = average_precision_score(truth, scores)
    assert AP.score(RankedScores.of(truth, scores)) == pytest.approx(expected, rel=1e-12)


def test_perfect_and_worst_order() -> None:
    """All positives first are 1, whatever the ties below them."""
    assert AP.score(RankedScores.of([1, 1, 0, 0, 0], [9, 8, 3, 3, 1])) == 1.0
    assert AP.score(RankedScores.of([0, 0, 0, 1], [9, 8, 3, 1])) == 0.25


def _dealt(sizes: Any, positives: int, deals: int) -> Any:
    """Return the number of positives times average precision of random deals."""
    upto = np.cumsum(sizes)
    counts = RNG.multivariate_hypergeometric(sizes, positives, deals)
    return (counts * np.cumsum(counts, axis=1) / upto).sum(axis=1)
