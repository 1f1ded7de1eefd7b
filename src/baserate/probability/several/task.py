"""The task of probabilities of several classes, as a judge asks it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.exceptions import (
    InvalidFrameError,
    InvalidScoresError,
    UndefinedMeasureError,
)
from baserate.multiclass.class_counts import ClassCounts
from baserate.multiclass.task import MULTICLASS
from baserate.multiclass.top_k.scores import ScoreTable
from baserate.probability.several.catalogue import (
    PROBABILITY_MEASURES,
    REPORTED,
    get_probability_measure,
)
from baserate.probability.several.intervals import PROBABILITIES
from baserate.probability.several.joint import JointProbabilities
from baserate.probability.several.null import null_of
from baserate.probability.several.observed import TASK, ClassProbabilities
from baserate.probability.several.optimum import probability_baseline
from baserate.probability.several.paired import PairedProbabilities
from baserate.probability.several.predictions import (
    count_probabilities,
    count_probability_pairs,
    count_rows,
    require_rows_of_one,
    require_test_set,
)
from baserate.ranking.optimum import ScoreYardstick
from baserate.ranking.rules import smallest
from baserate.task import Task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from baserate.core.task import JointObservations, Observations, Rows
    from baserate.data.labels import Labels
    from baserate.null.distribution import NullDistribution
    from baserate.probability.several.measures import ProbabilityMeasure

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ClassProbabilitiesTask(Task[ClassProbabilities]):
    """Probabilities of several classes: what is observed is which rows met which classes."""

    name = TASK
    title = "Probabilities of several classes"
    decks = "probabilities that ignore their input"
    table, test_set = ClassProbabilities, ClassCounts
    catalogue, reported = PROBABILITY_MEASURES, REPORTED
    family = PROBABILITIES

    def get(self, name: Any) -> ProbabilityMeasure:
        """Return a measure by any of its names, or raise if it does not know it."""
        return get_probability_measure(name)

    def count(self, y_true: Any, y_pred: Any, pos_label: object = None) -> ClassProbabilities:  # noqa: ARG002
        """Count the probabilities of one model."""
        return count_rows("y_score", y_true, y_pred)

    def weigh(
        self,
        y_true: Any,
        y_pred: Any,
        pos_label: object,  # noqa: ARG002
        weights: NDArray[Any],
    ) -> ClassProbabilities:
        """Count the probabilities of one model, each row as often as its weight says."""
        return count_rows("y_score", y_true, y_pred, weights)

    def test_set_of(self, test_set: Any, pos_label: object = None) -> ClassCounts:  # noqa: ARG002
        """Return the class counts of any description of a test set."""
        if isinstance(test_set, ClassCounts):
            return test_set
        is_table = isinstance(test_set, ClassProbabilities)
        return test_set.test_set if is_table else ClassCounts.of(test_set)

    def require_test_set(
        self,
        name: str,
        table: ClassProbabilities,
        y_true: Any,
        pos_label: object,  # noqa: ARG002
    ) -> None:
        """Raise if a table is of another test set."""
        require_test_set(name, table, y_true, by=None)

    def observe(self, y_true: Labels, predictions: Any, rows: Rows) -> Observations:
        """Count the rows of every model, as a whole and in each group."""
        return count_probabilities(
            y_true, predictions, rows.by, drop=rows.drop, weights=rows.weights
        )

    def observe_frame(self, *_: Any, **__: Any) -> Observations:
        """Raise: one column cannot hold the probabilities of all classes."""
        raise _no_columns()

    def observe_pairs(
        self, y_true: Labels, models: Mapping[str, Any], rows: Rows
    ) -> JointObservations:
        """Count every pair of models, as a whole and in each group."""
        return count_probability_pairs(
            y_true,
            models,
            rows.by,
            drop=rows.drop,
            with_first=rows.with_first,
            weights=rows.weights,
        )

    def observe_frame_pairs(self, *_: Any, **__: Any) -> JointObservations:
        """Raise: one column cannot hold the probabilities of all classes."""
        raise _no_columns()

    def count_column(self, frame: Any, truth: str, rows: Rows) -> tuple[ClassCounts, int]:
        """Count the truth alone, where the rows are; also return how many rows were dropped."""
        return MULTICLASS.count_column(frame, truth, rows)

    def observed(self, facts: Mapping[str, Any]) -> ClassProbabilities:
        """Return the probabilities of a JSON record."""
        return ClassProbabilities.from_facts(facts)

    def joint(self, facts: Mapping[str, Any]) -> JointProbabilities:
        """Return two models from a JSON record."""
        return JointProbabilities.from_facts(facts)

    def yardstick(self, test_set: ClassCounts, measure: ProbabilityMeasure) -> ScoreYardstick:
        """Return the baseline of a measure, and the scale around it."""
        perfect = 1.0 if measure.relative else measure.rule.perfect
        return ScoreYardstick(probability_baseline(test_set, measure), perfect)

    def null_of(
        self, measure: ProbabilityMeasure, observed: ClassProbabilities
    ) -> NullDistribution:
        """Return the distribution of a score when rows are shuffled."""
        return null_of(measure, observed)

    def null_of_guess(
        self, measure: ProbabilityMeasure, test_set: ClassCounts, guess: Any
    ) -> NullDistribution:
        """Return the distribution of a score of a guess, whose rows are in any order."""
        table = ScoreTable.of("y_pred", guess)
        wanted = (test_set.total, len(test_set.labels))
        if table.values.shape != wanted:
            raise InvalidScoresError(
                f"must have {wanted[0]:,} rows and {wanted[1]:,} columns, one for each observation "
                f"and for each class (got the shape {table.values.shape})",
                parameter="y_pred",
            )
        reason = measure.missing(test_set)
        if reason:
            raise UndefinedMeasureError(f"{measure.key} is undefined: {reason}")
        rows = require_rows_of_one("y_pred", table.values)
        sizes = np.ones(len(rows), dtype=np.int64)
        return measure.law(test_set, rows, sizes, smallest(rows.dtype))

    def paired(
        self,
        joint: JointProbabilities,
        alpha: float,
        clusters: Sequence[JointProbabilities] = (),
    ) -> PairedProbabilities:
        """Return how much two models differ, with limits at 1 - alpha."""
        return PairedProbabilities(joint, alpha, clusters)


def _no_columns() -> InvalidFrameError:
    return InvalidFrameError(
        "must be left out for probabilities of several classes, which are not one column; pass the "
        "true labels and the probabilities, as in evaluate(frame['label'], {'net': frame[classes]},"
        " 'log loss')",
        parameter="truth",
    )


CLASS_PROBABILITIES = ClassProbabilitiesTask()
