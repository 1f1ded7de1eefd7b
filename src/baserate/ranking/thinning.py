"""Reduce a curve of millions of corners to those that a picture shows."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

MOST_POINTS = 300
"""The most corners of a curve in a picture."""
# A picture a thousand pixels wide does not show less than this.
_UNSEEN = 5e-4
# The cells of a first, coarser pass over very long curves.
_CELLS = 2048


def thinned(x: Floats, y: Floats, most: int = MOST_POINTS) -> Ints:
    """Return which corners of a line to keep, so that it looks the same.

    The corner farthest from what would be drawn without it is kept first (Ramer, Douglas and
    Peucker), until the others could not be seen, or `most` are kept.

    Parameters
    ----------
    x, y
        The corners, from left to right.
    most
        The most corners to keep.

    Examples
    --------
    >>> thinned(np.array([0.0, 0.3, 0.6, 1.0]), np.array([0.0, 0.3, 0.9, 1.0])).tolist()
    [0, 1, 2, 3]
    >>> thinned(np.linspace(0, 1, 10**5), np.linspace(0, 1, 10**5)).tolist()
    [0, 99999]
    """
    if x.size <= 2:
        return np.arange(x.size)
    places = _coarse(x, y)
    kept = _farthest(x[places], y[places], most)
    return places[kept]


def _coarse(x: Floats, y: Floats) -> Ints:
    """Return the first, the lowest, the highest and the last corner of each narrow column."""
    if x.size <= 4 * _CELLS:
        return np.arange(x.size)
    starts = np.unique(np.searchsorted(x, np.linspace(0, 1, _CELLS + 1)[:-1] * x[-1]))
    stops = np.append(starts[1:], x.size)
    columns = zip(starts.tolist(), stops.tolist(), strict=True)
    ends = [
        (start, start + int(part.argmin()), start + int(part.argmax()), stop - 1)
        for start, stop in columns
        for part in (y[start:stop],)
    ]
    return np.unique([0, *np.ravel(ends), x.size - 1])


def _farthest(x: Floats, y: Floats, most: int) -> Ints:
    """Return the corners to keep, the most visible ones first."""
    kept = {0, x.size - 1}
    waiting = [_worst(x, y, 0, x.size - 1)]
    while waiting and len(kept) < most:
        seen, middle, first, last = heapq.heappop(waiting)
        if -seen < _UNSEEN:
            break
        kept.add(middle)
        for ends in ((first, middle), (middle, last)):
            if ends[1] - ends[0] > 1:
                heapq.heappush(waiting, _worst(x, y, *ends))
    return np.array(sorted(kept))


def _worst(x: Floats, y: Floats, first: int, last: int) -> tuple[float, int, int, int]:
    """Return the corner between two others that is farthest from their line, negative distance."""
    inner = slice(first + 1, last)
    along = np.array([x[last] - x[first], y[last] - y[first]])
    length = float(np.hypot(*along))
    dx, dy = x[inner] - x[first], y[inner] - y[first]
    far = np.abs(along[0] * dy - along[1] * dx) / length if length else np.hypot(dx, dy)
    place = int(far.argmax())
    return -float(far[place]), first + 1 + place, first, last
