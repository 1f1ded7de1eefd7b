"""How much two models differ: limits and a p-value, by one measure after another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

J = TypeVar("J")


class Limits(Protocol):
    """What knows the limits of a difference."""

    def difference(self, measure: Any) -> tuple[float, float]:
        """Return the limits of the second score minus the first."""


@dataclass(frozen=True, eq=False)
class PairedModels(Generic[J]):
    """Two models on the same observations.

    Parameters
    ----------
    joint
        What both did, row by row, in counts.
    known
        The limits of their differences.
    swapped
        The test of swapping their answers, by a measure.
    """

    joint: J
    known: Limits
    swapped: Callable[[Any, J], tuple[float, bool]]

    def limits(self, measure: Any) -> tuple[float, float]:
        """Return the limits of the second score minus the first."""
        return self.known.difference(measure)

    def swap_test(self, measure: Any) -> tuple[float, bool]:
        """Return the p-value of swapping the models row by row, and whether it is exact."""
        return self.swapped(measure, self.joint)
