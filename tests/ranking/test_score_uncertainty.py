"""How sure a score and its margin are: their limits hold what they say, also at the edges."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.special import betaincinv, expit, logit, ndtri
from scipy.stats import binom

import baserate as br
import exact_scores
from baserate.ranking.measures import area
from baserate.ranking.plausible import coarse, limits, many, sample
from baserate.ranking.plausible.baselines import baselines
from baserate.ranking.plausible.sample import Counts
from baserate.ranking.scores import Scores
from baserate.ranking.uncertainty import limits_of_margin, limits_of_score
from score_definitions import AP, AUC, BRIER, EVERY, LOG_LOSS, TOP, one_by_one

ALPHA = 0.05


def _scores(seed: int, total: int, share: float = 0.3, apart: float = 1.0) -> Scores:
    rng = np.random.default_rng(seed)
    truth = rng.random(total) < share
    truth[:2] = True, False
    return Scores.of(truth, expit(rng.standard_normal(total) + apart * truth - 1))


def _margin(measure: Any, scores: Scores, alpha: float = ALPHA) -> tuple[float, float]:
    return limits_of_margin(measure, scores, measure.yardstick(scores.test_set), alpha)


@pytest.mark.parametrize("total", [5, 8])
def test_many_test_sets_have_the_scores_of_the_definitions(total: int) -> None:
    """The functions that score many test sets at once agree with fractions, row by row."""
    rng = np.random.default_rng(total)
    definitions = {
        AUC: exact_scores.auc,
        AP: exact_scores.average_precision,
        TOP: lambda truth, scores: exact_scores.positives_in_top(truth, scores, 5) / 5,
        BRIER: exact_scores.brier,
    }
    for _ in range(40):
        truth = [1, 0, *rng.integers(0, 2, total - 2).tolist()]
        marks = [Fraction(int(each), 4) for each in rng.integers(0, 5, total)]
        values = np.array([1.0, 0.75, 0.5, 0.25, 0.0])
        positives, negatives = np.zeros((2, 2, 5))  # two test sets that are the same
        for is_positive, mark in zip(truth, marks, strict=True):
            (positives if is_positive else negatives)[:, 4 - int(4 * mark)] += 1
        counts = Counts(values, positives, negatives)
        for measure, definition in definitions.items():
            expected = float(definition(truth, marks))
            assert measure.many(counts).tolist() == pytest.approx([expected] * 2, rel=1e-13)


def test_the_area_of_many_test_sets_is_the_measures() -> None:
    """The area is the kernel's, with parts of observations too."""
    rng = np.random.default_rng(3)
    counts = rng.exponential(size=(2, 20, 7))
    values = np.arange(7.0)[::-1]
    one_each = [area.auc(Scores(values, *each)) for each in counts.swapaxes(0, 1)]
    assert many.areas(Counts(values, *counts)).tolist() == pytest.approx(one_each, rel=1e-13)


@pytest.mark.parametrize("measure", EVERY, ids=str)
@pytest.mark.parametrize("total", [2, 3, 12, 150, 3000])
def test_limits_hold_what_was_observed(measure: Any, total: int) -> None:
    """Limits are finite, around the observed number, within its range, and the same twice."""
    scores = _scores(total, total)
    score, rate = measure.score(scores), scores.test_set
    low, high = limits_of_score(measure, scores, ALPHA)
    assert measure.codomain.lower <= low <= score <= high <= measure.codomain.upper
    assert low < high < math.inf
    again = Scores.of([1] * rate.positives + [0] * rate.negatives, _rows(scores))
    assert limits_of_score(measure, again, ALPHA) == (low, high)
    scale = measure.yardstick(rate).scale
    below, above = _margin(measure, scores)
    assert -math.inf < below <= scale.advantage(score, scale.best) <= above < math.inf


def _rows(scores: Scores) -> list[float]:
    return [
        *np.repeat(scores.values, scores.positives),
        *np.repeat(scores.values, scores.negatives),
    ]


