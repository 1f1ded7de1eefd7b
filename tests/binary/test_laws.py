"""Laws that hold for every measure of the catalogue, and proof that each law can fail."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import baserate as br
from baserate.core.measure import Direction, Formula
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from laws import (
    LAWS_ON_DRAWS,
    LAWS_ON_TABLES,
    law_of_bounds,
    law_of_expectation,
    law_of_linearity,
    law_of_optimality,
    law_of_summation,
)
from reproduction import PAPER_MEASURES
from strategies import draws, tables

if TYPE_CHECKING:
    from collections.abc import Callable

ALL = list(TWO_CLASS_MEASURES.values())
SUBJECTS = [*ALL, br.fbeta(2), br.fbeta(0.3)]
NONLINEAR = {"G2", "TS"}


# One table for all measures: to draw it takes longer than to put a law to it.


@settings(max_examples=60)
@given(table=tables())
def test_laws_on_tables(table: br.ConfusionMatrix) -> None:
    """The laws of single scores hold on every table, up to M = 10¹⁵."""
    for measure in SUBJECTS:
        law_of_bounds(measure, table)
        law_of_linearity(measure, table)


@settings(max_examples=60)
@given(drawn=draws())
def test_laws_on_draws(drawn: br.DutchDraw) -> None:
    """The laws of expectations hold under every draw, up to M = 10¹⁵."""
    for measure in SUBJECTS:
        law_of_expectation(measure, drawn)
        law_of_optimality(measure, drawn)


@settings(max_examples=30)
@given(drawn=draws(st.integers(1, 60)))
def test_law_of_summation(drawn: br.DutchDraw) -> None:
    """The moments are those of the masses."""
    for measure in SUBJECTS:
        law_of_summation(measure, drawn)


def test_the_paper_s_measures_have_the_paper_s_formulas() -> None:
    """Of all 22, only G2 and TS lack Table 3's formulas, and only G2 lacks one of Table 4's."""
    assert len(PAPER_MEASURES) == 22
    for key, measure in PAPER_MEASURES.items():
        assert (
            (measure.draw.slope is None) == (measure.draw.expectation is None) == (key in NONLINEAR)
        )
        assert measure.draw.minimum is not None
        assert (measure.draw.maximum is None) == (key == "G2")


BROKEN = {
    law_of_bounds: ("definition", Formula("", lambda tp, fp, fn, tn: 1.5)),
    law_of_linearity: ("slope", Formula("", lambda m: 1 / (m.positives + 1))),
    law_of_expectation: ("expectation", Formula("", lambda m: m.positives / m.total)),
    law_of_summation: ("expectation", Formula("", lambda m: m.positives / m.total)),
    law_of_optimality: ("maximum", TWO_CLASS_MEASURES["TPR"].draw.minimum),
}


@pytest.mark.parametrize("law", LAWS_ON_TABLES + LAWS_ON_DRAWS)
def test_each_law_can_fail(law: Callable) -> None:
    """A law catches each wrong fact in the record of the True Positive Rate."""
    fact, wrong = BROKEN[law]
    right = TWO_CLASS_MEASURES["TPR"]
    changed = (
        {fact: wrong}
        if fact == "definition"
        else {"draw": dataclasses.replace(right.draw, **{fact: wrong})}
    )
    broken = dataclasses.replace(right, **changed)
    table = br.ConfusionMatrix(tp=3, fp=1, fn=2, tn=4)
    drawn = br.DutchDraw(table, predicted_positives=4)
    subject = table if law in LAWS_ON_TABLES else drawn
    law(TWO_CLASS_MEASURES["TPR"], subject)
    with pytest.raises(AssertionError):
        law(broken, subject)


@given(table=tables(st.integers(8, 200)))
def test_one_more_true_positive_is_never_worse(table: br.ConfusionMatrix) -> None:
    """For given margins, every measure of the catalogue is monotone in TP, its better way."""
    assume(table.fp and table.fn)
    better = br.ConfusionMatrix(tp=table.tp + 1, fp=table.fp - 1, fn=table.fn - 1, tn=table.tn + 1)
    for measure in SUBJECTS:
        if measure.failing_requirement(table) is None:
            change = measure.score(better) - measure.score(table)
            assert change > 0 if measure.direction is Direction.MAXIMIZE else change < 0
