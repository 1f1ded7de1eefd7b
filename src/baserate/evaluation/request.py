"""What a call asks: its arguments, and which kind of prediction it is about."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from baserate.arguments import is_number
from baserate.core.measure import ALL, Measure, folded
from baserate.data.columns import has_fractions, has_several
from baserate.data.numbers import require_threshold
from baserate.exceptions import (
    BaserateError,
    InvalidMeasureError,
    InvalidPredictionsError,
    InvalidScoresError,
    MisplacedArgumentError,
    UnknownMeasureError,
    UnseenClassWarning,
)
from baserate.formatting import listed, printable, setting, shown
from baserate.task import TASKS, is_counted, measures_named, resembling, task_named, task_observed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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


_SOME_THRESHOLD = 0.5


class Request(NamedTuple):
    """What a call asks for: measures or their names, of data that say which task it is about."""

    task: str | None
    measures: Any
    predictions: Any = None
    pos_label: object = None
    threshold: float | None = None

    @classmethod
    def of(cls, task: str | None, measures: Any, *data: Any) -> Request:
        """Return what a call asks for, or raise if no task knows all its measures."""
        asked = cls(task, list(measures) if isinstance(measures, Iterator) else measures, *data)
        if next(asked.tasks(), None) is None:
            fitting = [each for each in _cut(TASKS.values(), asked.threshold) if asked._fits(each)]
            raise _no_task(fitting, asked.measures)
        return asked

    def tasks(self, kinds: Iterable[str] = TASKS) -> Iterator[Task[Any]]:
        """Return the tasks that it may be about, the likeliest first; each is loaded as needed."""
        names = _names(self.measures)
        if self.task is not None:
            return (each.about(names) for each in _cut([task_named(self.task)], self.threshold))
        return (
            each.about(names)
            for each in _cut((TASKS[kind] for kind in kinds), self.threshold)
            if self._fits(each) and all(map(each.named, names))
        )

    @property
    def is_open(self) -> bool:
        """Whether several tasks have these measures."""
        return len([*islice(self.tasks(), 2)]) > 1

    def kind(self, look: Callable[[], tuple[Any, Sequence[Any]]]) -> Task[Any]:
        """Return the task that a truth and predictions are of, before anything is counted.

        It is the likeliest one that has the measures, unless columns are of another one that has
        them, too: a table with a score per class is of class scores.

        Parameters
        ----------
        look
            Returns the truth and the predictions of each model, or their first rows.
        """
        first = next(self.tasks())
        if self.task is not None or first.takes_numbers or first.name == "class-scores":
            return first
        y_true, columns = look()
        if any(map(_is_table, columns)):
            return next(self.tasks(["class-scores"]), first)
        if y_true is None or is_counted(y_true) or not first.takes_positive:
            return first
        kind = self._kind_of_columns(first, y_true, columns)
        if kind is not None:
            return next(self.tasks([kind]), first)
        return cast("Any", first).or_several(lambda: any(self.tasks(["multiclass"])))  # type: ignore[no-any-return]

    def _kind_of_columns(self, first: Task[Any], y_true: Any, columns: Sequence[Any]) -> str | None:
        """Return the kind of prediction that columns are, each a number or a label per row.

        A truth with fractions is of numbers, and predictions with fractions are scores if the truth
        has two classes. None for labels, as who counts them finds of how many classes they are.
        """
        is_named = self.pos_label is not None
        if first.takes_scores:
            return "class-scores" if not is_named and has_several(y_true) else first.name
        if has_fractions(y_true):
            return "regression" if has_several(y_true) else first.name
        if any(map(has_fractions, columns)):
            return "scores" if is_named or not has_several(y_true) else "multiclass"
        return first.name if is_named else None

    @property
    def _models(self) -> list[Any]:
        models = self.predictions
        return list(models.values()) if isinstance(models, Mapping) else [models]

    def _fits(self, task: Task[Any]) -> bool:
        """Return whether what is counted already is of a task, which has a positive class if so."""
        others = (each for each in self._models if not task.counted(each))
        return not any(map(is_counted, others)) and (self.pos_label is None or task.takes_positive)

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


def settled(task: Task[Any], observed: Any) -> Task[Any]:
    """Return the task of labels that were counted: of two classes, or of several."""
    are_several = task.name.endswith("binary") and observed.task.endswith("multiclass")
    return task_observed(observed.task) if are_several else task


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


def _is_table(predictions: Any) -> bool:
    """Return whether predictions have several columns, as class scores do."""
    if isinstance(predictions, list | tuple):
        first: Any = predictions[0] if predictions else None
        is_row = isinstance(first, list | tuple) or getattr(first, "ndim", 0) > 0
        return is_row and len(first) > 1
    shape = getattr(predictions, "shape", ())
    return isinstance(shape, tuple) and len(shape) == 2 and shape[1] != 1


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
        found: Any
        if y_pred is None and score is not None:
            found = task.test_set_of(y_true, pos_label)
            task = settled(task, found)
            return Given(task, None, None if named is None else task.get(named), found, score)
        found = counted(task)
        task = settled(task, found)
        measure: Any = None if named is None else task.get(named)
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
    asked = Request.of(None, measures, {"y_true": y_true, "y_pred": y_pred}, pos_label)
    return ask(asked.kind(lambda: (y_true, [] if y_pred is None else [y_pred])))


def row_by_row(function: str, positional: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
    """Return the truth, the predictions and the measure of a call about one model."""
    y_true, y_pred, measure, _ = placed(function, MEASURED[:1], positional)
    if y_pred is None:  # a table, which `evaluate` will not take
        y_true, y_pred = None, y_true
    return y_true, y_pred, measure
