"""Labels of several classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from baserate.baselines.class_mix import ClassBaseline, class_baseline
from baserate.core.observed import JointObservations, Observations, Rows
from baserate.data.classes import count_class_pairs, count_classes
from baserate.data.columns import column_of
from baserate.data.engines.labels import count_frame_class_pairs, count_frame_classes
from baserate.data.rows import named_models, observed_models
from baserate.exceptions import InvalidPredictionsError
from baserate.kinds.classes.intervals import CLASSES
from baserate.kinds.classes.null import null_of, swap_test
from baserate.measures.classes import ACCURACY, CLASS_MEASURES, REPORTED, get_class_measure
from baserate.observed.classes import COLUMNS, ClassCounts, ConfusionMatrix, JointMatrix
from baserate.task import Task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from baserate.core.observed import Weights
    from baserate.data.classes import ClassPairs, ClassTables, JointCells
    from baserate.data.columns import Labels
    from baserate.data.groups import Group
    from baserate.measures.classes_record import ClassMeasure
    from baserate.null.distribution import NullDistribution

    Floats = NDArray[np.float64]


Matrices: TypeAlias = dict[str, dict["Group | None", ConfusionMatrix]]
"""The confusion matrices of each model, keyed by group; None is the whole test set."""


def count_matrices(
    y_true: Labels | None,
    predictions: Any,
    by: Labels | None,
    *,
    drop: bool = False,
    weights: Weights | None = None,
) -> Observations:
    """Count every model, as a whole and in each group; also return how many rows were dropped."""
    return observed_models(
        named_models(predictions),
        ConfusionMatrix,
        y_true,
        words=("predicted labels", "a ConfusionMatrix"),
        read=lambda labels: matrices_of(
            count_classes(y_true, labels, by, drop=drop, weights=weights)
        ),
        require=lambda model, table: require_test_set(model, table, y_true, by),
    )


def matrices_of(counted: ClassTables) -> tuple[Matrices, int]:
    """Return counts as confusion matrices."""
    tables = {
        name: {group: ConfusionMatrix(each, counted.labels) for group, each in groups.items()}
        for name, groups in counted.tables.items()
    }
    return tables, counted.dropped


def require_test_set(
    model: str, table: ConfusionMatrix, y_true: Labels | None, by: Labels | None
) -> None:
    """Raise unless a matrix describes the same test set as the labels of other models."""
    if table.total == 0:
        raise InvalidPredictionsError(
            f"{model} must have at least one observation (got an empty ConfusionMatrix)"
        )
    if by is not None:
        raise InvalidPredictionsError(
            f"must come with predicted labels ({model} is a ConfusionMatrix, which has no rows to "
            "group); evaluate the matrices of each group as models of their own",
            parameter="by",
        )
    if y_true is None:
        return
    truth = ClassCounts.of(y_true)
    counted = dict(zip(table.test_set.labels, table.test_set.counts, strict=True))
    if counted != dict(zip(truth.labels, truth.counts, strict=True)):
        raise InvalidPredictionsError(
            f"{model} must be counted on the labels of y_true, {truth} (got {table.test_set})"
        )


class MulticlassTask(Task[ConfusionMatrix]):
    """Several classes."""

    name = "multiclass"
    title = "Several classes"
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
        return Observations(*matrices_of(count_frame_classes(frame, truth, columns, rows)))

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
        return _joint(count_frame_class_pairs(frame, truth, columns, rows))

    def count_column(self, frame: Any, truth: str, rows: Rows) -> tuple[ClassCounts, int]:
        """Count the truth alone, where the rows are; also return how many rows were dropped."""
        tables, dropped = matrices_of(
            count_frame_classes(frame, truth, None, rows._replace(by=None))
        )
        return tables[truth][None].test_set, dropped

    def observed(self, facts: Mapping[str, Any]) -> ConfusionMatrix:
        """Return a confusion matrix from a JSON record."""
        return ConfusionMatrix(facts["counts"], facts["labels"])

    def joint(self, facts: Mapping[str, Any]) -> JointMatrix:
        """Return two models from a JSON record."""
        return JointMatrix(facts["labels"], *(facts[name] for name in COLUMNS))

    def baseline(self, test_set: ClassCounts, measure: ClassMeasure) -> ClassBaseline:
        """Return the baseline of a measure."""
        return class_baseline(test_set, measure)

    def null_of(self, measure: ClassMeasure, observed: ConfusionMatrix) -> NullDistribution:
        """Return the distribution of a score when predictions are shuffled."""
        return null_of(measure, observed.true_counts.tolist(), observed.predicted_counts.tolist())

    def null_of_guess(
        self, measure: ClassMeasure, test_set: ClassCounts, guess: Sequence[int] | Mapping[Any, int]
    ) -> NullDistribution:
        """Return the distribution of a score of a guess, as often of each class as it says."""
        return null_of(measure, test_set.counts, test_set.require_guess(guess))


def _joint(counted: ClassPairs) -> JointObservations:
    pairs = {
        names: {group: _joint_matrix(counted, cells) for group, cells in groups.items()}
        for names, groups in counted.joint.items()
    }
    return JointObservations(pairs, counted.dropped)


def _joint_matrix(counted: ClassPairs, cells: JointCells) -> JointMatrix:
    return JointMatrix(counted.labels, cells.truth, cells.first, cells.second, cells.counts)


MULTICLASS = MulticlassTask()
