"""Every example of CONTRIBUTING.md runs, and is what it says."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import baserate as br
import class_pages
import exact
import exact_numbers
import exact_scores
import exact_tables
from baserate.baselines.class_mix_search import class_baseline
from baserate.core.measure import Direction
from baserate.kinds.classes.null import null_of
from baserate.measures import class_scores as of_class_scores
from baserate.measures import classes as of_classes
from baserate.measures import numbers_errors as of_numbers
from baserate.measures import probabilities as of_rules
from baserate.measures import probabilities as rules
from baserate.measures import rankings as top
from baserate.measures import two_classes as of_two_classes
from baserate.observed import best_constants as constants
from baserate.observed.base_rate import BaseRate
from baserate.observed.classes import ClassCounts
from baserate.observed.numbers import Numbers, NumericPredictions
from baserate.observed.scores import RankedScores, ScoreLevels
from latex_formula import value
from laws import LAWS_ON_DRAWS, LAWS_ON_TABLES, law_of_sklearn
from tools import members
from worked_examples import EXAMPLES, example

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from baserate.measures.classes_record import ClassMeasure
    from baserate.measures.numbers_record import NumberMeasure
    from baserate.measures.scores import ScoreMeasure

SMALL = [(positives, total) for total in range(1, 7) for positives in range(total + 1)]
UP, DOWN = Direction.MAXIMIZE, Direction.MINIMIZE
TRUTH = [1, 0, 1, 1, 0, 0, 1, 0, 0, 1]
SCORES = [0.9, 0.8, 0.8, 0.7, 0.4, 0.4, 0.4, 0.3, 0.2, 0.1]
RNG = np.random.default_rng(9)


def test_there_is_an_example_for_each_family() -> None:
    """Each is run below, and its lines are not too long."""
    assert len(EXAMPLES) == 5
    assert max(len(line) for each in EXAMPLES for line in each.splitlines()) <= 100


# Labels of two classes.


@pytest.fixture(scope="module")
def measure() -> br.Measure:
    """The worked record, evaluated with the names of the file it belongs in."""
    found: br.Measure = example("ERR", of_two_classes)
    return found


def test_the_record_obeys_the_laws(measure: br.Measure) -> None:
    """On every table and draw of a few observations, and on labels that scikit-learn scores."""
    for counts in product(range(3), repeat=4):
        table = br.Confusion(**dict(zip(("tp", "fp", "fn", "tn"), counts, strict=True)))
        for law in LAWS_ON_TABLES:
            law(measure, table)
    for positives, total in SMALL:
        rate = br.BaseRate(positives=positives, total=total)
        for law, drawn in product(LAWS_ON_DRAWS, range(total + 1)):
            law(measure, br.DutchDraw(rate, predicted_positives=drawn))
    law_of_sklearn(measure, np.random.default_rng(0))


def test_the_record_is_what_the_oracle_enumerates(
    measure: br.Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both optima and their places agree with the textbook's definition."""
    key, accuracy = "ERR", exact.DEFINITIONS["ACC"]
    monkeypatch.setitem(exact.DEFINITIONS, key, lambda *counts: 1 - accuracy(*counts))
    for positives, total in SMALL:
        base = br.baseline(br.BaseRate(positives=positives, total=total), measure)
        means = exact.expectations(key, positives, total, exact.pmf_tables)
        for optimum_, enumerated in zip((base.max, base.min), exact.extremes(means), strict=True):
            value, counts = enumerated
            assert optimum_.value == pytest.approx(float(value), rel=1e-15)
            assert members(optimum_.guesses) == counts


def test_the_record_has_an_exact_interval_and_weights(measure: br.Measure) -> None:
    """Errors are the other side of accuracy, with and without importance weights."""
    table = br.Confusion(tp=9, fp=2, fn=4, tn=25)
    low, high = (getattr(br.confidence_interval(table, "ACC"), end) for end in ("low", "high"))
    errors = br.confidence_interval(table, measure)
    assert (errors.low, errors.high) == pytest.approx((1 - high, 1 - low))
    rng = np.random.default_rng(1)
    truth, predicted = rng.integers(0, 2, (2, 30))
    weights = rng.exponential(size=30)
    report = br.evaluate(
        truth, {"m": predicted}, [measure, "ACC"], sample_weight=weights, weights="importance"
    )
    one, other = report["m", "ERR"], report["m", "ACC"]
    assert one.score == pytest.approx(1 - other.score)
    assert one.baseline == pytest.approx(1 - other.baseline)
    assert one.p_value == pytest.approx(other.p_value, rel=1e-6)


# Labels of several classes.


@pytest.fixture(scope="module")
def class_measure() -> ClassMeasure:
    """The worked record of several classes, evaluated with the names of its file."""
    found: ClassMeasure = example("BALANCED_ERROR", of_classes)
    return found


