"""Two models by their scores: swapped row by row, and how much they differ."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.special import expit

import exact_scores
from baserate.kinds.scores.intervals import swap_test
from baserate.measures import rankings as area
from baserate.observed.score_pairs import JointScores
from score_definitions import AP, AUC, BRIER, LOG_LOSS, TOP, one_by_one

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ALPHA = 0.05


def _joint(truth: Any, first: Any, second: Any) -> JointScores:
    one, other = (np.array(each, dtype=float) for each in (first, second))
    return JointScores.of_rows(np.array(truth, dtype=bool), one, other, None)


def _ranks(scores: Sequence[Any]) -> list[Fraction]:
    """The mean rank of each score, by definition."""
    return [
        sum((Fraction((other < each) * 2 + (other == each), 2) for other in scores), Fraction())
        for each in scores
    ]


def _enumerated(score: Callable[..., Fraction], truth: Any, first: Any, second: Any) -> Fraction:
    """The share of all swaps with a difference at least as large."""
    sizes = []
    for swapped in product((False, True), repeat=len(truth)):
        one, other = zip(
            *((b, a) if s else (a, b) for s, a, b in zip(swapped, first, second, strict=True)),
            strict=True,
        )
        sizes.append(abs(score(truth, other) - score(truth, one)))
    return Fraction(sum(each >= sizes[0] for each in sizes), len(sizes))


@pytest.mark.parametrize(
    ("measure", "score"),
    [
        (AUC, exact_scores.auc),
        (area.AUC, exact_scores.auc),
        (AP, exact_scores.average_precision),
        (TOP, lambda truth, scores: exact_scores.positives_in_top(truth, scores, 5) / 5),
    ],
)
@pytest.mark.parametrize("seed", range(6))
def test_ranks_are_swapped(measure: Any, score: Any, seed: int) -> None:
    """With few rows, all swaps of mean ranks are scored: ties within and between models too."""
    rng = np.random.default_rng(seed)
    size = 5 + seed % 3
    truth = [1, 0, *rng.integers(0, 2, size - 2).tolist()]
    levels = 3 if seed % 2 else 50
    first, second = rng.integers(0, levels, (2, size)).tolist()
    expected = _enumerated(score, truth, _ranks(first), _ranks(second))
    # Scales do not matter, and whoever is called first does not.
    p_value, method, _ = swap_test(measure, _joint(truth, first, [10 * each for each in second]))
    assert method == "exact"
    assert p_value == pytest.approx(float(expected), rel=1e-12)
    assert swap_test(measure, _joint(truth, second, first))[0] == pytest.approx(p_value, rel=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_probabilities_are_swapped(seed: int) -> None:
    """A mean over the rows has a sum with random signs, and all of them count."""
    rng = np.random.default_rng(seed)
    truth = [1, 0, *rng.integers(0, 2, 5).tolist()]
    first, second = ([Fraction(int(x), 8) for x in row] for row in rng.integers(0, 9, (2, 7)))
    expected = float(_enumerated(exact_scores.brier, truth, first, second))
    joint = _joint(truth, first, second)
    # Without what a row adds, probabilities themselves are swapped.
    for measure in (BRIER, one_by_one(BRIER)):
        p_value, method, _ = swap_test(measure, joint)
        assert method == "exact"
        assert p_value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("measure", [AUC, LOG_LOSS], ids=str)
def test_nothing_without_both_classes(measure: Any) -> None:
    """Without a score there is no difference."""
    joint = _joint([1, 1, 1], [0.1, 0.2, 0.3], [0.1, 0.4, 0.2])
    assert math.isnan(swap_test(measure, joint)[0])


@pytest.mark.parametrize("measure", [AUC, AP, LOG_LOSS], ids=str)
@pytest.mark.parametrize("total", [40, 400])
def test_the_order_of_models_does_not_matter(measure: Any, total: int) -> None:
    """The p-value is the same, and sees a clear difference."""
    rng = np.random.default_rng(total)
    truth = np.append([True, False], rng.random(total) < 0.4)
    first, second = (
        expit(skill * (truth - 0.5) + rng.standard_normal(truth.size)) for skill in (0.2, 4)
    )
    found = swap_test(measure, _joint(truth, first, second))
    assert swap_test(measure, _joint(truth, second, first)) == found
    assert found[0] < ALPHA
