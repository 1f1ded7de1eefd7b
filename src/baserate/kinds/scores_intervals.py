"""How scores of rankings and probabilities vary over test sets, and what swaps change."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.core.measure import Direction, Rule
from baserate.core.observed import UNDEFINED, by_cluster, cells_of, summed
from baserate.data.score_counts import first_places
from baserate.intervals.bootstrap import LOG, PLAIN, SHARE, Statistic
from baserate.intervals.limits import Margin
from baserate.observed.labels import BaseRate
from baserate.observed.scores import Counts
from baserate.paired import Pair, alike, flip_test, permutation_test

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.core.baseline import Baseline
    from baserate.core.observed import SwapTest
    from baserate.measures.probabilities import ScoringRule
    from baserate.measures.scores import ScoreMeasure
    from baserate.observed.scores import JointScores, RankedScores

    Floats = NDArray[Any]
    Ints = NDArray[Any]


# More cells than this are a sample of as many rows, or of fewer if there are many classes.
_MOST_CELLS, _MOST_NUMBERS = 10**5, 2**22
# Numbers are the same if so many digits are.
_DIGITS = 9
# A fixed stream: an interval is the same twice.
_SEED = 40
_JOINT = ("first_scores", "second_scores", "positives", "negatives")
# Swaps of up to so many rows have finer blocks.
_FEW_ROWS = 20_000


class Fineness(NamedTuple):
    """How finely blocks are kept apart."""

    most: int  # so many blocks are all kept
    top: int  # so many of the highest observations are kept apart
    ratio: float  # beyond, each block ends this many times as far down
    parts: int  # each class is cut in so many parts besides, the narrowest at both ends


ALONE = Fineness(most=192, top=32, ratio=1.15, parts=64)
PAIRED = Fineness(most=64, top=8, ratio=1.5, parts=32)
_FINE = Fineness(most=512, top=32, ratio=1.1, parts=128)


@dataclass(frozen=True, eq=False)
class RowScores:
    """What a scoring rule gives to rows: of one model, or of a second one minus a first."""

    measure: Any
    rule: ScoringRule
    relative: bool
    exact: float
    points: Callable[[Ints], Floats]  # of the cells whose places are given
    truth: Ints  # the class of each cell
    rows: Ints  # how many rows it has
    classes: int
    # The points, the class, the rows, the cluster and the weight of all cells of some clusters.
    of_clusters: Callable[[Sequence[Any]], tuple[Floats, Ints, Ints, Ints, Any]]
    weights: Any = 1.0  # of a row of each cell, and of a spare row; 1 if all matter alike
    spare: float = 1.0

    def score(self) -> Statistic:
        """Return the mean, or the skill."""
        scale = PLAIN if self.rule.direction is Direction.MAXIMIZE else LOG
        return self._statistic(
            (lambda sums: 1 - _mean(sums) / self._free(sums)) if self.relative else _mean,
            self.exact,
            scale=SHARE if self.relative else scale,
            ends=(-math.inf, 1.0) if self.relative else self._ends,
        )

    def margin(self) -> Margin | None:
        """Return how much better the mean is than that of the class shares; None of skill."""
        if self.relative:
            return None
        sign = 1 if self.rule.direction is Direction.MAXIMIZE else -1
        shares = np.bincount(self.truth, self.rows * self.weights, self.classes) / self.rows.sum()
        guess = self.rule.points(shares[np.newaxis], np.finfo(float).tiny)[0]
        _, tied = np.unique(shares, return_inverse=True)  # who share what a tie gives to one
        guess = (np.bincount(tied, guess) / np.bincount(tied))[tied]
        margin = sign * (self.exact - float(self.rule.free(shares)))
        return Margin(
            chosen=self._statistic(lambda sums: sign * (_mean(sums) - self._free(sums)), margin),
            kept=self._statistic(
                lambda sums: sign * (sums[..., 0] - sums[..., 1:] @ guess) / _total(sums), margin
            ),
        )

    def difference(self) -> Statistic:
        """Return the second model's score minus the first's."""
        low, high = self._ends
        return self._statistic(
            (lambda sums: -_mean(sums) / self._free(sums)) if self.relative else _mean,
            self.exact,
            spares=self._spares(low - high, high - low),
        )

    def _free(self, sums: Floats) -> Floats:
        return self.rule.free(sums[..., 1:] / _total(sums)[..., np.newaxis])

    def _statistic(self, of: Callable[[Floats], Floats], exact: float, **kwargs: Any) -> Statistic:
        rows, columns = self._units
        total = float(rows.sum())
        return Statistic(
            of,
            rows,
            self.measure.interval,
            columns,
            observed=np.asarray(exact),
            shrunk=math.sqrt(total / float(self.rows.sum())),
            of_clusters=self._of_clusters,
            **{"spares": self._spares(*self._ends), **kwargs},
        )

    @cached_property
    def _units(self) -> tuple[Floats, Floats]:
        """The number of rows of each cell, and what one adds to the sums; a sample, of many."""
        rows, cells = self.rows, np.arange(self.rows.size)
        most = min(_MOST_CELLS, _MOST_NUMBERS // (self.classes + 1))
        if rows.size > most:
            upto = np.cumsum(rows)
            drawn = np.random.default_rng(_SEED).integers(upto[-1], size=most)
            cells, rows = np.unique(np.searchsorted(upto, drawn, "right"), return_counts=True)
        points, truth = self.points(cells), self.truth[cells]
        heavy = np.broadcast_to(self.weights, self.rows.shape)[cells]
        if self.measure.interval is Rule.END:  # hits and misses: a few kinds of rows
            kinds, place = np.unique(np.stack([truth, points, heavy]), axis=1, return_inverse=True)
            truth, points, heavy = kinds[0].astype(np.int64), kinds[1], kinds[2]
            rows = np.bincount(place.reshape(-1), rows).astype(np.int64)
        order = self._order(points, truth, rows, heavy)
        columns = self._columns(points[order], truth[order], heavy[order])
        return rows[order].astype(float), columns

    def _columns(self, points: Floats, truth: Ints, weights: Any) -> Floats:
        """Return what rows add to the sums: their points, and one of their class."""
        columns = np.zeros((points.size, self.classes + 1))
        columns[:, 0] = points * weights
        columns[np.arange(points.size), 1 + truth] = weights
        return columns

    def _of_clusters(self, clusters: Sequence[Any]) -> tuple[Floats, Floats]:
        points, truth, rows, codes, weights = self.of_clusters(clusters)
        return summed(codes, rows, self._columns(points, truth, weights))

    def _order(self, points: Floats, truth: Ints, rows: Ints, weights: Floats) -> Ints:
        """Return an order of cells that no name of a class changes: by what they have, and class.

        Classes are known by how many rows they have, and by what these have.
        """
        largest = np.abs(points).max(initial=np.finfo(float).tiny)
        sizes = np.bincount(truth, rows, self.classes)
        means = np.bincount(truth, rows * points, self.classes) / np.maximum(sizes, 1) / largest
        rounded = np.round(points / largest, _DIGITS)
        return np.lexsort((weights, np.round(means, _DIGITS)[truth], sizes[truth], rounded))

    @cached_property
    def _ends(self) -> tuple[float, float]:
        """Between which numbers a row may be: those of certainty, right or wrong."""
        if not math.isfinite(self.rule.codomain.upper):
            return 0.0, math.inf
        certain = self.rule.points(np.eye(max(self.classes, 2)), 0.0)
        return float(certain.min()), float(certain.max())

    def _spares(self, low: float, high: float) -> Floats | None:
        """Return what the worst and the best row of each class add; None if it has no end."""
        if not math.isfinite(high):
            return None
        every, each = np.eye(self.classes) * self.spare, np.full(self.classes, self.spare)
        return np.concatenate([np.column_stack([end * each, every]) for end in (low, high)])


def _total(sums: Floats) -> Floats:
    return np.asarray(sums[..., 1:].sum(axis=-1))


def _mean(sums: Floats) -> Floats:
    return np.asarray(sums[..., 0] / _total(sums))


# The baseline is known at so many numbers of positives, so many standard deviations around.
_KNOWN, _AROUND = 33, 5


class Rankings:
    """Rankings, and probabilities of two classes."""

    def proportion(self, measure: ScoreMeasure, observed: RankedScores) -> None:
        """Return None: no proportion decides a score."""

    def score(self, measure: ScoreMeasure, observed: RankedScores) -> Statistic:
        """Return a score."""
        exact, codomain = measure.score_or_reason(observed)[0], measure.codomain
        if measure.rule is not None:
            return _rows(measure, exact, observed, observed.values).score()
        return _cells(measure, observed, measure.many, exact, ends=(codomain.lower, codomain.upper))

    def margin(self, baseline: Baseline, observed: RankedScores) -> Margin | None:
        """Return a margin; None if the baseline is the same on all test sets."""
        measure: ScoreMeasure = baseline.measure
        exact, _ = measure.score_or_reason(observed)
        if measure.rule is not None:
            return _rows(measure, exact, observed, observed.values).margin()
        known = baselines(measure, observed.test_set)
        if known is None:
            return None
        sign = 1 if measure.direction is Direction.MAXIMIZE else -1

        def of(counts: Counts) -> Floats:
            return sign * (measure.many(counts) - known(counts.positives.sum(axis=-1)))

        found = _cells(measure, observed, of, sign * (exact - baseline.value))
        return Margin(found)

    def difference(self, measure: ScoreMeasure, joint: JointScores) -> Statistic:
        """Return the second score minus the first."""
        exact = measure.score_or_reason(joint.second)[0] - measure.score_or_reason(joint.first)[0]
        if measure.rule is not None:
            both = (joint.first_scores, joint.second_scores)
            return _rows(measure, exact, joint, *both).difference()
        values, one = _places(joint.first, joint.first_scores)
        others, other = _places(joint.second, joint.second_scores)
        # The cells of both blocks and of either class that have rows.
        pairs = one * others.size + other
        counts: Floats = np.stack(
            [np.bincount(pairs, each) for each in (joint.positives, joint.negatives)]
        )
        cells, is_negative = np.nonzero(counts.T)
        rows, (one, other) = counts[is_negative, cells], np.divmod(cells, others.size)
        columns = np.concatenate(
            [_one_hot(one, is_negative, values.size), _one_hot(other, is_negative, others.size)],
            axis=1,
        )

        def of(sums: Floats) -> Floats:
            first, second = np.split(sums, [2 * values.size], axis=-1)
            return measure.many(_counts(others, second)) - measure.many(_counts(values, first))

        def of_clusters(clusters: Sequence[JointScores]) -> tuple[Floats, Floats]:
            (*said, yes, no), codes = cells_of(clusters, _JOINT)
            models = (joint.first, values), (joint.second, others)
            sums = [
                _in_blocks(_places(scores, each)[1], blocks.size, codes, (yes, no))
                for (scores, blocks), each in zip(models, said, strict=True)
            ]
            return np.concatenate(sums, axis=1), sums[0].sum(axis=1)

        # With a spare row at opposite ends of the scores, models that resemble each other could
        # never be told apart: it is the worst row that was seen.
        return Statistic(
            of, rows, Rule.SEEN, columns, observed=np.asarray(exact), of_clusters=of_clusters
        )

    def contributions(self, observed: RankedScores, clusters: Sequence[RankedScores]) -> Floats:
        """Return what each cluster adds to the association: Σ (truth - mean)(rank - mean)."""
        sizes = observed.positives + observed.negatives
        ranks = (observed.total + sizes) / 2 - np.cumsum(sizes)
        share, every = observed.test_set.positives / observed.total, np.arange(ranks.size)
        (values, positives, negatives), codes = cells_of(
            clusters, ("values", "positives", "negatives")
        )
        added = positives * (1 - share) - negatives * share
        centred = ranks[blocks_of(observed, every, values)] / observed.total
        return np.bincount(codes, added * centred, len(clusters)).astype(float)


RANKINGS = Rankings()


def baselines(measure: ScoreMeasure, rate: BaseRate) -> Callable[[Floats], Floats] | None:
    """Return the baseline by the number of positives, of as many rows; None if it is constant.

    It is interpolated, and constant beyond the numbers for which it exists.
    """
    spread = _AROUND * math.sqrt(rate.positives * rate.negatives / rate.total + 1)
    low, high = max(rate.positives - spread, 0), min(rate.positives + spread, rate.total)
    whole = np.unique(np.rint(np.append(np.linspace(low, high, _KNOWN), rate.positives)))
    rates = [BaseRate(positives=int(each), total=rate.total) for each in whole]
    known = [
        (each.positives, measure.guesses(each).best.value)
        for each in rates
        if not measure.missing(each)
    ]
    places, values = np.array(known, dtype=float).T
    return (lambda positives: np.interp(positives, places, values)) if np.ptp(values) else None


def _rows(
    measure: Any, exact: float, counts: RankedScores | JointScores, *scores: Floats
) -> RowScores:
    """Return what a scoring rule gives to cells: of one model, or of a second one minus a first."""
    rule: ScoringRule = measure.rule
    both = np.concatenate([counts.negatives, counts.positives])
    met, size = np.flatnonzero(both), counts.positives.size
    names = ["values"] if len(scores) == 1 else ["first_scores", "second_scores"]

    def given(scores: Sequence[Floats], is_positive: Ints) -> Floats:
        found = [np.where(is_positive, *rule.of_two(each)) for each in scores]
        return found[0] if len(found) == 1 else found[1] - found[0]

    def points(cells: Ints) -> Floats:
        is_positive, places = np.divmod(met[cells], size)
        return given([each[places] for each in scores], is_positive)

    def of_clusters(clusters: Sequence[Any]) -> tuple[Floats, Ints, Ints, Ints, Any]:
        columns, codes = cells_of(clusters, [*names, "negatives", "positives"])
        *said, negatives, positives = columns
        truth = np.repeat([0, 1], negatives.size)
        rows = np.concatenate([negatives, positives])
        points = given([np.tile(each, 2) for each in said], truth)
        return points, truth, rows, np.tile(codes, 2), 1.0

    return RowScores(
        measure, rule, measure.relative, exact, points, met // size, both[met], 2, of_clusters
    )


def _cells(
    measure: ScoreMeasure,
    observed: RankedScores,
    of: Callable[[Counts], Floats],
    exact: float,
    ends: tuple[float, float] = (-math.inf, math.inf),
) -> Statistic:
    """Return a function of the cells of one model, with an empty block above and below all."""
    if "blocks" not in observed.kept:
        starts = block_starts(observed, ALONE)
        observed.kept["blocks"] = starts, *merged(observed, starts)
    starts, values, positives, negatives = observed.kept["blocks"]
    blocks = np.concatenate([[1.0], values, [0.0]])  # as probabilities have them
    rows = np.pad(np.stack([positives, negatives]), ((0, 0), (1, 1))).astype(float)
    spares = np.eye(rows.size)[[0, blocks.size - 1, blocks.size, -1]]
    return Statistic(
        lambda sums: of(_counts(blocks, sums)),
        rows.ravel(),
        measure.interval,
        spares=spares,
        ends=ends,
        observed=np.asarray(exact),
        of_clusters=lambda clusters: _of_clusters(observed, starts, clusters),
    )


def _of_clusters(
    observed: RankedScores, starts: Ints, clusters: Sequence[RankedScores]
) -> tuple[Floats, Floats]:
    """Return the positives and the negatives of each cluster in blocks, and how many they are."""
    (values, *counts), codes = cells_of(clusters, ("values", "positives", "negatives"))
    sums = _in_blocks(1 + blocks_of(observed, starts, values), starts.size + 2, codes, counts)
    return sums, sums.sum(axis=1)


def _in_blocks(places: Ints, blocks: int, codes: Ints, counts: Sequence[Ints]) -> Floats:
    """Return how many positives, and then negatives, of each cluster are in each block."""
    size = int(codes[-1]) + 1
    sides = [np.bincount(codes * blocks + places, rows, size * blocks) for rows in counts]
    return np.concatenate([each.reshape(size, blocks) for each in sides], axis=1)


# --- Fewer blocks of many scores ------------------------------------------------------------------


def block_starts(scores: RankedScores, fineness: Fineness) -> Ints:
    """Return the first place of each run of blocks that are taken together."""
    size = scores.values.size
    if size <= fineness.most:
        return np.arange(size)
    rate = scores.test_set
    steps = math.ceil(math.log(max(rate.total / fineness.top, 1), fineness.ratio))
    ranks = np.append(
        np.arange(1.0, fineness.top + 1), fineness.top * fineness.ratio ** np.arange(1, steps + 1)
    )
    # Equal steps of the arcsine are equal steps of a standard deviation of a proportion.
    shares = np.sin(np.arange(1, fineness.parts) / fineness.parts * math.pi / 2) ** 2
    sizes = rate.positives, rate.negatives
    every = [max(each, 1) for each in sizes]

    def passed(positives: Ints, negatives: Ints) -> Floats:
        return np.asarray(positives / every[0] + negatives / every[1])

    both = (scores.positives, scores.negatives)
    whole = passed(*map(np.asarray, sizes))
    ends = np.append(first_places(both, ranks, np.add), first_places(both, shares * whole, passed))
    starts = np.unique(np.append(0, ends + 1))
    return starts[starts < size]


def merged(scores: RankedScores, starts: Ints) -> tuple[Floats, Ints, Ints]:
    """Return the mean score and the counts of blocks that are taken together."""
    if starts.size == scores.values.size:
        return scores.values, scores.positives, scores.negatives
    positives, negatives = (
        np.add.reduceat(each, starts) for each in (scores.positives, scores.negatives)
    )
    sizes = scores.levels.sizes
    parts = map(slice, starts.tolist(), [*starts[1:].tolist(), None])
    with np.errstate(invalid="ignore"):  # infinite scores are ranked, not averaged
        sums = np.array([(scores.values[part] * sizes[part]).sum() for part in parts])
        return sums / (positives + negatives), positives, negatives


def blocks_of(scores: RankedScores, starts: Ints, values: Floats) -> Ints:
    """Return in which block of a model each score is."""
    return np.maximum(np.searchsorted(-scores.values[starts], -values, side="right") - 1, 0)


def _counts(values: Floats, sums: Floats) -> Counts:
    """Return the counts of blocks: the positives of each, and then the negatives."""
    both = sums.reshape(*sums.shape[:-1], 2, values.size)
    return Counts(values, both[..., 0, :], both[..., 1, :])


def _places(scores: RankedScores, of_pairs: Floats) -> tuple[Floats, Ints]:
    """Return the scores of blocks of one model, and in which of them each pair is."""
    starts = block_starts(scores, PAIRED)
    return merged(scores, starts)[0], blocks_of(scores, starts, of_pairs)


def _one_hot(places: Ints, is_negative: Ints, blocks: int) -> Floats:
    """Return what a row adds to the positives and the negatives of blocks."""
    found = np.zeros((places.size, 2, blocks))
    found[np.arange(places.size), is_negative, places] = 1.0
    return found.reshape(places.size, 2 * blocks)


# --- Swaps ----------------------------------------------------------------------------------------


def swap_test(
    measure: ScoreMeasure, joint: JointScores, clusters: Sequence[JointScores] = ()
) -> SwapTest:
    """Return the two-sided p-value of swapping the models row by row, or by whole clusters.

    Where the score is a mean over the rows, only the sum of differences with random signs matters.
    """
    if any(measure.score_or_reason(each)[1] for each in (joint.first, joint.second)):
        return UNDEFINED
    if measure.rule is None:
        return permutation_test(_pair(measure, joint, clusters))
    (one, other, *counts), codes = by_cluster(joint, clusters, _JOINT)
    first, second = measure.rule.of_two(one), measure.rule.of_two(other)
    differences = np.concatenate([second[0] - first[0], second[1] - first[1]])
    both = None if codes is None else np.tile(codes, 2)
    return flip_test(differences, np.concatenate(counts), both)


def _pair(measure: ScoreMeasure, joint: JointScores, clusters: Sequence[JointScores]) -> Pair:
    """Return two models by how many positives and negatives have each rank."""
    from scipy.sparse import csr_array

    (one, other, *counts), codes = by_cluster(joint, clusters, _JOINT)
    said = [
        said_of(scores, of_pairs, only_order=not measure.probabilities)
        for scores, of_pairs in ((joint.first, one), (joint.second, other))
    ]
    values = np.unique(np.concatenate([blocks for blocks, _ in said]))[::-1]
    first, second = (np.searchsorted(-values, -blocks)[places] for blocks, places in said)
    met = [np.flatnonzero(each) for each in counts]
    rows = np.concatenate([each[place] for each, place in zip(counts, met, strict=True)])
    places, truth = np.concatenate(met), np.repeat([0, 1], [each.size for each in met])
    shared = [truth] if codes is None else [truth, codes[places]]
    kinds = alike(first[places], second[places], rows, *shared)

    def adds(places: Ints) -> Any:
        columns, shape = places + values.size * kinds.shared[0], (places.size, 2 * values.size)
        return csr_array((np.ones(places.size), (np.arange(places.size), columns)), shape=shape)

    return Pair(
        kinds.rows,
        kinds.first,
        [adds(kinds.low), adds(kinds.high)],
        lambda counts: measure.many(_counts(values, np.ascontiguousarray(counts))),
        clusters=None if codes is None else kinds.shared[1],
    )


def said_of(scores: RankedScores, of_pairs: Floats, *, only_order: bool) -> tuple[Floats, Ints]:
    """Return what a model says of each block, a rank from the bottom or a score, and of whom."""
    fineness = _FINE if scores.test_set.total <= _FEW_ROWS else PAIRED
    starts = block_starts(scores, fineness)
    values, positives, negatives = merged(scores, starts)
    if only_order:
        sizes = positives + negatives
        # Twice the mean rank is a whole number.
        values = (2 * (sizes.sum() - np.cumsum(sizes)) + sizes).astype(float)
    return values, blocks_of(scores, starts, of_pairs)
