"""Confidence intervals of rankings and of probabilities of two classes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import betaincinv, expit, logit, ndtri
from scipy.stats import binom

import baserate as br
from baserate.kinds.scores import intervals
from baserate.kinds.scores.task import SCORES
from baserate.observed import score_pairs as blocks
from baserate.observed.score_pairs import JointScores
from baserate.observed.scores import Counts, RankedScores

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
    baseline = br.get_measure(key).baseline(scores.test_set)
    return SCORES.uncertainty(scores, alpha).margin(baseline.measure, baseline)


def _difference(key: str, truth: Any, first: Any, second: Any) -> tuple[float, float]:
    one, other = (np.asarray(each, dtype=float) for each in (first, second))
    joint = JointScores.of_rows(np.array(truth, dtype=bool), one, other)
    return SCORES.paired(joint, ALPHA).limits(br.get_measure(key))


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
    scale = measure.baseline(rate).scale
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


def test_rows_that_all_lose_the_same_have_no_interval_of_a_loss_without_end() -> None:
    """Log loss of a coin: nothing is known of what another row would lose."""
    coin = RankedScores.of(np.arange(30) % 2, np.full(30, 0.5))
    assert all(map(math.isnan, _score("log loss", coin)))


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


def test_infinite_scores_are_ranked() -> None:
    """Infinite scores are the first and the last, nothing else."""
    truth, finite = [0, 1, 0, 1, 1, 0, 1], [1.0, 2.0, 3.0, 4.0, 5.0, 0.0, 2.5]
    infinite = [-math.inf if each == 0 else math.inf if each == 5 else each for each in finite]
    found = [_score("AUC", RankedScores.of(truth, each)) for each in (finite, infinite)]
    assert found[0] == found[1]


def test_a_smaller_alpha_is_wider() -> None:
    """The surer, the wider."""
    found = [_score("AP", _scores(2, 80), alpha) for alpha in (0.5, 0.1, 0.01)]
    assert sorted(low for low, _ in found)[::-1] == [low for low, _ in found]
    assert sorted(high for _, high in found) == [high for _, high in found]


def test_gini_is_the_area_on_another_scale() -> None:
    """Its interval is twice as wide."""
    low, high = _score("AUC", _scores(1, 60))
    assert _score("Gini", _scores(1, 60)) == pytest.approx([2 * low - 1, 2 * high - 1], abs=1e-12)


@pytest.mark.parametrize("key", ["AUC", "AP", "NDCG", "precision@10"])
def test_fewer_blocks_have_nearly_the_same_interval(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 1,500 different scores, blocks taken together move an end by at most 5% of the width."""
    scores = _scores(4, 1500, 0.1)
    few = _score(key, scores)
    monkeypatch.setattr(intervals, "ALONE", blocks.Fineness(10**6, 0, 1.0, 0))
    ends = np.array([few, _score(key, scores)])
    assert np.ptp(ends, axis=0).max() < 0.05 * np.ptp(ends[1])


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


def test_one_test_set_and_many_have_the_same_scores() -> None:
    """Areas and average precisions have a quicker way for one, with parts of rows too."""
    rng = np.random.default_rng(3)
    counts = rng.exponential(size=(2, 20, 7)) * (rng.random((2, 20, 7)) < 0.8)
    values = np.arange(7.0)[::-1]
    for key in ("AUC", "Gini", "AP"):
        measure = br.get_measure(key)
        one_each = [measure.kernel(RankedScores(values, *each)) for each in counts.swapaxes(0, 1)]
        assert measure.many(Counts(values, *counts)) == pytest.approx(one_each, rel=1e-12)


@pytest.mark.parametrize("key", ["AP", "NDCG", "precision@3", "AUC@0.2"])
@pytest.mark.parametrize(("positives", "total"), [(1, 30), (7, 30), (500, 10_000)])
def test_baselines_between_whole_numbers(key: str, positives: int, total: int) -> None:
    """Baselines are those of whole numbers of positives, and between them in between."""
    measure, rate = br.get_measure(key), br.BaseRate(positives=positives, total=total)
    known = intervals.baselines(measure, rate)
    assert known is not None
    near = [
        measure.baseline(br.BaseRate(positives=positives + step, total=total)).best.value
        for step in (0, 1)
    ]
    found = known(np.array([positives, positives + 0.5]))
    assert found == pytest.approx([near[0], sum(near) / 2], rel=2e-3)


