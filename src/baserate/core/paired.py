"""How much two models differ: limits and a p-value, by one measure after another."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from baserate.core.multiple_testing import Limits

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


class SwapTest(NamedTuple):
    """The p-value of a difference between two models.

    Parameters
    ----------
    p_value
        The chance that swaps make scores differ at least as much; nan if a score is missing.
    method
        How it was found: "exact", "saddlepoint" or "permutations".
    floor
        The smallest p-value that is told apart from smaller ones; 0 if there is none.
    """

    p_value: float
    method: str = "exact"
    floor: float = 0.0

    @property
    def least(self) -> float:
        """The p-value, or 0 if it cannot be told from smaller ones."""
        return 0.0 if self.p_value <= self.floor else self.p_value

    @property
    def exact(self) -> bool:
        """Whether all swaps are counted."""
        return self.method == "exact" and not 0 < self.p_value <= self.floor


def mirrored(joint: J, turned: J) -> J:
    """Return two models in the other order, which keeps what is known of each."""
    for name, other in (("first", "second"), ("second", "first")):
        if other in vars(joint):
            vars(turned)[name] = vars(joint)[other]
    return turned


UNDEFINED = SwapTest(math.nan)
"""One of the models has no score."""
SAME = SwapTest(1.0)
"""No swap makes a difference."""


class KnownLimits(Protocol):
    """What knows the limits of a difference."""

    def difference(self, measure: Any) -> Limits:
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
    clusters
        What both did on each cluster of rows; none if rows are independent.
    """

    joint: J
    known: KnownLimits
    swapped: Callable[..., SwapTest]
    clusters: Sequence[Any] = ()

    def limits(self, measure: Any) -> Limits:
        """Return the limits of the second score minus the first."""
        return self.known.difference(measure)

    def swap_test(self, measure: Any) -> SwapTest:
        """Return the p-value of swapping the models row by row, or by whole clusters."""
        with np.errstate(all="ignore"):  # squares may be beyond the range of floats
            if self.clusters:
                return self.swapped(measure, self.joint, self.clusters)
            return self.swapped(measure, self.joint)
