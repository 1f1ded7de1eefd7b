"""Two models of several classes: swaps against all 2^d of them, and limits of differences."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import baserate as br
from baserate.exceptions import InvalidCountError
from baserate.kinds.classes.swaps import swap_test
from baserate.kinds.classes.task import MULTICLASS
from baserate.kinds.two_classes.swaps import swap_test as binary_swap_test
from baserate.kinds.two_classes.task import BINARY
from baserate.measures.classes import CLASS_MEASURES, get_class_measure
from baserate.observed.classes import ClassCounts, ConfusionMatrix, JointMatrix
from baserate.observed.two_classes import Answers, JointTable
from class_measures import measure_of
from exact_tables import DEFINITIONS, Exact, Table, same

if TYPE_CHECKING:
    from baserate.measures.classes_record import ClassMeasure

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


@pytest.mark.parametrize("key", ["kappa", "macro F1", "G-mean", "balanced accuracy"])
def test_models_that_are_alike_are_rarely_called_different(key: str) -> None:
    """Over all swaps of a table, a p-value is at most x with a probability of at most x."""
    classes, rows = SMALL[2]
    measure = get_class_measure(key)
    found = [swap_test(measure, _joint(each, classes)).p_value for each in _all_swaps(rows)]
    for level in {*found, 0.05}:
        assert np.mean(np.array(found) <= level + 1e-12) <= level + 1e-9


def test_accuracy_has_the_exact_test_of_mcnemar() -> None:
    """Of 5 and 14 rows on which one model alone is right; other measures of accuracy agree."""
    joint = JointMatrix("abc", [0, 1, 2, 2], [0, 2, 0, 1], [1, 1, 1, 0], [5, 14, 6, 3])
    heads = sum(math.comb(19, k) for k in range(14, 20))
    for key in ("accuracy", "Hamming loss", "micro F1", "weighted recall", "micro Jaccard"):
        p_value, method, _ = swap_test(get_class_measure(key), joint)
        assert method == "exact"
        assert p_value == pytest.approx(2 * heads / 2**19, rel=1e-12)


def test_two_classes_have_the_p_values_of_the_binary_task() -> None:
    """By the measures that both tasks have."""
    table = JointTable(Answers(20, 3, 9, 8), Answers(4, 6, 2, 48))
    joint = _of_binary(table)
    for key, name in BOTH.items():
        expected = binary_swap_test(br.get_measure(name), table).p_value
        found = swap_test(get_class_measure(key), joint).p_value
        assert found == pytest.approx(expected, rel=1e-9)


def _limits(joint: JointMatrix, measure: ClassMeasure) -> tuple[float, float]:
    return MULTICLASS.paired(joint, 0.05).limits(measure)


BOTH = {"accuracy": "ACC", "MCC": "MCC", "kappa": "KAPPA", "balanced accuracy": "BACC"}


def _of_binary(table: JointTable) -> JointMatrix:
    p, n = table.positives, table.negatives
    counts = [n.neither, n.second, n.first, n.both, p.neither, p.second, p.first, p.both]
    truth, first, second = np.array([(k >> 2 & 1, k >> 1 & 1, k & 1) for k in range(8)]).T
    return JointMatrix((0, 1), truth, first, second, counts)


def test_two_classes_have_nearly_the_limits_of_the_binary_task() -> None:
    """Both ends are within a tenth of the interval."""
    table = JointTable(Answers(20, 3, 9, 8), Answers(4, 6, 2, 48))
    for key, name in BOTH.items():
        expected = BINARY.paired(table, 0.05).limits(br.get_measure(name))
        found = _limits(_of_binary(table), get_class_measure(key))
        assert found == pytest.approx(expected, abs=0.1 * (expected[1] - expected[0]))


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


def test_limits_of_a_difference_are_rarely_wrong() -> None:
    """Macro F1 of two models on 80 test sets: 60 observations, four classes."""
    rng = np.random.default_rng(3)
    cells = rng.dirichlet(np.ones(64) / 2) + 0.004
    cells = (cells / cells.sum()).reshape(4, 4, 4)
    measure = get_class_measure("macro F1")
    true = float(measure.scores(cells.sum(axis=1)) - measure.scores(cells.sum(axis=2)))
    places = np.stack(np.unravel_index(np.arange(64), (4, 4, 4)))
    wrong = np.zeros(2)
    for counts in rng.multinomial(60, cells.ravel(), 80):
        low, high = _limits(JointMatrix(range(4), *places, counts), measure)
        wrong += low > true, high < true
    assert max(wrong) <= 80 * 0.025 + 3 * math.sqrt(80 * 0.025)


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
