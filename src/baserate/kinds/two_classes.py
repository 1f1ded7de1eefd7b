"""Labels of two classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from baserate.baselines.dutch_draw import DutchDrawBaseline, baseline
from baserate.kinds.two_classes_intervals import TWO_CLASSES, swap_test
from baserate.kinds.two_classes_null import TableChance, null_of, quantiles, tails
from baserate.measures.two_classes import REPORTED, TWO_CLASS_MEASURES, get_measure, what_it_needs
from baserate.observed.labels import (
    BaseRate,
    ConfusionMatrix,
    JointTable,
    as_base_rate,
    counted,
    of_labels,
)
from baserate.task import LabelTask

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
    built = staticmethod(of_labels)

    def or_several(self, may_be: Callable[[], bool]) -> BinaryTask:
        """Return the same for labels that may be of several classes, which their counts tell."""
        found = BinaryTask()
        found.several = lambda: "beyond two" if may_be() else "never"
        return found

    def count(self, y_true: Labels, y_pred: Labels, pos_label: object = None) -> ConfusionMatrix:
        """Count the predictions of one model."""
        return cast(
            "ConfusionMatrix", counted(y_true, y_pred, pos_label=pos_label, several=self.several)
        )

    def truth_alone(self, y_true: Labels, pos_label: object) -> BaseRate:
        """Return how often each class occurs."""
        return as_base_rate(y_true, pos_label, self.several)

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
