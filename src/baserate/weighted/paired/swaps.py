"""What swaps of two models change on two classes with weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baserate.binary.paired import swaps
from baserate.core.paired import UNDEFINED
from baserate.paired import ONE_BY_ONE, Pair, flip_test, permutation_test
from baserate.weighted.classed import classed

if TYPE_CHECKING:
    from baserate.core.paired import SwapTest
    from baserate.weighted.measures import WeightedMeasure
    from baserate.weighted.paired.joint import WeightedJoint


def swap_test(measure: WeightedMeasure, joint: WeightedJoint) -> SwapTest:
    """Return the two-sided p-value of swapping the models row by row; a weight goes with its row.

    Examples
    --------
    >>> from baserate import get_measure
    >>> from baserate.weighted.measures import WeightedMeasure
    >>> from baserate.weighted.paired.joint import WeightedJoint
    >>> truth, weights = np.ones(6), np.arange(1.0, 7.0)
    >>> joint = WeightedJoint.of_rows(truth, np.zeros(6), truth, weights)
    >>> swap_test(WeightedMeasure.by(get_measure("ACC")), joint).p_value
    0.03125
    """
    base = joint.first.test_set
    plain = classed(measure, base)
    if plain is not None:
        return swaps.swap_test(plain, joint.table)
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
            tuple(np.kron(called, weights[:, np.newaxis]) for called in swaps.CALLED),
            lambda counts: measure.scores(*np.moveaxis(agreed + counts, -1, 0)),
            size=measure.of.magnitude(max(abs(first), abs(second))),
            cost=1 if is_quick else ONE_BY_ONE,
        )
    )
