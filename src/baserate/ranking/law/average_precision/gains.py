"""What the cases of the rarer class in a segment add to a value of average precision.

The sum S = P AP grows with each positive, by K_b/T_b. With few negatives it is P less what each
of them costs: L_b - n_b/T_b, where L_b sums t_c/T_c over its block and those below, and n_b counts
the negatives down to its block. That is at least -N/M, so N/M more of each is not negative.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.ranking.law.average_precision.segments import Segments

    Floats = NDArray[np.float64]

# Outcomes of a segment that are less likely are left out, and what they sum to is not forgotten.
_UNLIKELY = 1e-20
# How many deals show where values usually are.
_DEALS = 4_000


@dataclass(frozen=True, eq=False)
class Gains:
    """What the cases of the rarer class add, and how likely they are where.

    Parameters
    ----------
    segments
        The segments of the ranking.
    cases
        The number of cases.
    falling
        Whether they are negatives, so that the sum falls with the value.
    """

    segments: Segments
    cases: int
    falling: bool

    @cached_property
    def exact(self) -> bool:
        """Whether each segment is a block, so that all of its places are worth the same."""
        return bool((self.segments.blocks == 1).all())

    @cached_property
    def added(self) -> float:
        """What is added to the value, so that no gain is negative."""
        return self.cases * self._spare if self.falling else 0.0

    @cached_property
    def largest(self) -> float:
        """A bound of the value."""
        if not self.falling:
            return float(self.cases)
        return self.cases * float(self.segments.shares.sum()) + self.added

    @property
    def _spare(self) -> float:
        return self.cases / float(self.segments.ends[-1])

    @cached_property
    def low(self) -> Floats:
        """What x cases add at least in a segment after k cases above it: of segment, k and x."""
        single, count, more = self._frame()
        ends, firsts = self._of_each(self.segments.ends), self._of_each(self.segments.firsts)
        if not self.falling:
            # Positives of one block count each other; those of several, only the ones above.
            return more * np.where(single, count + more, count + (more + 1) / 2) / ends
        below = self._below()
        # The last block of several has at least one observation.
        least = np.where(single, below, below - self._of_each(self.segments.shares) + 1 / ends)
        return np.asarray(more * np.maximum(least - (count + more) / firsts + self._spare, 0.0))

    @cached_property
    def high(self) -> Floats:
        """What they add at most."""
        single, count, more = self._frame()
        if not self.falling:
            return np.asarray(more * (count + more) / self._of_each(self.segments.firsts))
        seen = np.where(single, count + more, count + 1) / self._of_each(self.segments.ends)
        return np.asarray(more * np.maximum(self._below() - seen + self._spare, 0.0))

    @cached_property
    def chances(self) -> Floats:
        """The probability of x cases in a segment after k above it; 0 if it is negligible."""
        sizes = self.segments.sizes
        left = self.segments.ends[-1] - self.segments.ends + sizes
        drawn, others, every = (self._log_falling(each) for each in (sizes, left - sizes, left))
        ways = self._log_falling(np.arange(self.cases + 1.0))
        _, count, more = self._frame()
        rest = self.cases - count - more
        place = np.arange(sizes.size)[:, None, None]
        spare = np.maximum(rest, 0)
        after = self.cases - count
        choices = ways[after, more] - ways[more, more]
        with np.errstate(invalid="ignore"):  # what cannot be, of what cannot be
            logs = choices + drawn[place, more] + others[place, spare] - every[place, after]
            chances = np.where(rest >= 0, np.exp(logs), 0.0)
        return np.where(chances >= _UNLIKELY, chances, 0.0)

    @cached_property
    def usual(self) -> Floats:
        """Values of some random deals, ascending."""
        rng = np.random.default_rng(17)
        total = int(self.segments.ends[-1])
        ranks = rng.integers(1, total + 1, (_DEALS, self.cases))
        places = np.sort(np.searchsorted(self.segments.ends, ranks), axis=1)
        seen = (places[:, None, :] <= places[:, :, None]).sum(axis=2)
        gains = seen / self.segments.ends[places]
        if self.falling:
            gains = self._below()[:, 0, 0][places] - gains + self._spare
        return np.sort(gains.sum(axis=1))

    def _frame(self) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
        """Return which segments are one block, and all k and x, to be combined."""
        numbers = np.arange(self.cases + 1)
        single = (self.segments.blocks == 1)[:, None, None]
        return single, numbers[None, :, None], numbers[None, None, :]

    def _of_each(self, values: Floats) -> Floats:
        return values[:, None, None]

    def _below(self) -> Floats:
        """Return the sum of t_b/T_b over each segment and those below it."""
        return self._of_each(self.segments.shares[::-1].cumsum()[::-1])

    def _log_falling(self, numbers: Floats) -> Floats:
        """Return the logarithm of n (n - 1) … (n - j + 1), for each n and each j."""
        factors = np.maximum(numbers[:, None] - np.arange(self.cases), 0.0)
        with np.errstate(divide="ignore"):
            logs = np.cumsum(np.log(factors), axis=1)
        return np.concatenate([np.zeros((numbers.size, 1)), logs], axis=1)
