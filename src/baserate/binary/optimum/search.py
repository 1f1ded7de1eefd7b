"""Where an expectation is extreme, when no formula says so."""

from __future__ import annotations

import math
from contextlib import closing
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.binary.law.canonical import floats
from baserate.binary.law.quadrature import expectations, has_few_tables
from baserate.binary.optimum.objective import Objective
from baserate.core.rounding import FORMULA
from baserate.exceptions import InvalidMeasureError, UndefinedMeasureError
from baserate.support.progress import watched

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate
    from baserate.binary.law.affine import AffineScore
    from baserate.binary.measures.record import Measure
    from baserate.binary.theta import Counts
    from baserate.core.formula import Formula

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]

# The most draws that are looked at one by one.
MOST_SCANNED = 100_001
# Draws that are computed between two updates of the progress bar.
_BATCH = 2048
# Up to here the sign of G2's gain is beyond rounding; see docs/decisions/.
_EXACT_GAIN = 10**13
# A curve of known shape, or what is gained on it, is divided into so many sections at a time.
_SECTIONS = 16
# A search begins on a grid of so many draws, and refines around so many of the best.
_GRID, _CANDIDATES, _REFINEMENT = 2048, 8, 17
# A function that is not smooth is summed over the integers, which takes longer the wider the law.
_GRID_IF_NOT_SMOOTH = 256


class Found(NamedTuple):
    """An extreme value of the expectation, the P̂ that attain it, and whether that is certain."""

    value: float
    counts: Counts
    exact: bool


