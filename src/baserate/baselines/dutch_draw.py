"""The best and the worst draw of two classes."""

from __future__ import annotations

import math
from bisect import bisect_left
from contextlib import closing
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

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
from baserate.observed.labels import ConfusionMatrix, as_base_rate
from baserate.observed.theta import ThetaSet
from baserate.progress import watched

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from baserate.core.measure import Formula
    from baserate.data.columns import Labels
    from baserate.measures.affine import AffineScore
    from baserate.measures.two_classes_record import Extreme, TwoClassMeasure
    from baserate.observed.labels import BaseRate
    from baserate.plots.null import BaselineDisplay

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]
    Optima = tuple[Optimum, Optimum]


# The curve is divided into so many sections at a time.
_SECTIONS = 16
# Up to here the sign of G2's gain is beyond rounding; see docs/decisions/.
_EXACT_GAIN = 10**13
# The most draws that are looked at one by one, and those between two updates of the progress bar.
_MOST_SCANNED, _BATCH = 100_001, 2048
# A search begins on a grid of so many draws, and refines around so many of the best.
_GRID, _CANDIDATES, _REFINEMENT = 2048, 8, 17
# A function that is not smooth is summed over the integers: the wider the distribution, the longer.
_GRID_IF_NOT_SMOOTH = 256


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
            return self._scaler.weight(score)
        except (UndefinedMeasureError, InvalidMeasureError):
            # The baseline is perfect already; or a user's function may not take parts of a count.
            return math.nan

    @cached_property
    def _scaler(self) -> Scaler:
        return Scaler(self)

    def plot(self, *, ax: Axes | None = None) -> BaselineDisplay:
        """Draw what guesses score for every θ.

        Parameters
        ----------
        ax
            Where to draw; a new figure by default.
        """
        from baserate.plots.null import BaselineDisplay

        return BaselineDisplay(self).plot(ax)


