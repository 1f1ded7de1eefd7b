"""A formula's LaTeX and its function are two texts: both give the same number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

import baserate as br
from baserate.measures.classes import CLASS_MEASURES
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from baserate.measures.two_classes_record import Margins
from latex_formula import value

if TYPE_CHECKING:
    from baserate.core.measure import Formula
    from baserate.measures.classes_record import ClassMeasure

BETAS = {"F1": 1, "F2": 2, "F0.3": 0.3}
MEASURES = [*TWO_CLASS_MEASURES.values(), br.get_measure("PT"), br.fbeta(2), br.fbeta(0.3)]
OF_CLASSES = [*CLASS_MEASURES.values(), *map(br.get_measure, ("macro F2", "weighted F0.5"))]
RNG = np.random.default_rng(0)
TABLES = RNG.integers(1, 40, (20, 4)).tolist()


def _names(measure: br.Measure, table: list[int]) -> dict[str, float]:
    """The values of the paper's symbols for a table without an empty cell."""
    tp, fp, fn, tn = table
    total = tp + fp + fn + tn
    return {
        "TP": tp, "FP": fp, "FN": fn, "TN": tn, "M": total, "P": tp + fn, "N": fp + tn,
        r"\hat{P}": tp + fp, r"\hat{N}": fn + tn, r"\theta^*": (tp + fp) / total,
        "TPR": tp / (tp + fn), "TNR": tn / (tn + fp), "FPR": fp / (tn + fp),
        "PPV": tp / (tp + fp), "NPV": tn / (tn + fn), "Acc": (tp + tn) / total,
        r"\beta": BETAS.get(measure.key, math.nan),
    }  # fmt: skip


def _pairs(measure: br.Measure, table: list[int]) -> list[tuple[Formula, float]]:
    """Return every formula of a record with the value of its function."""
    tp, fp, fn, tn = table
    margins = Margins(tp + fn, fp + tn, tp + fp, fn + tn)
    rate, draw = br.BaseRate(positives=tp + fn, total=tp + fp + fn + tn), measure.draw
    known = [each for each in (draw.slope, draw.intercept, draw.expectation) if each is not None]
    ends = [each.value for each in (draw.maximum, draw.minimum) if each is not None]
    pairs = [(measure.definition, measure.definition(*table))]
    pairs += [(each, each(margins)) for each in known] + [(each, each(rate)) for each in ends]
    if draw.gain is not None:
        pairs.append((draw.gain, draw.gain(*table)))
    return pairs


def _agree(measure: br.Measure) -> None:
    for table in TABLES:
        names = _names(measure, table)
        if "TPR" in measure.definition.latex and names["TPR"] == names["FPR"]:
            continue
        for formula, computed in _pairs(measure, table):
            printed = value(formula.latex, names)
            assert math.isclose(printed, computed, rel_tol=1e-9, abs_tol=1e-9), formula.latex


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.key)
def test_what_is_printed_is_what_is_computed(measure: br.Measure) -> None:
    """The LaTeX and the function agree for every formula of every record, on twenty tables."""
    _agree(measure)
    under_draw = {name: each for name, each in vars(measure.draw).items() if name != "constant"}
    facts = [*vars(measure).values(), *under_draw.values()]
    formulas = [each for each in facts if hasattr(each, "latex") and callable(each)]
    ends = [each for each in facts if hasattr(each, "place")]
    assert len(_pairs(measure, TABLES[0])) == len(formulas) + len(ends)


@pytest.mark.parametrize("measure", OF_CLASSES, ids=lambda measure: measure.key)
def test_measures_of_classes(measure: ClassMeasure) -> None:
    """Both agree on tables of two to five classes without an empty cell, so nothing is 0/0."""
    for classes in (2, 3, 4, 5):
        table = RNG.integers(1, 30, (classes, classes))
        names = {
            "C": table.tolist(),
            "n": table.sum(axis=1).tolist(),
            "m": table.sum(axis=0).tolist(),
            "M": int(table.sum()),
            "K": classes,
        }
        computed = float(measure.scores(table.astype(float)))
        assert math.isclose(value(measure.definition.latex, names), computed, rel_tol=1e-12)


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"1 - \frac{2}{4} / 2", 0.75),
        (r"2 (3 - 1) P^2", 36.0),
        (r"\max\{P, 5\} - \min\{P, 5\} - \sqrt{P \cdot P}", -1.0),
        (r"x_o - 1,\ x_o = P", 2.0),
        (r"\sum_{jk} |j - k| C_{jk} - \sum_k n_k m_k / M", -1.0),
        (r"\left(\prod_k n_k\right)^{1/K}", 5.0),
    ],
)
def test_the_reader_reads(latex: str, expected: float) -> None:
    """The evaluator handles precedence, signs, juxtaposition, definitions and sums over classes."""
    names = {"P": 3, "C": [[4, 1], [3, 2]], "n": [5, 5], "m": [7, 3], "M": 10, "K": 2}
    assert value(latex, names) == pytest.approx(expected)


def test_the_comparison_can_fail() -> None:
    """It notices a wrong formula."""
    wrong = br.Measure.custom("wrong", lambda tp, fp, fn, tn: tp)
    object.__setattr__(wrong, "definition", type(wrong.definition)(r"\text{FP}", lambda *t: t[0]))
    with pytest.raises(AssertionError):
        _agree(wrong)
