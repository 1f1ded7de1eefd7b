"""Search for the extremes of an expectation that no formula gives."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from baserate.binary.optimum.objective import Objective
from baserate.binary.optimum.scan import (
    GRID,
    MOST_SCANNED,
    extreme,
    grid,
    never_defined,
    refined,
    scanned,
)
from baserate.binary.optimum.shape import defined, shaped
from baserate.null.expectation import has_few_tables

if TYPE_CHECKING:
    from baserate.binary.base_rate import BaseRate
    from baserate.binary.measures.record import Measure
    from baserate.binary.optimum.found import Found

# A function that is not smooth is summed over the integers, which takes longer the wider the law.
_GRID_IF_NOT_SMOOTH = 256


def is_certain(rate: BaseRate, measure: Measure) -> bool:
    """Return whether expectations are complete sums, for any function.

    The distributions of a large test set are summed near the mean, where their mass is; the rest is
    negligible for scores with a declared codomain. The integral of a function declared smooth
    is never certain.
    """
    is_bounded = math.isfinite(measure.magnitude(math.inf))
    return has_few_tables(rate.positives, rate.negatives) or (is_bounded and not measure.smooth)


def extremes(rate: BaseRate, measure: Measure, allowed: range) -> tuple[Found, Found]:
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
        curve.at(rate.total // 2)  # the widest law: if it is too wide to sum, better know it now
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
