"""Distributions of the number of hits: counted, by a saddlepoint, or by three moments."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from baserate.core.rounding import COMPUTATION
from baserate.multiclass.law.saddlepoint import LinearSum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.multiclass.top_k.board import Board

    Floats = NDArray[np.float64]

# A skewness below this changes no digit that counts.
_STRAIGHT = 1e-6
# The probability whose standard error a simulation states.
_STATED = 0.05


class HitLaw(Protocol):
    """The distribution of the number of hits."""

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding, and no approximation."""

    @property
    def method(self) -> str:
        """How they were found."""

    @property
    def error(self) -> float:
        """What is known of the relative error of a probability; 0 if it is exact."""

    def at_least(self, count: int) -> float:
        """Return the probability of at least so many hits."""

    def at_most(self, count: int) -> float:
        """Return the probability of at most so many hits."""

    def ppf(self, level: float) -> int:
        """Return the smallest number that is not exceeded with at least this probability."""


@dataclass(frozen=True)
class ReversedLaw:
    """The distribution of hits from that of misses."""

    misses: HitLaw
    total: int

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding, and no approximation."""
        return self.misses.exact

    @property
    def method(self) -> str:
        """How they were found."""
        return self.misses.method

    @property
    def error(self) -> float:
        """What is known of the relative error of a probability; 0 if it is exact."""
        return self.misses.error

    def at_least(self, count: int) -> float:
        """Return the probability of at least so many hits."""
        return self.misses.at_most(self.total - count)

    def at_most(self, count: int) -> float:
        """Return the probability of at most so many hits."""
        return self.misses.at_least(self.total - count)

    def ppf(self, level: float) -> int:
        """Return the smallest number that is not exceeded with at least this probability."""
        return _first(self, level, 0, self.total)


def _first(law: HitLaw, level: float, low: int, high: int) -> int:
    """Return the smallest count that is not exceeded with at least this probability."""
    wanted = min(level, 1.0) * (1 - COMPUTATION)
    while low < high:
        middle = (low + high) // 2
        if law.at_most(middle) >= wanted:
            high = middle
        else:
            low = middle + 1
    return low


@dataclass(frozen=True, eq=False)
class CountedLaw:
    """A distribution with a probability for each number of hits.

    Parameters
    ----------
    first
        The smallest number of hits.
    masses
        The probability of this number, and of each one after it.
    method
        How they were found.
    drawn
        How many random deals they are from; 0 if they are exact.
    """

    first: int
    masses: Floats
    method: str
    drawn: int = 0

    @classmethod
    def of_hits(cls, hits: NDArray[np.int64]) -> CountedLaw:
        """Return the distribution of random deals."""
        first = int(hits.min())
        return cls(first, np.bincount(hits - first) / hits.size, "simulation", hits.size)

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding, and no approximation."""
        return not self.drawn

    @property
    def error(self) -> float:
        """The standard error of p = 0.05, relative to it; 0 if all tables were counted."""
        return math.sqrt((1 / _STATED - 1) / self.drawn) if self.drawn else 0.0

    @cached_property
    def _tails(self) -> tuple[Floats, Floats]:
        above, below = np.cumsum(self.masses[::-1])[::-1], np.cumsum(self.masses)
        return np.minimum(above, 1.0), np.minimum(below, 1.0)

    def at_least(self, count: int) -> float:
        """Return the probability of at least so many hits."""
        above, _ = self._tails
        place = count - self.first
        return self._counted(float(above[max(place, 0)]) if place < above.size else 0.0)

    def at_most(self, count: int) -> float:
        """Return the probability of at most so many hits."""
        _, below = self._tails
        place = count - self.first
        return self._counted(float(below[min(place, below.size - 1)]) if place >= 0 else 0.0)

    def _counted(self, chance: float) -> float:
        """Count what was observed as one of the random deals: then P(p ≤ alpha) ≤ alpha."""
        if not self.drawn:
            return chance
        return (round(chance * self.drawn) + 1) / (self.drawn + 1)

    def ppf(self, level: float) -> int:
        """Return the smallest number that is not exceeded with at least this probability."""
        reached = self._tails[1] >= min(level, 1.0) * (1 - COMPUTATION)
        return self.first + int(reached.argmax())


@dataclass(frozen=True, eq=False)
class SaddlepointLaw:
    """The distribution of hits by a saddlepoint.

    Parameters
    ----------
    board
        The classes and the answers, of several kinds each.
    """

    board: Board
    exact = False
    method = "saddlepoint"
    # The largest that was measured for p ≥ 1e-6, with 30 observations; with 60 it is 0.4%.
    error = 0.08

    @cached_property
    def _sum(self) -> LinearSum:
        # The cost grows with the cube of the second margin.
        n, m, weights = self.board.n, self.board.m, self.board.hits.astype(float)
        if len(m) > len(n):
            n, m, weights = m, n, weights.T
        return LinearSum.of_cells(n, m, weights)

    @cached_property
    def _ends(self) -> tuple[int, int]:
        """The fewest and the most hits."""
        return sum(self.board.n) - self.board.reversed.most, self.board.most

    def at_least(self, count: int) -> float:
        """Return the probability of at least so many hits."""
        low, high = self._ends
        return float(count <= low) if not low < count <= high else self._sum.at_least(count)

    def at_most(self, count: int) -> float:
        """Return the probability of at most so many hits."""
        low, high = self._ends
        return float(count >= high) if not low <= count < high else self._sum.at_most(count)

    def ppf(self, level: float) -> int:
        """Return the smallest number that is not exceeded with at least this probability."""
        low, high = self._ends
        return min(max(math.ceil(self._sum.quantile(level) - 0.5), low), high)


@dataclass(frozen=True)
class MomentLaw:
    """The distribution of hits by its first three moments: that of a shifted gamma number.

    Parameters
    ----------
    mean, sd, skewness
        The moments of the number of hits, which are exact.
    total
        The number of observations.
    """

    mean: float
    sd: float
    skewness: float
    total: int
    exact = False
    method = "three moments"
    # The largest that was measured for p ≥ 1e-6, with a standard deviation of 18.
    error = 0.03

    def at_least(self, count: int) -> float:
        """Return the probability of at least so many hits."""
        return 1.0 if count <= 0 else self._tail(count - 0.5, upper=True)

    def at_most(self, count: int) -> float:
        """Return the probability of at most so many hits."""
        return 1.0 if count >= self.total else self._tail(count + 0.5, upper=False)

    def ppf(self, level: float) -> int:
        """Return the smallest number that is not exceeded with at least this probability."""
        return _first(self, level, 0, self.total)

    def _tail(self, value: float, *, upper: bool) -> float:
        """Return the probability of a larger value, or of a smaller one."""
        from scipy.special import gammainc, gammaincc, ndtr

        z = (value - self.mean) / self.sd
        if abs(self.skewness) < _STRAIGHT:
            return float(ndtr(-z if upper else z))
        shape = 4 / self.skewness**2
        # A negative skewness is that of the misses.
        at = shape + math.copysign(math.sqrt(shape), self.skewness) * z
        is_above = upper == (self.skewness > 0)
        return float((gammaincc if is_above else gammainc)(shape, max(at, 0.0)))
