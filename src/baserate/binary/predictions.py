"""Turn any form of predictions into one confusion table per model and group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from baserate.binary.base_rate import BaseRate
from baserate.binary.confusion import Confusion
from baserate.data.models import count_models
from baserate.data.rows import named_models, observed_models
from baserate.exceptions import InvalidPredictionsError

if TYPE_CHECKING:
    from baserate.core.task import Observations, Weights
    from baserate.data.columns import Labels
    from baserate.data.groups import Group
    from baserate.data.models import Counts

Predictions: TypeAlias = Any
"""Labels, a `Confusion`, a mapping from model names to them, or a data frame of columns."""
Tables: TypeAlias = dict[str, dict["Group | None", Confusion]]
"""The confusion tables of each model, keyed by group; None is the whole test set."""


def count_tables(
    y_true: Labels | None,
    predictions: Predictions,
    pos_label: object,
    by: Labels | None,
    *,
    drop: bool = False,
    weights: Weights | None = None,
) -> Observations:
    """Count every model, as a whole and in each group; also return how many rows were dropped."""

    def read(labels: dict[str, Any]) -> tuple[Tables, int]:
        counts, dropped = count_models(y_true, labels, pos_label, by, drop=drop, weights=weights)
        return tables_of(counts), dropped

    return observed_models(
        named_models(predictions),
        Confusion,
        y_true,
        words=("predicted labels", "Confusion tables"),
        read=read,
        require=lambda model, table: require_test_set(model, table, y_true, pos_label, by),
    )


def tables_of(counts: Counts) -> Tables:
    """Return counts as confusion tables."""
    return {
        name: {group: Confusion(**each._asdict()) for group, each in of_groups.items()}
        for name, of_groups in counts.items()
    }


def require_test_set(
    model: str, table: Confusion, y_true: Labels | None, pos_label: object, by: Labels | None
) -> None:
    """Raise unless a table describes the same test set as the labels of other models."""
    if table.total == 0:
        raise InvalidPredictionsError(
            f"{model} must have at least one observation (got an empty Confusion)"
        )
    if by is not None:
        raise InvalidPredictionsError(
            f"must come with predicted labels ({model} is a Confusion, which has no rows to "
            "group); evaluate the tables of each group as models of their own",
            parameter="by",
        )
    if y_true is not None:
        truth = BaseRate.of(y_true, pos_label)
        if truth != table.base_rate:
            raise InvalidPredictionsError(
                f"{model} must be counted on the labels of y_true, {truth} (got {table.base_rate})"
            )
