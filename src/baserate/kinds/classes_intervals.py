"""How scores of several classes vary over test sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.core.baseline import COMPUTATION
from baserate.core.measure import Direction, Rule
from baserate.core.observed import summed
from baserate.intervals.bootstrap import Statistic
from baserate.intervals.limits import Margin, Proportion
from baserate.measures.classes import ACCURACY
from baserate.measures.classes_record import OfDistance, OfTrace, Place, Tables
from baserate.observed.labels import COLUMNS, JointMatrix

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.baselines.class_search import ClassBaseline
    from baserate.measures.classes_record import ClassMeasure
    from baserate.observed.labels import ConfusionMatrix

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
        return _Rows.of(measure, observed).statistic(
            lambda tables: measure.scored(tables[0]),
            (measure.codomain.lower, measure.codomain.upper),
        )

    def margin(self, base: ClassBaseline, observed: ConfusionMatrix) -> Margin | None:
        """Return a margin over the best guess; None if all test sets have the same baseline.

        It is over a guess that is chosen again, and over the same guess.
        """
        measure, n, size = base.measure, observed.true_counts.astype(float), 1.0
        of_accuracy = _of_accuracy(measure, observed)
        if of_accuracy is not None and measure.interval is Rule.AVERAGE:
            # Balanced accuracy is accuracy here, and its margin that of accuracy.
            measure, size = ACCURACY, abs(of_accuracy(1.0) - of_accuracy(0.0))
            compared = references(ACCURACY, n.max() / n.sum(), np.where(n == n.max(), n, 0), n)
        else:
            counts = dict(zip(base.test_set.labels, next(iter(base.guesses)), strict=True))
            mix = np.array([float(counts.get(label, 0)) for label in observed.labels])
            compared = references(measure, base.best.value, mix, n)
            if compared.are_fixed:
                return None
        rows = _Rows.of(measure, observed)
        sign = size if measure.direction is Direction.MAXIMIZE else -size
        most = size * (measure.codomain.upper - measure.codomain.lower)

        def over(best: Callable[[Floats], Floats]) -> Statistic:
            return rows.statistic(
                lambda tables: sign * (measure.scored(tables[0]) - best(tables[0].n)), (-most, most)
            )

        return Margin(over(compared.chosen), over(compared.kept))

    def difference(self, measure: ClassMeasure, joint: JointMatrix) -> Statistic:
        """Return the second score minus the first."""
        score = _of_accuracy(measure, joint.first)
        if score is None:
            span = measure.codomain.upper - measure.codomain.lower
            return _Rows.of_two(measure, joint).statistic(
                lambda tables: measure.scored(tables[1]) - measure.scored(tables[0]), (-span, span)
            )

        def of(sums: Floats) -> Floats:
            shares = sums / sums.sum(axis=-1, keepdims=True)
            both = shares[..., 0]
            return np.asarray(score(both + shares[..., 2]) - score(both + shares[..., 1]))

        span = abs(score(1.0) - score(0.0))
        return Statistic(
            of,
            _hits_of_clusters([joint])[0][0],
            Rule.END,
            spares=np.eye(4),
            ends=(-span, span),
            of_clusters=_hits_of_clusters,
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


def _hits_of_clusters(clusters: Sequence[JointMatrix]) -> tuple[Floats, Floats]:
    """Return how often both are right, only one is, or neither, in each cluster."""
    found = np.zeros((len(clusters), 4))
    for place, part in enumerate(clusters):
        wrong = [each != part.truth for each in (part.first_answers, part.second_answers)]
        # The first alone is right where the second is wrong.
        found[place] = np.bincount(2 * wrong[0] + wrong[1], part.counts, 4)
    return found, found.sum(axis=1)


def _ones_at(rows: Ints, places: Ints, shape: tuple[int, int]) -> Any:
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


def _cells_of(observed: ConfusionMatrix | JointMatrix) -> list[Ints]:
    """Return the true class of each kind of row, the answers of the models, and the rows."""
    if isinstance(observed, JointMatrix):
        return [getattr(observed, name) for name in COLUMNS]
    truth, answers = np.nonzero(observed.counts)
    return [truth, answers, observed.counts[truth, answers]]


class _Rows:
    """The rows of one model, or of two, and the sums over them that a measure needs.

    Of each model these are the right answers, or how many are how far off, how often classes occur
    and how often they are predicted; or all cells that may have rows.
    """

    def __init__(
        self,
        measure: ClassMeasure,
        tables: Sequence[ConfusionMatrix],
        truth: Ints,
        *answers_and_counts: Ints,
    ) -> None:
        *answers, counts = answers_and_counts
        form, classes = measure.form, len(tables[0].labels)
        self._measure, self._tables, self._classes = measure, tables, classes
        # Whether it matters which of the wrong answers is given.
        of_accuracy = isinstance(form, OfTrace) and form.of_accuracy
        self._by_answer = not of_accuracy and measure.interval is not Rule.AVERAGE
        kinds = np.stack([truth, *self._told(truth, answers)])
        (self._truth, *self._answers), inverse = np.unique(kinds, axis=1, return_inverse=True)
        self._counts = np.bincount(inverse.ravel(), counts).astype(float)
        spare, *given = spare_rows(measure, tables)
        self._spare, self._given = spare, self._told(spare, given)
        right = np.sum([np.diagonal(each.counts) for each in tables], axis=0)
        self._missed = np.flatnonzero((tables[0].true_counts > 0) & (right == 0))
        self._right = 1 if isinstance(form, OfTrace) else classes
        self._cells: Ints | None = None
        self._width = self._right + classes * (2 if self._by_answer else 1)
        if form.needs_cells and not isinstance(form, OfDistance):
            places = [self._missed * (classes + 1)]
            for mine, other in zip(self._answers, self._given, strict=True):
                places += [self._truth * classes + mine, spare * classes + other]
            self._cells = np.unique(np.concatenate(places))
            self._width = self._cells.size

    @classmethod
    def of(cls, measure: ClassMeasure, table: ConfusionMatrix) -> _Rows:
        """Return the rows of one model."""
        return cls(measure, [table], *_cells_of(table))

    @classmethod
    def of_two(cls, measure: ClassMeasure, joint: JointMatrix) -> _Rows:
        """Return the rows of two models."""
        return cls(measure, [joint.first, joint.second], *_cells_of(joint))

    def _told(self, truth: Ints, answers: Sequence[Ints]) -> list[Ints]:
        """Return answers as far as they differ for the measure: -1 for all wrong ones, or not."""
        if self._by_answer:
            return list(answers)
        return [np.where(each == truth, each, -1) for each in answers]

    def statistic(
        self, number: Callable[[list[Tables]], Floats], ends: tuple[float, float]
    ) -> Statistic:
        """Return a number that is a function of the tables of the models."""
        size = self._classes ** (1 if self._cells is None else 2)
        step = max(_AT_ONCE // size, 1)

        def of(sums: Floats) -> Floats:
            flat = sums.reshape(-1, sums.shape[-1])
            found = []
            for at in range(0, len(flat), step):
                parts = np.split(flat[at : at + step], len(self._tables), axis=1)
                read = zip(self._tables, parts, strict=True)
                found.append(number([self._read(table, part) for table, part in read]))
            return np.concatenate(found).reshape(sums.shape[:-1])

        def of_clusters(clusters: Sequence[Any]) -> tuple[Any, Floats]:
            of_each = [_cells_of(each) for each in clusters]
            truth, *answers, counts = map(np.concatenate, zip(*of_each, strict=True))
            codes = np.repeat(np.arange(len(of_each)), [each[0].size for each in of_each])
            return summed(codes, counts, self._columns(truth, self._told(truth, answers)))

        return Statistic(
            of,
            self._counts,
            self._measure.interval,
            columns=self._columns(self._truth, self._answers),
            spares=self._spares(),
            ends=ends,
            of_clusters=of_clusters,
        )

    def _spares(self) -> Any:
        """Return what a spare row may add to each sum.

        One right answer of classes that are never found may change nothing, as for the G-mean of
        two such classes: they may also share it.
        """
        found = self._columns(self._spare, self._given)
        if self._missed.size < 2:
            return found
        from scipy.sparse import issparse, vstack

        alone = self._columns(self._missed, [self._missed] * len(self._tables))
        shared = np.asarray(alone.sum(axis=0))[np.newaxis] / self._missed.size
        return vstack([found, shared]).tocsr() if issparse(found) else np.vstack([found, shared])

    def _columns(self, truth: Ints, answers: Sequence[Ints]) -> Any:
        """Return what one row adds to each sum."""
        rows, places, every = [], [], np.arange(truth.size)
        for model, mine in enumerate(answers):
            for row, place in self._places(every, truth, mine):
                rows.append(row)
                places.append(model * self._width + place)
        shape = truth.size, len(answers) * self._width
        return _ones_at(np.concatenate(rows), np.concatenate(places), shape)

    def _places(self, every: Ints, truth: Ints, answers: Ints) -> list[tuple[Ints, Ints]]:
        """Return which rows are counted by which sums of a model."""
        if self._cells is not None:
            return [(every, np.searchsorted(self._cells, truth * self._classes + answers))]
        if isinstance(self._measure.form, OfDistance):
            first = every, np.abs(truth - answers)
        else:
            hits = np.flatnonzero(truth == answers)
            first = hits, truth[hits] % self._right
        found = [first, (every, self._right + truth)]
        if self._by_answer:
            found.append((every, self._right + self._classes + answers))
        return found

    def _read(self, table: ConfusionMatrix, sums: Floats) -> Tables:
        """Return tables of a model from its sums, of shape (tables, sums)."""
        if self._cells is not None:
            flat = np.zeros((len(sums), self._classes**2))
            flat[:, self._cells] = sums
            return Tables.of(flat.reshape(-1, self._classes, self._classes))
        right, n, m = np.split(sums, [self._right, self._right + self._classes], axis=1)
        if not self._by_answer:
            # A class that is predicted and never occurs may count, and is predicted everywhere.
            unseen = np.where(table.true_counts == 0, table.predicted_counts, 0)
            m = np.broadcast_to(unseen.astype(float), n.shape)
        return Tables(right, n, m, off=right)


def spare_rows(measure: ClassMeasure, tables: Sequence[ConfusionMatrix]) -> list[Ints]:
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


# Places that do not move with the frequencies of the classes: no other guess becomes better.
_FIXED = (Place.EVERYWHERE, Place.LIKE_TRUTH, Place.EVERY_CLASS)
# How many constant classes are compared, of a function that may prefer any of them.
_MOST_CONSTANTS = 16


class Reference(NamedTuple):
    """A prediction that ignores its input, on test sets of any class frequencies."""

    measure: ClassMeasure
    # How often it predicts each class, as a function of how often classes occur; in fractions.
    shares: Callable[[Floats], Floats]
    # By how much its expectation is above the score of the expected table. It is 0 if the score
    # is linear in the table, and for a constant class, whose table is certain.
    offset: float = 0.0

    @classmethod
    def of(cls, measure: ClassMeasure, shares: Floats) -> Reference:
        """Return a reference that always predicts each class equally often."""
        return cls(measure, lambda p: np.broadcast_to(shares, p.shape))

    def expected(self, n: Floats) -> Floats:
        """Return its expected score for class counts of shape (…, K)."""
        total = n.sum(axis=-1, keepdims=True)
        q = self.shares(n / total)
        # E C_kj = n_k m_j / M.
        needed = self.measure.form.needs_cells
        cells = n[..., :, np.newaxis] * q[..., np.newaxis, :] if needed else None
        return self.measure.scored(Tables(n * q, n, q * total, cells)) + self.offset


class References(NamedTuple):
    """The references that may be best on test sets like this one."""

    each: tuple[Reference, ...]
    n: Floats

    def chosen(self, n: Floats) -> Floats:
        """Return the expectation of whichever is best for class counts of shape (…, K)."""
        best = np.fmax if self.each[0].measure.direction is Direction.MAXIMIZE else np.fmin
        return np.asarray(best.reduce([each.expected(n) for each in self.each]))

    def kept(self, n: Floats) -> Floats:
        """Return the expectation of the one that is best here, with the shares it has here."""
        here = [float(each.expected(self.n)) for each in self.each]
        best = np.flatnonzero(np.abs(here - self.chosen(self.n)) <= COMPUTATION)
        found = [self._as_here(self.each[place]).expected(n) for place in best]
        return np.asarray(np.mean(found, axis=0))

    def _as_here(self, reference: Reference) -> Reference:
        if reference.shares is not _most_frequent:
            return reference
        # Classes that tie are predicted equally often.
        tied = self.n == self.n.max()
        return Reference.of(reference.measure, tied / tied.sum())

    @property
    def are_fixed(self) -> bool:
        """Whether there is one, and its expectation does not depend on the class frequencies."""
        if len(self.each) > 1:
            return False
        size = self.n.size
        tilts = np.stack([np.ones(size), np.linspace(0.9, 1.1, size), np.linspace(1.2, 0.8, size)])
        return bool(np.ptp(self.each[0].expected(tilts * self.n)) <= COMPUTATION)


def references(measure: ClassMeasure, value: float, mix: Floats, n: Floats) -> References:
    """Return the references that may be best on test sets like this one.

    They are the most frequent class, or any class for a function of one's own, and the best mix
    here, whose expected score is a value.
    """
    is_maximized = measure.direction is Direction.MAXIMIZE
    where = measure.maximum if is_maximized else measure.minimum
    like_truth = where is Place.LIKE_TRUTH
    plain = Reference(measure, lambda p: p) if like_truth else Reference.of(measure, mix / n.sum())
    offset = value - float(plain.expected(n))
    best = plain._replace(offset=0.0 if np.isnan(offset) else offset)
    if where in _FIXED:
        return References((best,), n)
    found = [Reference(measure, _most_frequent)]
    if measure.is_custom:
        constants = [Reference.of(measure, row) for row in np.eye(n.size)[n > 0]]
        scores = np.array([float(each.expected(n)) for each in constants])
        order = np.argsort(-scores if is_maximized else scores, kind="stable")[:_MOST_CONSTANTS]
        found = [constants[place] for place in order if not np.isnan(scores[place])]
    if np.count_nonzero(mix) > 1 or not found:
        found.append(best)
    return References(tuple(found), n)


def _most_frequent(p: Floats) -> Floats:
    """Return the shares of always predicting the most frequent class."""
    return np.asarray(np.arange(p.shape[-1]) == p.argmax(axis=-1)[..., np.newaxis], dtype=float)
