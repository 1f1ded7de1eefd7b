"""How functions of several classes read their arguments."""

from __future__ import annotations

from typing import Any

from baserate.core.calls import Reader
from baserate.multiclass.class_counts import ClassCounts
from baserate.multiclass.matrix import ConfusionMatrix
from baserate.multiclass.measures.catalogue import get_class_measure
from baserate.multiclass.predictions import require_test_set


def as_class_counts(test_set: Any, pos_label: object = None) -> ClassCounts:  # noqa: ARG001
    """Return the class counts of any description of a test set."""
    if isinstance(test_set, ClassCounts):
        return test_set
    return test_set.test_set if isinstance(test_set, ConfusionMatrix) else ClassCounts.of(test_set)


READER = Reader(
    table=ConfusionMatrix,
    test_set=ClassCounts,
    get_measure=get_class_measure,
    count=lambda y_true, y_pred, _: ConfusionMatrix.of(y_true, y_pred),
    test_set_of=as_class_counts,
    require_test_set=lambda name, table, y_true, _: require_test_set(name, table, y_true, by=None),
)
