"""The kinds of prediction: what each observes and answers, and the measures of all by name."""

from __future__ import annotations

import abc
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast

from baserate.core.measure import (
    Catalogue,
    Direction,
    Measure,
    chosen,
    folded,
    unknown_measure,
)
from baserate.core.multiple_testing import Tails
from baserate.core.observed import Observations
from baserate.data.labels import count_labels
from baserate.data.rows import named_models
from baserate.exceptions import (
    BaserateError,
    InvalidMeasureError,
    InvalidPredictionsError,
    TooManyValuesError,
    UndefinedMeasureError,
    UnknownMeasureError,
)
from baserate.formatting import listed, shown
from baserate.intervals.limits import Asked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Self

    import numpy as np
    from numpy.typing import NDArray

    from baserate.core.baseline import Baseline
    from baserate.core.observed import Rows, SwapTest
    from baserate.data.labels import CountedLabels, WhenSeveral
    from baserate.data.rows import Key
    from baserate.null.distribution import NullDistribution

    Floats = NDArray[np.float64]
    Tables = tuple[dict[Any, dict[Any, Any]], int]

S = TypeVar("S")
R = TypeVar("R")
_ANY_LEVELS = 0.025, 0.975


class Task(abc.ABC, Generic[S]):
    """A kind of prediction, and how chance does on it."""

    name: ClassVar[str]
    title: ClassVar[str]  # what is predicted, in words
    column: ClassVar[str] = "predicted labels"  # what a column of predictions holds
    takes_positive: ClassVar[bool] = False  # whether one class is positive, as `pos_label` says
    takes_scores: ClassVar[bool] = False  # whether predictions are higher for what is likelier
    takes_numbers: ClassVar[bool] = False  # whether the truth is a number, and no class
    takes_importance: ClassVar[bool] = False  # whether rows may matter more or less
    table: ClassVar[Any]  # what a model did
    pair: ClassVar[Any]  # what two models did
    test_set: ClassVar[type]  # what a baseline needs to know of the truth
    catalogue: ClassVar[Catalogue[Any]]
    family: ClassVar[Any]  # how its scores vary over test sets: a `Family`
    swap_test: ClassVar[Callable[..., SwapTest]]  # of swapping two models row by row
    # The measure whose p-value all monotone measures share; None if `tails` knows it otherwise.
    leading: ClassVar[Any] = None
    # Whether there is a p-value without a measure, which monotone measures share.
    shares_p: ClassVar[bool] = True

    # Measures.

    @property
    @abc.abstractmethod
    def reported(self) -> tuple[str, ...]:
        """The measures that are judged unless others are asked for."""

    @abc.abstractmethod
    def get(self, name: Any) -> Any:
        """Return a measure by any of its names, or raise if it does not know it."""

    def named(self, name: Any) -> Any:
        """Return a measure by any of its names; None if it does not know it."""
        return _known_by(self, name) if isinstance(name, str) else _asked_for(self, name)

    def chosen(self, measures: Any) -> tuple[Any, ...]:
        """Return the measures that are asked for; those that people report for None."""
        return chosen(self.catalogue, measures, self.get, self.reported)

    def about(self, measures: Iterable[Any]) -> Self:  # noqa: ARG002
        """Return the task for some measures or their names, if these say what to observe."""
        return self

    def at(self, threshold: float) -> Task[S] | None:  # noqa: ARG002
        """Return the task with labels at a threshold of scores; None if it takes no scores."""
        return None

    # Observations.

    @abc.abstractmethod
    def count(self, y_true: Any, y_pred: Any, pos_label: object = None) -> S:
        """Count the predictions of one model."""

    @abc.abstractmethod
    def tables(
        self, y_true: Any, models: Mapping[str, Any], rows: Rows, keys: Sequence[Key]
    ) -> Tables:
        """Return what was observed of some models, as a whole and in each group.

        A key has the models that are taken together: one, or two that are compared.
        """

    @abc.abstractmethod
    def frame_tables(
        self, frame: Any, truth: str, columns: Mapping[str, str], rows: Rows, keys: Sequence[Key]
    ) -> Tables:
        """Return the same of columns of a data frame, where the rows are.

        Of no model, it is the test set.
        """

    def test_set_of(self, test_set: Any, pos_label: object = None) -> Any:
        """Return what a baseline needs of any description of a test set."""
        known = test_set.test_set if isinstance(test_set, self.table) else test_set
        if not isinstance(known, self.test_set):
            return self.truth_alone(test_set, pos_label)
        if self.takes_positive:
            cast("Any", known).positives  # noqa: B018 - raises if no class is positive
        return known

    @abc.abstractmethod
    def truth_alone(self, y_true: Any, pos_label: object) -> Any:
        """Return what a baseline needs of the truth."""

    def require_test_set(
        self, name: str, table: S, y_true: Any, pos_label: object, by: Any = None
    ) -> None:
        """Raise if a table is empty or of another test set, or if its rows would be grouped."""
        seen, kind = cast("Any", table), self.table.__name__
        if not seen.total:
            raise InvalidPredictionsError(
                f"{name} must have at least one observation (got an empty {kind})"
            )
        if by is not None:
            raise InvalidPredictionsError(
                f"must come with {self.column} ({name} is a {kind}, which has no rows to group); "
                "evaluate each group as a model of its own",
                parameter="by",
            )
        truth = seen.test_set if y_true is None else self.test_set_of(y_true, pos_label)
        if not self.are_same(truth, seen.test_set):
            what = "numbers" if self.takes_numbers else "labels"
            raise InvalidPredictionsError(
                f"{name} must be counted on the {what} of y_true, {truth} (got {seen.test_set})"
            )

    def are_same(self, first: Any, second: Any) -> bool:
        """Return whether two test sets have the same truth."""
        return bool(first == second)

    def observe(self, y_true: Any, predictions: Any, rows: Rows) -> Observations:
        """Return what every model or pair did; some models may be counted already."""
        models = self.models(predictions)
        columns = {name: each for name, each in models.items() if not isinstance(each, self.table)}
        if columns and y_true is None:
            raise InvalidPredictionsError(
                f"must be given for the {self.column} of model {shown(next(iter(columns)))} (got "
                f"None); only {self.table.__name__} can do without",
                parameter="y_true",
            )
        found: dict[Any, Any] = {}
        dropped = 0
        if columns:
            found, dropped = self.tables(y_true, columns, rows, rows.keys(columns))
        if len(columns) < len(models):
            for name, table in models.items():
                if name not in columns:
                    where = f"model {shown(name)}"
                    self.require_test_set(where, table, y_true, rows.pos_label, rows.by)
                    found[name,] = {None: self.adopted(table)}
            found = {(name,): found[name,] for name in models}
        return Observations.of(found, dropped)

    def adopted(self, table: Any) -> Any:
        """Return a table that was counted elsewhere as this task reads it."""
        return table

    def models(self, predictions: Any) -> dict[str, Any]:
        """Return the predictions of each model, by its name."""
        return named_models(predictions)

    def observe_frame(
        self, frame: Any, truth: str, columns: Mapping[str, str], rows: Rows
    ) -> Observations:
        """Return what every model or pair of a data frame did, where the rows are."""
        return Observations.of(*self.frame_tables(frame, truth, columns, rows, rows.keys(columns)))

    def count_column(self, frame: Any, truth: str, rows: Rows) -> tuple[Any, int]:
        """Count the truth alone, where the rows are; also return how many rows were dropped."""
        found, dropped = self.frame_tables(frame, truth, {}, rows._replace(by=None), [()])
        return found[()][None], dropped

    def observed(self, facts: Mapping[str, Any]) -> Any:
        """Return what was observed, from the counts of a JSON record."""
        return self.table.from_facts(facts)

    def joint(self, facts: Mapping[str, Any]) -> Any:
        """Return what two models did, from the counts of a JSON record."""
        return self.pair.from_facts(facts)

    def counted(self, value: object) -> bool:
        """Return whether a value is a table or a test set of this task."""
        has_positive = getattr(value, "has_positive", self.takes_positive)
        is_ours = isinstance(value, (self.table, self.test_set))
        return is_ours and (has_positive or not self.takes_positive)

    # Answers.

    @abc.abstractmethod
    def baseline(self, test_set: Any, measure: Any) -> Baseline:
        """Return the baseline on a test set, or raise if the measure has none."""

    @abc.abstractmethod
    def null_of(self, measure: Any, observed: S) -> NullDistribution:
        """Return the null distribution of a score: that of the same predictions, shuffled."""

    @abc.abstractmethod
    def null_of_guess(self, measure: Any, test_set: Any, guess: Any) -> NullDistribution:
        """Return the null distribution of a score of a guess."""

    def nulls(self, observed: Sequence[S], levels: tuple[float, float]) -> Sequence[Chance]:
        """Return the null distributions of each observation, and the quantiles to tell."""
        return [Chance(self, each, levels) for each in observed]

    def find_together(self, nulls: Sequence[Any], measures: Sequence[Any]) -> None:
        """Let null distributions find at once what they will be asked, if that is faster."""
        asked = [
            each
            for null in nulls
            for measure in dict.fromkeys((*measures, *filter(None, (self.leading,))))
            for each in null.will_ask(
                measure,
                tails=measure is self.leading or not measure.monotone,
                quantiles=measure in measures,
            )
        ]
        if asked:
            type(asked[0][0]).find(asked)

    def tails(self, observed: Sequence[S], nulls: Sequence[Chance] = ()) -> list[Tails]:
        """Return the chances of each observation that all monotone measures share.

        If their null distributions are given, what these find is found once.
        """
        if self.leading is None:
            return [Tails(math.nan, math.nan) for _ in observed]
        return [
            null.tails(self.leading, self.leading.score_or_reason(each)[0])
            for null, each in zip(nulls or self.nulls(observed, _ANY_LEVELS), observed, strict=True)
        ]

    def contributions(self, observed: S, clusters: Sequence[S], measure: Any) -> Floats:  # noqa: ARG002
        """Return what each cluster of rows adds to the association of truth and predictions."""
        found: Floats = self.family.contributions(observed, clusters)
        return found

    def asked(self, measure: Any, observed: Any, clusters: Sequence[Any] = ()) -> Asked:
        """Return a measure of one model or of two, whose numbers vary in a way that is known."""
        return Asked(self.family, self.swap_test, measure, observed, clusters)


