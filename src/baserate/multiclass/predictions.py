"""Turn any form of predictions into one confusion matrix per model and group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from baserate.data.classes import count_classes
from baserate.data.rows import named_models, observed_models
from baserate.exceptions import InvalidPredictionsError
from baserate.multiclass.class_counts import ClassCounts
from baserate.multiclass.matrix import ConfusionMatrix

if TYPE_CHECKING:
    from baserate.core.task import Observations, Weights
    from baserate.data.classes import ClassTables
    from baserate.data.columns import Labels
    from baserate.data.groups import Group

Matrices: TypeAlias = dict[str, dict["Group | None", ConfusionMatrix]]
"""The confusion matrices of each model, keyed by group; None is the whole test set."""


def count_matrices(
    y_true: Labels | None,
    predictions: Any,
    by: Labels | None,
    *,
    drop: bool = False,
    weights: Weights | None = None,
) -> Observations:
    """Count every model, as a whole and in each group; also return how many rows were dropped."""
    return observed_models(
        named_models(predictions),
        ConfusionMatrix,
        y_true,
        words=("predicted labels", "a ConfusionMatrix"),
        read=lambda labels: matrices_of(
            count_classes(y_true, labels, by, drop=drop, weights=weights)
        ),
        require=lambda model, table: require_test_set(model, table, y_true, by),
    )


def matrices_of(counted: ClassTables) -> tuple[Matrices, int]:
    """Return counts as confusion matrices."""
    tables = {
        name: {group: ConfusionMatrix(each, counted.labels) for group, each in groups.items()}
        for name, groups in counted.tables.items()
    }
    return tables, counted.dropped


def require_test_set(
    model: str, table: ConfusionMatrix, y_true: Labels | None, by: Labels | None
) -> None:
    """Raise unless a matrix describes the same test set as the labels of other models."""
    if table.total == 0:
        raise InvalidPredictionsError(
            f"{model} must have at least one observation (got an empty ConfusionMatrix)"
        )
    if by is not None:
        raise InvalidPredictionsError(
            f"must come with predicted labels ({model} is a ConfusionMatrix, which has no rows to "
            "group); evaluate the matrices of each group as models of their own",
            parameter="by",
        )
    if y_true is None:
        return
    truth = ClassCounts.of(y_true)
    counted = dict(zip(table.test_set.labels, table.test_set.counts, strict=True))
    if counted != dict(zip(truth.labels, truth.counts, strict=True)):
        raise InvalidPredictionsError(
            f"{model} must be counted on the labels of y_true, {truth} (got {table.test_set})"
        )
