"""What swaps of two models' scores change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.clusters import by_cluster
from baserate.core.observed import UNDEFINED
from baserate.kinds.scores.intervals import joint_cells
from baserate.observed.score_pairs import PAIRED, Fineness, block_starts, merged
from baserate.observed.scores import Counts
from baserate.paired import Pair, alike, flip_test, permutation_test

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.core.observed import SwapTest
    from baserate.measures.scores_record import ScoreMeasure
    from baserate.observed.score_pairs import JointScores
    from baserate.observed.scores import RankedScores

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]


_CELLS = ("first_scores", "second_scores", "positives", "negatives")
# Up to so many rows, blocks are finer.
_FEW_ROWS = 20_000
_FINE = Fineness(most=512, top=32, ratio=1.1, parts=128)


def swap_test(
    measure: ScoreMeasure, joint: JointScores, clusters: Sequence[JointScores] = ()
) -> SwapTest:
    """Return the two-sided p-value of swapping the models row by row.

    Where the score is a mean over the rows, only the sum of differences with random signs matters.

    Parameters
    ----------
    measure
        The measure.
    joint
        What both models did.
    clusters
        The same on each cluster of rows, if whole clusters are swapped.

    Examples
    --------
    >>> from baserate.observed.score_pairs import JointScores
    >>> from baserate.measures.rankings import AUC
    >>> truth = np.array([True, True, True, False, False, False])
    >>> good, bad = np.arange(6.0)[::-1], np.arange(6.0)
    >>> swap_test(AUC, JointScores.of_rows(truth, bad, good, None)).p_value
    0.03125
    """
    if any(measure.score_or_reason(each)[1] for each in (joint.first, joint.second)):
        return UNDEFINED
    points = measure.points
    if points is None:
        return permutation_test(_pair(measure, joint, clusters))
    (one, other, *counts), codes = by_cluster(joint, clusters, _CELLS)
    first, second = points(one), points(other)
    differences = np.concatenate([second[0] - first[0], second[1] - first[1]])
    both = None if codes is None else np.tile(codes, 2)
    return flip_test(differences, np.concatenate(counts), both)


def _pair(measure: ScoreMeasure, joint: JointScores, clusters: Sequence[JointScores]) -> Pair:
    """Return two models by how many positives and negatives have each rank."""
    from scipy.sparse import csr_array

    (one, other, *counts), codes = by_cluster(joint, clusters, _CELLS)
    said = [
        _said(scores, of_pairs, only_order=not measure.probabilities)
        for scores, of_pairs in ((joint.first, one), (joint.second, other))
    ]
    values = np.unique(np.concatenate([blocks for blocks, _ in said]))[::-1]
    first, second = (np.searchsorted(-values, -blocks)[places] for blocks, places in said)
    if codes is None:
        rows, *shared, first, second = joint_cells(joint, first, second, values.size)
    else:
        rows, shared = np.concatenate(counts), [np.repeat([0, 1], one.size), np.tile(codes, 2)]
        first, second = np.tile(first, 2), np.tile(second, 2)
    kinds = alike(first, second, rows, *shared)

    def adds(places: Ints) -> Any:
        columns, shape = places + values.size * kinds.shared[0], (places.size, 2 * values.size)
        return csr_array((np.ones(places.size), (np.arange(places.size), columns)), shape=shape)

    def score(counts: Floats) -> Floats:
        positives, negatives = np.split(np.ascontiguousarray(counts), 2, axis=-1)
        return measure.many(Counts(values, positives, negatives))

    return Pair(
        kinds.rows,
        kinds.first,
        [adds(kinds.low), adds(kinds.high)],
        score,
        clusters=None if codes is None else kinds.shared[1],
    )


def _said(scores: RankedScores, of_pairs: Floats, *, only_order: bool) -> tuple[Floats, Ints]:
    """Return what a model says of each block, a rank from the bottom or a score, and of whom."""
    fineness = _FINE if scores.test_set.total <= _FEW_ROWS else PAIRED
    starts = block_starts(scores, fineness)
    values, positives, negatives = merged(scores, starts)
    if only_order:
        sizes = positives + negatives
        # Twice the mean rank is a whole number.
        values = (2 * (sizes.sum() - np.cumsum(sizes)) + sizes).astype(float)
    places = np.searchsorted(-scores.values[starts], -of_pairs, side="right") - 1
    return values, places
