"""How functions of several classes read their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.calls import Reader
from baserate.data.columns import column_of
from baserate.multiclass.class_counts import ClassCounts
from baserate.multiclass.matrix import ConfusionMatrix
from baserate.multiclass.measures.catalogue import get_class_measure
from baserate.multiclass.predictions import require_test_set

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.data.columns import Labels


def as_class_counts(test_set: Any, pos_label: object = None) -> ClassCounts:  # noqa: ARG001
    """Return the class counts of any description of a test set."""
    if isinstance(test_set, ClassCounts):
        return test_set
    return test_set.test_set if isinstance(test_set, ConfusionMatrix) else ClassCounts.of(test_set)


def weighted_matrix(y_true: Labels, y_pred: Labels, weights: NDArray[Any]) -> ConfusionMatrix:
    """Count labels, each observation as often as its weight says.

    A class whose observations all weigh nothing is left out, as if they were not there.
    """
    labels = ConfusionMatrix.of(y_true, y_pred).labels
    place = {label: number for number, label in enumerate(labels)}
    truth, predicted = (
        [place[label] for label in column_of(name, column).tolist()]
        for name, column in (("y_true", y_true), ("y_pred", y_pred))
    )
    counts = np.zeros((len(labels), len(labels)))
    np.add.at(counts, (truth, predicted), weights)
    met = np.flatnonzero(counts.sum(axis=0) + counts.sum(axis=1))
    if not met.size:
        return ConfusionMatrix(counts, labels)
    return ConfusionMatrix(counts[np.ix_(met, met)], [labels[each] for each in met])


READER = Reader(
    table=ConfusionMatrix,
    test_set=ClassCounts,
    get_measure=get_class_measure,
    count=lambda y_true, y_pred, _: ConfusionMatrix.of(y_true, y_pred),
    weigh=lambda y_true, y_pred, _, weights: weighted_matrix(y_true, y_pred, weights),
    test_set_of=as_class_counts,
    require_test_set=lambda name, table, y_true, _: require_test_set(name, table, y_true, by=None),
)
