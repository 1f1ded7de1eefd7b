"""The task of several classes, as a judge asks it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.task import JointObservations, Observations, Rows
from baserate.data.classes import count_class_pairs
from baserate.data.columns import column_of
from baserate.data.engines.labels import count_frame_class_pairs, count_frame_classes
from baserate.data.weights import weight_column
from baserate.multiclass.class_counts import ClassCounts
from baserate.multiclass.intervals import CLASSES
from baserate.multiclass.matrix import ConfusionMatrix
from baserate.multiclass.measures.agreement import ACCURACY
from baserate.multiclass.measures.catalogue import (
    CLASS_MEASURES,
    REPORTED,
    get_class_measure,
)
from baserate.multiclass.null import null_of
from baserate.multiclass.optimum.baseline import class_baseline
from baserate.multiclass.paired.joint import COLUMNS, JointMatrix
from baserate.multiclass.paired.swaps import swap_test
from baserate.multiclass.predictions import count_matrices, matrices_of, require_test_set
from baserate.multiclass.yardstick import ClassYardstick
from baserate.task import Task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from baserate.data.classes import ClassPairs, JointCells
    from baserate.data.columns import Labels
    from baserate.multiclass.measures.record import ClassMeasure
    from baserate.null.distribution import NullDistribution

    Floats = NDArray[np.float64]


class MulticlassTask(Task[ConfusionMatrix]):
    """Several classes."""

    name = "multiclass"
    title = "Several classes"
    decks = "decks"
    table, test_set = ConfusionMatrix, ClassCounts
    catalogue, reported = CLASS_MEASURES, REPORTED
    family, swap_test = CLASSES, staticmethod(swap_test)
    leading = ACCURACY

    def get(self, name: Any) -> ClassMeasure:
        """Return a measure by any of its names, or raise if it does not know it."""
        return get_class_measure(name)

    def count(self, y_true: Labels, y_pred: Labels, pos_label: object = None) -> ConfusionMatrix:  # noqa: ARG002
        """Count the predictions of one model."""
        return ConfusionMatrix.of(y_true, y_pred)

    def weigh(
        self, y_true: Labels, y_pred: Labels, pos_label: object, weights: NDArray[Any]
    ) -> ConfusionMatrix:
        """Count labels, each observation as often as its weight says.

        A class whose observations all weigh nothing is left out, as if they were not there.
        """
        labels = self.count(y_true, y_pred, pos_label).labels
        place = {label: number for number, label in enumerate(labels)}
        truth, predicted = (
            [place[label] for label in column_of(name, column).tolist()]
            for name, column in (("y_true", y_true), ("y_pred", y_pred))
        )
        counts = np.zeros((len(labels), len(labels)))
        np.add.at(counts, (truth, predicted), weights)
        met = np.flatnonzero(counts.sum(axis=0) + counts.sum(axis=1))
        if not met.size:
            return ConfusionMatrix(counts, labels)
        return ConfusionMatrix(counts[np.ix_(met, met)], [labels[each] for each in met])

    def test_set_of(self, test_set: Any, pos_label: object = None) -> ClassCounts:  # noqa: ARG002
        """Return the class counts of any description of a test set."""
        if isinstance(test_set, ClassCounts):
            return test_set
        is_table = isinstance(test_set, ConfusionMatrix)
        return test_set.test_set if is_table else ClassCounts.of(test_set)

    def require_test_set(
        self,
        name: str,
        table: ConfusionMatrix,
        y_true: Any,
        pos_label: object,  # noqa: ARG002
    ) -> None:
        """Raise if a table is of another test set."""
        require_test_set(name, table, y_true, by=None)

    def observe(self, y_true: Labels, predictions: Any, rows: Rows) -> Observations:
        """Count every model, as a whole and in each group."""
        return count_matrices(y_true, predictions, rows.by, drop=rows.drop, weights=rows.weights)

    def observe_frame(
        self, frame: Any, truth: str, columns: Mapping[str, str], rows: Rows
    ) -> Observations:
        """Count every model of a data frame, where the rows are."""
        return Observations(
            *matrices_of(count_frame_classes(frame, truth, columns, **_of_frame(rows)))
        )

    def observe_pairs(
        self, y_true: Labels, models: Mapping[str, Labels], rows: Rows
    ) -> JointObservations:
        """Count every pair of models, as a whole and in each group."""
        return _joint(
            count_class_pairs(
                y_true,
                models,
                rows.by,
                drop=rows.drop,
                with_first=rows.with_first,
                weights=rows.weights,
            )
        )

    def observe_frame_pairs(
        self, frame: Any, truth: str, columns: Mapping[str, str], rows: Rows
    ) -> JointObservations:
        """Count every pair of models of a data frame, where the rows are."""
        options = _of_frame(rows)
        return _joint(
            count_frame_class_pairs(frame, truth, columns, **options, with_first=rows.with_first)
        )

    def count_column(self, frame: Any, truth: str, rows: Rows) -> tuple[ClassCounts, int]:
        """Count the truth alone, where the rows are; also return how many rows were dropped."""
        tables, dropped = matrices_of(
            count_frame_classes(frame, truth, None, **_of_frame(rows._replace(by=None)))
        )
        return tables[truth][None].test_set, dropped

    def observed(self, facts: Mapping[str, Any]) -> ConfusionMatrix:
        """Return a confusion matrix from a JSON record."""
        return ConfusionMatrix(facts["counts"], facts["labels"])

    def joint(self, facts: Mapping[str, Any]) -> JointMatrix:
        """Return two models from a JSON record."""
        return JointMatrix(facts["labels"], *(facts[name] for name in COLUMNS))

    def yardstick(self, test_set: ClassCounts, measure: ClassMeasure) -> ClassYardstick:
        """Return the baseline of a measure, and the scale around it."""
        return ClassYardstick(class_baseline(test_set, measure))

    def null_of(self, measure: ClassMeasure, observed: ConfusionMatrix) -> NullDistribution:
        """Return the distribution of a score when predictions are shuffled."""
        return null_of(measure, observed.true_counts.tolist(), observed.predicted_counts.tolist())

    def null_of_guess(
        self, measure: ClassMeasure, test_set: ClassCounts, guess: Sequence[int] | Mapping[Any, int]
    ) -> NullDistribution:
        """Return the distribution of a score of a guess, as often of each class as it says."""
        return null_of(measure, test_set.counts, test_set.require_guess(guess))


def _of_frame(rows: Rows) -> Any:
    """Return how the rows of a data frame are read."""
    return {"by": rows.by, "drop": rows.drop, "weight": weight_column(rows.weights)}


def _joint(counted: ClassPairs) -> JointObservations:
    pairs = {
        names: {group: _joint_matrix(counted, cells) for group, cells in groups.items()}
        for names, groups in counted.joint.items()
    }
    return JointObservations(pairs, counted.dropped)


def _joint_matrix(counted: ClassPairs, cells: JointCells) -> JointMatrix:
    return JointMatrix(counted.labels, cells.truth, cells.first, cells.second, cells.counts)


MULTICLASS = MulticlassTask()
