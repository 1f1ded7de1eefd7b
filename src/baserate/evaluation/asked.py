"""What a call asks: its arguments, and which kind of prediction it is about."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from baserate.arguments import is_number
from baserate.core.measure import ALL, Measure, folded
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
from baserate.kinds.two_classes import BINARY
from baserate.observed.two_classes import BaseRate
from baserate.task import TASKS, is_counted, measure_of, measures_named, resembling, task_named

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.task import Task


_SEVERAL = "y_true, {'tree': …, 'forest': …}, measures"
_OF_FRAME = "data, ['tree', 'forest'], measures, truth='y'"


def is_measure(value: Any) -> bool:
    """Return whether a value is a measure or may be the name of one."""
    return isinstance(value, str | Measure)


def by_either_name(y_pred: Any, y_score: Any) -> Any:
    """Return the predictions: scores may be given by scikit-learn's name for them."""
    if y_score is None:
        return y_pred
    if y_pred is not None:
        raise MisplacedArgumentError("y_score and y_pred are two names for predictions: pass one")
    return y_score


def require_no_model(function: str, given: Iterable[Any]) -> None:
    """Raise if one of the arguments is an estimator, which makes predictions and is none."""
    for each in given:
        if hasattr(each, "predict"):
            raise MisplacedArgumentError(
                f"{function} takes predictions, not a model (got {shown(each)}); call "
                f"{function}(y, model.predict(X), ...), with rows that the model has not seen"
            )


def require_places(
    function: str, y_true: Any, predictions: Any, measures: Any, pos_label: object
) -> None:
    """Raise if a function is given models, measures or labels in the place of another."""
    require_no_model(function, (y_true, predictions))
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
        forms = ("y_true, y_pred, measures", _SEVERAL)
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


def rate_and_measure(
    y_true: Any, y_score: Any, measure: Any, pos_label: object
) -> tuple[BaseRate, Any]:
    """Read the truth and the measure of a threshold curve, or raise if something is misplaced."""
    misplaced = partial(
        MisplacedArgumentError.called,
        "threshold_curve",
        ("y_true, y_score, measure",),
        (y_true, y_score, measure),
    )
    if is_measure(y_true) or is_measure(y_score):
        raise misplaced()
    try:
        rate = BaseRate.of(y_true, pos_label)
    except InvalidLabelsError:
        if _are_scores(y_true) and _are_two_classes(y_score, pos_label):
            raise misplaced() from None
        raise
    require_one_measure("threshold_curve", measure)
    of_scores = any(task.takes_scores and task.named(measure) for task in TASKS.values())
    if of_scores and BINARY.named(measure) is None:
        named = measure if isinstance(measure, str) else measure.key
        raise InvalidMeasureError(
            f"must be a measure of labels, such as 'F1' (got {shown(named)}, which looks at all "
            "scores at once and takes no threshold); evaluate and interval take it",
            parameter="measure",
        )
    return rate, measure_of(BINARY, measure)


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


class Asked(NamedTuple):
    """What a call asks for: measures or their names, and the tasks that it may be about."""

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
        """Return what a call of `evaluate` asks for, or raise if no task knows all its measures."""
        if isinstance(measures, Iterator):
            measures = list(measures)
        names = _names(measures)
        if task is not None:
            chosen = _cut([task_named(task)], threshold)
            return cls(Candidates(each.about(names) for each in chosen), measures)
        models = list(predictions.values()) if isinstance(predictions, Mapping) else [predictions]

        def fits(each: Task[Any]) -> bool:
            is_other = any(is_counted(model) for model in models if not each.counted(model))
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
        """Return the measures of a task, or raise if it has one twice or not at all."""
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


def answered(asked: Asked, ask: Callable[[Task[Any]], T]) -> tuple[Task[Any], T]:
    """Return the task that a call is about, and its answer.

    It is the likeliest one unless the reader of labels meets a third class, and says where. One in
    the truth is for the next task. If the truth has two classes and a model predicts another one,
    that is more likely a mistake, and an error unless the task is named. Predictions with fractions
    are scores; a truth with fractions has no classes, but numbers.
    """
    tasks = iter(asked.tasks)
    task = next(tasks)
    while True:
        try:
            return task, ask(task)
        except TooManyClassesError as error:
            if not (error.in_truth or error.are_scores):
                raise
            kind = "takes_numbers" if error.in_truth else "takes_scores"
            found = next((e for e in tasks if not error.are_scores or getattr(e, kind)), None)
            if found is None:
                raise
            task = found


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
            "must all be of one task (got tables of several)", parameter="y_pred"
        )
    names = list(_names(measures))
    unknown = list(islice((name for name in names if not any(measures_named(name))), 1))
    if names and not unknown:
        return _of_several_tasks(found, names)
    try:
        found[0].chosen(unknown or measures)
    except UnknownMeasureError as error:
        resembles = next((resembling(name) for name in unknown if isinstance(name, str)), None)
        return resembles or error
    except BaserateError as error:
        return error
    return _of_several_tasks(found, names)  # pragma: no cover (what a task knows is no error)


