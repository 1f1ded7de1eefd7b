"""Null distributions of several classes, and whether two models differ."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.baseline import COMPUTATION
from baserate.core.observed import SAME, UNDEFINED, by_cluster
from baserate.exceptions import UndefinedMeasureError
from baserate.measures.classes_record import OfDiagonal, OfDistance, OfTable, OfTrace, Tables
from baserate.null.matching import Matching
from baserate.null.saddlepoint import Link
from baserate.null.sums import of_sum, of_tables
from baserate.observed.labels import COLUMNS
from baserate.paired import ONE_BY_ONE, Pair, alike, flip_test, permutation_test

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.core.observed import SwapTest
    from baserate.measures.classes_record import ClassMeasure
    from baserate.null.distribution import NullDistribution
    from baserate.observed.labels import JointMatrix

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


def null_of(measure: ClassMeasure, n: Sequence[int], m: Sequence[int]) -> NullDistribution:
    """Return the distribution of a score when predictions are shuffled over the rows.

    Examples
    --------
    >>> from baserate.measures.classes import get_class_measure
    >>> null = null_of(get_class_measure("accuracy"), (70, 20, 10), (62, 28, 10))
    >>> round(null.mean(), 9), round(null.sf(0.63), 5), null.method
    (0.5, 0.00092, 'exact')
    """
    return _kept(measure, tuple(map(int, n)), tuple(map(int, m)))


@lru_cache(maxsize=64)
def _kept(measure: ClassMeasure, n: tuple[int, ...], m: tuple[int, ...]) -> NullDistribution:
    rows, columns = np.array(n), np.array(m)
    if measure.may_be_undefined and not isinstance(measure.form, OfTable):
        # These measures have a score for all tables with these margins, or for none.
        _defined(measure, np.outer(rows, columns / rows.sum())[np.newaxis])
    made = _random_sum(measure, rows.astype(float), columns.astype(float))
    if made is not None:
        return of_sum(*made)
    return of_tables(rows, columns, lambda tables: _defined(measure, tables), measure.magnitude(0))


def _defined(measure: ClassMeasure, tables: Floats) -> Floats:
    """Return the scores of tables, or raise if one of them has none."""
    scores = measure.scores(tables)
    if np.isfinite(scores).all():
        return scores
    raise UndefinedMeasureError(
        f"{measure.key} is undefined for some tables that these predictions can give"
    )


def _random_sum(measure: ClassMeasure, n: Floats, m: Floats) -> tuple[Matching, Link] | None:
    """Return the random sum that decides a score, and how it does; None if there is none."""
    form = measure.form
    if isinstance(form, OfTrace):
        return _right_answers(tuple(n.tolist()), tuple(m.tolist())), _link(form, n, m)
    linear = _linear_form(form, n, m)
    if linear is None:
        return None
    weights, added = linear
    return Matching(n, m, weights), Link.affine(1.0, added)


@lru_cache(maxsize=4)  # accuracy, kappa and MCC share it
def _right_answers(n: tuple[float, ...], m: tuple[float, ...]) -> Matching:
    return Matching(np.array(n), np.array(m), np.eye(len(n)))


def _link(form: OfTrace, n: Floats, m: Floats) -> Link:
    """Return how the number of right answers is read as a score."""
    if not form.affine:
        return Link(
            lambda sums: form.score(sums, n, m),
            lambda score: _right(form, n, m, score),
            _rises(form, n, m),
        )
    none, one = (float(form.score(np.float64(right), n, m)) for right in (0.0, n.sum()))
    return Link.affine((one - none) / n.sum(), none)


def _rises(form: OfTrace, n: Floats, m: Floats) -> bool:
    """Return whether more right answers are a higher score."""
    return bool(form.score(n.sum(), n, m) > form.score(np.float64(0), n, m))


def _right(form: OfTrace, n: Floats, m: Floats, score: float) -> float:
    """Return how many right answers have a score."""
    from scipy.optimize import brentq

    total = float(n.sum())
    ends = [float(form.score(np.float64(count), n, m)) - score for count in (0.0, total)]
    if ends[0] * ends[1] >= 0:
        return 0.0 if abs(ends[0]) < abs(ends[1]) else total
    return float(brentq(lambda count: form.score(count, n, m) - score, 0.0, total, xtol=1e-9))


def _linear_form(form: object, n: Floats, m: Floats) -> tuple[Floats, float] | None:
    """Return weights of the cells and a constant whose sum is the score; None if there are none."""
    if isinstance(form, OfDistance):
        return form.weights(n, m)
    if isinstance(form, OfDiagonal) and form.linear:
        added = form.term(np.zeros_like(n), n, m)
        # At the largest counts, where a difference has most digits.
        most = np.maximum(np.minimum(n, m), 1)
        weights = (form.term(most, n, m) - added) / most
        return np.diag(np.asarray(weights, dtype=float)), float(added.sum())
    return None


def swap_test(
    measure: ClassMeasure, joint: JointMatrix, clusters: Sequence[JointMatrix] = ()
) -> SwapTest:
    """Return the two-sided p-value of the difference between two models.

    Of accuracy it is McNemar's exact test; recalls are sums of right answers too.

    Examples
    --------
    >>> from baserate.measures.classes import get_class_measure
    >>> from baserate.observed.labels import JointMatrix
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
