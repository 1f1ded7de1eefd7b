"""Read a column of numbers: scores, true and predicted numbers, weights."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.arguments import as_float, is_number
from baserate.data.columns import NUMBERS as NUMERIC
from baserate.data.columns import Values, is_missing, is_model, read, require_complete
from baserate.exceptions import InvalidScoresError
from baserate.formatting import shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LARGEST = 1e300
"""The sum of as many numbers as anybody has, and the difference of two, is a float up to here."""
TAKES = (
    "AUC, AP, Brier and log loss take scores; F1, MCC and other measures of labels take labels, or "
    "scores with a threshold"
)
"""Which measures take scores, for errors."""


class Wanted(NamedTuple):
    """What errors say should be in a column of numbers."""

    numbers: str  # what they are
    takes: str  # which measures take them
    column: str  # how to get one column of two dimensions

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


def score_vector(y_score: Any, rows: int, name: str = "y_score") -> NDArray[Any]:
    """Return the scores of a model as floats, or raise; there are so many, and none is missing."""
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
    if scores.dtype.kind in "SU" and scores.size:
        raise wanted.error(name, _text(scores.flat[0].item()))
    if scores.dtype.kind not in NUMERIC:
        raise wanted.error(name, f"an array of type {scores.dtype}")
    if scores.ndim != 1:
        raise InvalidScoresError(
            f"must be one-dimensional (got the shape {scores.shape})"
            f"{wanted.column if scores.ndim == 2 else ''}",
            parameter=name,
        )
    # The cut-offs are floats, so that scores are compared as floats.
    with np.errstate(over="ignore"):  # a long double may be larger than any float
        return scores if scores.dtype in ("f2", "f4", "f8") else scores.astype(float)


def read_numbers(name: str, values: Any) -> Floats:
    """Return a column of numbers, nan where one is missing; none is infinite, or nearly so."""
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
            f"must have the same length (got {scores.size} and {rows})", parameter=(name, truth)
        )


def require_no_nan(name: str, scores: NDArray[Any], *, may_drop: bool = False) -> None:
    """Raise if a score is missing; say how to leave out its row if the caller can."""
    require_complete(name, scores, may_drop=may_drop, error=InvalidScoresError)


def number_array(name: str, y_score: Any, wanted: Wanted) -> NDArray[Any]:
    """Return numbers as an array of any type; missing ones are nan."""
    if is_model(y_score):
        raise wanted.error(name, f"a {type(y_score).__name__}, and not what it predicts")
    if isinstance(y_score, np.ma.MaskedArray) and y_score.dtype.kind in NUMERIC:
        return np.ma.filled(y_score.astype(float), np.nan)
    if isinstance(y_score, np.ndarray) and y_score.dtype.kind != "O":
        return y_score
    column = read(y_score)
    if column is None:
        raise wanted.error(name, "other values")
    if isinstance(column, Values):
        codes, first = np.unique(column.codes, return_index=True)
        numbers = np.full(len(column.distinct), np.nan)
        for code in codes[np.argsort(first)].tolist():  # an error shows the first row's
            numbers[code] = _number(name, column.distinct[code], wanted)
        return np.asarray(numbers[column.codes])
    if column.dtype.kind != "O":
        return column
    # Numpy would read numbers from text.
    found = [_number(name, value, wanted) for value in column.ravel().tolist()]
    return np.array(found, dtype=float).reshape(column.shape)


def _number(name: str, value: Any, wanted: Wanted) -> float:
    if isinstance(value, str | bytes):
        raise wanted.error(name, _text(value))
    try:
        if not isinstance(value, complex | np.complexfloating):
            return math.nan if is_missing(value) else float(value)
    except Exception:  # noqa: S110 (a user's object may raise anything)
        pass
    raise wanted.error(name, f"values such as {shown(value)}")


def _text(label: Any) -> str:
    return f"text such as {shown(label)}"


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
