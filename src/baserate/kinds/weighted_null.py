"""Null distributions of scores of rows that matter more or less, and swaps of two models.

Predictions are shuffled over the rows, or swapped; a row keeps its class and its weight.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, lru_cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.observed import SAME, UNDEFINED
from baserate.exceptions import UndefinedMeasureError
from baserate.kinds.scores_intervals import said_of
from baserate.measures.class_areas import Areas, ranks, swapped_areas
from baserate.measures.class_scores import ClassScoreMeasure
from baserate.measures.rankings import AP
from baserate.measures.scores import ScoreMeasure
from baserate.measures.weighted import linear
from baserate.null.distribution import Listed
from baserate.null.matching import Matching
from baserate.null.permutations import (
    SEED,
    Permuted,
    RandomBlocks,
    RandomOrders,
    SharedDraws,
    all_tables,
)
from baserate.null.saddlepoint import Link
from baserate.null.sums import of_sum, thinned, two_levels
from baserate.observed.weighted import of_clusters
from baserate.paired import ONE_BY_ONE, Pair, alike, flip_test, permutation_test

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.core.observed import SwapTest
    from baserate.measures.weighted import Linear, WeightedMeasure
    from baserate.null.distribution import NullDistribution
    from baserate.observed.class_scores import ClassProbabilities
    from baserate.observed.weighted import Weighted, WeightedJoint, WeightedTestSet

    Floats = NDArray[Any]
    Ints = NDArray[np.int64]


# Rows of nearly the same weight are joined if a class has more different weights: where two
# predictions are drawn, and in a sum of many levels.
MAX_WEIGHTS, FEW_WEIGHTS = 500, 32
# A sum of more levels times predictions takes seconds by a saddlepoint.
MAX_LEVELS = 2**15
# Of more rows, a sample is shuffled: scores of fewer rows vary more, so no chance is too small.
MOST_SHUFFLED = 20_000
# Tables of so few cells are drawn once for all measures.
FEW_CELLS = 64


def joined(
    truth: Ints, weights: Floats, rows: Ints, most: int = MAX_WEIGHTS
) -> tuple[Ints, Floats, Ints]:
    """Return fewer kinds of rows, each class with the same total weight.

    Each of the largest weights stays alone; the others are joined with their neighbours, so that
    each block has about the same share of the range.
    """
    found = []
    for place in np.unique(truth)[::-1]:
        here = truth == place
        heavy, counts = weights[here], rows[here]
        if counts.size > most:
            alone = most // 4
            edges = np.linspace(heavy[0], heavy[-alone], most - alone + 1)[:-1]
            starts = np.unique(np.searchsorted(heavy, edges))
            starts = np.append(
                starts[starts < heavy.size - alone], np.arange(-alone, 0) + heavy.size
            )
            sizes = np.add.reduceat(counts, starts)
            heavy, counts = np.add.reduceat(counts * heavy, starts) / sizes, sizes
        found.append((np.full(counts.size, place), heavy, counts))
    one, other, last = (np.concatenate(each) for each in zip(*found, strict=True))
    return one, other, last


@lru_cache(maxsize=64)
def null_of(measure: WeightedMeasure, observed: Weighted) -> NullDistribution:
    """Return the distribution of a score when predictions are shuffled, or raise if it has none."""
    test_set, sizes = observed.test_set, observed.sizes
    found = linear(measure.of, observed.plain, test_set.by_class)
    if found is not None:
        return _null_of_sum(found, observed)
    # The score of a part of the rows is another one if it is of the k highest of all.
    is_share = not isinstance(measure.of, ScoreMeasure) or measure.of.monotone or measure.of is AP
    classes = tuple(observed.classes.tolist())
    most = MOST_SHUFFLED if is_share else observed.total
    draws = _draws(test_set, tuple(sizes.tolist()), classes, observed.shape[0], most)
    size, score = measure.of.magnitude(0.0), measure.kernel(observed.plain)

    def scores(tables: Floats) -> Floats:
        found = score(tables)
        if np.isnan(found).any():
            needs = "a draw whose every score is a number"
            raise UndefinedMeasureError.no_distribution(measure.key, needs, "none")
        return found

    every = draws.every()
    if every is not None:
        return Listed(scores(every[0]), every[1], size)
    permuted = draws.permuted(scores, size)
    permuted.first(1)  # raises if there are draws without a score
    return permuted


@lru_cache(maxsize=4)  # which all measures share
def _draws(
    test_set: WeightedTestSet,
    sizes: tuple[int, ...],
    places: tuple[int, ...],
    classes: int,
    most: int,
) -> _Draws:
    truth, heavy = np.array(places)[test_set.truth], test_set.importance
    return _Draws((truth, heavy, test_set.rows), np.array(sizes), classes, most)


class _Draws:
    """Shuffled predictions: tables (…, classes, predictions) of weights."""

    def __init__(
        self, kinds: tuple[Ints, Floats, Ints], sizes: Ints, classes: int, most: int
    ) -> None:
        self._kinds, self._sizes, self._classes = kinds, sizes, classes
        self._rows, self._cells = min(int(kinds[2].sum()), most), classes * sizes.size
        self._shared = SharedDraws(self._next()) if self._cells <= FEW_CELLS else None

    def every(self) -> tuple[Floats, Floats] | None:
        """Return all tables and their chances; None if they are too many."""
        truth, weights, rows = self._kinds
        every = all_tables(rows.tolist(), self._sizes.tolist())
        if every is None:
            return None
        of_class = np.eye(self._classes)[truth] * weights[:, np.newaxis]
        return np.einsum("kc,tkj->tcj", of_class, every[0]), every[1]

    def permuted(
        self, scores: Callable[[Floats], Floats], size: float = 0.0, mean: float | None = None
    ) -> Permuted:
        """Return the distribution of scores of tables, by permutations."""
        draw = self._next() if self._shared is None else self._shared.from_the_start()
        cells, held = self._rows + self._cells, max(self._rows, self._cells)
        if self._sizes.size == 2:
            blocks = self._blocks[0]
            cells, held = blocks.cells + 4 * self._blocks[1].shape[1], 0
        return Permuted(lambda *block: scores(draw(*block)), cells, mean, size, held)

    def _next(self) -> Callable[[Any, int], Floats]:
        """Return what draws the next tables from a fixed stream."""
        if self._sizes.size == 2:
            return self._of_two
        truth, weights, rows = self._kinds
        kinds, places = np.arange(truth.size), np.arange(self._sizes.size)
        if places.size == self._classes:  # in an order that does not depend on classes' names
            n = np.bincount(truth, weights * rows, self._classes)
            places = np.lexsort((self._sizes, np.round(n, 9)))
            kinds = np.lexsort((weights, np.argsort(places)[truth]))
        kinds = np.repeat(kinds, rows[kinds])
        said = np.repeat(places, self._sizes[places])
        if kinds.size > self._rows:
            rng = np.random.default_rng(SEED)
            kinds, said = (rng.choice(each, self._rows, replace=False) for each in (kinds, said))
        keys, heavy = truth[kinds] * self._sizes.size, weights[kinds]
        orders, every, size = RandomOrders(self._rows), self._cells, self._sizes.size

        def draw(rng: np.random.Generator, number: int) -> Floats:
            cells = said[orders(rng, number)]
            cells += keys + np.arange(number)[:, np.newaxis] * every
            sums = np.bincount(cells.ravel(), np.tile(heavy, number), number * every)
            return np.asarray(sums.reshape(number, self._classes, size))

        return draw

    @cached_property
    def _blocks(self) -> tuple[RandomBlocks, Floats, Ints]:
        """What draws rows for the rarer of two predictions, and what kinds of rows weigh."""
        truth, weights, rows = joined(*self._kinds)
        of_class = (np.eye(self._classes)[truth] * weights[:, np.newaxis]).T
        return RandomBlocks(int(self._sizes.min()), rows), of_class, rows

    def _of_two(self, rng: np.random.Generator, number: int) -> Floats:
        """Return tables of two predictions, by how many of each kind of row get the rarer one."""
        blocks, of_class, rows = self._blocks
        chosen = blocks(rng, number)
        # What is left is summed for itself: a difference would lose its digits.
        both = [of_class @ each.astype(float).T for each in (rows - chosen, chosen)]
        if self._sizes[1] > self._sizes[0]:
            both.reverse()
        return np.stack(both).transpose(2, 1, 0)


def _null_of_sum(sums: Linear, observed: Weighted) -> NullDistribution:
    """Return the distribution of a sum over the rows: of levels of a class and a weight."""
    test_set, sizes = observed.test_set, observed.sizes
    truth = observed.classes[test_set.truth]
    heavy, rows, points = test_set.importance, test_set.rows, sums.points
    if sizes.size == 2:
        gains = heavy * (points[truth, 1] - points[truth, 0])
        order = np.argsort(gains, kind="stable")
        start = sums.constant + float((heavy * rows) @ points[truth, 0])
        return two_levels(int(sizes[1]), rows[order], gains[order], intercept=start)
    met = np.flatnonzero(sizes)
    points, sizes = points[:, met], sizes[met]
    link = Link.affine(1.0, sums.constant)
    if rows.size * sizes.size <= MAX_LEVELS:
        return of_sum(Matching(rows, sizes, heavy[:, np.newaxis] * points[truth]), link)
    found = _few_levels(points, sizes, truth, heavy, rows)
    if found.is_tame:
        return of_sum(found, link)
    draws = _Draws((truth, heavy, rows), sizes, observed.shape[0], MOST_SHUFFLED)
    unit, mean = observed.total / min(observed.total, MOST_SHUFFLED), found.mean + sums.constant
    return draws.permuted(
        lambda tables: unit * np.einsum("tkj,kj->t", tables, points) + sums.constant, mean=mean
    )


def _few_levels(points: Floats, sizes: Ints, truth: Ints, heavy: Floats, rows: Ints) -> Matching:
    """Return a sum of fewer levels and predictions, with the mean and the spread of all of them."""
    total, classes = float(rows.sum()), len(points)
    by_class, squares = (np.bincount(truth, rows * heavy**p, classes) for p in (1, 2))
    away = points - (points @ sizes / total)[:, np.newaxis]
    # Doubly centred: a[i, j] = w_i·p[k_i, j], less the means of rows and columns (Hoeffding 1951).
    columns = by_class @ away / total
    variance = float(squares @ (away**2 @ sizes)) - total * float(columns**2 @ sizes)
    few, weights, counts = joined(truth, heavy, rows, FEW_WEIGHTS)
    most = MAX_LEVELS // counts.size
    found = thinned(counts, sizes.astype(float), weights[:, np.newaxis] * points[few], most)
    found.merged = True
    found.mean = float(by_class @ (points @ sizes)) / total
    return found.rescaled((max(variance, 0.0) / max(total - 1, 1)) ** 0.5)


# --- Two models that are swapped ------------------------------------------------------------------


def swap_test(
    measure: WeightedMeasure, joint: WeightedJoint, clusters: Sequence[WeightedJoint] = ()
) -> SwapTest:
    """Return the p-value of swapping the models row by row, or by whole clusters."""
    scores = [measure.score_or_reason(each) for each in (joint.first, joint.second)]
    if any(reason for _, reason in scores):
        return UNDEFINED
    if not joint.disagreements:
        return SAME
    of, (one, other), codes = measure.of, joint.sides, None
    if clusters:
        (one, codes), (other, _) = (
            of_clusters(whole, [each.sides[model] for each in clusters])
            for model, whole in enumerate(joint.sides)
        )
    heavy, by_class = one.importance, joint.first.test_set.by_class
    first, second = (linear(of, each.plain, by_class) for each in (one, other))
    if first is not None and second is not None:
        gained = second.points[one.truth, other.given] - first.points[one.truth, one.given]
        return flip_test(heavy * gained, one.rows, codes)
    if not isinstance(of, ClassScoreMeasure):
        size = of.magnitude(max(abs(score) for score, _ in scores))
        return permutation_test(_pair(measure, joint, (one, other), codes, size))
    if not isinstance(of.form, Areas):
        return UNDEFINED
    both = [_ranked(each, each) for each in joint.sides]
    some = list(map(_ranked, joint.sides, (one, other))) if clusters else both
    return flip_test(heavy * swapped_areas(of.form, both, some), one.rows, codes)


def _ranked(whole: Weighted, cells: Weighted) -> ClassProbabilities:
    """Return the ranks of rows of scores among all of them; a rank does not depend on weights."""
    known = whole.plain
    return replace(cells.as_counts, rows=ranks(known.rows, known.sizes, cells.plain.rows))


def _pair(
    measure: WeightedMeasure,
    joint: WeightedJoint,
    sides: tuple[Weighted, Weighted],
    codes: Ints | None,
    size: float,
) -> Pair:
    """Return two models by the weights of their tables; of rankings, by ranks within each."""
    from scipy.sparse import csr_array

    of, (one, other), plain = measure.of, sides, joint.plain.first
    first, second, (classes, predictions) = one.given, other.given, one.shape
    if isinstance(of, ScoreMeasure):
        said = [said_of(each.plain, each.said, only_order=not of.probabilities) for each in sides]
        values = np.unique(np.concatenate([blocks for blocks, _ in said]))[::-1]
        first, second = (np.searchsorted(-values, -blocks)[places] for blocks, places in said)
        plain, predictions = SimpleNamespace(values=values), values.size
    shared = [one.truth, one.importance, *([] if codes is None else [codes])]
    kinds = alike(first, second, one.rows, *shared)
    truth, heavy, score = *kinds.shared[:2], measure.kernel(plain)
    every, cells = np.arange(truth.size), classes * predictions

    def adds(places: Ints) -> Any:
        columns = truth * predictions + places
        return csr_array((heavy, (every, columns)), shape=(truth.size, cells))

    is_slow = of.is_custom and not getattr(of.definition.function, "vectorised", False)
    return Pair(
        kinds.rows,
        kinds.first,
        [adds(kinds.low), adds(kinds.high)],
        lambda sums: score(sums.reshape(*sums.shape[:-1], classes, predictions)),
        clusters=None if codes is None else kinds.shared[2],
        size=size,
        cost=ONE_BY_ONE if is_slow else 1,
    )
