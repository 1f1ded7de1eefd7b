"""Scores of two classes, and what class scores have in common with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from baserate.core.measure import Catalogue
from baserate.data.numbers import require_no_labels
from baserate.data.score_counts import read_score_rows
from baserate.data.weights import Importance
from baserate.exceptions import InvalidScoresError
from baserate.formatting import shown
from baserate.kinds.scores_intervals import RANKINGS, swap_test
from baserate.kinds.two_classes import BINARY
from baserate.measures.probabilities import TWO_CLASS_MEASURES
from baserate.measures.rankings import AUC, RANKING_MEASURES, with_number
from baserate.measures.scores import CutMeasure, OfLabels, ScoreMeasure, baseline_of
from baserate.measures.two_classes import REPORTED as REPORTED_OF_LABELS
from baserate.observed.labels import BaseRate, ConfusionMatrix, JointMatrix, among, as_base_rate
from baserate.observed.scores import JointScores, RankedScores, ScoreLevels
from baserate.task import Task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from baserate.core.baseline import Baseline
    from baserate.core.observed import Rows
    from baserate.data.columns import Labels
    from baserate.data.rows import Key
    from baserate.intervals.limits import Asked
    from baserate.null.distribution import NullDistribution
    from baserate.task import Tables

    Floats = NDArray[np.float64]

S = TypeVar("S")

SCORE_MEASURES = Catalogue(
    __name__,
    "SCORE_MEASURES",
    (*RANKING_MEASURES, *TWO_CLASS_MEASURES),
    of=" of scores",
    numbered=with_number,
)
"""The measures of scores that have a baseline, by key. Names with other numbers are known too."""

REPORTED = ("AUC", "AP")
"""The measures that are judged unless others are asked for."""


class TaskOfScores(Task[S]):
    """A task that leaves measures of labels to the task of these labels."""

    labels: ClassVar[Task[Any]]

    def baseline(self, test_set: Any, measure: Any) -> Baseline:
        """Return the baseline of a measure; that of labels for their own."""
        if isinstance(measure, OfLabels):
            return self.labels.baseline(test_set, measure.of)
        return baseline_of(measure, test_set)

    def null_of(self, measure: Any, observed: Any) -> NullDistribution:
        """Return the distribution of a score when the rows of a model are shuffled."""
        if isinstance(measure, OfLabels):
            return self.labels.null_of(measure.of, measure.labels(observed))
        return self.shuffled(measure, observed)

    def shuffled(self, measure: Any, observed: Any) -> NullDistribution:
        """Return the null distribution of a measure of scores."""
        raise NotImplementedError

    def asked(self, measure: Any, observed: Any, clusters: Sequence[Any] = ()) -> Asked:
        """Return a measure of one model or of two; that of labels of their labels."""
        if not isinstance(measure, OfLabels):
            return super().asked(measure, observed, clusters)
        table, *tables = map(measure.labels, (observed, *clusters))
        if isinstance(table, ConfusionMatrix | JointMatrix) and not self.takes_positive:
            tables = [among(each, table.labels) for each in tables]  # they may lack classes
        return self.labels.asked(measure.of, table, tables)


@dataclass(frozen=True)
class ScoresTask(TaskOfScores[RankedScores]):
    """Scores of two classes: what is observed is how many of each class have each score."""

    threshold: float | None = None

    name = "scores"
    title = "Scores of two classes"
    takes_positive = True
    takes_scores = True
    column = "scores"
    table, pair, test_set = RankedScores, JointScores, BaseRate
    catalogue = SCORE_MEASURES
    family, swap_test = RANKINGS, staticmethod(swap_test)
    leading, labels = AUC, BINARY

    # Measures.

    @property
    def reported(self) -> tuple[str, ...]:
        """Measures of rankings, and at a threshold those of labels."""
        return REPORTED if self.threshold is None else (*REPORTED, *REPORTED_OF_LABELS)

    def at(self, threshold: float) -> ScoresTask:
        """Return the task with labels at a threshold."""
        return ScoresTask(threshold)

    def get(self, name: Any) -> Any:
        """Return a measure by any of its names, or raise if it does not know it."""
        if isinstance(name, CutMeasure):
            return name
        of_labels = None if self.threshold is None else BINARY.named(name)
        if of_labels is not None:
            return CutMeasure.at(of_labels, self.threshold)
        return SCORE_MEASURES.find(name)

    # Observations.

    def count(self, y_true: Any, y_pred: Any, pos_label: object = None) -> RankedScores:
        """Count the scores of one model, or raise if they are labels, too."""
        found = RankedScores.of(y_true, y_pred, pos_label, threshold=self.threshold)
        require_no_labels("y_score", y_pred)
        return found

    def tables(
        self, y_true: Labels, models: Mapping[str, Any], rows: Rows, keys: Sequence[Key]
    ) -> Tables:
        """Count scores, as a whole and in each group, or raise if they are labels, too."""
        read = read_score_rows(y_true, models, rows)
        for name, each in models.items():
            require_no_labels(f"model {shown(name)}", each)
        return read.tables(keys, self._built), read.dropped

    def frame_tables(
        self, frame: Any, truth: str, columns: Mapping[str, str], rows: Rows, keys: Sequence[Key]
    ) -> Tables:
        """Count scores of a data frame, where the rows are."""
        from baserate.data.engines.scores import count_frame_scores

        if not columns:
            return BINARY.frame_tables(frame, truth, columns, rows, keys)
        asked: Any = {"keys": keys, "build": self._built, "threshold": self.threshold}
        return count_frame_scores(frame, truth, columns, rows, **asked)

    def _built(self, *rows: Any) -> RankedScores | JointScores:
        """Count rows of one model or two; of one, scores may be counted already."""
        if len(rows) == 1:
            return RankedScores.counted(rows[0], self.threshold)
        if isinstance(rows[-1], Importance):
            from baserate.observed.weighted import weighing

            return cast("RankedScores", weighing(self._built)(*rows))
        *scores, counts = rows
        kind: Any = RankedScores if len(scores) == 2 else JointScores
        found: RankedScores | JointScores = kind.of_rows(*scores, self.threshold, counts)
        return found

    def truth_alone(self, y_true: Labels, pos_label: object) -> BaseRate:
        """Return how many of the labels are positive."""
        return as_base_rate(y_true, pos_label)

    # Answers.

    def shuffled(self, measure: ScoreMeasure, observed: RankedScores) -> NullDistribution:
        """Return the distribution of a score when scores are shuffled."""
        return measure.null_of(observed.test_set, observed.levels)

    def null_of_guess(self, measure: Any, test_set: BaseRate, guess: Any) -> NullDistribution:
        """Return the distribution of a score of a guess, whose scores are in any order."""
        levels = ScoreLevels.of(guess)
        if levels.total != test_set.total:
            raise InvalidScoresError(
                f"must have {test_set.total:,} scores, one for each observation "
                f"(got {levels.total:,})",
                parameter="y_pred",
            )
        found: NullDistribution = measure.null_of(test_set, levels)
        return found

    def contributions(
        self, observed: RankedScores, clusters: Sequence[RankedScores], measure: Any
    ) -> Floats:
        """Return what each cluster of rows adds to the association of truth and predictions."""
        if not isinstance(measure, CutMeasure):
            return RANKINGS.contributions(observed, clusters)
        table, *tables = map(measure.labels, (observed, *clusters))
        return BINARY.contributions(table, tables, measure.of)


SCORES = ScoresTask()
