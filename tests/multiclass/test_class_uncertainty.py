"""The limits of scores and margins of several classes, over test sets like this one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import binomtest

import baserate as br
from baserate.baselines.class_mix_search import class_baseline
from baserate.exceptions import InvalidCountError
from baserate.kinds.classes.task import MULTICLASS
from baserate.measures.classes import CLASS_MEASURES, get_class_measure
from baserate.measures.classes_record import Tables, needs_cells, scored
from baserate.observed.classes import ConfusionMatrix, JointMatrix
from class_measures import measure_of

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


# The oracle: nothing below comes from the library.


# Joint tables.


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
