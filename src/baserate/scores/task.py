"""The task of scores of two classes, as a judge asks it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from baserate.binary.base_rate import BaseRate
from baserate.binary.measures.catalogue import REPORTED as REPORTED_OF_LABELS
from baserate.binary.task import BINARY
from baserate.core.calls import Reader
from baserate.core.catalogue import chosen
from baserate.exceptions import BaserateError, InvalidScoresError, UndefinedMeasureError
from baserate.ranking.deck import ScoreDeck
from baserate.ranking.intervals import RANKINGS
from baserate.ranking.joint import JointScores
from baserate.ranking.measures.area import AUC
from baserate.ranking.measures.record import law_of
from baserate.ranking.scores import Scores
from baserate.scores.answers import PairedScores, ScoreChance, ScoreUncertainty
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

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from baserate.core.law import Tails
    from baserate.core.task import JointObservations, Observations, Rows
    from baserate.data.columns import Labels
    from baserate.null.distribution import NullDistribution
    from baserate.ranking.measures.of_scores import OfScores

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ScoresTask:
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
    takes_numbers = False
    weighted = None

    def about(self, measures: Iterable[Any]) -> ScoresTask:  # noqa: ARG002
        """Return the task itself: what is observed is the same for all its measures."""
        return self

    def at(self, threshold: float) -> ScoresTask:
        """Return the task with labels at a threshold."""
        return ScoresTask(threshold)

    def chosen(self, measures: Any) -> tuple[OfScores, ...]:
        """Return the measures that are asked for; those that people report for None."""
        reported = REPORTED if self.threshold is None else (*REPORTED, *REPORTED_OF_LABELS)
        return chosen(SCORE_MEASURES, measures, self._get, reported)

    def named(self, name: Any) -> OfScores | None:
        """Return a measure by any of its names; None if it does not know it."""
        try:
            return self._get(name)
        except BaserateError:
            return None

    def _get(self, name: Any) -> OfScores:
        if isinstance(name, CutMeasure):
            return name
        of_labels = None if self.threshold is None else BINARY.named(name)
        if of_labels is not None and self.threshold is not None:
            return CutMeasure.at(of_labels, self.threshold)
        return get_score_measure(name)

    def nearest(self, name: str) -> list[str]:
        """Return the names of measures that resemble a name."""
        return SCORE_MEASURES.nearest(name)

    @cached_property
    def reader(self) -> Reader[Scores, BaseRate, Any]:
        """How its functions read their arguments: scores in the place of predicted labels."""
        return Reader(
            table=Scores,
            test_set=BaseRate,
            get_measure=self._get,
            count=lambda y_true, y_score, pos_label: scores_of_columns(
                y_true, y_score, pos_label, self.threshold
            ),
            weigh=lambda y_true, y_score, pos_label, weights: weighted_scores(
                y_true, y_score, pos_label, weights, self.threshold
            ),
            test_set_of=_test_set_of,
            require_test_set=require_test_set,
        )

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

    def yardstick(self, test_set: BaseRate, measure: OfScores) -> Any:
        """Return the baseline of a measure, and the scale around it."""
        return measure.yardstick(test_set)

    def null_of(self, measure: Any, observed: Scores) -> NullDistribution:
        """Return the distribution of a score when scores are shuffled."""
        if isinstance(measure, CutMeasure):
            return BINARY.null_of(measure.of, observed.table(measure.threshold))
        return law_of(measure, observed)

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

    def nulls(self, observed: Sequence[Scores], levels: tuple[float, float]) -> list[ScoreChance]:
        """Return what the scores of each model have when they are dealt at random."""
        return [ScoreChance(scores, levels) for scores in observed]

    def tails(self, observed: Sequence[Scores]) -> list[Tails]:
        """Return the chances of as many pairs in order as each model has, and of as few."""
        return [AUC.tails(scores, AUC.score_or_reason(scores)[0]) for scores in observed]

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


def _test_set_of(test_set: Any, pos_label: object = None) -> BaseRate:
    """Return the base rate of any description of a test set."""
    if isinstance(test_set, Scores):
        return test_set.test_set
    return BINARY.reader.test_set_of(test_set, pos_label)


SCORES = ScoresTask()
