"""Probabilities of several classes: scores, baselines and shuffles, against definitions."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import binom

import exact_scores as oracle
from baserate.core.direction import Direction
from baserate.exceptions import InvalidMeasureError, UndefinedMeasureError, UndefinedMeasureWarning
from baserate.multiclass.class_counts import ClassCounts
from baserate.probability.measures.catalogue import TWO_CLASS_MEASURES
from baserate.probability.several.catalogue import PROBABILITY_MEASURES, get_probability_measure
from baserate.probability.several.joint import JointProbabilities
from baserate.probability.several.measures import RULE_MEASURES
from baserate.probability.several.observed import ClassProbabilities
from baserate.probability.several.optimum import probability_baseline
from baserate.probability.several.task import CLASS_PROBABILITIES
from sklearn import metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import mpmath

RNG = np.random.default_rng(12)
Rows = list[tuple[Fraction, ...]]


def _brier(truth: Sequence[int], rows: Rows) -> Fraction:
    score = oracle.class_brier(truth, rows)
    return score / 2 if len(rows[0]) == 2 else score


def _skill(loss: Callable[..., Any]) -> Callable[..., Any]:
    def skill(truth: Sequence[int], rows: Rows) -> Any:
        classes = range(len(rows[0]))
        shares = tuple(Fraction(list(truth).count(k), len(truth)) for k in classes)
        return 1 - loss(truth, rows) / loss(truth, [shares] * len(truth))

    return skill


DEFINED: dict[str, Callable[..., Any]] = {
    "Brier": _brier,
    "log loss": oracle.class_log_loss,
    "spherical": oracle.class_spherical,
    "D2 Brier": _skill(_brier),
    "D2 log loss": _skill(oracle.class_log_loss),
    "ECE": oracle.top_calibration_error,
}


def _row(*parts: int) -> tuple[Fraction, ...]:
    return tuple(Fraction(part, sum(parts)) for part in parts)


# Rows of three classes and of two, with ties; and the truth.
CASES: list[Any] = [
    ([_row(1, 1, 1), _row(6, 3, 1)], (0, 2)),
    ([_row(1, 2, 7), _row(1, 2, 7), _row(5, 4, 1)], (2, 2, 0)),
    ([_row(1, 2, 7), _row(2, 2, 1), _row(5, 4, 1), _row(8, 1, 1)], (0, 1, 2, 0)),
    ([_row(1, 2, 7), _row(1, 2, 7), _row(5, 4, 1), _row(8, 1, 1), _row(1, 1, 1)], (2, 2, 1, 0, 0)),
    ([_row(3, 2), _row(1, 9), _row(1, 9), _row(4, 1), _row(1, 1)], (0, 1, 1, 0, 1)),
    ([_row(1, 3, 6)] * 3 + [_row(2, 3, 5), _row(7, 2, 1), _row(4, 4, 2)], (2, 2, 1, 1, 0, 0)),
    pytest.param(
        [_row(1, 3, 6)] * 2 + [_row(2, 3, 5), _row(7, 2, 1), _row(4, 4, 2)] + [_row(1, 1, 8)] * 2,
        (2, 1, 2, 0, 0, 2, 1),
        marks=pytest.mark.exhaustive,
    ),
]


def _observed(truth: Sequence[int], rows: Rows) -> ClassProbabilities:
    table = np.array([[float(p) for p in row] for row in rows])
    return ClassProbabilities.of_rows(tuple(range(len(rows[0]))), np.array(truth), table)


def test_every_measure_has_a_definition() -> None:
    """None is forgotten, and two classes have the same names."""
    assert list(PROBABILITY_MEASURES) == list(DEFINED)
    of_two = {measure.key: measure for measure in TWO_CLASS_MEASURES}
    for key, measure in PROBABILITY_MEASURES.items():
        assert measure.aliases == of_two[key].aliases
        for name in (key, measure.name, *measure.aliases):
            assert CLASS_PROBABILITIES.named(name) is measure


@pytest.mark.parametrize("key", DEFINED)
@pytest.mark.parametrize(("rows", "truth"), CASES)
def test_all_shuffles(key: str, rows: Rows, truth: tuple[int, ...]) -> None:
    """Score, mean, variance and tails are those of all shuffles of the truth."""
    measure, observed = get_probability_measure(key), _observed(truth, rows)
    found = oracle.shuffled_law(DEFINED[key], truth, rows)
    law = measure.law(observed.test_set, observed.rows, observed.sizes, observed.smallest)
    value, score = DEFINED[key](truth, rows), measure.score(observed)
    assert score == pytest.approx(float(value), rel=1e-12, abs=1e-14)
    if not law.exact:
        _check_simulated(law, found)
        return
    assert law.mean() == pytest.approx(float(oracle.mean(found)), rel=1e-12, abs=1e-14)
    assert law.var() == pytest.approx(float(oracle.variance(found)), rel=1e-9, abs=1e-14)
    (null,) = CLASS_PROBABILITIES.nulls([observed], (0.025, 0.975))
    sign = 1 if measure.direction is Direction.MAXIMIZE else -1
    gains = [(sign * (_real(each) - _real(value)), chance) for each, chance in found.items()]
    expected = [
        float(sum(chance for gain, chance in gains if gain >= -1e-30)),
        float(sum(chance for gain, chance in gains if gain <= 1e-30)),
    ]
    tails = null.tails(measure, score)
    assert [tails.better, tails.worse] == pytest.approx(expected, rel=1e-9)
    low, high = null.luck_interval(measure)
    assert float(min(found)) - 1e-12 <= low <= high <= float(max(found)) + 1e-12


def _check_simulated(law: Any, found: dict[Fraction, Fraction]) -> None:
    """Random deals come close to all of them, and a tail counts the score itself."""
    assert law.mean() == pytest.approx(float(oracle.mean(found)), rel=0.05, abs=0.005)
    assert law.var() == pytest.approx(float(oracle.variance(found)), rel=0.1, abs=1e-4)
    for value in found:
        for direction, exact in (
            (Direction.MAXIMIZE, oracle.at_least),
            (Direction.MINIMIZE, oracle.at_most),
        ):
            share = float(exact(found, value))
            assert law.tail(float(value), direction) == pytest.approx(share, abs=0.025)
    # Two standard errors of a share of 0.05 among so many deals, which the rarest tail tells.
    deals = round(1 / law.tail(-1.0, Direction.MINIMIZE)) - 1
    assert 0.05 * law.error == pytest.approx(2 * binom(deals, 0.05).std() / deals)
    assert law.ppf(0) <= law.ppf(0.5) <= law.ppf(1)


def _real(value: Any) -> mpmath.mpf:
    return oracle._real(value) if isinstance(value, Fraction) else value


# All rows of three classes in steps of a fifth, without 0: a logarithm has no fraction there.
GRID = [_row(*parts) for parts in product(range(1, 4), repeat=3) if sum(parts) == 5]
SETS = [
    (0, 0, 1, 2),
    (0, 1, 2),
    *(
        pytest.param(each, marks=pytest.mark.exhaustive)
        for each in [(0, 1, 1, 2, 2), (0, 0, 0, 1, 2)]
    ),
]


@pytest.mark.parametrize("key", DEFINED)
@pytest.mark.parametrize("truth", SETS)
def test_no_deck_is_better_or_worse(key: str, truth: tuple[int, ...]) -> None:
    """The expected score of every deck of a grid is between the extremes."""
    measure = get_probability_measure(key)
    counts = ClassCounts({k: truth.count(k) for k in range(3)})
    base = probability_baseline(counts, measure)
    shares = _row(*counts.counts)
    for deck in combinations_with_replacement([*GRID, shares], 2):
        rows = [deck[0], *[deck[1]] * (len(truth) - 1)]
        # Of a mean, the expectation is that of each row with each class.
        mean = float(_expected(key, truth, rows))
        assert base.min.value - 1e-12 <= mean <= base.max.value + 1e-12
    best = float(DEFINED[key](truth, [shares] * len(truth)))
    assert best == pytest.approx(base.best.value, rel=1e-12, abs=1e-15)


def _expected(key: str, truth: tuple[int, ...], rows: Rows) -> Any:
    """Every rotation of the truth meets every row with every class as often as all shuffles do.

    That is enough for a mean over the rows; what is none takes all shuffles.
    """
    if key == "ECE":
        return oracle.mean(oracle.shuffled_law(DEFINED[key], truth, rows))
    turned = [truth[place:] + truth[:place] for place in range(len(truth))]
    return sum(DEFINED[key](each, rows) for each in turned) / len(turned)


@pytest.mark.parametrize("key", DEFINED)
def test_the_worst_is_attained(key: str) -> None:
    """Certainty of the rarest class for everyone has the worst score."""
    measure = get_probability_measure(key)
    base = probability_baseline(ClassCounts({"a": 5, "b": 2, "c": 3, "d": 0}), measure)
    assert base.worst.decks == "certainty of 'b' for everyone"
    truth = np.repeat([0, 1, 2], [5, 2, 3])
    worst = ClassProbabilities.of_rows(("a", "b", "c", "d"), truth, np.eye(4)[[1] * 10])
    assert measure.score(worst) == pytest.approx(base.worst.value, rel=1e-12)
    tied = probability_baseline(ClassCounts({"a": 3, "b": 2, "c": 2}), measure)
    assert tied.worst.decks == "certainty of 'b' or 'c' for everyone"
    assert tied.best.decks == "the class shares for everyone"


def test_the_formulas_of_the_baselines() -> None:
    """1 − Σπ², H(π), ‖π‖, and nothing; halved for two classes, as in scikit-learn."""
    shares = np.array([0.7, 0.2, 0.1])
    counts = ClassCounts({"a": 7, "b": 2, "c": 1})
    best = {
        key: probability_baseline(counts, measure).best.value
        for key, measure in PROBABILITY_MEASURES.items()
    }
    assert best == {
        "Brier": pytest.approx(1 - (shares**2).sum()),
        "log loss": pytest.approx(-(shares * np.log(shares)).sum()),
        "spherical": pytest.approx(math.sqrt((shares**2).sum())),
        "D2 Brier": 0,
        "D2 log loss": 0,
        "ECE": 0,
    }
    two = probability_baseline(ClassCounts({"a": 7, "b": 3}), PROBABILITY_MEASURES["Brier"])
    assert two.best.value == pytest.approx(0.21)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("classes", [2, 3, 7])
def test_scikit_learn_agrees(kind: type, classes: int) -> None:
    """Every score that scikit-learn has, also at 0 and 1, with ties and classes that are absent."""
    for size in (2, 40, 2000):
        rows = RNG.dirichlet(np.full(classes, 0.05), size)
        rows[RNG.uniform(size=size) < 0.3] = 1 / classes
        rows[0] = np.eye(classes)[0]
        rows = rows.astype(kind)
        truth = RNG.integers(0, classes, size)
        truth[:2] = 1, 0
        observed = ClassProbabilities.of_rows(tuple(range(classes)), truth, rows)
        for measure in PROBABILITY_MEASURES.values():
            if measure.sklearn is not None:
                function = getattr(metrics, measure.sklearn.function)
                theirs = function(truth, rows, labels=np.arange(classes))
                precision = 1e-12 if kind is np.float64 else 2e-5
                assert measure.score(observed) == pytest.approx(theirs, rel=precision)


def test_one_class_only() -> None:
    """Skill has no unit there; all else has a score, and the class shares are perfect."""
    observed = ClassProbabilities.of_rows(("a", "b", "c"), np.zeros(3, int), np.eye(3)[[0, 0, 1]])
    for measure in PROBABILITY_MEASURES.values():
        if measure.relative:
            with pytest.warns(UndefinedMeasureWarning, match="all observations are 'a'"):
                assert measure.score(observed, undefined=-9) == -9
            with pytest.raises(UndefinedMeasureError, match="all observations are 'a'"):
                CLASS_PROBABILITIES.yardstick(observed.test_set, measure)
        else:
            assert math.isfinite(measure.score(observed))
            scale = CLASS_PROBABILITIES.yardstick(observed.test_set, measure).scale
            assert not scale.informative


def test_a_measure_is_pickled_by_its_name() -> None:
    """It is the same record afterwards, and scores nothing else."""
    for measure in PROBABILITY_MEASURES.values():
        assert pickle.loads(pickle.dumps(measure)) is measure
    with pytest.raises(InvalidMeasureError, match="must be given ClassProbabilities"):
        PROBABILITY_MEASURES["Brier"].score([[0.5, 0.5]])


def test_the_calibration_error_is_uninformative() -> None:
    """A perfect score is free; and what is no mean has no limits and no swaps."""
    truth = np.arange(12) % 3
    rows = np.eye(3)[truth] * 0.7 + 0.1
    joint = JointProbabilities.of_rows((0, 1, 2), truth, rows, rows[::-1])
    observed, measure = joint.first, PROBABILITY_MEASURES["ECE"]
    yardstick = CLASS_PROBABILITIES.yardstick(observed.test_set, measure)
    assert not yardstick.scale.informative
    known = CLASS_PROBABILITIES.uncertainty(observed, 0.05)
    paired = CLASS_PROBABILITIES.paired(joint, 0.05)
    for limits in (known.score(measure), known.margin(yardstick), paired.limits(measure)):
        assert np.isnan(limits).all()
    assert np.isnan(paired.swap_test(measure)[0])
    huge = measure.law(ClassCounts({0: 10**9, 1: 1}), np.eye(2), np.array([10**9, 1]), 1e-16)
    assert huge.mean() == pytest.approx(2e-9, rel=1e-6)


def test_a_baseline_is_written_with_both_ends() -> None:
    """The class shares have 1 − Σ p², and certainty of the rarest class errs twice as often."""
    counts = ClassCounts({"a": 70, "b": 20, "c": 10})
    assert str(probability_baseline(counts, get_probability_measure("Brier"))) == (
        "Brier baseline 0.460: the class shares for everyone; certainty of 'c' for everyone has "
        "1.800 (100 observations, 3 classes: 70.0% 'a', 20.0% 'b' and 10.0% 'c')"
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
    assert paired.swap_test(measure) == (pytest.approx(share), "exact", 0)
    low, high = paired.limits(measure)
    assert low <= measure.score(joint.second) - measure.score(joint.first) <= high
    turned = JointProbabilities.of_rows((0, 1, 2), truth, second, first)
    assert CLASS_PROBABILITIES.paired(turned, 0.05).limits(measure) == pytest.approx((-high, -low))
