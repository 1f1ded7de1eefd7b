"""Labels of two classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baserate.baselines.dutch_draw import DutchDrawBaseline, baseline
from baserate.data.labels import count_labels
from baserate.kinds.two_classes_intervals import TWO_CLASSES, swap_test
from baserate.kinds.two_classes_null import TableChance, null_of, quantiles, tails
from baserate.measures.two_classes import REPORTED, TWO_CLASS_MEASURES, get_measure, what_it_needs
from baserate.observed.labels import (
    BaseRate,
    ConfusionMatrix,
    JointTable,
    as_base_rate,
    of_labels,
)
from baserate.task import LabelTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.core.multiple_testing import Tails
    from baserate.data.columns import Labels
    from baserate.measures.two_classes_record import TwoClassMeasure
    from baserate.null.distribution import NullDistribution


class BinaryTask(LabelTask[ConfusionMatrix]):
    """Two classes, one of which is positive."""

    name = "binary"
    title = "Two classes"
    takes_positive = True
    table, pair, test_set = ConfusionMatrix, JointTable, BaseRate
    catalogue, reported = TWO_CLASS_MEASURES, REPORTED
    family, swap_test = TWO_CLASSES, staticmethod(swap_test)
    get, needs = staticmethod(get_measure), staticmethod(what_it_needs)
    count = staticmethod(ConfusionMatrix.of_positives)
    counter, built = staticmethod(count_labels), staticmethod(of_labels)

    def truth_alone(self, y_true: Labels, pos_label: object) -> BaseRate:
        """Return how many of the labels are positive."""
        return as_base_rate(y_true, pos_label)

    def baseline(self, test_set: BaseRate, measure: TwoClassMeasure) -> DutchDrawBaseline:
        """Return the baseline of a measure."""
        return baseline(test_set, measure)

    def null_of(self, measure: TwoClassMeasure, observed: ConfusionMatrix) -> NullDistribution:
        """Return the distribution of a score when predictions are shuffled."""
        return null_of(measure, observed.test_set, observed.predicted_positives)

    def null_of_guess(
        self, measure: TwoClassMeasure, test_set: BaseRate, guess: int
    ) -> NullDistribution:
        """Return the distribution of a score of so many positive predictions, anywhere."""
        drawn = test_set.require_predicted_positives(guess, parameter="y_pred")
        return null_of(measure, test_set, drawn)

    def nulls(
        self, observed: Sequence[ConfusionMatrix], levels: tuple[float, float]
    ) -> list[TableChance]:
        """Return the null distributions of each table; many small ones are computed at once."""
        each = zip(observed, quantiles(observed, levels), strict=True)
        return [TableChance(self, table, levels, ends) for table, ends in each]

    def tails(self, observed: Sequence[ConfusionMatrix], nulls: object = ()) -> list[Tails]:  # noqa: ARG002
        """Return the chances of as many true positives, and of as few, of all tables at once."""
        return tails(observed)


BINARY = BinaryTask()
