"""Scales on which scores of samples are nearly normal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from baserate.core.direction import Direction
from baserate.regression.measures.correlations import CORRELATIONS
from baserate.regression.uncertainty.draws import Bends

if TYPE_CHECKING:
    from baserate.regression.measures.record import NumberMeasure


def _log(number: float) -> float:
    if math.isnan(number):
        return math.nan
    return math.log(number) if number > 0 else -math.inf


def _exp(number: float) -> float:
    return math.exp(number) if number < 700 else math.inf


def _atanh(number: float) -> float:
    return math.atanh(number) if not abs(number) >= 1 else math.copysign(math.inf, number)


PLAIN = Bends(lambda number: number, lambda number: number)
LOSS = Bends(_log, _exp)
SHARE = Bends(lambda share: -_log(1 - share), lambda bent: 1 - _exp(-bent))
CORRELATION = Bends(_atanh, math.tanh)


def bends_of(measure: NumberMeasure) -> Bends:
    """Return the scale of a score: Fisher's for correlations, and logarithms of losses.

    Examples
    --------
    >>> from baserate.regression.measures.explained import R2
    >>> round(bends_of(R2).to(0.9), 3)
    2.303
    """
    if measure in CORRELATIONS:
        return CORRELATION
    return LOSS if measure.direction is Direction.MINIMIZE else SHARE
