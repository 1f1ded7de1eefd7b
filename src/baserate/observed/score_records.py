"""Numbers as JSON has them, infinite ones too."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.data.score_counts import ScoreCounts
from baserate.records import finite, typed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray


# JSON has no infinity, so that it is a text.
_INFINITE = {"inf": math.inf, "-inf": -math.inf}
_KINDS = ("float64", "float32", "float16")
_LARGEST = 2**63


def record_of(counts: ScoreCounts, threshold: float | None) -> dict[str, Any]:
    """Return counts per score, and a threshold, as JSON can hold them."""
    values, positives, negatives, widths = counts
    return {
        "scores": written(values),
        "positives": positives.tolist(),
        "negatives": negatives.tolist(),
        "precision": values.dtype.name,
        "threshold": None if threshold is None else written([threshold])[0],
        "widths": None if widths is None else written(widths),
    }


def counts_of_record(facts: Mapping[str, Any]) -> tuple[ScoreCounts, float | None]:
    """Return the counts and the threshold of a record, or raise if it is not one."""
    widths, threshold = facts["widths"], facts["threshold"]
    counts = ScoreCounts(
        numbers(facts["scores"], facts["precision"]),
        whole(facts["positives"]),
        whole(facts["negatives"]),
        None if widths is None else numbers(widths),
    )
    if not (counts.positives + counts.negatives).all():
        raise ValueError("a score has no observations")
    return counts, None if threshold is None else number(threshold)


def written(values: Any) -> list[Any]:
    """Return numbers as JSON can hold them."""
    found = [float(value) for value in values]
    if all(map(math.isfinite, found)):
        return found
    return [value if math.isfinite(value) else str(value) for value in found]


def number(value: Any) -> float:
    """Return a number that was written; also an infinite one."""
    return _INFINITE[value] if isinstance(value, str) else finite(value)


def numbers(values: Iterable[Any], kind: Any = "float64") -> NDArray[Any]:
    """Return numbers that were written, in a precision."""
    if kind not in _KINDS:
        raise ValueError(f"{kind!r} is no precision")
    return np.array([number(value) for value in typed(values, list)], dtype=kind)


def whole(values: Iterable[Any]) -> NDArray[np.int64]:
    """Return counts that were written."""
    found = [typed(value, int) for value in typed(values, list)]
    if any(not 0 <= value < _LARGEST for value in found):
        raise ValueError("a count is below 0, or too large")
    return np.array(found, dtype=np.int64)
