"""How much two models differ by a measure of probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from baserate.core.paired import UNDEFINED
from baserate.intervals.limits import DifferenceLimits
from baserate.paired import flip_test
from baserate.probability.several.intervals import PROBABILITIES

if TYPE_CHECKING:
    from baserate.core.confidence import Limits
    from baserate.core.paired import SwapTest
    from baserate.probability.several.joint import JointProbabilities
    from baserate.probability.several.measures import ProbabilityMeasure


@dataclass(frozen=True, eq=False)
class PairedProbabilities:
    """Two models on the same observations.

    Parameters
    ----------
    joint
        What both did.
    alpha
        How often a pair of limits may be wrong.
    """

    joint: JointProbabilities
    alpha: float

    def limits(self, measure: ProbabilityMeasure) -> Limits:
        """Return the limits of the second score minus the first."""
        return DifferenceLimits(PROBABILITIES, self.joint, self.alpha).difference(measure)

    def swap_test(self, measure: ProbabilityMeasure) -> SwapTest:
        """Return the p-value of swapping the models row by row."""
        known = self.joint.pairs
        if not measure.additive or measure.missing(known.test_set):
            return UNDEFINED
        differences = self.joint.points(measure.rule, 1) - self.joint.points(measure.rule, 0)
        return flip_test(differences, known.counts)
