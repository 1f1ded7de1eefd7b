"""Scores of a model: read, checked, and swept by a cut-off."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.exceptions import InvalidScoresError
from baserate.exceptions.base import shown
from baserate.support.arguments import as_float, is_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


def score_vector(y_score: Any, rows: int) -> NDArray[Any]:
    """Return the scores of a model as floats, or raise."""
    try:
        scores = _array(y_score)
    except Exception:  # a library may raise anything
        raise _not_numbers("other values") from None
    if scores.dtype.kind not in "biuf":
        raise _not_numbers(f"an array of type {scores.dtype}")
    if scores.ndim != 1:
        advice = "; of predict_proba take the positive class's column, [:, 1]"
        raise InvalidScoresError(
            f"must be one-dimensional (got the shape {scores.shape})"
            f"{advice if scores.ndim == 2 else ''}",
            parameter="y_score",
        )
    if scores.size != rows:
        raise InvalidScoresError(
            f"must be equally long (got {scores.size} and {rows})", parameter=("y_score", "y_true")
        )
    missing = np.isnan(scores)
    if missing.any():
        raise InvalidScoresError(
            f"must not have missing values (got {missing.sum()}, the first at position "
            f"{missing.argmax()})",
            parameter="y_score",
        )
    # The cut-offs are floats, so that scores are compared as floats.
    return scores if scores.dtype.kind == "f" and scores.itemsize <= 8 else scores.astype(float)


def _not_numbers(kind: str) -> InvalidScoresError:
    return InvalidScoresError(
        f"must be numbers such as probabilities (got {kind})", parameter="y_score"
    )


def _array(y_score: Any) -> NDArray[Any]:
    if isinstance(y_score, np.ma.MaskedArray):
        return np.ma.filled(y_score.astype(float), np.nan)
    scores = np.asarray(y_score)
    return scores.astype(float) if scores.dtype.kind == "O" else scores


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


def swept(is_positive: NDArray[np.bool_], scores: NDArray[Any]) -> tuple[Floats, Ints, Ints]:
    """Return every cut-off, descending, with its P̂ and its TP."""
    # Sorting values is several times faster than sorting positions: sort all values, then look up
    # those of the positives.
    ranked = np.sort(scores)
    is_first = np.append(True, ranked[1:] != ranked[:-1])
    first = np.flatnonzero(is_first)
    groups = ranked if first.size == ranked.size else ranked[first]  # equal scores, ascending
    hits = np.bincount(np.searchsorted(groups, np.sort(scores[is_positive])), minlength=first.size)
    # Fill in place: at this size, allocating memory costs as much as the work itself.
    cutoffs = np.empty(first.size + 1, dtype=groups.dtype)
    drawn, tp = np.zeros((2, first.size + 1), dtype=np.int64)
    cutoffs[0], cutoffs[1:] = np.inf, groups[::-1]
    np.subtract(ranked.size, first[::-1], out=drawn[1:])
    np.cumsum(hits[::-1], out=tp[1:])
    # No cut-off is above an infinite score.
    start = int(np.isposinf(groups[-1]))
    return cutoffs[start:], drawn[start:], tp[start:]
