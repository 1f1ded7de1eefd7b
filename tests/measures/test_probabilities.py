"""Measures of probabilities of two classes: against definitions, shuffles and scikit-learn."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

import exact_scores as oracle
from baserate.measures.probabilities import TWO_CLASS_MEASURES, parts_of
from baserate.observed.scores import RankedScores

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


MEASURES = {measure.key: measure for measure in TWO_CLASS_MEASURES}


def _base(loss: Callable[..., float], truth: Sequence[int]) -> float:
    share = Fraction(sum(truth), len(truth))
    return loss(truth, [share] * len(truth))


def _log_loss(truth: Sequence[int], scores: Sequence[Fraction]) -> float:
    return oracle.class_log_loss(truth, oracle.of_positive(scores))


# The definitions, by key.
DEFINED: dict[str, Callable[[Sequence[int], Sequence[Fraction]], float]] = {
    "Brier": oracle.brier,
    "log loss": _log_loss,
    "spherical": lambda truth, scores: oracle.class_spherical(truth, oracle.of_positive(scores)),
    "D2 Brier": lambda truth, scores: 1 - oracle.brier(truth, scores) / _base(oracle.brier, truth),
    "D2 log loss": lambda truth, scores: 1 - _log_loss(truth, scores) / _base(_log_loss, truth),
    "ECE": oracle.calibration_error,
}


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


PREDICTED = [Fraction(each, 10) for each in (1, 2, 2, 5, 7, 9)]


@pytest.mark.parametrize("truth", list(product([0, 1], repeat=len(PREDICTED))))
def test_all_truths_of_a_deck(truth: tuple[int, ...]) -> None:
    """Every part is that of the definition, in fractions and in logarithms."""
    best = _pooled(list(truth), PREDICTED)
    share = [Fraction(sum(truth), len(truth))] * len(truth)
    scores = RankedScores.of([bool(t) for t in truth], [float(each) for each in PREDICTED], True)
    for key, loss in (("Brier", oracle.brier), ("log loss", _certain_log_loss)):
        parts = parts_of(MEASURES[key].rule, scores)
        score, least, free = (float(loss(truth, each)) for each in (PREDICTED, best, share))
        expected = [score, score - least, free - least, free]
        found = [parts.score, parts.miscalibration, parts.discrimination, parts.uncertainty]
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-14)


def _certain_log_loss(truth: Any, scores: Any) -> Any:
    """Log loss where certainty that is right costs nothing."""
    rows = [
        (1, 1) if (t, p) in ((0, 0), (1, 1)) else (1 - p, p)
        for t, p in zip(truth, scores, strict=True)
    ]
    return oracle.class_log_loss(truth, rows)
