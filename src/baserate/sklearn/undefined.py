"""Values that a search can rank: the score or the worth of a model, also where there is none."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from baserate.binary.dutch_scaler import Scaler
from baserate.binary.optimum.baseline import baseline
from baserate.binary.rescaling import scale_of
from baserate.core.direction import Direction
from baserate.exceptions import UndefinedMeasureError

if TYPE_CHECKING:
    from baserate.binary.confusion import Confusion
    from baserate.binary.measures.record import Measure
    from baserate.core.scale import Scale

Worth: TypeAlias = Literal["rescaled", "dutch_scaler", "margin"]
"""How to express a score relative to its baseline."""

# The labels of the four cells, in the order of `Confusion`.
_TRUTH, _PREDICTED = np.array([1, 0, 1, 0]), np.array([1, 1, 0, 0])


class Ranked(NamedTuple):
    """A number to rank a model by, and why it only stands in for an undefined one."""

    value: float
    why: str = ""


def ranked_score(table: Confusion, measure: Measure) -> Ranked:
    """Return the score of a table, or what stands in for it."""
    score, reason = measure.score_or_reason(table)
    if not reason:
        return Ranked(score)
    return Ranked(_stand_in(table, measure), f"{measure.key} is undefined: {reason}")


def ranked_worth(table: Confusion, measure: Measure, worth: Worth) -> Ranked:
    """Return what a score is worth, or what stands in for it.

    A score that only stands in is worth at most nothing, and so is every score on a test set
    where no draw can be scored: there is nothing to beat.
    """
    score, why = ranked_score(table, measure)
    if not table.total:
        return Ranked(math.nan, why)
    try:
        base = baseline(table, measure)
    except UndefinedMeasureError as error:
        return Ranked(0.0, why or str(error))
    scale = scale_of(base)
    margin = scale.advantage(score, scale.best)
    if why:
        margin = min(margin, 0.0)
    if worth == "margin":
        return Ranked(margin, why)
    if worth == "rescaled":
        return _rescaled(measure, scale, margin, why)
    return Ranked(0.0, why) if why else _oracle_weight(Scaler(base, scale), score, margin)


def _rescaled(measure: Measure, scale: Scale, margin: float, why: str) -> Ranked:
    value = scale.rescaled_margin(margin)
    if math.isnan(value):
        why = (
            f"the rescaled score of {measure.key} is undefined: its perfect score is not known; "
            "give its codomain, or use scaled='margin'"
        )
    return Ranked(value, why)


def _oracle_weight(scaler: Scaler, score: float, margin: float) -> Ranked:
    """Return the Dutch Scaler; below the baseline nobody needs an oracle, so that it is 0."""
    try:
        return Ranked(scaler.weight(score))
    except UndefinedMeasureError as error:
        return Ranked(float(margin > 0), str(error))


def _stand_in(table: Confusion, measure: Measure) -> float:
    """Return scikit-learn's score, or the worst draw's, or the worst there is."""
    if not table.total:
        return math.nan
    for score in (_of_scikit_learn(table, measure), _of_worst_draw(table, measure)):
        if math.isfinite(score):
            return score
    maximize = measure.direction is Direction.MAXIMIZE
    end = measure.codomain.lower if maximize else measure.codomain.upper
    return end if math.isfinite(end) else math.nan


def _of_scikit_learn(table: Confusion, measure: Measure) -> float:
    if measure.sklearn is None:
        return math.nan
    counts = np.array([table.tp, table.fp, table.fn, table.tn])
    met = counts > 0  # a cell without observations must not add its labels
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # the scorer has its own warning
        return measure.sklearn.score(_TRUTH[met], _PREDICTED[met], sample_weight=counts[met])


def _of_worst_draw(table: Confusion, measure: Measure) -> float:
    try:
        return baseline(table, measure).worst.value
    except UndefinedMeasureError:
        return math.nan