def end_of_gain(rate: BaseRate, measure: Measure, gain: Formula, allowed: range) -> Found:
    """Return the maximum of a concave expectation by its gain, by sections.

    It is at the P̂ from which one more positive prediction adds nothing: mostly a few draws from
    the middle, at any size.
    """

    def paying(counts: range) -> int:
        """Return for how many of these draws, in order, one more positive prediction pays."""
        gains = expectations(gain, rate, np.array(counts), smooth=measure.smooth)
        return int(np.append(gains > 0, False).argmin())

    first, last = allowed.start, allowed.stop - 1
    middle = (first + last) // 2
    tried = range(max(first, middle - _SECTIONS // 2), min(last, middle + _SECTIONS // 2 + 1))
    while first < last:
        paid = paying(tried)
        last = tried[paid] if paid < len(tried) else last
        first = tried[paid - 1] + 1 if paid else first
        tried = range(first, last, max(1, -(-(last - first) // _SECTIONS)))
    value = Objective(rate, measure).at(first)
    return Found(value, (range(first, first + 1),), exact=rate.total <= _EXACT_GAIN)


def straight(score: AffineScore, allowed: range) -> tuple[Found, Found]:
    """Return the extremes of a straight line: at its ends, or everywhere if it is level."""
    first, last = score.ends
    # Exact ends that differ by less differ by the rounding of the line's factors.
    if abs(first - last) <= Fraction(FORMULA) * max(abs(first), abs(last)):
        level = Found(float(max(first, last)), (allowed,), exact=True)
        return level, level
    at_ends = [
        Found(float(value), (range(count, count + 1),), exact=True)
        for value, count in ((first, allowed.start), (last, allowed.stop - 1))
    ]
    return (at_ends[0], at_ends[1]) if first > last else (at_ends[1], at_ends[0])


def is_certain(rate: BaseRate, measure: Measure) -> bool:
    """Tell whether expectations are sums over all that counts, whatever the function does.

    The laws of a large test set are summed near their mean, where their mass is: the rest is
    nothing for scores of a declared codomain. The integral of a function that is said to be
    smooth is never certain.
    """
    is_bounded = math.isfinite(measure.magnitude(math.inf))
    return has_few_tables(rate) or (is_bounded and not measure.smooth)


def extremes(rate: BaseRate, measure: Measure, allowed: range) -> tuple[Found, Found]:
    """Return the largest and the smallest expectation of a measure without formulas."""
    curve, certain = Objective(rate, measure), is_certain(rate, measure)
    if measure.shape is not None:
        found = _shaped(curve, _defined(curve, measure, allowed), measure.shape)
        highest, lowest = (each._replace(exact=each.exact and certain) for each in found)
        return highest, lowest
    if allowed.stop - allowed.start <= MOST_SCANNED:
        counts, exact = np.arange(allowed.start, allowed.stop), certain
        scores = _scanned(curve, counts, f"scanning {measure.key}")
    else:
        curve.at(rate.total // 2)  # the widest law: if it is too wide to sum, better know it now
        size = _GRID if measure.smooth else _GRID_IF_NOT_SMOOTH
        counts, exact = _grid(allowed, size), False
        counts, scores = _refined(curve, counts, f"searching {measure.key}")
    if np.isnan(scores).all():
        raise _never_defined(measure)
    highest, lowest = (
        _found(curve, counts, scores, int(best), exact=exact)
        for best in (np.nanargmax(scores), np.nanargmin(scores))
    )
    return highest, lowest


def _found(curve: Objective, counts: Ints, scores: Floats, best: int, *, exact: bool) -> Found:
    """Return an extreme with all that ties with it."""
    slack = curve.slack(counts)
    ties = np.abs(scores - scores[best]) <= np.maximum(slack, slack[best])
    return Found(scores[best].item(), _ranges(counts, ties), exact)


def _never_defined(measure: Measure) -> UndefinedMeasureError:
    needs = "a draw whose every score is a number"
    return UndefinedMeasureError.no_draw(measure.key, needs, "none")


def _scanned(curve: Objective, counts: Ints, what: str) -> Floats:
    """Return the expectations of many draws, with a progress bar."""
    parts = [range(i, min(i + _BATCH, counts.size)) for i in range(0, counts.size, _BATCH)]
    scores = np.empty(counts.shape)
    with closing(
        watched(parts, counts.size, what, "draws", len)
    ) as bar:  # an interrupt takes the bar away
        for part in bar:
            scores[part.start : part.stop] = curve(counts[part.start : part.stop])
    return scores


# --- A known shape ---


def _defined(curve: Objective, measure: Measure, allowed: range) -> range:
    """Return the draws from the first to the last that is defined, by bisection."""
    ends = allowed.start, allowed.stop - 1
    if not np.isnan([curve.at(end) for end in ends]).any():
        return allowed
    grid = _grid(allowed)
    inside = np.flatnonzero(~np.isnan(curve(grid)))
    if inside.size == 0:
        raise _never_defined(measure)
    first, last = (
        _boundary(curve, outside=int(grid[beyond]), inside=int(grid[within]))
        for beyond, within in (
            (max(inside[0] - 1, 0), inside[0]),
            (min(inside[-1] + 1, grid.size - 1), inside[-1]),
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


def _shaped(curve: Objective, allowed: range, shape: str) -> tuple[Found, Found]:
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


# --- An unknown shape, and too many draws ---


def _grid(allowed: range, size: int = _GRID) -> Ints:
    """Return draws that are spread evenly, and ever closer towards both ends."""
    first, last = allowed.start, allowed.stop - 1
    even = [first + (last - first) * i // size for i in range(size + 1)]
    close = {int(2 ** (i / 4)) for i in range(4 * (last - first).bit_length() - 4)}
    counts = {*even, *(first + c for c in close), *(last - c for c in close)}
    return np.array(sorted(c for c in counts if first <= c <= last))


def _refined(curve: Objective, counts: Ints, what: str) -> tuple[Ints, Floats]:
    """Look closer around the best and the worst draws, until their neighbours are known."""
    scores = _scanned(curve, counts, what)
    while True:
        defined = np.flatnonzero(~np.isnan(scores))
        order = defined[np.argsort(scores[defined])]
        chosen = np.unique(np.append(order[:_CANDIDATES], order[-_CANDIDATES:]))
        fresh = np.setdiff1d(_between_neighbours(counts, chosen), counts)
        if fresh.size == 0:
            return counts, scores
        fresh_scores = _scanned(curve, fresh, what)
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
