"""Tables of several classes: what adds up, what is equal, and what is none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

import baserate as br
from baserate.core.observed import Rows, Weights
from baserate.exceptions import (
    InvalidMeasureError,
    UndefinedMeasureWarning,
)
from baserate.kinds.classes import MULTICLASS
from baserate.measures.classes import CLASS_MEASURES, get_class_measure
from baserate.observed.labels import ConfusionMatrix

TABLE = ConfusionMatrix([[3, 1], [0, 2]], ["a", "b"])


def test_matrices_of_the_same_classes_add_up() -> None:
    """Cell by cell; a part may have other classes, or the same in another order."""
    assert ConfusionMatrix([[6, 2], [0, 4]], ["a", "b"]) == TABLE + TABLE
    assert ConfusionMatrix([[5, 1], [1, 5]], ["a", "b"]) == TABLE + ConfusionMatrix(
        [[3, 1], [0, 2]], ["b", "a"]
    )
    truth, predicted = list("abcabca"), list("abbccaa")
    parts = (slice(None, 2), slice(2, 4), slice(4, None))
    found = sum(ConfusionMatrix.of(truth[each], predicted[each]) for each in parts)
    assert found == ConfusionMatrix.of(truth, predicted)
    assert sum(br.ConfusionMatrix.of([each], [1]) for each in (0, 1)) == br.ConfusionMatrix(
        tp=1, fp=1
    )
    with pytest.raises(TypeError, match="unsupported operand"):
        TABLE + 1  # type: ignore[operator]
    assert TABLE != "a table"


@pytest.mark.parametrize("kind", [list, np.array])
def test_weighted_labels_are_counted_as_in_scikit_learn(kind: Any) -> None:
    """Texts with weights; a class of no weight is left out."""
    truth, predicted = kind(list("abcab")), kind(list("abcba"))
    weights = np.array([2.0, 1, 0, 3, 1])
    rows = Rows(weights=Weights(weights, "frequency"))
    found = MULTICLASS.observe(truth, {"m": predicted}, rows).tables["m"][None]
    assert found.labels == ("a", "b")
    expected = confusion_matrix(truth, predicted, sample_weight=weights, labels=["a", "b"])
    assert (found.counts == expected).all()


MATRIX = ConfusionMatrix([[4, 1], [2, 3]])
ONE_CLASS = ConfusionMatrix([[4, 1], [0, 0]])


def test_a_function_may_divide_by_zero_and_must_return_a_number() -> None:
    """A division by zero is no score; a text is an error that names the measure."""
    ratio = br.Measure.custom("ratio", lambda table: 1 / int(table[1, 0]))
    assert ratio.score(MATRIX) == 0.5
    with pytest.warns(UndefinedMeasureWarning, match="ratio is undefined"):
        assert math.isnan(ratio.score(ONE_CLASS))
    text = br.Measure.custom("text", lambda table: "good")
    with pytest.raises(InvalidMeasureError, match="function of 'text' must return a number"):
        text.score(MATRIX)


def test_zero_division_of_0_is_that_of_every_measure() -> None:
    """It is no choice, so that a measure without one takes it; 1 is an error there."""
    for measure in CLASS_MEASURES.values():
        assert get_class_measure(measure, zero_division=0) is measure
    with pytest.raises(InvalidMeasureError, match="macro F1 has no choice of zero_division"):
        get_class_measure("macro F1", zero_division=1)