@pytest.mark.parametrize("measure", EVERY, ids=str)
def test_all_scores_equal(measure: Any) -> None:
    """The same score for everyone is no certainty."""
    scores = Scores.of([1] * 5 + [0] * 15, [0.25] * 20)
    low, high = limits_of_score(measure, scores, ALPHA)
    assert low < measure.score(scores) < high
    below, above = _margin(measure, scores)
    assert below <= 0 <= above


@pytest.mark.parametrize("classes", [[1], [0], [1] * 9])
def test_no_limits_without_a_score(classes: list[int]) -> None:
    """Where one class is missing, an area has neither a score nor limits."""
    scores = Scores.of(classes, np.arange(len(classes)) / 10, 1)
    assert all(map(math.isnan, limits_of_score(AUC, scores, ALPHA)))
    of_both = AUC.yardstick(br.BaseRate(positives=1, total=2))
    assert all(map(math.isnan, limits_of_margin(AUC, scores, of_both, ALPHA)))


@pytest.mark.parametrize(("positives", "negatives"), [(3, 27), (10, 90), (40, 8), (500, 500)])
def test_perfect_separation_is_a_rate(positives: int, negatives: int) -> None:
    """Without an error, the rarer class decides, as in the limits of Clopper and Pearson."""
    scores = Scores.of([0] * negatives + [1] * positives, range(positives + negatives))
    low, high = limits_of_score(AUC, scores, ALPHA)
    fewest = min(positives, negatives)
    assert low == pytest.approx(betaincinv(fewest, 1, ALPHA / 2), abs=0.6 * (1 - low) * 0.25)
    assert high == 1


def test_infinite_scores_are_ranked() -> None:
    """Infinite scores are the first and the last, nothing else."""
    truth, finite = [0, 1, 0, 1, 1, 0, 1], [1.0, 2.0, 3.0, 4.0, 5.0, 0.0, 2.5]
    infinite = [-math.inf if each == 0 else math.inf if each == 5 else each for each in finite]
    found = [limits_of_score(AUC, Scores.of(truth, each), ALPHA) for each in (finite, infinite)]
    assert found[0] == found[1]


def test_a_smaller_alpha_is_wider() -> None:
    """The surer, the wider."""
    found = [limits_of_score(AP, _scores(2, 80), alpha) for alpha in (0.5, 0.1, 0.01)]
    assert sorted(low for low, _ in found)[::-1] == [low for low, _ in found]
    assert sorted(high for _, high in found) == [high for _, high in found]


def test_gini_is_the_area_on_another_scale() -> None:
    """Limits are those of the area, twice as far apart."""
    scores = _scores(1, 60)
    low, high = limits_of_score(area.AUC, scores, ALPHA)
    expected = [2 * low - 1, 2 * high - 1]
    assert limits_of_score(area.GINI, scores, ALPHA) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("measure", [AUC, AP, LOG_LOSS], ids=str)
