"""How sure the difference between two models is, over test sets like the one that was observed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from baserate.binary.uncertainty import scored
from baserate.core.confidence import limits, shares

if TYPE_CHECKING:
    from baserate.binary.measures.record import Measure
    from baserate.binary.paired.joint import JointTable
    from baserate.binary.uncertainty import Cells, Floats


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
        cells, spare = self._shares
        gains = np.empty(cells.shape)
        for corner in range(len(cells)):  # one at a time: all of them may take a gigabyte
            given = cells.copy()
            given[corner] += spare
            first, second = _tables(given * self._total)
            gains[corner] = scored(measure, second) - scored(measure, first)
        low, high = limits(gains, self.alpha)
        return (-high, -low) if self._is_mirrored else (low, high)

    @property
    def _total(self) -> int:
        return sum(self.joint.positives) + sum(self.joint.negatives)

    @property
    def _is_mirrored(self) -> bool:
        """Whether to look at the models the other way round.

        Limits are computed at fixed points, which tell one cell from another. Whoever swaps the
        models should have the same limits, with the other sign.
        """
        p, n = self.joint.positives, self.joint.negatives
        return (p.first, n.first) > (p.second, n.second)

    @cached_property
    def _shares(self) -> tuple[Floats, Floats]:
        p, n = self.joint.positives, self.joint.negatives
        if self._is_mirrored:
            p, n = (each._replace(first=each.second, second=each.first) for each in (p, n))
        return shares((*p, *n), self.alpha)


def _tables(cells: Floats) -> tuple[Cells, Cells]:
    """Return the tables of both models from the eight cells."""
    hits, only_first, only_second, missed, *others = cells
    false, false_first, false_second, avoided = others
    first = hits + only_first, false + false_first, only_second + missed, false_second + avoided
    second = hits + only_second, false + false_second, only_first + missed, false_first + avoided
    return first, second
