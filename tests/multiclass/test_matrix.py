"""Tables of several classes: what adds up, what is equal, and what is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from baserate.exceptions import InvalidCountError
from baserate.kinds.classes.task import MULTICLASS
from baserate.observed.classes import ClassCounts, ConfusionMatrix

TABLE = ConfusionMatrix([[3, 1], [0, 2]], ["a", "b"])


def test_matrices_of_the_same_classes_add_up() -> None:
    """Cell by cell; other classes, or the same in another order, do not."""
    assert ConfusionMatrix([[6, 2], [0, 4]], ["a", "b"]) == TABLE + TABLE
    for labels in (["b", "a"], ["a", "c"]):
        with pytest.raises(InvalidCountError, match="the same classes in the same order"):
            TABLE + ConfusionMatrix([[3, 1], [0, 2]], labels)
    with pytest.raises(TypeError, match="unsupported operand"):
        TABLE + 1  # type: ignore[operator]


def test_a_matrix_equals_matrices_alone() -> None:
    """Other things are not equal, whatever they hold."""
    assert ConfusionMatrix([[3, 1], [0, 2]], ["a", "b"]) == TABLE
    assert ConfusionMatrix([[3, 1], [0, 3]], ["a", "b"]) != TABLE
    assert TABLE != "a table"
    assert TABLE.__eq__([[3, 1], [0, 2]]) is NotImplemented


@pytest.mark.parametrize("kind", [list, np.array])
def test_weighted_labels_are_counted_as_in_scikit_learn(kind: Any) -> None:
    """Texts with weights; a class of no weight is left out, unless there is no other."""
    truth, predicted = kind(list("abcab")), kind(list("abcba"))
    weights = np.array([2.0, 1, 0, 3, 1])
    found = MULTICLASS.weigh(truth, predicted, None, weights)
    assert found.labels == ("a", "b")
    expected = confusion_matrix(truth, predicted, sample_weight=weights, labels=["a", "b"])
    assert (found.counts == expected).all()
    nothing = MULTICLASS.weigh(truth, predicted, None, np.zeros(5))
    assert (nothing.labels, nothing.total) == (("a", "b", "c"), 0)


def test_a_deck_is_a_count_for_each_class() -> None:
    """A number alone is none, and neither are counts of fewer cards than observations."""
    counts = ClassCounts({"a": 7, "b": 3})
    assert counts.require_guess({"b": 10}) == (0, 10)
    for deck in (10, [10], [5, 4], [11, -1]):
        with pytest.raises(InvalidCountError, match="y_pred must be 2 counts that add up to 10"):
            counts.require_guess(deck)  # type: ignore[arg-type]
