"""The task of class scores, as a judge asks it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from baserate.class_scores.baseline import yardstick
from baserate.class_scores.intervals import ClassScoreUncertainty, PairedClassScores
from baserate.class_scores.measures import (
    CLASS_SCORE_MEASURES,
    ClassScoreMeasure,
    chosen_class_score_measures,
    get_class_score_measure,
)
from baserate.class_scores.null import ClassScoreNull, contributions, null_of, null_of_guess
from baserate.class_scores.observed import TASK, ClassProbabilities, JointProbabilities
from baserate.class_scores.reading import (
    ScoreTable,
    count_models,
    count_pairs,
    count_rows,
    require_test_set,
)
from baserate.core.calls import Reader
from baserate.core.law import Tails
from baserate.exceptions import BaserateError, InvalidFrameError
from baserate.multiclass.class_counts import ClassCounts
from baserate.multiclass.task import MULTICLASS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from baserate.core.task import JointObservations, Observations, Rows
    from baserate.data.labels import Labels
    from baserate.null.distribution import NullDistribution

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ClassScoresTask:
    """Class scores: what is observed is which rows met which classes.

    Parameters
    ----------
    measures
        The measures that are asked for: they say whether scores must be probabilities.
    """

    measures: tuple[ClassScoreMeasure, ...] = ()

    name = TASK
    title = "Class scores"
    decks = "guesses"
    takes_positive = False
    takes_scores = False
    takes_numbers = False
    weighted = None

    def about(self, measures: Iterable[Any]) -> ClassScoresTask:
        """Return the task for some measures, or for those that people report."""
        return ClassScoresTask(self.chosen(list(measures) or None))

    def at(self, threshold: float) -> None:
        """Return None: the highest score is the answer, whatever it is."""

    def chosen(self, measures: Any) -> tuple[ClassScoreMeasure, ...]:
        """Return the measures that are asked for; those that people report for None."""
        return chosen_class_score_measures(measures)

    def named(self, name: Any) -> ClassScoreMeasure | None:
        """Return a measure by any of its names; None if it does not know it."""
        try:
            return get_class_score_measure(name)
        except BaserateError:
            return None

    def nearest(self, name: str) -> list[str]:
        """Return the names of measures that resemble a name."""
        return CLASS_SCORE_MEASURES.nearest(name)

    @cached_property
    def reader(self) -> Reader[ClassProbabilities, ClassCounts, ClassScoreMeasure]:
        """How its functions read their arguments: rows in the place of predicted labels."""
        return Reader(
            table=ClassProbabilities,
            test_set=ClassCounts,
            get_measure=get_class_score_measure,
            count=lambda y_true, rows, _: count_rows("y_score", y_true, rows, None, self._require),
            weigh=lambda y_true, rows, _, weights: count_rows(
                "y_score", y_true, rows, weights, self._require
            ),
            test_set_of=_test_set_of,
            require_test_set=lambda name, table, y_true, _: require_test_set(name, table, y_true),
        )

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

    def yardstick(self, test_set: ClassCounts, measure: ClassScoreMeasure) -> Any:
        """Return the baseline of a measure, and the scale around it."""
        return yardstick(test_set, measure)

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

    def nulls(
        self, observed: Sequence[ClassProbabilities], levels: tuple[float, float]
    ) -> list[ClassScoreNull]:
        """Return what the rows of each model score when they are shuffled."""
        return [ClassScoreNull(each, levels) for each in observed]

    def tails(self, observed: Sequence[ClassProbabilities]) -> list[Tails]:
        """Return nan for each model: every measure has chances of its own."""
        return [Tails(math.nan, math.nan) for _ in observed]

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


def _test_set_of(test_set: Any, pos_label: object = None) -> ClassCounts:  # noqa: ARG001
    """Return the class counts of any description of a test set."""
    if isinstance(test_set, ClassCounts):
        return test_set
    known = isinstance(test_set, ClassProbabilities)
    return test_set.test_set if known else ClassCounts.of(test_set)


def _no_columns() -> InvalidFrameError:
    return InvalidFrameError(
        "must be left out for class scores, which are not one column; pass the true labels and "
        "the scores, as in evaluate(frame['label'], {'net': frame[classes]}, 'log loss')",
        parameter="truth",
    )


CLASS_SCORES = ClassScoresTask()
