"""Areas under the ROC curves of several classes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.formatting import shown
from baserate.measures.scores import Guesses
from baserate.null.permutations import Permuted, shuffled
from baserate.null.sums import linear
from baserate.observed.class_scores import ClassProbabilities

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.null.distribution import NullDistribution
    from baserate.observed.labels import BaseRate

    Floats = NDArray[Any]
    Ints = NDArray[np.int64]


# With more numbers, a thousand shuffles take seconds.
MAX_SHUFFLED = 2**18
# If all classes have so many rows, the variance of a projection is off by at most a hundredth.
FEWEST_PROJECTED = 50


@dataclass(frozen=True, eq=False)
class Areas:
    """An average of the areas of classes."""

    one_vs_one: bool = False
    weighted: bool = False

    def missing(self, test_set: BaseRate) -> str:
        """Say why there is no score on a test set; empty if there is one."""
        met = test_set.occurring.labels
        if len(met) == 1:
            return f"all observations are {shown(met[0])}"
        absent = [label for label in test_set.labels if label not in set(met)]
        return f"no observation is {shown(absent[0])}" if absent else ""

    def score(self, observed: ClassProbabilities) -> float:
        """Return the average."""
        return Placements.of(self, observed).score

    def of_tables(self, rows: Floats) -> Callable[[Floats], Floats]:
        """Return what scores tables (…, classes, rows) of weights, all with the same truth."""
        columns = [np.unique(column, return_inverse=True) for column in rows.T]
        orders = [np.argsort(place, kind="stable") for _, place in columns]
        starts = [
            np.flatnonzero(np.diff(place[order], prepend=-1))
            for (_, place), order in zip(columns, orders, strict=True)
        ]

        def scores(tables: Floats) -> Floats:
            n = tables.reshape(-1, *tables.shape[-2:])[0].sum(axis=-1)
            found = np.zeros(tables.shape[:-2])
            for k, (order, start) in enumerate(zip(orders, starts, strict=True)):
                ordered = np.add.reduceat(tables[..., order], start, axis=-1)
                others = np.einsum("c,...cj->...j", self.coefficients(n)[k], ordered)
                below = np.cumsum(others, axis=-1) - others / 2
                found += np.einsum("...j,...j->...", ordered[..., k, :], below)
            return found

        return scores

    def coefficients(self, n: Floats) -> Floats:
        """Return what a pair of rows in order adds, by the class of both: c[k, j]."""
        total, size = n.sum(), n.size
        own, other = n[:, np.newaxis], n[np.newaxis]
        if self.one_vs_one:
            weight = (own + other) / (2 * total) if self.weighted else 1 / size
            found = weight / ((size - 1) * own * other)
        else:
            weight = own / total if self.weighted else 1 / size
            found = weight / (own * (total - own)) + 0 * other
        np.fill_diagonal(found, 0.0)
        return np.asarray(found)

    def slopes(self, n: Floats, areas: Floats) -> Floats:
        """Return how the average changes with how often a class occurs, if no area does."""
        total, size = n.sum(), n.size
        if self.one_vs_one:
            if not self.weighted:
                return np.zeros(size)
            means = (areas.sum(axis=0) + areas.sum(axis=1)) / (2 * (size - 1))
            return np.asarray((means - means @ n / total) / total)
        rest = total - n
        of_class = areas @ n / rest
        weight = n / total if self.weighted else np.full(size, 1 / size)
        moved = (weight / rest) @ areas - (weight * of_class / rest).sum()
        moved += weight * of_class / rest  # a class is not part of the rest
        drift = (of_class - weight @ of_class) / total if self.weighted else 0.0
        return np.asarray(moved + drift)

    def guesses(self, test_set: BaseRate) -> Guesses:  # noqa: ARG002
        """Return any guess: whatever it ranks by, it expects half of all pairs to be in order."""
        return Guesses.same(0.5)

    def null(self, test_set: BaseRate, rows: Floats, sizes: Ints) -> NullDistribution:
        """Return the distribution of an average of areas when rows are shuffled over the truth.

        Against the rest, the area of a class is a straight line in the ranks of its rows, and so is
        their average. One against another it is not: if a class is small, shuffles are drawn.
        Otherwise it is the projection on such a line (Hájek 1968), with the variance of the
        smallest pair of classes, N + 1 for N rows in place of N (Mann and Whitney 1947).
        """
        n, counts = test_set.array.astype(float), tuple(test_set.counts)
        total, ranked, c = float(n.sum()), ranks(rows, sizes), self.coefficients(n)
        if not self.one_vs_one:
            each = c.max(axis=1)
            return linear(counts, sizes, (ranked * each).T, 1.0, -float(each @ n**2) / 2)
        if n.min() >= FEWEST_PROJECTED or n.size * total > MAX_SHUFFLED:
            weight = c * np.outer(n, n)
            added = ranked * weight.sum(axis=1)
            added -= ranked @ weight
            added /= n * total
            smallest = np.sort(n)[:2].sum()
            return linear(counts, sizes, added.T, ((smallest + 1) / smallest) ** 0.5, 0.5)
        # In an order that does not depend on what classes are called.
        classes = np.lexsort(((sizes * ranked.sum(axis=1)) @ ranked, n))
        order = np.lexsort(ranked[:, classes].T)
        draw = _Shuffles(self, n[classes], ranked[order][:, classes], sizes[order])
        return Permuted(draw, int(n.size * total), mean=0.5)


class _Column(NamedTuple):
    """The different scores of one class, and what is below each, of this class and of others."""

    values: Floats
    own: Floats
    others: Floats


class Placements:
    """Where rows stand among those of other classes, by the scores of one model.

    Of many rows, one class at a time is in memory.
    """

    def __init__(self, form: Areas, observed: ClassProbabilities) -> None:
        truth, counts = observed.truth, observed.counts
        self.n = observed.true_counts.astype(float)
        self._c, self._observed = form.coefficients(self.n), observed
        areas, wins = np.zeros((2, self.n.size, self.n.size))
        self._added = np.zeros(truth.size)
        for k, size in enumerate(self.n):
            column, cells = self._column(k)
            won = np.bincount(truth, counts * (size - column.own[cells]), self.n.size)
            wins[k], areas[k] = self._c[k] * won, won / (size * self.n)
            self._add(self._added, k, column, cells, truth)
        np.fill_diagonal(areas, 0.0)
        self.score = float(wins.sum())
        # By how much it changes with how often each class occurs.
        self.slopes = form.slopes(self.n, areas)
        self._means = wins.sum(axis=1) + wins.sum(axis=0)

    @classmethod
    def of(cls, form: Areas, observed: ClassProbabilities) -> Placements:
        """Return where the rows of a model stand, which is found once."""
        if form not in observed.kept:
            observed.kept[form] = cls(form, observed)
        found: Placements = observed.kept[form]
        return found

    def _column(self, k: int) -> tuple[_Column, Ints]:
        """Return what is below each score of a class, and which of them each cell has."""
        observed = self._observed
        values, place = np.unique(observed.rows[:, k], return_inverse=True)
        cells = place.reshape(-1)[observed.given]
        own, others = (
            _below(np.bincount(cells, observed.counts * each, values.size))
            for each in (observed.truth == k, self._c[k, observed.truth])
        )
        return _Column(values, own, others), cells

    def residuals(self, observed: ClassProbabilities) -> Floats:
        """Return what rows do to the mean of their class, less that mean, for each cell.

        With other weights of rows, the average changes as the means of the classes do, and as
        `slopes` say of how often these occur; to first order.
        """
        found = self.added(observed)
        return np.asarray(self.n[observed.truth] * found - self._means[observed.truth])

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """The residuals of the worst and of the best row of each class."""
        return -self._means, self.n * (self._c @ self.n + self.n @ self._c) - self._means

    def added(self, observed: ClassProbabilities) -> Floats:
        """Return what rows add by what they are above, and by the rows that are above them."""
        if observed is self._observed:
            return self._added
        found = np.zeros(observed.truth.size)
        for k in range(self.n.size):
            column, _ = self._column(k)
            cells = np.searchsorted(column.values, observed.rows[:, k])[observed.given]
            self._add(found, k, column, cells, observed.truth)
        return found

    def _add(self, found: Floats, k: int, column: _Column, cells: Ints, truth: Ints) -> None:
        """Add what rows do by the scores of one class, of which each has one of some values."""
        is_own = truth == k
        found[is_own] += column.others[cells[is_own]]
        found += self._c[k, truth] * (self.n[k] - column.own[cells])


def swapped_areas(
    form: Areas, sides: Sequence[ClassProbabilities], cells: Sequence[ClassProbabilities]
) -> Floats:
    """Return by how much a difference of areas changes if a row is swapped, for each cell.

    The sides are all rows of each model, and the cells some of them, both by their ranks: models
    are swapped by these, as their scores may have different scales. Let a row of the first model
    have the rank a, and b by the second. An area counts pairs in order, and the pairs of two
    swapped rows are the same in both models. So the difference is a sum over rows, exactly: of
    where b stands among all ranks of both models, less where a does.
    """
    first, second = sides
    pooled = ClassProbabilities(
        first.labels,
        np.concatenate([each.rows for each in sides]),
        np.concatenate([each.truth for each in sides]),
        np.concatenate([first.given, second.given + len(first.rows)]),
        np.concatenate([each.counts for each in sides]),
    )
    known = Placements(form, pooled)
    if cells is sides:
        here, there = np.split(known.added(pooled), 2)
    else:
        here, there = map(known.added, cells)
    return np.asarray(there - here)


def ranked(observed: ClassProbabilities, cells: ClassProbabilities) -> ClassProbabilities:
    """Return cells with ranks among all rows in place of scores."""
    sizes = np.bincount(observed.given, observed.counts, len(observed.rows))
    return replace(cells, rows=ranks(observed.rows, sizes, cells.rows))


def _below(sizes: Floats) -> Floats:
    """Return how much is below each of some blocks, a block itself being half."""
    return np.asarray(np.cumsum(sizes) - sizes / 2)


def ranks(rows: Floats, sizes: Ints, at: Floats | None = None) -> Floats:
    """Return the rank in each column, from 1/2 on, of each row or of some; ties share the mean."""
    found = np.empty((rows if at is None else at).shape)
    for k, column in enumerate(rows.T):
        values, place = np.unique(column, return_inverse=True)
        below = _below(np.bincount(place.reshape(-1), sizes))
        found[:, k] = below[place.reshape(-1) if at is None else np.searchsorted(values, at[:, k])]
    return found


class _Shuffles:
    """Draw averages of areas of shuffled rows."""

    def __init__(self, form: Areas, n: Floats, ranked: Floats, sizes: Ints) -> None:
        self._c = form.coefficients(n)
        self._truth = np.repeat(np.arange(n.size), n.astype(int))
        self._orders = []
        for column in np.repeat(ranked, sizes, axis=0).T:
            order = np.argsort(column, kind="stable")
            starts = np.flatnonzero(np.diff(column[order], prepend=-1.0))
            self._orders.append((order, starts))

    def __call__(self, rng: np.random.Generator, number: int) -> Floats:
        truth = shuffled(self._truth, number, rng)
        found = np.zeros(number)
        for k, (order, starts) in enumerate(self._orders):
            ordered = truth[:, order]
            own, others = (ordered == k).astype(float), self._c[k][ordered]
            if starts.size < order.size:
                own, others = (np.add.reduceat(each, starts, axis=1) for each in (own, others))
            below = np.cumsum(others, axis=1) - others / 2
            found += np.einsum("ij,ij->i", own, below)
        return found
