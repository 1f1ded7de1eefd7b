"""A kind of prediction: what it observes, and what all kinds answer alike."""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar, cast

from baserate.arguments import is_number
from baserate.core.catalogue import chosen
from baserate.core.measure import Direction, Measure
from baserate.core.multiple_testing import Tails
from baserate.exceptions import (
    BaserateError,
    MisplacedArgumentError,
    TooManyValuesError,
    UndefinedMeasureError,
)
from baserate.intervals.limits import PairedModels, Uncertainty

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Self

    import numpy as np
    from numpy.typing import NDArray

    from baserate.core.baseline import Baseline
    from baserate.core.catalogue import Catalogue
    from baserate.core.observed import (
        Joint,
        JointObservations,
        Null,
        Observations,
        Observed,
        Rows,
        SwapTest,
        TestSet,
    )
    from baserate.null.distribution import NullDistribution

    Floats = NDArray[np.float64]

S = TypeVar("S")
R = TypeVar("R")
_ANY_LEVELS = 0.025, 0.975


class Task(abc.ABC, Generic[S]):
    """A kind of prediction, and how chance does on it."""

    name: ClassVar[str]
    title: ClassVar[str]
    """What is predicted, in words."""
    takes_positive: ClassVar[bool] = False
    """Whether one class is positive, so that `pos_label` means something."""
    takes_scores: ClassVar[bool] = False
    """Whether a prediction is a number that is higher for what is likelier positive."""
    takes_numbers: ClassVar[bool] = False
    """Whether the truth is a number, and no class."""
    table: ClassVar[type]
    """What a model did."""
    test_set: ClassVar[type]
    """What a baseline needs to know of the truth."""
    catalogue: ClassVar[Catalogue[Any]]
    family: ClassVar[Any]
    """How its scores vary over test sets: a `Family`."""
    swap_test: ClassVar[Callable[..., SwapTest]]
    """The p-value of swapping two models row by row."""
    leading: ClassVar[Any] = None
    """The measure whose p-value all monotone measures share; None if `tails` knows it otherwise."""
    shares_p: ClassVar[bool] = True
    """Whether there is a p-value without a measure, which monotone measures share."""

    takes_importance: ClassVar[bool] = False
    """Whether rows may matter more or less, by importance weights."""

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
        try:
            return self.get(name)
        except BaserateError:
            return None

    def chosen(self, measures: Any) -> tuple[Any, ...]:
        """Return the measures that are asked for; those that people report for None."""
        return chosen(self.catalogue, measures, self.get, self.reported)

    def nearest(self, name: str) -> Iterable[str]:
        """Return the names of measures that resemble a name."""
        return self.catalogue.nearest(name)

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
    def weigh(self, y_true: Any, y_pred: Any, pos_label: object, weights: NDArray[Any]) -> S:
        """Count the predictions of one model, each row as often as its weight says."""

    @abc.abstractmethod
    def test_set_of(self, test_set: Any, pos_label: object = None) -> Any:
        """Return what a baseline needs of any description of a test set."""

    @abc.abstractmethod
    def require_test_set(self, name: str, table: S, y_true: Any, pos_label: object) -> None:
        """Raise if a table is of another test set."""

    @abc.abstractmethod
    def observe(self, y_true: Any, predictions: Any, rows: Rows) -> Observations:
        """Count every model, as a whole and in each group."""

    @abc.abstractmethod
    def observe_frame(self, frame: Any, truth: str, columns: Any, rows: Rows) -> Observations:
        """Count every model of a data frame, where the rows are."""

    @abc.abstractmethod
    def observe_pairs(self, y_true: Any, models: Any, rows: Rows) -> JointObservations:
        """Count every pair of models, as a whole and in each group."""

    @abc.abstractmethod
    def observe_frame_pairs(
        self, frame: Any, truth: str, columns: Any, rows: Rows
    ) -> JointObservations:
        """Count every pair of models of a data frame, where the rows are."""

    @abc.abstractmethod
    def count_column(self, frame: Any, truth: str, rows: Rows) -> tuple[TestSet, int]:
        """Count the truth alone, where the rows are; also return how many rows were dropped."""

    @abc.abstractmethod
    def observed(self, facts: Mapping[str, Any]) -> Observed:
        """Return what was observed, from the counts of a JSON record."""

    @abc.abstractmethod
    def joint(self, facts: Mapping[str, Any]) -> Joint:
        """Return what two models did, from the counts of a JSON record."""

    def counted(self, value: object) -> bool:
        """Return whether a value is a table or a test set of this task."""
        return isinstance(value, (self.table, self.test_set))

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

    def nulls(self, observed: Sequence[S], levels: tuple[float, float]) -> Sequence[Null]:
        """Return the null distributions of each observation, and the quantiles to tell."""
        return [Chance(self, each, levels) for each in observed]

    def tails(self, observed: Sequence[S], nulls: Sequence[Null] = ()) -> list[Tails]:
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

    def uncertainty(self, observed: S, alpha: float, clusters: Sequence[S] = ()) -> Any:
        """Return the intervals of scores and margins, over test sets like this one."""
        return Uncertainty(self.family, observed, alpha, clusters)

    def paired(self, joint: Any, alpha: float, clusters: Sequence[Any] = ()) -> Any:
        """Return how much two models differ."""
        return PairedModels(self.family, joint, alpha, clusters, self.swap_test)

    # Arguments of functions of one table.

    def scored(
        self,
        function: str,
        positional: tuple[Any, Any, Any],
        *,
        score: Any,
        pos_label: object,
        test_set: Any,
    ) -> Scored:
        """Read a score on a test set: of predictions, of a table, or as it is reported."""
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
        measure = self.get(third)
        if second is None and score is not None:
            return Scored(self.test_set_of(first, pos_label), measure, score)
        if score is not None:
            raise wrong()
        table = self._table(wrong, first, second, pos_label)
        return Scored(self.test_set_of(table, None), measure, measure.score(table))

    def tabled(
        self,
        function: str,
        positional: tuple[Any, Any, Any],
        *,
        pos_label: object,
        table: Any = None,
        needs_measure: bool = False,
    ) -> tuple[S, Any]:
        """Read a table, or labels that are counted, and the measure, None if none is asked for."""
        given = [each for each in (table, *positional) if each is not None]
        forms = _MEASURED if needs_measure else _TABLE
        wrong = partial(MisplacedArgumentError.called, function, forms, given)
        first, second, measure = positional
        if table is not None:
            if first is not None:
                raise wrong()
            first = table
        if is_measure(second) and measure is None:
            second, measure = None, second
        is_asked = is_measure(measure) or (measure is None and not needs_measure)
        if not is_asked or is_measure(first) or is_measure(second):
            raise wrong()
        found = self._table(wrong, first, second, pos_label)
        return found, None if measure is None else self.get(measure)

    def _table(
        self, wrong: Callable[[], Exception], y_true: Any, y_pred: Any, pos_label: object
    ) -> Any:
        if y_pred is None and isinstance(y_true, self.table):
            return y_true
        if isinstance(y_pred, self.table):
            self.require_test_set("y_pred", cast("Any", y_pred), y_true, pos_label)
            return y_pred
        if y_pred is None or y_true is None or self.counted(y_true):
            raise wrong()
        return self.count(y_true, y_pred, pos_label)


