"""Read the scores of some models beside a truth of two classes, or numbers beside true numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from baserate.data.columns import column_of, missing_in
from baserate.data.groups import Groups, rows_by_group
from baserate.data.labels import count_labels, positive_masks
from baserate.data.numbers import read_numbers, read_scores
from baserate.data.rows import Content, Shown, read_rows
from baserate.data.weights import repeated
from baserate.exceptions import InvalidLabelsError, InvalidScoresError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from baserate.core.observed import Weights
    from baserate.data.columns import Column, Labels, Mask
    from baserate.data.groups import Group

    Floats = NDArray[np.float64]

_SCORES = Content(read_scores, InvalidScoresError)
_NUMBERS = Content(read_numbers, InvalidScoresError, "number")


class ScoreRows(NamedTuple):
    """Which rows are positive, and the scores that each model gives them."""

    is_positive: Mask  # whether the true label of each row is positive
    scores: dict[str, NDArray[Any]]  # the scores of each model
    groups: dict[Group | None, Any]  # the rows of the whole test set, and of each group
    dropped: int  # how many rows were left out
    counts: NDArray[np.int64] | None = None  # how often each row was seen; None if once


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
    """Read the truth and the scores of each model, or raise; see `read_rows`."""

    def read(name: str, labels: Labels) -> Column:
        truth = column_of(name, labels)
        missing = missing_in(truth)
        # Another task may take a third class, and what looks like scores then.
        count_labels({name: truth[~missing] if missing.any() else truth}, pos_label)
        return truth

    shown = shown or Shown.of(models)
    contents: Any = {"truth": Content(read, InvalidLabelsError), "predictions": _SCORES}
    rows = read_rows(y_true, models, by, shown, **contents, drop=drop, weights=weights)
    (is_positive,) = positive_masks({shown.truth: rows.truth}, pos_label)
    groups = rows_by_group(rows.groups)
    return ScoreRows(is_positive, rows.models, groups, rows.dropped, rows.counts)


class NumberRows(NamedTuple):
    """The true number of each row, and what each model predicts."""

    truth: Floats  # the true numbers
    predicted: dict[str, Floats]  # the predictions of each model
    groups: dict[Group | None, Any]  # the rows of the whole test set, and of each group
    dropped: int  # how many rows were left out
    weights: Floats | None = None  # how much each row matters; None if all count alike

    def weights_of(self, where: Any) -> Floats | None:
        """Return how much some rows matter; None if all count alike."""
        return None if self.weights is None else self.weights[where]


def read_number_rows(
    y_true: Labels,
    models: Mapping[str, Any],
    by: Labels | None = None,
    *,
    drop: bool = False,
    shown: Shown | None = None,
    weights: Weights | None = None,
) -> NumberRows:
    """Read the truth and the predictions of each model, or raise; see `read_rows`.

    A frequency repeats its row; an importance says how much it matters.
    """
    contents: Any = {"truth": _NUMBERS, "predictions": _NUMBERS}
    options: Any = {"drop": drop, "weights": weights, "importance": True}
    rows = read_rows(y_true, models, by, shown or Shown.of(models), **contents, **options)
    truth, predicted, groups, counts, dropped = rows
    if weights is not None and weights.kind == "frequency":
        places, counts = repeated(counts), None
        truth = truth[places]
        predicted = {name: each[places] for name, each in predicted.items()}
        groups = None if groups is None else Groups(groups.names, groups.codes[places])
    return NumberRows(truth, predicted, rows_by_group(groups), dropped, counts)
