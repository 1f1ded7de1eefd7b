"""The baseline of test sets whose positives are no whole number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from baserate.binary.base_rate import BaseRate
from baserate.core.direction import Direction

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.ranking.measures.record import ScoreMeasure

    Floats = NDArray[np.float64]

# The baseline is known at so many numbers of positives, so many standard deviations around.
_KNOWN, _AROUND = 33, 5


def baselines(measure: ScoreMeasure, rate: BaseRate) -> Callable[[Floats], Floats]:
    """Return the baseline as a function of the number of positives, the total being the same.

    It is interpolated, and constant beyond the numbers for which it exists.
    """
    spread = _AROUND * math.sqrt(rate.positives * rate.negatives / rate.total + 1)
    low, high = max(rate.positives - spread, 0), min(rate.positives + spread, rate.total)
    whole = np.unique(np.rint(np.append(np.linspace(low, high, _KNOWN), rate.positives)))
    rates = [BaseRate(positives=int(each), total=rate.total) for each in whole]
    known = [(each.positives, _best(measure, each)) for each in rates if not measure.missing(each)]
    places, values = np.array(known, dtype=float).T
    return lambda positives: np.interp(positives, places, values)


def _best(measure: ScoreMeasure, rate: BaseRate) -> float:
    found = measure.extremes(rate)
    return (found.max if measure.direction is Direction.MAXIMIZE else found.min).value
