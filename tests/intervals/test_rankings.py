"""Confidence intervals of rankings and of probabilities of two classes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import betaincinv, expit, logit, ndtri
from scipy.stats import binom

import baserate as br
from baserate.kinds.scores.task import SCORES
from baserate.observed.scores import RankedScores

ALPHA = 0.05
KEYS = [
    "AUC", "Gini", "AP", "NDCG", "NDCG@3", "precision@3", "recall@3", "lift@3", "AUC@0.2", "ECE",
    "Brier", "log loss", "spherical", "D2 Brier", "D2 log loss",
]  # fmt: skip


def _scores(seed: int, total: int, share: float = 0.3, apart: float = 1.0) -> RankedScores:
    rng = np.random.default_rng(seed)
    truth = rng.random(total) < share
    truth[:2] = True, False
    return RankedScores.of(truth, expit(rng.standard_normal(total) + apart * truth - 1))


def _score(key: str, scores: RankedScores, alpha: float = ALPHA) -> tuple[float, float]:
    return SCORES.uncertainty(scores, alpha).score(br.get_measure(key))


def _margin(key: str, scores: RankedScores, alpha: float = ALPHA) -> tuple[float, float]:
    baseline = br.baseline(scores.test_set, key)
    return SCORES.uncertainty(scores, alpha).margin(baseline.measure, baseline)


# One model.


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("total", [3, 12, 150, 3000])
def test_intervals_hold_what_was_observed(key: str, total: int) -> None:
    """They are around the observed number, within its range, whatever the order of rows."""
    scores, measure = _scores(total, total), br.get_measure(key)
    score, rate = measure.score(scores), scores.test_set
    low, high = _score(key, scores)
    assert measure.codomain.lower <= low <= score <= high <= measure.codomain.upper
    rows = [
        *np.repeat(scores.values, scores.positives),
        *np.repeat(scores.values, scores.negatives),
    ]
    again = RankedScores.of([1] * rate.positives + [0] * rate.negatives, rows)
    assert _score(key, again) == (low, high)
    scale = SCORES.baseline(rate, measure).scale
    below, above = _margin(key, scores)
    assert below <= scale.advantage(score, scale.best) <= above


@pytest.mark.parametrize("key", KEYS)
def test_the_same_score_for_everyone_is_no_certainty(key: str) -> None:
    """Nobody knows what other rows would have: at least one end is elsewhere."""
    scores = RankedScores.of([1] * 5 + [0] * 15, [0.25] * 20)
    low, high = _score(key, scores)
    assert low < high
    below, above = _margin(key, scores)
    assert below <= 0 <= above


@pytest.mark.parametrize("key", ["Brier", "spherical", "D2 Brier"])
def test_rows_that_all_lose_nothing_have_a_spare_one(key: str) -> None:
    """Of a loss with an end, a perfect score of 30 rows is as sure as a share of 30 of 30."""
    truth = np.arange(30) % 2
    low, high = _score(key, RankedScores.of(truth, truth.astype(float)))
    worst = 1 - betaincinv(30, 1, ALPHA / 2)
    if key == "Brier":
        assert (low, high) == (0.0, pytest.approx(worst, rel=0.05))
    else:
        assert 1 - 8 * worst < low < high == 1


@pytest.mark.parametrize("classes", [[1], [0, 1], [1] * 9])
def test_no_interval_without_a_score_or_of_two_rows(classes: list[int]) -> None:
    """With one class, an area has no score; and two rows say nothing of others."""
    scores = RankedScores.of(classes, np.arange(len(classes)) / 10, 1)
    assert all(map(math.isnan, _score("AUC", scores)))


@pytest.mark.parametrize(("positives", "negatives"), [(3, 27), (10, 90), (40, 8), (500, 500)])
def test_perfect_separation_is_a_rate(positives: int, negatives: int) -> None:
    """Without an error, the rarer class decides, as in the interval of Clopper and Pearson."""
    scores = RankedScores.of([0] * negatives + [1] * positives, range(positives + negatives))
    low, high = _score("AUC", scores)
    fewest = min(positives, negatives)
    assert low == pytest.approx(betaincinv(fewest, 1, ALPHA / 2), abs=0.15 * (1 - low))
    assert high == 1


@pytest.mark.parametrize("key", ["Brier", "log loss", "D2 log loss"])
def test_a_sample_of_rows_has_nearly_the_same_interval(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fifth of the rows knows the spread of all: an end moves by less than 10% of the width."""
    from baserate.kinds.scores import intervals as of_rules

    scores = _scores(4, 10_000)
    every = (_score(key, scores), _margin(key, scores))
    monkeypatch.setattr(of_rules, "_MOST_CELLS", 2_000)
    for one, other in zip(every, (_score(key, scores), _margin(key, scores)), strict=True):
        assert np.abs(np.subtract(one, other)).max() < 0.1 * np.ptp(one)


CORNERS = [
    # measure, observations, share of positives, area, by what logits are multiplied
    ("AUC", 40, 0.3, 0.97, 1.0),
    ("AP", 100, 0.1, 0.8, 1.0),
    ("Brier", 60, 0.3, 0.8, 2.5),
    ("log loss", 60, 0.3, 0.8, 2.5),
    ("precision@5", 60, 0.2, 0.8, 1.0),
]


@pytest.mark.parametrize(("key", "total", "share", "area", "steep"), CORNERS)
def test_ends_of_margins_are_seldom_wrong(
    key: str, total: int, share: float, area: float, steep: float
) -> None:
    """About alpha / 2 of lower ends are above the margin that test sets have on average."""
    rng, apart = np.random.default_rng(total), math.sqrt(2) * float(ndtri(area))
    measure, test_sets = br.get_measure(key), []
    for _ in range(1500):
        truth = rng.random(total) < share
        marks = rng.standard_normal(total) + apart * truth
        logits = steep * (logit(share) + apart * marks - apart**2 / 2)
        test_sets.append(RankedScores.of(truth, expit(logits)))
    scales = [SCORES.baseline(each.test_set, measure).scale for each in test_sets]
    margins = [
        scale.advantage(measure.score(each), scale.best)
        for each, scale in zip(test_sets, scales, strict=True)
    ]
    low, high = np.array([_margin(key, each) for each in test_sets[:60]]).T
    allowed = binom.ppf(0.999, 60, ALPHA / 2)
    assert np.count_nonzero(low > np.mean(margins)) <= allowed
    assert np.count_nonzero(high < np.mean(margins)) <= allowed
