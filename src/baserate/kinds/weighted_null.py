"""Null distributions of scores of rows that matter more or less, and swaps of two models.

Predictions are shuffled over the rows, or swapped; a row keeps its class and its weight.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.observed import SAME, UNDEFINED
from baserate.exceptions import UndefinedMeasureError
from baserate.kinds.scores_intervals import said_of
from baserate.measures.class_areas import Areas, ranks, swapped_areas
from baserate.measures.class_scores import ClassScoreMeasure
from baserate.measures.scores import ScoreMeasure
from baserate.measures.weighted import linear
from baserate.null.distribution import Listed
from baserate.null.matching import Matching
from baserate.null.permutations import (
    SEED,
    Permuted,
    RandomBlocks,
    RandomOrders,
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
    from baserate.observed.weighted import Weighted, WeightedJoint

    Floats = NDArray[Any]
    Ints = NDArray[np.int64]


# Rows of nearly the same weight are joined if a class has more different weights: where two
# predictions are drawn, and in a sum of many levels.
MAX_WEIGHTS, FEW_WEIGHTS = 500, 32
# A sum of more levels times predictions takes seconds by a saddlepoint.
MAX_LEVELS = 2**15
# Of more rows, a sample is shuffled: scores of fewer rows vary more, so no chance is too small.
MOST_SHUFFLED = 20_000


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
    size, truth = measure.of.magnitude(0.0), _classes(observed)
    draws = _Draws(truth, test_set.importance, test_set.rows, sizes, observed.shape[0])
    score = measure.kernel(observed.plain)

    def scores(tables: Floats) -> Floats:
        found = score(tables)
        if np.isnan(found).any():
            needs = "a draw whose every score is a number"
            raise UndefinedMeasureError.no_distribution(measure.key, needs, "none")
        return found

    every = draws.every()
    if every is not None:
        return Listed(scores(every[0]), every[1], size)
    next_draws = draws.shared()
    permuted = Permuted(
        lambda *block: scores(next_draws(*block)), draws.cells, size=size, held=draws.held
    )
    permuted.first(1)  # raises if there are draws without a score
    return permuted


def _classes(observed: Weighted) -> Ints:
    """Return the place of the class of each kind of row, among those of the observation."""
    test_set, shape = observed.test_set, observed.shape
    if len(test_set.labels) == shape[0]:
        return test_set.truth
    return np.flatnonzero(observed.plain.true_counts)[test_set.truth]


class _Draws:
    """Shuffled predictions: tables (…, classes, predictions) of weights."""

    def __init__(self, truth: Ints, weights: Floats, rows: Ints, sizes: Ints, classes: int) -> None:
        self._kinds, self._sizes, self._classes = (truth, weights, rows), sizes, classes
        self._is_of_two = sizes.size == 2
        self.held = classes * sizes.size
        if self._is_of_two:
            self._placed = RandomBlocks(int(sizes.min()), joined(*self._kinds)[2])
            self.cells = self._placed.cells + 4 * joined(*self._kinds)[2].size
        else:
            total = min(int(rows.sum()), MOST_SHUFFLED)
            self._orders = RandomOrders(total)
            self.cells = total + self.held
            self.held = max(total, self.held)

    def every(self) -> tuple[Floats, Floats] | None:
        """Return all tables and their chances; None if they are too many."""
        truth, weights, rows = self._kinds
        every = all_tables(rows.tolist(), self._sizes.tolist())
        if every is None or every[0].size * self._classes > 10 * MAX_LEVELS * self._classes:
            return None
        of_class = np.eye(self._classes)[truth] * weights[:, np.newaxis]
        return np.einsum("kc,tkj->tcj", of_class, every[0]), every[1]

    def shared(self) -> Callable[[Any, int], Floats]:
        """Return what draws the next tables from a fixed stream."""
        if self._is_of_two:
            return self._of_two
        truth, weights, rows = self._kinds
        places = np.repeat(np.arange(truth.size), rows)
        said = np.repeat(np.arange(self._sizes.size), self._sizes)
        if places.size > MOST_SHUFFLED:
            rng = np.random.default_rng(SEED)
            places = np.sort(rng.choice(places, MOST_SHUFFLED, replace=False))
            said = np.sort(rng.choice(said, MOST_SHUFFLED, replace=False))
        size = self._sizes.size
        keys, heavy, every = truth[places] * size, weights[places], self._classes * size

        def draw(rng: np.random.Generator, number: int) -> Floats:
            cells = said[self._orders(rng, number)]
            cells += keys + np.arange(number)[:, np.newaxis] * every
            sums = np.bincount(cells.ravel(), np.tile(heavy, number), number * every)
            return sums.reshape(number, self._classes, size)

        return draw

    def _of_two(self, rng: np.random.Generator, number: int) -> Floats:
        """Return tables of two predictions, by how many of each kind of row get the rarer one."""
        truth, weights, rows = joined(*self._kinds)
        of_class = (np.eye(self._classes)[truth] * weights[:, np.newaxis]).T
        chosen = self._placed(rng, number)
        # What is left is summed for itself: a difference would lose its digits.
        both = [of_class @ each.astype(float).T for each in (rows - chosen, chosen)]
        if self._sizes[1] > self._sizes[0]:
            both.reverse()
        return np.moveaxis(np.stack(both), -1, 0).swapaxes(1, 2)


def _null_of_sum(sums: Linear, observed: Weighted) -> NullDistribution:
    """Return the distribution of a sum over the rows: of levels of a class and a weight."""
    test_set, sizes, truth = observed.test_set, observed.sizes, _classes(observed)
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
    draws = _Draws(truth, heavy, rows, sizes, observed.shape[0])
    next_draws = draws.shared()
    return Permuted(
        lambda *block: np.einsum("tkj,kj->t", next_draws(*block), points) + sums.constant,
        draws.cells,
        mean=found.mean + sums.constant,
        held=draws.held,
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
    cells = [_ranked(*each) for each in zip(joint.sides, (one, other), strict=True)]
    return flip_test(heavy * swapped_areas(of.form, both, cells), one.rows, codes)


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
