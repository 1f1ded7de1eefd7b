"""Extremes that follow from a formula: where a gain changes its sign, and the ends of a line."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.binary.optimum.found import Found
from baserate.binary.optimum.objective import Objective
from baserate.core.rounding import FORMULA
from baserate.null.expectation import means

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate
    from baserate.binary.measures.affine import AffineScore
    from baserate.binary.measures.record import Measure
    from baserate.core.formula import Formula

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]

# Up to here the sign of G2's gain is beyond rounding; see docs/decisions/.
_EXACT_GAIN = 10**13
# What is gained is looked at for so many draws at a time.
_SECTIONS = 16


def end_of_gain(rate: BaseRate, measure: Measure, gain: Formula, allowed: range) -> Found:
    """Return the maximum of a concave expectation by its gain, by sections.

    It is at the P̂ from which one more positive prediction adds nothing: mostly a few draws from
    the middle, at any size.
    """

    def paying(counts: range) -> int:
        """Return for how many of these draws, in order, one more positive prediction pays."""
        drawn = np.array(counts)
        gains = means(gain, rate.positives, rate.negatives, drawn, smooth=measure.smooth)
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
