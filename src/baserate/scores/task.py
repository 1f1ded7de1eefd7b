"""The task of scores of two classes, as a judge asks it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from baserate.binary.base_rate import BaseRate
from baserate.binary.borrowed import BorrowedYardstick
from baserate.binary.measures.catalogue import REPORTED as REPORTED_OF_LABELS
from baserate.binary.task import BINARY
from baserate.exceptions import InvalidScoresError, UndefinedMeasureError
from baserate.ranking.deck import ScoreDeck
from baserate.ranking.intervals import RANKINGS
from baserate.ranking.joint import JointScores
from baserate.ranking.measures.area import AUC
from baserate.ranking.measures.record import null_of
from baserate.ranking.scores import Scores
from baserate.scores.answers import PairedScores, ScoreUncertainty
from baserate.scores.catalogue import REPORTED, SCORE_MEASURES, get_score_measure
from baserate.scores.cut import CutMeasure
from baserate.scores.predictions import (
    count_pairs_of_frame,
    count_score_pairs,
    count_scores,
    count_scores_of_frame,
    require_test_set,
    scores_of_columns,
    weighted_scores,
)
from baserate.task import Task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from baserate.core.task import JointObservations, Observations, Rows
    from baserate.data.labels import Labels
    from baserate.null.distribution import NullDistribution
    from baserate.ranking.measures.of_scores import OfScores

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ScoresTask(Task[Scores]):
    """Scores of two classes: what is observed is how many of each class have each score.

    Parameters
    ----------
    threshold
        The lowest score that is predicted positive; with it, measures of labels are known too.
    """

    threshold: float | None = None

    name = "scores"
    title = "Scores of two classes"
    decks = "decks"
    takes_positive = True
    takes_scores = True
    table, test_set = Scores, BaseRate
    catalogue = SCORE_MEASURES
    leading = AUC

    @property
    def reported(self) -> tuple[str, ...]:
        """Measures of rankings, and at a threshold those of labels."""
        return REPORTED if self.threshold is None else (*REPORTED, *REPORTED_OF_LABELS)

    def at(self, threshold: float) -> ScoresTask:
        """Return the task with labels at a threshold."""
        return ScoresTask(threshold)

    def get(self, name: Any) -> OfScores:
        """Return a measure by any of its names, or raise if it does not know it."""
        if isinstance(name, CutMeasure):
            return name
        of_labels = None if self.threshold is None else BINARY.named(name)
        if of_labels is not None and self.threshold is not None:
            return CutMeasure.at(of_labels, self.threshold)
        return get_score_measure(name)

    def count(self, y_true: Any, y_pred: Any, pos_label: object = None) -> Scores:
        """Count the scores of one model."""
        return scores_of_columns(y_true, y_pred, pos_label, self.threshold)

    def weigh(self, y_true: Any, y_pred: Any, pos_label: object, weights: NDArray[Any]) -> Scores:
        """Count the scores of one model, each row as often as its weight says."""
        return weighted_scores(y_true, y_pred, pos_label, weights, self.threshold)

    def test_set_of(self, test_set: Any, pos_label: object = None) -> BaseRate:
        """Return the base rate of any description of a test set."""
        if isinstance(test_set, Scores):
            return test_set.test_set
        return BINARY.test_set_of(test_set, pos_label)

    def require_test_set(self, name: str, table: Scores, y_true: Any, pos_label: object) -> None:
        """Raise if scores are of another test set."""
        require_test_set(name, table, y_true, pos_label)

    def observe(self, y_true: Labels, predictions: Any, rows: Rows) -> Observations:
        """Count every model, as a whole and in each group."""
        return count_scores(y_true, predictions, rows, self.threshold)

    def observe_frame(
        self, frame: Any, truth: str, columns: Mapping[str, str], rows: Rows
    ) -> Observations:
        """Count every model of a data frame, where the rows are."""
        return count_scores_of_frame(frame, truth, columns, rows, self.threshold)

    def observe_pairs(
        self, y_true: Labels, models: Mapping[str, Any], rows: Rows
    ) -> JointObservations:
        """Count every pair of models, as a whole and in each group."""
        return count_score_pairs(y_true, models, rows, self.threshold)

    def observe_frame_pairs(
        self, frame: Any, truth: str, columns: Mapping[str, str], rows: Rows
    ) -> JointObservations:
        """Count every pair of models of a data frame, where the rows are."""
        return count_pairs_of_frame(frame, truth, columns, rows, self.threshold)

    def count_column(self, frame: Any, truth: str, rows: Rows) -> tuple[BaseRate, int]:
        """Count the truth alone, where the rows are; also return how many rows were dropped."""
        return BINARY.count_column(frame, truth, rows)

    def observed(self, facts: Mapping[str, Any]) -> Scores:
        """Return the scores of a JSON record."""
        return Scores.from_facts(facts)

    def joint(self, facts: Mapping[str, Any]) -> JointScores:
        """Return two models from a JSON record."""
        return JointScores.from_facts(facts)

    def yardstick(self, test_set: BaseRate, measure: Any) -> Any:
        """Return the baseline of a measure, and the scale around it."""
        if isinstance(measure, CutMeasure):
            return BorrowedYardstick(measure, BINARY.yardstick(test_set, measure.of))
        return measure.yardstick(test_set)

    def null_of(self, measure: Any, observed: Scores) -> NullDistribution:
        """Return the distribution of a score when scores are shuffled."""
        if isinstance(measure, CutMeasure):
            return BINARY.null_of(measure.of, observed.table(measure.threshold))
        return null_of(measure, observed)

    def null_of_guess(self, measure: Any, test_set: BaseRate, guess: Any) -> NullDistribution:
        """Return the distribution of a score of a guess, whose scores are in any order."""
        dealt = ScoreDeck.of(guess)
        if dealt.total != test_set.total:
            raise InvalidScoresError(
                f"must have {test_set.total:,} scores, one for each observation "
                f"(got {dealt.total:,})",
                parameter="y_pred",
            )
        reason = measure.missing(test_set)
        if reason:
            raise UndefinedMeasureError(f"{measure.key} is undefined: {reason}")
        found: NullDistribution = measure.law(test_set, dealt)
        return found

    def contributions(
        self, observed: Scores, clusters: Sequence[Scores], measure: OfScores | None
    ) -> Floats:
        """Return what each cluster of rows adds to the association of truth and predictions."""
        if not isinstance(measure, CutMeasure):
            return RANKINGS.contributions(observed, clusters)
        table, *tables = (each.table(measure.threshold) for each in (observed, *clusters))
        return BINARY.contributions(table, tables, measure.of)

    def uncertainty(
        self, observed: Scores, alpha: float, clusters: Sequence[Scores] = ()
    ) -> ScoreUncertainty:
        """Return the limits of scores and margins over test sets like this one."""
        return ScoreUncertainty(observed, alpha, clusters)

    def paired(
        self, joint: JointScores, alpha: float, clusters: Sequence[JointScores] = ()
    ) -> PairedScores:
        """Return how much two models differ, with limits at 1 - alpha."""
        return PairedScores(joint, alpha, clusters)


SCORES = ScoresTask()
