"""The best and the worst draw of two classes."""

from __future__ import annotations

import math
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.baselines.dutch_scaler import Scaler, guess_in_words, perfect_score
from baserate.baselines.expectation import (
    Overlap,
    floats,
    has_few_tables,
    means,
    means_of_many,
)
from baserate.core.baseline import ANY, COMPUTATION, FORMULA, Baseline, Optimum
from baserate.core.measure import Direction
from baserate.data.labels import four_counts
from baserate.exceptions import InvalidMeasureError, UndefinedMeasureError
from baserate.measures.affine import affine_score
from baserate.measures.two_classes import get_measure
from baserate.measures.two_classes_record import Margins
from baserate.observed.theta import ThetaSet
from baserate.observed.two_classes import Confusion, as_base_rate
from baserate.progress import watched

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from baserate.core.measure import Formula
    from baserate.data.columns import Labels
    from baserate.measures.affine import AffineScore
    from baserate.measures.two_classes_record import Extreme, TwoClassMeasure
    from baserate.observed.base_rate import BaseRate
    from baserate.observed.theta import Counts
    from baserate.plots.null import BaselineDisplay
    from baserate.plots.theta import XScale

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]


class Found(NamedTuple):
    """An extreme value of the expectation, the P̂ that attain it, and whether that is certain."""

    value: float
    counts: Counts
    exact: bool


# The curve is divided into so many sections at a time.
_SECTIONS = 16


def defined(curve: Objective, measure: TwoClassMeasure, allowed: range) -> range:
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


# Up to here the sign of G2's gain is beyond rounding; see docs/decisions/.
_EXACT_GAIN = 10**13


def end_of_gain(rate: BaseRate, measure: TwoClassMeasure, gain: Formula, allowed: range) -> Found:
    """Return the maximum of a concave expectation by its gain, by sections.

    It is at the P̂ from which one more positive prediction adds nothing: mostly a few draws from
    the middle, at any size.
    """

    def paying(counts: range) -> int:
        """Return for how many of these draws, in order, one more positive prediction pays."""
        drawn = np.array(counts)
        gains = means(gain, rate, drawn, smooth=measure.smooth)
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


class Objective:
    """The expectation of a measure as a function of P̂, computed where it is asked for."""

    def __init__(self, rate: BaseRate, measure: TwoClassMeasure) -> None:
        self._rate, self._measure = rate, measure
        self.total = rate.total

    def __call__(self, counts: Ints) -> Floats:
        """Return the expectations of these draws; nan where they are undefined."""
        return means_of_many(self._measure.scores, self._rate, self._measure, counts)

    def at(self, count: int) -> float:
        """Return the expectation of one draw."""
        return float(self(np.array([count]))[0])

    def slack(self, counts: Ints) -> Floats:
        """Return how far apart two expectations may be and still tie.

        This is rounding on the scale of the scores: at the mean of TP, and two standard deviations
        to either side. An expectation of zero has no scale of its own.
        """
        rate = self._rate
        low = floats(np.maximum(0, counts - rate.negatives))
        high = floats(np.minimum(rate.positives, counts))
        mean = rate.positives * (floats(counts) / rate.total)
        aside = 2 * Overlap.of(rate, counts).sd
        drawn, left = floats(counts), floats(rate.negatives - counts)
        sizes = np.zeros(counts.shape)
        for hits in (
            np.clip(np.rint(mean + step), low, high) for step in (-aside, 0 * aside, aside)
        ):
            tp, fp, fn, _ = four_counts(hits, rate.positives, rate.negatives, drawn)
            # TN from a difference of integers: of floats it may be a little below zero.
            scores = np.abs(self._measure.scores(tp, fp, fn, np.maximum(left + tp, 0)))
            sizes = np.where(np.isfinite(scores), np.maximum(sizes, scores), sizes)
        bound = self._measure.magnitude(math.inf)
        return COMPUTATION * (sizes if math.isinf(bound) else np.full_like(sizes, bound))

    def tie(self, count: int, other: int) -> bool:
        """Return whether two draws have the same expectation, up to rounding."""
        both = np.array([count, other])
        difference = np.diff(self(both))[0]
        return bool(abs(difference) <= self.slack(both).max())


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


def never_defined(measure: TwoClassMeasure) -> UndefinedMeasureError:
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


# A function that is not smooth is summed over the integers: the wider the distribution, the longer.
_GRID_IF_NOT_SMOOTH = 256


def is_certain(rate: BaseRate, measure: TwoClassMeasure) -> bool:
    """Return whether expectations are complete sums, for any function.

    The distributions of a large test set are summed near the mean, where their mass is; the rest is
    negligible for scores with a declared codomain. The integral of a function declared smooth
    is never certain.
    """
    is_bounded = math.isfinite(measure.magnitude(math.inf))
    return has_few_tables(rate) or (is_bounded and not measure.smooth)


