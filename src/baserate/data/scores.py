"""Scores of a model: read, checked, and swept by a cut-off."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.data.score_counts import count_by_score
from baserate.data.values import Values
from baserate.data.vectors import is_missing, is_model, read
from baserate.exceptions import InvalidScoresError
from baserate.exceptions.base import setting, shown
from baserate.support.arguments import as_float, is_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.data.counting import Mask

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

TAKES = (
    "AUC, AP, Brier and log loss take scores; F1, MCC and other measures of labels take labels, or "
    "scores with a threshold"
)
"""Which measures take scores, for errors."""


class Wanted(NamedTuple):
    """What errors say should be in a column of numbers.

    Parameters
    ----------
    numbers
        What they are.
    takes
        Which measures take them.
    column
        How to get one column of two dimensions.
    """

    numbers: str
    takes: str
    column: str

    def error(self, name: str, got: str) -> InvalidScoresError:
        """Return the error about something else in the place of the numbers."""
        return InvalidScoresError(
            f"must be {self.numbers} (got {got}): {self.takes}", parameter=name
        )


SCORES = Wanted(
    "numbers such as probabilities",
    TAKES,
    "; of predict_proba take the positive class's column, [:, 1]",
)
NUMBERS = Wanted(
    "numbers",
    "RMSE, MAE, R2 and other measures of numbers compare predicted numbers with true ones",
    "; pass one column, as in y[:, 0]",
)
WEIGHTS = Wanted("numbers", "a weight says how much its row counts", "; pass one column")


def is_table(value: Any) -> bool:
    """Return whether predictions have several columns, as class scores do.

    Examples
    --------
    >>> is_table([[0.7, 0.3], [0.2, 0.8]]), is_table([0, 1]), is_table(["ab", "cd"])
    (True, False, False)
    """
    if isinstance(value, list | tuple):
        first = value[0] if value else None
        return isinstance(first, list | tuple | np.ndarray) and len(first) > 1
    shape = getattr(value, "shape", ())
    return isinstance(shape, tuple) and len(shape) == 2 and shape[1] > 1


def score_vector(y_score: Any, rows: int, name: str = "y_score") -> NDArray[Any]:
    """Return the scores of a model as floats, or raise; none is missing.

    Parameters
    ----------
    y_score
        A list, an array or a column of numbers.
    rows
        How many there must be.
    name
        What errors call them.
    """
    scores = read_scores(name, y_score)
    require_rows(name, scores, rows)
    require_no_nan(name, scores)
    return scores


def read_scores(name: str, y_score: Any, wanted: Wanted = SCORES) -> NDArray[Any]:
    """Return numbers of a column as floats, nan if missing; raise if they are none, or no column.

    Parameters
    ----------
    name
        What errors call them.
    y_score
        A list, an array or a column.
    wanted
        What errors say should be there.
    """
    scores = number_array(name, y_score, wanted)
    if scores.dtype.kind not in "biuf":
        raise not_numbers(name, _kind(scores), wanted)
    if scores.ndim != 1:
        raise InvalidScoresError(
            f"must be one-dimensional (got the shape {scores.shape})"
            f"{wanted.column if scores.ndim == 2 else ''}",
            parameter=name,
        )
    # The cut-offs are floats, so that scores are compared as floats.
    return scores if scores.dtype.kind == "f" and scores.itemsize <= 8 else _doubles(scores)


def require_no_labels(name: str, y_score: Any) -> None:
    """Raise if what should be scores are labels: booleans, or two of -1, 0 and 1 as whole numbers.

    Floats are scores, whatever their values are.
    """
    scores = number_array(name, y_score, SCORES)
    if scores.dtype.kind not in "biu" or not scores.size:
        return
    low, high = scores.min(), scores.max()
    is_spread = low < -1 or high > 1 or (low < 0 < high and (scores == 0).any())
    if low == high or (scores.dtype.kind != "b" and is_spread):
        return
    raise are_labels(name, low.item(), high.item())


def are_labels(name: str, low: object, high: object) -> InvalidScoresError:
    """Return the error about labels in the place of scores."""
    return InvalidScoresError(
        f"must be scores (got the labels {shown(low)} and {shown(high)}): {TAKES}; "
        "make them floats if they are scores all the same",
        parameter=name,
    )


def require_rows(name: str, scores: NDArray[Any], rows: int, truth: str = "y_true") -> None:
    """Raise unless there are as many scores as labels."""
    if scores.size != rows:
        raise InvalidScoresError(
            f"must be equally long (got {scores.size} and {rows})", parameter=(name, truth)
        )


def require_no_nan(name: str, scores: NDArray[Any], *, may_drop: bool = False) -> None:
    """Raise if a score is missing.

    Parameters
    ----------
    name
        What errors call the scores.
    scores
        The scores.
    may_drop
        Whether the caller can leave out missing scores, which an error then says.
    """
    # nan is the smallest number of all, for numpy.
    if not scores.size or not np.isnan(scores.min()):
        return
    missing = np.isnan(scores)
    advice = (
        ("; fill them, or leave those rows out with ", setting("missing", "drop"))
        if may_drop
        else ()
    )
    raise InvalidScoresError(
        f"must not have missing values (got {missing.sum()}, the first at position "
        f"{missing.argmax()})",
        *advice,
        parameter=name,
    )


def not_numbers(name: str, kind: str, wanted: Wanted = SCORES) -> InvalidScoresError:
    """Return the error about numbers that are something else, which is named."""
    return wanted.error(name, kind)


def _kind(scores: NDArray[Any]) -> str:
    if scores.dtype.kind in "SU" and scores.size:
        return _text(scores.flat[0].item())
    return f"an array of type {scores.dtype}"


def _text(label: Any) -> str:
    return f"text such as {shown(label)}"


def number_array(name: str, y_score: Any, wanted: Wanted) -> NDArray[Any]:
    """Return numbers as an array of any type; missing ones are nan."""
    if is_model(y_score):
        raise not_numbers(name, f"a {type(y_score).__name__}, and not what it predicts", wanted)
    if isinstance(y_score, np.ma.MaskedArray) and y_score.dtype.kind in "biuf":
        return np.ma.filled(y_score.astype(float), np.nan)
    if isinstance(y_score, np.ndarray) and y_score.dtype.kind != "O":
        return y_score
    column = read(y_score)
    if column is None:
        raise not_numbers(name, "other values", wanted)
    if isinstance(column, Values):
        codes, first = np.unique(column.codes, return_index=True)
        numbers = np.full(len(column.distinct), np.nan)
        for code in codes[np.argsort(first)].tolist():  # an error shows the first row's
            numbers[code] = _number(name, column.distinct[code], wanted)
        return np.asarray(numbers[column.codes])
    return _of_objects(name, column, wanted) if column.dtype.kind == "O" else column


def _of_objects(name: str, values: NDArray[Any], wanted: Wanted) -> NDArray[Any]:
    """Return Python values as floats; numpy would read numbers from text."""
    numbers = [_number(name, value, wanted) for value in values.ravel().tolist()]
    return np.array(numbers, dtype=float).reshape(values.shape)


def _number(name: str, value: Any, wanted: Wanted) -> float:
    if isinstance(value, str | bytes):
        raise not_numbers(name, _text(value), wanted)
    if isinstance(value, complex | np.complexfloating):
        raise not_numbers(name, f"values such as {shown(value)}", wanted)
    try:
        return math.nan if is_missing(value) else float(value)
    except Exception:  # a user's object may raise anything
        raise not_numbers(name, f"values such as {shown(value)}", wanted) from None


def _doubles(scores: NDArray[Any]) -> Floats:
    with np.errstate(over="ignore"):  # a long double may be larger than any float
        return scores.astype(float)


def require_threshold(threshold: Any) -> Any:
    """Return a threshold as a number, or raise."""
    number: Any = as_float(threshold) if is_number(threshold) else math.nan
    if math.isnan(number):
        raise InvalidScoresError(
            f"must be a number on the scale of the scores (got {shown(threshold)})",
            parameter="threshold",
        )
    # A float of numpy stays what it is: beside scores of less precision it is another number.
    return threshold if isinstance(threshold, np.floating) else number


def compared(threshold: float, kind: np.dtype[Any]) -> Any:
    """Return the number that numpy uses for a threshold when it compares scores of a dtype."""
    with np.errstate(over="ignore"):
        return np.result_type(kind, threshold).type(threshold)


def swept(is_positive: Mask, scores: NDArray[Any]) -> tuple[Floats, Ints, Ints]:
    """Return every cut-off, descending, with its P̂ and its TP."""
    found = count_by_score(is_positive, scores)
    size = found.values.size
    cutoffs = np.empty(size + 1, dtype=found.values.dtype)
    drawn, tp = np.zeros((2, size + 1), dtype=np.int64)
    cutoffs[0], cutoffs[1:] = np.inf, found.values
    np.cumsum(found.positives, out=tp[1:])
    np.cumsum(found.negatives, out=drawn[1:])
    drawn += tp
    # No cut-off is above an infinite score.
    start = int(np.isposinf(found.values[0]))
    return cutoffs[start:], drawn[start:], tp[start:]
