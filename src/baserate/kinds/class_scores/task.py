"""Class scores: a column per class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from baserate.exceptions import InvalidFrameError
from baserate.kinds.class_scores.baseline import class_score_baseline
from baserate.kinds.class_scores.intervals import ClassScoreUncertainty, PairedClassScores
from baserate.kinds.class_scores.measures import (
    CLASS_SCORE_MEASURES,
    REPORTED,
    ClassScoreMeasure,
    chosen_class_score_measures,
    get_class_score_measure,
)
from baserate.kinds.class_scores.null import contributions, null_of, null_of_guess
from baserate.kinds.class_scores.observed import TASK, ClassProbabilities, JointProbabilities
from baserate.kinds.class_scores.reading import (
    ScoreTable,
    count_models,
    count_pairs,
    count_rows,
    require_test_set,
)
from baserate.kinds.classes.task import MULTICLASS
from baserate.observed.classes import ClassCounts
from baserate.task import Task

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from baserate.core.baseline import Baseline
    from baserate.core.observed import JointObservations, Observations, Rows
    from baserate.data.columns import Labels
    from baserate.null.distribution import NullDistribution

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ClassScoresTask(Task[ClassProbabilities]):
    """Class scores: what is observed is which rows met which classes.

    Parameters
    ----------
    measures
        The measures that are asked for: they say whether scores must be probabilities.
    """

    measures: tuple[ClassScoreMeasure, ...] = ()

    name = TASK
    title = "Class scores"
    table, test_set = ClassProbabilities, ClassCounts
    catalogue, reported = CLASS_SCORE_MEASURES, REPORTED
    shares_p = False

    def about(self, measures: Iterable[Any]) -> ClassScoresTask:
        """Return the task of some measures, which say what scores have to be."""
        return ClassScoresTask(self.chosen(list(measures) or None))

    def get(self, name: Any) -> ClassScoreMeasure:
        """Return a measure by any of its names, or raise if it does not know it."""
        return get_class_score_measure(name)

    def chosen(self, measures: Any) -> tuple[ClassScoreMeasure, ...]:
        """Return the measures that are asked for; those that people report for None."""
        return chosen_class_score_measures(measures)

    def count(self, y_true: Any, y_pred: Any, pos_label: object = None) -> ClassProbabilities:  # noqa: ARG002
        """Count the rows of one model."""
        return count_rows("y_score", y_true, y_pred, None, self._require)

    def weigh(
        self,
        y_true: Any,
        y_pred: Any,
        pos_label: object,  # noqa: ARG002
        weights: NDArray[Any],
    ) -> ClassProbabilities:
        """Count the rows of one model, each as often as its weight says."""
        return count_rows("y_score", y_true, y_pred, weights, self._require)

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
        by: Any = None,
    ) -> None:
        """Raise if a table is of another test set."""
        require_test_set(name, table, y_true, by)

    def _require(self, name: str, problem: str, columns: int) -> None:
        """Raise if one of the measures cannot score a table."""
        for measure in self.measures:
            measure.require(name, problem, columns)

    def observe(self, y_true: Labels, predictions: Any, rows: Rows) -> Observations:
        """Count the rows of every model, as a whole and in each group."""
        return count_models(y_true, predictions, rows, self._require)

    def observe_frame(self, *_: Any, **__: Any) -> Observations:
        """Raise: one column cannot hold the scores of all classes."""
        raise _no_columns()

    def observe_pairs(
        self, y_true: Labels, models: Mapping[str, Any], rows: Rows
    ) -> JointObservations:
        """Count every pair of models, as a whole and in each group."""
        return count_pairs(y_true, models, rows, self._require)

    def observe_frame_pairs(self, *_: Any, **__: Any) -> JointObservations:
        """Raise: one column cannot hold the scores of all classes."""
        raise _no_columns()

    def count_column(self, frame: Any, truth: str, rows: Rows) -> tuple[ClassCounts, int]:
        """Count the truth alone, where the rows are; also return how many rows were dropped."""
        return MULTICLASS.count_column(frame, truth, rows)

    def observed(self, facts: Mapping[str, Any]) -> ClassProbabilities:
        """Return the scores of a JSON record."""
        return ClassProbabilities.from_facts(facts)

    def joint(self, facts: Mapping[str, Any]) -> JointProbabilities:
        """Return two models from a JSON record."""
        return JointProbabilities.from_facts(facts)

    def baseline(self, test_set: ClassCounts, measure: ClassScoreMeasure) -> Baseline:
        """Return the baseline of a measure."""
        return class_score_baseline(test_set, measure)

    def null_of(self, measure: ClassScoreMeasure, observed: ClassProbabilities) -> NullDistribution:
        """Return the distribution of a score when rows are shuffled."""
        return null_of(measure, observed)

    def null_of_guess(
        self, measure: ClassScoreMeasure, test_set: ClassCounts, guess: Any
    ) -> NullDistribution:
        """Return the distribution of a score of a guess, whose rows are in any order."""
        table = ScoreTable.of("y_pred", guess)
        measure.require("y_pred", table.problem, table.values.shape[1])
        return null_of_guess(measure, test_set, table.floats)

    def contributions(
        self,
        observed: ClassProbabilities,
        clusters: Sequence[ClassProbabilities],
        measure: ClassScoreMeasure | None,
    ) -> Floats:
        """Return what each cluster of rows adds to the association of truth and scores."""
        return contributions(observed, clusters, measure)

    def uncertainty(
        self,
        observed: ClassProbabilities,
        alpha: float,
        clusters: Sequence[ClassProbabilities] = (),
    ) -> ClassScoreUncertainty:
        """Return the confidence intervals of scores and margins."""
        return ClassScoreUncertainty(observed, alpha, clusters)

    def paired(
        self,
        joint: JointProbabilities,
        alpha: float,
        clusters: Sequence[JointProbabilities] = (),
    ) -> PairedClassScores:
        """Return how much two models differ."""
        return PairedClassScores(joint, alpha, clusters)


def _no_columns() -> InvalidFrameError:
    return InvalidFrameError(
        "must be left out for class scores, which are not one column; pass the true labels and "
        "the scores, as in evaluate(frame['label'], {'net': frame[classes]}, 'log loss')",
        parameter="truth",
    )


CLASS_SCORES = ClassScoresTask()
