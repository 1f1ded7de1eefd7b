"""The limits of scores and margins of several classes, over test sets like this one."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

import baserate as br
from baserate.baselines.class_mix_search import Reference, class_baseline, references
from baserate.core.scale import Scale
from baserate.kinds.classes.task import MULTICLASS
from baserate.kinds.two_classes.task import BINARY
from baserate.measures.classes import CLASS_MEASURES, get_class_measure
from baserate.measures.classes_record import ClassMeasure, Tables, needs_cells, scored
from baserate.observed.classes import ConfusionMatrix
from class_measures import measure_of
from exact_tables import DEFINITIONS, expected_score

TABLE = ConfusionMatrix([[50, 15, 5], [8, 10, 2], [4, 3, 3]])
COST = ClassMeasure.custom(
    "cost",
    lambda table: float((table * np.abs(np.subtract.outer(range(3), range(3)))).sum()),
    direction="minimize",
)


def _score(table: ConfusionMatrix, key: str, alpha: float = 0.05) -> tuple[float, float]:
    return MULTICLASS.uncertainty(table, alpha).score(get_class_measure(key))


def _yardstick(table: ConfusionMatrix, measure: ClassMeasure) -> Any:
    base = class_baseline(table.test_set, measure)
    return SimpleNamespace(
        measure=measure, base=base, scale=Scale.of(base, measure.score(_perfect(table)))
    )


def _perfect(table: ConfusionMatrix) -> ConfusionMatrix:
    return ConfusionMatrix(np.diag(table.true_counts), table.labels)


def _margin(
    table: ConfusionMatrix, measure: str | ClassMeasure, alpha: float = 0.05
) -> tuple[float, float]:
    yardstick = _yardstick(table, get_class_measure(measure))
    return MULTICLASS.uncertainty(table, alpha).margin(yardstick)


# Exact limits.

OF_ACCURACY = ("accuracy", "micro F1", "micro precision", "micro recall", "weighted recall")


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.32])
def test_accuracy_has_the_limits_of_clopper_and_pearson(alpha: float) -> None:
    """So has every name of it; the Hamming loss and the micro Jaccard index are functions of it."""
    expected = binomtest(63, 100).proportion_ci(1 - alpha, method="exact")
    for key in OF_ACCURACY:
        assert _score(TABLE, key, alpha) == pytest.approx((expected.low, expected.high), abs=1e-9)
    turned = 1 - expected.high, 1 - expected.low
    assert _score(TABLE, "Hamming loss", alpha) == pytest.approx(turned, abs=1e-9)
    jaccard = [end / (2 - end) for end in (expected.low, expected.high)]
    assert _score(TABLE, "micro Jaccard", alpha) == pytest.approx(jaccard, abs=1e-9)


def test_the_general_method_is_near_the_exact_one() -> None:
    """Of the accuracy as a function of one's own: within a tenth of the interval."""
    mine = ClassMeasure.custom("mine", lambda table: np.trace(table) / table.sum())
    exact = _score(TABLE, "accuracy")
    found = MULTICLASS.uncertainty(TABLE, 0.05).score(mine)
    assert found == pytest.approx(exact, abs=0.1 * (exact[1] - exact[0]))


# Two classes.

BOTH = {"accuracy": "ACC", "MCC": "MCC", "kappa": "KAPPA", "balanced accuracy": "BACC"}
TWO = [(98, 62, 41, 102), (12, 3, 2, 13), (8, 2, 1, 19), (400, 60, 30, 510), (6, 2, 3, 89)]


@pytest.mark.parametrize("cells", TWO)
@pytest.mark.parametrize("key", BOTH)
def test_two_classes_have_nearly_the_limits_of_the_binary_task(
    key: str, cells: tuple[int, int, int, int]
) -> None:
    """Both ends of both intervals are within a sixth of the interval."""
    tp, fp, fn, tn = cells
    binary = br.Confusion(tp=tp, fp=fp, fn=fn, tn=tn)
    known, measure = BINARY.uncertainty(binary, 0.05), br.get_measure(BOTH[key])
    table = ConfusionMatrix([[tn, fp], [fn, tp]])
    for expected, found in (
        (known.score(measure), _score(table, key)),
        (known.margin(BINARY.yardstick(binary.base_rate, measure)), _margin(table, key)),
    ):
        assert found == pytest.approx(expected, abs=(expected[1] - expected[0]) / 6)


