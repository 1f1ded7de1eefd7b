"""What a call asks: its arguments, and which kind of prediction it is about."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from baserate.core.catalogue import ALL, folded
from baserate.data.numbers import is_table, require_threshold, score_vector
from baserate.exceptions import (
    BaserateError,
    InvalidLabelsError,
    InvalidMeasureError,
    InvalidPredictionsError,
    InvalidScoresError,
    MisplacedArgumentError,
    TooManyClassesError,
    UnknownMeasureError,
    UnseenClassWarning,
)
from baserate.formatting import listed, printable, setting, shown
from baserate.kinds.two_classes.task import BINARY
from baserate.observed.base_rate import BaseRate
from baserate.task import is_measure
from baserate.tasks import TASKS, is_counted, keys_of, measure_of, resembling, task_named

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.task import Task


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


T = TypeVar("T")

_SOME_THRESHOLD = 0.5


class Candidates:
    """Tasks that a call may be about, the likeliest first; each is loaded when it is looked at."""

    def __init__(self, found: Iterable[Task[Any]]) -> None:
        self._found = iter(found)
        self._known: list[Task[Any]] = []

    def __iter__(self) -> Iterator[Task[Any]]:
        yield from self._known
        for task in self._found:
            self._known.append(task)
            yield task

    @property
    def first(self) -> Task[Any]:
        """The likeliest one."""
        return next(iter(self))

    def is_last(self, task: Task[Any]) -> bool:
        """Return whether there is none after a task."""
        return list(self)[-1] is task


class Asked(NamedTuple):
    """What a call asks for.

    Parameters
    ----------
    tasks
        The tasks that it may be about, the likeliest first; at least one.
    measures
        The measures or their names.
    """

    tasks: Candidates
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
            return cls(Candidates(each.about(_names(measures)) for each in chosen), measures)
        models = list(predictions.values()) if isinstance(predictions, Mapping) else [predictions]
        names = _names(measures)

        def fits(each: Task[Any]) -> bool:
            is_other = _is_of_another(each, models)
            return not is_other and (pos_label is None or each.takes_positive)

        every = _cut(TASKS.values(), threshold)
        knowing = Candidates(
            each.about(names) for each in every if fits(each) and all(map(each.named, names))
        )
        # The columns of a data frame are models, unless only class scores have such measures.
        if not hasattr(predictions, "columns") and any(map(is_table, models)):
            of_tables = [each for each in knowing if each.name == "class-scores"]
            knowing = Candidates(iter(of_tables)) if of_tables else knowing
        if any(True for _ in knowing):
            return cls(knowing, measures)
        raise _no_task([each for each in _cut(TASKS.values(), threshold) if fits(each)], measures)

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
    for task in asked.tasks:
        try:
            return task, ask(task)
        except TooManyClassesError as error:
            if asked.tasks.is_last(task):
                raise
            in_truth = truth is None or _has_too_many(truth, task)
            if error.are_scores:
                fitting = _of_truth if in_truth else _of_predictions
                found = next(filter(fitting, asked.tasks), None)
                if found is None:
                    raise
                return found, ask(found)
            if not in_truth:
                raise
    raise _no_task([], asked.measures)  # pragma: no cover (there is a last task)


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


def _cut(tasks: Iterable[Task[Any]], threshold: float | None) -> Iterable[Task[Any]]:
    """Return the tasks that take a threshold, with it; all of them if there is none."""
    if threshold is None:
        return tasks
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
    unknown = list(islice((name for name in names if not any(keys_of(name))), 1))
    if names and not unknown:
        return _of_several_tasks(found, names)
    try:
        found[0].chosen(unknown or measures)
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
    return next((resembling(name) for name in names if isinstance(name, str)), None)


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
        BINARY.test_set_of(test_set, pos_label)


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
