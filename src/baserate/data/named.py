"""The models that a call is about, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.task import Observations
from baserate.data.vectors import text_of
from baserate.exceptions import InvalidFrameError, InvalidPredictionsError
from baserate.formatting import shortened, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

DEFAULT_NAME = "model"
"""What a model is called that has no name."""


def named_columns(predictions: Any) -> dict[str, str]:
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


def named_models(predictions: Any) -> dict[str, Any]:
    """Return the predictions of the models, keyed by name."""
    if predictions is None:
        raise InvalidPredictionsError.none()
    models = _unique(_named(predictions))
    if not models:
        raise InvalidPredictionsError.none()
    return models


def observed_models(
    models: Mapping[str, Any],
    kind: type[Any],
    y_true: Any,
    *,
    words: tuple[str, str],
    read: Callable[[dict[str, Any]], tuple[Mapping[str, Mapping[Any, Any]], int]],
    require: Callable[[str, Any], None],
) -> Observations:
    """Return what every model did: some are counted already, and the others are read.

    Parameters
    ----------
    models
        The models by name.
    kind
        What is counted already.
    y_true
        The truth, which columns need.
    words
        What columns hold, and what does without the truth, for errors.
    read
        Counts the columns of some models; also returns how many rows were dropped.
    require
        Raises unless what is counted already, under a name, is of this test set.
    """
    columns = {name: each for name, each in models.items() if not isinstance(each, kind)}
    if columns and y_true is None:
        held, without = words
        raise InvalidPredictionsError(
            f"must be given for the {held} of model {shown(next(iter(columns)))} (got None); only "
            f"{without} can do without",
            parameter="y_true",
        )
    found, dropped = read(columns) if columns else ({}, 0)
    for name, table in models.items():
        if name not in columns:
            require(f"model {shown(name)}", table)
    tables = {name: found[name] if name in columns else {None: models[name]} for name in models}
    return Observations(tables, dropped)


def _named(predictions: Any) -> Iterable[tuple[object, Any]]:
    if isinstance(predictions, Mapping):
        return predictions.items()
    if isinstance(predictions, list | tuple | np.ndarray):
        return [(DEFAULT_NAME, predictions)]
    return _columns(predictions)


def _columns(predictions: Any) -> Iterable[tuple[object, Any]]:
    """Return the columns of a data frame, or a single column unchanged."""
    import narwhals.stable.v2 as nw

    if hasattr(predictions, "iloc") and hasattr(predictions, "columns"):
        # Pandas columns may have any names, even duplicates: take them by position.
        places = enumerate(predictions.columns)
        return [(name, predictions.iloc[:, place]) for place, name in places]
    if nw.dependencies.is_into_dataframe(predictions):
        try:
            frame = nw.from_native(predictions, eager_only=True)
            return [(name, frame[name].to_native()) for name in frame.columns]
        except nw.exceptions.DuplicateError as error:
            raise InvalidPredictionsError(
                f"every model must have its own name (got {shortened(error)})"
            ) from None
    name = getattr(predictions, "name", None)
    return [(name if isinstance(name, str) and name else DEFAULT_NAME, predictions)]


def _unique(named: Iterable[tuple[object, Any]]) -> dict[str, Any]:
    models: dict[str, Any] = {}
    for given, labels in named:
        name = text_of(given)
        if name in models:
            raise InvalidPredictionsError(
                f"every model must have its own name (got {shown(name)} twice)"
            )
        models[name] = labels
    return models
