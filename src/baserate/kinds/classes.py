"""Labels of several classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from baserate.baselines.class_search import ClassBaseline, class_baseline
from baserate.kinds.classes_intervals import CLASSES
from baserate.kinds.classes_null import null_of, swap_test
from baserate.measures.classes import ACCURACY, CLASS_MEASURES, REPORTED, get_class_measure
from baserate.observed.labels import BaseRate, ConfusionMatrix, JointMatrix, of_labels
from baserate.task import LabelTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from baserate.data.columns import Labels
    from baserate.measures.classes_record import ClassMeasure
    from baserate.null.distribution import NullDistribution


class MulticlassTask(LabelTask[ConfusionMatrix]):
    """Several classes."""

    name = "multiclass"
    title = "Several classes"
    table, pair, test_set = ConfusionMatrix, JointMatrix, BaseRate
    catalogue, reported = CLASS_MEASURES, REPORTED
    family, swap_test = CLASSES, staticmethod(swap_test)
    get, leading = staticmethod(get_class_measure), ACCURACY
    several, built = "always", staticmethod(of_labels)

    def count(self, y_true: Labels, y_pred: Labels, pos_label: object = None) -> ConfusionMatrix:  # noqa: ARG002
        """Count the predictions of one model."""
        return ConfusionMatrix.of_classes(y_true, y_pred)

    def truth_alone(self, y_true: Labels, pos_label: object) -> BaseRate:  # noqa: ARG002
        """Return how often each class occurs."""
        return BaseRate.of_classes(y_true)

    def adopted(self, table: ConfusionMatrix) -> ConfusionMatrix:
        """Return a table that was counted elsewhere, of which no class is positive."""
        return table.without_positive

    def are_same(self, first: BaseRate, second: BaseRate) -> bool:
        """Return whether two test sets have the same classes as often, in any order."""
        return first.by_class == second.by_class

    def baseline(self, test_set: BaseRate, measure: ClassMeasure) -> ClassBaseline:
        """Return the baseline of a measure."""
        return class_baseline(test_set, measure)

    def null_of(self, measure: ClassMeasure, observed: ConfusionMatrix) -> NullDistribution:
        """Return the distribution of a score when predictions are shuffled."""
        return null_of(measure, observed.true_counts.tolist(), observed.predicted_counts.tolist())

    def null_of_guess(
        self, measure: ClassMeasure, test_set: BaseRate, guess: Sequence[int] | Mapping[Any, int]
    ) -> NullDistribution:
        """Return the distribution of a score of a guess, as often of each class as it says."""
        return null_of(measure, test_set.counts, test_set.require_guess(guess))


MULTICLASS = MulticlassTask()
