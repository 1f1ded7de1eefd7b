"""Scores rescaled, so that they can be read without knowing the base rate."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from baserate.arguments import as_float, is_number
from baserate.binary.confusion import Confusion
from baserate.core.direction import Direction
from baserate.core.scale import Scale
from baserate.exceptions import InvalidMeasureError
from baserate.formatting import shown

if TYPE_CHECKING:
    from baserate.binary.optimum.baseline import Baseline


def require_score(score: Any) -> float:
    """Return a score as a float, or raise if it is not a valid score."""
    number = as_float(score) if is_number(score) else math.inf
    if math.isinf(number):
        raise InvalidMeasureError(
            f"must be a finite number (got {shown(score)} of type {type(score).__name__})",
            parameter="score",
        )
    return number


def scale_of(base: Baseline) -> Scale:
    """Return the scale of a measure on a test set."""
    return Scale.of(base, _perfect_score(base))


def _perfect_score(base: Baseline) -> float:
    """Return the score of a prediction without errors."""
    measure, rate = base.measure, base.base_rate
    table = Confusion(tp=rate.positives, tn=rate.negatives)
    if measure.failing_requirement(table) is None:
        score = float(measure.definition(table.tp, table.fp, table.fn, table.tn))
        if math.isfinite(score):
            return score
    if not measure.may_be_undefined:
        # With one class there is nothing to err on: whatever is predicted scores the same.
        return base.best.value
    maximize = measure.direction is Direction.MAXIMIZE
    end = measure.codomain.upper if maximize else measure.codomain.lower
    return end if math.isfinite(end) else math.nan
