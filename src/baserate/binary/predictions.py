"""Turn any form of predictions into one confusion table per model and group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from baserate.binary.base_rate import BaseRate
from baserate.binary.confusion import Confusion
from baserate.data.models import count_models
from baserate.exceptions import InvalidFrameError, InvalidPredictionsError
from baserate.exceptions.base import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from baserate.data.groups import Group
    from baserate.data.labels import Labels
    from baserate.data.models import Counts

Predictions: TypeAlias = Any
"""Labels, a `Confusion`, a mapping from model names to them, or a data frame of columns."""
Tables: TypeAlias = dict[str, dict["Group | None", Confusion]]
"""The confusion tables of each model, keyed by group; None is the whole test set."""

DEFAULT_NAME = "model"


def count_tables(
    y_true: Labels | None,
    predictions: Predictions,
    pos_label: object,
    by: Labels | None,
    *,
    drop: bool = False,
) -> tuple[Tables, int]:
    """Count every model, as a whole and in each group; also return how many rows were dropped."""
    models = named_models(predictions)
    given = {name: each for name, each in models.items() if isinstance(each, Confusion)}
    labels = {name: each for name, each in models.items() if name not in given}
    tables: Tables = {}
    dropped = 0
    if labels:
        if y_true is None:
            raise InvalidPredictionsError(
                f"must be given for the predicted labels of {_shown(next(iter(labels)))} "
                "(got None); only Confusion tables can do without",
                parameter="y_true",
            )
        counts, dropped = count_models(y_true, labels, pos_label, by, drop=drop)
        tables = tables_of(counts)
    for name, table in given.items():
        require_test_set(_shown(name), table, y_true, pos_label, by)
        tables[name] = {None: table}
    return {name: tables[name] for name in models}, dropped


def tables_of(counts: Counts) -> Tables:
    """Return counts as confusion tables."""
    return {
        name: {group: Confusion(**each._asdict()) for group, each in of_groups.items()}
        for name, of_groups in counts.items()
    }


def _shown(name: str) -> str:
    return f"model {shown(name)}"


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


def named_columns(predictions: Predictions) -> dict[str, str]:
    """Return the column names of the models, keyed by model name."""
    if isinstance(predictions, str):
        predictions = [predictions]
    if isinstance(predictions, list | tuple):
        named = [(name, name) for name in predictions]
    else:
        named = list(predictions.items()) if isinstance(predictions, Mapping) else [(None, None)]
    if not all(isinstance(column, str) for _, column in named):
        raise InvalidFrameError(
            "must be the names of columns when truth is one, such as "
            f"predictions=['tree', 'knn'] (got {shown(predictions)})",
            parameter="predictions",
        )
    if not named:
        raise InvalidPredictionsError.none()
    return _unique(named)


def named_models(predictions: Predictions) -> dict[str, Any]:
    """Return the predictions of the models, keyed by name."""
    if predictions is None:
        raise InvalidPredictionsError.none()
    models = _unique(_named(predictions))
    if not models:
        raise InvalidPredictionsError.none()
    return models


def _named(predictions: Predictions) -> Iterable[tuple[object, Any]]:
    if isinstance(predictions, Mapping):
        return predictions.items()
    if isinstance(predictions, Confusion | list | tuple | np.ndarray):
        return [(DEFAULT_NAME, predictions)]
    return _columns(predictions)


def _columns(predictions: Predictions) -> Iterable[tuple[object, Any]]:
    """Return the columns of a data frame, or a single column unchanged."""
    import narwhals.stable.v2 as nw

    if hasattr(predictions, "iloc") and hasattr(predictions, "columns"):
        # Pandas columns may have any names, even duplicates: take them by position.
        places = enumerate(predictions.columns)
        return [(name, predictions.iloc[:, place]) for place, name in places]
    if nw.dependencies.is_into_dataframe(predictions):
        frame = nw.from_native(predictions, eager_only=True)
        return [(name, frame[name].to_native()) for name in frame.columns]
    name = getattr(predictions, "name", None)
    return [(name if isinstance(name, str) and name else DEFAULT_NAME, predictions)]


def _unique(named: Iterable[tuple[object, Any]]) -> dict[str, Any]:
    models: dict[str, Any] = {}
    for name, labels in named:
        if str(name) in models:
            raise InvalidPredictionsError(
                f"every model must have its own name (got {shown(str(name))} twice)"
            )
        models[str(name)] = labels
    return models
