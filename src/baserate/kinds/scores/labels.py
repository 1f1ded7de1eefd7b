"""Tasks whose measures are of scores, or of the labels that scores give."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from baserate.intervals.limits import Asks
from baserate.measures.scores import OfLabels, baseline_of
from baserate.task import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from baserate.core.baseline import Baseline
    from baserate.null.distribution import NullDistribution

S = TypeVar("S")


class TaskOfScores(Task[S]):
    """A task that leaves measures of labels to the task of these labels."""

    labels: ClassVar[Task[Any]]

    def baseline(self, test_set: Any, measure: Any) -> Baseline:
        """Return the baseline of a measure; that of labels for their own."""
        if isinstance(measure, OfLabels):
            return self.labels.baseline(test_set, measure.of)
        return baseline_of(measure, test_set)

    def null_of(self, measure: Any, observed: Any) -> NullDistribution:
        """Return the distribution of a score when the rows of a model are shuffled."""
        if isinstance(measure, OfLabels):
            return self.labels.null_of(measure.of, measure.labels(observed))
        key = (measure, "null")
        if key not in observed.kept:
            observed.kept[key] = self.shuffled(measure, observed)
        found: NullDistribution = observed.kept[key]
        return found

    def shuffled(self, measure: Any, observed: Any) -> NullDistribution:
        """Return the null distribution of a measure of scores."""
        raise NotImplementedError

    def uncertainty(self, observed: Any, alpha: float, clusters: Sequence[Any] = ()) -> Any:
        """Return the confidence intervals of scores and margins."""
        return _Delegated(self, super().uncertainty, "uncertainty", observed, alpha, clusters)

    def paired(self, joint: Any, alpha: float, clusters: Sequence[Any] = ()) -> Any:
        """Return how much two models differ."""
        return _Delegated(self, super().paired, "paired", joint, alpha, clusters)


@dataclass(frozen=True, eq=False)
class _Delegated(Asks):
    """What is known of one model, or of two; of measures of labels, what is known of labels."""

    task: TaskOfScores[Any]
    own: Callable[..., Any]
    asked: str
    observed: Any
    alpha: float
    clusters: Sequence[Any]

    def asked_score(self, measure: Any) -> Any:
        """Ask for the interval of the score."""
        known, plain = self._of(measure)
        return known.asked_score(plain)

    def asked_margin(self, measure: Any, baseline: Baseline) -> Any:
        """Ask for the interval of how much better it is than the baseline."""
        known, plain = self._of(measure)
        return known.asked_margin(plain, baseline)

    def limits(self, measure: Any) -> Any:
        """Return the interval of the second score minus the first."""
        known, plain = self._of(measure)
        return known.limits(plain)

    def swap_test(self, measure: Any) -> Any:
        """Return the p-value of swapping the models row by row, or by whole clusters."""
        known, plain = self._of(measure)
        return known.swap_test(plain)

    def _of(self, measure: Any) -> tuple[Any, Any]:
        """Return who knows the answer, and the measure to ask for."""
        is_of_labels = isinstance(measure, OfLabels)
        key = measure.threshold if is_of_labels else "scores"
        if key not in self._known:
            make = getattr(self.task.labels, self.asked) if is_of_labels else self.own
            tables = [self.observed, *self.clusters]
            table, *clusters = map(measure.labels, tables) if is_of_labels else tables
            self._known[key] = make(table, self.alpha, clusters)
        return self._known[key], measure.of if is_of_labels else measure

    @cached_property
    def _known(self) -> dict[Any, Any]:
        return {}