# What must hold for every measure.

TABLES = [
    TABLE,
    ConfusionMatrix(np.diag([9, 9, 9, 9])),
    ConfusionMatrix([[0, 5, 5], [5, 0, 5], [5, 5, 0]]),
    ConfusionMatrix([[7, 0, 3], [2, 0, 1], [0, 0, 0]]),
    ConfusionMatrix([[3 * 10**14, 10**14, 1], [10**14, 4 * 10**14, 7], [0, 3, 10**13]]),
    ConfusionMatrix(np.random.default_rng(1).multinomial(60, np.ones(144) / 144).reshape(12, 12)),
]


@pytest.mark.parametrize("key", [*CLASS_MEASURES, "macro F2", "macro precision (nan for 0/0)"])
def test_limits_enclose_the_score_and_the_margin(key: str) -> None:
    """Perfect and hopeless tables, absent and unpredicted classes, 10¹⁵ observations."""
    measure = measure_of(key)
    for table in TABLES:
        score, known = measure.score(table), MULTICLASS.uncertainty(table, 0.05)
        low, high = known.score(measure)
        assert measure.codomain.lower <= low <= score <= high <= measure.codomain.upper
        if key == "G-mean" and len(table.labels) > 10:
            continue  # its baseline is searched for too long
        yardstick = _yardstick(table, measure)
        margin = yardstick.scale.advantage(score, yardstick.scale.best)
        low, high = known.margin(yardstick)
        assert low <= margin <= high


@pytest.mark.parametrize("key", ["kappa", "adjusted balanced accuracy", "linear kappa"])
def test_no_score_has_no_limits(key: str) -> None:
    """If only one class occurs, and is always found."""
    one_class = ConfusionMatrix([[9, 0], [0, 0]])
    assert np.isnan(_score(one_class, key)).all()
    yardstick = _yardstick(ConfusionMatrix([[9, 0], [0, 1]]), get_class_measure(key))
    assert np.isnan(MULTICLASS.uncertainty(one_class, 0.05).margin(yardstick)).all()


@pytest.mark.parametrize("key", ["accuracy", "MCC", "macro F1", "weighted F1", "G-mean"])
def test_a_smaller_alpha_has_a_wider_interval(key: str) -> None:
    """Of the score and of the margin."""
    for found in (
        [_score(TABLE, key, alpha) for alpha in (0.01, 0.05, 0.1, 0.32)],
        [_margin(TABLE, key, alpha) for alpha in (0.01, 0.05, 0.1, 0.32)],
    ):
        lows, highs = zip(*found, strict=True)
        assert list(lows) == sorted(lows)
        assert list(highs) == sorted(highs, reverse=True)


@pytest.mark.parametrize("key", ["MCC", "macro F1", "weighted F1", "accuracy"])
def test_the_order_of_the_classes_does_not_matter(key: str) -> None:
    """Except for the stream of random numbers: within a twentieth of the interval."""
    order = [2, 0, 1]
    turned = ConfusionMatrix(TABLE.counts[np.ix_(order, order)])
    low, high = _margin(TABLE, key)
    assert _margin(turned, key) == pytest.approx((low, high), abs=(high - low) / 20)


def test_the_same_twice() -> None:
    """Limits do not depend on what was computed before."""
    first = {key: _margin(TABLE, key) for key in ("MCC", "weighted F1", "linear kappa")}
    _margin(ConfusionMatrix([[5, 2], [1, 9]]), "MCC")
    assert {key: _margin(TABLE, key) for key in first} == first


def test_a_cost_and_its_negative_have_the_same_margin() -> None:
    """A function of one's own that depends on the total, to be minimized or maximized."""
    gain = ClassMeasure.custom(
        "gain", lambda table: -COST.definition.function(table[np.newaxis])[0]
    )
    table = ConfusionMatrix([[5, 1, 0], [1, 4, 2], [0, 1, 3]])
    low, high = MULTICLASS.uncertainty(table, 0.05).score(COST)
    assert MULTICLASS.uncertainty(table, 0.05).score(gain) == pytest.approx((-high, -low), rel=1e-9)
    assert _margin(table, gain) == pytest.approx(_margin(table, COST), rel=1e-9)


