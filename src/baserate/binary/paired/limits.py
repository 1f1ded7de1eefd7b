"""How sure the difference between two models is, over test sets like the one that was observed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from baserate.binary.uncertainty import scored
from baserate.core.confidence import limits, plausible

if TYPE_CHECKING:
    from baserate.binary.measures.record import Measure
    from baserate.binary.paired.joint import JointTable
    from baserate.binary.uncertainty import Cells


@dataclass(frozen=True, eq=False)
class Limits:
    """The limits of differences between two models.

    The eight counts are taken as a sample of all that could be observed, base rate included.

    Parameters
    ----------
    joint
        The joint table of the models.
    alpha
        How often a pair of limits may be wrong.
    """

    joint: JointTable
    alpha: float

    def difference(self, measure: Measure) -> tuple[float, float]:
        """Return the limits of the second score minus the first."""
        first, second = self._tables
        return limits(scored(measure, second) - scored(measure, first), self.alpha)

    @cached_property
    def _tables(self) -> tuple[Cells, Cells]:
        """The tables of both models that could well have given those that were observed."""
        counts = (*self.joint.positives, *self.joint.negatives)
        cells = plausible(counts, self.alpha) * sum(counts)
        right, hit_first, hit_second, missed, wrong, false_first, false_second, avoided = cells
        first = (
            right + hit_first,
            wrong + false_first,
            hit_second + missed,
            false_second + avoided,
        )
        second = (
            right + hit_second,
            wrong + false_second,
            hit_first + missed,
            false_first + avoided,
        )
        return first, second
