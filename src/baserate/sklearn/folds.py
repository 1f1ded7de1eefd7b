"""What a model did on one fold, counted by the task that can read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from baserate.core.task import Rows
from baserate.evaluation.weighing import ask_weighed, weighed
from baserate.exceptions import InvalidLabelsError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from baserate.core.measure import AnyMeasure
    from baserate.core.task import Observations, Weights
    from baserate.data.labels import Labels
    from baserate.task import Task


class Fold(NamedTuple):
    """The truth and the predictions of a fold.

    Parameters
    ----------
    y_true, y_pred
        The true and the predicted labels, or scores in place of the latter.
    pos_label
        The positive class, which some tasks have.
    weights
        How much each observation counts; None if all count alike.
    """

    y_true: Labels
    y_pred: Labels
    pos_label: object
    weights: Weights | None

    def counted(
        self, tasks: Sequence[Task[Any]], measures: Mapping[str, AnyMeasure[Any]]
    ) -> tuple[Task[Any], Any, AnyMeasure[Any]]:
        """Return the first task that can read the labels, what it counts, and its measure.

        Two classes without an evident positive one may be two of several, which other folds have.

        Parameters
        ----------
        tasks
            The tasks, the likeliest first.
        measures
            The measure in each of them, keyed by the name of the task.
        """
        *others, last = tasks
        for task in others:
            try:
                return self._counted_by(task, measures[task.name])
            except InvalidLabelsError:
                continue
        return self._counted_by(last, measures[last.name])

    def _counted_by(
        self, task: Task[Any], measure: AnyMeasure[Any]
    ) -> tuple[Task[Any], Any, AnyMeasure[Any]]:
        if self.weights is None:
            return task, task.count(self.y_true, self.y_pred, self.pos_label), measure
        rows = Rows(pos_label=self.pos_label, weights=self.weights)
        found = ask_weighed(task, rows, self._observed).tables["y_pred"][None]
        known = weighed(task, self.weights)
        (meant,) = known.chosen([measure])
        return known, found, meant

    def _observed(self, task: Task[Any], rows: Rows) -> Observations:
        return task.observe(self.y_true, {"y_pred": self.y_pred}, rows)
