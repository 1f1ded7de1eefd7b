"""Count every model against the truth, as a whole and in each group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from baserate.data.alignment import require_aligned
from baserate.data.counting import FourCounts
from baserate.data.groups import Groups
from baserate.data.labels import agreed_negative, complete_rows, count_labels, positive_masks
from baserate.data.vectors import column_of
from baserate.exceptions.base import shown as text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from baserate.data.counting import Mask
    from baserate.data.groups import Group
    from baserate.data.labels import Labels

Counts: TypeAlias = dict[str, dict["Group | None", FourCounts]]
"""The four counts of each model, keyed by group; None is the whole test set."""


class ModelCounts(NamedTuple):
    """The counts of every model and group, and how many observations were dropped."""

    counts: Counts
    dropped: int


class Shown(NamedTuple):
    """The names of the truth and of each model in error messages."""

    truth: str
    models: dict[str, str]

    def labels(self, y_true: Labels, models: Mapping[str, Labels]) -> dict[str, Labels]:
        """Return all columns of labels, keyed by these names."""
        named = {self.models[name]: labels for name, labels in models.items()}
        return {self.truth: y_true} | named


def count_models(
    y_true: Labels,
    models: Mapping[str, Labels],
    pos_label: object,
    by: Labels | None,
    *,
    drop: bool = False,
    shown: Shown | None = None,
) -> ModelCounts:
    """Count the predictions of each model.

    Parameters
    ----------
    y_true
        The true labels.
    models
        The predicted labels of each model.
    pos_label
        The positive class.
    by
        The group of each observation.
    drop
        Whether to leave out observations with a missing label.
    shown
        The names for error messages.
    """
    shown = shown or Shown("y_true", {name: f"model {text(name)}" for name in models})
    require_aligned(shown.labels(y_true, models) | {"by": by})
    counter = _Counter(y_true, pos_label, by, shown)
    counter.read(models, drop=drop)
    counts = {name: counter.count(name, labels) for name, labels in models.items()}
    return ModelCounts(counts, counter.dropped)


@dataclass
class _Counter:
    """Count one model after another against the same truth."""

    y_true: Labels
    pos_label: object
    by: Labels | None
    shown: Shown
    groups: Groups | None = None
    keep: Mask | None = None
    negative: Any = None

    def read(self, models: Mapping[str, Labels], *, drop: bool) -> None:
        """Read the truth once for all models; if asked, drop observations with a missing label."""
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

    def count(self, name: str, labels: Labels) -> dict[Group | None, FourCounts]:
        """Count a model, as a whole and in each group."""
        shown = self.shown.models[name]
        predicted = column_of(shown, labels)
        if self.keep is not None:
            predicted = predicted[self.keep]
        counts = count_labels(
            {self.shown.truth: self.y_true, shown: predicted}, self.pos_label, may_drop=True
        )
        self.negative = agreed_negative("models", self.negative, counts.negative)
        return {None: counts.cells} | self._by_group(predicted, counts.total)

    def _by_group(self, predicted: Labels, total: int) -> dict[Group | None, FourCounts]:
        if self.by is None:
            return {}
        if self.groups is None:
            self.groups = Groups.of(self.by, total)
        return self.groups.count(
            *positive_masks({"y_true": self.y_true, "y_pred": predicted}, self.pos_label)
        )
