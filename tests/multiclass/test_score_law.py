"""The distribution of a score when a deck is dealt: against the oracle, and against itself."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from baserate.core.direction import Direction
from baserate.exceptions import InvalidProbabilityError, UndefinedMeasureError
from baserate.multiclass.chance import ClassChance
from baserate.multiclass.law.score_law import law_of
from baserate.multiclass.matrix import ConfusionMatrix
from baserate.multiclass.measures.averages import averaged_precision
from baserate.multiclass.measures.catalogue import CLASS_MEASURES, get_class_measure
from baserate.multiclass.measures.per_class import Average
from baserate.multiclass.measures.record import ClassMeasure
from exact_tables import (
    DEFINITIONS,
    Counts,
    compositions,
    exact_law,
    law_of_function,
    small_test_sets,
)

UP, DOWN = Direction.MAXIMIZE, Direction.MINIMIZE
TABLE = ConfusionMatrix([[50, 15, 5], [8, 10, 2], [4, 3, 3]])
N, M = (70, 20, 10), (62, 28, 10)
LEVELS = (0.01, 0.025, 0.3, 0.5, 0.8, 0.975, 0.999)
SEVERAL = [
    (n, m)
    for most, classes in ((3, 1), (6, 2), (7, 3), (7, 4))
    for n in small_test_sets(most, classes, each=False)
    for m in compositions(sum(n), classes)
]


def _measure(key: str) -> ClassMeasure:
    """The measure of a key of the oracle, which also has other values of 0/0."""
    for value in (1.0, math.nan):
        ending = f" precision ({value:g} for 0/0)"
        if key.endswith(ending):
            return averaged_precision(Average(key.removesuffix(ending)), value)
    return get_class_measure(key)


def _check(key: str, n: Counts, m: Counts) -> None:
    """Mean, variance, both tails of every score, and quantiles."""
    exact, law = exact_law(key, n, m), law_of(_measure(key), n, m)
    if exact is None:
        with pytest.raises(UndefinedMeasureError):
            law.tail(0.0, UP)
        return
    assert law.exact
    assert law.error == 0
    assert law.mean() == pytest.approx(float(exact.mean), abs=4e-15)
    assert law.variance() == pytest.approx(float(exact.variance), abs=8e-15)
    for score in exact.scores:
        chances = (float(exact.at_least(score)), float(exact.at_most(score)))
        assert law.tails(float(score), UP)[:2] == pytest.approx(chances, rel=8e-15)
        assert law.tails(float(score), DOWN)[:2] == pytest.approx(chances[::-1], rel=8e-15)
    for level in LEVELS:
        _check_quantile(exact, law.interval(abs(1 - 2 * level))[level > 0.5], level)


def _check_quantile(exact: object, found: float, level: float) -> None:
    """A quantile is the smallest score that is not exceeded with at least this probability."""
    place = int(np.argmin([abs(float(score) - found) for score in exact.scores]))
    assert float(exact.scores[place]) == pytest.approx(found, abs=1e-14)
    assert exact.at_most(exact.scores[place]) >= Fraction(level) - Fraction(1, 10**12)
    if place:
        assert exact.at_most(exact.scores[place - 1]) < Fraction(level) + Fraction(1, 10**12)


@pytest.mark.parametrize("key", DEFINITIONS)
def test_the_law_is_the_enumeration(key: str) -> None:
    """Mean, variance, tails and quantiles are those of all tables, for some margins, M ≤ 7."""
    start = list(DEFINITIONS).index(key)
    for n, m in SEVERAL[start::1009]:
        _check(key, n, m)


@pytest.mark.exhaustive
@pytest.mark.parametrize("key", DEFINITIONS)
def test_the_law_is_the_enumeration_for_all_margins(key: str) -> None:
    """The same for every n and m with M ≤ 7 and up to four classes, up to the order of classes."""
    ordered = _measure(key).ordered
    for n, m in SEVERAL:
        if ordered or list(n) == sorted(n, reverse=True):
            _check(key, n, m)


def test_a_function_of_your_own_has_a_law() -> None:
    """The law of any function of the table is the enumeration too."""
    measure = ClassMeasure.custom("fewest", lambda table: min(np.diag(table)))
    for n, m in (((3, 2, 1), (2, 2, 2)), ((4, 2), (1, 5)), ((1, 2, 0), (0, 3, 0))):
        law = law_of(measure, n, m)
        exact = law_of_function(
            lambda table: Fraction(min(row[k] for k, row in enumerate(table))), n, m
        )
        assert law.mean() == pytest.approx(float(exact.mean), abs=1e-15)
        for score in exact.scores:
            assert law.tail(float(score), UP) == pytest.approx(float(exact.at_least(score)))


def test_a_function_without_a_score_somewhere_has_no_law() -> None:
    """It is an error to ask for a law that does not exist."""
    measure = ClassMeasure.custom("ratio", lambda table: table[0, 0] / table[1, 1])
    with pytest.raises(UndefinedMeasureError, match="undefined for some tables"):
        law_of(measure, (2, 2), (2, 2)).tail(0.5, UP)


def test_luck_without_a_law_is_not_known() -> None:
    """A function with gaps has no chances, and a score that is nan has none by any measure."""
    table = ConfusionMatrix([[3, 1], [1, 2]])
    chance = ClassChance(table, (0.025, 0.975))
    gaps = ClassMeasure.custom("ratio", lambda cells: cells[0, 0] / cells[1, 1])
    assert np.isnan([*chance.tails(gaps, 1.5)[:2], *chance.luck_interval(gaps)]).all()
    assert chance.is_exact(gaps)
    accuracy = get_class_measure("accuracy")
    assert np.isnan(chance.tails(accuracy, math.nan)[:2]).all()
    assert chance.tails(accuracy, 5 / 7) == law_of(accuracy, (4, 3), (4, 3)).tails(5 / 7, UP)


def test_scores_that_are_known_one_by_one_have_no_step() -> None:
    """The steps of a function of the right answers need not be the same."""
    assert law_of(get_class_measure("kappa"), (4, 3, 2), (3, 3, 3)).step == 0


def test_numbers_of_an_example() -> None:
    """Accuracy 0.63 has p = 0.00092, and macro F1 0.491 has p = 0.00115."""
    for key, p in (("accuracy", 0.00092), ("macro F1", 0.00115)):
        measure = get_class_measure(key)
        assert round(law_of(measure, N, M).tail(measure.score(TABLE), UP), 5) == p


def test_measures_of_the_right_answers_share_a_p_value() -> None:
    """Accuracy, kappa, MCC and so on have one p-value, in their own direction."""
    found = {
        law_of(measure, N, M).tail(measure.score(TABLE), measure.direction)
        for measure in CLASS_MEASURES.values()
        if measure.monotone
    }
    assert len(found) == 1


@pytest.mark.parametrize("key", ["accuracy", "Hamming loss", "macro F1", "linear kappa"])
def test_luck_stays_between_its_quantiles(key: str) -> None:
    """Outside of the luck interval there is at most a fortieth on either side."""
    measure = get_class_measure(key)
    law = law_of(measure, N, M)
    low, high = law.quantiles((0.025, 0.975))
    assert low < law.mean() < high
    for end, direction in ((low, UP), (high, DOWN)):
        assert law.tail(end, direction) >= 0.975
        inside = end + (1e-6 if direction is UP else -1e-6)
        assert law.tail(inside, direction) < 0.976


def test_two_classes_are_the_binary_task() -> None:
    """With two classes every measure has the hypergeometric p-value of Fisher's exact test."""
    from scipy.stats import fisher_exact

    matrix = ConfusionMatrix([[60, 20], [40, 80]])
    expected = fisher_exact(matrix.counts, alternative="greater").pvalue
    n, m = matrix.true_counts, matrix.predicted_counts
    for key in ("accuracy", "macro F1", "linear kappa", "macro Jaccard"):
        law = law_of(get_class_measure(key), n, m)
        p = law.tail(get_class_measure(key).score(matrix), UP)
        assert (law.method, p) == ("hypergeometric", pytest.approx(expected, rel=1e-12))


