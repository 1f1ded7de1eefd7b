"""Which task a call is about: its measures and its data say so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from baserate.core.catalogue import ALL, folded
from baserate.data.numbers import is_table, require_threshold
from baserate.exceptions import (
    BaserateError,
    InvalidMeasureError,
    InvalidPredictionsError,
    InvalidScoresError,
    TooManyClassesError,
    UnknownMeasureError,
)
from baserate.formatting import listed, setting, shown
from baserate.tasks import TASKS, keys_of, resembling, task_named

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.task import Task

T = TypeVar("T")

_SOME_THRESHOLD = 0.5


class Asked(NamedTuple):
    """What a call asks for.

    Parameters
    ----------
    tasks
        The tasks that it may be about, the likeliest first; at least one.
    measures
        The measures or their names.
    """

    tasks: list[Task[Any]]
    measures: Any

    @classmethod
    def of(
        cls,
        task: str | None,
        measures: Any,
        predictions: Any = None,
        pos_label: object = None,
        threshold: float | None = None,
    ) -> Asked:
        """Return what a call asks for, or raise if no task knows all its measures.

        Parameters
        ----------
        task
            The task, if the caller names it.
        measures
            The measures or their names.
        predictions
            The predictions of one model or of several; a table is of one task.
        pos_label
            The positive class, which some tasks have.
        threshold
            The lowest score that is predicted positive, for tasks that take scores.
        """
        if isinstance(measures, Iterator):
            measures = list(measures)
        if task is not None:
            chosen = _cut([task_named(task)], threshold)
            return cls([each.about(_names(measures)) for each in chosen], measures)
        models = list(predictions.values()) if isinstance(predictions, Mapping) else [predictions]
        found = [
            each
            for each in _cut(TASKS.values(), threshold)
            if not _is_of_another(each, models) and (pos_label is None or each.takes_positive)
        ]
        names = _names(measures)
        knowing = [each.about(names) for each in found if all(map(each.named, names))]
        # The columns of a data frame are models, unless only class scores have such measures.
        is_frame = hasattr(predictions, "columns")
        if not is_frame and any(map(is_table, models)):
            knowing = [each for each in knowing if each.name == "class-scores"] or knowing
        if knowing:
            return cls(knowing, measures)
        raise _no_task(found, measures)

    def of_task(self, task: Task[Any]) -> tuple[Any, ...]:
        """Return the measures that are asked for, or raise if a task has one twice or not at all.

        Parameters
        ----------
        task
            The task that answers.
        """
        first: dict[str, Any] = {}
        for name in _names(self.measures):
            measure = task.named(name)
            same = None if measure is None else first.setdefault(measure.key, name)
            if isinstance(same, str) and isinstance(name, str) and same != name:
                raise InvalidMeasureError(
                    f"must have each measure once (got {shown(same)} and {shown(name)}, which are "
                    f"both {measure.key})",
                    parameter="measures",
                )
        return task.chosen(self.measures)


def answered(
    asked: Asked, ask: Callable[[Task[Any]], T], truth: Callable[[Task[Any]], Any] | None = None
) -> tuple[Task[Any], T]:
    """Return the first task that can answer, and its answer.

    A third class in the truth is for the next task. If the truth has two classes and a model
    predicts another one, that is more likely a mistake, and an error unless the task is named.
    Predictions with fractions are scores; a truth with fractions has no classes, but numbers.

    Parameters
    ----------
    asked
        What the call asks for.
    ask
        What is asked of a task.
    truth
        Counts the truth alone; left out if that is all that is counted.
    """
    *others, last = asked.tasks
    for task in others:
        try:
            return task, ask(task)
        except TooManyClassesError as error:
            in_truth = truth is None or _has_too_many(truth, task)
            if error.are_scores:
                fitting = _of_truth if in_truth else _of_predictions
                found = next(filter(fitting, asked.tasks), None)
                if found is None:
                    raise
                return found, ask(found)
            if not in_truth:
                raise
    return last, ask(last)


def _of_truth(task: Task[Any]) -> bool:
    """Return whether a truth with fractions is of a task."""
    return task.takes_numbers


def _of_predictions(task: Task[Any]) -> bool:
    """Return whether predictions with fractions, beside classes, are of a task."""
    return task.takes_scores


def _has_too_many(truth: Callable[[Task[Any]], Any], task: Task[Any]) -> bool:
    """Return whether the truth itself has more classes than a task takes."""
    try:
        truth(task)
    except BaserateError as error:
        return isinstance(error, TooManyClassesError)
    return False


def _cut(tasks: Iterable[Task[Any]], threshold: float | None) -> list[Task[Any]]:
    """Return the tasks that take a threshold, with it; all of them if there is none."""
    if threshold is None:
        return list(tasks)
    number = require_threshold(threshold)
    found = [each for each in (task.at(number) for task in tasks) if each is not None]
    if not found:
        raise InvalidScoresError(
            "must be left out for labels, which have been cut already", parameter="threshold"
        )
    return found


def _is_of_another(task: Task[Any], models: list[Any]) -> bool:
    """Return whether something is given as a table or a test set of another task only."""
    return any(is_counted(model) for model in models if not task.counted(model))


def is_counted(value: Any) -> bool:
    """Return whether a value is a table or a test set of some task."""
    return any(task.counted(value) for task in TASKS.values())


def _names(measures: Any) -> Iterable[Any]:
    """Return the names of measures to look up; those of a default are known to every task."""
    if measures is None or (isinstance(measures, str) and folded(measures) == ALL):
        return ()
    try:
        return [measures] if isinstance(measures, str) else list(measures)
    except TypeError:  # a measure itself, or an array of no dimensions
        return [measures]


def _no_task(found: list[Task[Any]], measures: Any) -> Exception:
    """Return the error about measures that no task knows, or that no single task knows."""
    if not found:
        return InvalidPredictionsError(
            "must all be of one task (got tables of several)", parameter="predictions"
        )
    names = list(_names(measures))
    unknown = [name for name in names if not any(keys_of(name))]
    if names and not unknown:
        return _of_several_tasks(found, names)
    try:
        found[0].chosen(unknown[:1] or measures)
    except UnknownMeasureError as error:
        return _unknown(unknown) or error
    except BaserateError as error:
        return error
    return _of_several_tasks(found, names)  # pragma: no cover (what a task knows is no error)


def _of_several_tasks(found: list[Task[Any]], names: list[Any]) -> InvalidMeasureError:
    """Return the error about known measures that no single task has, or none that fits."""
    of_tasks = {task: [name for name in names if task.named(name)] for task in TASKS.values()}
    several = [known for known in of_tasks.values() if known]
    # Names that all these tasks have are no part of the problem.
    common = [name for name in names if len(several) > 1 and all(name in each for each in several)]
    common = [] if len(common) == len(names) else common
    titles: dict[tuple[Any, ...], list[str]] = {}
    for task, known in of_tasks.items():
        strange = tuple(name for name in known if name not in common)
        titles.setdefault(strange, []).append(task.title.lower())
    groups = [
        f"{listed(strange)} {'is' if len(strange) == 1 else 'are'} of {' and of '.join(of)}"
        for strange, of in titles.items()
        if strange
    ]
    fitting = f", here {found[0].title.lower()}" if len(found) == 1 else ""
    problem = f"must be measures of one task{fitting} (got {listed(names)}): {'; '.join(groups)}"
    labelled = any(all(map(task.named, names)) for task in _cut(TASKS.values(), _SOME_THRESHOLD))
    advice = ("; scores have both with ", setting("threshold", _SOME_THRESHOLD)) if labelled else ()
    return InvalidMeasureError(problem, *advice, parameter="measures")


def _unknown(names: list[Any]) -> UnknownMeasureError | None:
    """Return the error about the first name that no task knows, if it resembles one."""
    return next((resembling(name) for name in names[:1] if isinstance(name, str)), None)
