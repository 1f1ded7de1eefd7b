"""What swaps of two models change on two classes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.observed import UNDEFINED
from baserate.measures.affine import by_symbols
from baserate.paired import ONE_BY_ONE, Pair, flip_test, permutation_test

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.core.observed import SwapTest
    from baserate.measures.two_classes_record import TwoClassMeasure
    from baserate.observed.two_classes import JointTable

    Floats = NDArray[np.float64]


# What a positive, and a negative, adds to the four counts if it is called positive or negative.
CALLED = np.eye(4)[[0, 1]], np.eye(4)[[2, 3]]


def swap_test(
    measure: TwoClassMeasure, joint: JointTable, clusters: Sequence[JointTable] = ()
) -> SwapTest:
    """Return the two-sided p-value of the difference between two models.

    Of a score that is linear in the counts, as accuracy is, a row has the same weight whatever
    happens to the others; then this is McNemar's exact test, with two sizes at most.

    Examples
    --------
    >>> from baserate import get_measure
    >>> from baserate.observed.two_classes import Answers, JointTable
    >>> joint = JointTable(Answers(20, 3, 9, 8), Answers(4, 6, 2, 48))
    >>> found = swap_test(get_measure("ACC"), joint)
    >>> round(found.p_value, 4), found.exact
    (0.0414, True)
    """
    first, reason = measure.score_or_reason(joint.first)
    second, other_reason = measure.score_or_reason(joint.second)
    if reason or other_reason:
        return UNDEFINED
    p, n = joint.positives, joint.negatives
    each = [(part.positives, part.negatives) for part in clusters or (joint,)]
    affine = by_symbols(measure.definition.function, joint.first.base_rate)
    if affine is not None:
        tp, fp = float(affine.tp), float(affine.fp)
        rows = np.array([[p.first, p.second, n.first, n.second] for p, n in each])
        if clusters:
            return flip_test(rows @ np.array([tp, -tp, fp, -fp]))
        return flip_test(np.array([tp, -tp, fp, -fp]), rows[0])
    agreed = np.array([p.both, n.both, p.neither, n.neither], dtype=float)
    is_quick = getattr(measure.definition.function, "vectorised", True)
    return permutation_test(
        Pair(
            np.array([[p.discordant, n.discordant] for p, n in each]).ravel(),
            np.array([[p.first, n.first] for p, n in each]).ravel(),
            [np.tile(called, (len(each), 1)) for called in CALLED],
            lambda counts: defined_scores(measure, agreed + counts),
            clusters=np.repeat(np.arange(len(each)), 2) if clusters else None,
            size=measure.magnitude(max(abs(first), abs(second))),
            cost=1 if is_quick else ONE_BY_ONE,
        )
    )


def defined_scores(measure: TwoClassMeasure, tables: Floats) -> Floats:
    """Return the scores of tables (…, 4); nan where a requirement fails."""
    tp, fp, fn, tn = np.moveaxis(tables, -1, 0)
    scores = measure.scores(tp, fp, fn, tn)
    counts = SimpleNamespace(
        tp=tp,
        fp=fp,
        fn=fn,
        tn=tn,
        positives=tp + fn,
        negatives=fp + tn,
        predicted_positives=tp + fp,
        predicted_negatives=fn + tn,
    )
    is_defined = np.isfinite(scores)
    for need in measure.requirements:
        is_defined &= need.denominator(counts) != 0
    return np.where(is_defined, scores, np.nan)
