"""The extremes of any expectation: by a look at every draw, or at ever more of the best."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.binary.optimum.found import Found
from baserate.exceptions import UndefinedMeasureError
from baserate.progress import watched

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.measures.record import Measure
    from baserate.binary.optimum.objective import Objective
    from baserate.binary.theta import Counts

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]

# The most draws that are looked at one by one.
MOST_SCANNED = 100_001
# Draws that are computed between two updates of the progress bar.
_BATCH = 2048
# A search begins on a grid of so many draws, and refines around so many of the best.
GRID, _CANDIDATES, _REFINEMENT = 2048, 8, 17


def extreme(curve: Objective, counts: Ints, scores: Floats, best: int, *, exact: bool) -> Found:
    """Return an extreme with all that ties with it."""
    slack = curve.slack(counts)
    ties = np.abs(scores - scores[best]) <= np.maximum(slack, slack[best])
    return Found(scores[best].item(), _ranges(counts, ties), exact)


def never_defined(measure: Measure) -> UndefinedMeasureError:
    """Return the error of a measure that no draw has a score for."""
    needs = "a draw whose every score is a number"
    return UndefinedMeasureError.no_draw(measure.key, needs, "none")


def scanned(curve: Objective, counts: Ints, what: str) -> Floats:
    """Return the expectations of many draws, with a progress bar."""
    parts = [range(i, min(i + _BATCH, counts.size)) for i in range(0, counts.size, _BATCH)]
    scores = np.empty(counts.shape)
    with closing(
        watched(parts, counts.size, what, "draws", len)
    ) as bar:  # an interrupt takes the bar away
        for part in bar:
            scores[part.start : part.stop] = curve(counts[part.start : part.stop])
    return scores


def grid(allowed: range, size: int = GRID) -> Ints:
    """Return draws that are spread evenly, and ever closer towards both ends."""
    first, last = allowed.start, allowed.stop - 1
    even = [first + (last - first) * i // size for i in range(size + 1)]
    close = {int(2 ** (i / 4)) for i in range(4 * (last - first).bit_length() - 4)}
    counts = {*even, *(first + c for c in close), *(last - c for c in close)}
    return np.array(sorted(c for c in counts if first <= c <= last))


def refined(curve: Objective, counts: Ints, what: str) -> tuple[Ints, Floats]:
    """Look closer around the best and the worst draws, until their neighbours are known."""
    scores = scanned(curve, counts, what)
    while True:
        defined = np.flatnonzero(~np.isnan(scores))
        order = defined[np.argsort(scores[defined])]
        chosen = np.unique(np.append(order[:_CANDIDATES], order[-_CANDIDATES:]))
        fresh = np.setdiff1d(_between_neighbours(counts, chosen), counts)
        if fresh.size == 0:
            return counts, scores
        fresh_scores = scanned(curve, fresh, what)
        counts, scores = np.append(counts, fresh), np.append(scores, fresh_scores)
        ascending = np.argsort(counts)
        counts, scores = counts[ascending], scores[ascending]


def _between_neighbours(counts: Ints, chosen: NDArray[np.intp]) -> Ints:
    """Return draws between the chosen ones and their neighbours on either side."""
    left, right = counts[np.maximum(chosen - 1, 0)], counts[np.minimum(chosen + 1, counts.size - 1)]
    middle = counts[chosen]
    steps = np.arange(1, _REFINEMENT)
    below = left[:, np.newaxis] + (middle - left)[:, np.newaxis] * steps // _REFINEMENT
    above = middle[:, np.newaxis] + (right - middle)[:, np.newaxis] * steps // _REFINEMENT
    return np.unique(np.append(below.ravel(), above.ravel()))


def _ranges(counts: Ints, attained: NDArray[np.bool_]) -> Counts:
    """Return the draws that attain an extreme as ranges, of neighbours only."""
    found = counts[attained]
    breaks = np.flatnonzero(np.diff(found) != 1) + 1
    runs = np.split(found, breaks)
    return tuple(range(int(run[0]), int(run[-1]) + 1) for run in runs)
