"""Measures of probabilities of two classes: against definitions, shuffles and scikit-learn."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np
import pytest

import exact_scores as oracle
from baserate.core.measure import Direction
from baserate.exceptions import InvalidScoresError, UndefinedMeasureError
from baserate.measures.probabilities import TWO_CLASS_MEASURES
from baserate.observed.base_rate import BaseRate
from baserate.observed.scores import RankedScores, ScoreLevels
from sklearn import metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from baserate.measures.scores_record import ScoreMeasure

MEASURES = {measure.key: measure for measure in TWO_CLASS_MEASURES}
BOTH = (Direction.MAXIMIZE, Direction.MINIMIZE)
RNG = np.random.default_rng(8)


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
DECKS = [
    [Fraction(each, 20) for each in deck]
    for deck in ([1], [3, 7], [5, 5, 5], [1, 9, 19], [2, 2, 7, 18], [1, 4, 9, 9, 16],
                 [19, 1, 6, 6, 6, 3], [10, 10, 10, 4, 4, 18, 1], [1, 3, 5, 7, 11, 13, 17])
]  # fmt: skip


def test_every_measure_has_a_definition() -> None:
    """None is forgotten."""
    assert list(MEASURES) == list(DEFINED)


@pytest.mark.parametrize(
    "decks", [DECKS[:-1], pytest.param(DECKS[-1:], marks=pytest.mark.exhaustive)]
)
@pytest.mark.parametrize("key", DEFINED)
def test_all_truths(key: str, decks: list[list[Fraction]]) -> None:
    """Score, mean, variance and tails are those of every way to place the positives."""
    measure = MEASURES[key]
    for deck in decks:
        for positives in range(len(deck) + 1):
            rate = BaseRate(positives=positives, total=len(deck))
            if measure.missing(rate):
                continue
            _check_truths(measure, deck, positives)


def _check_truths(measure: ScoreMeasure, deck: list[Fraction], positives: int) -> None:
    found = oracle.null(DEFINED[measure.key], deck, positives)
    rate = BaseRate(positives=positives, total=len(deck))
    law = measure.null(rate, ScoreLevels.of([float(each) for each in deck]))
    assert law.mean() == pytest.approx(float(oracle.mean(found)), rel=1e-12, abs=1e-14)
    if not law.exact:
        return
    assert law.var() == pytest.approx(float(oracle.variance(found)), rel=1e-9, abs=1e-14)
    for truth in oracle.truths(len(deck), positives):
        value = DEFINED[measure.key](truth, deck)
        score = measure.score(
            RankedScores.of([bool(t) for t in truth], [float(p) for p in deck], True)
        )
        assert score == pytest.approx(float(value), rel=1e-12, abs=1e-14)
        tails = law.tails(score, measure.direction)
        expected = [
            float(sum(chance for v, chance in found.items() if _reaches(v, value, way)))
            for way in (measure.direction, measure.direction.opposite)
        ]
        assert [tails.better, tails.worse] == pytest.approx(expected, rel=1e-9)


def _reaches(one: Fraction, other: Fraction, direction: Direction) -> bool:
    """Whether a score is at least as good: numbers of 50 digits are equal up to their last."""
    sign = 1 if direction is Direction.MAXIMIZE else -1
    return (
        sign * (one - other) >= -Fraction(1, 10**30)
        if isinstance(one, Fraction)
        else bool(sign * (one - other) >= -1e-30)
    )


@pytest.mark.parametrize("key", DEFINED)
@pytest.mark.parametrize(
    "total", [1, 2, 3, 4, *(pytest.param(each, marks=pytest.mark.exhaustive) for each in (5, 6))]
)
def test_no_deck_is_better_or_worse(key: str, total: int) -> None:
    """The best and the worst of all decks of a grid are the constants that are said to be."""
    # 0 and 1 are left out: a logarithm has no fraction there; the ends are tested below.
    measure = MEASURES[key]
    for positives in range(total + 1):
        rate = BaseRate(positives=positives, total=total)
        if measure.missing(rate):
            continue
        ends = measure.extremes(rate)
        grid = {Fraction(1, 50), Fraction(1, 4), Fraction(3, 5), Fraction(49, 50)}
        if 0 < positives < total:
            grid.add(Fraction(positives, total))
        decks = combinations_with_replacement(sorted(grid), total if total < 5 else 3)
        for deck in decks:
            cards = [*deck, *([deck[-1]] * (total - len(deck)))]
            mean = float(oracle.mean(oracle.null(DEFINED[key], cards, positives)))
            assert ends.min.value - 1e-12 <= mean <= ends.max.value + 1e-12


@pytest.mark.parametrize("key", DEFINED)
def test_the_extremes_are_attained(key: str) -> None:
    """The base rate for everyone has the best value, and 0 or 1 for everyone the worst."""
    measure = MEASURES[key]
    for positives, total in ((3, 10), (7, 10), (5, 10), (1, 1000)):
        base = measure.baseline(BaseRate(positives=positives, total=total))
        truth = np.repeat([True, False], [positives, total - positives])
        assert base.guesses == "the base rate for everyone"
        same = RankedScores.of(truth, np.full(total, positives / total), True)
        assert measure.score(same) == pytest.approx(base.best.value, rel=1e-12, abs=1e-15)
        words = base.worst.guesses
        assert words.startswith(
            "0 or 1" if 2 * positives == total else str(int(2 * positives < total))
        )
        for end in (0.0, 1.0):
            if str(int(end)) in words:
                score = measure.score(RankedScores.of(truth, np.full(total, end), True))
                assert score == pytest.approx(base.worst.value, rel=1e-12)


def test_the_formulas_of_the_baselines() -> None:
    """π(1−π), H(π), ‖π‖, and nothing."""
    rate = BaseRate(positives=3, total=10)
    best = {key: each.baseline(rate).best.value for key, each in MEASURES.items()}
    assert best == {
        "Brier": pytest.approx(0.21),
        "log loss": pytest.approx(-0.3 * math.log(0.3) - 0.7 * math.log(0.7)),
        "spherical": pytest.approx(math.sqrt(0.58)),
        "D2 Brier": 0,
        "D2 log loss": 0,
        "ECE": 0,
    }


def test_the_expectation_of_a_shuffled_deck() -> None:
    """E Brier = π(1−π) + Var(p) + (p̄−π)²."""
    values = RNG.uniform(size=12)
    law = MEASURES["Brier"].null(BaseRate(positives=5, total=12), ScoreLevels.of(values))
    share = 5 / 12
    expected = share * (1 - share) + values.var() + (values.mean() - share) ** 2
    assert law.mean() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16, np.int64])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_scikit_learn_agrees(kind: type, share: float) -> None:
    """Every score that scikit-learn has, also at 0 and 1, with ties, and for one class."""
    for size in (1, 2, 40, 3000):
        truth = RNG.uniform(size=size) < share
        scores = np.clip(RNG.uniform(-0.2, 1.2, size=size), 0, 1)
        scores[RNG.uniform(size=size) < 0.3] = 0.25
        scores = scores.astype(kind)
        observed = RankedScores.of(truth, scores, True)
        for measure in MEASURES.values():
            if measure.sklearn is None or measure.missing(observed.test_set):
                continue
            options = {"labels": [False, True]} if measure.key == "log loss" else {}
            options |= {"pos_label": True} if measure.key == "Brier" else {}
            function = getattr(metrics, measure.sklearn.function)
            theirs = function(truth, scores, **options)
            # It computes in the type of the scores.
            precision = {np.float16: 4e-3, np.float32: 1e-5}.get(kind, 1e-12)
            assert measure.score(observed) == pytest.approx(
                theirs, rel=precision, abs=precision / 4
            )


def test_weights() -> None:
    """Counts may be any numbers: scikit-learn's sample weights."""
    truth, scores = RNG.integers(0, 2, 30), RNG.uniform(size=30)
    weights = RNG.uniform(size=30)
    order = np.argsort(-scores)
    observed = RankedScores(scores[order], (weights * truth)[order], (weights * (1 - truth))[order])
    for measure in MEASURES.values():
        if measure.sklearn is not None:
            theirs = measure.sklearn.score(truth, scores, weights)
            assert measure.kernel(observed) == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize("key", DEFINED)
