"""CONTRIBUTING.md's examples of rankings, scoring rules and numbers are what they say."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import baserate as br
import exact_numbers
import exact_scores
from baserate.core.measure import Direction
from baserate.kinds.class_scores import measures as of_class_scores
from baserate.measures import numbers_errors as bent
from baserate.measures import probabilities as of_rules
from baserate.measures import rankings as top
from baserate.measures import scoring_rules as rules
from baserate.observed import best_constants as constants
from baserate.observed.base_rate import BaseRate
from baserate.observed.classes import ClassCounts
from baserate.observed.numbers import Numbers, NumericPredictions
from baserate.observed.scores import RankedScores, ScoreLevels
from worked_examples import NUMBERS, RANKINGS, RULES, example

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from baserate.measures.numbers_record import NumberMeasure
    from baserate.measures.scores_record import ScoreMeasure

UP, DOWN = Direction.MAXIMIZE, Direction.MINIMIZE
TRUTH = [1, 0, 1, 1, 0, 0, 1, 0, 0, 1]
SCORES = [0.9, 0.8, 0.8, 0.7, 0.4, 0.4, 0.4, 0.3, 0.2, 0.1]
RNG = np.random.default_rng(9)


def _of_scores(measure: Any, exact: Callable[..., Any], deck: list[Fraction]) -> None:
    """Assert that the law of a deck is that of all ways to place the positives."""
    for positives in range(1, len(deck)):
        truth = exact_scores.null(exact, deck, positives)
        rate = BaseRate(positives=positives, total=len(deck))
        law = measure.null(rate, ScoreLevels.of([float(each) for each in deck]))
        assert law.mean() == pytest.approx(float(exact_scores.mean(truth)), rel=1e-12)
        for score in truth:
            chance = float(exact_scores.at_least(truth, score))
            assert law.tail(float(score), UP) == pytest.approx(chance, rel=1e-9)


# Rankings.


@pytest.fixture(scope="module")
def r_precision() -> ScoreMeasure:
    """The worked record, evaluated with the names of its file."""
    found: ScoreMeasure = example(RANKINGS, "R_PRECISION", top)
    return found


def _r_precision(truth: Sequence[int], scores: Sequence[Fraction]) -> Fraction:
    positives = sum(truth)
    return exact_scores.positives_in_top(truth, scores, positives) / positives


def test_the_ranking_is_what_the_oracle_enumerates(r_precision: ScoreMeasure) -> None:
    """Scores, laws and what is free, with ties of all kinds."""
    for sizes in exact_scores.compositions(5):
        deck = [Fraction(each) for each in exact_scores.scores_of(sizes)]
        _of_scores(r_precision, _r_precision, deck)
    for positives in range(1, 6):
        rate = BaseRate(positives=positives, total=5)
        law = r_precision.null(rate, ScoreLevels.of([3.0, 2.0, 2.0, 1.0, 1.0]))
        assert r_precision.extremes(rate).max.value == pytest.approx(law.mean())
        assert r_precision.perfect(rate) == 1
    found = r_precision.score(RankedScores.of(TRUTH, SCORES))
    assert found == pytest.approx(float(_r_precision(TRUTH, [Fraction(each) for each in SCORES])))


def test_the_ranking_is_judged(r_precision: ScoreMeasure) -> None:
    """It has a baseline, a verdict and a difference."""
    base = br.baseline(br.BaseRate(positives=5, total=10), r_precision)
    assert base.best.value == 0.5
    report = br.evaluate(TRUTH, {"a": SCORES, "b": SCORES[::-1]}, [r_precision, "AUC"])
    verdict = report["a", "R-precision"]
    # The top 5 ends within a tie of 3, of which 1 is positive: a third of it counts.
    assert verdict.score == pytest.approx((3 + 1 / 3) / 5)
    assert verdict.low <= verdict.score <= verdict.high
    assert verdict.margin_low <= verdict.margin <= verdict.margin_high
    (difference,) = br.compare(TRUTH, {"a": SCORES, "b": SCORES[::-1]}, r_precision)
    assert difference.low <= difference.difference <= difference.high


# Scoring rules.


@pytest.fixture(scope="module")
def power_loss() -> rules.Rule:
    """The worked rule, evaluated with the names of its file."""
    found: rules.Rule = example(RULES, "POWER_LOSS", rules)
    return found


@pytest.mark.parametrize("shares", [(0.3, 0.7), (0.5, 0.5), (0.2, 0.3, 0.5)])
def test_the_rule_is_proper(power_loss: rules.Rule, shares: tuple[float, ...]) -> None:
    """No constant is better than the shares, which have what is free."""
    of_shares = np.array(shares)
    rows = np.vstack([of_shares, RNG.dirichlet(np.ones(of_shares.size), 2_000)])
    means = power_loss.points(rows, 1e-16) @ of_shares
    assert means[0] == pytest.approx(power_loss.free(of_shares))
    assert (means[0] <= means).all()


def _power_loss(truth: Sequence[int], scores: Sequence[Fraction]) -> mpmath.mpf:
    def loss(t: int, score: Fraction) -> mpmath.mpf:
        p = mpmath.mpf(score.numerator) / score.denominator
        given = p if t else 1 - p
        return 1 - 1.5 * mpmath.sqrt(given) + (p**1.5 + (1 - p) ** 1.5) / 2

    return sum(loss(t, score) for t, score in zip(truth, scores, strict=True)) / len(truth)


def test_the_rule_of_two_classes(power_loss: rules.Rule) -> None:
    """Its score and its law are those of the definition, and it has a verdict with its parts."""
    measure = of_rules._measure(power_loss)
    found = measure.score(RankedScores.of(TRUTH, SCORES))
    rows = [Fraction(each).limit_denominator(10) for each in SCORES]
    assert found == pytest.approx(float(_power_loss(TRUTH, rows)))
    law = measure.null(BaseRate(positives=2, total=4), ScoreLevels.of([0.9, 0.6, 0.6, 0.2]))
    deck = [Fraction(9, 10), Fraction(3, 5), Fraction(3, 5), Fraction(1, 5)]
    truth = exact_scores.null(_power_loss, deck, 2)
    assert law.mean() == pytest.approx(float(exact_scores.mean(truth)))
    verdict = br.evaluate(TRUTH, {"a": SCORES}, measure)["a", "power loss"]
    assert verdict.baseline == pytest.approx(1 - 2 * 0.5**1.5)
    assert verdict.low <= verdict.score <= verdict.high
    parts = measure.parts(RankedScores.of(TRUTH, SCORES))
    assert sum(part for _, part in parts) == pytest.approx(verdict.score)


def test_the_rule_of_several_classes(power_loss: rules.Rule) -> None:
    """The same record has a baseline, limits and a p-value there."""
    measure = of_class_scores._of_rule(power_loss)
    truth = RNG.integers(0, 3, 40)
    rows = RNG.dirichlet(np.ones(3), 40) / 2 + np.eye(3)[truth] / 2
    shares = np.bincount(truth) / 40
    base = br.baseline(ClassCounts.of(truth), measure)
    assert base.best.value == pytest.approx(1 - (shares**1.5).sum())
    verdict = br.evaluate(truth, {"a": rows}, measure)["a", "power loss"]
    assert verdict.low <= verdict.score <= verdict.high
    assert verdict.p_value < 0.001


# Numbers.


@pytest.fixture(scope="module")
def log_cosh() -> NumberMeasure:
    """The worked record, evaluated with the names of its files."""
    found: NumberMeasure = example(NUMBERS, "LOG_COSH", constants, bent)
    return found


def _log_cosh(y: Any, z: Any) -> mpmath.mpf:
    return mpmath.log(mpmath.cosh(exact_numbers.real(y - z)))


@pytest.mark.parametrize("weights", [None, [1, 4, 2, 3, 1]])
def test_the_loss_of_numbers(log_cosh: NumberMeasure, weights: list[int] | None) -> None:
    """Score, best constant and law are those of the definition, with and without weights."""
    truth, predicted = [1, 2, 2, 4, 9], [2, 1, 4, 4, 7]
    fit = NumericPredictions.of(truth, predicted, weights=weights)
    y, z, w = (exact_numbers.fractions_of(each) for each in (truth, predicted, weights or [1] * 5))
    exact = exact_numbers.weighted_average(_log_cosh)
    assert log_cosh.score(fit) == pytest.approx(float(exact(y, z, w)), rel=1e-12)
    every = exact_numbers.weighted_dealt(exact, y, z, w)
    law = br.null_distribution(fit, log_cosh)
    assert law.mean() == pytest.approx(float(exact_numbers.mean(every)), rel=1e-12)
    for score in every[::17]:
        chance = sum(other <= score + 1e-30 for other in every) / len(every)
        assert law.tail(float(score), DOWN) == pytest.approx(chance)
    heavy = None if weights is None else np.array(weights, dtype=float)
    best = log_cosh.best_constant(Numbers(np.array(truth, dtype=float), heavy))
    of_constant = lambda c: log_cosh.weighted(fit.truth, np.full(5, c), fit.weights)[0]  # noqa: E731
    assert best.value == pytest.approx(minimize_scalar(of_constant, (1, 9)).fun, rel=1e-9)


@pytest.mark.parametrize("error", [0.0, 1e-9, 0.3, 0.5, 3.0, 1e3])
def test_the_loss_is_known_at_any_size(log_cosh: NumberMeasure, error: float) -> None:
    """Also where cosh is 1, or too large for a float."""
    expected = float(_log_cosh(Fraction(error), Fraction(0)))
    assert log_cosh.score(NumericPredictions.of([error], [0.0])) == pytest.approx(
        expected, rel=1e-12
    )


def test_numbers_are_judged(log_cosh: NumberMeasure) -> None:
    """The record has a baseline, a verdict and a difference."""
    truth = RNG.normal(size=60)
    models = {"a": truth + 0.3 * RNG.normal(size=60), "b": RNG.normal(size=60)}
    verdict = br.evaluate(truth, models, log_cosh)["a", "log-cosh"]
    assert verdict.baseline == br.baseline(truth, log_cosh).best.value
    assert verdict.low <= verdict.score <= verdict.high < verdict.baseline
    assert verdict.margin_low > 0
    (difference,) = br.compare(truth, models, log_cosh)
    assert difference.winner == "a"
