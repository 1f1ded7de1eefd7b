"""How much two models differ by a weighted score, over test sets like the one observed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from baserate.binary.task import BINARY
from baserate.core.confidence import limits
from baserate.weighted.classed import classed
from baserate.weighted.paired.swaps import swap_test
from baserate.weighted.plausible import Plausible

if TYPE_CHECKING:
    from baserate.weighted.measures import WeightedMeasure
    from baserate.weighted.paired.joint import WeightedJoint


@dataclass(frozen=True, eq=False)
class PairedWeighted:
    """Two models on the same observations.

    Parameters
    ----------
    joint
        What both did.
    alpha
        How often a pair of limits may be wrong.
    """

    joint: WeightedJoint
    alpha: float

    def limits(self, measure: WeightedMeasure) -> tuple[float, float]:
        """Return the limits of the second score minus the first."""
        base = self.joint.first.test_set
        plain = classed(measure, base)
        if plain is not None:
            return BINARY.paired(self.joint.table, self.alpha).limits(plain)
        if not self.joint.disagreements:
            return 0.0, 0.0
        cells = self._plausible.cells * measure.unit(base)
        p, n = cells[:4], cells[4:]
        first = measure.scores(p[0] + p[1], n[0] + n[1], p[2] + p[3], n[2] + n[3])
        second = measure.scores(p[0] + p[2], n[0] + n[2], p[1] + p[3], n[1] + n[3])
        low, high = limits(second - first, self.alpha)
        return (-high, -low) if self.joint.comes_later else (low, high)

    @cached_property
    def _plausible(self) -> Plausible:
        """Test sets like this one, in an order of the models that is not theirs."""
        joint = self.joint.mirrored if self.joint.comes_later else self.joint
        return Plausible.of(joint.weights, list(joint.counts), self.alpha)

    def swap_test(self, measure: WeightedMeasure) -> tuple[float, bool]:
        """Return the p-value of swapping the models row by row, and whether it is exact."""
        return swap_test(measure, self.joint)
