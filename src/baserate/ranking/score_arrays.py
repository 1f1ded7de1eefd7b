"""The arrays of scores: read-only, and checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.exceptions import InvalidCountError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.ranking.scores import Scores


def column(given: Any, *, is_float: bool) -> NDArray[Any]:
    """Return a column that nobody can write to: a copy, if somebody can."""
    array = np.asarray(given)
    if is_float and (array.dtype.kind != "f" or array.itemsize > 8):
        array = array.astype(float)
    return frozen(array.copy()) if array.flags.writeable else array


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array that nobody can write to, by this name."""
    view = array.view()
    view.flags.writeable = False
    return view


def equal(first: Any, second: Any) -> bool:
    """Return whether two columns are the same, or both are missing."""
    if first is None or second is None:
        return first is second
    return first.size == second.size and bool((first == second).all())


def require_counts(scores: Scores) -> None:
    """Raise unless scores descend, and each is given so many times."""
    values, counts = scores.values, (scores.positives, scores.negatives)
    shapes = {each.shape for each in (values, *counts)} | (
        set() if scores.widths is None else {scores.widths.shape}
    )
    if values.ndim != 1 or len(shapes) > 1:
        raise InvalidCountError(
            "Scores must have a value, positives and negatives per distinct score (got the shapes "
            f"{', '.join(map(str, sorted(shapes)))})"
        )
    if np.isnan(values[:1]).any() or not (values[1:] < values[:-1]).all():
        raise InvalidCountError("values must be scores in descending order, each once")
    if values.size and not min(each.min() for each in counts) >= 0:
        raise InvalidCountError("positives and negatives must be counts of at least 0")
    if scores.widths is not None and not (scores.widths >= 0).all():
        raise InvalidCountError("widths must be at least 0")