def extremes(rate: BaseRate, measure: TwoClassMeasure, allowed: range) -> tuple[Found, Found]:
    """Return the largest and the smallest expectation of a measure without formulas."""
    curve, certain = Objective(rate, measure), is_certain(rate, measure)
    if measure.draw.shape is not None:
        found = shaped(curve, defined(curve, measure, allowed), measure.draw.shape)
        highest, lowest = (each._replace(exact=each.exact and certain) for each in found)
        return highest, lowest
    if allowed.stop - allowed.start <= MOST_SCANNED:
        counts, exact = np.arange(allowed.start, allowed.stop), certain
        scores = scanned(curve, counts, f"scanning {measure.key}")
    else:
        curve.at(
            rate.total // 2
        )  # the widest distribution: if it is too wide to sum, better know it now
        size = GRID if measure.smooth else _GRID_IF_NOT_SMOOTH
        counts, exact = grid(allowed, size), False
        counts, scores = refined(curve, counts, f"searching {measure.key}")
    if np.isnan(scores).all():
        raise never_defined(measure)
    highest, lowest = (
        extreme(curve, counts, scores, int(best), exact=exact)
        for best in (np.nanargmax(scores), np.nanargmin(scores))
    )
    return highest, lowest


@dataclass(frozen=True, repr=False)
class DutchDrawBaseline(Baseline):
    """The expected scores of the best and the worst Dutch Draw; guesses are sets of θ*."""

    @property
    def theta_star(self) -> float:  # type: ignore[override]
        """The fraction that the best draw predicts positive; the smallest, if there are several."""
        return float(next(iter(self.guesses)))

    @property
    def guess(self) -> str:
        """The best guess in words."""
        return ANY if self.min.value == self.max.value else guess_in_words(self.theta_star)

    def oracle_weight(self, score: float) -> float:
        """Return the Dutch Scaler of a score; nan if there is none."""
        if not self.scale.advantage(score, self.value) >= 0:  # below the baseline there is none
            return math.nan
        try:
            return Scaler(self).weight(score)
        except (UndefinedMeasureError, InvalidMeasureError):
            # The baseline is perfect already; or a user's function may not take parts of a count.
            return math.nan

    def plot(self, *, ax: Axes | None = None, xscale: XScale = "auto") -> BaselineDisplay:
        """Draw what guesses score for every θ."""
        from baserate.plots.null import BaselineDisplay

        return BaselineDisplay(self).plot(ax, xscale=xscale)


def _optimum(found: Found, rate: BaseRate) -> Optimum:
    """Return the optimum that a search has found."""
    return Optimum(found.value, ThetaSet(found.counts, rate.total), exact=found.exact)


def baseline(
    test_set: BaseRate | Confusion | Labels,
    measure: str | TwoClassMeasure,
    *,
    pos_label: object = None,
) -> DutchDrawBaseline:
    """Return the Dutch Draw baseline of a measure: the expected score of the best guess.

    Examples
    --------
    >>> from baserate import BaseRate
    >>> base = baseline(BaseRate(positives=139, total=303), "F1")
    >>> round(base.value, 3), base.guesses
    (0.629, ThetaSet({1}))
    >>> print(*base.min.guesses.intervals)
    [1/606, 1/202)
    """
    rate, measure = as_base_rate(test_set, pos_label), get_measure(measure)
    measure.require_baseline()
    allowed = measure.allowed(rate)
    if not allowed:
        raise no_draw(rate, measure)
    highest, lowest = _optima(rate, measure, allowed)
    best = highest if measure.direction is Direction.MAXIMIZE else lowest
    table = Confusion(tp=rate.positives, tn=rate.negatives)
    perfect = perfect_score(measure, table, best.value)
    return DutchDrawBaseline(measure, rate, highest, lowest, perfect)


def no_draw(rate: BaseRate, measure: TwoClassMeasure) -> UndefinedMeasureError:
    """Return the error of a measure that no draw can be scored by."""
    # Test the middle: a requirement on predictions fails there only if there is no middle.
    margins = Margins.of(rate, rate.total // 2)
    failing = measure.failing_requirement(margins)
    if failing is None or rate.total == 1:
        needs = " and ".join(need.text for need in measure.requirements)
        evidence = f"positives = {rate.positives}, total = {rate.total}"
        return UndefinedMeasureError.no_draw(measure.key, needs, evidence)
    return UndefinedMeasureError.no_draw(measure.key, failing.text, failing.evidence(margins))


def _optima(rate: BaseRate, measure: TwoClassMeasure, allowed: range) -> tuple[Optimum, Optimum]:
    """Return both optima: declared ones as declared, the others by one search."""
    affine = affine_score(measure, rate)
    if affine is not None:
        highest_and_lowest = straight(affine, allowed)
        return _optimum(highest_and_lowest[0], rate), _optimum(highest_and_lowest[1], rate)
    highest = _maximum(rate, measure, allowed)
    lowest = _declared(rate, measure, allowed, measure.draw.minimum)
    if highest is None or lowest is None:
        found = [_optimum(each, rate) for each in extremes(rate, measure, allowed)]
        return highest or found[0], lowest or found[1]
    return highest, lowest


def _maximum(rate: BaseRate, measure: TwoClassMeasure, allowed: range) -> Optimum | None:
    if measure.draw.maximum is None and measure.draw.gain is not None:
        return _optimum(end_of_gain(rate, measure, measure.draw.gain, allowed), rate)
    return _declared(rate, measure, allowed, measure.draw.maximum)


def _declared(
    rate: BaseRate, measure: TwoClassMeasure, allowed: range, extreme: Extreme | None
) -> Optimum | None:
    """Return an optimum of Table 4, if the measure declares it."""
    if extreme is None:
        return None
    is_constant = measure.draw.constant.holds(rate)
    counts = (allowed,) if is_constant else extreme.place.counts(rate, allowed)
    return Optimum(float(extreme.value(rate)), ThetaSet(counts, rate.total))