def test_questions_that_have_no_answer() -> None:
    """A score of nan has no tail, and a confidence must be a probability."""
    law = law_of(get_class_measure("accuracy"), N, M)
    assert math.isnan(law.tail(math.nan, UP))
    with pytest.raises(InvalidProbabilityError, match="confidence must be between 0 and 1"):
        law.interval(95)


def test_scores_between_and_beyond_the_possible_ones() -> None:
    """A score between two others counts the better ones; beyond the last there are none."""
    law = law_of(get_class_measure("accuracy"), N, M)
    assert law.tail(0.625, UP) == law.tail(0.63, UP)
    assert law.tail(0.635, DOWN) == law.tail(0.63, DOWN)
    assert law.tails(1.5, UP)[:2] == (0.0, 1.0)
    assert law.tails(-0.5, UP)[:2] == (1.0, 0.0)
    falling = law_of(get_class_measure("Hamming loss"), N, M)
    assert falling.tail(0.375, DOWN) == law.tail(0.63, UP)
    assert falling.tails(1.5, DOWN)[:2] == (1.0, 0.0)
    assert falling.tails(-0.5, DOWN)[:2] == (0.0, 1.0)


@pytest.mark.parametrize("key", CLASS_MEASURES)
@pytest.mark.parametrize(
    ("n", "m"),
    [
        ((7 * 10**14, 2 * 10**14, 10**14), (6 * 10**14, 3 * 10**14, 10**14)),
        ((10**15 - 9, 5, 4), (10**15 - 2 * 10**9, 10**9, 10**9)),
    ],
)
def test_very_many_observations(key: str, n: Counts, m: Counts) -> None:
    """With 10¹⁵ observations every measure has moments, tails and a luck interval."""
    law = law_of(get_class_measure(key), n, m)
    low, high = law.quantiles((0.025, 0.975))
    assert low <= high
    assert math.isfinite(law.mean())
    assert law.variance() >= 0
    better, worse, _ = law.tails(high, UP)
    assert 0 < better < 1 or low == high
    assert worse >= 0.97


def test_valid_p_values() -> None:
    """P(p ≤ alpha) ≤ alpha when the deck is dealt at random, by a sum over all tables."""
    from baserate.multiclass.law.enumeration import all_tables

    tables, chances = all_tables((12, 5, 3), (10, 6, 4))
    for measure in CLASS_MEASURES.values():
        law = law_of(measure, (12, 5, 3), (10, 6, 4))
        scores = measure.scores(tables.astype(float))
        p = np.array([law.tail(score, measure.direction) for score in scores.tolist()])
        for alpha in (0.001, 0.01, 0.05, 0.1, 0.3):
            assert chances[p <= alpha].sum() <= alpha * (1 + 1e-12)
