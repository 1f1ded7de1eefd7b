"""What swaps of two models change on several classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.baseline import COMPUTATION
from baserate.core.clusters import by_cluster
from baserate.core.observed import SAME, UNDEFINED
from baserate.measures.classes_record import OfDiagonal, OfTrace, Tables
from baserate.observed.classes import COLUMNS
from baserate.paired import ONE_BY_ONE, Pair, alike, flip_test, permutation_test

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.core.observed import SwapTest
    from baserate.measures.classes_record import ClassMeasure
    from baserate.observed.classes import JointMatrix

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


def swap_test(
    measure: ClassMeasure, joint: JointMatrix, clusters: Sequence[JointMatrix] = ()
) -> SwapTest:
    """Return the two-sided p-value of the difference between two models.

    Of accuracy it is McNemar's exact test; recalls are sums of right answers too.

    Examples
    --------
    >>> from baserate.measures.classes import get_class_measure
    >>> from baserate.observed.classes import JointMatrix
    >>> joint = JointMatrix("abc", [0, 0, 1, 2], [0, 0, 1, 0], [0, 1, 1, 2], [9, 2, 7, 6])
    >>> swap_test(get_class_measure("accuracy"), joint).p_value
    0.2890625
    """
    first, reason = measure.score_or_reason(joint.first)
    second, other_reason = measure.score_or_reason(joint.second)
    if reason or other_reason:
        return UNDEFINED
    size = measure.magnitude(max(abs(first), abs(second)))
    if abs(second - first) <= COMPUTATION * size:
        return SAME
    weights = _weights_of_hits(measure, joint.first.true_counts.astype(float))
    (truth, one, other, counts), codes = by_cluster(joint, clusters, COLUMNS)
    if weights is not None:
        ahead = (one == truth) * 1.0 - (other == truth)
        return flip_test(ahead * weights[truth], counts, codes)
    return permutation_test(_pair(measure, joint, size, clusters))


def _weights_of_hits(measure: ClassMeasure, n: Floats) -> Floats | None:
    """Return what a right answer on each class adds to the score; None if that varies."""
    form = measure.form
    if isinstance(form, OfTrace) and form.of_accuracy:
        return np.ones(n.size)
    if isinstance(form, OfDiagonal) and form.of_recalls:
        gained = form.term(np.eye(n.size), n, n) - form.term(np.zeros(n.size), n, n)
        return np.asarray(np.diagonal(gained))
    return None


def _pair(
    measure: ClassMeasure, joint: JointMatrix, size: float, clusters: Sequence[JointMatrix]
) -> Pair:
    """Return two models by their tables, or by the right answers and predictions of each class.

    For the latter, rows on which both answers are wrong are alike whatever the truth.
    """
    classes, whole = len(joint.labels), measure.form.needs_cells
    (truth, first, second, counts), codes = by_cluster(joint, clusters, COLUMNS)
    if not whole:  # one class stands for all that are neither answer
        truth = np.where((truth == first) | (truth == second), truth, classes)
    kinds = alike(first, second, counts, truth, *([] if codes is None else [codes]))
    n = joint.first.true_counts.astype(float)

    def score(sums: Floats) -> Floats:
        if whole:
            return measure.scored(Tables.of(sums.reshape(*sums.shape[:-1], classes, classes)))
        right, m = sums[..., :classes], sums[..., classes:]
        return measure.scored(Tables(right, np.broadcast_to(n, right.shape), m))

    return Pair(
        kinds.rows,
        kinds.first,
        [_adds(kinds.shared[0], each, classes, whole=whole) for each in (kinds.low, kinds.high)],
        score,
        clusters=None if codes is None else kinds.shared[1],
        size=size,
        cost=ONE_BY_ONE if measure.is_custom else 1,
    )


def _adds(truth: Ints, answers: Ints, classes: int, *, whole: bool) -> Any:
    """Return what a row of each kind adds to a table, or to right answers and predictions."""
    from scipy.sparse import csr_array

    kinds = np.arange(truth.size)
    if whole:
        places, size = truth * classes + answers, classes**2
    else:
        hits = truth == answers
        places, size = np.concatenate([truth[hits], classes + answers]), 2 * classes
        kinds = np.concatenate([kinds[hits], kinds])
    return csr_array((np.ones(places.size), (kinds, places)), shape=(truth.size, size))
