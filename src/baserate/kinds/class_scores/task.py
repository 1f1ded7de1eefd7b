"""Class scores: a column per class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.measure import chosen
from baserate.core.observed import JointObservations, Observations, Rows, pairs_of
from baserate.data.rows import DEFAULT_NAME, named_models, observed_models
from baserate.data.score_tables import ScoreTable, read_score_tables
from baserate.data.weights import frequencies
from baserate.exceptions import (
    InvalidFrameError,
    InvalidPredictionsError,
    InvalidScoresError,
    UndefinedMeasureError,
)
from baserate.kinds.class_scores.intervals import CLASS_SCORES as FAMILY
from baserate.kinds.class_scores.intervals import swap_test
from baserate.kinds.classes.task import MULTICLASS
from baserate.kinds.scores.labels import TaskOfScores
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
    from baserate.data.groups import Group
    from baserate.data.score_tables import ScoreRows
    from baserate.null.distribution import NullDistribution

    Floats = NDArray[Any]


@dataclass(frozen=True)
class ClassScoresTask(TaskOfScores[ClassProbabilities]):
    """Class scores: what is observed is which rows met which classes."""

    measures: tuple[Any, ...] = ()

    name = TASK
    title = "Class scores"
    table, test_set = ClassProbabilities, ClassCounts
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
        return self._count(y_true, y_pred)

    def weigh(
        self,
        y_true: Any,
        y_pred: Any,
        pos_label: object,  # noqa: ARG002
        weights: NDArray[Any],
    ) -> ClassProbabilities:
        """Count the rows of one model, each as often as its weight says."""
        return self._count(y_true, y_pred, weights)

    def _count(self, y_true: Any, scores: Any, weights: Any = None) -> ClassProbabilities:
        read = self._read(y_true, {"": scores}, Rows(), {"": "y_score"})
        seen = None if weights is None else frequencies(weights, read.truth.size)
        return ClassProbabilities.of_rows(read.labels, read.truth, read.given[""], seen)

    def _read(
        self, y_true: Any, models: Any, rows: Rows, names: Mapping[str, str] | None = None
    ) -> ScoreRows:
        """Read tables, or raise if one of the measures cannot score one of them."""
        found = read_score_tables(y_true, models, rows, names)
        for each in found.tables.values():
            self._require(each.name, each.problem, each.values.shape[1])
        return found

    def _require(self, name: str, problem: str, columns: int) -> None:
        for measure in self.measures:
            measure.require(name, problem, columns)

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
        pos_label: object = None,  # noqa: ARG002
        by: Any = None,
    ) -> None:
        """Raise unless rows are counted on the same test set as the labels of other models."""
        if by is not None:
            raise InvalidPredictionsError(
                f"must come with scores ({name} is ClassProbabilities, which have no rows to "
                "group)",
                parameter="by",
            )
        if y_true is None:
            return
        truth, counted = ClassCounts.of(y_true), table.test_set.occurring
        first, second = (
            dict(zip(each.labels, each.counts, strict=True)) for each in (truth, counted)
        )
        if first != second:
            raise InvalidPredictionsError(
                f"{name} must be counted on the labels of y_true, {truth} (got {counted})"
            )

    def observe(self, y_true: Labels, predictions: Any, rows: Rows) -> Observations:
        """Count the rows of every model, as a whole and in each group."""
        # A data frame is the scores of one model: its columns are classes.
        is_one = predictions is not None and not isinstance(predictions, Mapping)

        def read(tables: dict[str, Any]) -> tuple[dict[str, dict[Group | None, Any]], int]:
            found = self._read(y_true, tables, rows)
            return {name: _counted(found, name) for name in tables}, found.dropped

        def require(model: str, table: ClassProbabilities) -> None:
            self.require_test_set(model, table, y_true, by=rows.by)
            self._require(model, table.problem, len(table.labels))

        return observed_models(
            named_models({DEFAULT_NAME: predictions} if is_one else predictions),
            ClassProbabilities,
            y_true,
            words=("scores", "ClassProbabilities"),
            read=read,
            require=require,
        )

    def observe_pairs(
        self, y_true: Labels, models: Mapping[str, Any], rows: Rows
    ) -> JointObservations:
        """Count every pair of models, as a whole and in each group."""
        read = self._read(y_true, models, rows)
        pairs = pairs_of(list(models), with_first=rows.with_first)
        return JointObservations({pair: _counted(read, *pair) for pair in pairs}, read.dropped)

    def observe_frame(self, *_: Any, **__: Any) -> Any:
        """Raise: one column cannot hold the scores of all classes."""
        raise InvalidFrameError(
            "must be left out for class scores, which are not one column; pass the true labels and "
            "the scores, as in evaluate(frame['label'], {'net': frame[classes]}, 'log loss')",
            parameter="truth",
        )

    observe_frame_pairs = observe_frame

    def count_column(self, frame: Any, truth: str, rows: Rows) -> tuple[ClassCounts, int]:
        """Count the truth alone, where the rows are; also return how many rows were dropped."""
        return MULTICLASS.count_column(frame, truth, rows)

    def observed(self, facts: Mapping[str, Any]) -> ClassProbabilities:
        """Return the scores of a JSON record."""
        return ClassProbabilities.from_facts(facts)

    def joint(self, facts: Mapping[str, Any]) -> JointProbabilities:
        """Return two models from a JSON record."""
        return JointProbabilities.from_facts(facts)

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


def _counted(rows: ScoreRows, *models: str) -> dict[Group | None, Any]:
    """Count the rows of one model, or of two, as a whole and in each group."""
    count: Any = ClassProbabilities.of_rows if len(models) == 1 else JointProbabilities.of_rows
    return {
        group: count(
            rows.labels,
            rows.truth[where],
            *(rows.given[name][where] for name in models),
            None if rows.counts is None else rows.counts[where],
        )
        for group, where in rows.groups.items()
    }


CLASS_SCORES = ClassScoresTask()
