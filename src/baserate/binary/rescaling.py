"""Scores rescaled, so that they can be read without knowing the base rate."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from baserate.binary.confusion import Confusion
from baserate.binary.optimum.baseline import Baseline, baseline
from baserate.core.direction import Direction
from baserate.core.scale import Scale
from baserate.exceptions import InvalidMeasureError
from baserate.exceptions.base import shown
from baserate.support.arguments import as_float, is_number

if TYPE_CHECKING:
    from baserate.binary.base_rate import BaseRate
    from baserate.binary.measures.record import Measure
    from baserate.data.labels import Labels


def rescaled_score(
    test_set: BaseRate | Confusion | Labels, measure: str | Measure, score: float
) -> float:
    """Rescale a score, so that it can be read without knowing the base rate.

    The result is -1 at or below the worst baseline, 0 at the best baseline, 1 for a perfect
    prediction, and linear in between (the paper's second proposal for further research). A measure
    to minimize is mirrored. If all draws expect the same score, anything below it is -1. If the
    best baseline is perfect, nothing is above 0.

    Parameters
    ----------
    test_set
        A `BaseRate`, a `Confusion`, or the true labels.
    measure
        A measure or its name.
    score
        The model's score.

    Returns
    -------
    float
        A number from -1 to 1; nan for a score of nan, and above the baseline of a custom measure
        whose perfect score is unknown.

    Examples
    --------
    >>> from baserate import BaseRate
    >>> rate = BaseRate(positives=139, total=303)
    >>> [round(rescaled_score(rate, "F1", score), 3) for score in (0.0, 0.5, 0.629, 0.8, 1.0)]
    [-1.0, -0.207, 0.0, 0.461, 1.0]
    """
    return scale_of(baseline(test_set, measure)).rescaled(require_score(score))


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
