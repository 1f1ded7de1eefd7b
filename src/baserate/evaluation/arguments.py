"""Recognise arguments in the wrong place, so that an error can say how to call a function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from baserate.data.numbers import score_vector
from baserate.exceptions import (
    BaserateError,
    InvalidLabelsError,
    InvalidMeasureError,
    MisplacedArgumentError,
)
from baserate.formatting import shown
from baserate.kinds.two_classes.task import BINARY
from baserate.observed.base_rate import BaseRate
from baserate.task import is_measure
from baserate.tasks import TASKS, measure_of

_SEVERAL = "y_true, {'tree': …, 'forest': …}, measures"
_OF_FRAME = "data, ['tree', 'forest'], measures, truth='y'"


def require_places(
    function: str, y_true: Any, predictions: Any, measures: Any, pos_label: object
) -> None:
    """Raise if a function is given models, measures or labels in the place of another."""
    is_told = pos_label is not None
    if hasattr(type(y_true), "columns") and _are_names(predictions):
        given = [each for each in (y_true, predictions, measures) if each is not None]
        raise MisplacedArgumentError.called(function, (_OF_FRAME,), given)
    if (
        isinstance(y_true, Mapping)
        or _are_measures(y_true, is_told=is_told)
        or _are_measures(predictions, is_told=is_told)
        or _are_labels(measures)
        or isinstance(measures, Mapping)
    ):
        given = [each for each in (y_true, predictions, measures) if each is not None]
        forms = ("y_true, predictions, measures", _SEVERAL)
        raise MisplacedArgumentError.called(function, forms, given)


def _are_names(predictions: Any) -> bool:
    """Return whether nothing is given, or names as of columns."""
    if isinstance(predictions, list | tuple):
        return all(isinstance(each, str) for each in predictions)
    return predictions is None or isinstance(predictions, str)


def require_one_measure(function: str, measure: Any) -> None:
    """Raise if several measures are given where one is asked for."""
    if isinstance(measure, list | tuple) and measure and all(map(is_measure, measure)):
        raise InvalidMeasureError(
            f"must be a single one (got {shown(measure)}); call {function} for each, or evaluate "
            "for a report of all",
            parameter="measure",
        )


def without_name_of_truth(column: Any, y_true: Any, name: str) -> Any:
    """Return a column under a name, if it has the name of the truth: that is not a model's."""
    own = getattr(column, "name", None)
    is_same = isinstance(own, str) and own == getattr(y_true, "name", None)
    return {name: column} if is_same else column


def require_of_labels(measure: Any) -> None:
    """Raise if a measure looks at scores as they are, so that no threshold can be swept for it."""
    require_one_measure("threshold_curve", measure)
    of_scores = any(task.takes_scores and task.named(measure) for task in TASKS.values())
    if of_scores and BINARY.named(measure) is None:
        named = measure if isinstance(measure, str) else measure.key
        raise InvalidMeasureError(
            f"must be a measure of labels, such as 'F1' (got {shown(named)}, which looks at all "
            "scores at once and takes no threshold); evaluate and interval take it",
            parameter="measure",
        )
    measure_of(BINARY, measure)


def require_places_of_scores(y_true: Any, y_score: Any, measure: Any) -> None:
    """Raise if `threshold_curve` is given a measure in the place of labels or scores."""
    if is_measure(y_true) or is_measure(y_score):
        raise _misplaced_scores(y_true, y_score, measure)


def rate_of_truth(y_true: Any, y_score: Any, measure: Any, pos_label: object) -> BaseRate:
    """Count the truth, or raise; the error says so if scores are in its place."""
    try:
        return BaseRate.of(y_true, pos_label)
    except InvalidLabelsError:
        if _are_scores(y_true) and _are_two_classes(y_score, pos_label):
            raise _misplaced_scores(y_true, y_score, measure) from None
        raise


def _misplaced_scores(*given: Any) -> MisplacedArgumentError:
    return MisplacedArgumentError.called("threshold_curve", ("y_true, y_score, measure",), given)


def _are_scores(column: Any) -> bool:
    """Return whether a column has numbers that are not whole, as no labels are."""
    try:
        scores = score_vector(column, len(column))
    except (BaserateError, TypeError):
        return False
    with np.errstate(invalid="ignore"):  # infinity has no remainder
        return bool((scores % 1 != 0).any())


def _are_two_classes(column: Any, pos_label: object) -> bool:
    try:
        BaseRate.of(column, pos_label)
    except BaserateError:
        return False
    return True


def _are_measures(value: Any, *, is_told: bool) -> bool:
    """Return whether an argument names measures: texts are labels if a positive one is told."""
    if is_measure(value):
        return True
    if not isinstance(value, list | tuple) or not value or not all(map(is_measure, value)):
        return False
    return any(not isinstance(each, str) for each in value) or (
        not is_told and all(map(_is_known, value))
    )


def _is_known(name: str) -> bool:
    return any(task.named(name) is not None for task in TASKS.values())


def _are_labels(measures: Any) -> bool:
    """Return whether what should be measures is a column of numbers or truths."""
    if isinstance(measures, str | Mapping) or not hasattr(measures, "__len__"):
        return False
    try:
        first = next(iter(measures), None)
    except TypeError:  # an array of no dimensions
        return False
    return first is not None and not is_measure(first)
