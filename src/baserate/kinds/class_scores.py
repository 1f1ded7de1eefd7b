"""Class scores, a column per class: how scores vary over test sets, and the task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.measure import Rule, chosen
from baserate.core.observed import UNDEFINED, Rows, summed
from baserate.data.rows import DEFAULT_NAME, named_models
from baserate.data.score_tables import ScoreTable, read_score_tables
from baserate.exceptions import (
    InvalidFrameError,
    InvalidScoresError,
    UndefinedMeasureError,
)
from baserate.intervals.bootstrap import Statistic
from baserate.intervals.limits import Proportion
from baserate.kinds.classes import MULTICLASS
from baserate.kinds.scores import TaskOfScores
from baserate.kinds.scores_intervals import RowScores
from baserate.measures.class_areas import Areas, Placements, ranked, ranks, swapped_areas
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
from baserate.observed.labels import BaseRate
from baserate.observed.weighted import weighing
from baserate.paired import flip_test

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from baserate.core.baseline import Baseline
    from baserate.core.observed import SwapTest
    from baserate.data.columns import Labels
    from baserate.data.rows import Key
    from baserate.intervals.limits import Margin
    from baserate.null.distribution import NullDistribution
    from baserate.task import Tables

    Floats = NDArray[Any]
    Ints = NDArray[np.int64]
    Cells = tuple[ClassProbabilities, Ints]
    PartRows = tuple[Sequence[ClassProbabilities], Ints, Ints, Floats | float]


# The most numbers of a matrix without gaps.
_DENSE = 2**20


class ClassScoreIntervals:
    """Class scores, as functions of how much their rows weigh: means, and averages of areas."""

    def proportion(
        self, measure: ClassScoreMeasure, observed: ClassProbabilities
    ) -> Proportion | None:
        """Return the share of hits of top-k accuracy; no proportion decides other scores."""
        form = measure.form
        if not isinstance(form, MeanOf) or form.highest is None:
            return None
        hits = int(observed.counts @ (form.rule.of_cells(observed) > 0))
        return Proportion(hits, observed.total - hits, lambda share: share)

    def score(self, measure: ClassScoreMeasure, observed: ClassProbabilities) -> Statistic | None:
        """Return a score; None for the calibration error, which is not known to vary."""
        form = measure.form
        if not isinstance(form, Areas):
            return _rows(measure, form, observed).score() if isinstance(form, MeanOf) else None
        known = Placements.of(form, observed)
        classes = np.arange(known.n.size)
        return of_class_means(
            known.score,
            [known],
            [observed],
            lambda clusters: _with_rows([joined(clusters)]),
            rule=measure.interval,
            spares=np.concatenate(
                [class_columns(each, classes, classes.size) for each in known.ends]
            ),
            ends=(0.0, 1.0),
        )

    def margin(self, baseline: Baseline, observed: ClassProbabilities) -> Margin | None:
        """Return a margin; None if the baseline is the same on all test sets."""
        form = baseline.measure.form
        is_mean = isinstance(form, MeanOf)
        return _rows(baseline.measure, form, observed).margin() if is_mean else None

    def difference(self, measure: ClassScoreMeasure, joint: JointProbabilities) -> Statistic | None:
        """Return the second score minus the first; None if it is not known how they vary.

        Of areas, see DeLong, DeLong and Clarke-Pearson (1988).
        """
        form, sides = measure.form, joint.sides
        if isinstance(form, Areas):
            known = [Placements.of(form, each) for each in sides]
            exact, rule = known[1].score - known[0].score, Rule.SEEN
            parts = lambda clusters: _with_rows(_joined_sides(clusters))  # noqa: E731
            return of_class_means(exact, known, sides, parts, rule=rule, ends=(-1.0, 1.0))
        if not isinstance(form, MeanOf):
            return None
        first, second = (measure.score_or_reason(each)[0] for each in (joint.first, joint.second))
        return _rows(measure, form, *sides, exact=second - first).difference()


def _rows(
    measure: ClassScoreMeasure,
    form: MeanOf,
    *models: ClassProbabilities,
    exact: float | None = None,
) -> RowScores:
    """Return what a rule gives to cells: of one model, or of a second one minus a first."""
    rule, known = form.rule, models[0]

    def points(cells: Any) -> Floats:
        return _less([rule.of_cells(each, cells) for each in models])

    def of_clusters(clusters: Sequence[Any]) -> tuple[Any, ...]:
        parts = [joined(clusters)] if len(models) == 1 else _joined_sides(clusters)
        cells, codes = parts[0]
        points = _less([rule.of_cells(each) for each, _ in parts])
        return points, cells.truth, cells.counts, codes, 1.0

    score = measure.score_or_reason(known)[0] if exact is None else exact
    cells = (known.truth, known.counts, len(known.labels))
    return RowScores(measure, rule, form.relative, score, points, *cells, of_clusters)


def of_class_means(
    exact: float,
    known: Sequence[Placements],
    cells: Sequence[ClassProbabilities],
    of_clusters: Callable[[Sequence[Any]], PartRows],
    *,
    weights: Floats | float = 1.0,
    rows: Ints | None = None,
    **how: Any,
) -> Statistic:
    """Return a number that depends on the mean of each class, and on how often it occurs.

    `known` is where rows stand by the scores of one model, or of two: then it is the second's less
    the first's. `of_clusters` returns the cells of each model, in which cluster they are, how many
    rows they have, and their weights.
    """
    n, slopes = known[0].n, _less([each.slopes for each in known])

    def columns(parts: Sequence[ClassProbabilities], weights: Floats | float) -> Any:
        residuals = [each.residuals(part) for each, part in zip(known, parts, strict=True)]
        return class_columns(_less(residuals), parts[0].truth, n.size, weights)

    def of(sums: Floats) -> Floats:
        added, counts = sums[..., : n.size], sums[..., n.size :]
        means = np.divide(added, counts, out=np.zeros_like(added), where=counts > 0)
        return np.asarray(exact + means.sum(axis=-1) + (counts - n) @ slopes)

    def sums(clusters: Sequence[Any]) -> tuple[Any, Floats]:
        parts, codes, counts, heavy = of_clusters(clusters)
        return summed(codes, counts, columns(parts, heavy))

    every = (cells[0].counts if rows is None else rows).astype(float)
    return Statistic(of, every, columns=columns(cells, weights), of_clusters=sums, **how)


def _with_rows(found: Sequence[Cells]) -> PartRows:
    """Return the cells of clusters of one model or two, their clusters and how many rows."""
    parts, codes = zip(*found, strict=True)
    return parts, codes[0], parts[0].counts, 1.0


def _less(numbers: Sequence[Floats]) -> Floats:
    """Return the numbers of one model, or a second's less a first's."""
    return numbers[-1] - numbers[0] if len(numbers) > 1 else numbers[0]


def class_columns(added: Floats, truth: Ints, classes: int, weights: Floats | float = 1.0) -> Any:
    """Return what rows add to the sum and to the count of their class."""
    shape, rows, ones = (truth.size, 2 * classes), np.arange(truth.size), np.ones(truth.size)
    if shape[0] * shape[1] > _DENSE:
        from scipy.sparse import csr_array

        numbers, places = (
            np.append(added * weights, ones * weights),
            np.append(truth, classes + truth),
        )
        return csr_array((numbers, (np.tile(rows, 2), places)), shape=shape)
    found = np.zeros(shape)
    found[rows, truth] = added * weights
    found[rows, classes + truth] = ones * weights
    return found


def _joined_sides(clusters: Sequence[JointProbabilities]) -> list[Cells]:
    return [joined([each.sides[model] for each in clusters]) for model in (0, 1)]


def swap_test(
    measure: ClassScoreMeasure,
    joint: JointProbabilities,
    clusters: Sequence[JointProbabilities] = (),
) -> SwapTest:
    """Return the p-value of swapping what the models say of a row, or of a cluster.

    Differences are sums over the rows, of what a rule gives to them or of what swapping them does
    to areas. Swaps turn their signs.
    """
    form, sides, codes = measure.form, joint.sides, None
    if measure.missing(joint.pairs.test_set) or not isinstance(form, MeanOf | Areas):
        return UNDEFINED
    if clusters:
        (one, codes), (other, _) = _joined_sides(clusters)
        sides = one, other
    if isinstance(form, MeanOf):
        found = _less([form.rule.of_cells(each) for each in sides])
    else:
        both = [ranked(each, each) for each in joint.sides]
        some = list(map(ranked, joint.sides, sides)) if clusters else both
        found = swapped_areas(form, both, some)
    return flip_test(found, sides[0].counts, codes)


@dataclass(frozen=True)
class ClassScoresTask(TaskOfScores[ClassProbabilities]):
    """Class scores: what is observed is which rows met which classes."""

    measures: tuple[Any, ...] = ()

    name = TASK
    title = "Class scores"
    column = "scores"
    table, pair, test_set = ClassProbabilities, JointProbabilities, BaseRate
    catalogue, reported = CLASS_SCORE_MEASURES, REPORTED
    family, swap_test = ClassScoreIntervals(), staticmethod(swap_test)
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

        return read.columns.tables(keys, weighing(built)), read.columns.dropped

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

    def truth_alone(self, y_true: Labels, pos_label: object) -> BaseRate:  # noqa: ARG002
        """Return how often each class occurs."""
        return BaseRate.of_classes(y_true)

    def are_same(self, first: BaseRate, second: BaseRate) -> bool:
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

    def baseline(self, test_set: BaseRate, measure: Any) -> Baseline:
        """Return the baseline of a measure; that of labels for their own."""
        known = test_set.occurring if isinstance(measure, OfLabels) else test_set
        return super().baseline(known, measure)

    def shuffled(
        self, measure: ClassScoreMeasure, observed: ClassProbabilities
    ) -> NullDistribution:
        """Return the distribution of a score when rows are shuffled."""
        return measure.form.null(observed.test_set, observed.rows, observed.sizes)

    def null_of_guess(self, measure: Any, test_set: BaseRate, guess: Any) -> NullDistribution:
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
        means = observed.sizes @ what_rows_say(observed, observed.rows, measure) / observed.total
        parts, codes = joined(clusters)
        said = what_rows_say(observed, parts.rows, measure) - means
        centred = said - (said @ shares)[:, np.newaxis]
        added = parts.counts * centred[parts.given, parts.truth]
        return np.bincount(codes, added, len(clusters)).astype(float)


def what_rows_say(observed: ClassProbabilities, rows: Floats, measure: Any) -> Floats:
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