def test_a_function_of_whole_counts() -> None:
    """It is given rounded tables."""

    def share(table: Any) -> float:
        if (table % 1).any():
            raise TypeError
        return float(np.trace(table) / table.sum())

    low, high = MULTICLASS.uncertainty(TABLE, 0.05).score(ClassMeasure.custom("share", share))
    assert (low, high) == pytest.approx(_score(TABLE, "accuracy"), abs=0.03)


def test_a_function_without_a_value_elsewhere_has_no_limits() -> None:
    """As one that is nan for parts of counts; by quantiles, and by a standard deviation."""
    whole = ClassMeasure.custom("whole", lambda table: math.nan if (table % 1).any() else 1.0)
    assert np.isnan(MULTICLASS.uncertainty(TABLE, 0.05).score(whole)).all()
    many = ConfusionMatrix(np.eye(80, dtype=int))
    assert np.isnan(MULTICLASS.uncertainty(many, 0.05).score(whole)).all()


# Useless predictions.


@pytest.mark.parametrize("key", ["MCC", "accuracy"])
def test_useless_predictions_rarely_have_a_margin(key: str) -> None:
    """Predictions that are independent of the truth: 60 test sets of 60 observations."""
    shares = np.outer([0.5, 0.3, 0.2], [0.2, 0.5, 0.3])
    drawn = np.random.default_rng(2).multinomial(60, shares.ravel(), 60).reshape(-1, 3, 3)
    claims = sum(_margin(ConfusionMatrix(each), key)[0] > 0 for each in drawn)
    assert claims <= 60 * 0.025 + 3 * math.sqrt(60 * 0.025)


# References.


@pytest.mark.parametrize("key", DEFINITIONS)
def test_a_constant_class_expects_what_the_oracle_says(key: str) -> None:
    """At class frequencies other than those of the test set it was found on."""
    measure = measure_of(key)
    for n in ((4, 2, 1), (1, 3, 3)):
        for place in range(3):
            deck = tuple(7 * (k == place) for k in range(3))
            exact = expected_score(key, n, deck)
            found = float(
                Reference.of(measure, np.eye(3)[place]).expected(np.array(n, dtype=float))
            )
            assert found == pytest.approx(
                math.nan if exact is None else float(exact), abs=1e-12, nan_ok=True
            )


@pytest.mark.parametrize("key", ["macro F1", "weighted F1", "macro Jaccard", "G-mean", "MCC"])
def test_the_best_deck_expects_its_value(key: str) -> None:
    """On the test set that it was found on; near it the expectation follows the frequencies."""
    measure, n = get_class_measure(key), np.array([40.0, 35.0, 5.0])
    base = class_baseline(ConfusionMatrix(np.diag(n.astype(int))).test_set, measure)
    deck = np.array(next(iter(base.best.decks)), dtype=float)
    found = references(measure, base.best.value, deck, n)
    assert float(found.chosen(n)) == pytest.approx(base.best.value, rel=1e-3)


# How it is computed.


@pytest.mark.parametrize("key", CLASS_MEASURES)
def test_scores_by_margins_are_those_of_whole_tables(key: str) -> None:
    """For tables with parts of counts; weighted kappa by how many answers are how far off."""
    measure = get_class_measure(key)
    cells = np.random.default_rng(3).gamma(1.0, size=(20, 4, 4))
    whole, apart = Tables.of(cells), np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    off = np.stack([cells[:, apart == each].sum(axis=1) for each in range(4)], axis=1)
    is_known = not needs_cells(measure) or measure.ordered
    known = Tables(whole.right, whole.n, whole.m, off=off) if is_known else whole
    assert scored(measure, known) == pytest.approx(measure.scores(cells), abs=1e-14)


def test_hundreds_of_classes() -> None:
    """The interval is about as wide as that of accuracy: 3,000 observations, 70% right."""
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 300, 3000)
    answers = np.where(rng.random(3000) < 0.7, truth, rng.integers(0, 300, 3000))
    counts = np.zeros((300, 300), dtype=int)
    np.add.at(counts, (truth, answers), 1)
    low, high = _score(ConfusionMatrix(counts), "MCC")
    assert 0.7 * 2 * 1.96 <= (high - low) / math.sqrt(0.7 * 0.3 / 3000) <= 1.5 * 2 * 1.96