# How functions of one table may be called.
_SCORED = ("y_true, y_pred, measure", "table, measure", "test_set, measure, score")
_TABLE = ("y_true, y_pred", "table", "y_true, y_pred, measure")
_MEASURED = ("y_true, y_pred, measure", "table, measure")


class Scored(NamedTuple):
    """A score by a measure on a test set."""

    test_set: Any
    measure: Any
    score: Any


def is_measure(value: Any) -> bool:
    """Return whether a value is a measure or may be the name of one."""
    return isinstance(value, str | Measure)


@dataclass(frozen=True, eq=False)
class Chance:
    """What the predictions of a model score when they are shuffled, by any measure.

    Parameters
    ----------
    task
        The kind of prediction.
    observed
        What the model did.
    levels
        The quantiles between which chance is expected to stay, from bad to good.
    """

    task: Task[Any]
    observed: Any
    levels: tuple[float, float] = _ANY_LEVELS

    def tails(self, measure: Any, score: float) -> Tails:
        """Return the chance of a score as good, and of one as bad; nan where it has none."""
        none = Tails(math.nan, math.nan)
        if math.isnan(score):
            return none
        return self._asked(measure, lambda null: null.tails(score, measure.direction), none)

    def null_interval(self, measure: Any) -> tuple[float, float]:
        """Return between which scores chance stays; nan where it has none."""
        low, high = self.levels
        if measure.direction is Direction.MINIMIZE:
            low, high = 1 - high, 1 - low
        none = math.nan, math.nan
        return self._asked(measure, lambda null: (null.ppf(low), null.ppf(high)), none)

    def is_exact(self, measure: Any) -> bool:
        """Return whether these chances are exact, and no approximation or simulation."""
        return self._asked(measure, lambda null: null.exact, none=True)

    def _asked(self, measure: Any, ask: Callable[[NullDistribution], R], none: R) -> R:
        """Ask the null distribution of a score; return `none` where there is none."""
        if measure.score_or_reason(self.observed)[1]:
            return none
        try:
            if measure not in self._known:
                self._known[measure] = self.task.null_of(measure, self.observed)
            return ask(self._known[measure])
        except (TooManyValuesError, UndefinedMeasureError):
            return none

    @cached_property
    def _known(self) -> dict[Any, NullDistribution]:
        return {}
