"""From whatever users have their predictions in, to a confusion table per model and group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from baserate.binary.base_rate import BaseRate
from baserate.binary.confusion import Confusion, table_of
from baserate.data.groups import Groups
from baserate.data.labels import (
    agreed_negative,
    complete_rows,
    count_labels,
    positive_masks,
)
from baserate.data.vectors import column_of
from baserate.exceptions import InvalidFrameError, InvalidPredictionsError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from baserate.data.counting import Mask
    from baserate.data.groups import Group
    from baserate.data.labels import Labels

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
    return count_models(y_true, _models(predictions), pos_label, by, drop=drop)


def count_models(
    y_true: Labels | None,
    models: dict[str, Any],
    pos_label: object,
    by: Labels | None,
    *,
    drop: bool = False,
    shown: Shown | None = None,
) -> tuple[Tables, int]:
    """Count models that have names, in a report and in an error."""
    shown = shown or Shown("y_true", {name: f"model {name!r}" for name in models})
    counter = _Counter(y_true, pos_label, by, shown)
    if y_true is not None:
        counter.read(models, drop=drop)
    return {name: counter.tables(name, each) for name, each in models.items()}, counter.dropped


class Shown(NamedTuple):
    """What an error calls the truth, and each model."""

    truth: str
    models: dict[str, str]

    def labels(self, y_true: Labels, models: dict[str, Any]) -> dict[str, Labels]:
        """Return all columns of labels by these names."""
        named = {self.models[name]: labels for name, labels in models.items()}
        columns = {text: each for text, each in named.items() if not isinstance(each, Confusion)}
        return {self.truth: y_true} | columns


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


@dataclass
class _Counter:
    """Counts one model after another against the same truth."""

    y_true: Labels | None
    pos_label: object
    by: Labels | None
    shown: Shown
    groups: Groups | None = None
    keep: Mask | None = None
    negative: Any = None

    def read(self, models: dict[str, Any], *, drop: bool) -> None:
        """Read the truth once for all models; leave out what lacks a label, if asked to."""
        self.y_true = column_of(self.shown.truth, self.y_true)
        if drop:
            self.keep = complete_rows(self.shown.labels(self.y_true, models))
            if self.by is not None:
                self.groups = Groups.of(self.by, self.keep.size).kept(self.keep)
            self.y_true = self.y_true[self.keep]

    @property
    def dropped(self) -> int:
        """How many observations were left out."""
        return 0 if self.keep is None else int(np.count_nonzero(~self.keep))

    def tables(self, name: str, labels: Confusion | Labels) -> dict[Group | None, Confusion]:
        """Count a model, as a whole and in each group."""
        shown = self.shown.models[name]
        if isinstance(labels, Confusion):
            return {None: self._given(shown, labels)}
        if self.y_true is None:
            raise InvalidPredictionsError.no_truth(shown)
        predicted = column_of(shown, labels)
        if self.keep is not None:
            predicted = predicted[self.keep]
        counts = count_labels({self.shown.truth: self.y_true, shown: predicted}, self.pos_label)
        self.negative = agreed_negative("models", self.negative, counts.negative)
        overall = table_of(counts)
        return {None: overall} | self._by_group(predicted, overall)

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
