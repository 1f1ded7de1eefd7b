"""The limits of scores and margins of several classes, over test sets like this one."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import binomtest

import baserate as br
from baserate.baselines.class_mix import class_baseline
from baserate.exceptions import InvalidCountError
from baserate.kinds.classes.null import swap_test
from baserate.kinds.classes.task import MULTICLASS
from baserate.measures.classes import CLASS_MEASURES, get_class_measure
from baserate.measures.classes_record import Tables
from baserate.observed.classes import ClassCounts, ConfusionMatrix, JointMatrix
from class_measures import measure_of
from exact_tables import DEFINITIONS, Exact, Table, same

if TYPE_CHECKING:
    from baserate.measures.classes_record import ClassMeasure

TABLE = ConfusionMatrix([[50, 15, 5], [8, 10, 2], [4, 3, 3]])


def _score(table: ConfusionMatrix, key: str, alpha: float = 0.05) -> tuple[float, float]:
    return MULTICLASS.uncertainty(table, alpha).score(get_class_measure(key))


def _baseline(table: ConfusionMatrix, measure: ClassMeasure) -> Any:
    return class_baseline(table.test_set, measure)


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
        baseline = _baseline(table, measure)
        margin = baseline.scale.advantage(score, baseline.scale.best)
        low, high = known.margin(baseline.measure, baseline)
        assert low <= margin <= high


@pytest.mark.parametrize("key", ["kappa", "adjusted balanced accuracy", "linear kappa"])
def test_no_score_has_no_limits(key: str) -> None:
    """If only one class occurs, and is always found."""
    one_class = ConfusionMatrix([[9, 0], [0, 0]])
    assert np.isnan(_score(one_class, key)).all()
    baseline = _baseline(ConfusionMatrix([[9, 0], [0, 1]]), get_class_measure(key))
    assert np.isnan(
        MULTICLASS.uncertainty(one_class, 0.05).margin(baseline.measure, baseline)
    ).all()


def test_a_function_of_whole_counts() -> None:
    """It is given rounded tables."""

    def share(table: Any) -> float:
        if (table % 1).any():
            raise TypeError
        return float(np.trace(table) / table.sum())

    low, high = MULTICLASS.uncertainty(TABLE, 0.05).score(br.Measure.custom("share", share))
    assert (low, high) == pytest.approx(_score(TABLE, "accuracy"), abs=0.03)


# How it is computed.


@pytest.mark.parametrize("key", CLASS_MEASURES)
def test_scores_by_margins_are_those_of_whole_tables(key: str) -> None:
    """For tables with parts of counts; weighted kappa by how many answers are how far off."""
    measure = get_class_measure(key)
    cells = np.random.default_rng(3).gamma(1.0, size=(20, 4, 4))
    whole, apart = Tables.of(cells), np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    off = np.stack([cells[:, apart == each].sum(axis=1) for each in range(4)], axis=1)
    is_known = not measure.form.needs_cells or measure.ordered
    known = Tables(whole.right, whole.n, whole.m, off=off) if is_known else whole
    assert measure.scored(known) == pytest.approx(measure.scores(cells), abs=1e-14)


def test_hundreds_of_classes() -> None:
    """The interval is about as wide as that of accuracy: 3,000 observations, 70% right."""
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 300, 3000)
    answers = np.where(rng.random(3000) < 0.7, truth, rng.integers(0, 300, 3000))
    counts = np.zeros((300, 300), dtype=int)
    np.add.at(counts, (truth, answers), 1)
    low, high = _score(ConfusionMatrix(counts), "MCC")
    assert 0.7 * 2 * 1.96 <= (high - low) / math.sqrt(0.7 * 0.3 / 3000) <= 1.5 * 2 * 1.96


Row = tuple[int, int, int]
WORST = br.Measure.custom(
    "worst precision", lambda table: np.min(np.diagonal(table) / table.sum(axis=0))
)


# The oracle: nothing below comes from the library.


def _worst(table: Table) -> Fraction:
    columns = list(zip(*table, strict=True))
    return min(Fraction(column[k], sum(column)) for k, column in enumerate(columns))


EXACT = {**DEFINITIONS, "worst precision": _worst}


def _table(rows: list[Row], model: int, classes: int) -> Table:
    found = Counter((row[0], row[model]) for row in rows)
    return tuple(tuple(found[t, a] for a in range(classes)) for t in range(classes))


def _difference(rows: list[Row], key: str, classes: int) -> Exact | None:
    try:
        first, second = (EXACT[key](_table(rows, model, classes)) for model in (1, 2))
    except ZeroDivisionError:
        return None
    return second - first


def _all_swaps(rows: list[Row]) -> list[list[Row]]:
    free = [place for place, row in enumerate(rows) if row[1] != row[2]]
    found = []
    for choice in range(2 ** len(free)):
        swapped = {place for bit, place in enumerate(free) if choice >> bit & 1}
        found.append([(t, b, a) if i in swapped else (t, a, b) for i, (t, a, b) in enumerate(rows)])
    return found


def _oracle(rows: list[Row], key: str, classes: int) -> Fraction | None:
    """The share of all swaps that differ at least as much; those without a score count."""
    size = _difference(rows, key, classes)
    if size is None:
        return None
    differences = [_difference(each, key, classes) for each in _all_swaps(rows)]
    hits = sum(
        each is None or same(abs(each), abs(size)) or abs(each) > abs(size) for each in differences
    )
    return Fraction(hits, len(differences))


# Joint tables.


def _joint(rows: list[Row] | np.ndarray[Any, Any], classes: int) -> JointMatrix:
    t, a, b = np.array(rows).T
    return JointMatrix(range(classes), t, a, b, np.ones(len(t), dtype=int))


def _rows(rng: np.random.Generator, classes: int, total: int, differ: int) -> list[Row]:
    truth, first = rng.integers(0, classes, (2, total))
    second = first.copy()
    second[:differ] = (first[:differ] + rng.integers(1, classes, differ)) % classes
    return [tuple(row) for row in np.stack([truth, first, second], axis=1).tolist()]


SMALL = [
    (classes, _rows(np.random.default_rng(seed), classes, total, differ))
    for seed, (classes, total, differ) in enumerate(
        [(2, 9, 5), (3, 8, 6), (3, 12, 7), (4, 9, 6), (3, 3, 3), (2, 5, 4), (4, 14, 7)]
    )
]


@pytest.mark.parametrize("key", EXACT)
def test_swaps_are_counted_as_the_oracle_does(key: str) -> None:
    """All 2^d swaps in fractions, absent classes and missing scores included."""
    measure = WORST if key == "worst precision" else measure_of(key)
    for classes, rows in SMALL:
        expected = _oracle(rows, key, classes)
        p_value, method, _ = swap_test(measure, _joint(rows, classes))
        assert method == "exact"
        assert p_value == pytest.approx(math.nan if expected is None else expected, nan_ok=True)


def test_accuracy_has_the_exact_test_of_mcnemar() -> None:
    """Of 5 and 14 rows on which one model alone is right; other measures of accuracy agree."""
    joint = JointMatrix("abc", [0, 1, 2, 2], [0, 2, 0, 1], [1, 1, 1, 0], [5, 14, 6, 3])
    heads = sum(math.comb(19, k) for k in range(14, 20))
    for key in ("accuracy", "Hamming loss", "micro F1", "weighted recall", "micro Jaccard"):
        p_value, method, _ = swap_test(get_class_measure(key), joint)
        assert method == "exact"
        assert p_value == pytest.approx(2 * heads / 2**19, rel=1e-12)


def _limits(joint: JointMatrix, measure: ClassMeasure) -> tuple[float, float]:
    return MULTICLASS.paired(joint, 0.05).limits(measure)


@pytest.mark.parametrize("key", [*CLASS_MEASURES, "worst precision"])
def test_limits_enclose_the_difference_and_mirror(key: str) -> None:
    """Whoever swaps the models has the same limits and p-value, with the other sign."""
    measure = WORST if key == "worst precision" else get_class_measure(key)
    rng = np.random.default_rng(8)
    for classes, total, differ in ((3, 40, 12), (5, 30, 10), (2, 4, 2)):
        joint = _joint(_rows(rng, classes, total, differ), classes)
        difference = measure.score(joint.second) - measure.score(joint.first)
        low, high = _limits(joint, measure)
        if math.isnan(difference):
            assert math.isnan(low)
            assert math.isnan(high)
            continue
        assert low <= difference <= high
        assert _limits(joint.mirrored, measure) == (-high, -low)


@pytest.mark.parametrize("key", CLASS_MEASURES)
def test_models_that_agree_do_not_differ(key: str) -> None:
    """The p-value is 1, or nan without a score, and limits hold 0."""
    measure = get_class_measure(key)
    for truth in ([0, 0, 1, 2], [0, 0, 0, 0]):
        joint = JointMatrix("abc", truth, [0, 1, 1, 2], [0, 1, 1, 2], [5, 2, 3, 4])
        p_value, method, _ = swap_test(measure, joint)
        low, high = _limits(joint, measure)
        assert method == "exact"
        if math.isnan(measure.score_or_reason(joint.first)[0]):
            assert math.isnan(p_value)
            assert math.isnan(low)
        else:
            assert p_value == 1
            assert low <= 0 <= high


def test_cells_are_merged_and_compared() -> None:
    """A cell that comes twice adds up, empty ones do not matter, and the order neither."""
    one = JointMatrix("ab", [0, 1, 0, 1], [0, 1, 0, 0], [1, 1, 1, 0], [2, 3, 4, 0])
    other = JointMatrix("ab", [1, 0], [1, 0], [1, 1], [3, 6])
    assert one == other
    assert hash(one) == hash(other)
    assert one != JointMatrix("ab", [1, 0], [1, 0], [1, 1], [3, 5])
    assert one != "ab"
    assert one.first == ConfusionMatrix([[6, 0], [0, 3]], labels="ab")
    assert one.mirrored.first == one.second
    assert one.disagreements == 6
    assert one.test_set == ClassCounts({"a": 6, "b": 3})


@pytest.mark.parametrize(
    "columns",
    [
        ([0, 1], [0], [0], [1]),
        ([2], [0], [0], [1]),
        ([0], [-1], [0], [1]),
        ([0], [0], [0], [-1]),
    ],
)
def test_cells_that_cannot_be_are_refused(columns: tuple[list[int], ...]) -> None:
    """Columns of different lengths, places of no class, and negative counts."""
    with pytest.raises(InvalidCountError, match="cells must"):
        JointMatrix("ab", *columns)