class LabelTask(Task[S]):
    """Labels: rows that are alike are counted."""

    several: WhenSeveral = "never"  # when no class is positive
    built: ClassVar[Callable[..., Any]]  # makes a table of the places of labels and their counts

    def counter(self, *columns: Any, **how: Any) -> CountedLabels:
        """Count labels of arrays; see `count_labels`."""
        return count_labels(*columns, several=self.several, **how)

    def tables(
        self, y_true: Any, models: Mapping[str, Any], rows: Rows, keys: Sequence[Key]
    ) -> Tables:
        """Count labels, as a whole and in each group."""
        return self._tables(self.counter(y_true, models, rows, keys))

    def frame_tables(
        self, frame: Any, truth: str, columns: Mapping[str, str], rows: Rows, keys: Sequence[Key]
    ) -> Tables:
        """Count labels of a data frame, where the rows are."""
        from baserate.data.engines.labels import count_frame

        return self._tables(count_frame(frame, truth, columns, rows, keys=keys, count=self.counter))

    def _tables(self, found: CountedLabels) -> Tables:
        if found.weights is None:
            return found.tables(self.built), found.dropped
        from baserate.observed.weighted import weighing

        return found.tables(weighing(self.built)), found.dropped


@dataclass(frozen=True, eq=False)
class Chance:
    """What the predictions of a model score when they are shuffled, by any measure."""

    task: Task[Any]
    observed: Any
    # The quantiles between which chance is expected to stay, from bad to good.
    levels: tuple[float, float] = _ANY_LEVELS

    def tails(self, measure: Any, score: float) -> Tails:
        """Return the chance of a score as good, and of one as bad; nan where it has none."""
        none = Tails(math.nan, math.nan)
        if math.isnan(score):
            return none
        return self._asked(measure, lambda null: null.tails(score, measure.direction), none)

    def null_interval(self, measure: Any) -> tuple[float, float]:
        """Return between which scores chance stays; nan where it has none."""
        low, high = self._ends(measure)
        none = math.nan, math.nan
        return self._asked(measure, lambda null: (null.ppf(low), null.ppf(high)), none)

    def is_exact(self, measure: Any) -> bool:
        """Return whether these chances are exact, and no approximation or simulation."""
        return self._asked(measure, lambda null: null.exact, none=True)

    def will_ask(
        self, measure: Any, *, tails: bool, quantiles: bool
    ) -> list[tuple[Any, str, float]]:
        """Return what a saddlepoint will be asked; nothing if the score has none."""
        null = self._asked(measure, lambda null: null, None)
        if null is None or null.method != "saddlepoint":
            return []
        score = measure.score_or_reason(self.observed)[0]
        asked = [(null, what, score) for what in ("sf", "cdf") if tails]
        return asked + [(null, "ppf", level) for level in self._ends(measure) if quantiles]

    def _ends(self, measure: Any) -> tuple[float, float]:
        low, high = self.levels
        return (low, high) if measure.direction is Direction.MAXIMIZE else (1 - high, 1 - low)

    def _asked(self, measure: Any, ask: Callable[[NullDistribution], R], none: R) -> R:
        """Ask the null distribution of a score; return `none` where there is none."""
        try:
            if measure not in self._known:
                is_missing = measure.score_or_reason(self.observed)[1]
                found = None if is_missing else self.task.null_of(measure, self.observed)
                self._known[measure] = found
            null = self._known[measure]
            return none if null is None else ask(null)
        except (TooManyValuesError, UndefinedMeasureError):
            return none

    @cached_property
    def _known(self) -> dict[Any, NullDistribution | None]:
        return {}


