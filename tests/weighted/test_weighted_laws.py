"""The law of a weighted score over all draws of a size, against every draw of units."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

import exact
import exact_weighted as oracle
from baserate.core.direction import Direction
from baserate.exceptions import UndefinedMeasureError
from baserate.weighted.labels import WeightedLabels
from baserate.weighted.law import listed as listing
from baserate.weighted.law import score_law
from baserate.weighted.law.cells import Moments
from baserate.weighted.law.sampled import joined
from baserate.weighted.law.score_law import SampledLaw, law_of
from weighted_cases import cases, weighted

if TYPE_CHECKING:
    from collections.abc import Iterator

LEVELS = (Fraction(1, 40), Fraction(1, 3), Fraction(39, 40))


@pytest.mark.parametrize("key", exact.DEFINITIONS)
def test_laws_are_those_of_all_draws(key: str) -> None:
    """Mean, variance, tails and quantiles equal those of every subset of the units."""
    checked = 0
    for case in cases(12, 8, seed=1):
        labels, measure = case.labels, weighted(key)
        drawn = sum(case.first)
        expected = oracle.law(key, case.truth, case.weights, drawn)
        if expected is None:
            with pytest.raises(UndefinedMeasureError):
                law_of(measure, labels.test_set, drawn)
            continue
        law = law_of(measure, labels.test_set, drawn)
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


@pytest.fixture
def _not_listed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing is listed, as on large test sets."""
    monkeypatch.setattr(listing, "_MOST", 0)
    listing.listed.cache_clear()
    score_law.law_of.cache_clear()
    yield
    listing.listed.cache_clear()
    score_law.law_of.cache_clear()


@pytest.mark.usefixtures("_not_listed")
@pytest.mark.parametrize("key", exact.DEFINITIONS)
def test_laws_of_large_test_sets_agree_with_all_draws(key: str) -> None:
    """Sums over what is dealt, and random draws, give the same numbers as a list of all draws."""
    for case in cases(4, 9, seed=2):
        labels, measure = case.labels, weighted(key)
        drawn = sum(case.first)
        expected = oracle.law(key, case.truth, case.weights, drawn)
        if expected is None:
            continue
        law = law_of(measure, labels.test_set, drawn)
        score, _ = measure.score_or_reason(labels)
        exact_score = exact.DEFINITIONS[key](*oracle.counted(case.truth, case.first, case.weights))
        tail = float(oracle.tail(expected, exact_score, upper=True))
        close = 1e-12 if law.exact else 0.02  # four standard errors of 9,999 draws
        assert law.tail(score, Direction.MAXIMIZE) == pytest.approx(tail, abs=close)
        assert law.mean() == pytest.approx(float(exact.mean(expected)), abs=0.003 * max(score, 1))


def test_means_and_variances_have_closed_forms() -> None:
    """The weights of true and false positives have the moments of sampling units."""
    for case in cases(5, 8, seed=3):
        for drawn in range(len(case.truth) + 1):
            tables = oracle.tables(case.truth, case.weights, drawn)
            found = Moments.of(case.labels.test_set, np.array([float(drawn)]))
            means = [sum(table[at] * mass for table, mass in tables.items()) for at in (0, 1)]
            products = {
                (a, b): sum(
                    (table[a] - means[a]) * (table[b] - means[b]) * mass
                    for table, mass in tables.items()
                )
                for a, b in ((0, 0), (1, 1), (0, 1))
            }
            assert found.tp[0] == pytest.approx(float(means[0]))
            assert found.fp[0] == pytest.approx(float(means[1]))
            assert found.tp_variance[0] == pytest.approx(float(products[0, 0]), abs=1e-12)
            assert found.fp_variance[0] == pytest.approx(float(products[1, 1]), abs=1e-12)
            assert found.covariance[0] == pytest.approx(float(products[0, 1]), abs=1e-12)


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
    law = law_of(measure, labels.test_set, int(said.sum()))
    error = 4 * math.sqrt(share * (1 - share) / 4_000) + 1e-3
    assert law.tail(score, Direction.MAXIMIZE) == pytest.approx(share, abs=error)
    assert law.method in ("saddlepoint", "simulation")
    assert 0 < law.error < 0.08
    if type(law) is SampledLaw:  # the standard error of 5%, relative to it
        assert law.error == pytest.approx(math.sqrt(0.05 * 0.95 / law.scores.size) / 0.05)
    assert not law.exact


def test_one_or_no_observation_chosen_is_exact() -> None:
    """With one positive prediction, or all but one, every draw is counted on any test set."""
    rng = np.random.default_rng(5)
    truth, weights = rng.random(50) < 0.4, rng.lognormal(0, 1, 50)
    base = WeightedLabels.of_rows(truth, truth, weights).test_set
    one = law_of(weighted("PPV"), base, 1)
    assert one.exact
    assert one.mean() == pytest.approx(truth.mean())
    left = law_of(weighted("NPV"), base, 49)
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
    law = law_of(weighted("ACC"), WeightedLabels.of_rows(truth, truth, weights).test_set, drawn)
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