def test_the_class_record_is_what_the_oracle_enumerates(
    class_measure: ClassMeasure, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both optima, all best mixes and all p-values agree with the textbook's definition."""
    key = "balanced error"
    textbook = exact_tables.DEFINITIONS["balanced accuracy"]
    monkeypatch.setitem(exact_tables.DEFINITIONS, key, lambda table: 1 - textbook(table))
    for n in ((1,), (2, 1), (2, 2, 1), (3, 1, 1)):
        base = class_baseline(ClassCounts(dict(enumerate(n))), class_measure)
        ends = exact_tables.extremes(key, n)
        assert ends is not None
        for found, enumerated in zip((base.max, base.min), ends, strict=True):
            assert found.value == pytest.approx(float(enumerated.value), abs=1e-15)
            assert set(found.guesses) == enumerated.guesses
        for m in exact_tables.mixes(n):
            law, exact_law = null_of(class_measure, n, m), exact_tables.exact_law(key, n, m)
            assert exact_law is not None
            for score in exact_law.scores:
                better = law.tail(float(score), class_measure.direction)
                assert better == pytest.approx(float(exact_law.at_most(score)), rel=1e-12)


def test_the_class_record_is_printed_as_it_is_computed(class_measure: ClassMeasure) -> None:
    """Its LaTeX gives the score of a table, and its page has its facts."""
    table = np.array([[5, 2, 1], [3, 4, 2], [1, 1, 6]])
    names = {"C": table, "n": table.sum(axis=1), "K": 3}
    score = float(class_measure.scores(table.astype(float)))
    assert value(class_measure.definition.latex, names) == pytest.approx(score, rel=1e-14)
    page = class_pages.page(class_measure)
    for fact in (class_measure.name, class_measure.meaning, *class_measure.aliases):
        assert fact in page


def test_the_class_record_is_judged(class_measure: ClassMeasure) -> None:
    """It is one minus balanced accuracy, in verdicts and between models."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, 60)
    models = {"a": np.where(rng.random(60) < 0.6, truth, 0), "b": rng.integers(0, 3, 60)}
    report = br.evaluate(truth, models, [class_measure, "balanced accuracy"])
    for model in models:
        one, other = report[model, "balanced error"], report[model, "balanced accuracy"]
        assert (one.score, one.p_value) == pytest.approx((1 - other.score, other.p_value))
        assert one.outcome == other.outcome
    found, expected = br.compare(truth, models, [class_measure, "balanced accuracy"])
    assert (found.difference, found.p_value) == pytest.approx(
        (-expected.difference, expected.p_value)
    )


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
    found: ScoreMeasure = example("R_PRECISION", top)
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
        assert r_precision.guesses(rate).best.value == pytest.approx(law.mean())
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
    found: rules.Rule = example("POWER_LOSS", rules)
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
    measure = of_rules.of_rule(power_loss)
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
    measure = of_class_scores.of_rule(power_loss)
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
def shortage() -> NumberMeasure:
    """The worked record, evaluated with the names of its files."""
    found: NumberMeasure = example("SHORTAGE", constants, of_numbers)
    return found


def _shortage(y: Any, z: Any) -> mpmath.mpf:
    return exact_numbers.real(max(3 * (y - z), z - y))


@pytest.mark.parametrize("weights", [None, [1, 4, 2, 3, 1]])
def test_the_loss_of_numbers(shortage: NumberMeasure, weights: list[int] | None) -> None:
    """Score, best constant and law are those of the definition, with and without weights."""
    truth, predicted = [1, 2, 2, 4, 9], [2, 1, 4, 4, 7]
    fit = NumericPredictions.of(truth, predicted, weights=weights)
    y, z, w = (exact_numbers.fractions_of(each) for each in (truth, predicted, weights or [1] * 5))
    exact = exact_numbers.weighted_average(_shortage)
    assert shortage.score(fit) == pytest.approx(float(exact(y, z, w)), rel=1e-12)
    every = exact_numbers.weighted_dealt(exact, y, z, w)
    law = br.null_distribution(fit, shortage)
    assert law.mean() == pytest.approx(float(exact_numbers.mean(every)), rel=1e-12)
    for score in every[::17]:
        chance = sum(other <= score + 1e-30 for other in every) / len(every)
        assert law.tail(float(score), DOWN) == pytest.approx(chance)
    heavy = None if weights is None else np.array(weights, dtype=float)
    best = shortage.best_constant(Numbers(np.array(truth, dtype=float), heavy))
    of_constant = lambda c: shortage.weighted(fit.truth, np.full(5, c), fit.weights)[0]  # noqa: E731
    assert best.value == pytest.approx(minimize_scalar(of_constant, (1, 9)).fun, rel=1e-9)


def test_numbers_are_judged(shortage: NumberMeasure) -> None:
    """The record has a baseline, a verdict and a difference."""
    truth = RNG.normal(size=60)
    models = {"a": truth + 0.3 * RNG.normal(size=60), "b": RNG.normal(size=60)}
    verdict = br.evaluate(truth, models, shortage)["a", "shortage"]
    assert verdict.baseline == br.baseline(truth, shortage).best.value
    assert verdict.low <= verdict.score <= verdict.high < verdict.baseline
    assert verdict.margin_low > 0
    (difference,) = br.compare(truth, models, shortage)
    assert difference.winner == "a"
