"""Where an expectation is extreme, when no formula says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from baserate.exceptions import UndefinedMeasureError
from baserate.expectation import expected_scores
from baserate.quadrature import expectations
from baserate.theta import count_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.base_rate import BaseRate
    from baserate.measures.optimum import Counts
    from baserate.measures.record import Measure

# Two computed expectations that differ by less, relatively, are the same optimum.
_TIE = 64 * np.finfo(float).eps


class Found(NamedTuple):
    """An extreme value of the expectation, and the P̂ that attain it."""

    value: float
    counts: Counts


def end_of_gain(rate: BaseRate, measure: Measure, allowed: range) -> int:
    """Return the P̂ from which one more positive prediction adds nothing, by bisection.

    For a concave expectation, this is where it is largest.
    """
    if measure.gain is None:
        raise TypeError(f"{measure.key} declares no gain")
    first, last = allowed.start, allowed.stop - 1
    while first < last:
        middle = (first + last) // 2
        counts = count_array([middle], rate.total)
        if expectations(measure.gain, rate, counts, smooth=measure.smooth)[0] > 0:
            first = middle + 1
        else:
            last = middle
    return first


def scanned_extremes(rate: BaseRate, measure: Measure, allowed: range) -> tuple[Found, Found]:
    """Return the largest and the smallest of all expectations."""
    counts = np.arange(allowed.start, allowed.stop)
    scores = expected_scores(rate, measure, counts)
    defined = np.isfinite(scores)
    if not defined.any():
        raise UndefinedMeasureError.no_draw(
            measure.key, "a draw whose every score is a number", f"none in {rate}"
        )
    counts, scores = counts[defined], scores[defined]
    slack = _TIE * float(np.abs(scores).max())
    highest, lowest = (
        Found(float(value), _ranges(counts[np.abs(scores - value) <= slack]))
        for value in (scores.max(), scores.min())
    )
    return highest, lowest


def _ranges(counts: NDArray[np.int64]) -> Counts:
    """Return ascending counts as ranges."""
    starts = np.flatnonzero(np.diff(counts, prepend=counts[0] - 2) > 1)
    ends = np.append(starts[1:], counts.size) - 1
    return tuple(
        range(int(counts[start]), int(counts[end]) + 1)
        for start, end in zip(starts, ends, strict=True)
    )
