"""Read true numbers and the predictions of some models, row by row."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.data.alignment import require_aligned
from baserate.data.groups import Groups, rows_by_group
from baserate.data.models import Shown
from baserate.data.scores import NUMBERS, read_scores, require_no_nan, require_rows
from baserate.data.weights import aligned_weights, left_out, repeated, weighed_rows
from baserate.exceptions import InvalidLabelsError, InvalidScoresError
from baserate.formatting import shown as text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from baserate.core.task import Weights
    from baserate.data.counting import Mask
    from baserate.data.groups import Group
    from baserate.data.labels import Labels

    Floats = NDArray[np.float64]


# The sum of as many numbers as anybody has, and the difference of two, is a float up to here.
LARGEST = 1e300


class NumberRows(NamedTuple):
    """The true number of each row, and what each model predicts.

    Parameters
    ----------
    truth
        The true numbers.
    predicted
        The predictions of each model.
    groups
        The rows of the whole test set, and of each group.
    dropped
        How many rows were left out.
    weights
        How much each row matters; None if all count alike.
    """

    truth: Floats
    predicted: dict[str, Floats]
    groups: dict[Group | None, Any]
    dropped: int
    weights: Floats | None = None

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
    """Read the truth and the predictions of each model, or raise.

    Parameters
    ----------
    y_true
        The true numbers.
    models
        The predictions of each model.
    by
        The group of each observation.
    drop
        Whether to leave out observations without a truth, or without a prediction of some model.
    shown
        The names for error messages.
    weights
        How often each observation was seen, which repeats it, or how much it matters.
    """
    shown = shown or Shown("y_true", {name: f"model {text(name)}" for name in models})
    require_aligned(shown.labels(y_true, models) | {"by": by} | aligned_weights(weights))
    y_true, models, by, counts, _ = weighed_rows(weights, y_true, models, by)
    truth = read_numbers(shown.truth, y_true)
    predicted = {name: read_numbers(shown.models[name], each) for name, each in models.items()}
    for name, each in predicted.items():
        require_rows(shown.models[name], each, truth.size, shown.truth)
    groups = None if by is None else Groups.of(by, truth.size)
    columns = {shown.truth: truth} | {shown.models[name]: each for name, each in predicted.items()}
    keep, dropped = _complete(columns, drop=drop), 0
    if keep is not None:
        truth = truth[keep]
        predicted = {name: each[keep] for name, each in predicted.items()}
        groups = None if groups is None else groups.kept(keep)
        dropped, counts = left_out(keep, counts)
    if not truth.size:
        raise InvalidLabelsError("must hold at least one number (got none)", parameter=shown.truth)
    if weights is not None and weights.kind == "frequency":
        places, counts = repeated(counts), None
        truth = truth[places]
        predicted = {name: each[places] for name, each in predicted.items()}
        groups = None if groups is None else Groups(groups.names, groups.codes[places])
    return NumberRows(truth, predicted, rows_by_group(groups), dropped, counts)


def read_numbers(name: str, values: Any) -> Floats:
    """Return a column of numbers, nan where one is missing; none is infinite, or nearly so.

    Parameters
    ----------
    name
        What errors call them.
    values
        A list, an array or a column.
    """
    numbers = read_scores(name, values, NUMBERS).astype(float)
    if not numbers.size or -LARGEST <= numbers.min() <= numbers.max() <= LARGEST:
        return numbers  # as most columns: two quick looks instead of a mask
    large = np.abs(numbers) > LARGEST
    if large.any():
        place = int(large.argmax())
        raise InvalidScoresError(
            f"must be {what_numbers(numbers[place])} (got {numbers[place]} at position {place})",
            parameter=name,
        )
    return numbers


def what_numbers(wrong: float) -> str:
    """Say what numbers must be, in place of one that is too large."""
    return f"numbers from {-LARGEST:g} to {LARGEST:g}" if math.isfinite(wrong) else "finite numbers"


def _complete(columns: Mapping[str, Floats], *, drop: bool) -> Mask | None:
    """Return which rows to keep, or None for all; raise if rows must not be left out."""
    if not drop:
        for name, each in columns.items():
            require_no_nan(name, each, may_drop=True)
        return None
    keep: Mask = ~np.logical_or.reduce([np.isnan(each) for each in columns.values()])
    return None if keep.all() else keep
