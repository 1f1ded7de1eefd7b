"""Scores of two classes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from baserate.core.observed import JointObservations, Null, Observations, Weights, pairs_of
from baserate.data.number_rows import read_score_rows
from baserate.data.numbers import require_no_labels
from baserate.data.rows import Shown, named_models, observed_models
from baserate.exceptions import InvalidPredictionsError, InvalidScoresError, UndefinedMeasureError
from baserate.formatting import shown
from baserate.intervals.limits import Asks, PairedModels, Uncertainty
from baserate.kinds.scores.intervals import RANKINGS
from baserate.kinds.scores.swaps import swap_test
from baserate.kinds.two_classes.intervals import TWO_CLASSES
from baserate.kinds.two_classes.intervals import swap_test as swap_labels
from baserate.kinds.two_classes.task import BINARY
from baserate.measures.rankings import AUC
from baserate.measures.scores import REPORTED, SCORE_MEASURES, CutMeasure, get_score_measure
from baserate.measures.scores_record import null_of
from baserate.measures.two_classes import REPORTED as REPORTED_OF_LABELS
from baserate.observed.base_rate import BaseRate
from baserate.observed.score_pairs import JointScores
from baserate.observed.scores import RankedScores, ScoreLevels
from baserate.observed.two_classes import as_base_rate
from baserate.task import Chance, Task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from baserate.core.baseline import Baseline
    from baserate.core.multiple_testing import Limits, Tails
    from baserate.core.observed import Rows, SwapTest
    from baserate.data.columns import Labels
    from baserate.data.number_rows import ScoreRows
    from baserate.intervals.limits import Asking
    from baserate.measures.scores_record import OfScores
    from baserate.null.distribution import NullDistribution

    Floats = NDArray[np.float64]


def count_scores(
    y_true: Labels | None, predictions: Any, rows: Rows, threshold: float | None
) -> Observations:
    """Count every model, as a whole and in each group."""

    def read(scores: dict[str, Any]) -> tuple[dict[str, dict[Any, RankedScores]], int]:
        found = _read(y_true, scores, rows)
        return _counted(found, threshold), found.dropped

    return observed_models(
        named_models(predictions),
        RankedScores,
        y_true,
        words=("scores", "RankedScores"),
        read=read,
        require=lambda model, table: require_test_set(
            model, table, y_true, rows.pos_label, by=rows.by
        ),
    )


def count_score_pairs(
    y_true: Labels, models: Mapping[str, Any], rows: Rows, threshold: float | None
) -> JointObservations:
    """Count every pair of models, as a whole and in each group."""
    return _paired(_read(y_true, models, rows), rows, threshold)


def _read(y_true: Labels, models: Mapping[str, Any], rows: Rows) -> ScoreRows:
    read = read_score_rows(
        y_true, models, rows.pos_label, rows.by, drop=rows.drop, weights=rows.weights
    )
    for name, each in models.items():
        require_no_labels(f"model {shown(name)}", each)
    return read


def scores_of_columns(
    y_true: Labels, y_score: Any, pos_label: object, threshold: float | None
) -> RankedScores:
    """Count scores against true labels, or raise if they are labels, too."""
    found = RankedScores.of(y_true, y_score, pos_label, threshold=threshold)
    require_no_labels("y_score", y_score)
    return found


def count_scores_of_frame(
    frame: Any, truth: str, columns: Mapping[str, str], rows: Rows, threshold: float | None
) -> Observations:
    """Count every model of a data frame, where the rows are."""
    from baserate.data.engines.scores import count_frame_scores

    found, dropped = count_frame_scores(frame, truth, columns, rows, threshold)
    if not isinstance(found, dict):
        return Observations(_counted(found, threshold), dropped)
    tables = {
        name: {group: RankedScores.counted(each, threshold) for group, each in groups.items()}
        for name, groups in found.items()
    }
    return Observations(tables, dropped)


def count_pairs_of_frame(
    frame: Any, truth: str, columns: Mapping[str, str], rows: Rows, threshold: float | None
) -> JointObservations:
    """Count every pair of models of a data frame, where the rows are."""
    from baserate.data.engines.scores import count_frame_score_pairs

    found, dropped = count_frame_score_pairs(frame, truth, columns, rows)
    if not isinstance(found, dict):
        return _paired(found, rows, threshold)
    pairs: dict[Any, Any] = {}
    for each in found.values():
        pairs |= _paired(each, rows, threshold).pairs
    return JointObservations(pairs, dropped)


def weighted_scores(
    y_true: Labels,
    y_score: Any,
    pos_label: object,
    weights: NDArray[Any],
    threshold: float | None,
) -> RankedScores:
    """Count scores, each observation as often as its weight says."""
    names = Shown("y_true", {"y_score": "y_score"})
    read = read_score_rows(
        y_true,
        {"y_score": y_score},
        pos_label,
        None,
        shown=names,
        weights=Weights(weights, "frequency"),
    )
    return RankedScores.of_rows(read.is_positive, read.scores["y_score"], threshold, read.counts)


def require_test_set(
    model: str,
    table: RankedScores,
    y_true: Labels | None,
    pos_label: object = None,
    *,
    by: Labels | None = None,
) -> None:
    """Raise unless scores are counted on the same test set as the labels of other models."""
    if not table.total:
        raise InvalidPredictionsError(
            f"{model} must have at least one observation (got empty Scores)"
        )
    if by is not None:
        raise InvalidPredictionsError(
            f"must come with a score per observation ({model} is Scores, which have no rows to "
            "group); evaluate the Scores of each group as models of their own",
            parameter="by",
        )
    if y_true is None:
        return
    rate = BaseRate.of(y_true, pos_label)
    if table.test_set != rate:
        raise InvalidPredictionsError(
            f"{model} must be counted on the labels of y_true, {rate} (got {table.test_set})"
        )


def _counted(rows: ScoreRows, threshold: float | None) -> dict[str, dict[Any, RankedScores]]:
    return {
        name: {
            group: RankedScores.of_rows(
                rows.is_positive[where], scores[where], threshold, _counts(rows, where)
            )
            for group, where in rows.groups.items()
        }
        for name, scores in rows.scores.items()
    }


def _paired(read: ScoreRows, rows: Rows, threshold: float | None) -> JointObservations:
    pairs = {
        (one, other): {
            group: JointScores.of_rows(
                read.is_positive[where],
                read.scores[one][where],
                read.scores[other][where],
                threshold,
                _counts(read, where),
            )
            for group, where in read.groups.items()
        }
        for one, other in pairs_of(list(read.scores), with_first=rows.with_first)
    }
    return JointObservations(pairs, read.dropped)


def _counts(rows: ScoreRows, where: Any) -> NDArray[Any] | None:
    """Return how often some rows were seen; None if once."""
    return None if rows.counts is None else rows.counts[where]


@dataclass(frozen=True, eq=False)
class ScoreUncertainty(Asks):
    """The limits of scores and margins over test sets like this one.

    Parameters
    ----------
    scores
        What was observed.
    alpha
        How often a pair of limits may be wrong.
    clusters
        The same of each cluster of rows; none if rows are independent.
    """

    scores: RankedScores
    alpha: float
    clusters: Sequence[RankedScores] = ()

    def asked_score(self, measure: OfScores) -> Asking[Limits]:
        """Ask for the limits of the score."""
        if isinstance(measure, CutMeasure):
            return self._labels(measure).asked_score(measure.of)
        return self._known.asked_score(measure)

    def asked_margin(self, measure: Any, baseline: Baseline) -> Asking[Limits]:
        """Ask for the limits of how much better it is than the baseline."""
        if isinstance(measure, CutMeasure):
            return self._labels(measure).asked_margin(measure.of, baseline)
        return self._known.asked_margin(measure, baseline)

    @cached_property
    def _known(self) -> Uncertainty:
        return Uncertainty(RANKINGS, self.scores, self.alpha, self.clusters)

    def _labels(self, measure: CutMeasure) -> Uncertainty:
        table, *clusters = (each.table(measure.threshold) for each in (self.scores, *self.clusters))
        return Uncertainty(TWO_CLASSES, table, self.alpha, clusters)


@dataclass(frozen=True, eq=False)
class PairedScores:
    """Two models on the same observations.

    Parameters
    ----------
    joint
        What both did.
    alpha
        How often a pair of limits may be wrong.
    clusters
        The same on each cluster of rows; none if rows are independent.
    """

    joint: JointScores
    alpha: float
    clusters: Sequence[JointScores] = ()

    def limits(self, measure: OfScores) -> Limits:
        """Return the limits of the second score minus the first."""
        if isinstance(measure, CutMeasure):
            joint, *clusters = map(measure.joint, (self.joint, *self.clusters))
            return PairedModels(TWO_CLASSES, joint, self.alpha, clusters).limits(measure.of)
        return PairedModels(RANKINGS, self.joint, self.alpha, self.clusters).limits(measure)

    def swap_test(self, measure: Any) -> SwapTest:
        """Return the p-value of swapping the models row by row."""
        if isinstance(measure, CutMeasure):
            joint, *clusters = map(measure.joint, (self.joint, *self.clusters))
            return swap_labels(measure.of, joint, clusters)
        return swap_test(measure, self.joint, self.clusters)


@dataclass(frozen=True)
class ScoresTask(Task[RankedScores]):
    """Scores of two classes: what is observed is how many of each class have each score.

    Parameters
    ----------
    threshold
        The lowest score that is predicted positive; with it, measures of labels are known too.
    """

    threshold: float | None = None

    name = "scores"
    title = "Scores of two classes"
    guesses = "guesses"
    takes_positive = True
    takes_scores = True
    table, test_set = RankedScores, BaseRate
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

    def count(self, y_true: Any, y_pred: Any, pos_label: object = None) -> RankedScores:
        """Count the scores of one model."""
        return scores_of_columns(y_true, y_pred, pos_label, self.threshold)

    def weigh(
        self, y_true: Any, y_pred: Any, pos_label: object, weights: NDArray[Any]
    ) -> RankedScores:
        """Count the scores of one model, each row as often as its weight says."""
        return weighted_scores(y_true, y_pred, pos_label, weights, self.threshold)

    def test_set_of(self, test_set: Any, pos_label: object = None) -> BaseRate:
        """Return the base rate of any description of a test set."""
        if isinstance(test_set, RankedScores):
            return test_set.test_set
        return as_base_rate(test_set, pos_label)

    def require_test_set(
        self, name: str, table: RankedScores, y_true: Any, pos_label: object, by: Any = None
    ) -> None:
        """Raise if scores are of another test set."""
        require_test_set(name, table, y_true, pos_label, by=by)

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

    def observed(self, facts: Mapping[str, Any]) -> RankedScores:
        """Return the scores of a JSON record."""
        return RankedScores.from_facts(facts)

    def joint(self, facts: Mapping[str, Any]) -> JointScores:
        """Return two models from a JSON record."""
        return JointScores.from_facts(facts)

    def baseline(self, test_set: BaseRate, measure: Any) -> Baseline:
        """Return the baseline of a measure; that of labels for labels at a threshold."""
        if isinstance(measure, CutMeasure):
            return BINARY.baseline(test_set, measure.of)
        found: Baseline = measure.baseline(test_set)
        return found

    def null_of(self, measure: Any, observed: RankedScores) -> NullDistribution:
        """Return the distribution of a score when scores are shuffled."""
        if isinstance(measure, CutMeasure):
            return BINARY.null_of(measure.of, observed.table(measure.threshold))
        return null_of(measure, observed)

    def null_of_guess(self, measure: Any, test_set: BaseRate, guess: Any) -> NullDistribution:
        """Return the distribution of a score of a guess, whose scores are in any order."""
        levels = ScoreLevels.of(guess)
        if levels.total != test_set.total:
            raise InvalidScoresError(
                f"must have {test_set.total:,} scores, one for each observation "
                f"(got {levels.total:,})",
                parameter="y_pred",
            )
        reason = measure.missing(test_set)
        if reason:
            raise UndefinedMeasureError(f"{measure.key} is undefined: {reason}")
        found: NullDistribution = measure.null(test_set, levels)
        return found

    def nulls(self, observed: Sequence[RankedScores], levels: tuple[float, float]) -> list[_Chance]:
        """Return the null distributions of each model; of labels, as labels have them."""
        return [_Chance(self, each, levels) for each in observed]

    def contributions(
        self, observed: RankedScores, clusters: Sequence[RankedScores], measure: OfScores | None
    ) -> Floats:
        """Return what each cluster of rows adds to the association of truth and predictions."""
        if not isinstance(measure, CutMeasure):
            return RANKINGS.contributions(observed, clusters)
        table, *tables = (each.table(measure.threshold) for each in (observed, *clusters))
        return BINARY.contributions(table, tables, measure.of)

    def uncertainty(
        self, observed: RankedScores, alpha: float, clusters: Sequence[RankedScores] = ()
    ) -> ScoreUncertainty:
        """Return the limits of scores and margins over test sets like this one."""
        return ScoreUncertainty(observed, alpha, clusters)

    def paired(
        self, joint: JointScores, alpha: float, clusters: Sequence[JointScores] = ()
    ) -> PairedScores:
        """Return how much two models differ, with limits at 1 - alpha."""
        return PairedScores(joint, alpha, clusters)


class _Chance(Chance):
    """What shuffled scores have; of labels at a threshold, what shuffled labels have."""

    def tails(self, measure: Any, score: float) -> Tails:
        """Return the chance of a score as good, and of one as bad; nan where it has none."""
        if not isinstance(measure, CutMeasure):
            return super().tails(measure, score)
        if measure.of.monotone:
            return BINARY.tails([self.observed.table(measure.threshold)])[0]
        return self._labels(measure).tails(measure.of, score)

    def null_interval(self, measure: Any) -> tuple[float, float]:
        """Return between which scores chance stays; nan where it has none."""
        if not isinstance(measure, CutMeasure):
            return super().null_interval(measure)
        return self._labels(measure).null_interval(measure.of)

    def _labels(self, measure: CutMeasure) -> Null:
        return BINARY.nulls([self.observed.table(measure.threshold)], self.levels)[0]


SCORES = ScoresTask()
