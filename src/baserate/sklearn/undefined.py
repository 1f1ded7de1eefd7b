"""Values that a search can rank: the score or the worth of a model, also where there is none."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from baserate.core.direction import Direction
from baserate.exceptions import UndefinedMeasureError

if TYPE_CHECKING:
    from baserate.core.measure import AnyMeasure
    from baserate.core.scale import Scale
    from baserate.core.task import Observed
    from baserate.task import Task

Worth: TypeAlias = Literal["rescaled", "dutch_scaler", "margin"]
"""How to express a score relative to its baseline."""


class Ranked(NamedTuple):
    """A number to rank a model by, and why it only stands in for an undefined one."""

    value: float
    why: str = ""


def ranked_score(task: Task[Any], table: Any, measure: AnyMeasure[Any]) -> Ranked:
    """Return the score of a table, or what stands in for it."""
    score, reason = measure.score_or_reason(table)
    if not reason:
        return Ranked(score)
    return Ranked(_stand_in(task, table, measure), f"{measure.key} is undefined: {reason}")


def ranked_worth(task: Task[Any], table: Any, measure: AnyMeasure[Any], worth: Worth) -> Ranked:
    """Return what a score is worth, or what stands in for it.

    A score that only stands in is worth at most nothing, and so is every score on a test set
    where no draw or deck can be scored: there is nothing to beat.
    """
    score, why = ranked_score(task, table, measure)
    try:
        yardstick: Any = task.yardstick(table.test_set, measure)
    except UndefinedMeasureError as error:
        return Ranked(0.0, why or str(error))
    scale = yardstick.scale
    margin = scale.advantage(score, scale.best)
    if why:
        margin = min(margin, 0.0)
    if worth == "margin":
        return Ranked(margin, why)
    if worth == "rescaled":
        return _rescaled(measure, scale, margin, why)
    return Ranked(0.0, why) if why else _oracle_weight(yardstick, score, margin)


def _rescaled(measure: AnyMeasure[Any], scale: Scale, margin: float, why: str) -> Ranked:
    value = scale.rescaled_margin(margin)
    if math.isnan(value):
        why = (
            f"the rescaled score of {measure.key} is undefined: its perfect score is not known, or "
            "no better than the baseline; give a measure of your own its codomain, or use "
            "scaled='margin'"
        )
    return Ranked(value, why)


def _oracle_weight(scaler: Any, score: float, margin: float) -> Ranked:
    """Return the Dutch Scaler; below the baseline nobody needs an oracle, so that it is 0."""
    try:
        return Ranked(scaler.weight(score))
    except UndefinedMeasureError as error:
        return Ranked(float(margin > 0), str(error))


def _stand_in(task: Task[Any], table: Any, measure: AnyMeasure[Any]) -> float:
    """Return the first score there is: scikit-learn's, the worst reference's, the worst of all."""
    for score in (
        _of_scikit_learn(table, measure),
        _of_worst_reference(task, table, measure),
        _of_wrong_answers(task, table, measure),
    ):
        if math.isfinite(score):
            return score
    maximize = measure.direction is Direction.MAXIMIZE
    end = measure.codomain.lower if maximize else measure.codomain.upper
    if math.isfinite(end):
        return end
    # No model has a score on a single class, so that any number ranks them alike.
    return math.nan if len(set(table.cells.truth)) > 1 else 0.0


def _of_scikit_learn(table: Observed, measure: AnyMeasure[Any]) -> float:
    if measure.sklearn is None:
        return math.nan
    truth, predicted, counts = map(np.asarray, table.cells)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # the scorer has its own warning
        try:
            return measure.sklearn.score(truth, predicted, sample_weight=counts)
        except ValueError:  # it refuses a single class
            return math.nan


def _of_worst_reference(task: Task[Any], table: Observed, measure: AnyMeasure[Any]) -> float:
    try:
        return task.yardstick(table.test_set, measure).scale.worst
    except UndefinedMeasureError:
        return math.nan


def _of_wrong_answers(task: Task[Any], table: Observed, measure: AnyMeasure[Any]) -> float:
    """Return the score of a prediction that is always wrong, if only one class occurs.

    Kappa has no score there if all is right, and 0 otherwise: what is right must not rank lower.
    """
    first, *others = set(table.cells.truth)
    if others:
        return math.nan
    truth, wrong, total = (
        np.array([each]) for each in (first, int(not first), table.test_set.total)
    )
    return float(measure.score_or_reason(task.weigh(truth, wrong, None, total))[0])
