"""Swaps of two models by areas under ROC curves of several classes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import rankdata

import baserate as br

RNG = np.random.default_rng(20_261_118)
TRUTH = np.array([0, 1, 2, 0, 1, 2, 0, 1])
AVERAGES = ("roc_auc_ovr", "roc_auc_ovr_weighted", "roc_auc_ovo", "roc_auc_ovo_weighted")


def _of_two(positives: np.ndarray, negatives: np.ndarray) -> float:
    """Return the share of pairs in order; ties are half."""
    gaps = positives[:, np.newaxis] - negatives
    return float(np.mean((gaps > 0) + (gaps == 0) / 2))


def _area(ranks: np.ndarray, name: str) -> float:
    """Return the average over the classes, or over the pairs of them."""
    areas, weights = [], []
    for one, other in product(range(3), [0, 1, 2] if "ovo" in name else [None]):
        if one != other:
            negatives = one != TRUTH if other is None else other == TRUTH
            areas.append(_of_two(ranks[one == TRUTH, one], ranks[negatives, one]))
            weights.append(np.mean(one == TRUTH) + np.mean(other == TRUTH))
    return float(np.average(areas, weights=weights if "weighted" in name else None))


@pytest.mark.parametrize("name", AVERAGES)
@pytest.mark.parametrize("clusters", [None, [0, 0, 1, 2, 2, 3, 4, 4]])
def test_p_values_are_those_of_all_swaps(name: str, clusters: list[int] | None) -> None:
    """Ranks are swapped in every way, and areas computed again."""
    models = [RNG.integers(1, 6, (TRUTH.size, 3)) / 10 for _ in range(2)]
    models[0][np.arange(TRUTH.size), TRUTH] += 0.35
    first, second = (np.apply_along_axis(rankdata, 0, each) for each in models)
    codes = np.arange(TRUTH.size) if clusters is None else np.array(clusters)
    gaps = []
    for coins in product([False, True], repeat=codes.max() + 1):
        turned = np.array(coins)[codes][:, np.newaxis]
        one, other = np.where(turned, second, first), np.where(turned, first, second)
        gaps.append(_area(one, name) - _area(other, name))
    scored = [br.get_measure(name).score(br.ClassProbabilities.of(TRUTH, each)) for each in models]
    assert gaps[0] == pytest.approx(scored[0] - scored[1])
    expected = np.mean(np.abs(gaps) >= abs(gaps[0]) - 1e-12)
    named = {"first": models[0], "second": models[1]}
    (found,) = br.compare(TRUTH, named, [name], clusters=clusters)
    assert found.p_value == pytest.approx(expected, rel=1e-9)
    assert found.exact


def test_useless_models_do_not_differ() -> None:
    """Of two models that know nothing, one is called better at most as often as alpha says."""
    claims = 0
    for _ in range(120):
        truth = RNG.integers(0, 3, 40)
        models = {name: RNG.dirichlet(np.ones(3), 40) for name in "ab"}
        (found,) = br.compare(truth, models, ["roc_auc_ovr"])
        claims += found.p_value < 0.05
    assert claims <= 12  # a level of 5% has more in 1 of 100 runs
