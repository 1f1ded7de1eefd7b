"""Scores of two classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from baserate.core.measure import Catalogue, unknown_measure
from baserate.core.observed import JointObservations, Observations, Weights, pairs_of
from baserate.data.engines.scores import count_frame_score_pairs, count_frame_scores
from baserate.data.number_rows import read_score_rows
from baserate.data.numbers import require_no_labels
from baserate.data.rows import Shown, named_models, observed_models
from baserate.exceptions import InvalidPredictionsError, InvalidScoresError
from baserate.formatting import shown
from baserate.kinds.scores.intervals import RANKINGS, swap_test
from baserate.kinds.scores.labels import TaskOfScores
from baserate.kinds.two_classes.task import BINARY
from baserate.measures.probabilities import TWO_CLASS_MEASURES
from baserate.measures.rankings import AUC, RANKING_MEASURES, with_number
from baserate.measures.scores import CutMeasure, ScoreMeasure
from baserate.measures.two_classes import REPORTED as REPORTED_OF_LABELS
from baserate.observed.base_rate import BaseRate
from baserate.observed.score_pairs import JointScores
from baserate.observed.scores import RankedScores, ScoreLevels
from baserate.observed.two_classes import as_base_rate
from baserate.task import Chance

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from baserate.core.multiple_testing import Tails
    from baserate.core.observed import Null, Rows
    from baserate.data.columns import Labels
    from baserate.data.number_rows import ScoreRows
    from baserate.null.distribution import NullDistribution

    Floats = NDArray[np.float64]


SCORE_MEASURES = Catalogue(__name__, "SCORE_MEASURES", (*RANKING_MEASURES, *TWO_CLASS_MEASURES))
"""The measures of scores that have a baseline, by key. Names with other numbers are known too."""

REPORTED = ("AUC", "AP")
"""The measures that are judged unless others are asked for."""


@dataclass(frozen=True)
class ScoresTask(TaskOfScores[RankedScores]):
    """Scores of two classes: what is observed is how many of each class have each score."""

    threshold: float | None = None

    name = "scores"
    title = "Scores of two classes"
    takes_positive = True
    takes_scores = True
    table, test_set = RankedScores, BaseRate
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
        if isinstance(name, ScoreMeasure):
            return name
        found = (SCORE_MEASURES.named(name) or with_number(name)) if isinstance(name, str) else None
        if found is None:
            nearest = SCORE_MEASURES.nearest(name) if isinstance(name, str) else ()
            every = "list(baserate.MEASURES) has all names"
            raise unknown_measure(name, " of scores", nearest, every)
        return found

    # Observations.

    def count(self, y_true: Any, y_pred: Any, pos_label: object = None) -> RankedScores:
        """Count the scores of one model, or raise if they are labels, too."""
        found = RankedScores.of(y_true, y_pred, pos_label, threshold=self.threshold)
        require_no_labels("y_score", y_pred)
        return found

    def weigh(
        self, y_true: Any, y_pred: Any, pos_label: object, weights: NDArray[Any]
    ) -> RankedScores:
        """Count the scores of one model, each row as often as its weight says."""
        read = read_score_rows(
            y_true,
            {"y_score": y_pred},
            pos_label,
            None,
            shown=Shown("y_true", {"y_score": "y_score"}),
            weights=Weights(weights, "frequency"),
        )
        scores = read.scores["y_score"]
        return RankedScores.of_rows(read.is_positive, scores, self.threshold, read.counts)

    def test_set_of(self, test_set: Any, pos_label: object = None) -> BaseRate:
        """Return the base rate of any description of a test set."""
        if isinstance(test_set, RankedScores):
            return test_set.test_set
        return as_base_rate(test_set, pos_label)

    def require_test_set(
        self,
        name: str,
        table: RankedScores,
        y_true: Any,
        pos_label: object = None,
        by: Any = None,
    ) -> None:
        """Raise unless scores are counted on the same test set as the labels of other models."""
        if not table.total:
            raise InvalidPredictionsError(
                f"{name} must have at least one observation (got empty Scores)"
            )
        if by is not None:
            raise InvalidPredictionsError(
                f"must come with a score per observation ({name} is Scores, which have no rows to "
                "group); evaluate the Scores of each group as models of their own",
                parameter="by",
            )
        rate = None if y_true is None else BaseRate.of(y_true, pos_label)
        if rate is not None and table.test_set != rate:
            raise InvalidPredictionsError(
                f"{name} must be counted on the labels of y_true, {rate} (got {table.test_set})"
            )

    def observe(self, y_true: Labels, predictions: Any, rows: Rows) -> Observations:
        """Count every model, as a whole and in each group."""

        def read(scores: dict[str, Any]) -> tuple[dict[str, dict[Any, RankedScores]], int]:
            found = _read(y_true, scores, rows)
            return self._counted(found), found.dropped

        return observed_models(
            named_models(predictions),
            RankedScores,
            y_true,
            words=("scores", "RankedScores"),
            read=read,
            require=lambda model, table: self.require_test_set(
                model, table, y_true, rows.pos_label, by=rows.by
            ),
        )

    def observe_frame(
        self, frame: Any, truth: str, columns: Mapping[str, str], rows: Rows
    ) -> Observations:
        """Count every model of a data frame, where the rows are."""
        at = self.threshold
        found, dropped = count_frame_scores(frame, truth, columns, rows, at)
        if not isinstance(found, dict):
            return Observations(self._counted(found), dropped)
        tables = {
            name: {group: RankedScores.counted(each, at) for group, each in groups.items()}
            for name, groups in found.items()
        }
        return Observations(tables, dropped)

    def observe_pairs(
        self, y_true: Labels, models: Mapping[str, Any], rows: Rows
    ) -> JointObservations:
        """Count every pair of models, as a whole and in each group."""
        return self._paired(_read(y_true, models, rows), rows)

    def observe_frame_pairs(
        self, frame: Any, truth: str, columns: Mapping[str, str], rows: Rows
    ) -> JointObservations:
        """Count every pair of models of a data frame, where the rows are."""
        found, dropped = count_frame_score_pairs(frame, truth, columns, rows)
        if not isinstance(found, dict):
            return self._paired(found, rows)
        pairs: dict[Any, Any] = {}
        for each in found.values():
            pairs |= self._paired(each, rows).pairs
        return JointObservations(pairs, dropped)

    def _counted(self, rows: ScoreRows) -> dict[str, dict[Any, RankedScores]]:
        return {
            name: {
                group: RankedScores.of_rows(
                    rows.is_positive[where], scores[where], self.threshold, _counts(rows, where)
                )
                for group, where in rows.groups.items()
            }
            for name, scores in rows.scores.items()
        }

    def _paired(self, read: ScoreRows, rows: Rows) -> JointObservations:
        pairs = {
            (one, other): {
                group: JointScores.of_rows(
                    read.is_positive[where],
                    read.scores[one][where],
                    read.scores[other][where],
                    self.threshold,
                    _counts(read, where),
                )
                for group, where in read.groups.items()
            }
            for one, other in pairs_of(list(read.scores), with_first=rows.with_first)
        }
        return JointObservations(pairs, read.dropped)

    def count_column(self, frame: Any, truth: str, rows: Rows) -> tuple[BaseRate, int]:
        """Count the truth alone, where the rows are; also return how many rows were dropped."""
        return BINARY.count_column(frame, truth, rows)

    def observed(self, facts: Mapping[str, Any]) -> RankedScores:
        """Return the scores of a JSON record."""
        return RankedScores.from_facts(facts)

    def joint(self, facts: Mapping[str, Any]) -> JointScores:
        """Return two models from a JSON record."""
        return JointScores.from_facts(facts)

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

    def nulls(self, observed: Sequence[RankedScores], levels: tuple[float, float]) -> list[_Chance]:
        """Return the null distributions of each model; of labels, as labels have them."""
        return [_Chance(self, each, levels) for each in observed]

    def contributions(
        self, observed: RankedScores, clusters: Sequence[RankedScores], measure: Any
    ) -> Floats:
        """Return what each cluster of rows adds to the association of truth and predictions."""
        if not isinstance(measure, CutMeasure):
            return RANKINGS.contributions(observed, clusters)
        table, *tables = map(measure.labels, (observed, *clusters))
        return BINARY.contributions(table, tables, measure.of)


def _read(y_true: Labels, models: Mapping[str, Any], rows: Rows) -> ScoreRows:
    read = read_score_rows(
        y_true, models, rows.pos_label, rows.by, drop=rows.drop, weights=rows.weights
    )
    for name, each in models.items():
        require_no_labels(f"model {shown(name)}", each)
    return read


def _counts(rows: ScoreRows, where: Any) -> NDArray[Any] | None:
    """Return how often some rows were seen; None if once."""
    return None if rows.counts is None else rows.counts[where]


class _Chance(Chance):
    """What shuffled scores have; of labels at a threshold, what shuffled labels have."""

    def tails(self, measure: Any, score: float) -> Tails:
        """Return the chance of a score as good, and of one as bad; nan where it has none."""
        if not isinstance(measure, CutMeasure):
            return super().tails(measure, score)
        if measure.of.monotone:
            return BINARY.tails([measure.labels(self.observed)])[0]
        return self._labels(measure).tails(measure.of, score)

    def null_interval(self, measure: Any) -> tuple[float, float]:
        """Return between which scores chance stays; nan where it has none."""
        if not isinstance(measure, CutMeasure):
            return super().null_interval(measure)
        return self._labels(measure).null_interval(measure.of)

    def _labels(self, measure: CutMeasure) -> Null:
        return BINARY.nulls([measure.labels(self.observed)], self.levels)[0]


SCORES = ScoresTask()
