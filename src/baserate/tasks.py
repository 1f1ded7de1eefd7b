"""The tasks, and the measures of all of them by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from baserate.core.measure import Catalogue, Measure, folded, unknown_measure
from baserate.exceptions import InvalidMeasureError, UnknownMeasureError
from baserate.formatting import listed, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from baserate.task import Task

_WHERE = {
    "binary": ("two_classes", "BINARY"),
    "multiclass": ("classes", "MULTICLASS"),
    "scores": ("scores", "SCORES"),
    "class-scores": ("class_scores", "CLASS_SCORES"),
    "regression": ("numbers", "REGRESSION"),
    "weighted binary": ("weighted", "WEIGHTED_LABELS"),
}


class Tasks(Mapping[str, "Task[Any]"]):
    """The kinds of prediction by name; each is loaded when it is needed first."""

    def __getitem__(self, name: str) -> Task[Any]:
        folder, variable = _WHERE[name]
        found: Task[Any] = getattr(import_module(f"baserate.kinds.{folder}"), variable)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter([name for name in _WHERE if name != "weighted binary"])

    def __len__(self) -> int:
        return len(_WHERE) - 1


TASKS = Tasks()
"""The tasks by name. Where several would do, the first one is meant."""


def weighted_task(task: Task[Any]) -> Task[Any] | None:
    """Return the task of observations that matter more or less; None if none is known."""
    if task.takes_importance:
        return task
    return TASKS["weighted binary"] if task.name == "binary" else None


def is_counted(value: object) -> bool:
    """Return whether a value is a table or a test set of some task."""
    is_ours = type(value).__module__.startswith("baserate.")
    return is_ours and any(task.counted(value) for task in TASKS.values())


def task_observed(name: object) -> Task[Any]:
    """Return the task of what was observed, by its name in a record, or raise.

    Labels with weights are a task of their own, which nobody chooses by name.
    """
    return TASKS[name] if name == "weighted binary" else task_named(name)


def task_named(name: object) -> Task[Any]:
    """Return a task by its name, or raise."""
    if not isinstance(name, str) or name not in TASKS:
        raise InvalidMeasureError(
            f"must be one of {listed(TASKS, most=len(TASKS))} (got {shown(name)})", parameter="task"
        )
    return TASKS[name]


def measure_of(task: Task[Any], name: Any) -> Any:
    """Return a measure of one task, or raise an error that says which other task has it."""
    if task.named(name) is None:
        others = [each.title.lower() for each in TASKS.values() if each.named(name) is not None]
        if others:
            raise UnknownMeasureError(
                f"{shown(name)} is a measure of {' and of '.join(others)}, not of "
                f"{task.title.lower()}"
            )
    return task.chosen([name])[0]


def keys_of(name: object) -> Iterable[str]:
    """Return the keys of the measures that have a name, in any task."""
    return (measure.key for measure in _named(name))


@lru_cache(maxsize=1_024)
def is_count(key: str) -> bool:
    """Return whether the scores of a measure that a record names are numbers of observations."""
    return any(each.key == key and each.counts for each in _named(key))


def _named(name: object) -> Iterable[Any]:
    found = (task.named(name) for task in TASKS.values())
    return (measure for measure in found if measure is not None)


def resembling(name: str) -> UnknownMeasureError | None:
    """Return the error about an unknown name that names the measures it resembles, if any do."""
    nearest: dict[str, str] = {}
    for near in (near for task in TASKS.values() for near in task.nearest(name)):
        nearest.setdefault(folded(near), near)  # kappa is KAPPA
    from baserate.measures.two_classes import what_it_needs

    if not nearest or what_it_needs(folded(name)):
        return None
    import difflib

    def likeness(other: str) -> float:
        return difflib.SequenceMatcher(None, folded(name), folded(other)).ratio()

    return unknown_measure(name, "", sorted(nearest.values(), key=likeness, reverse=True)[:3])


def get_measure(
    name: str | Measure[Any],
    *,
    task: str | None = None,
    beta: float | None = None,
    zero_division: float | None = None,
) -> Any:
    """Return a measure by any of its names.

    Parameters
    ----------
    name
        A key, an alternative name of the paper, a common abbreviation or scikit-learn's name.
        Case, spaces, hyphens, underscores and apostrophes do not matter. A measure is returned
        unchanged.
    task
        For names that several tasks have, such as accuracy: ``"binary"``, ``"multiclass"``,
        ``"scores"``, ``"class-scores"`` or ``"regression"``. The first of these that
        knows it is meant otherwise.
    beta
        The β of ``"fbeta"``.
    zero_division
        What 0/0 is, for averages of several classes that have a choice: 0, 1, or nan to leave the
        class out.

    Returns
    -------
    Measure
        The record of the measure.

    Examples
    --------
    >>> get_measure("Youden's index")
    <Measure J: Youden's J Statistic>
    >>> get_measure("f1_macro")
    <Measure macro F1: Macro F1 Score>
    >>> get_measure("accuracy", task="multiclass")
    <Measure accuracy: Accuracy>
    >>> get_measure("top-5 accuracy")
    <Measure top-5 accuracy: Top-5 Accuracy>
    >>> get_measure("roc_auc")
    <Measure AUC: Area under the ROC Curve>
    >>> get_measure("neg_root_mean_squared_error")
    <Measure RMSE: Root Mean Squared Error>
    >>> get_measure("kapa")
    Traceback (most recent call last):
        ...
    baserate.exceptions.UnknownMeasureError: unknown measure 'kapa': did you mean 'KAPPA' or 'AP'?
    """
    from baserate.measures.classes import get_class_measure
    from baserate.measures.two_classes import get_measure as get_binary_measure

    asked = None if task is None else task_named(task)
    if asked is None and beta is None:
        asked = next((each for each in TASKS.values() if each.named(name) is not None), None)
    if zero_division is not None:
        return get_class_measure(cast("Any", name), zero_division=zero_division)
    if asked is not None and beta is None:
        return measure_of(asked, name)
    if asked is None and isinstance(name, str) and beta is None:
        error = resembling(name)
        if error is not None:
            raise error
    return get_binary_measure(cast("Any", name), beta=beta)


MEASURES: Catalogue[Measure[Any]]
"""All measures by key. Where several kinds of prediction have one, it is that of the first."""


def __getattr__(name: str) -> Any:
    """Collect all measures when they are asked for first."""
    if name != "MEASURES":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    every = (each for task in TASKS.values() for each in task.catalogue.values())
    globals()[name] = Catalogue[Measure[Any]](__name__, name, every)
    return globals()[name]
