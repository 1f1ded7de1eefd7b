"""How scores of several classes vary over test sets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.baselines.class_expectation import references
from baserate.core.clusters import summed
from baserate.core.measure import Direction, Rule
from baserate.intervals.bootstrap import Statistic
from baserate.intervals.limits import Margin, Proportion
from baserate.measures.classes import ACCURACY
from baserate.measures.classes_record import OfDistance, OfTrace, Tables
from baserate.observed.classes import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.baselines.class_mix import ClassBaseline
    from baserate.measures.classes_record import ClassMeasure
    from baserate.observed.classes import ConfusionMatrix, JointMatrix

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


# Among how many classes a spare row is tried: all, or the rarest and the most frequent ones. A
# spare row of two models has an answer of each.
_CLASSES, _CLASSES_OF_TWO = 16, 8
# The most cells of tables that are scored at once: they should stay near the processor.
_AT_ONCE = 2**16
# The most numbers of a matrix without gaps.
_DENSE = 2**14


class ClassIntervals:
    """What several classes know of their numbers."""

    def proportion(self, measure: ClassMeasure, observed: ConfusionMatrix) -> Proportion | None:
        """Return the accuracy, for measures that are functions of it."""
        score = _of_accuracy(measure, observed)
        if score is None:
            return None
        return Proportion(observed.correct, observed.total - observed.correct, score)

    def score(self, measure: ClassMeasure, observed: ConfusionMatrix) -> Statistic:
        """Return a score; a spare row may be of any class that occurs."""
        rows = _Rows.of(measure, observed)
        codomain = measure.codomain
        return rows.statistic(
            lambda tables: measure.scored(tables[0]), (codomain.lower, codomain.upper)
        )

    def margin(self, base: ClassBaseline, observed: ConfusionMatrix) -> Margin | None:
        """Return a margin over the best guess; None if all test sets have the same baseline."""
        measure, n = base.measure, observed.true_counts.astype(float)
        of_accuracy = _of_accuracy(measure, observed)
        if of_accuracy is not None and measure.interval is Rule.AVERAGE:
            # Balanced accuracy is accuracy here, and its margin that of accuracy.
            compared = references(ACCURACY, n.max() / n.sum(), np.where(n == n.max(), n, 0), n)
            size = abs(of_accuracy(1.0) - of_accuracy(0.0))
            return _margin(ACCURACY, observed, compared.chosen, compared.kept, size)
        counts = dict(zip(base.test_set.labels, next(iter(base.guesses)), strict=True))
        mix = np.array([float(counts.get(label, 0)) for label in observed.labels])
        compared = references(measure, base.best.value, mix, n)
        if compared.are_fixed:
            return None
        return _margin(measure, observed, compared.chosen, compared.kept)

    def difference(self, measure: ClassMeasure, joint: JointMatrix) -> Statistic:
        """Return the second score minus the first."""
        score = _of_accuracy(measure, joint.first)
        if score is not None:
            hits = [each == joint.truth for each in (joint.first_answers, joint.second_answers)]
            first, second = (
                int(joint.counts[one & ~other].sum()) for one, other in (hits, hits[::-1])
            )
            right, total = joint.first.correct, joint.first.total
            found = difference_of_rates(score, right, first, second, total)
            return replace(found, of_clusters=_hits_of_clusters)
        codomain = measure.codomain
        span = codomain.upper - codomain.lower
        return _Rows.of_two(measure, joint).statistic(
            lambda tables: measure.scored(tables[1]) - measure.scored(tables[0]),
            (-span, span),
            lambda part: [getattr(part, name) for name in COLUMNS],
        )

    def contributions(
        self, observed: ConfusionMatrix, clusters: Sequence[ConfusionMatrix]
    ) -> Floats:
        """Return what each cluster adds to the association: right answers, doubly centred."""
        truth, said = (
            each / observed.total for each in (observed.true_counts, observed.predicted_counts)
        )
        return np.array(
            [
                each.correct
                - each.true_counts @ said
                - each.predicted_counts @ truth
                + each.total * (truth @ said)
                for each in clusters
            ]
        )


CLASSES = ClassIntervals()


def difference_of_rates(
    score: Callable[[Any], Any], right: int, first: int, second: int, total: int
) -> Statistic:
    """Return how much a function of a proportion rises from one model to another."""

    def of(sums: Floats) -> Floats:
        shares = sums / sums.sum(axis=-1, keepdims=True)
        both = shares[..., 0]
        return np.asarray(score(both + shares[..., 2]) - score(both + shares[..., 1]))

    both = right - first
    rows = np.array([both, first, second, total - right - second], dtype=float)
    span = abs(score(1.0) - score(0.0))
    return Statistic(of, rows, Rule.END, spares=np.eye(4), ends=(-span, span))


def _hits_of_clusters(clusters: Sequence[JointMatrix]) -> tuple[Floats, Floats]:
    """Return how often both are right, only one is, or neither, in each cluster."""
    found = np.zeros((len(clusters), 4))
    for place, part in enumerate(clusters):
        wrong = [each != part.truth for each in (part.first_answers, part.second_answers)]
        # The first alone is right where the second is wrong.
        found[place] = np.bincount(2 * wrong[0] + wrong[1], part.counts, 4)
    return found, found.sum(axis=1)


def ones_at(rows: Ints, places: Ints, shape: tuple[int, int]) -> Any:
    """Return what rows add to sums: a matrix with ones in some places, sparse if it is large."""
    if shape[0] * shape[1] <= _DENSE:
        found = np.zeros(shape)
        found[rows, places] = 1.0
        return found
    from scipy.sparse import csr_array

    return csr_array((np.ones(rows.size), (rows, places)), shape=shape)


def _of_accuracy(measure: ClassMeasure, observed: ConfusionMatrix) -> Callable[[Any], Any] | None:
    """Return the score as a function of the accuracy, if it is one on this test set.

    Balanced accuracy is one where all classes that occur have equally many rows.
    """
    n, form = observed.true_counts.astype(float), measure.form
    if isinstance(form, OfTrace) and form.of_accuracy:
        total = np.array([n.sum()])
        return lambda share: form.score(np.asarray(share) * n.sum(), total, total)
    if measure.interval is not Rule.AVERAGE or np.ptp(n[n > 0]) > 0:
        return None
    m = observed.predicted_counts.astype(float)
    return lambda share: measure.scored(Tables(np.asarray(share)[..., np.newaxis] * n, n, m))


def _margin(
    measure: ClassMeasure,
    observed: ConfusionMatrix,
    chosen: Callable[[Floats], Floats],
    kept: Callable[[Floats], Floats],
    size: float = 1.0,
) -> Margin:
    """Return a margin over a guess that is chosen again, and over the same guess."""
    rows = _Rows.of(measure, observed)
    sign = size if measure.direction is Direction.MAXIMIZE else -size
    most = size * (measure.codomain.upper - measure.codomain.lower)

    def over(best: Callable[[Floats], Floats]) -> Statistic:
        return rows.statistic(
            lambda tables: sign * (measure.scored(tables[0]) - best(tables[0].n)), (-most, most)
        )

    return Margin(over(chosen), over(kept))


def _cells_of(table: ConfusionMatrix) -> tuple[Ints, Ints, Ints]:
    truth, answers = np.nonzero(table.counts)
    return truth, answers, table.counts[truth, answers]


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows of a table, or of the joint table of two models, as a measure sees them."""

    sums: Sequence[_Sums]
    truth: Ints
    answers: Sequence[Ints]
    counts: Floats
    spares: tuple[Ints, Sequence[Ints]]
    missed: Ints

    @classmethod
    def of(cls, measure: ClassMeasure, table: ConfusionMatrix) -> _Rows:
        """Return the rows of one model."""
        *rows, counts = _cells_of(table)
        return cls._made(measure, [table], rows, counts)

    @classmethod
    def of_two(cls, measure: ClassMeasure, joint: JointMatrix) -> _Rows:
        """Return the rows of two models."""
        rows = joint.truth, joint.first_answers, joint.second_answers
        return cls._made(measure, [joint.first, joint.second], rows, joint.counts)

    @classmethod
    def _made(
        cls,
        measure: ClassMeasure,
        tables: Sequence[ConfusionMatrix],
        rows: Sequence[Ints],
        counts: Ints,
    ) -> _Rows:
        truth, *answers = rows
        kinds = np.stack([truth, *map(_answered(measure, truth), answers)])
        (truth, *answers), inverse = np.unique(kinds, axis=1, return_inverse=True)
        together = np.bincount(inverse.ravel(), counts).astype(float)
        spare, *given = _spares(measure, tables)
        given = list(map(_answered(measure, spare), given))
        right = np.sum([np.diagonal(each.counts) for each in tables], axis=0)
        missed = np.flatnonzero((tables[0].true_counts > 0) & (right == 0))
        cells = [
            (np.concatenate([truth, spare, missed]), np.concatenate([mine, other, missed]))
            for mine, other in zip(answers, given, strict=True)
        ]
        sums = [_Sums.of(measure, *each) for each in zip(tables, cells, strict=True)]
        return cls(sums, truth, answers, together, (spare, given), missed)

    def statistic(
        self,
        number: Callable[[list[Tables]], Floats],
        ends: tuple[float, float],
        cells: Callable[[Any], Sequence[Ints]] = _cells_of,
    ) -> Statistic:
        """Return a number that is a function of the tables of the models."""
        starts = np.cumsum([each.width for each in self.sums])[:-1]
        step = max(_AT_ONCE // self.sums[0].size, 1)

        def of(sums: Floats) -> Floats:
            flat = sums.reshape(-1, sums.shape[-1])
            found = []
            for at in range(0, len(flat), step):
                parts = np.split(flat[at : at + step], starts, axis=1)
                read = zip(self.sums, parts, strict=True)
                found.append(number([each.tables(part) for each, part in read]))
            return np.concatenate(found).reshape(sums.shape[:-1])

        rule = self.sums[0].measure.interval
        columns = self._columns(self.truth, self.answers)

        def of_clusters(clusters: Sequence[Any]) -> tuple[Any, Floats]:
            of_each = [cells(each) for each in clusters]
            truth, *answers, counts = map(np.concatenate, zip(*of_each, strict=True))
            codes = np.repeat(np.arange(len(of_each)), [each[0].size for each in of_each])
            given = list(map(_answered(self.sums[0].measure, truth), answers))
            return summed(codes, counts, self._columns(truth, given))

        return Statistic(
            of,
            self.counts,
            rule,
            columns=columns,
            spares=self._spares,
            ends=ends,
            of_clusters=of_clusters,
        )

    @property
    def _spares(self) -> Any:
        """What a spare row may add to each sum.

        One right answer of classes that are never found may change nothing, as for the G-mean of
        two such classes: they may also share it.
        """
        found = self._columns(*self.spares)
        if self.missed.size < 2:
            return found
        from scipy.sparse import issparse, vstack

        alone = self._columns(self.missed, [self.missed] * len(self.sums))
        shared = np.asarray(alone.sum(axis=0))[np.newaxis] / self.missed.size
        return vstack([found, shared]).tocsr() if issparse(found) else np.vstack([found, shared])

    def _columns(self, truth: Ints, answers: Sequence[Ints]) -> Any:
        """Return what one row adds to each sum."""
        rows, places, width = [], [], 0
        for each, mine in zip(self.sums, answers, strict=True):
            for row, place in each.places(truth, mine):
                rows.append(row)
                places.append(width + place)
            width += each.width
        return ones_at(np.concatenate(rows), np.concatenate(places), (truth.size, width))


@dataclass(frozen=True, eq=False)
class _Sums:
    """The sums over rows that a measure needs of a table.

    They are the right answers, or how many are how far off, how often classes occur and how often
    they are predicted; or all cells that may have rows.
    """

    measure: ClassMeasure
    table: ConfusionMatrix
    cells: Ints | None

    @classmethod
    def of(cls, measure: ClassMeasure, table: ConfusionMatrix, rows: tuple[Ints, Ints]) -> _Sums:
        """Return the sums of rows of these true classes and answers."""
        if not measure.form.needs_cells or isinstance(measure.form, OfDistance):
            return cls(measure, table, None)
        truth, answers = rows
        return cls(measure, table, np.unique(truth * len(table.labels) + answers))

    @property
    def size(self) -> int:
        """How many numbers a table has."""
        return len(self.table.labels) ** (1 if self.cells is None else 2)

    @property
    def width(self) -> int:
        """How many sums there are."""
        if self.cells is not None:
            return self.cells.size
        return self._right + self.size * (2 if _by_answer(self.measure) else 1)

    @property
    def _right(self) -> int:
        return 1 if isinstance(self.measure.form, OfTrace) else self.size

    def places(self, truth: Ints, answers: Ints) -> list[tuple[Ints, Ints]]:
        """Return which rows are counted by which sums."""
        rows = np.arange(truth.size)
        if self.cells is not None:
            return [(rows, np.searchsorted(self.cells, truth * len(self.table.labels) + answers))]
        if isinstance(self.measure.form, OfDistance):
            first = rows, np.abs(truth - answers)
        else:
            hits = np.flatnonzero(truth == answers)
            first = hits, truth[hits] % self._right
        found = [first, (rows, self._right + truth)]
        if _by_answer(self.measure):
            found.append((rows, self._right + self.size + answers))
        return found

    def tables(self, sums: Floats) -> Tables:
        """Return tables from sums, of shape (tables, sums)."""
        if self.cells is not None:
            flat = np.zeros((len(sums), self.size))
            flat[:, self.cells] = sums
            classes = len(self.table.labels)
            return Tables.of(flat.reshape(-1, classes, classes))
        right, n, m = np.split(sums, [self._right, self._right + self.size], axis=1)
        if not _by_answer(self.measure):
            # A class that is predicted and never occurs may count, and is predicted everywhere.
            unseen = np.where(self.table.true_counts == 0, self.table.predicted_counts, 0)
            m = np.broadcast_to(unseen.astype(float), n.shape)
        return Tables(right, n, m, off=right)


def _by_answer(measure: ClassMeasure) -> bool:
    """Return whether it matters which of the wrong answers is given."""
    of_accuracy = isinstance(measure.form, OfTrace) and measure.form.of_accuracy
    return not of_accuracy and measure.interval is not Rule.AVERAGE


def _answered(measure: ClassMeasure, truth: Ints) -> Callable[[Ints], Ints]:
    """Return what turns answers into those that differ for a measure: -1 for wrong ones."""
    if _by_answer(measure):
        return lambda answers: answers
    return lambda answers: np.where(answers == truth, answers, -1)


def _spares(measure: ClassMeasure, tables: Sequence[ConfusionMatrix]) -> list[Ints]:
    """Return the true classes and the answers of rows that one more may be like.

    Classes that neither occur nor are predicted stay out: one class more would be another average.
    """
    n = tables[0].true_counts
    most = _CLASSES if len(tables) == 1 else _CLASSES_OF_TWO
    axes = [_some(measure, tables, n > 0, most)]
    axes += [_some(measure, tables, (n > 0) | (each.predicted_counts > 0), most) for each in tables]
    return [each.ravel() for each in np.meshgrid(*axes, indexing="ij")]


def _some(
    measure: ClassMeasure, tables: Sequence[ConfusionMatrix], of: NDArray[np.bool_], most: int
) -> Ints:
    """Return classes: all, or the rarest ones, found or not, the most frequent, and the ends."""
    classes = np.flatnonzero(of)
    if classes.size <= most:
        return classes
    right = np.sum([np.diagonal(each.counts) for each in tables], axis=0)[classes]
    often = np.sum([each.true_counts + each.predicted_counts for each in tables], axis=0)[classes]
    found, missed = (classes[np.lexsort((sign * right, often))] for sign in (-1, 1))
    part = most // 4
    ends = classes[[0, -1]] if measure.ordered else classes[:0]
    some = found[: 2 * part - 1], missed[: part + 1], missed[-part:], ends
    return np.unique(np.concatenate(some))