@pytest.mark.parametrize("key", ["AUC", "Gini", "ECE"])
def test_baselines_that_are_the_same_everywhere(key: str) -> None:
    """The margin is then the score, less a number."""
    rate = br.BaseRate(positives=7, total=30)
    assert intervals.baselines(br.get_measure(key), rate) is None


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
    scales = [measure.baseline(each.test_set).scale for each in test_sets]
    margins = [
        scale.advantage(measure.score(each), scale.best)
        for each, scale in zip(test_sets, scales, strict=True)
    ]
    low, high = np.array([_margin(key, each) for each in test_sets[:60]]).T
    allowed = binom.ppf(0.999, 60, ALPHA / 2)
    assert np.count_nonzero(low > np.mean(margins)) <= allowed
    assert np.count_nonzero(high < np.mean(margins)) <= allowed


def test_a_good_model_of_sixty_rows_clears_log_loss() -> None:
    """A calibrated model with strong signal is told from the base rate most of the time."""
    rng, cleared = np.random.default_rng(12), 0
    for _ in range(40):
        logits = rng.normal(0, 3, 60)
        truth = rng.random(60) < expit(logits)
        cleared += _margin("log loss", RankedScores.of(truth, expit(logits)))[0] > 0
    assert cleared >= 34


@pytest.mark.parametrize("levels", [None, 3])
def test_coin_flips_clear_at_most_alpha(levels: int | None) -> None:
    """Scores that are independent of the truth seldom clear the baseline."""
    rng, cleared = np.random.default_rng(9), 0
    for _ in range(2):
        truth = [1, 0, *(rng.random(18) < 0.4)]
        drawn = rng.random((20, 20)) if levels is None else rng.integers(0, levels, (20, 20))
        coins = {f"coin {place}": each for place, each in enumerate(drawn)}
        report = br.evaluate(truth, coins, "AUC")
        cleared += sum(verdict.outcome == "clears" for verdict in report.verdicts)
    assert cleared <= binom.ppf(0.999, 40, ALPHA)


# Two models.


@pytest.mark.parametrize("key", KEYS)
def test_models_that_say_the_same_do_not_differ(key: str) -> None:
    """The interval of their difference is 0; also if only their scales differ, of rankings."""
    rng = np.random.default_rng(1)
    truth, scores = rng.random(60) < 0.3, rng.random(60)
    assert _difference(key, truth, scores, scores) == (0, 0)
    if not br.get_measure(key).probabilities:
        assert _difference(key, truth, scores, 3 * scores) == (0, 0)


def test_no_difference_without_both_classes() -> None:
    """Without a score there is no difference."""
    assert all(map(math.isnan, _difference("AUC", [1, 1, 1], [1, 2, 3], [1, 4, 2])))


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("total", [40, 3000])
def test_the_order_of_models_does_not_matter(key: str, total: int) -> None:
    """Intervals are mirrored, and hold the difference; a clear one is seen."""
    rng, measure = np.random.default_rng(total), br.get_measure(key)
    truth = np.append([True, False], rng.random(total) < 0.4)
    first, second = (
        expit(skill * (truth - 0.5) + rng.standard_normal(truth.size)) for skill in (0.2, 4)
    )
    low, high = _difference(key, truth, first, second)
    assert _difference(key, truth, second, first) == pytest.approx((-high, -low), rel=1e-9)
    gain = measure.score(RankedScores.of(truth, second)) - measure.score(
        RankedScores.of(truth, first)
    )
    assert low <= gain <= high
    if "@3" not in key and key != "ECE":
        assert low > 0 or high < 0


@pytest.mark.parametrize("key", ["AUC", "AP", "Brier", "log loss"])
def test_models_that_are_alike_seldom_differ(key: str) -> None:
    """If models are exchangeable, 0 is outside in about alpha of test sets."""
    rng, wrong = np.random.default_rng(3), 0
    for place in range(50):
        truth = np.append([True, False], rng.random(28) < 0.4)
        shared = truth + rng.standard_normal(truth.size)
        first, second = expit(shared + 0.7 * rng.standard_normal((2, truth.size)))
        if place % 2:  # ties
            first, second = first.round(1), second.round(1)
        low, high = _difference(key, truth, first, second)
        wrong += low > 0 or high < 0
    assert wrong <= binom.ppf(0.999, 50, ALPHA)
