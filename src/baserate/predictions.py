"""From whatever users have their predictions in, to a confusion table per model and group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from baserate.base_rate import BaseRate
from baserate.confusion import Confusion, count_table
from baserate.exceptions import InvalidFrameError, InvalidPredictionsError
from baserate.groups import Groups
from baserate.labels import complete_rows, positive_masks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from baserate.groups import Group
    from baserate.labels import Labels

Predictions: TypeAlias = Any
"""Labels, a `Confusion`, a mapping from model names to them, or a data frame of columns."""
Tables: TypeAlias = dict[str, dict["Group | None", Confusion]]
"""The confusion tables of each model, by group; None is the whole test set."""

DEFAULT_NAME = "model"


def count_tables(
    y_true: Labels | None,
    predictions: Predictions,
    pos_label: object,
    by: Labels | None,
    *,
    drop: bool = False,
) -> tuple[Tables, int]:
    """Count every model, as a whole and in each group; and the observations that were dropped."""
    models = _models(predictions)
    dropped = 0
    if drop and y_true is not None:
        (y_true, by, models), dropped = _complete(y_true, by, models)
    counter = _Counter(y_true, pos_label, by)
    return {name: counter.tables(name, labels) for name, labels in models.items()}, dropped


def named_columns(predictions: Predictions) -> dict[str, str]:
    """Return the columns of the models by name."""
    if isinstance(predictions, str):
        predictions = [predictions]
    if isinstance(predictions, list | tuple):
        named = [(name, name) for name in predictions]
    else:
        named = list(predictions.items()) if isinstance(predictions, Mapping) else [(None, None)]
    if not all(isinstance(column, str) for _, column in named):
        raise InvalidFrameError.no_names(predictions)
    if not named:
        raise InvalidPredictionsError.none()
    return _unique(named)


def _complete(
    y_true: Labels, by: Labels | None, models: dict[str, Any]
) -> tuple[tuple[Labels, Labels | None, dict[str, Any]], int]:
    """Leave out the observations with a missing label, and return how many there were."""
    shown = {_shown(name): name for name, each in models.items() if not isinstance(each, Confusion)}
    labels = {"y_true": y_true} | {text: models[name] for text, name in shown.items()}
    kept, keep = complete_rows(labels)
    groups = None if by is None else Groups.of(by, keep.size).kept(keep)
    complete = {name: kept[text] for text, name in shown.items()}
    return (kept["y_true"], groups, models | complete), int(np.count_nonzero(~keep))


@dataclass
class _Counter:
    """Counts one model after another against the same truth."""

    y_true: Labels | None
    pos_label: object
    by: Labels | None
    groups: Groups | None = None

    def tables(self, name: str, labels: Confusion | Labels) -> dict[Group | None, Confusion]:
        shown = _shown(name)
        if isinstance(labels, Confusion):
            return {None: self._given(shown, labels)}
        if self.y_true is None:
            raise InvalidPredictionsError.no_truth(shown)
        overall = count_table({"y_true": self.y_true, shown: labels}, self.pos_label)
        return {None: overall} | self._by_group(labels, overall)

    def _given(self, shown: str, table: Confusion) -> Confusion:
        if table.total == 0:
            raise InvalidPredictionsError.empty_table(shown)
        if self.by is not None:
            raise InvalidPredictionsError.groups_of_tables(shown)
        if self.y_true is not None:
            truth = BaseRate.of(self.y_true, self.pos_label)
            if truth != table.base_rate:
                raise InvalidPredictionsError.other_test_set(shown, table.base_rate, truth)
        return table

    def _by_group(self, labels: Labels, overall: Confusion) -> dict[Group | None, Confusion]:
        if self.by is None:
            return {}
        if self.groups is None:
            self.groups = Groups.of(self.by, overall.total)
        return self.groups.count(
            *positive_masks({"y_true": self.y_true, "y_pred": labels}, self.pos_label)
        )


def _shown(name: str) -> str:
    return f"model {name!r}"


def _models(predictions: Predictions) -> dict[str, Any]:
    """Return the models by name."""
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
    """Return the columns of a data frame, or a column as it is."""
    import narwhals.stable.v2 as nw

    if hasattr(predictions, "iloc") and hasattr(predictions, "columns"):
        # The columns of pandas may have any names, and even the same: take them by their place.
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
            raise InvalidPredictionsError.duplicate(str(name))
        models[str(name)] = labels
    return models
