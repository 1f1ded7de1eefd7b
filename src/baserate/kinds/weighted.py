"""Labels of two classes whose observations matter more or less."""

from __future__ import annotations

import math
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.baselines.weighted import WeightedBaseline, weighted_baseline
from baserate.core.measure import Direction
from baserate.core.multiple_testing import Tails
from baserate.core.observed import UNDEFINED, Rows, Weights
from baserate.data.labels import CountedLabels, count_labels
from baserate.exceptions import InvalidWeightsError, UndefinedMeasureError
from baserate.intervals.bootstrap import Statistic
from baserate.intervals.limits import Margin
from baserate.kinds.two_classes import BINARY
from baserate.kinds.two_classes_intervals import CALLED, TWO_CLASSES, defined_scores
from baserate.kinds.two_classes_intervals import swap_test as swap_labels
from baserate.kinds.two_classes_null import CENTRAL
from baserate.measures.two_classes import REPORTED, TWO_CLASS_MEASURES, J
from baserate.measures.weighted import WeightedMeasure, classed
from baserate.null.distribution import Listed
from baserate.null.permutations import Permuted, RandomBlocks, SharedDraws, all_tables
from baserate.null.sums import two_levels
from baserate.observed.weighted import (
    NAME,
    Blocks,
    WeightedBase,
    WeightedJoint,
    WeightedLabels,
    of_cells,
)
from baserate.paired import ONE_BY_ONE, Pair, flip_test, permutation_test
from baserate.task import LabelTask

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.core.baseline import Baseline
    from baserate.core.observed import SwapTest
    from baserate.data.columns import Labels
    from baserate.intervals.limits import Proportion
    from baserate.null.distribution import NullDistribution

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Cells = tuple[Floats, Floats, Floats, Floats]


# Measures multiply up to four sums of weights.
_MOST = 1e60
MAX_BLOCKS = 500
"""Observations of nearly the same weight are joined if a class has more different weights."""


def count_weighted(*arguments: Any, **options: Any) -> CountedLabels:
    """Count labels per weight, or raise if a product of four sums of weights may be no float."""
    found = count_labels(*arguments, **options)
    low, high = (1.0, 1.0) if found.weights is None else found.weights[[0, -1]].tolist()
    if high > _MOST or low < 1 / _MOST:
        raise InvalidWeightsError(
            f"must be 0 or between {1 / _MOST:g} and {_MOST:g} (got {low:g} to {high:g})",
            parameter="sample_weight",
        )
    return found


@lru_cache(maxsize=64)
def null_of(measure: WeightedMeasure, base: WeightedBase, drawn: int) -> NullDistribution:
    """Return the distribution of a score over draws of a size, or raise if some have no score."""
    measure.of.require_draw(base.rate, drawn)
    base = measure.on(base)
    plane = measure.plane(base)
    if plane is not None:
        blocks = base.blocks
        gains = np.where(blocks.positive, plane.tp, plane.fp) * blocks.weights
        order = np.argsort(gains, kind="stable")
        return two_levels(drawn, blocks.sizes[order], gains[order], intercept=plane.constant)
    size = measure.of.magnitude(0.0)
    every = _every_draw(base, drawn)
    if every is not None:
        return Listed(_scores(measure, every[0]), every[1], size)
    draws, cells = _random_draws(base, drawn)
    next_draws = draws.from_the_start()
    found = Permuted(lambda *block: _scores(measure, next_draws(*block)), cells, size=size)
    found.first(1)  # raises if there are draws without a score
    return found


@lru_cache(maxsize=8)
def _every_draw(base: WeightedBase, drawn: int) -> tuple[Cells, Floats] | None:
    """Return the weighted counts of all draws and their chances; None if they are too many."""
    blocks = base.blocks
    every = all_tables([drawn, base.total - drawn], blocks.sizes.tolist())
    return None if every is None else (_weighed(blocks, every[0][:, 0]), every[1])


@lru_cache(maxsize=4)
def _random_draws(base: WeightedBase, drawn: int) -> tuple[SharedDraws[Cells], int]:
    """Return random draws of a test set, which all measures share, and how much work one is."""
    blocks, few = _fewer(base), min(drawn, base.total - drawn)
    placed = RandomBlocks(few, blocks.sizes)

    def draw(rng: np.random.Generator, number: int) -> Cells:
        chosen = placed(rng, number)
        return _weighed(blocks, chosen if drawn == few else blocks.sizes - chosen)

    return SharedDraws(draw), placed.cells + 4 * blocks.sizes.size


