"""The task of labels of two classes with importance weights, as a judge asks it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from baserate.binary.task import BINARY
from baserate.core.calls import Reader
from baserate.core.catalogue import each_once
from baserate.core.paired import PairedModels
from baserate.core.task import Rows, Weights
from baserate.exceptions import InvalidLabelsError
from baserate.exceptions.base import shown
from baserate.intervals.limits import DifferenceLimits, Uncertainty
from baserate.weighted.base import WeightedBase
from baserate.weighted.classed import classed
from baserate.weighted.intervals import WEIGHTED_TWO_CLASSES
from baserate.weighted.labels import NAME, WeightedLabels
from baserate.weighted.measures import WeightedMeasure
from baserate.weighted.null import WeightedChance, null_of, shared_tails
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
    from collections.abc import Iterable, Mapping, Sequence

    from baserate.core.law import Tails
    from baserate.core.task import JointObservations, Observations
    from baserate.data.columns import Labels
    from baserate.null.distribution import NullDistribution


@dataclass(frozen=True)
class WeightedLabelsTask:
    """Two classes with importance weights: what is observed is a confusion table per weight."""

    name = NAME
    title = "Two classes with importance weights"
    decks = "draws θ*"
    takes_positive = True
    takes_scores = False
    takes_numbers = False

    @property
    def weighted(self) -> WeightedLabelsTask:
        """The task itself."""
        return self

    def about(self, measures: Iterable[Any]) -> WeightedLabelsTask:  # noqa: ARG002
        """Return the task itself: what is observed is the same for all its measures."""
        return self

    def at(self, threshold: float) -> None:
        """Return None: it takes no scores that a threshold could cut."""

    def chosen(self, measures: Any) -> tuple[WeightedMeasure, ...]:
        """Return the measures that are asked for; those that people report for None."""
        if isinstance(measures, WeightedMeasure):
            return (measures,)
        is_many = not isinstance(measures, str) and hasattr(measures, "__iter__")
        if is_many:
            return each_once(map(self._get, measures))
        return tuple(map(WeightedMeasure.by, BINARY.chosen(measures)))

    def _get(self, name: Any) -> WeightedMeasure:
        if isinstance(name, WeightedMeasure):
            return name
        (measure,) = BINARY.chosen([name])
        return WeightedMeasure.by(measure)

    def named(self, name: Any) -> WeightedMeasure | None:
        """Return a measure by any of its names; None if it does not know it."""
        if isinstance(name, WeightedMeasure):
            return name
        found = BINARY.named(name)
        return None if found is None else WeightedMeasure.by(found)

    def nearest(self, name: str) -> list[str]:
        """Return the names of measures that resemble a name."""
        return BINARY.nearest(name)

    @cached_property
    def reader(self) -> Reader[WeightedLabels, WeightedBase, WeightedMeasure]:
        """How its functions read their arguments: labels without weights all weigh 1."""
        return Reader(
            table=WeightedLabels,
            test_set=WeightedBase,
            get_measure=self._get,
            count=lambda y_true, y_pred, pos_label: _labels(y_true, y_pred, pos_label, None),
            weigh=_labels,
            test_set_of=_test_set_of,
            require_test_set=require_test_set,
        )

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

    def nulls(
        self, observed: Sequence[WeightedLabels], levels: tuple[float, float]
    ) -> list[WeightedChance]:
        """Return what chance does with as many positive predictions as each model has."""
        return [WeightedChance(labels, levels) for labels in observed]

    def tails(self, observed: Sequence[WeightedLabels]) -> list[Tails]:
        """Return the chances of as much weighted informedness as each has, and of as little."""
        return list(map(shared_tails, observed))

    def uncertainty(self, observed: WeightedLabels, alpha: float) -> Uncertainty:
        """Return the limits of scores and margins over test sets like this one."""
        return Uncertainty(WEIGHTED_TWO_CLASSES, observed, alpha)

    def paired(self, joint: WeightedJoint, alpha: float) -> PairedModels[WeightedJoint]:
        """Return how much two models differ, with limits at 1 - alpha."""
        known = DifferenceLimits(WEIGHTED_TWO_CLASSES, joint, alpha)
        return PairedModels(joint, known, swap_test)


def _labels(y_true: Any, y_pred: Any, pos_label: object, weights: Any) -> WeightedLabels:
    """Count labels with the weight of each row; all weigh 1 if there are none."""
    if weights is None:
        weights = [1.0] * len(y_true)
    rows = Rows(pos_label=pos_label, weights=Weights(weights, "importance"))
    return tables_of(read_rows(y_true, {"y_pred": y_pred}, rows))["y_pred"][None]


def _test_set_of(test_set: Any, pos_label: object = None) -> WeightedBase:
    """Return the weighted base of any description of a test set."""
    if isinstance(test_set, WeightedBase):
        return test_set
    if isinstance(test_set, WeightedLabels):
        return test_set.test_set
    if isinstance(test_set, str | bytes) or not hasattr(test_set, "__len__"):
        raise InvalidLabelsError(
            f"a test set must be WeightedLabels or its true labels (got {shown(test_set)})"
        )
    return _labels(test_set, test_set, pos_label, None).test_set


WEIGHTED_LABELS = WeightedLabelsTask()
