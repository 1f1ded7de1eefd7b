"""Read the arguments of a call that is about one number, of whichever task."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, TypeVar

from baserate.evaluation.arguments import require_one_measure
from baserate.evaluation.choice import Asked, answered
from baserate.exceptions import UnseenClassWarning
from baserate.harmless import printable
from baserate.task import is_measure
from baserate.tasks import TASKS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from baserate.task import Task

T = TypeVar("T")


def measured(
    function: str, positional: tuple[Any, Any, Any], *, pos_label: object
) -> tuple[Any, Any]:
    """Return the table and the measure that a call is about."""
    require_one_measure(function, positional[-1])
    _, found = read(
        positional,
        pos_label,
        lambda task: task.tabled(function, positional, pos_label=pos_label, needs_measure=True),
    )
    return found


def warn_of_unseen_classes(tables: Mapping[str, Any]) -> None:
    """Warn of classes that models predict and that never occur: a typo, or another test set.

    Only functions that judge a model on a whole test set call this. A group may lack a class, and
    so may a fold of a cross-validation: scorers would repeat the warning fold by fold.

    Parameters
    ----------
    tables
        What each model did on the whole test set, by its name.
    """
    for model, table in tables.items():
        unseen = getattr(table, "unseen", "")  # only matrices of labels can have some
        if unseen:
            warnings.warn(f"{printable(model)} {unseen}", UnseenClassWarning, stacklevel=3)


def require_test_set(test_set: Any, pos_label: object = None) -> None:
    """Raise if a measure is in the place of a test set, in the words of the first task."""
    if is_measure(test_set):
        next(iter(TASKS.values())).test_set_of(test_set, pos_label)


def read(
    arguments: tuple[Any, ...], pos_label: object, ask: Callable[[Task[Any]], T]
) -> tuple[Task[Any], T]:
    """Return which task a call is about, and what it reads from the arguments.

    Parameters
    ----------
    arguments
        The arguments, the truth first: measures, tables and test sets say which task it is.
    pos_label
        The positive class, which some tasks have.
    ask
        What to ask of the task.
    """
    # What comes after a measure is a score, even if it is a text by mistake.
    measures = [each for each in arguments if is_measure(each)][:1]
    given = {str(place): each for place, each in enumerate(arguments)}
    asked = Asked.of(None, measures, given, pos_label)
    return answered(
        asked,
        ask,
        lambda task: task.test_set_of(arguments[0], pos_label),
    )