def _weighed(blocks: Blocks, chosen: NDArray[np.int64]) -> Cells:
    """Return the weighted counts of draws, by how many of each block they choose."""
    by_class = np.stack([blocks.weights * blocks.positive, blocks.weights * ~blocks.positive])
    # What is left is summed for itself: a difference would lose its digits.
    tp, fp = by_class @ chosen.astype(float).T
    fn, tn = by_class @ (blocks.sizes - chosen).astype(float).T
    return tp, fp, fn, tn


def _scores(measure: WeightedMeasure, cells: Cells) -> Floats:
    """Return the scores of draws."""
    scores = measure.scores(*cells)
    if np.isnan(scores).any():
        needs = "a draw whose every score is a number"
        raise UndefinedMeasureError.no_distribution(measure.key, needs, "none")
    return scores


def _fewer(base: WeightedBase) -> Blocks:
    """Return the blocks of a test set, those of nearly the same weight together."""
    parts = [joined(base.weights, counts) for counts in (base.positives, base.negatives)]
    sizes, weights = zip(*parts, strict=True)
    positive = np.repeat([True, False], [each.size for each in sizes])
    return Blocks(np.concatenate(sizes), np.concatenate(weights), positive)


def joined(weights: Floats, counts: Ints, most: int = MAX_BLOCKS) -> tuple[Ints, Floats]:
    """Return fewer counts of ascending weights, with the same sum.

    Each of the largest stays alone; the others are joined with their neighbours, so that each
    block has about the same share of the range.
    """
    weights, counts = weights[counts > 0], counts[counts > 0]
    if counts.size <= most:
        return counts, weights
    alone = most // 4
    edges = np.linspace(weights[0], weights[-alone], most - alone + 1)[:-1]
    starts = np.unique(np.searchsorted(weights, edges))
    starts = np.append(starts[starts < weights.size - alone], np.arange(-alone, 0) + weights.size)
    sizes = np.add.reduceat(counts, starts)
    return sizes, np.add.reduceat(counts * weights, starts) / sizes


class WeightedTwoClasses:
    """What is known of two classes with weights: a unit is a cell and a weight.

    If each class has one weight, all is known of the plain counts.
    """

    def proportion(self, measure: WeightedMeasure, labels: WeightedLabels) -> Proportion | None:
        """Return the proportion that decides a score, if one does."""
        plain = classed(measure, labels.test_set)
        return None if plain is None else TWO_CLASSES.proportion(plain, labels.table)

    def score(self, measure: WeightedMeasure, labels: WeightedLabels) -> Statistic:
        """Return a score."""
        plain = classed(measure, labels.test_set)
        if plain is not None:
            return TWO_CLASSES.score(plain, labels.table)
        ends = (measure.codomain.lower, measure.codomain.upper)
        return _statistic(measure, labels, _scores_by(measure), ends)

    def margin(self, base: Any, labels: WeightedLabels) -> Margin | None:
        """Return a margin over the draw that is best in each resample, and over that of the data.

        The draws compared are the constant ones and the best one. If all tie, one will do.
        """
        if not isinstance(base, WeightedBaseline):
            return TWO_CLASSES.margin(base, labels.table)
        measure, best, total = base.measure, base.guesses.counts, base.test_set.total
        allowed = measure.of.allowed(base.test_set.rate)
        compared = [best[0][0]]
        if base.max.value != base.min.value:
            ends = [end for end in (0, total) if end in allowed]
            is_constant = any(end in part for part in best for end in ends)
            compared = ends if is_constant else [*ends, *compared]
        chosen, kept = (
            _statistic(
                measure,
                labels,
                _over(measure, len(draws)),
                facts=tuple(fact for drawn in draws for fact in _facts(base, drawn)),
            )
            for draws in (compared, [best[0][0]])
        )
        return Margin(chosen, kept)

    def difference(self, measure: WeightedMeasure, joint: WeightedJoint) -> Statistic:
        """Return the second score minus the first."""
        base = joint.first.test_set
        plain = classed(measure, base)
        if plain is not None:
            return TWO_CLASSES.difference(plain, joint.table)

        def gain(cells: Floats) -> Floats:
            p, n = np.moveaxis(cells[..., :4], -1, 0), np.moveaxis(cells[..., 4:], -1, 0)
            first = measure.scores(p[0] + p[1], n[0] + n[1], p[2] + p[3], n[2] + n[3])
            return measure.scores(p[0] + p[2], n[0] + n[2], p[1] + p[3], n[1] + n[3]) - first

        units = _units(joint.weights, list(joint.counts), measure.unit(base))
        return Statistic(of=gain, rule=measure.interval, **units)


