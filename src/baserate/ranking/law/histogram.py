"""The distribution of a score of scores as bars that share out its range."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from baserate.binary.law.histogram import Histogram
from baserate.core.direction import Direction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.ranking.law.dealt import DealtLaw

    Floats = NDArray[np.float64]

# As many bars as a plot can show, and as take little time.
_MOST_BARS = 40
# The probability of what is not shown.
_UNSEEN = 1e-4
# Two scores that differ by less, relative to their range, are the same.
_SAME = 1e-9


def score_histogram(law: DealtLaw, direction: Direction, score: float | None = None) -> Histogram:
    """Return the bars of a distribution; no bar straddles the model's score.

    The first and the last bar have what is beyond them too, so that all of them sum to 1.

    Parameters
    ----------
    law
        The distribution.
    direction
        Whether a larger or a smaller score is better.
    score
        The model's score, if there is a model.
    """
    low, high = law.interval(1 - _UNSEEN)
    slack = _SAME * max(abs(low), abs(high), high - low)
    maximize = direction is Direction.MAXIMIZE
    divided = None if score is None else score - slack if maximize else score + slack
    edges = _edges(low, high, divided)
    above = [law.tail(edge, Direction.MAXIMIZE) for edge in edges[1:-1].tolist()]
    masses = np.maximum(-np.diff(above, prepend=1.0, append=0.0), 0.0)
    places = (edges[1:] + edges[:-1]) / 2
    is_reached = np.zeros(places.size, dtype=bool)
    if divided is not None:
        is_reached = places >= divided if maximize else places <= divided
    seen = masses > 0  # scores of few observations leave gaps
    reached = 0.0 if score is None else law.tail(score, direction)
    return Histogram(places[seen], masses[seen], is_reached[seen], 1, reached, is_monotone=True)


def _edges(low: float, high: float, divided: float | None) -> Floats:
    """Return the edges of bars; one of them divides the model's score from what is worse."""
    if low == high:
        half = max(abs(low), 1.0) * 1e-3
        low, high = low - half, high + half
        return np.array([low, high])
    width = (high - low) / _MOST_BARS
    start = low if divided is None else low - (low - divided) % width
    edges: Floats = start + width * np.arange(math.ceil((high - start) / width) + 1.0)
    return edges