def test_fewer_blocks_have_nearly_the_same_limits(
    measure: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With thousands of different scores, blocks taken together hardly change the limits."""
    scores = _scores(4, 1500, 0.1)
    few = _margin(measure, scores)
    monkeypatch.setattr(sample, "ALONE", replace(coarse.ALONE, most=10**6))
    monkeypatch.setattr(limits, "_MOST_DRAWN", 10**8)
    all_of_them = _margin(replace(measure), Scores.of(*_unfolded(scores)))
    ends = np.array([few, all_of_them])
    assert np.ptp(ends, axis=0).max() < 0.12 * np.ptp(ends[1])


def _unfolded(scores: Scores) -> tuple[list[int], list[float]]:
    rate = scores.test_set
    # A number that is not the same: nothing is taken from what is already known.
    return [1] * rate.positives + [0] * rate.negatives, [x * (1 - 1e-12) for x in _rows(scores)]


@pytest.mark.parametrize("measure", [AP, BRIER], ids=str)
def test_scored_one_by_one_or_at_once(measure: Any) -> None:
    """Without a way to score many test sets at once, limits are nearly the same."""
    scores = _scores(6, 90)
    ends = np.array([_margin(measure, scores), _margin(one_by_one(measure), scores)])
    assert np.ptp(ends, axis=0).max() < 0.12 * np.ptp(ends[0])


@pytest.mark.parametrize("measure", EVERY, ids=str)
@pytest.mark.parametrize(("positives", "total"), [(1, 30), (7, 30), (500, 10_000)])
def test_baselines_between_whole_numbers(measure: Any, positives: int, total: int) -> None:
    """Baselines are those of whole numbers of positives, and between them in between."""
    rate = br.BaseRate(positives=positives, total=total)
    known = baselines(measure, rate)
    expected = measure.yardstick(rate).base.best.value
    assert float(known(np.array([positives]))[0]) == pytest.approx(expected, rel=1e-12)
    near = [
        measure.yardstick(br.BaseRate(positives=positives + step, total=total)).base.best.value
        for step in (0, 1)
    ]
    middle = float(known(np.array([positives + 0.5]))[0])
    assert middle == pytest.approx(sum(near) / 2, rel=2e-3)


CORNERS = [
    # measure, observations, share of positives, area, by what logits are multiplied
    (AUC, 40, 0.3, 0.97, 1.0),
    (AUC, 100, 0.5, 0.8, 1.0),
    (AP, 100, 0.1, 0.8, 1.0),
    (BRIER, 60, 0.3, 0.8, 2.5),
    (LOG_LOSS, 60, 0.3, 0.8, 2.5),
    (TOP, 60, 0.2, 0.8, 1.0),
]


@pytest.mark.parametrize(("measure", "total", "share", "area_", "steep"), CORNERS)
def test_lower_limits_of_margins_are_seldom_wrong(
    measure: Any, total: int, share: float, area_: float, steep: float
) -> None:
    """At most alpha / 2 of lower limits are above the margin that test sets have on average."""
    rng, apart = np.random.default_rng(total), math.sqrt(2) * float(ndtri(area_))
    test_sets = []
    for _ in range(1500):
        truth = rng.random(total) < share
        marks = rng.standard_normal(total) + apart * truth
        logits = steep * (logit(share) + apart * marks - apart**2 / 2)
        test_sets.append(Scores.of(truth, expit(logits)))
    scales = [measure.yardstick(each.test_set).scale for each in test_sets]
    margins = [
        scale.advantage(measure.score(each), scale.best)
        for each, scale in zip(test_sets, scales, strict=True)
    ]
    low, high = np.array([_margin(measure, each) for each in test_sets[:60]]).T
    allowed = binom.ppf(0.999, 60, ALPHA / 2)
    assert np.count_nonzero(low > np.mean(margins)) <= allowed
    assert np.count_nonzero(high < np.mean(margins)) <= allowed


def _cleared(total: int, models: int, levels: int | None) -> int:
    """Return how many of some coin flips clear the baseline."""
    rng = np.random.default_rng(9)
    cleared = 0
    for _ in range(models // 20):
        truth = [1, 0, *(rng.random(total - 2) < 0.4)]
        shape = 20, total
        drawn = rng.random(shape) if levels is None else rng.integers(0, levels, shape)
        coins = {f"coin {place}": each for place, each in enumerate(drawn)}
        report = br.evaluate(truth, coins, "AUC")
        cleared += sum(verdict.outcome == "clears" for verdict in report.verdicts)
    return cleared


@pytest.mark.parametrize("levels", [None, 3])
def test_coin_flips_clear_at_most_alpha(levels: int | None) -> None:
    """Scores that are independent of the truth seldom clear the baseline."""
    assert _cleared(20, 40, levels) <= binom.ppf(0.999, 40, ALPHA)


@pytest.mark.exhaustive
@pytest.mark.parametrize("levels", [None, 3])
def test_many_coin_flips_clear_at_most_alpha(levels: int | None) -> None:
    """The same, four hundred times."""
    assert _cleared(24, 400, levels) <= binom.ppf(0.999, 400, ALPHA)
