"""Count every model against the truth, as a whole and in each group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from baserate.core.paired import pairs_of
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


class Both(NamedTuple):
    """How often two models say positive on the same row, among the positives and the negatives."""

    positives: int
    negatives: int


class PairCounts(NamedTuple):
    """The counts of every model, and how often each pair of models says positive together."""

    counts: Counts
    both: dict[tuple[str, str], dict[Group | None, Both]]
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
    counter = _Counter.reading(y_true, models, pos_label, by, drop=drop, shown=shown)
    counts = {name: counter.count(name, labels) for name, labels in models.items()}
    return ModelCounts(counts, counter.dropped)


def count_pairs(
    y_true: Labels,
    models: Mapping[str, Labels],
    pos_label: object,
    by: Labels | None,
    *,
    drop: bool = False,
    with_first: bool = False,
    shown: Shown | None = None,
) -> PairCounts:
    """Count each model, and pairs of models on the same rows; see `count_models`."""
    counter = _Counter.reading(y_true, models, pos_label, by, drop=drop, shown=shown)
    counts = {name: counter.count(name, labels) for name, labels in models.items()}
    masks = {name: counter.positive(name, labels) for name, labels in models.items()}
    both = {
        (one, other): counter.both(masks[one] & masks[other])
        for one, other in pairs_of(list(models), with_first=with_first)
    }
    return PairCounts(counts, both, counter.dropped)


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

    @classmethod
    def reading(
        cls,
        y_true: Labels,
        models: Mapping[str, Labels],
        pos_label: object,
        by: Labels | None,
        *,
        drop: bool,
        shown: Shown | None,
    ) -> _Counter:
        """Return a counter that has read the truth, next to which all columns stand in order."""
        shown = shown or Shown("y_true", {name: f"model {text(name)}" for name in models})
        require_aligned(shown.labels(y_true, models) | {"by": by})
        counter = cls(y_true, pos_label, by, shown)
        counter.read(models, drop=drop)
        return counter

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
        predicted = self._kept(name, labels)
        columns = {self.shown.truth: self.y_true, self.shown.models[name]: predicted}
        counts = count_labels(columns, self.pos_label, may_drop=True)
        self.negative = agreed_negative("models", self.negative, counts.negative)
        return {None: counts.cells} | self._by_group(predicted, counts.total)

    def positive(self, name: str, labels: Labels) -> Mask:
        """Return where a model that was counted says positive."""
        (mask,) = positive_masks({name: self._kept(name, labels)}, self.pos_label)
        return mask

    def both(self, prediction: Mask) -> dict[Group | None, Both]:
        """Count the positive predictions in each class, as a whole and in each group."""
        (truth,) = positive_masks({"y_true": self.y_true}, self.pos_label)
        tp, predicted = np.count_nonzero(truth & prediction), np.count_nonzero(prediction)
        found: dict[Group | None, Both] = {None: Both(int(tp), int(predicted - tp))}
        if self.groups is not None:
            counts = self.groups.count(truth, prediction)
            found |= {group: Both(cells.tp, cells.fp) for group, cells in counts.items()}
        return found

    def _kept(self, name: str, labels: Labels) -> Any:
        """Return the labels of a model that are not dropped."""
        predicted = column_of(self.shown.models[name], labels)
        return predicted if self.keep is None else predicted[self.keep]

    def _by_group(self, predicted: Labels, total: int) -> dict[Group | None, FourCounts]:
        if self.by is None:
            return {}
        if self.groups is None:
            self.groups = Groups.of(self.by, total)
        return self.groups.count(
            *positive_masks({"y_true": self.y_true, "y_pred": predicted}, self.pos_label)
        )
