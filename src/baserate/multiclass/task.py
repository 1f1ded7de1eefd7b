"""The task of several classes, as a judge asks it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from baserate.core.paired import PairedModels
from baserate.core.task import JointObservations, Observations, Rows
from baserate.data.classes import count_class_pairs
from baserate.data.engines.labels import count_frame_class_pairs, count_frame_classes
from baserate.data.weights import weight_column
from baserate.exceptions import BaserateError
from baserate.intervals.limits import DifferenceLimits, Uncertainty
from baserate.multiclass.calls import READER
from baserate.multiclass.chance import ClassChance, shared_tails
from baserate.multiclass.intervals import CLASSES
from baserate.multiclass.matrix import ConfusionMatrix
from baserate.multiclass.measures.catalogue import (
    CLASS_MEASURES,
    chosen_class_measures,
    get_class_measure,
)
from baserate.multiclass.null import null_of
from baserate.multiclass.optimum.baseline import class_baseline
from baserate.multiclass.paired.joint import COLUMNS, JointMatrix
from baserate.multiclass.paired.swaps import swap_test
from baserate.multiclass.predictions import count_matrices, matrices_of
from baserate.multiclass.yardstick import ClassYardstick

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from baserate.core.law import Tails
    from baserate.data.labels import Labels
    from baserate.data.tables import ClassPairs, JointCells
    from baserate.multiclass.class_counts import ClassCounts
    from baserate.multiclass.measures.record import ClassMeasure
    from baserate.null.distribution import NullDistribution

    Floats = NDArray[np.float64]


class MulticlassTask:
    """Several classes: what is observed is a confusion matrix, and chance deals its predictions."""

    name = "multiclass"
    title = "Several classes"
    decks = "decks"
    takes_positive = False
    takes_scores = False
    takes_numbers = False
    weighted = None
    reader = READER

    def about(self, measures: Iterable[Any]) -> MulticlassTask:  # noqa: ARG002
        """Return the task itself: what is observed is the same for all its measures."""
        return self

    def at(self, threshold: float) -> None:
        """Return None: it takes no scores that a threshold could cut."""

    def chosen(
        self, measures: str | ClassMeasure | Iterable[str | ClassMeasure] | None
    ) -> tuple[ClassMeasure, ...]:
        """Return the measures that are asked for; those that people report for None."""
        return chosen_class_measures(measures)

    def named(self, name: Any) -> ClassMeasure | None:
        """Return a measure by any of its names; None if it does not know it."""
        try:
            return get_class_measure(name)
        except BaserateError:
            return None

    def nearest(self, name: str) -> list[str]:
        """Return the names of measures that resemble a name."""
        return CLASS_MEASURES.nearest(name)

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

    def nulls(
        self, observed: Sequence[ConfusionMatrix], levels: tuple[float, float]
    ) -> list[ClassChance]:
        """Return what the predictions of each table score when they are dealt at random."""
        return [ClassChance(table, levels) for table in observed]

    def tails(self, observed: Sequence[ConfusionMatrix]) -> list[Tails]:
        """Return the chances of as many right answers as each table has, and of as few."""
        return list(map(shared_tails, observed))

    def contributions(
        self,
        observed: ConfusionMatrix,
        clusters: Sequence[ConfusionMatrix],
        measure: ClassMeasure | None,  # noqa: ARG002 - all of them test the same association
    ) -> Floats:
        """Return what each cluster of rows adds to the association of truth and predictions."""
        return CLASSES.contributions(observed, clusters)

    def uncertainty(
        self, observed: ConfusionMatrix, alpha: float, clusters: Sequence[ConfusionMatrix] = ()
    ) -> Uncertainty:
        """Return the limits of scores and margins over test sets like this one."""
        return Uncertainty(CLASSES, observed, alpha, clusters)

    def paired(
        self, joint: JointMatrix, alpha: float, clusters: Sequence[JointMatrix] = ()
    ) -> PairedModels[JointMatrix]:
        """Return how much two models differ, with limits at 1 - alpha."""
        known = DifferenceLimits(CLASSES, joint, alpha, clusters)
        return PairedModels(joint, known, swap_test, clusters)


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
