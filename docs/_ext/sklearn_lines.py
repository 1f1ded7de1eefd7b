"""What scikit-learn returns on tables where a measure is undefined, found by calling it."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import sklearn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import baserate as br
    from baserate.core.measure import SklearnCall
    from baserate.measures.classes_record import ClassMeasure

_LABELS = [0, 1]
_MOST_VALUES = 2
# Tables of several classes of which only one occurs, or is predicted: scores may be 0/0 there.
_ONE_CLASS = ([[3, 0], [0, 0]], [[2, 1], [0, 0]], [[0, 3], [0, 0]], [[2, 0], [1, 0]])


class Answer(NamedTuple):
    """The result of a call, and whether it warned."""

    value: float
    warns: bool


def sklearn_line(measure: br.Measure) -> str:
    """Return the call of scikit-learn that gives the same score, and where it does not."""
    if measure.sklearn is None:
        return "has no function for it"
    if measure.requirements:
        where = f"where {measure.key} is defined. {_elsewhere(measure, measure.sklearn)}"
    else:
        where = "for every table."
    cell = (
        " Add `labels=[0, 1]` if one of the labels may be absent." if measure.sklearn.cell else ""
    )
    return f"`{measure.sklearn}`, the same score {where}{cell}"


def class_sklearn_line(measure: ClassMeasure) -> str:
    """Return the same for a measure of several classes."""
    if measure.sklearn is None:
        return "has no function for it"
    undefined = without_score(measure)
    if not undefined:
        return f"`{measure.sklearn}`, the same score for every table."
    elsewhere = _answered([_class_answer(measure.sklearn, table) for table in undefined])
    return f"`{measure.sklearn}`, the same score where {measure.key} is defined. {elsewhere}"


def without_score(measure: ClassMeasure) -> list[list[list[int]]]:
    """Return the tables of one class on which a measure has no score."""
    return [
        table for table in _ONE_CLASS if not np.isfinite(measure.scores(np.array(table, float)))
    ]


def _elsewhere(measure: br.Measure, call: SklearnCall) -> str:
    asked = _with_labels(call)
    tables = {table for need in measure.requirements for table in need.violations()}
    return _answered([_answer(asked, table) for table in tables])


def _answered(answers: Sequence[Answer]) -> str:
    """Say what scikit-learn returns where a measure is undefined."""
    warned = {answer.warns for answer in answers}
    how = "sometimes with" if len(warned) == 2 else "with" if warned == {True} else "without"
    values = _values(answer.value for answer in answers)
    return f"Elsewhere scikit-learn {sklearn.__version__} returns {values}, {how} a warning."


def _values(found: Iterable[float]) -> str:
    values = sorted({f"{value:g}" for value in found})
    return " or ".join(values) if len(values) <= _MOST_VALUES else "a number all the same"


def _with_labels(asked: SklearnCall) -> SklearnCall:
    """Return the call with both labels named, without which a matrix may lack a cell."""
    if asked.cell is None:
        return asked
    return replace(asked, options={**(asked.options or {}), "labels": _LABELS})


def _answer(asked: SklearnCall, table: br.ConfusionMatrix) -> Answer:
    y_true = [1] * table.tp + [0] * table.fp + [1] * table.fn + [0] * table.tn
    y_pred = [1] * (table.tp + table.fp) + [0] * (table.fn + table.tn)
    return _called(asked, y_true, y_pred)


def _class_answer(asked: SklearnCall, table: Sequence[Sequence[int]]) -> Answer:
    cells = [
        (j, k) for j, row in enumerate(table) for k, count in enumerate(row) for _ in range(count)
    ]
    y_true, y_pred = map(list, zip(*cells, strict=True))
    return _called(asked, y_true, y_pred)


def _called(asked: SklearnCall, y_true: list[int], y_pred: list[int]) -> Answer:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = float(asked.score(y_true, y_pred))
    return Answer(value + 0.0, bool(caught))  # + 0.0 turns -0.0 into 0.0
