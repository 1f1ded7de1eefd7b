"""Miscalibration, discrimination and uncertainty."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import exact_scores as oracle
from baserate.exceptions import InvalidMeasureError, InvalidScoresError
from baserate.measures import scoring_rules as rules
from baserate.measures.probabilities import decomposed, parts_of
from baserate.observed.scores import RankedScores
from worked_examples import RULES, example

POWER_LOSS = example(RULES, "POWER_LOSS", rules)
RNG = np.random.default_rng(21)


def _pooled(truth: list[int], scores: list[Fraction]) -> list[Fraction]:
    """Isotonic regression by its definition: the max-min formula, in fractions."""
    values = sorted(set(scores))
    rows = [[t for t, score in zip(truth, scores, strict=True) if score == v] for v in values]

    def mean(first: int, last: int) -> Fraction:
        chosen = [t for row in rows[first : last + 1] for t in row]
        return Fraction(sum(chosen), len(chosen))

    def fitted(place: int) -> Fraction:
        lows, highs = range(place + 1), range(place, len(values))
        return max(min(mean(low, high) for high in highs) for low in lows)

    return [fitted(values.index(score)) for score in scores]


DECK = [Fraction(each, 10) for each in (1, 2, 2, 5, 7, 9)]


@pytest.mark.parametrize("truth", list(product([0, 1], repeat=len(DECK))))
def test_all_truths_of_a_deck(truth: tuple[int, ...]) -> None:
    """Every part is that of the definition, in fractions and in logarithms."""
    best = _pooled(list(truth), DECK)
    share = [Fraction(sum(truth), len(truth))] * len(truth)
    scores = RankedScores.of([bool(t) for t in truth], [float(each) for each in DECK], True)
    for key, loss in (("Brier", oracle.brier), ("log loss", _log_loss)):
        parts = decomposed(scores, key)
        score, least, free = (float(loss(truth, each)) for each in (DECK, best, share))
        expected = [score, score - least, free - least, free]
        found = [parts.score, parts.miscalibration, parts.discrimination, parts.uncertainty]
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-14)


def _log_loss(truth: Any, scores: Any) -> Any:
    """Log loss where certainty that is right costs nothing."""
    rows = [
        (1, 1) if (t, p) in ((0, 0), (1, 1)) else (1 - p, p)
        for t, p in zip(truth, scores, strict=True)
    ]
    return oracle.class_log_loss(truth, rows)


@pytest.mark.parametrize("key", ["Brier", "log loss"])
def test_the_parts_add_up(key: str) -> None:
    """Their sum is the score, none is negative, and calibrated scores gain little."""
    scores = RNG.uniform(size=20_000)
    parts = decomposed(RankedScores.of(RNG.uniform(size=scores.size) < scores, scores, True), key)
    total = parts.miscalibration - parts.discrimination + parts.uncertainty
    assert total == pytest.approx(parts.score)
    assert 0 < parts.miscalibration < 0.01
    assert parts.discrimination > 0.05


def test_other_measures_are_not_decomposed() -> None:
    """An error says which are."""
    with pytest.raises(InvalidMeasureError, match="'Brier', 'log loss'"):
        decomposed(RankedScores.of([0, 1], [0.1, 0.2]), "AUC")
    with pytest.raises(InvalidScoresError, match="probabilities"):
        decomposed(RankedScores.of([0, 1], [0.1, 2]))


def test_a_loss_of_one_s_own() -> None:
    """Any proper loss has parts, which add up, and uncertainty is what the base rate has."""
    scores = RankedScores.of([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.2, 0.6, 0.9, 0.9])
    parts = parts_of(POWER_LOSS, scores)
    assert sum(part for _, part in parts.terms) == pytest.approx(parts.score)
    assert parts.uncertainty == pytest.approx(1 - 2 * 0.5**1.5)
    assert min(parts.miscalibration, parts.discrimination) > 0
