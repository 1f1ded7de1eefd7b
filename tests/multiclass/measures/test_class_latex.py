"""The LaTeX of a measure of several classes and its function are two texts that agree."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from baserate.core.measure import Formula
from baserate.measures.classes import CLASS_MEASURES, get_class_measure
from latex_formula import value

if TYPE_CHECKING:
    from baserate.measures.classes_record import ClassMeasure

MEASURES = [*CLASS_MEASURES.values(), *map(get_class_measure, ("macro F2", "weighted F0.5"))]


def _law_of_two_texts(measure: ClassMeasure) -> None:
    """Both agree on tables of two to five classes without an empty cell, so nothing is 0/0."""
    rng = np.random.default_rng(0)
    for classes in (2, 2, 3, 3, 4, 5):
        table = rng.integers(1, 30, (classes, classes))
        names = {
            "C": table.tolist(),
            "n": table.sum(axis=1).tolist(),
            "m": table.sum(axis=0).tolist(),
            "M": int(table.sum()),
            "K": classes,
        }
        computed = float(measure.scores(table.astype(float)))
        assert math.isclose(value(measure.definition.latex, names), computed, rel_tol=1e-12)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.key)
def test_what_is_printed_is_what_is_computed(measure: ClassMeasure) -> None:
    """The LaTeX and the function of every record give the same score."""
    _law_of_two_texts(measure)


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"\sum_k C_{kk} - \sum_k n_k m_k / M", 1.0),
        (r"\sum_{jk} |j - k| C_{jk}", 4.0),
        (r"\sum_{jk} (j - k)^2 n_j m_k / M", 5.0),
        (r"\left(\prod_k n_k\right)^{1/K}", 5.0),
        (r"\frac{1}{K} \sum_k \frac{C_{kk}}{n_k} + 1", 1.6),
    ],
)
def test_the_reader_reads_sums_over_classes(latex: str, expected: float) -> None:
    """A sum goes as far as the product behind it, and its indices count from 0."""
    names = {"C": [[4, 1], [3, 2]], "n": [5, 5], "m": [7, 3], "M": 10, "K": 2}
    assert value(latex, names) == pytest.approx(expected)


def test_the_law_can_fail() -> None:
    """The comparison notices a formula of something else."""
    recall, precision = CLASS_MEASURES["macro recall"], CLASS_MEASURES["macro precision"]
    wrong = Formula(precision.definition.latex, recall.definition.function)
    with pytest.raises(AssertionError):
        _law_of_two_texts(dataclasses.replace(recall, definition=wrong))
