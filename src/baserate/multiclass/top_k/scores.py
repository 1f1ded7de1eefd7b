"""Scores with a column per class: read, checked, and reduced to the highest ones of each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.exceptions import InvalidScoresError
from baserate.formatting import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

# As many scores at a time as take some tens of megabytes.
_AT_ONCE = 2**21

LABELS_OR_SCORES = (
    "top-k accuracy takes scores, and log loss probabilities, with a row per observation and a "
    "column per class; accuracy takes labels"
)


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """The scores of a model.

    Parameters
    ----------
    name
        What errors call them.
    columns
        The names of the columns; None if they have none.
    values
        A row per observation.
    index
        A column of pandas that has the index of the rows; None if they have none.
    """

    name: str
    columns: tuple[Any, ...] | None
    values: NDArray[Any]
    index: Any = None

    @classmethod
    def of(cls, name: str, scores: Any) -> ScoreTable:
        """Read a table of scores: an array, a list of rows or a data frame."""
        if hasattr(scores, "iloc") and hasattr(scores, "columns"):
            columns = tuple(scores.columns)
            index = scores.iloc[:, 0] if columns else None
            return cls(name, columns, _numbers(name, scores), index)
        frame = _eager_frame(scores)
        if frame is not None:
            return cls(name, tuple(frame.columns), _numbers(name, frame.to_numpy()))
        return cls(name, None, _numbers(name, scores))

    def chosen(self, rows: NDArray[np.bool_] | None) -> ScoreTable:
        """Return some of the rows, without their index; all of them for None."""
        if rows is None or len(self.values) != rows.size:  # which has an error of its own
            return self
        return ScoreTable(self.name, self.columns, self.values[rows])

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        """Which rows lack a score."""
        if self.values.dtype.kind != "f":
            return np.zeros(len(self.values), dtype=bool)
        return np.asarray(np.isnan(self.values).any(axis=1))


def _eager_frame(scores: Any) -> Any:
    """Return a data frame of polars, pyarrow or the like; None if it is something else."""
    import narwhals.stable.v2 as nw

    if isinstance(scores, list | tuple | np.ndarray):
        return None
    if not nw.dependencies.is_into_dataframe(scores):
        return None
    return nw.from_native(scores, eager_only=True)


def _numbers(name: str, scores: Any) -> NDArray[Any]:
    """Return scores as an array of numbers with two dimensions, or raise."""
    try:
        array = _array(scores)
    except Exception:  # a library may raise anything
        raise _not_scores(name, f"a {type(scores).__name__} of other values") from None
    if array.ndim != 2:
        got = "one column" if array.ndim == 1 else f"{array.ndim} dimensions"
        raise _not_scores(name, got if array.ndim else shown(scores))
    if array.dtype.kind not in "biuf":
        raise _not_scores(name, f"an array of type {array.dtype}")
    if not array.size:
        raise _not_scores(name, f"the shape {array.shape}")
    return array


def _array(scores: Any) -> NDArray[Any]:
    if isinstance(scores, np.ma.MaskedArray):
        return np.ma.filled(scores.astype(float), np.nan)
    array = np.asarray(scores)
    if array.dtype.kind != "O":
        return array
    # Missing values of pandas are objects: to_numpy would have to be told of each library's own.
    rows = array.tolist() if array.ndim == 2 else list(array)
    return np.array([[_float(each) for each in row] for row in rows])


def _float(value: Any) -> float:
    from baserate.data.columns import is_missing

    if isinstance(value, str | bytes):  # which float would read as a number
        raise TypeError("a text is no score")
    return float("nan") if is_missing(value) else float(value)


def _not_scores(name: str, got: str) -> InvalidScoresError:
    return InvalidScoresError(
        f"must be a table of numbers (got {got}): {LABELS_OR_SCORES}", parameter=name
    )


def highest(values: NDArray[Any], ks: Sequence[int]) -> Ints:
    """Return the places of the highest scores of each row: the first k are the top k.

    Of equal scores the later ones are higher, as in scikit-learn. Between two ks the places
    ascend, so that equal sets are equal rows.

    Parameters
    ----------
    values
        A row of scores per observation, without nan.
    ks
        How many classes are asked for, ascending and each below the number of columns.

    Examples
    --------
    >>> highest(np.array([[0.1, 0.4, 0.3, 0.3], [0.2, 0.2, 0.2, 0.2]]), (1, 2)).tolist()
    [[1, 3], [3, 2]]
    """
    step = max(1, _AT_ONCE // values.shape[1])
    starts = range(0, len(values), step)
    return np.concatenate([_highest(values[start : start + step], ks) for start in starts])


def _highest(values: NDArray[Any], ks: Sequence[int]) -> Ints:
    if values.dtype.kind == "b":
        values = values.view(np.uint8)
    rows, columns = values.shape
    ranked = np.partition(values, [columns - k for k in ks], axis=1)
    before = np.zeros(values.shape, dtype=bool)
    layers, known = [], 0
    for k in ks:
        inside = _at_least(values, ranked[:, columns - k], k)
        layers.append(np.nonzero(inside & ~before)[1].reshape(rows, k - known))
        before, known = inside, k
    return np.concatenate(layers, axis=1)


def _at_least(values: NDArray[Any], lowest: NDArray[Any], k: int) -> NDArray[np.bool_]:
    """Return which scores are the top k of their row, whose lowest is known."""
    inside = np.asarray(values >= lowest[:, np.newaxis])
    crowded = np.flatnonzero(np.count_nonzero(inside, axis=1) > k)
    if crowded.size:
        some, bound = values[crowded], lowest[crowded, np.newaxis]
        above, tied = some > bound, some == bound
        wanted = k - np.count_nonzero(above, axis=1)
        from_the_end = tied[:, ::-1].cumsum(axis=1)[:, ::-1]
        inside[crowded] = above | (tied & (from_the_end <= wanted[:, np.newaxis]))
    return inside
