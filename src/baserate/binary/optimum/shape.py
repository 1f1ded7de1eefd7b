"""The extremes of an expectation that is known to be concave or convex in P̂."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.binary.optimum.found import Found
from baserate.binary.optimum.scan import MOST_SCANNED, grid, never_defined
from baserate.exceptions import InvalidMeasureError
from baserate.null.expectation import floats

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.measures.record import Measure
    from baserate.binary.optimum.objective import Objective

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]

# The curve is divided into so many sections at a time.
_SECTIONS = 16


def defined(curve: Objective, measure: Measure, allowed: range) -> range:
    """Return the draws from the first to the last that is defined, by bisection."""
    ends = allowed.start, allowed.stop - 1
    if not np.isnan([curve.at(end) for end in ends]).any():
        return allowed
    tried = grid(allowed)
    inside = np.flatnonzero(~np.isnan(curve(tried)))
    if inside.size == 0:
        raise never_defined(measure)
    first, last = (
        _boundary(curve, outside=int(tried[beyond]), inside=int(tried[within]))
        for beyond, within in (
            (max(inside[0] - 1, 0), inside[0]),
            (min(inside[-1] + 1, tried.size - 1), inside[-1]),
        )
    )
    return range(first, last + 1)


def _boundary(curve: Objective, outside: int, inside: int) -> int:
    """Return the last defined draw on the way from a defined one to one that may not be."""
    if not np.isnan(curve.at(outside)):
        return outside
    while abs(outside - inside) > 1:
        middle = (outside + inside) // 2
        if np.isnan(curve.at(middle)):
            outside = middle
        else:
            inside = middle
    return inside


def shaped(curve: Objective, allowed: range, shape: str) -> tuple[Found, Found]:
    """Return the extremes of a concave or convex curve: one inside, the other at an end."""
    sign = 1 if shape == "concave" else -1
    first, last = allowed.start, allowed.stop - 1
    peak = _peak(curve, first, last, sign)
    lower, higher = sorted((first, last), key=lambda end: sign * curve.at(end))
    plateau = _plateau(curve, first, peak, last)
    # A plateau of a large test set may be the curve's, or that of rounding on its top.
    is_sharp = plateau.stop - plateau.start == 1 or curve.total < MOST_SCANNED
    inside = Found(curve.at(peak), (plateau,), exact=is_sharp)
    if plateau == allowed:
        return inside, inside
    attained = sorted({lower, higher}) if curve.tie(lower, higher) else [lower]
    places = tuple(range(end, end + 1) for end in attained)
    outside = Found(curve.at(lower), places, exact=True)
    return (inside, outside) if sign > 0 else (outside, inside)


def _peak(curve: Objective, first: int, last: int, sign: int) -> int:
    """Return where a concave curve is highest, or a convex one lowest, by sections.

    Values far apart are compared, because neighbours on a flat top differ by less than rounding.
    """
    while True:
        sections = min(_SECTIONS, last - first)
        points = [first + (last - first) * i // max(sections, 1) for i in range(sections + 1)]
        counts = np.array(points)
        values = sign * curve(counts)
        _require_concave(curve, counts, values)
        best = int(values.argmax())
        if last - first <= _SECTIONS:
            return points[best]
        first, last = points[max(best - 1, 0)], points[min(best + 1, sections)]


def _require_concave(curve: Objective, counts: Ints, values: Floats) -> None:
    """Raise if a curve is seen not to have the shape that it was declared to have."""
    middle = np.interp(floats(counts[1:-1]), floats(counts[::2]), values[::2])
    if (middle - values[1:-1] > 4 * curve.slack(counts).max())[::2].any():
        raise InvalidMeasureError(
            "must be that of the expectation as a function of P̂ (got one that bends the other "
            "way); leave shape out, and every draw is looked at",
            parameter="shape",
        )


def _plateau(curve: Objective, first: int, peak: int, last: int) -> range:
    """Return all that ties with the peak, by bisection to either side of it."""
    left = right = peak
    while first < left:
        middle = (first + left) // 2
        if curve.tie(peak, middle):
            left = middle
        else:
            first = middle + 1
    while right < last:
        middle = (right + last + 1) // 2
        if curve.tie(peak, middle):
            right = middle
        else:
            last = middle - 1
    return range(left, right + 1)