def _statistic(
    measure: WeightedMeasure,
    labels: WeightedLabels,
    of: Callable[..., Floats],
    ends: tuple[float, float] = (-math.inf, math.inf),
    facts: tuple[float, ...] = (),
) -> Statistic:
    counts = (labels.tp, labels.fp, labels.fn, labels.tn)
    units = _units(labels.weights, counts, measure.unit(labels.test_set))
    known = tuple(map(np.asarray, facts))
    return Statistic(of=of, rule=measure.interval, ends=ends, facts=known, **units)


@lru_cache(maxsize=256)
def _scores_by(measure: WeightedMeasure) -> Callable[..., Floats]:
    """Return what scores tables: the same function each time, as many are scored at once."""
    return partial(_of_tables, measure)


@lru_cache(maxsize=256)
def _over(measure: WeightedMeasure, draws: int) -> Callable[..., Floats]:
    """Return what tells how much better tables are than the best of some draws."""
    sign = 1 if measure.direction is Direction.MAXIMIZE else -1

    def over(tables: Floats, *facts: Any) -> Floats:
        tp, fp, fn, tn = np.moveaxis(tables, -1, 0)
        found = [
            sign * (_at_share(measure, tp + fn, fp + tn, facts[2 * i]) + facts[2 * i + 1])
            for i in range(draws)
        ]
        return np.asarray(sign * _of_tables(measure, tables) - np.fmax.reduce(found))

    return over


def _units(weights: Floats, counts: Sequence[Ints], unit: float) -> dict[str, Any]:
    """Return how often each weight occurs in each cell, and what that adds to the cells."""
    places = [np.flatnonzero(each) for each in counts]
    cells = np.repeat(np.arange(len(counts)), [each.size for each in places])
    heavy = weights[np.concatenate(places)] * unit
    spare = _spare_weight(weights, np.sum(counts, axis=0)) * unit
    return {
        "rows": np.concatenate([each[at] for each, at in zip(counts, places, strict=True)]) * 1.0,
        "columns": np.eye(len(counts))[cells] * heavy[:, np.newaxis],
        "spares": np.eye(len(counts)) * spare,
    }


def _spare_weight(weights: Floats, counts: Ints) -> float:
    """Return the weight of the spare row: half way to the heaviest, in logarithms.

    It is the geometric mean of the heaviest weight and of the mean weight by weight. With the
    latter limits were wrong too often where a model errs on what is heavy, and with the heaviest
    they were too wide (docs/decisions/0011-weights.md).
    """
    typical = float(counts @ weights**2) / float(counts @ weights)
    return math.sqrt(float(weights[-1])) * math.sqrt(typical)


def _of_tables(measure: WeightedMeasure, tables: Floats) -> Floats:
    return measure.scores(*np.moveaxis(tables, -1, 0))


def _facts(base: WeightedBaseline, drawn: int) -> tuple[float, float]:
    """Return the share of a draw, and how far its expectation is from the score at its mean.

    The expected score is another one, by how much the draws vary; so it is on this test set, and
    about as much on others.
    """
    measure, share = base.measure, drawn / base.test_set.total
    if share in (0, 1) or not any(drawn in part for part in base.guesses.counts):
        return share, 0.0
    prepared = measure.on(base.test_set)
    weights = np.array([prepared.positive_weight]), np.array([prepared.negative_weight])
    return share, float(base.best.value - _at_share(measure, *weights, share)[0])


def _at_share(measure: WeightedMeasure, positive: Floats, negative: Floats, share: Any) -> Floats:
    left = 1 - share
    return measure.scores(share * positive, share * negative, left * positive, left * negative)