def baseline(
    test_set: BaseRate | ConfusionMatrix | Labels,
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
    table = ConfusionMatrix(tp=rate.positives, tn=rate.negatives)
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


def never_defined(measure: TwoClassMeasure) -> UndefinedMeasureError:
    """Return the error of a measure that no draw has a score for."""
    needs = "a draw whose every score is a number"
    return UndefinedMeasureError.no_draw(measure.key, needs, "none")


def _optima(rate: BaseRate, measure: TwoClassMeasure, allowed: range) -> Optima:
    """Return the highest and the lowest: declared ones as declared, the others by one search."""
    affine = affine_score(measure, rate)
    if affine is not None:
        return _straight(affine, allowed, rate.total)
    draw = measure.draw
    lowest = _declared(rate, measure, allowed, draw.minimum)
    if draw.maximum is None and draw.gain is not None:
        highest: Optimum | None = _end_of_gain(rate, measure, draw.gain, allowed)
    else:
        highest = _declared(rate, measure, allowed, draw.maximum)
    if highest is None or lowest is None:
        found = _searched(rate, measure, allowed)
        return highest or found[0], lowest or found[1]
    return highest, lowest


def _declared(
    rate: BaseRate, measure: TwoClassMeasure, allowed: range, extreme: Extreme | None
) -> Optimum | None:
    """Return an optimum of Table 4, if the measure declares it."""
    if extreme is None:
        return None
    is_constant = measure.draw.constant(rate)
    counts = (allowed,) if is_constant else extreme.place(rate, allowed)
    return Optimum(float(extreme.value(rate)), ThetaSet(counts, rate.total))


def _at(value: float, counts: list[int], total: int) -> Optimum:
    return Optimum(value, ThetaSet(tuple(range(each, each + 1) for each in counts), total))


def _straight(score: AffineScore, allowed: range, total: int) -> Optima:
    """Return the extremes of a straight line: at its ends, or everywhere if it is level."""
    first, last = score.ends
    # Exact ends that differ by less differ by the rounding of the line's factors.
    if abs(first - last) <= Fraction(FORMULA) * max(abs(first), abs(last)):
        level = Optimum(float(max(first, last)), ThetaSet((allowed,), total))
        return level, level
    left, right = _at(float(first), [allowed[0]], total), _at(float(last), [allowed[-1]], total)
    return (left, right) if first > last else (right, left)


def _end_of_gain(
    rate: BaseRate, measure: TwoClassMeasure, gain: Formula, allowed: range
) -> Optimum:
    """Return the maximum of a concave expectation by its gain, by sections.

    It is at the P̂ from which one more positive prediction adds nothing: mostly a few draws from
    the middle, at any size.
    """
    first, last = allowed[0], allowed[-1]
    middle = (first + last) // 2
    tried = range(max(first, middle - _SECTIONS // 2), min(last, middle + _SECTIONS // 2 + 1))
    while first < last:
        # For how many of these draws, in order, one more positive prediction pays.
        gains = means(gain, rate, np.array(tried), smooth=measure.smooth)
        paid = int(np.append(gains > 0, False).argmin())
        last = tried[paid] if paid < len(tried) else last
        first = tried[paid - 1] + 1 if paid else first
        tried = range(first, last, max(1, -(-(last - first) // _SECTIONS)))
    found = _at(_Curve(rate, measure).at(first), [first], rate.total)
    return replace(found, exact=rate.total <= _EXACT_GAIN)


class _Curve:
    """The expectation of a measure as a function of P̂, computed where it is asked for."""

    def __init__(self, rate: BaseRate, measure: TwoClassMeasure) -> None:
        self._rate, self._measure = rate, measure

    def __call__(self, counts: Ints) -> Floats:
        """Return the expectations of these draws; nan where they are undefined."""
        return means_of_many(self._measure.scores, self._rate, self._measure, counts)

    def at(self, count: int) -> float:
        return float(self(np.array([count]))[0])

    def is_defined(self, count: int) -> bool:
        return not math.isnan(self.at(count))

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
        for step in (-aside, 0 * aside, aside):
            hits = np.clip(np.rint(mean + step), low, high)
            tp, fp, fn, _ = four_counts(hits, rate.positives, rate.negatives, drawn)
            # TN from a difference of integers: of floats it may be a little below zero.
            scores = np.abs(self._measure.scores(tp, fp, fn, np.maximum(left + tp, 0)))
            sizes = np.where(np.isfinite(scores), np.maximum(sizes, scores), sizes)
        bound = self._measure.magnitude(math.inf)
        return COMPUTATION * (sizes if math.isinf(bound) else np.full_like(sizes, bound))

    def tie(self, count: int, other: int) -> bool:
        """Return whether two draws have the same expectation, up to rounding."""
        both = np.array([count, other])
        return bool(abs(np.diff(self(both))[0]) <= self.slack(both).max())


def _searched(rate: BaseRate, measure: TwoClassMeasure, allowed: range) -> Optima:
    """Return the highest and the lowest expectation of a measure without formulas.

    Expectations are complete sums for few tables. The distributions of a large test set are summed
    near the mean, where their mass is; the rest is negligible for scores with a declared codomain.
    The integral of a function declared smooth is never certain.
    """
    curve, is_bounded = _Curve(rate, measure), math.isfinite(measure.magnitude(math.inf))
    certain = has_few_tables(rate) or (is_bounded and not measure.smooth)
    if measure.draw.shape is not None:
        inside = _defined(curve, measure, allowed)
        highest, lowest = _shaped(curve, inside, measure.draw.shape, rate.total)
        return (
            replace(highest, exact=highest.exact and certain),
            replace(lowest, exact=lowest.exact and certain),
        )
    if len(allowed) <= _MOST_SCANNED:
        counts, exact = np.arange(allowed.start, allowed.stop), certain
        scores = _scanned(curve, counts, f"scanning {measure.key}")
    else:
        # The widest distribution: if it is too wide to sum, better know it now.
        curve.at(rate.total // 2)
        size, exact = _GRID if measure.smooth else _GRID_IF_NOT_SMOOTH, False
        counts, scores = _refined(curve, _grid(allowed, size), f"searching {measure.key}")
    if np.isnan(scores).all():
        raise never_defined(measure)
    slack = curve.slack(counts)
    found = []
    for best in (np.nanargmax(scores), np.nanargmin(scores)):
        # All that ties, as ranges of neighbours.
        ties = counts[np.abs(scores - scores[best]) <= np.maximum(slack, slack[best])]
        runs = np.split(ties, np.flatnonzero(np.diff(ties) != 1) + 1)
        places = ThetaSet(tuple(range(int(run[0]), int(run[-1]) + 1) for run in runs), rate.total)
        found.append(Optimum(scores[best].item(), places, exact=exact))
    return found[0], found[1]


def _defined(curve: _Curve, measure: TwoClassMeasure, allowed: range) -> range:
    """Return the draws from the first to the last that is defined, by bisection."""
    if curve.is_defined(allowed[0]) and curve.is_defined(allowed[-1]):
        return allowed
    tried = _grid(allowed, _GRID)
    inside = np.flatnonzero(~np.isnan(curve(tried)))
    if inside.size == 0:
        raise never_defined(measure)
    start, stop = int(tried[max(inside[0] - 1, 0)]), int(tried[inside[0]])
    first = start + bisect_left(range(start, stop), 1, key=curve.is_defined)
    start, stop = int(tried[inside[-1]]), int(tried[min(inside[-1] + 1, tried.size - 1)]) + 1
    end = bisect_left(range(start, stop), 1, key=lambda count: not curve.is_defined(count))
    return range(first, start + end)


def _shaped(curve: _Curve, allowed: range, shape: str, total: int) -> Optima:
    """Return the extremes of a concave or convex curve: one inside, the other at an end."""
    sign = 1 if shape == "concave" else -1
    first, last = allowed[0], allowed[-1]
    peak = _peak(curve, first, last, sign)
    lower, higher = sorted((first, last), key=lambda end: sign * curve.at(end))
    left = first + bisect_left(range(first, peak), 1, key=lambda each: curve.tie(peak, each))
    beyond = range(peak + 1, last + 1)
    right = bisect_left(beyond, 1, key=lambda each: not curve.tie(peak, each))
    plateau = range(left, peak + 1 + right)
    # A plateau of a large test set may be the curve's, or that of rounding on its top.
    is_sharp = len(plateau) == 1 or total < _MOST_SCANNED
    inside = Optimum(curve.at(peak), ThetaSet((plateau,), total), exact=is_sharp)
    if plateau == allowed:
        return inside, inside
    attained = sorted({lower, higher}) if curve.tie(lower, higher) else [lower]
    outside = _at(curve.at(lower), attained, total)
    return (inside, outside) if sign > 0 else (outside, inside)


def _peak(curve: _Curve, first: int, last: int, sign: int) -> int:
    """Return where a concave curve is highest, or a convex one lowest, by sections.

    Values far apart are compared, because neighbours on a flat top differ by less than rounding.
    Raise if the curve is seen not to have the shape that it was declared to have.
    """
    while True:
        sections = min(_SECTIONS, last - first)
        points = [first + (last - first) * i // max(sections, 1) for i in range(sections + 1)]
        counts = np.array(points)
        values = sign * curve(counts)
        middle = np.interp(floats(counts[1:-1]), floats(counts[::2]), values[::2])
        if (middle - values[1:-1] > 4 * curve.slack(counts).max())[::2].any():
            raise InvalidMeasureError(
                "must be that of the expectation as a function of P̂ (got one that bends the other "
                "way); leave shape out, and every draw is looked at",
                parameter="shape",
            )
        best = int(values.argmax())
        if last - first <= _SECTIONS:
            return points[best]
        first, last = points[max(best - 1, 0)], points[min(best + 1, sections)]


def _scanned(curve: _Curve, counts: Ints, what: str) -> Floats:
    """Return the expectations of many draws, with a progress bar."""
    parts = [counts[start : start + _BATCH] for start in range(0, counts.size, _BATCH)]
    with closing(watched(parts, counts.size, what, "draws", len)) as bar:  # also if interrupted
        return np.concatenate([curve(part) for part in bar])


def _grid(allowed: range, size: int) -> Ints:
    """Return draws that are spread evenly, and ever closer towards both ends."""
    first, last = allowed[0], allowed[-1]
    even = [first + (last - first) * i // size for i in range(size + 1)]
    close = {int(2 ** (i / 4)) for i in range(4 * (last - first).bit_length() - 4)}
    counts = {*even, *(first + c for c in close), *(last - c for c in close)}
    return np.array(sorted(c for c in counts if first <= c <= last))


def _refined(curve: _Curve, counts: Ints, what: str) -> tuple[Ints, Floats]:
    """Look closer around the best and the worst draws, until their neighbours are known."""
    scores = _scanned(curve, counts, what)
    steps = np.arange(1, _REFINEMENT)
    while True:
        defined = np.flatnonzero(~np.isnan(scores))
        order = defined[np.argsort(scores[defined])]
        chosen = np.unique(np.append(order[:_CANDIDATES], order[-_CANDIDATES:]))
        ends = counts[np.clip(np.add.outer([-1, 0, 1], chosen), 0, counts.size - 1)][
            ..., np.newaxis
        ]
        between = ends[:-1] + (ends[1:] - ends[:-1]) * steps // _REFINEMENT
        fresh = np.setdiff1d(between, counts)
        if fresh.size == 0:
            return counts, scores
        counts, scores = (
            np.append(counts, fresh),
            np.append(scores, _scanned(curve, fresh, what)),
        )
        ascending = np.argsort(counts)
        counts, scores = counts[ascending], scores[ascending]
