"""Count every model against the truth, as a whole and in each group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from baserate.core.paired import pairs_of
from baserate.data.alignment import require_aligned
from baserate.data.counting import FourCounts
from baserate.data.groups import Groups
from baserate.data.labels import agreed_negative, complete_rows, count_labels, positive_masks
from baserate.data.vectors import column_of
from baserate.data.weights import aligned_weights, count_places, left_out, observations, seen_rows
from baserate.formatting import shown as text

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from baserate.core.task import Weights
    from baserate.data.counting import Mask
    from baserate.data.groups import Group
    from baserate.data.labels import Labels

    Ints = NDArray[np.int64]

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
    weights: Weights | None = None,
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
    weights
        How often each observation was seen.
    """
    options: Any = {"drop": drop, "shown": shown, "weights": weights}
    counter = _Counter.reading(y_true, models, pos_label, by, **options)
    counts = {name: counter.count(name) for name in models}
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
    weights: Weights | None = None,
) -> PairCounts:
    """Count each model, and pairs of models on the same rows; see `count_models`."""
    options: Any = {"drop": drop, "shown": shown, "weights": weights}
    counter = _Counter.reading(y_true, models, pos_label, by, **options)
    counts = {name: counter.count(name) for name in models}
    masks = {name: counter.positive(name) for name in models}
    both = {
        (one, other): counter.both(masks[one] & masks[other])
        for one, other in pairs_of(list(models), with_first=with_first)
    }
    return PairCounts(counts, both, counter.dropped)


@dataclass
class _Counter:
    """Count one model after another against the same truth."""

    y_true: Labels
    models: Mapping[str, Labels]
    pos_label: object
    by: Labels | None
    shown: Shown
    counts: Ints | None = None
    groups: Groups | None = None
    keep: Mask | None = None
    negative: Any = None
    dropped: int = 0

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
        weights: Weights | None,
    ) -> _Counter:
        """Return a counter that has read the truth, next to which all columns stand in order."""
        shown = shown or Shown("y_true", {name: f"model {text(name)}" for name in models})
        named = shown.labels(y_true, models) | {"by": by}
        require_aligned(named | aligned_weights(weights))
        seen = seen_rows(weights, y_true, models, by)
        counter = cls(seen.y_true, seen.models, pos_label, seen.by, shown, seen.counts)
        counter.read(drop=drop)
        return counter

    def read(self, *, drop: bool) -> None:
        """Read the truth once for all models; if asked, drop observations with a missing label."""
        self.y_true = column_of(self.shown.truth, self.y_true)
        if drop:
            self.keep = complete_rows(self.shown.labels(self.y_true, self.models))
            if self.by is not None:
                self.groups = Groups.of(self.by, self.keep.size).kept(self.keep)
            self.y_true = self.y_true[self.keep]
            self.dropped, self.counts = left_out(self.keep, self.counts)

    def count(self, name: str) -> dict[Group | None, FourCounts]:
        """Count a model, as a whole and in each group."""
        predicted = self._kept(name)
        columns = {self.shown.truth: self.y_true, self.shown.models[name]: predicted}
        counts = count_labels(columns, self.pos_label, may_drop=True)
        self.negative = agreed_negative("models", self.negative, counts.negative)
        cells = counts.cells if self.counts is None else self._weighed(predicted, self.counts)
        return {None: cells} | self._by_group(predicted, counts.total)

    def positive(self, name: str) -> Mask:
        """Return where a model that was counted says positive."""
        (mask,) = positive_masks({name: self._kept(name)}, self.pos_label)
        return mask

    def both(self, prediction: Mask) -> dict[Group | None, Both]:
        """Count the positive predictions in each class, as a whole and in each group."""
        (truth,) = positive_masks({"y_true": self.y_true}, self.pos_label)
        tp = observations(truth & prediction, self.counts)
        fp = observations(~truth & prediction, self.counts)
        found: dict[Group | None, Both] = {None: Both(tp, fp)}
        if self.groups is not None:
            counts = self.groups.count(truth, prediction, self.counts)
            found |= {group: Both(cells.tp, cells.fp) for group, cells in counts.items()}
        return found

    def _kept(self, name: str) -> Any:
        """Return the labels of a model that are not dropped."""
        predicted = column_of(self.shown.models[name], self.models[name])
        return predicted if self.keep is None else predicted[self.keep]

    def _masks(self, predicted: Labels) -> list[Mask]:
        return positive_masks({"y_true": self.y_true, "y_pred": predicted}, self.pos_label)

    def _weighed(self, predicted: Labels, counts: Ints) -> FourCounts:
        """Count labels, each row as often as it was seen."""
        truth, prediction = self._masks(predicted)
        tn, fp, fn, tp = count_places(2 * truth + prediction, counts, 4).tolist()
        return FourCounts(tp, fp, fn, tn)

    def _by_group(self, predicted: Labels, total: int) -> dict[Group | None, FourCounts]:
        if self.by is None:
            return {}
        if self.groups is None:
            self.groups = Groups.of(self.by, total)
        truth, prediction = self._masks(predicted)
        return self.groups.count(truth, prediction, self.counts)