def swap_test(measure: WeightedMeasure, joint: WeightedJoint) -> SwapTest:
    """Return the p-value of swapping the models row by row; a weight goes with its row."""
    base = joint.first.test_set
    plain = classed(measure, base)
    if plain is not None:
        return swap_labels(plain, joint.table)
    first, reason = measure.score_or_reason(joint.first)
    second, other_reason = measure.score_or_reason(joint.second)
    if reason or other_reason:
        return UNDEFINED
    weights, plane = joint.weights * measure.unit(base), measure.plane(measure.on(base))
    rows = joint.counts[[1, 5]].ravel(), joint.counts[[2, 6]].ravel()
    if plane is not None:
        differences = np.outer([plane.tp, plane.fp], weights).ravel()
        return flip_test(np.append(differences, -differences), np.concatenate(rows))
    agreed = (joint.counts @ weights)[[0, 4, 3, 7]]
    is_quick = getattr(measure.of.definition.function, "vectorised", True)
    return permutation_test(
        Pair(
            rows[0] + rows[1],
            rows[0],
            tuple(np.kron(called, weights[:, np.newaxis]) for called in CALLED),
            lambda counts: defined_scores(measure.of, agreed + counts),
            size=measure.of.magnitude(max(abs(first), abs(second))),
            cost=1 if is_quick else ONE_BY_ONE,
        )
    )


class WeightedLabelsTask(LabelTask[WeightedLabels]):
    """Two classes whose observations matter more or less."""

    name = NAME
    takes_importance = True
    title = "Two classes with importance weights"
    takes_positive = True
    table, pair, test_set = WeightedLabels, WeightedJoint, WeightedBase
    catalogue, reported = TWO_CLASS_MEASURES, REPORTED
    family, swap_test = WeightedTwoClasses(), staticmethod(swap_test)
    counter, built = staticmethod(count_weighted), staticmethod(of_cells)

    def get(self, name: Any) -> WeightedMeasure:
        """Return a measure by any of its names, or raise if it does not know it."""
        return name if isinstance(name, WeightedMeasure) else WeightedMeasure.by(BINARY.get(name))

    def count(self, y_true: Labels, y_pred: Labels, pos_label: object = None) -> WeightedLabels:
        """Count the predictions of one model, all rows alike."""
        rows = Rows(pos_label=pos_label, weights=Weights(np.ones(len(y_true)), "importance"))
        key = ("y_pred",)
        found: WeightedLabels = self.tables(y_true, {"y_pred": y_pred}, rows, [key])[0][key][None]
        return found

    def truth_alone(self, y_true: Any, pos_label: object) -> WeightedBase:
        """Return what a baseline needs of labels that matter alike."""
        return self.count(y_true, y_true, pos_label).test_set

    def baseline(self, test_set: WeightedBase, measure: WeightedMeasure) -> Baseline:
        """Return the baseline of a measure; that of labels if weights belong to the classes."""
        plain = classed(measure, test_set)
        if plain is not None:
            return BINARY.baseline(test_set.rate, plain)
        return weighted_baseline(test_set, measure)

    def null_of(self, measure: WeightedMeasure, observed: WeightedLabels) -> NullDistribution:
        """Return the distribution of a score when predictions are shuffled."""
        drawn = observed.table.predicted_positives
        return self.null_of_guess(measure, observed.test_set, drawn)

    def null_of_guess(
        self, measure: WeightedMeasure, test_set: WeightedBase, guess: int
    ) -> NullDistribution:
        """Return the distribution of a score over guesses with so many positives."""
        drawn = test_set.rate.require_predicted_positives(guess, parameter="y_pred")
        plain = classed(measure, test_set)
        if plain is not None:
            return BINARY.null_of_guess(plain, test_set.rate, drawn)
        return null_of(measure, test_set, drawn)

    def tails(self, observed: Sequence[WeightedLabels], nulls: Sequence[Any] = ()) -> list[Tails]:
        """Return the chances of as high an informedness, and of as low a one."""
        measure = self.get(J)
        return [
            Tails(1.0, 1.0)
            if measure.score_or_reason(each)[1]
            else null.tails(measure, measure.score_or_reason(each)[0])
            for null, each in zip(nulls or self.nulls(observed, CENTRAL), observed, strict=True)
        ]


WEIGHTED_LABELS = WeightedLabelsTask()
