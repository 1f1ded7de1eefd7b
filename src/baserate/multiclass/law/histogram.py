"""The distribution of a score of several classes as bars: one per score, or one for several."""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from baserate.binary.law.histogram import Histogram
from baserate.core.direction import Direction
from baserate.multiclass.measures.forms import OfTrace

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.multiclass.law.score_law import ScoreLaw

    Floats = NDArray[np.float64]

# As many bars as a plot can show where each has a score, and where they share out a range.
_MOST_BARS, _MOST_INTERVALS = 120, 48
# The probability of what is not shown.
_UNSEEN = 2e-5
# Two scores or probabilities that differ by less are the same, in a picture.
_SAME = 1e-9


class _Bars(NamedTuple):
    """Where bars are, ascending; what divides them; and how many scores one combines."""

    places: Floats
    edges: Floats
    together: int = 1


def class_histogram(law: ScoreLaw, score: float | None = None) -> Histogram:
    """Return the bars of a distribution; no bar straddles the model's score.

    The first and the last bar have what is beyond them too, so that all of them sum to 1.
    """
    maximize = law.measure.direction is Direction.MAXIMIZE
    low, high = law.interval(1 - _UNSEEN)
    slack = _SAME * max(abs(low), abs(high), high - low)
    if isinstance(law.measure.form, OfTrace):
        bars = _of_counts(law, low, high, score)
    else:
        divided = None if score is None else score - slack if maximize else score + slack
        bars = _of_scores(law, low, high) or _of_range(low, high, divided, law.step)
    above = [law.tail(edge, Direction.MAXIMIZE) for edge in bars.edges]
    masses = np.maximum(-np.diff(above, prepend=1.0, append=0.0), 0.0)
    is_reached = np.zeros(bars.places.size, dtype=bool)
    if score is not None:
        is_reached = bars.places >= score - slack if maximize else bars.places <= score + slack
    reached = 0.0 if score is None else law.tail(score, law.measure.direction)
    return Histogram(
        bars.places, masses, is_reached, bars.together, reached, is_monotone=law.measure.monotone
    )


def _of_counts(law: ScoreLaw, low: float, high: float, score: float | None) -> _Bars:
    """Return bars of as many right answers each, one of them starting at the model's."""
    form, total = law.measure.form, sum(law.n)
    n, m = np.array(law.n, dtype=float), np.array(law.m, dtype=float)

    def at(count: float) -> float:
        return float(form.score(np.float64(count), n, m))  # type: ignore[union-attr]

    sign = 1 if at(0) <= at(total) else -1
    first, last = sorted(_count_of(at, sign, end, total) for end in (low, high))
    # With two classes, a prediction more or less changes two answers.
    step = 1 if np.count_nonzero(n + m) > 2 else 2
    together = -(-(last - first + 1) // (_MOST_BARS * step))
    stride = together * step
    start = first if score is None else _count_of(at, sign, score, total)
    starts = range(start - (start - first + stride - 1) // stride * stride, last + 1, stride)
    places = [at(count + (stride - step) / 2) for count in starts]
    edges = [at(count - 1 / 2) for count in starts[1:]]
    return _Bars(np.array(places)[::sign], np.array(edges)[::sign], together)


def _count_of(at: Callable[[float], float], sign: int, score: float, total: int) -> int:
    """Return the number of right answers that has a score, or the next one."""
    return bisect_left(range(total), sign * score - _SAME, key=lambda count: sign * at(count))


def _of_scores(law: ScoreLaw, low: float, high: float) -> _Bars | None:
    """Return a bar for every score; None if there are more than a plot can show."""
    if not law.exact and low < high:
        return None
    found = [low]
    while found[-1] < high and len(found) <= _MOST_BARS:
        below = law.tail(found[-1], Direction.MINIMIZE)
        found.append(_quantile(law, min(below + max(below, 1 - below) * _SAME, 1.0)))
    if len(found) > _MOST_BARS:
        return None
    scores = np.array(found)
    return _Bars(scores, (scores[1:] + scores[:-1]) / 2)


def _quantile(law: ScoreLaw, level: float) -> float:
    return law.interval(2 * level - 1)[1] if level > 1 / 2 else law.interval(1 - 2 * level)[0]


def _of_range(low: float, high: float, divided: float | None, step: float) -> _Bars:
    """Return bars that share out a range, and are divided at a score.

    If scores are a step apart, each bar has as many of them: otherwise bars would look like a comb.
    """
    width = (high - low) / _MOST_INTERVALS
    if step:
        width = step * max(1, math.ceil(width / step))
    start = low if divided is None else low - (low - divided) % width
    edges: Floats = start + width * np.arange(math.ceil((high - low) / width) + 2, dtype=float)
    return _Bars(edges[:-1] + width / 2, edges[1:-1])