def _of_several_tasks(found: list[Task[Any]], names: list[Any]) -> InvalidMeasureError:
    """Return the error about known measures that no single task has, or none that fits."""
    of_tasks = {task: [name for name in names if task.named(name)] for task in TASKS.values()}
    several = [known for known in of_tasks.values() if known]
    # Names that all these tasks have are not the problem.
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


def warn_of_unseen_classes(tables: Mapping[str, Any]) -> None:
    """Warn of classes that models predict and that never occur: a typo, or another test set.

    Only functions that judge a model on a whole test set call this. A group may lack a class, and
    so may a fold of a cross-validation: scorers would repeat the warning fold by fold.
    """
    for model, table in tables.items():
        unseen = getattr(table, "unseen", "")  # only matrices of labels can have some
        if unseen:
            warnings.warn(f"{printable(model)} {unseen}", UnseenClassWarning, stacklevel=3)


# Functions of one measure, and how they may be called.
MEASURED = ("y_true, y_pred, measure", "table, measure")
SCORED = (*MEASURED, "test_set, measure, score")
TABLE = ("y_true, y_pred", "table", "y_true, y_pred, measure")


class Given(NamedTuple):
    """The arguments of a function of one measure, each in its place."""

    task: Task[Any]
    table: Any  # what the model did; None if its score is told
    measure: Any
    test_set: Any = None  # with the score, where a score may be told
    score: Any = None


def placed(
    function: str,
    forms: tuple[str, ...],
    positional: tuple[Any, Any, Any],
    *,
    table: Any = None,
    score: Any = None,
) -> tuple[Any, Any, Any, Any]:
    """Return the truth, predictions, the measure and a score, or None for what is not given.

    A table or a test set takes the place of the truth.
    """
    require_one_measure(function, positional[-1])
    require_no_model(function, positional)
    first, second, third = positional
    given = [each for each in (table, *positional, score) if each is not None]
    are_wrong = table is not None and first is not None
    first = first if table is None else table
    if is_measure(second):
        are_wrong |= third is not None and (forms is not SCORED or score is not None)
        second, third, score = None, second, score if third is None else third
    is_named = is_measure(third) or (third is None and forms is TABLE)
    is_twice = is_number(second) or (second is not None and score is not None)
    if are_wrong or not is_named or is_measure(first) or (is_twice and forms is SCORED):
        raise MisplacedArgumentError.called(function, forms, given)
    return first, second, third, score


def read(
    function: str,
    forms: tuple[str, ...],
    positional: tuple[Any, Any, Any],
    pos_label: object,
    *,
    table: Any = None,
    score: Any = None,
    task: Task[Any] | None = None,
) -> Given:
    """Read the arguments of a function of one measure, of any kind of prediction or of one."""
    y_true, y_pred, named, score = placed(function, forms, positional, table=table, score=score)

    def ask(task: Task[Any]) -> Given:
        measure: Any = None if named is None else task.get(named)
        if y_pred is None and score is not None:
            return Given(task, None, measure, task.test_set_of(y_true, pos_label), score)
        found = counted(task)
        if forms is not SCORED:
            return Given(task, found, measure)
        return Given(task, found, measure, task.test_set_of(found, None), measure.score(found))

    def counted(task: Task[Any]) -> Any:
        if y_pred is None and isinstance(y_true, task.table):
            return y_true
        if isinstance(y_pred, task.table):
            task.require_test_set("y_pred", y_pred, y_true, pos_label)
            return y_pred
        if y_pred is None or y_true is None or task.counted(y_true):
            given = [each for each in (table, *positional) if each is not None]
            raise MisplacedArgumentError.called(function, forms, given)
        return task.count(y_true, y_pred, pos_label)

    if task is not None:
        return ask(task)
    measures = [] if named is None else [named]
    asked = Asked.of(None, measures, {"y_true": y_true, "y_pred": y_pred}, pos_label)
    return answered(asked, ask)[1]


def row_by_row(function: str, positional: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
    """Return the truth, the predictions and the measure of a call about one model."""
    y_true, y_pred, measure, _ = placed(function, MEASURED[:1], positional)
    if y_pred is None:  # a table, which `evaluate` will not take
        y_true, y_pred = None, y_true
    return y_true, y_pred, measure
