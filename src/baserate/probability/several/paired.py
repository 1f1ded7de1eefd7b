"""How much two models differ by a measure of probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.paired import UNDEFINED
from baserate.paired import flip_test
from baserate.probability.several.means import limits_of_mean
from baserate.probability.several.uncertainty import ends, possible

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    """

    joint: JointProbabilities
    alpha: float

    def limits(self, measure: ProbabilityMeasure) -> tuple[float, float]:
        """Return the limits of the second score minus the first.

        Of skill, the unit is that of this test set: both models share it.
        """
        if not measure.additive or measure.missing(self.joint.pairs.test_set):
            return math.nan, math.nan
        first, second = (self._points(measure, model) for model in (0, 1))
        known = self.joint.pairs
        may_be = possible(measure.rule, first, known) & possible(measure.rule, second, known)
        table = measure.affine(known.test_set)[0] * (second - first)
        spare = ends(table, may_be)
        return limits_of_mean(table[known.given, known.truth], known.counts, spare, self.alpha)

    def swap_test(self, measure: ProbabilityMeasure) -> SwapTest:
        """Return the p-value of swapping the models row by row."""
        known = self.joint.pairs
        if not measure.additive or measure.missing(known.test_set):
            return UNDEFINED
        table = self._points(measure, 1) - self._points(measure, 0)
        return flip_test(table[known.given, known.truth], known.counts)

    def _points(self, measure: ProbabilityMeasure, model: int) -> Floats:
        observed = self.joint.second if model else self.joint.first
        rows = self.joint.rows(model).astype(float)
        return np.asarray(measure.rule.points(rows, observed.smallest))
