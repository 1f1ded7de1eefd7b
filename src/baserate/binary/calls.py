"""Read the arguments of a call: labels, a table or a test set, and a measure or a score."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from baserate.binary.base_rate import BaseRate
from baserate.binary.confusion import Confusion, as_base_rate
from baserate.binary.measures.catalogue import get_measure
from baserate.binary.measures.record import Measure
from baserate.binary.predictions import require_test_set
from baserate.exceptions import MisplacedArgumentError
from baserate.support.arguments import is_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.data.labels import Labels

_SCORED = ("y_true, y_pred, measure", "table, measure", "test_set, measure, score")
_TABLE = ("y_true, y_pred", "table", "y_true, y_pred, measure")
_MEASURED = ("y_true, y_pred, measure", "table, measure")


class Scored(NamedTuple):
    """A score of a measure on a test set."""

    test_set: BaseRate
    measure: Measure
    score: Any


def scored(
    function: str,
    positional: tuple[Any, Any, Any],
    *,
    score: Any,
    pos_label: object,
    test_set: Any,
) -> Scored:
    """Return what a call is about, whichever of its forms it has.

    A text or a `Measure` is a measure, and what comes after it is a score.

    Parameters
    ----------
    function
        The name of the function, for errors.
    positional
        The first three arguments.
    score, pos_label, test_set
        The arguments that may be given by name.
    """
    given = [each for each in (test_set, *positional, score) if each is not None]
    wrong = partial(MisplacedArgumentError.called, function, _SCORED, given)
    first, second, third = positional
    if test_set is not None:
        if first is not None:
            raise wrong()
        first = test_set
    if is_measure(second):
        if third is not None and score is not None:
            raise wrong()
        second, third, score = None, second, third if score is None else score
    if not is_measure(third) or is_measure(first) or is_number(second):
        raise wrong()
    if second is None and score is not None:
        return Scored(as_base_rate(first, pos_label), get_measure(third), score)
    if score is not None:
        raise wrong()
    table, measure = _table(wrong, first, second, pos_label), get_measure(third)
    return Scored(table.base_rate, measure, measure.score(table))


def tabled(
    function: str, positional: tuple[Any, Any, Any], *, pos_label: object, table: Any
) -> tuple[Confusion, Measure | None]:
    """Return the table that a call is about, and the measure if it names one."""
    given = [each for each in (table, *positional) if each is not None]
    wrong = partial(MisplacedArgumentError.called, function, _TABLE, given)
    first, second, measure = positional
    if table is not None:
        if first is not None:
            raise wrong()
        first = table
    if is_measure(second) and measure is None:
        second, measure = None, second
    is_asked = measure is None or is_measure(measure)
    if not is_asked or is_measure(first) or is_measure(second):
        raise wrong()
    found = _table(wrong, first, second, pos_label)
    return found, None if measure is None else get_measure(measure)


def measured(
    function: str, positional: tuple[Any, Any, Any], *, pos_label: object
) -> tuple[Confusion, Measure]:
    """Return the table and the measure that a call is about."""
    given = [each for each in positional if each is not None]
    wrong = partial(MisplacedArgumentError.called, function, _MEASURED, given)
    first, second, measure = positional
    if is_measure(second) and measure is None:
        second, measure = None, second
    if not is_measure(measure) or is_measure(first) or is_measure(second):
        raise wrong()
    return _table(wrong, first, second, pos_label), get_measure(measure)


def is_measure(value: Any) -> bool:
    """Return whether an argument is meant as a measure: no labels and no table are a text."""
    return isinstance(value, str | Measure)


def _table(
    wrong: Callable[[], Exception], y_true: Labels, y_pred: Labels, pos_label: object
) -> Confusion:
    """Return a table as given, or count labels."""
    if y_pred is None and isinstance(y_true, Confusion):
        return y_true
    if isinstance(y_pred, Confusion):
        require_test_set("y_pred", y_pred, y_true, pos_label, by=None)
        return y_pred
    if y_pred is None or y_true is None or isinstance(y_true, BaseRate | Confusion):
        raise wrong()
    return Confusion.of(y_true, y_pred, pos_label=pos_label)
