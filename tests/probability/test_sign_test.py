"""Swapping two models row by row: against all swaps."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from baserate.probability.several import signs
from baserate.probability.several.joint import JointProbabilities
from baserate.probability.several.measures import RULE_MEASURES
from baserate.probability.several.signs import sign_test
from baserate.probability.several.task import CLASS_PROBABILITIES

RNG = np.random.default_rng(41)


def _all(differences: Any) -> float:
    """The share of all signs with a sum as far from 0."""
    sums = np.zeros(1)
    for each in differences:
        sums = np.concatenate([sums + each, sums - each])
    return float((np.abs(sums) >= abs(np.sum(differences)) - 1e-9).mean())


@pytest.mark.parametrize("size", range(1, 13))
def test_all_signs(size: int) -> None:
    """Few differences are counted, with ties, zeros and counts."""
    for differences in (
        RNG.normal(0.3, 1, size),
        RNG.choice([0.1, -0.2, 0.3, 0.0], size),
        np.full(size, 0.7),
    ):
        values, counts = np.unique(differences, return_counts=True)
        assert sign_test(values, counts) == (pytest.approx(_all(differences)), True)
        assert sign_test(differences, np.ones(size, int))[0] == pytest.approx(_all(differences))
        assert sign_test(-3 * differences, np.ones(size, int))[0] == pytest.approx(
            _all(differences)
        )


@pytest.mark.parametrize("measure", RULE_MEASURES, ids=lambda measure: measure.key)
def test_all_swaps_of_two_models(measure: Any) -> None:
    """The p-value is the share of swaps whose scores differ as much, by definition."""
    truth = np.array([0, 1, 2, 0, 1, 2])
    first, second = RNG.dirichlet([1, 1, 1], (2, 6))
    second[4] = first[4]
    joint = JointProbabilities.of_rows((0, 1, 2), truth, first, second)
    observed = abs(measure.score(joint.second) - measure.score(joint.first))
    found = []
    for swaps in product([False, True], repeat=6):
        one = np.where(np.array(swaps)[:, np.newaxis], second, first)
        other = np.where(np.array(swaps)[:, np.newaxis], first, second)
        pair = JointProbabilities.of_rows((0, 1, 2), truth, one, other)
        found.append(abs(measure.score(pair.second) - measure.score(pair.first)))
    paired = CLASS_PROBABILITIES.paired(joint, 0.05)
    share = np.mean(np.array(found) >= observed - 1e-12)
    assert paired.swap_test(measure) == (pytest.approx(share), True)
    low, high = paired.limits(measure)
    assert low <= measure.score(joint.second) - measure.score(joint.first) <= high
    turned = JointProbabilities.of_rows((0, 1, 2), truth, second, first)
    assert CLASS_PROBABILITIES.paired(turned, 0.05).limits(measure) == pytest.approx((-high, -low))


@pytest.mark.parametrize("kind", ["normal", "skewed", "one sign", "outliers"])
def test_the_approximation(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With 18 differences it is within 5% of all signs, where these are not less than 1 in 1,000.

    Below, it is within 20%: the last few signs are lumps.
    """
    monkeypatch.setattr(signs, "_MOST_SUMS", 2000)
    monkeypatch.setattr(signs, "_FEW", 0)
    for _ in range(8):
        differences = {
            "normal": lambda: RNG.normal(0.3, 1, 18),
            "skewed": lambda: RNG.exponential(size=18) ** 2 * RNG.choice([1, 1, -1], 18),
            "one sign": lambda: np.abs(RNG.normal(0.1, 0.05, 18)),
            "outliers": lambda: RNG.choice([1, 1, 1, 1, 10], 18) * RNG.normal(0.4, 1, 18),
        }[kind]()
        p_value, exact = sign_test(differences, np.ones(18, int))
        share = _all(differences)
        assert not exact
        assert p_value == pytest.approx(share, rel=0.05 if share > 0.001 else 0.2)


def test_many_differences() -> None:
    """Beyond what can be counted it is close to simulated signs."""
    differences = RNG.normal(0.03, 1, 3000) ** 3
    p_value, exact = sign_test(differences, np.ones(3000, int))
    tossed = RNG.choice([-1.0, 1.0], (1000, 3000)) @ differences
    share = np.mean(np.abs(tossed) >= abs(differences.sum()))
    assert not exact
    assert p_value == pytest.approx(share, abs=0.06)


def test_two_sizes_that_occur_often() -> None:
    """They have too many sums to list, and the chance is close to that of two binomial numbers."""
    counts = np.array([900, 1200, 100])
    differences = np.array([1.0, -np.sqrt(2), np.sqrt(2)])
    p_value, exact = sign_test(differences, counts)
    one, other = (np.arange(-size, size + 1, 2) for size in (900, 1300))
    chances = np.outer(*(binom(size, 0.5).pmf(np.arange(size + 1)) for size in (900, 1300)))
    sums = np.abs(one[:, np.newaxis] + np.sqrt(2) * other)
    assert not exact
    assert p_value == pytest.approx(chances[sums >= 1100 * np.sqrt(2) - 900 - 1e-9].sum(), rel=0.01)


def test_models_that_are_alike() -> None:
    """There is no difference, for certain."""
    assert sign_test(np.zeros(3), np.array([5, 1, 10**9])) == (1.0, True)
    assert sign_test(np.array([1.0]), np.array([10**4]))[0] < 1e-300
    assert sign_test(np.array([0.2, -0.2]), np.array([50, 50])) == (pytest.approx(1.0), True)
