"""Labels of two classes whose observations matter more or less."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.baselines.weighted import weighted_baseline
from baserate.core.multiple_testing import Tails
from baserate.core.observed import Rows, Weights
from baserate.data.label_counts import CountedLabels, count_two_classes
from baserate.exceptions import InvalidLabelsError, InvalidWeightsError
from baserate.formatting import shown
from baserate.kinds.two_classes.null import CENTRAL
from baserate.kinds.two_classes.task import BINARY
from baserate.kinds.weighted.intervals import WEIGHTED_TWO_CLASSES, swap_test
from baserate.kinds.weighted.null import null_of
from baserate.measures.two_classes import REPORTED, TWO_CLASS_MEASURES, J
from baserate.measures.weighted import WeightedMeasure, classed
from baserate.observed.weighted import NAME, WeightedBase, WeightedJoint, WeightedLabels, of_cells
from baserate.task import LabelTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.core.baseline import Baseline
    from baserate.core.observed import Null
    from baserate.data.columns import Labels
    from baserate.null.distribution import NullDistribution


# Measures multiply up to four sums of weights.
_MOST = 1e60


def count_weighted(*arguments: Any, **options: Any) -> CountedLabels:
    """Count labels per weight, or raise if a product of four sums of weights may be no float."""
    found = count_two_classes(*arguments, **options)
    low, high = (1.0, 1.0) if found.weights is None else found.weights[[0, -1]].tolist()
    if high > _MOST or low < 1 / _MOST:
        raise InvalidWeightsError(
            f"must be 0 or between {1 / _MOST:g} and {_MOST:g} (got {low:g} to {high:g})",
            parameter="sample_weight",
        )
    return found


class WeightedLabelsTask(LabelTask[WeightedLabels]):
    """Two classes whose observations matter more or less."""

    name = NAME
    takes_importance = True
    title = "Two classes with importance weights"
    takes_positive = True
    table, pair, test_set = WeightedLabels, WeightedJoint, WeightedBase
    catalogue, reported = TWO_CLASS_MEASURES, REPORTED
    family, swap_test = WEIGHTED_TWO_CLASSES, staticmethod(swap_test)
    counter, built = staticmethod(count_weighted), staticmethod(of_cells)

    def get(self, name: Any) -> WeightedMeasure:
        """Return a measure by any of its names, or raise if it does not know it."""
        return name if isinstance(name, WeightedMeasure) else WeightedMeasure.by(BINARY.get(name))

    def count(self, y_true: Labels, y_pred: Labels, pos_label: object = None) -> WeightedLabels:
        """Count the predictions of one model, all rows alike."""
        rows = Rows(pos_label=pos_label, weights=Weights(np.ones(len(y_true)), "importance"))
        found: WeightedLabels = self.observe(y_true, {"y_pred": y_pred}, rows).tables["y_pred"][
            None
        ]
        return found

    def truth_alone(self, y_true: Any, pos_label: object) -> WeightedBase:
        """Return what a baseline needs of labels that matter alike."""
        if isinstance(y_true, str | bytes) or not hasattr(y_true, "__len__"):
            raise InvalidLabelsError(
                f"a test set must be WeightedLabels or its true labels (got {shown(y_true)})"
            )
        return self.count(y_true, y_true, pos_label).test_set

    def baseline(self, test_set: WeightedBase, measure: WeightedMeasure) -> Baseline:
        """Return the baseline of a measure; that of labels if weights belong to the classes."""
        plain = classed(measure, test_set)
        if plain is not None:
            return BINARY.baseline(test_set.rate, plain)
        return weighted_baseline(test_set, measure)

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

    def tails(self, observed: Sequence[WeightedLabels], nulls: Sequence[Null] = ()) -> list[Tails]:
        """Return the chances of as high an informedness, and of as low a one."""
        measure = self.get(J)
        return [
            Tails(1.0, 1.0)
            if measure.score_or_reason(each)[1]
            else null.tails(measure, measure.score_or_reason(each)[0])
            for null, each in zip(nulls or self.nulls(observed, CENTRAL), observed, strict=True)
        ]


WEIGHTED_LABELS = WeightedLabelsTask()
