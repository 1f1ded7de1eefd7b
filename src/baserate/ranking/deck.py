"""The scores that are given, without their order: what is dealt at random."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.data.numbers import read_scores, require_no_nan

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ScoreDeck:
    """The distinct scores of a model, and how often each is given.

    Parameters
    ----------
    values
        The distinct scores, descending.
    sizes
        How many observations have each.

    Examples
    --------
    >>> deck = ScoreDeck.of([0.2, 0.9, 0.2, 0.5])
    >>> deck.values.tolist(), deck.sizes.tolist(), deck.total
    ([0.9, 0.5, 0.2], [1, 1, 2], 4)
    """

    values: Floats
    sizes: Ints

    @classmethod
    def of(cls, scores: Any) -> ScoreDeck:
        """Return the deck of some scores, in any order."""
        read = read_scores("scores", scores)
        require_no_nan("scores", read)
        values, sizes = np.unique(read, return_counts=True)
        return cls(values[::-1], sizes[::-1])

    @cached_property
    def total(self) -> int:
        """The number of observations."""
        return int(self.sizes.sum())

    @cached_property
    def upto(self) -> Ints:
        """How many observations have at least each score."""
        return np.cumsum(self.sizes)

    @property
    def without_ties(self) -> bool:
        """Whether every observation has a score of its own."""
        return self.sizes.size == self.total
