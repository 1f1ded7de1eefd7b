"""Scores of two classes, as functions of how much their rows weigh.

The means of scoring rules are functions of sums (`ranking/rows.py`). Of a ranking the
units are cells: a block of scores, and a class. If scores are many, neighbours are one block.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.binary.base_rate import BaseRate
from baserate.core.clusters import cells_of
from baserate.core.direction import Direction
from baserate.core.rule import Rule
from baserate.intervals.bootstrap import Statistic
from baserate.intervals.limits import Margin
from baserate.ranking.blocks import ALONE, PAIRED, block_starts, merged
from baserate.ranking.many import Counts
from baserate.ranking.rows import RowScores

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.ranking.joint import JointScores
    from baserate.ranking.measures.record import ScoreMeasure
    from baserate.ranking.rules import ScoringRule
    from baserate.ranking.scores import Scores

    Floats = NDArray[Any]
    Ints = NDArray[Any]

# The baseline is known at so many numbers of positives, so many standard deviations around.
_KNOWN, _AROUND = 33, 5


class Rankings:
    """Rankings, and probabilities of two classes."""

    def proportion(self, measure: ScoreMeasure, observed: Scores) -> None:
        """Return None: no proportion decides a score."""

    def score(self, measure: ScoreMeasure, observed: Scores) -> Statistic:
        """Return a score."""
        exact, codomain = measure.score_or_reason(observed)[0], measure.codomain
        if measure.rule is not None:
            return _rows(measure, measure.rule, exact, observed, observed.values).score()
        return _cells(measure, observed, measure.many, exact, ends=(codomain.lower, codomain.upper))

    def margin(self, yardstick: Any, observed: Scores) -> Margin | None:
        """Return a margin; None if the baseline is the same on all test sets."""
        measure: ScoreMeasure = yardstick.measure
        exact, _ = measure.score_or_reason(observed)
        if measure.rule is not None:
            return _rows(measure, measure.rule, exact, observed, observed.values).margin()
        known = baselines(measure, observed.test_set)
        if known is None:
            return None
        sign = 1 if measure.direction is Direction.MAXIMIZE else -1

        def of(counts: Counts) -> Floats:
            return sign * (measure.many(counts) - known(counts.positives.sum(axis=-1)))

        found = _cells(measure, observed, of, sign * (exact - yardstick.base.best.value))
        return Margin(found, found)

    def difference(self, measure: ScoreMeasure, joint: JointScores) -> Statistic:
        """Return the second score minus the first."""
        exact = measure.score_or_reason(joint.second)[0] - measure.score_or_reason(joint.first)[0]
        if measure.rule is not None:
            both = (joint.first_scores, joint.second_scores)
            return _rows(measure, measure.rule, exact, joint, *both).difference()
        values, one = _places(joint.first, joint.first_scores)
        others, other = _places(joint.second, joint.second_scores)
        rows, is_negative, one, other = joint_cells(joint, one, other, others.size)
        columns = np.concatenate(
            [_one_hot(one, is_negative, values.size), _one_hot(other, is_negative, others.size)],
            axis=1,
        )

        def of(sums: Floats) -> Floats:
            first, second = np.split(sums, [2 * values.size], axis=-1)
            return measure.many(_counts(others, second)) - measure.many(_counts(values, first))

        def of_clusters(clusters: Sequence[JointScores]) -> tuple[Floats, Floats]:
            names = ("first_scores", "second_scores", "positives", "negatives")
            (*said, yes, no), codes = cells_of(clusters, names)
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

    def contributions(self, observed: Scores, clusters: Sequence[Scores]) -> Floats:
        """Return what each cluster adds to the association: Σ (truth - mean)(rank - mean)."""
        sizes = observed.positives + observed.negatives
        ranks = (observed.total + sizes) / 2 - np.cumsum(sizes)
        share, every = observed.test_set.positives / observed.total, np.arange(ranks.size)
        (values, positives, negatives), codes = cells_of(
            clusters, ("values", "positives", "negatives")
        )
        added = positives * (1 - share) - negatives * share
        centred = ranks[_blocks(observed, every, values)] / observed.total
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
        (each.positives, measure.yardstick(each).base.best.value)
        for each in rates
        if not measure.missing(each)
    ]
    places, values = np.array(known, dtype=float).T
    return (lambda positives: np.interp(positives, places, values)) if np.ptp(values) else None


def _rows(
    measure: ScoreMeasure,
    rule: ScoringRule,
    exact: float,
    counts: Scores | JointScores,
    *scores: Floats,
) -> RowScores:
    """Return what a scoring rule gives to cells: of one model, or of a second one minus a first."""
    both = np.concatenate([counts.negatives, counts.positives])
    met, size = np.flatnonzero(both), counts.positives.size
    names = ["values"] if len(scores) == 1 else ["first_scores", "second_scores"]

    def given(scores: Sequence[Floats], is_positive: Ints) -> Floats:
        found = [np.where(is_positive, *rule.of_two(each)) for each in scores]
        return found[0] if len(found) == 1 else found[1] - found[0]

    def points(cells: Ints) -> Floats:
        is_positive, places = np.divmod(met[cells], size)
        return given([each[places] for each in scores], is_positive)

    def of_clusters(clusters: Sequence[Any]) -> tuple[Floats, Ints, Ints, Ints]:
        columns, codes = cells_of(clusters, [*names, "negatives", "positives"])
        *said, negatives, positives = columns
        truth = np.repeat([0, 1], negatives.size)
        rows = np.concatenate([negatives, positives])
        return given([np.tile(each, 2) for each in said], truth), truth, rows, np.tile(codes, 2)

    return RowScores(measure, exact, points, met // size, both[met], 2, of_clusters)


def _cells(
    measure: ScoreMeasure,
    observed: Scores,
    of: Callable[[Counts], Floats],
    exact: float,
    ends: tuple[float, float] = (-math.inf, math.inf),
) -> Statistic:
    """Return a function of the cells of one model, with an empty block above and below all."""
    starts = block_starts(observed, ALONE)
    values, positives, negatives = merged(observed, starts)
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
    observed: Scores, starts: Ints, clusters: Sequence[Scores]
) -> tuple[Floats, Floats]:
    """Return the positives and the negatives of each cluster in blocks, and how many they are."""
    (values, *counts), codes = cells_of(clusters, ("values", "positives", "negatives"))
    sums = _in_blocks(1 + _blocks(observed, starts, values), starts.size + 2, codes, counts)
    return sums, sums.sum(axis=1)


def _in_blocks(places: Ints, blocks: int, codes: Ints, counts: Sequence[Ints]) -> Floats:
    """Return how many positives, and then negatives, of each cluster are in each block."""
    size = int(codes[-1]) + 1
    sides = [np.bincount(codes * blocks + places, rows, size * blocks) for rows in counts]
    return np.concatenate([each.reshape(size, blocks) for each in sides], axis=1)


def _blocks(scores: Scores, starts: Ints, values: Floats) -> Ints:
    """Return in which block of a model each score is."""
    return np.maximum(np.searchsorted(-scores.values[starts], -values, side="right") - 1, 0)


def _counts(values: Floats, sums: Floats) -> Counts:
    """Return the counts of blocks: the positives of each, and then the negatives."""
    both = sums.reshape(*sums.shape[:-1], 2, values.size)
    return Counts(values, both[..., 0, :], both[..., 1, :])


def _places(scores: Scores, of_pairs: Floats) -> tuple[Floats, Ints]:
    """Return the scores of blocks of one model, and in which of them each pair is."""
    starts = block_starts(scores, PAIRED)
    return merged(scores, starts)[0], _blocks(scores, starts, of_pairs)


def joint_cells(
    joint: JointScores, one: Ints, other: Ints, size: int
) -> tuple[Floats, Ints, Ints, Ints]:
    """Return how many rows are in each cell, whether they are negative, and both blocks."""
    pairs = one * size + other
    rows = np.stack([np.bincount(pairs, each) for each in (joint.positives, joint.negatives)])
    cells, is_negative = np.nonzero(rows.T)
    return rows[is_negative, cells], is_negative, *np.divmod(cells, size)


def _one_hot(places: Ints, is_negative: Ints, blocks: int) -> Floats:
    """Return what a row adds to the positives and the negatives of blocks."""
    found = np.zeros((places.size, 2, blocks))
    found[np.arange(places.size), is_negative, places] = 1.0
    return found.reshape(places.size, 2 * blocks)