# All tasks, and the measures of all of them by name.

_WHERE = {
    "binary": ("two_classes", "BINARY"),
    "multiclass": ("classes", "MULTICLASS"),
    "scores": ("scores", "SCORES"),
    "class-scores": ("class_scores", "CLASS_SCORES"),
    "regression": ("numbers", "REGRESSION"),
}
_WEIGHTED = "weighted "


class Tasks(Mapping[str, Task[Any]]):
    """The kinds of prediction by name; each is loaded when it is needed first."""

    def __getitem__(self, name: str) -> Task[Any]:
        module, variable = _WHERE[name]
        found: Task[Any] = getattr(import_module(f"baserate.kinds.{module}"), variable)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_WHERE)

    def __len__(self) -> int:
        return len(_WHERE)


TASKS = Tasks()
"""The tasks by name. Where several would do, the first one is meant."""


def weighted_task(task: Task[Any]) -> Task[Any]:
    """Return the task of rows that matter more or less."""
    if task.takes_importance:
        return task
    found: Task[Any] = import_module("baserate.kinds.weighted").WeightedTask(task)
    return found


def is_counted(value: object) -> bool:
    """Return whether a value is a table or a test set of some task."""
    is_ours = type(value).__module__.startswith("baserate.")
    return is_ours and any(task.counted(value) for task in TASKS.values())


