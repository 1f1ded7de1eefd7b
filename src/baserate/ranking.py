"""Does a ranking tell the classes apart? The area under its ROC curve, and its p-value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[Any]

# With no more observations than this, all the ways to rank the positives are counted.
_COUNTED = 60


@dataclass(frozen=True)
class Ranking:
    """How many pairs of a positive and a negative observation are ranked rightly.

    Parameters
    ----------
    positives, negatives
        How many of each there are in every group of equal scores, best group first.
    """

    positives: Ints
    negatives: Ints

    def reversed(self) -> Ranking:
        """Return the ranking from its other end."""
        return Ranking(self.positives[::-1], self.negatives[::-1])

    @property
    def auc(self) -> float:
        """The chance that a positive is ranked above a negative, a tie being half; or nan."""
        pairs = 2 * int(self.positives.sum()) * int(self.negatives.sum())
        return self._doubled / pairs if pairs else math.nan

    @cached_property
    def p_value(self) -> float:
        """The chance that a random ranking is at least as good (Mann and Whitney's test).

        It is exact for up to 60 observations, and normal with a correction for ties beyond.
        """
        if not self.positives.sum() or not self.negatives.sum():
            return 1.0
        sizes = self.positives + self.negatives
        return self._counted() if sizes.sum() <= _COUNTED else self._normal(sizes)

    @cached_property
    def _doubled(self) -> int:
        """Twice the number of pairs that are ranked rightly, a tie being half."""
        above = np.cumsum(self.positives) - self.positives
        return int(np.dot(self.negatives, 2 * above + self.positives))

    def _counted(self) -> float:
        """Count the ways to choose the positives by the number of pairs that are right."""
        sizes = (self.positives + self.negatives).tolist()
        chosen, below = int(self.positives.sum()), sum(sizes)
        # Twice the rank of each observation from below; of all sums of ranks, how many ways.
        ranks = []
        for size in sizes:
            ranks += [2 * below - size + 1] * size
            below -= size
        ways = np.zeros((chosen + 1, sum(sorted(ranks)[-chosen:]) + 1))
        ways[0, 0] = 1
        for rank in ranks:
            ways[1:, rank:] += ways[:-1, : ways.shape[1] - rank].copy()
        # The sum of the ranks is the pairs that are right and a constant.
        observed = self._doubled + chosen * (chosen + 1)
        return float(ways[-1, observed:].sum() / ways[-1].sum())

    def _normal(self, sizes: Ints) -> float:
        positives, negatives = float(self.positives.sum()), float(self.negatives.sum())
        total = positives + negatives
        tied = sizes.astype(float)
        ties = float(np.dot(tied, tied * tied - 1)) / (total * (total - 1))
        variance = positives * negatives / 12 * (total + 1 - ties)
        if variance <= 0:  # all scores are the same
            return 1.0
        # Half a pair less, because pairs are whole.
        beyond = (self._doubled - positives * negatives - 1) / 2
        return math.erfc(beyond / math.sqrt(2 * variance)) / 2
