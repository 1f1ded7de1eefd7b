"""How well a ranking separates the classes: the area under its ROC curve, and its p-value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.binary.base_rate import BaseRate
from baserate.ranking.deck import ScoreDeck
from baserate.ranking.null import null_of_areas

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.null.distribution import NullDistribution

    Ints = NDArray[Any]


@dataclass(frozen=True)
class Ranking:
    """How many pairs of a positive and a negative observation are in the right order.

    Parameters
    ----------
    positives, negatives
        The numbers of each in every group of equal scores, best group first.

    Examples
    --------
    >>> import numpy as np
    >>> ranking = Ranking(np.array([3, 1, 1]), np.array([0, 1, 5]))
    >>> round(ranking.auc, 3), round(ranking.p_value, 3), ranking.exact
    (0.867, 0.028, True)
    """

    positives: Ints
    negatives: Ints

    def reversed(self) -> Ranking:
        """Return the ranking in reverse order."""
        return Ranking(self.positives[::-1], self.negatives[::-1])

    @property
    def auc(self) -> float:
        """The probability that a positive ranks above a negative, ties counting half; or nan."""
        return self._doubled / (2 * self._pairs) if self._pairs else math.nan

    @property
    def p_value(self) -> float:
        """The probability that a random ranking is at least as good (the Mann-Whitney test).

        The random ranking has the same ties.
        """
        return 1.0 if self._null is None else self._null.sf(self.auc)

    @property
    def exact(self) -> bool:
        """Whether the p-value is exact up to rounding, and not an approximation."""
        return self._null is None or self._null.exact

    @property
    def floor(self) -> float:
        """The smallest p-value that is told apart from smaller ones; 0 if there is none."""
        return 0.0 if self._null is None else self._null.floor

    @cached_property
    def _null(self) -> NullDistribution | None:
        """The distribution of the AUC of shuffled scores; None if a class is missing."""
        if not self._pairs:
            return None
        sizes = self.positives + self.negatives
        deck = ScoreDeck(-np.arange(float(np.count_nonzero(sizes))), sizes[sizes > 0])
        rate = BaseRate(positives=int(self.positives.sum()), total=int(sizes.sum()))
        return null_of_areas(rate, deck)

    @cached_property
    def _pairs(self) -> int:
        return int(self.positives.sum()) * int(self.negatives.sum())

    @cached_property
    def _doubled(self) -> int:
        """Twice the number of pairs in the right order, ties counting half."""
        above = np.cumsum(self.positives) - self.positives
        return int(np.dot(self.negatives, 2 * above + self.positives))
