"""The bars of a distribution, compared with all ways to deal a deck."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from baserate.core.direction import Direction
from baserate.multiclass.law.histogram import class_histogram
from baserate.multiclass.law.score_law import law_of
from baserate.multiclass.matrix import ConfusionMatrix
from baserate.multiclass.measures.catalogue import CLASS_MEASURES

NAMES = ["accuracy", "Hamming loss", "MCC", "micro Jaccard", "macro F1", "quadratic kappa"]


def _all_scores(
    name: str, n: tuple[int, ...], m: tuple[int, ...]
) -> tuple[Counter[float], set[float]]:
    """Return how many of all ways to deal the deck have each score, rounded; and all scores."""
    truth, deck = np.repeat(np.arange(len(n)), n), np.repeat(np.arange(len(m)), m)
    found: Counter[float] = Counter()
    scores = set()
    for dealt in permutations(deck.tolist()):
        table = np.zeros((len(n), len(n)), dtype=int)
        np.add.at(table, (truth, list(dealt)), 1)
        score = CLASS_MEASURES[name].score(ConfusionMatrix(table))
        scores.add(score)
        found[round(score, 9)] += 1
    return found, scores


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("n", "m"), [((3, 2, 1), (2, 2, 2)), ((4, 2), (3, 3))])
def test_there_is_a_bar_for_every_score(name: str, n: Any, m: Any) -> None:
    """With its probability, of all ways to deal the deck; what is as good is reached."""
    found, scores = _all_scores(name, n, m)
    total, measure = sum(found.values()), CLASS_MEASURES[name]
    for score in scores:
        bars = class_histogram(law_of(measure, n, m), score)
        drawn = {
            round(place, 9): mass
            for place, mass in zip(bars.scores.tolist(), bars.probabilities.tolist(), strict=True)
            if mass
        }
        assert drawn == pytest.approx({each: ways / total for each, ways in found.items()})
        sign = 1 if measure.direction is Direction.MAXIMIZE else -1
        good = sum(ways for each, ways in found.items() if sign * (each - score) > -1e-8) / total
        assert bars.reached == pytest.approx(good)
        assert bars.probabilities[bars.is_reached].sum() == pytest.approx(good)


@pytest.mark.parametrize("name", [*NAMES, "weighted F1", "G-mean"])
def test_many_scores_share_bars(name: str) -> None:
    """Bars are few, ascending, sum to 1, and are divided at the model's score."""
    measure = CLASS_MEASURES[name]
    law = law_of(measure, (2100, 600, 300), (1800, 900, 300))
    low, high = law.interval(0.6)
    for score in (low, high):
        bars = class_histogram(law, score)
        assert 20 < bars.scores.size <= 125
        assert (np.diff(bars.scores) > 0).all()
        assert bars.probabilities.sum() == pytest.approx(1)
        reached = bars.probabilities[bars.is_reached].sum()
        assert reached == pytest.approx(law.tail(score, measure.direction), rel=0.02)
        # No comb: bars next to each other are about as high as each other.
        top = bars.probabilities > bars.probabilities.max() / 2
        inside = bars.probabilities[top]
        assert (abs(np.diff(inside)) < 0.25 * inside.max()).all()


def test_a_score_that_cannot_vary_is_one_bar() -> None:
    """A model that predicts one class always has the same score."""
    for name in NAMES[:-1]:
        for n in ((70, 20, 10), (70_000, 20_000, 10_000)):
            law = law_of(CLASS_MEASURES[name], n, (sum(n), 0, 0))
            bars = class_histogram(law, law.mean())
            assert bars.probabilities.tolist() == [1]
            assert bars.is_reached.all()


def test_without_a_model() -> None:
    """Nothing is reached."""
    bars = class_histogram(law_of(CLASS_MEASURES["accuracy"], (7, 2, 1), (5, 3, 2)))
    assert not bars.is_reached.any()
    assert bars.reached == 0
