"""Read the scores of some models beside a truth of two classes, or numbers beside true numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from baserate.core.observed import Rows
from baserate.data.columns import column_of, missing_in
from baserate.data.groups import rows_by_group
from baserate.data.labels import count_labels, positive_mask
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
    from baserate.data.rows import ReadColumns

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
    rows = read_rows(y_true, models, Rows(by, pos_label, drop, weights), shown, **contents)
    is_positive = positive_mask(rows.truth, pos_label, shown.truth)
    groups = rows_by_group(rows.groups)
    return ScoreRows(is_positive, rows.models, groups, rows.dropped, rows.counts)


def read_number_rows(
    y_true: Labels, models: Mapping[str, Any], asked: Rows, shown: Shown | None = None
) -> ReadColumns:
    """Read the truth and the predictions of each model, or raise; see `read_rows`.

    A frequency repeats its row; an importance says how much it matters.
    """
    shown = shown or Shown.of(models)
    rows = read_rows(y_true, models, asked, shown, truth=_NUMBERS, predictions=_NUMBERS)
    if rows.counts is None:
        return rows
    return rows.chosen(repeated(rows.counts))._replace(counts=None)
