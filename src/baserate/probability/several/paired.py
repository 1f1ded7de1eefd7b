"""How much two models differ by a measure of probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.paired import UNDEFINED
from baserate.intervals.limits import DifferenceLimits
from baserate.paired import flip_test
from baserate.probability.several.intervals import PROBABILITIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.core.confidence import Limits
    from baserate.core.paired import SwapTest
    from baserate.probability.several.joint import JointProbabilities
    from baserate.probability.several.measures import ProbabilityMeasure

    Floats = NDArray[Any]


@dataclass(frozen=True, eq=False)
class PairedProbabilities:
    """Two models on the same observations.

    Parameters
    ----------
    joint
        What both did.
    alpha
        How often a pair of limits may be wrong.
    clusters
        The same on each cluster of rows; none if rows are independent.
    """

    joint: JointProbabilities
    alpha: float
    clusters: Sequence[JointProbabilities] = ()

    def limits(self, measure: ProbabilityMeasure) -> Limits:
        """Return the limits of the second score minus the first."""
        known = DifferenceLimits(PROBABILITIES, self.joint, self.alpha, self.clusters)
        return known.difference(measure)

    def swap_test(self, measure: ProbabilityMeasure) -> SwapTest:
        """Return the p-value of swapping the models row by row."""
        known = self.joint.pairs
        if not measure.additive or measure.missing(known.test_set):
            return UNDEFINED
        if self.clusters:
            sums = [_gains(measure, each) @ each.pairs.counts for each in self.clusters]
            return flip_test(np.array(sums, dtype=float))
        return flip_test(_gains(measure, self.joint), known.counts)


def _gains(measure: ProbabilityMeasure, joint: JointProbabilities) -> Floats:
    return joint.points(measure.rule, 1) - joint.points(measure.rule, 0)
