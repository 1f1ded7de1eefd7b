"""A null distribution as bars: one per score, or one for several."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.measure import Direction
from baserate.null.distribution import Listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.null.distribution import NullDistribution

    Floats = NDArray[np.float64]

# As many bars as a plot can show where each has one score, and where they share out a range.
_MOST_SCORES, _MOST_BARS = 120, 48
# The probability of what is not shown.
_UNSEEN = 1e-4
# Two scores that differ by less, relative to their range, are the same.
_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class Histogram:
    """Scores of shuffled predictions and their probabilities."""

    scores: Floats
    probabilities: Floats
    is_reached: NDArray[np.bool_]
    together: int
    reached: float

    @classmethod
    def of(
        cls, null: NullDistribution, direction: Direction, score: float | None = None
    ) -> Histogram:
        """Return the bars of a distribution; no bar straddles the model's score.

        The first and the last bar have what is beyond them too, so that all of them sum to 1.
        """
        null = getattr(null, "listed", None) or null
        made = _counted if hasattr(null, "places") else _shared  # those of two classes have places
        places, above, is_lower, together = made(null, direction, score)
        masses = np.maximum(-np.diff(above, prepend=1.0, append=0.0), 0.0)
        is_reached = (is_lower != (direction is Direction.MAXIMIZE)) & (score is not None)
        seen = masses > 0  # scores of few rows leave gaps
        reached = 0.0 if score is None else null.tail(score, direction)
        return cls(places[seen], masses[seen], is_reached[seen], together, reached)

    @property
    def widths(self) -> Floats:
        """The width of each bar: at most a tenth of the range, and not touching the next bar."""
        if self.scores.size == 1:
            return np.full(1, 0.05)
        gaps = np.diff(self.scores)
        nearest: Floats = np.minimum(np.append(gaps, np.inf), np.append(np.inf, gaps))
        return np.minimum(0.9 * nearest, 0.1 * np.ptp(self.scores))


# Both return the places of bars, the probability above each inner edge, which bars are below the
# edge that divides the model's score from those that are worse, and how many scores a bar has.


def _counted(
    null: Any, direction: Direction, score: float | None
) -> tuple[Floats, list[float], NDArray[np.bool_], int]:
    """Return bars of as many neighbouring scores each."""
    low, high = null.interval(1 - _UNSEEN)
    first, last = null.places(low)[0], null.places(high)[1]
    together = -(-(last - first + 1) // _MOST_SCORES)
    edge = first
    if score is not None:
        at_least, at_most = null.places(score)
        edge = at_least if direction is Direction.MAXIMIZE else at_most + 1
    inner = range(first + ((edge - first) % together or together), last + 1, together)
    starts = [first, *inner]
    ends = [start - 1 for start in inner] + [last]
    places = [(null.score(a) + null.score(b)) / 2 for a, b in zip(starts, ends, strict=True)]
    above = [null.at_least(start) for start in inner]
    return np.array(places), above, np.array(starts) < edge, together


def _shared(
    null: NullDistribution, direction: Direction, score: float | None
) -> tuple[Floats, list[float], NDArray[np.bool_], int]:
    """Return a bar for each score, or bars that share out their range."""
    low, high = null.interval(1 - _UNSEEN)
    slack = _SAME * max(abs(low), abs(high), high - low)
    back = slack if direction is Direction.MAXIMIZE else -slack
    divided = None if score is None else score - back
    places, inner = _listed(null, low, high, slack) or _shared_out(null, low, high, divided)
    above = [null.sf(edge) for edge in inner.tolist()]
    return places, above, places < (divided or 0.0), 1


def _listed(
    null: NullDistribution, low: float, high: float, slack: float
) -> tuple[Floats, Floats] | None:
    """Return all scores and what divides them; None if they are not known, or too many."""
    if not isinstance(null, Listed):
        return None
    scores = null.scores[(null.scores >= low - slack) & (null.scores <= high + slack)]
    distinct = scores[np.append(True, np.diff(scores) > slack)]
    if distinct.size > _MOST_SCORES:
        return None
    return distinct, (distinct[1:] + distinct[:-1]) / 2


def _shared_out(
    null: NullDistribution, low: float, high: float, divided: float | None
) -> tuple[Floats, Floats]:
    """Return bars that share out a range, one edge of which divides the model's score.

    If scores are a step apart, each bar has as many of them: otherwise bars would look like a comb.
    """
    if low == high:
        return np.array([low]), np.empty(0)
    width = (high - low) / _MOST_BARS
    if null.step:
        width = null.step * max(1, math.ceil(width / null.step))
    start = low - null.step / 2 if divided is None else low - (low - divided) % width
    edges: Floats = start + width * np.arange(math.ceil((high - start) / width) + 1.0)
    return (edges[1:] + edges[:-1]) / 2, edges[1:-1]
