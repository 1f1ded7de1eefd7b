"""How much two models differ: limits and a p-value, by one measure after another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from baserate.multiclass.measures.record import ClassMeasure
    from baserate.multiclass.paired.joint import JointMatrix


@dataclass(frozen=True, eq=False)
class PairedMatrices:
    """Two models on the same observations."""

    joint: JointMatrix
    alpha: float

    def limits(self, measure: ClassMeasure) -> tuple[float, float]:
        """Return the limits of the second score minus the first."""
        raise NotImplementedError

    def swap_test(self, measure: ClassMeasure) -> tuple[float, bool]:
        """Return the p-value of swapping the models row by row, and whether it is exact."""
        raise NotImplementedError
