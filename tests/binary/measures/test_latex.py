"""A formula's LaTeX and its function are two texts: both give the same number."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np
import pytest

import baserate as br
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from baserate.measures.two_classes_record import Margins
from latex_formula import value

if TYPE_CHECKING:
    from baserate.core.measure import Formula

BETAS = {"F1": 1, "F2": 2, "F0.3": 0.3}
MEASURES = [*TWO_CLASS_MEASURES.values(), br.get_measure("PT"), br.fbeta(2), br.fbeta(0.3)]
OF_MARGINS = ("slope", "intercept", "expectation")


def _tables() -> list[tuple[int, int, int, int]]:
    rng = np.random.default_rng(0)
    return [tuple(rng.integers(1, 40, 4).tolist()) for _ in range(20)]  # type: ignore[misc]


def _names(measure: br.Measure, table: tuple[int, int, int, int], s: float) -> dict[str, float]:
    """The values of the paper's symbols for a table without an empty cell."""
    tp, fp, fn, tn = table
    total = tp + fp + fn + tn
    return {
        "TP": tp, "FP": fp, "FN": fn, "TN": tn, "M": total, "P": tp + fn, "N": fp + tn,
        r"\hat{P}": tp + fp, r"\hat{N}": fn + tn, r"\theta^*": (tp + fp) / total,
        "TPR": tp / (tp + fn), "TNR": tn / (tn + fp), "FPR": fp / (tn + fp),
        "PPV": tp / (tp + fp), "NPV": tn / (tn + fn), "Acc": (tp + tn) / total,
        r"\beta": BETAS.get(measure.key, math.nan), "s": s,
    }  # fmt: skip


def _pairs(
    measure: br.Measure, table: tuple[int, int, int, int], s: float
) -> list[tuple[str, Formula, float]]:
    """Return every formula of a record with the value of its function."""
    tp, fp, fn, tn = table
    margins = Margins(tp + fn, fp + tn, tp + fp, fn + tn)
    rate = br.BaseRate(positives=tp + fn, total=tp + fp + fn + tn)
    pairs = [("definition", measure.definition, measure.definition(*table))]
    known = ((fact, getattr(measure.draw, fact)) for fact in OF_MARGINS)
    pairs += [(fact, formula, formula(margins)) for fact, formula in known if formula is not None]
    extremes = [
        extreme for extreme in (measure.draw.maximum, measure.draw.minimum) if extreme is not None
    ]
    pairs += [("extreme", extreme.value, extreme.value(rate)) for extreme in extremes]
    if measure.draw.gain is not None:
        pairs.append(("gain", measure.draw.gain, measure.draw.gain(*table)))
    if measure.level is not None:
        pairs.append(("level", measure.level, float(measure.level(Decimal(s), *table))))
    return pairs


def _law_of_two_texts(measure: br.Measure) -> None:
    for number, table in enumerate(_tables()):
        s = (number + 1) / 21
        names = _names(measure, table, s)
        if "TPR" in measure.definition.latex and names["TPR"] == names["FPR"]:
            continue
        for fact, formula, computed in _pairs(measure, table, s):
            printed = value(formula.latex, names)
            assert math.isclose(printed, computed, rel_tol=1e-9, abs_tol=1e-9), (fact, table)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.key)
def test_what_is_printed_is_what_is_computed(measure: br.Measure) -> None:
    """The LaTeX and the function agree for every formula of every record, on twenty tables."""
    _law_of_two_texts(measure)


def test_no_formula_is_forgotten() -> None:
    """The comparison covers every field that holds a formula."""
    table = (3, 2, 1, 4)
    for measure in MEASURES:
        facts = [*vars(measure).values(), *vars(measure.draw).values()]
        held = [value for value in facts if hasattr(value, "latex")]
        extremes = [value.value for value in facts if hasattr(value, "place")]
        compared = [formula for _, formula, _ in _pairs(measure, table, 0.5)]
        formulas = [value for value in [*held, *extremes] if callable(value)]
        assert len(compared) == len(formulas)


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"1 - \frac{2}{4} / 2", 0.75),
        (r"2 (3 - 1) P^2", 36.0),
        (r"-\sqrt{P \cdot P}", -3.0),
        (r"\max\{P, 5\} - \min\{P, 5\}", 2.0),
        (r"x_o - 1,\ x_o = P", 2.0),
    ],
)
def test_the_reader_reads(latex: str, expected: float) -> None:
    """The evaluator handles precedence, signs, juxtaposition and definitions."""
    assert value(latex, {"P": 3}) == expected


def test_the_law_can_fail() -> None:
    """The comparison notices a wrong formula."""
    wrong = br.Measure.custom("wrong", lambda tp, fp, fn, tn: tp)
    object.__setattr__(wrong, "definition", type(wrong.definition)(r"\text{FP}", lambda *t: t[0]))
    with pytest.raises(AssertionError):
        _law_of_two_texts(wrong)
