"""A score to reach at some cut-off, and which tables reach it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.binary.measures.affine import affine_score
from baserate.core.direction import Direction
from baserate.data.counting import four_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate
    from baserate.binary.measures.record import Measure

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Cuts:
    """A measure at the cut-offs of a model.

    Parameters
    ----------
    measure
        The measure.
    rate
        The test set.
    ends
        How many observations are predicted positive at each cut-off, ascending.
    """

    measure: Measure
    rate: BaseRate
    ends: Ints

    @cached_property
    def monotone(self) -> bool:
        """Whether one more true positive, for the same cut-off, never makes the score worse."""
        if self.measure.monotone:
            return True
        affine = affine_score(self.measure, self.rate)
        if affine is None:
            return False
        maximize = self.measure.direction is Direction.MAXIMIZE
        return affine.slope >= 0 if maximize else affine.slope <= 0

    @property
    def rising(self) -> bool:
        """Whether a lower cut-off never takes fewer true positives to reach the same score."""
        return self.measure.consistent

    def ranges(self, ends: Any) -> tuple[Any, Any]:
        """Return the smallest and the largest number of true positives at cut-offs."""
        low = np.maximum(ends - self.rate.negatives, 0)
        return low, np.minimum(ends, self.rate.positives)

    def goodness(self, tp: Any, ends: Any) -> Floats:
        """Return the scores of tables, higher for better ones; -inf where there is none."""
        hits, size = np.broadcast_arrays(np.asarray(tp, float), np.asarray(ends, float))
        cells = four_counts(hits, self.rate.positives, self.rate.negatives, size)
        scores = self.measure.scores(*map(np.ascontiguousarray, cells))
        better = scores if self.measure.direction is Direction.MAXIMIZE else -scores
        first, last = self._allowed
        known = np.isfinite(better) & (size >= first) & (size <= last)
        return np.where(known, better, -np.inf)

    @cached_property
    def _allowed(self) -> tuple[int, int]:
        allowed = self.measure.allowed(self.rate)
        return (allowed[0], allowed[-1]) if allowed else (1, 0)


@dataclass(frozen=True, eq=False)
class Target:
    """A score to reach.

    Parameters
    ----------
    cuts
        The measure and the cut-offs.
    goodness
        How good a table must be, higher for better ones.
    """

    cuts: Cuts
    goodness: float

    def is_reached(self, tp: Any, ends: Any) -> NDArray[np.bool_]:
        """Return which tables reach the score."""
        return np.asarray(self.cuts.goodness(tp, ends) >= self.goodness)

    def bounds(self, ends: Ints) -> Ints:
        """Return the fewest true positives that reach it, or one more than there can be.

        The measure must be monotone.
        """
        low, most = self.cuts.ranges(ends)
        high = most + 1
        while (low < high).any():
            middle = (low + high) // 2
            # There is nothing to score where the search has ended beyond all counts.
            reached = self.is_reached(np.minimum(middle, most), ends)
            is_open = low < high
            high = np.where(is_open & reached, middle, high)
            low = np.where(is_open & ~reached, middle + 1, low)
        return np.asarray(low)

    @cached_property
    def is_certain(self) -> bool:
        """Whether a cut-off that leaves no choice reaches it: nothing or all positive."""
        rate, ends = self.cuts.rate, self.cuts.ends
        if not (rate.positives and rate.negatives):
            return bool(self.is_reached(np.minimum(ends, rate.positives), ends).any())
        sure = np.array([end for end in (ends[0], ends[-1]) if end in (0, rate.total)], dtype=int)
        return bool(self.is_reached(np.minimum(sure, rate.positives), sure).any())


@dataclass(frozen=True, eq=False)
class Reached:
    """The barrier of any function: it is met by the tables that reach a score.

    Parameters
    ----------
    target
        The score to reach.
    """

    target: Target

    def reached(self, place: int, first: int, chances: Floats) -> tuple[int, Floats, Floats]:
        """Split the chances of some counts of positives, from the first count on."""
        cuts = self.target.cuts
        end = self.target.cuts.ends[place]
        low, high = (int(limit) for limit in cuts.ranges(end))
        start, stop = max(low - first, 0), max(min(high + 1 - first, chances.size), 0)
        meets = np.zeros(chances.size, dtype=bool)
        if start < stop:
            counts = first + np.arange(start, stop)
            meets[start:stop] = self.target.is_reached(counts, np.full(counts.size, end))
        if not meets.any():
            return 0, chances[:0], chances
        return 0, np.where(meets, chances, 0.0), np.where(meets, 0.0, chances)
