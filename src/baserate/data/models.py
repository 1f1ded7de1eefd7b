"""Count every model against a truth of two classes, as a whole and in each group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from baserate.core.observed import pairs_of
from baserate.data.labels import FourCounts, agreed_negative, count_labels, positive_masks
from baserate.data.rows import Shown, read_rows
from baserate.data.weights import count_places

if TYPE_CHECKING:
    from collections.abc import Mapping

    from baserate.core.observed import Weights
    from baserate.data.columns import Labels, Mask
    from baserate.data.groups import Group
    from baserate.data.rows import Rows

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
    """Count the predictions of each model, as a whole and in each group; see `read_rows`."""
    shown = shown or Shown.of(models)
    rows = read_rows(y_true, models, by, shown, drop=drop, weights=weights)
    counts = _require_two_classes(rows, shown, pos_label)
    if rows.groups is not None or rows.counts is not None:
        truth, masks = _masks(rows, shown, pos_label)
        counts = {name: _by_group(rows, truth, mask) for name, mask in masks.items()}
    return ModelCounts(counts, rows.dropped)


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
    shown = shown or Shown.of(models)
    rows = read_rows(y_true, models, by, shown, drop=drop, weights=weights)
    _require_two_classes(rows, shown, pos_label)
    truth, masks = _masks(rows, shown, pos_label)
    counts = {name: _by_group(rows, truth, mask) for name, mask in masks.items()}
    both = {}
    for one, other in pairs_of(list(models), with_first=with_first):
        cells = _by_group(rows, truth, masks[one] & masks[other])
        both[one, other] = {group: Both(each.tp, each.fp) for group, each in cells.items()}
    return PairCounts(counts, both, rows.dropped)


def _require_two_classes(rows: Rows, shown: Shown, pos_label: object) -> Counts:
    """Return the counts of each model as a whole, each row once, or raise."""
    negative: Any = None
    found: Counts = {}
    for name, predicted in rows.models.items():
        columns = {shown.truth: rows.truth, shown.models[name]: predicted}
        counts = count_labels(columns, pos_label, may_drop=True)
        negative = agreed_negative("models", negative, counts.negative)
        found[name] = {None: counts.cells}
    return found


def _masks(rows: Rows, shown: Shown, pos_label: object) -> tuple[Mask, dict[str, Mask]]:
    """Return where the truth and each model are positive."""
    # One by one, as a truth that is counted alone is its own prediction, and has one name.
    (truth,) = positive_masks({shown.truth: rows.truth}, pos_label)
    masks = {
        name: positive_masks({shown.models[name]: predicted}, pos_label)[0]
        for name, predicted in rows.models.items()
    }
    return truth, masks


def _by_group(rows: Rows, truth: Mask, prediction: Mask) -> dict[Group | None, FourCounts]:
    """Count truth against prediction, as a whole and in each group."""
    cells, names = 2 * truth + prediction, () if rows.groups is None else rows.groups.names
    if rows.groups is not None:
        cells += 4 * rows.groups.codes
    table = count_places(cells, rows.counts, 4 * max(1, len(names))).reshape(-1, 4)
    found = [table.sum(axis=0).tolist(), *table.tolist()]
    return {
        name: FourCounts(tp, fp, fn, tn)
        for name, (tn, fp, fn, tp) in zip((None, *names), found, strict=False)
    }
