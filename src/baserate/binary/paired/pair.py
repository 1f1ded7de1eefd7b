"""How much two models differ: limits and a p-value, by one measure after another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from baserate.binary.paired.limits import Limits
from baserate.binary.paired.swaps import swap_test

if TYPE_CHECKING:
    from baserate.binary.measures.record import Measure
    from baserate.binary.paired.joint import JointTable


@dataclass(frozen=True, eq=False)
class PairedTables:
    """Two models on the same observations.

    Parameters
    ----------
    joint
        Their joint table.
    alpha
        How often a pair of limits may be wrong.
    """

    joint: JointTable
    alpha: float

    @cached_property
    def _limits(self) -> Limits:
        return Limits(self.joint, self.alpha)

    def limits(self, measure: Measure) -> tuple[float, float]:
        """Return the limits of the second score minus the first."""
        return self._limits.difference(measure)

    def swap_test(self, measure: Measure) -> tuple[float, bool]:
        """Return the p-value of swapping the models row by row, and whether it is exact."""
        return swap_test(measure, self.joint)
