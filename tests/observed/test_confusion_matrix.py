"""Tables of several classes: what adds up, what is equal, and what is none."""

from __future__ import annotations

import math

import pytest

import baserate as br
from front_door import catalogue

TABLE = br.ConfusionMatrix([[3, 1], [0, 2]], ["a", "b"])


def test_matrices_of_the_same_classes_add_up() -> None:
    """Cell by cell; a part may have other classes, or the same in another order."""
    assert br.ConfusionMatrix([[6, 2], [0, 4]], ["a", "b"]) == TABLE + TABLE
    assert br.ConfusionMatrix([[5, 1], [1, 5]], ["a", "b"]) == TABLE + br.ConfusionMatrix(
        [[3, 1], [0, 2]], ["b", "a"]
    )
    truth, predicted = list("abcabca"), list("abbccaa")
    parts = (slice(None, 2), slice(2, 4), slice(4, None))
    found = sum(br.ConfusionMatrix.of(truth[each], predicted[each]) for each in parts)
    assert found == br.ConfusionMatrix.of(truth, predicted)
    assert sum(br.ConfusionMatrix.of([each], [1]) for each in (0, 1)) == br.ConfusionMatrix(
        tp=1, fp=1
    )
    with pytest.raises(TypeError, match="unsupported operand"):
        TABLE + 1  # type: ignore[operator]
    assert TABLE != "a table"


MATRIX = br.ConfusionMatrix([[4, 1], [2, 3]])
ONE_CLASS = br.ConfusionMatrix([[4, 1], [0, 0]])


def test_a_function_may_divide_by_zero() -> None:
    """A division by zero is no score."""
    ratio = br.Measure.custom("ratio", lambda table: 1 / int(table[1, 0]))
    assert ratio.score(MATRIX) == 0.5
    with pytest.warns(br.exceptions.UndefinedMeasureWarning, match="ratio is undefined"):
        assert math.isnan(ratio.score(ONE_CLASS))


def test_zero_division_of_0_is_that_of_every_measure() -> None:
    """It is no choice, so that a measure without one takes it."""
    for key in catalogue("several classes"):
        measure = br.get_measure(key, task="multiclass")
        assert br.get_measure(key, task="multiclass", zero_division=0) is measure
