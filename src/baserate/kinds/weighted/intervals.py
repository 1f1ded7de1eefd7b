"""How scores vary, and what swaps change, where observations matter more or less."""

from __future__ import annotations

import math
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.baselines.weighted import WeightedBaseline
from baserate.core.measure import Direction
from baserate.core.observed import UNDEFINED
from baserate.intervals.bootstrap import Statistic
from baserate.intervals.limits import Margin
from baserate.kinds.two_classes.intervals import CALLED, TWO_CLASSES, defined_scores
from baserate.kinds.two_classes.intervals import swap_test as swap_labels
from baserate.measures.weighted import classed
from baserate.paired import ONE_BY_ONE, Pair, flip_test, permutation_test

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.core.observed import SwapTest
    from baserate.intervals.limits import Proportion
    from baserate.measures.weighted import WeightedMeasure
    from baserate.observed.weighted import WeightedJoint, WeightedLabels

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


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


WEIGHTED_TWO_CLASSES = WeightedTwoClasses()


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
    return partial(_scored, measure)


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
        return np.asarray(sign * _scored(measure, tables) - np.fmax.reduce(found))

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


def _scored(measure: WeightedMeasure, tables: Floats) -> Floats:
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
    """Return the two-sided p-value of swapping the models row by row; a weight goes with its row.

    Examples
    --------
    >>> from baserate import get_measure
    >>> from baserate.measures.weighted import WeightedMeasure
    >>> from baserate.observed.weighted import WeightedJoint
    >>> truth, weights = np.ones(6), np.arange(1.0, 7.0)
    >>> joint = WeightedJoint.of_rows(truth, np.zeros(6), truth, weights)
    >>> swap_test(WeightedMeasure.by(get_measure("ACC")), joint).p_value
    0.03125
    """
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