def task_observed(name: object) -> Task[Any]:
    """Return the task of what was observed, by its name in a record, or raise.

    That of rows with weights is one that nobody chooses by name.
    """
    if isinstance(name, str) and name.startswith(_WEIGHTED):
        return weighted_task(task_named(name.removeprefix(_WEIGHTED)))
    return task_named(name)


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


def measures_named(name: object) -> Iterator[Any]:
    """Return the measures that have a name, in any task."""
    return filter(None, (task.named(name) for task in TASKS.values()))


@lru_cache(maxsize=1_024)
def is_count(key: str) -> bool:
    """Return whether the scores of a measure that a record names are numbers of observations."""
    return any(each.key == key and each.counts for each in measures_named(key))


def _asked_for(task: Task[Any], name: Any) -> Any:
    try:
        return task.get(name)
    except BaserateError:
        return None


# A name that a task does not have would be compared with all that it has, at every call.
_known_by = lru_cache(maxsize=1_024)(_asked_for)


def resembling(name: str) -> UnknownMeasureError | None:
    """Return the error about an unknown name that names the measures it resembles, if any do."""
    nearest: dict[str, str] = {}
    for near in (near for task in TASKS.values() for near in task.catalogue.nearest(name)):
        nearest.setdefault(folded(near), near)  # kappa is KAPPA
    if not nearest or cast("Any", TASKS["binary"]).needs(folded(name)):
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
    asked = None if task is None else task_named(task)
    if zero_division is not None:
        return cast("Any", TASKS["multiclass"]).get(name, zero_division=zero_division)
    if beta is not None:
        return cast("Any", TASKS["binary"]).get(name, beta=beta)
    asked = asked or next((each for each in TASKS.values() if each.named(name) is not None), None)
    if asked is not None:
        return measure_of(asked, name)
    error = resembling(name) if isinstance(name, str) else None
    if error is not None:
        raise error
    return measure_of(TASKS["binary"], name)  # which says that it does not know it


MEASURES: Catalogue[Measure[Any]]
"""All measures by key. Where several kinds of prediction have one, it is that of the first."""


def __getattr__(name: str) -> Any:
    """Collect all measures when they are asked for first."""
    if name != "MEASURES":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    every = (each for task in TASKS.values() for each in task.catalogue.values())
    globals()[name] = Catalogue[Measure[Any]](__name__, name, every)
    return globals()[name]
