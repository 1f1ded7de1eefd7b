"""The task of labels of two classes with importance weights, as a judge asks it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.binary.measures.agreement import J
from baserate.binary.measures.catalogue import MEASURES, REPORTED
from baserate.binary.task import BINARY
from baserate.core.law import Tails
from baserate.core.task import Rows, Weights
from baserate.exceptions import InvalidLabelsError
from baserate.exceptions.base import shown
from baserate.task import Chance, Task
from baserate.weighted.base import WeightedBase
from baserate.weighted.classed import classed
from baserate.weighted.intervals import WEIGHTED_TWO_CLASSES
from baserate.weighted.labels import NAME, WeightedLabels
from baserate.weighted.measures import WeightedMeasure
from baserate.weighted.null import null_of
from baserate.weighted.paired.joint import WeightedJoint
from baserate.weighted.paired.swaps import swap_test
from baserate.weighted.predictions import (
    count_weighted,
    count_weighted_column,
    count_weighted_frame,
    count_weighted_frame_pairs,
    count_weighted_pairs,
    read_rows,
    require_test_set,
    tables_of,
)
from baserate.weighted.yardstick import yardstick_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from baserate.core.task import JointObservations, Observations
    from baserate.data.labels import Labels
    from baserate.null.distribution import NullDistribution


class WeightedLabelsTask(Task[WeightedLabels]):
    """Two classes whose observations matter more or less."""

    name = NAME
    title = "Two classes with importance weights"
    decks = "draws θ*"
    takes_positive = True
    table, test_set = WeightedLabels, WeightedBase
    catalogue, reported = MEASURES, REPORTED
    family, swap_test = WEIGHTED_TWO_CLASSES, staticmethod(swap_test)

    @property
    def weighted(self) -> WeightedLabelsTask:
        """The task itself."""
        return self

    def get(self, name: Any) -> WeightedMeasure:
        """Return a measure by any of its names, or raise if it does not know it."""
        return name if isinstance(name, WeightedMeasure) else WeightedMeasure.by(BINARY.get(name))

    def count(self, y_true: Labels, y_pred: Labels, pos_label: object = None) -> WeightedLabels:
        """Count the predictions of one model, all rows alike."""
        return self.weigh(y_true, y_pred, pos_label, np.ones(len(y_true)))

    def weigh(
        self, y_true: Any, y_pred: Any, pos_label: object, weights: NDArray[Any]
    ) -> WeightedLabels:
        """Count the predictions of one model with importance weights."""
        rows = Rows(pos_label=pos_label, weights=Weights(weights, "importance"))
        return tables_of(read_rows(y_true, {"y_pred": y_pred}, rows))["y_pred"][None]

    def test_set_of(self, test_set: Any, pos_label: object = None) -> WeightedBase:
        """Return what a baseline needs of any description of a test set."""
        if isinstance(test_set, WeightedBase):
            return test_set
        if isinstance(test_set, WeightedLabels):
            return test_set.test_set
        if isinstance(test_set, str | bytes) or not hasattr(test_set, "__len__"):
            raise InvalidLabelsError(
                f"a test set must be WeightedLabels or its true labels (got {shown(test_set)})"
            )
        return self.count(test_set, test_set, pos_label).test_set

    def require_test_set(
        self, name: str, table: WeightedLabels, y_true: Any, pos_label: object
    ) -> None:
        """Raise if a table is of another test set."""
        require_test_set(name, table, y_true, pos_label)

    def observe(self, y_true: Labels, predictions: Any, rows: Rows) -> Observations:
        """Count every model per weight, as a whole and in each group."""
        return count_weighted(y_true, predictions, rows)

    def observe_frame(
        self, frame: Any, truth: str, columns: Mapping[str, str], rows: Rows
    ) -> Observations:
        """Count every model of a data frame per weight; rows that are alike are counted there."""
        return count_weighted_frame(frame, truth, columns, rows)

    def observe_pairs(
        self, y_true: Labels, models: Mapping[str, Any], rows: Rows
    ) -> JointObservations:
        """Count every pair of models per weight, as a whole and in each group."""
        return count_weighted_pairs(y_true, models, rows)

    def observe_frame_pairs(
        self, frame: Any, truth: str, columns: Mapping[str, str], rows: Rows
    ) -> JointObservations:
        """Count every pair of models of a data frame per weight."""
        return count_weighted_frame_pairs(frame, truth, columns, rows)

    def count_column(self, frame: Any, truth: str, rows: Rows) -> tuple[WeightedBase, int]:
        """Count the truth alone per weight; also return how many rows were dropped."""
        return count_weighted_column(frame, truth, rows)

    def observed(self, facts: Mapping[str, Any]) -> WeightedLabels:
        """Return the labels of a JSON record."""
        return WeightedLabels.from_facts(facts)

    def joint(self, facts: Mapping[str, Any]) -> WeightedJoint:
        """Return two models from a JSON record."""
        return WeightedJoint.from_facts(facts)

    def yardstick(self, test_set: WeightedBase, measure: WeightedMeasure) -> Any:
        """Return the baseline of a measure, and the scale around it."""
        return yardstick_of(test_set, measure)

    def null_of(self, measure: WeightedMeasure, observed: WeightedLabels) -> NullDistribution:
        """Return the distribution of a score when predictions are shuffled."""
        drawn = observed.table.predicted_positives
        return self.null_of_guess(measure, observed.test_set, drawn)

    def null_of_guess(
        self, measure: WeightedMeasure, test_set: WeightedBase, guess: int
    ) -> NullDistribution:
        """Return the distribution of a score over guesses with so many positives."""
        drawn = test_set.rate.require_predicted_positives(guess, parameter="y_pred")
        plain = classed(measure, test_set)
        if plain is not None:
            return BINARY.null_of_guess(plain, test_set.rate, drawn)
        return null_of(measure, test_set, drawn)

    def tails(self, observed: Sequence[WeightedLabels]) -> list[Tails]:
        """Return the chances of as high an informedness, and of as low a one."""
        measure = self.get(J)
        return [
            Tails(1.0, 1.0)
            if measure.score_or_reason(each)[1]
            else Chance(self, each).tails(measure, measure.score_or_reason(each)[0])
            for each in observed
        ]


WEIGHTED_LABELS = WeightedLabelsTask()
