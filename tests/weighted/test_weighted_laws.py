"""The null distribution of a weighted score, against every draw of units."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import baserate as br
import exact
import exact_weighted as oracle
from baserate.core.measure import Direction
from baserate.exceptions import UndefinedMeasureError
from baserate.kinds.weighted.null import null_of
from baserate.observed.weighted import WeightedLabels, joined
from weighted_cases import cases, weighted

LEVELS = (Fraction(1, 40), Fraction(1, 3), Fraction(39, 40))


@pytest.mark.parametrize("key", exact.DEFINITIONS)
def test_laws_are_those_of_all_draws(key: str) -> None:
    """Mean, variance, tails and quantiles equal those of every subset of the units."""
    checked = 0
    for case in cases(12, 8, seed=1):
        labels, measure = case.labels, weighted(key)
        drawn = sum(case.first)
        expected = oracle.null(key, case.truth, case.weights, drawn)
        if expected is None:
            with pytest.raises(UndefinedMeasureError):
                null_of(measure, labels.test_set, drawn)
            continue
        law = null_of(measure, labels.test_set, drawn)
        score, _ = measure.score_or_reason(labels)
        cells = oracle.counted(case.truth, case.first, case.weights)
        exact_score = exact.DEFINITIONS[key](*cells)
        assert score == pytest.approx(exact.as_float(exact_score), rel=1e-14)
        assert law.mean() == pytest.approx(float(exact.mean(expected)), abs=1e-13)
        assert law.var() == pytest.approx(float(exact.variance(expected)), abs=1e-12)
        for direction, upper in ((Direction.MAXIMIZE, True), (Direction.MINIMIZE, False)):
            tail = oracle.tail(expected, exact_score, upper=upper)
            assert law.tail(score, direction) == pytest.approx(float(tail), abs=1e-13)
        for level in LEVELS:
            quantile = float(oracle.quantile(expected, level))
            assert law.ppf(float(level)) == pytest.approx(quantile, abs=1e-12)
        assert law.exact
        checked += 1
    assert checked >= 6


@pytest.mark.parametrize("key", ["ACC", "F1", "MCC"])
def test_p_values_are_those_of_all_shuffles(key: str) -> None:
    """Through the front door, with weights of 100 : 1, whose sums tie but for rounding."""
    definition = exact.DEFINITIONS[key]
    for seed in range(6):
        rng = np.random.default_rng(seed)
        truth, said = ((1, 0, *rng.integers(0, 2, 7).tolist()) for _ in range(2))
        weights = tuple(Fraction(int(each), 10) for each in rng.choice([1, 3, 10, 1000], 9))
        floats = [float(each) for each in weights]
        (verdict,) = br.evaluate(truth, said, key, sample_weight=floats, weights="importance")
        law = oracle.null(key, truth, weights, int(sum(said)))
        assert law is not None
        wanted = oracle.tail(law, definition(*oracle.counted(truth, said, weights)), upper=True)
        assert verdict.p_value == pytest.approx(float(wanted), rel=1e-12)


@pytest.mark.parametrize("key", ["F1", "MCC"])
def test_permutations_keep_ties_together(key: str) -> None:
    """Draws of 100 : 1 with the observed score are as good, in whatever order weights are added."""
    truth, weights = np.arange(60) % 2 == 0, np.where(np.arange(60) % 3 == 0, 30.1, 0.301)
    weights = weights * np.where(np.arange(60) < 40, 1.0, 1.7)
    labels = WeightedLabels.of_rows(truth, truth, weights)
    null = null_of(weighted(key), labels.test_set, 30)
    assert null.method == "permutations"
    drawn = np.unique(null.first(999))  # type: ignore[attr-defined]
    for score in drawn[::100].tolist():
        for near in (score - 1e-14, score + 1e-14):
            assert null.sf(near) == null.sf(score)
            assert null.cdf(near) == null.cdf(score)


@pytest.mark.parametrize("key", ["ACC", "PPV", "F1", "MCC", "KAPPA"])
def test_p_values_of_many_observations_agree_with_shuffles(key: str) -> None:
    """The tail is that of shuffled predictions, within what 4,000 shuffles tell."""
    rng = np.random.default_rng(4)
    truth, weights = rng.random(120) < 0.4, rng.lognormal(0, 1, 120)
    said = np.where(rng.random(120) < 0.58, truth, ~truth)
    measure, labels = weighted(key), WeightedLabels.of_rows(truth, said, weights)
    score, _ = measure.score_or_reason(labels)
    shuffled = rng.permuted(np.tile(said, (4_000, 1)), axis=1)
    cells = [
        (np.where(shuffled == is_said, 1.0, 0.0) * (weights * (truth == is_true))).sum(axis=1)
        for is_said, is_true in ((True, True), (True, False), (False, True), (False, False))
    ]
    share = float((measure.scores(*cells) >= score).mean())
    law = null_of(measure, labels.test_set, int(said.sum()))
    error = 4 * math.sqrt(share * (1 - share) / 4_000) + 1e-3
    assert law.tail(score, Direction.MAXIMIZE) == pytest.approx(share, abs=error)
    assert law.method == ("saddlepoint" if key == "ACC" else "permutations")
    assert 0 < law.error < 0.08


def test_one_or_no_observation_chosen_is_exact() -> None:
    """With one positive prediction, or all but one, every draw is counted on any test set."""
    rng = np.random.default_rng(5)
    truth, weights = rng.random(50) < 0.4, rng.lognormal(0, 1, 50)
    base = WeightedLabels.of_rows(truth, truth, weights).test_set
    one = null_of(weighted("PPV"), base, 1)
    assert one.exact
    assert one.mean() == pytest.approx(truth.mean())
    left = null_of(weighted("NPV"), base, 49)
    assert left.exact
    assert left.mean() == pytest.approx(1 - truth.mean())


def test_joined_weights_have_the_same_sum() -> None:
    """Neighbours are joined; counts and sums stay, and most of the spread."""
    weights = np.sort(np.random.default_rng(6).lognormal(0, 1, 5_000))
    counts = np.ones(5_000, dtype=np.int64)
    sizes, values = joined(weights, counts)
    assert sizes.size <= 500
    assert sizes.sum() == 5_000
    assert sizes @ values == pytest.approx(weights.sum())
    assert sizes @ values**2 == pytest.approx((weights**2).sum(), rel=1e-3)


@pytest.mark.parametrize(
    ("rows", "drawn", "spread", "method"),
    [(40, 18, 0.5, "exact"), (60, 30, 0.5, "exact"), (60, 30, 1, "saddlepoint")],
)
def test_tails_of_many_observations_agree_with_counting(
    rows: int, drawn: int, spread: float, method: str
) -> None:
    """With whole weights all draws can be counted by their sums, and tails are within 3%."""
    rng = np.random.default_rng(50)
    truth = rng.random(rows) < 0.4
    weights = np.maximum(np.rint(8 * np.exp(spread * rng.normal(size=rows))), 1).astype(int)
    counts = oracle.sums(np.where(truth, weights, -weights).tolist(), drawn)
    law = null_of(weighted("ACC"), WeightedLabels.of_rows(truth, truth, weights).test_set, drawn)
    assert law.method == method
    ordered, every = sorted(counts), math.comb(rows, drawn)
    for level in (0.3, 0.05, 1e-2, 1e-3, 1e-5):
        above, place = 0, len(ordered)
        while above < level * every:
            place -= 1
            above += counts[ordered[place]]
        score = (weights[~truth].sum() + ordered[place]) / weights.sum()
        found = law.tail(float(score), Direction.MAXIMIZE)
        assert found == pytest.approx(above / every, rel=law.error or 1e-10)
