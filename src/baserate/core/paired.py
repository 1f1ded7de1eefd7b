"""How much two models differ: limits and a p-value, by one measure after another."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

J = TypeVar("J")
N = TypeVar("N")


def pairs_of(models: Sequence[N], *, with_first: bool = False) -> list[tuple[N, N]]:
    """Return every pair of models, or each of the others with the first one.

    Examples
    --------
    >>> pairs_of(["naive", "tree", "knn"])
    [('naive', 'tree'), ('naive', 'knn'), ('tree', 'knn')]
    >>> pairs_of(["naive", "tree", "knn"], with_first=True)
    [('naive', 'tree'), ('naive', 'knn')]
    """
    if with_first:
        return [(models[0], other) for other in models[1:]]
    return list(combinations(models, 2))


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
