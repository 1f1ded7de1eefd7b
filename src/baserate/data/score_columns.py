"""Read the truth and the scores of some models, row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.data.alignment import require_aligned
from baserate.data.groups import Groups, rows_by_group
from baserate.data.labels import count_labels, positive_masks, require_complete
from baserate.data.models import Shown
from baserate.data.scores import read_scores, require_no_nan, require_rows
from baserate.data.vectors import column_of, missing_in
from baserate.data.weights import aligned_weights, left_out, seen_rows
from baserate.formatting import shown as text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from baserate.core.task import Weights
    from baserate.data.counting import Mask
    from baserate.data.groups import Group
    from baserate.data.labels import Labels
    from baserate.data.values import Column


class ScoreRows(NamedTuple):
    """Which rows are positive, and the scores that each model gives them.

    Parameters
    ----------
    is_positive
        Whether the true label of each row is positive.
    scores
        The scores of each model.
    groups
        The rows of the whole test set, and of each group.
    dropped
        How many rows were left out.
    counts
        How often each row was seen; None if once.
    """

    is_positive: Mask
    scores: dict[str, NDArray[Any]]
    groups: dict[Group | None, Any]
    dropped: int
    counts: NDArray[np.int64] | None = None


def read_score_rows(
    y_true: Labels,
    models: Mapping[str, Any],
    pos_label: object,
    by: Labels | None,
    *,
    drop: bool = False,
    shown: Shown | None = None,
    weights: Weights | None = None,
) -> ScoreRows:
    """Read the truth and the scores of each model, or raise.

    Parameters
    ----------
    y_true
        The true labels.
    models
        The scores of each model.
    pos_label
        The positive class.
    by
        The group of each observation.
    drop
        Whether to leave out observations without a label, or without a score of some model.
    shown
        The names for error messages.
    weights
        How often each observation was seen.
    """
    shown = shown or Shown("y_true", {name: f"model {text(name)}" for name in models})
    require_aligned(shown.labels(y_true, models) | {"by": by} | aligned_weights(weights))
    y_true, models, by, counts, _ = seen_rows(weights, y_true, models, by)
    truth = column_of(shown.truth, y_true)
    # Another task may take a third class, and what looks like scores then.
    _require_two_classes(shown.truth, truth, pos_label)
    scores = {name: read_scores(shown.models[name], each) for name, each in models.items()}
    for name, each in scores.items():
        require_rows(shown.models[name], each, truth.size)
    groups = None if by is None else Groups.of(by, truth.size)
    keep, dropped = _complete(truth, scores, shown, drop=drop), 0
    if keep is not None:
        truth = column_of(shown.truth, truth[keep])
        scores = {name: each[keep] for name, each in scores.items()}
        groups = None if groups is None else groups.kept(keep)
        dropped, counts = left_out(keep, counts)
    is_positive = _positive(shown.truth, truth, pos_label)
    return ScoreRows(is_positive, scores, rows_by_group(groups), dropped, counts)


def _require_two_classes(name: str, truth: Column, pos_label: object) -> None:
    """Raise if it is not clear which of two classes is positive."""
    missing = missing_in(truth)
    count_labels({name: truth[~missing] if missing.any() else truth}, pos_label)


def _positive(name: str, truth: Column, pos_label: object) -> Mask:
    """Return where the truth is positive."""
    (mask,) = positive_masks({name: truth}, pos_label)
    return mask


def _complete(
    truth: Column, scores: Mapping[str, NDArray[Any]], shown: Shown, *, drop: bool
) -> Mask | None:
    """Return which rows to keep, or None for all; raise if rows must not be left out."""
    if not drop:
        require_complete(shown.truth, truth, may_drop=True)
        for name, each in scores.items():
            require_no_nan(shown.models[name], each, may_drop=True)
        return None
    keep = ~missing_in(truth)
    for each in scores.values():
        keep &= ~np.isnan(each)
    return None if keep.all() else keep
