"""Class scores: a column per class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.measure import chosen
from baserate.core.observed import Rows
from baserate.data.rows import DEFAULT_NAME, named_models
from baserate.data.score_tables import ScoreTable, read_score_tables
from baserate.exceptions import (
    InvalidFrameError,
    InvalidScoresError,
    UndefinedMeasureError,
)
from baserate.kinds.class_scores_intervals import CLASS_SCORES as FAMILY
from baserate.kinds.class_scores_intervals import swap_test
from baserate.kinds.classes import MULTICLASS
from baserate.kinds.scores import TaskOfScores
from baserate.measures.class_areas import Areas, ranks
from baserate.measures.class_scores import (
    CLASS_SCORE_MEASURES,
    REPORTED,
    ClassScoreMeasure,
    MeanOf,
    get_class_score_measure,
)
from baserate.measures.classes import CLASS_MEASURES
from baserate.measures.probabilities import smallest
from baserate.measures.scores import OfLabels
from baserate.observed.class_scores import (
    TASK,
    ClassProbabilities,
    JointProbabilities,
    joined,
    numbered,
)
from baserate.observed.classes import ClassCounts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from baserate.core.baseline import Baseline
    from baserate.data.columns import Labels
    from baserate.data.rows import Key
    from baserate.null.distribution import NullDistribution
    from baserate.task import Tables

    Floats = NDArray[Any]


@dataclass(frozen=True)
class ClassScoresTask(TaskOfScores[ClassProbabilities]):
    """Class scores: what is observed is which rows met which classes."""

    measures: tuple[Any, ...] = ()

    name = TASK
    title = "Class scores"
    column = "scores"
    table, pair, test_set = ClassProbabilities, JointProbabilities, ClassCounts
    catalogue, reported = CLASS_SCORE_MEASURES, REPORTED
    family, swap_test = FAMILY, staticmethod(swap_test)
    get = staticmethod(get_class_score_measure)
    labels, shares_p = MULTICLASS, False

    # Measures.

    def about(self, measures: Iterable[Any]) -> ClassScoresTask:
        """Return the task of some measures, which say what scores have to be."""
        return ClassScoresTask(self.chosen(list(measures) or None))

    def chosen(self, measures: Any) -> tuple[Any, ...]:
        """Return the measures that are asked for; those that people report for None."""
        # Top-k accuracy is for those who name a k: it may be too large.
        every = [key for key in CLASS_SCORE_MEASURES if not key.startswith("top-")]
        return chosen([*every, *CLASS_MEASURES], measures, self.get, REPORTED)

    # Observations.

    def count(self, y_true: Any, y_pred: Any, pos_label: object = None) -> ClassProbabilities:  # noqa: ARG002
        """Count the rows of one model."""
        found, _ = self.tables(y_true, {"": y_pred}, Rows(), [("",)], {"": "y_score"})
        table: ClassProbabilities = found["",][None]
        return table

    def tables(
        self,
        y_true: Labels,
        models: Mapping[str, Any],
        rows: Rows,
        keys: Sequence[Key],
        names: Mapping[str, str] | None = None,
    ) -> Tables:
        """Count rows, or raise if one of the measures cannot score one of the tables."""
        read = read_score_tables(y_true, models, rows, names)
        for each in read.tables.values():
            self._require(each.name, each.problem, each.values.shape[1])

        def built(truth: Any, *scores: Any) -> Any:
            kind: Any = ClassProbabilities if len(scores) == 2 else JointProbabilities
            return kind.of_rows(read.labels, truth, *scores)

        return read.columns.tables(keys, built), read.columns.dropped

    def _require(self, name: str, problem: str, columns: int) -> None:
        for measure in self.measures:
            measure.require(name, problem, columns)

    def models(self, predictions: Any) -> dict[str, Any]:
        """Return the scores of each model: a data frame is of one, as its columns are classes."""
        is_one = predictions is not None and not isinstance(predictions, Mapping)
        return named_models({DEFAULT_NAME: predictions} if is_one else predictions)

    def require_test_set(
        self,
        name: str,
        table: ClassProbabilities,
        y_true: Any,
        pos_label: object,
        by: Any = None,
    ) -> None:
        """Raise if a table is of another test set, or if a measure cannot score it."""
        super().require_test_set(name, table, y_true, pos_label, by)
        self._require(name, table.problem, len(table.labels))

    def truth_alone(self, y_true: Labels, pos_label: object) -> ClassCounts:  # noqa: ARG002
        """Return how often each class occurs."""
        return ClassCounts.of(y_true)

    def are_same(self, first: ClassCounts, second: ClassCounts) -> bool:
        """Return whether two test sets have the same classes as often, in any order."""
        return MULTICLASS.are_same(first, second)

    def frame_tables(
        self, frame: Any, truth: str, columns: Mapping[str, str], rows: Rows, keys: Sequence[Key]
    ) -> Tables:
        """Count the truth alone, or raise: one column cannot hold the scores of all classes."""
        if not columns:
            return MULTICLASS.frame_tables(frame, truth, columns, rows, keys)
        raise InvalidFrameError(
            "must be left out for class scores, which are not one column; pass the true labels and "
            "the scores, as in evaluate(frame['label'], {'net': frame[classes]}, 'log loss')",
            parameter="truth",
        )

    # Answers.

    def baseline(self, test_set: ClassCounts, measure: Any) -> Baseline:
        """Return the baseline of a measure; that of labels for their own."""
        known = test_set.occurring if isinstance(measure, OfLabels) else test_set
        return super().baseline(known, measure)

    def shuffled(
        self, measure: ClassScoreMeasure, observed: ClassProbabilities
    ) -> NullDistribution:
        """Return the distribution of a score when rows are shuffled."""
        return measure.form.null(observed.test_set, observed.rows, observed.sizes)

    def null_of_guess(self, measure: Any, test_set: ClassCounts, guess: Any) -> NullDistribution:
        """Return the distribution of a score of a guess, whose rows are in any order."""
        table = ScoreTable.of("y_pred", guess)
        measure.require("y_pred", table.problem, table.values.shape[1])
        rows, wanted = table.floats, (test_set.total, len(test_set.labels))
        if rows.shape != wanted:
            raise InvalidScoresError(
                f"must have {wanted[0]:,} rows and {wanted[1]:,} columns, one for each observation "
                f"and for each class (got the shape {rows.shape})",
                parameter="y_pred",
            )
        reason = measure.missing(test_set)
        if reason:
            raise UndefinedMeasureError(f"{measure.key} is undefined: {reason}")
        if isinstance(measure, OfLabels):
            answers = np.bincount(rows.argmax(axis=1), minlength=wanted[1])
            return MULTICLASS.null_of_guess(measure.of, test_set, answers.tolist())
        distinct, given = numbered(rows)
        found: NullDistribution = measure.form.null(test_set, distinct, np.bincount(given))
        return found

    def contributions(
        self,
        observed: ClassProbabilities,
        clusters: Sequence[ClassProbabilities],
        measure: Any,
    ) -> Floats:
        """Return what each cluster of rows adds to the association of truth and scores.

        It is what a row says of the true class, doubly centred: less what this row says of any
        class, and less what any row says of this class. Probabilities say their logarithms, answers
        whether the class is among them, and rankings the rank.
        """
        shares = observed.true_counts / observed.total
        means = observed.sizes @ _said(observed, observed.rows, measure) / observed.total
        parts, codes = joined(clusters)
        said = _said(observed, parts.rows, measure) - means
        centred = said - (said @ shares)[:, np.newaxis]
        added = parts.counts * centred[parts.given, parts.truth]
        return np.bincount(codes, added, len(clusters)).astype(float)


def _said(observed: ClassProbabilities, rows: Floats, measure: Any) -> Floats:
    """Return what some rows say of each class."""
    form = getattr(measure, "form", None)
    if isinstance(measure, OfLabels):
        return np.asarray(np.eye(rows.shape[1])[rows.argmax(axis=1)])
    if isinstance(form, MeanOf) and form.highest is not None:
        return form.rule.points(rows.astype(float), 0.0)
    if not isinstance(form, Areas) and observed.are_probabilities:
        return np.asarray(np.log(np.maximum(rows.astype(float), smallest(rows.dtype))))
    return ranks(observed.rows, observed.sizes, rows) / observed.total


CLASS_SCORES = ClassScoresTask()
