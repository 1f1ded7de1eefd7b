"""Scores rescaled, so that they can be read without knowing the base rate."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, overload

from baserate.binary.calls import READER
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


@overload
def rescaled_score(
    y_true: Labels, y_pred: Labels, measure: str | Measure, *, pos_label: object = None
) -> float: ...
@overload
def rescaled_score(table: Confusion, measure: str | Measure, /) -> float: ...
@overload
def rescaled_score(
    test_set: BaseRate | Confusion | Labels,
    measure: str | Measure,
    score: float,
    *,
    pos_label: object = None,
) -> float: ...
# The forms call their first argument by different names, which mypy does not follow.
def rescaled_score(  # type: ignore[misc]
    y_true: Any = None,
    y_pred: Any = None,
    measure: Any = None,
    *,
    score: Any = None,
    pos_label: object = None,
    test_set: Any = None,
) -> float:
    """Rescale a score, so that it can be read without knowing the base rate.

    The result is -1 at or below the worst baseline, 0 at the best baseline, 1 for a perfect
    prediction, and linear in between (the paper's second proposal for further research). A measure
    to minimize is mirrored. If all draws expect the same score, anything below it is -1. If the
    best baseline is perfect, nothing is above 0.

    Parameters
    ----------
    y_true, y_pred
        The true and the predicted labels. A `Confusion` may take the place of both.
    measure
        A measure or its name.
    pos_label
        The positive class, against the rest. It may be left out for labels 0/1, -1/1 or booleans.
    test_set, score
        For a score that is known already: a `BaseRate`, a `Confusion` or the true labels, then the
        measure, then the score.

    Returns
    -------
    float
        A number from -1 to 1; nan for a score of nan, and above the baseline of a custom measure
        whose perfect score is unknown.

    Examples
    --------
    >>> round(rescaled_score([1, 1, 0, 0, 0], [1, 0, 0, 0, 0], "ACC"), 3)
    0.5
    >>> from baserate import BaseRate
    >>> rate = BaseRate(positives=139, total=303)
    >>> [round(rescaled_score(rate, "F1", score), 3) for score in (0.0, 0.5, 0.629, 0.8, 1.0)]
    [-1.0, -0.207, 0.0, 0.461, 1.0]
    """
    found = READER.scored(
        "rescaled_score",
        (y_true, y_pred, measure),
        score=score,
        pos_label=pos_label,
        test_set=test_set,
    )
    return scale_of(baseline(found.test_set, found.measure)).rescaled(require_score(found.score))


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