def test_scores_that_are_no_probabilities(key: str) -> None:
    """They are an error that says so, wherever it is met."""
    for scores, got in (([0.2, 1.5], "1.5"), ([-3.0, 0.1], "-3.0"), ([0.1, math.inf], "inf")):
        with pytest.raises(InvalidScoresError, match=rf"probabilities .* {key} \(got {got}\); AUC"):
            MEASURES[key].score(RankedScores.of([0, 1], scores))
        with pytest.raises(InvalidScoresError, match="probabilities"):
            MEASURES[key].null(BaseRate(positives=1, total=2), ScoreLevels.of(scores))


def test_one_class_only() -> None:
    """Skill has no unit there; all else has a score, and the base rate is perfect."""
    rate = BaseRate(positives=4, total=4)
    observed = RankedScores.of([True] * 4, [0.5, 0.9, 1.0, 0.5], True)
    for key, measure in MEASURES.items():
        if key.startswith("D2"):
            assert measure.score_or_reason(observed)[1] == "there are no negatives"
            with pytest.raises(UndefinedMeasureError, match="no negatives"):
                measure.baseline(rate)
        else:
            assert not measure.baseline(rate).scale.informative


def test_a_billion_observations() -> None:
    """Counts do not overflow."""
    big = 10**9
    observed = RankedScores(np.array([0.5, 0.1]), np.array([big, big]), np.array([big, 9 * big]))
    assert MEASURES["Brier"].score(observed) == pytest.approx((2 * 0.25 + 0.81 + 9 * 0.01) / 12)
    assert MEASURES["ECE"].score(observed) == pytest.approx(0, abs=1e-12)
    law = MEASURES["ECE"].null(observed.test_set, observed.deck)
    assert law.mean() == pytest.approx(1 / 9, rel=1e-3)
    assert law.tail(0.1, Direction.MINIMIZE) == law.floor


def test_a_perfectly_calibrated_model_has_an_error() -> None:
    """About 0.04 with 1,000 observations: the base rate for everyone has less."""
    scores = np.random.default_rng(1).uniform(size=(200, 1000))
    truth = np.random.default_rng(2).uniform(size=scores.shape) < scores
    pairs = zip(truth, scores, strict=True)
    errors = [MEASURES["ECE"].score(RankedScores.of(t, s, True)) for t, s in pairs]
    assert np.mean(errors) == pytest.approx(0.040, abs=0.003)
    assert not MEASURES["ECE"].baseline(BaseRate(positives=3, total=10)).scale.informative


@pytest.mark.parametrize("key", MEASURES)
def test_a_constant_shows_nothing(key: str) -> None:
    """Every deal of one value is the same, so chance always does as well, and as badly."""
    for positives, total in ((11, 23), (3, 7), (42, 89), (1, 2)):
        for value in (0.5, 0.4998951, positives / total):
            observed = RankedScores.of(np.arange(total) < positives, np.full(total, value), True)
            law = MEASURES[key].null(observed.test_set, observed.deck)
            score = MEASURES[key].score(observed)
            assert [law.tail(score, direction) for direction in BOTH] == [1, 1]
