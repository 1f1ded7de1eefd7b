"""Measures of several classes: what they take, and what they say where they have no score."""

from __future__ import annotations

import math
from typing import Any

import pytest

import baserate as br
from baserate.exceptions import (
    InvalidMeasureError,
    UndefinedMeasureWarning,
    UnknownMeasureError,
)
from baserate.kinds.classes.task import MULTICLASS
from baserate.measures.classes import CLASS_MEASURES, get_class_measure
from baserate.observed.classes import ConfusionMatrix

TABLE = ConfusionMatrix([[4, 1], [2, 3]])
ONE_CLASS = ConfusionMatrix([[4, 1], [0, 0]])


def test_a_score_is_of_a_matrix() -> None:
    """Counts alone are an error that says how to count labels."""
    with pytest.raises(InvalidMeasureError, match=r"kappa must be given a ConfusionMatrix.*list"):
        get_class_measure("kappa").score([[4, 1], [2, 3]])  # type: ignore[arg-type]


def test_no_score_is_a_warning_and_what_was_asked_for() -> None:
    """A mean over one class is not adjusted, and the caller chooses what stands for it."""
    measure = get_class_measure("adjusted balanced accuracy")
    with pytest.warns(UndefinedMeasureWarning, match="adjusted balanced accuracy is undefined: "):
        assert math.isnan(measure.score(ONE_CLASS))
    with pytest.warns(UndefinedMeasureWarning, match="adjusted balanced accuracy is undefined: "):
        assert measure.score(ONE_CLASS, undefined=-1.0) == -1.0


def test_a_function_may_divide_by_zero_and_must_return_a_number() -> None:
    """A division by zero is no score; a text is an error that names the measure."""
    ratio = br.Measure.custom("ratio", lambda table: 1 / int(table[1, 0]))
    assert ratio.score(TABLE) == 0.5
    with pytest.warns(UndefinedMeasureWarning, match="ratio is undefined"):
        assert math.isnan(ratio.score(ONE_CLASS))
    text = br.Measure.custom("text", lambda table: "good")
    with pytest.raises(InvalidMeasureError, match="function of 'text' must return a number"):
        text.score(TABLE)


@pytest.mark.parametrize("zero_division", [0.5, -1, math.inf])
def test_zero_division_is_0_1_or_nan(zero_division: float) -> None:
    """Other numbers are refused, as in scikit-learn."""
    with pytest.raises(InvalidMeasureError, match="zero_division must be 0, 1 or nan"):
        get_class_measure("macro precision", zero_division=zero_division)


def test_zero_division_of_0_is_that_of_every_measure() -> None:
    """It is no choice, so that a measure without one takes it; 1 is an error there."""
    for measure in CLASS_MEASURES.values():
        assert get_class_measure(measure, zero_division=0) is measure
    with pytest.raises(InvalidMeasureError, match="macro F1 has no choice of zero_division"):
        get_class_measure("macro F1", zero_division=1)


@pytest.mark.parametrize("measures", [5, 1.5, object()])
def test_what_names_no_measures(measures: Any) -> None:
    """Neither a name nor a list of names is an unknown measure."""
    with pytest.raises(UnknownMeasureError):
        MULTICLASS.chosen(measures)
