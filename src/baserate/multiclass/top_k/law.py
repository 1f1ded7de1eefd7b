"""The distribution of the number of hits, if a model's own answers are dealt at random.

A hit is a pair of a true class and an answer that has it. If each class is in one kind of answer at
most, as for k = 1, that is the card-matching problem; and so are the misses, if each class is
missing in one at most, as for all classes but one. Other boards are enumerated if they have few
tables, and approximated otherwise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Protocol

import numpy as np

from baserate.core.rounding import COMPUTATION
from baserate.multiclass.law.enumeration import all_tables
from baserate.multiclass.law.saddlepoint import LinearSum
from baserate.multiclass.law.trace_law import trace_law
from baserate.multiclass.top_k.board import Board, Sets
from baserate.multiclass.top_k.shuffling import shuffled_hits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.multiclass.top_k.answers import TopAnswers

    Floats = NDArray[np.float64]

# The most cells of a board: with more, saddlepoints take seconds.
_MOST_CELLS = 2**15
# From this standard deviation on, three moments are enough for the tails.
_SMOOTH = 25.0


class HitLaw(Protocol):
    """The distribution of the number of hits."""

    @property
    def exact(self) -> bool: ...
    @property
    def method(self) -> str: ...
    @property
    def error(self) -> float: ...
    def at_least(self, count: int) -> float: ...
    def at_most(self, count: int) -> float: ...
    def ppf(self, level: float) -> int: ...


@lru_cache(maxsize=256)
def hit_law(answers: TopAnswers, k: int) -> HitLaw:
    """Return the distribution of the number of hits, exactly if that takes about a second.

    Examples
    --------
    >>> from baserate.multiclass.top_k.answers import TopAnswers
    >>> scores = [[3, 2, 1, 0], [0, 3, 2, 1], [1, 0, 3, 2], [3, 2, 0, 1]]
    >>> law = hit_law(TopAnswers.of(["a", "b", "c", "d"], scores), 2)
    >>> law.exact, round(law.at_least(3), 4)
    (True, 0.3333)
    """
    sets = Sets.of(answers, k)
    if sets.cells <= _MOST_CELLS:
        return _of_board(Board.of(sets))
    mean, sd, skewness = sets.moments()
    if sd >= _SMOOTH:
        return MomentLaw(mean, sd, skewness, answers.total)
    return CountedLaw.of_counts(shuffled_hits(sets), answers.total)


def _of_board(board: Board) -> HitLaw:
    matching = board.matching
    if matching is not None:
        return trace_law(*matching)
    matching = board.reversed.matching
    if matching is not None:
        return _Reversed(trace_law(*matching), sum(board.n))
    tables = all_tables(board.n, board.m)
    if tables is not None:
        hits = (tables[0] * board.hits).sum(axis=(1, 2))
        return CountedLaw(np.bincount(hits, tables[1], sum(board.n) + 1))
    return SaddlepointLaw(board)


@dataclass(frozen=True)
class _Reversed:
    """The distribution of hits from that of misses."""

    misses: HitLaw
    total: int

    @property
    def exact(self) -> bool:
        return self.misses.exact

    @property
    def method(self) -> str:
        return self.misses.method

    @property
    def error(self) -> float:
        return self.misses.error

    def at_least(self, count: int) -> float:
        return self.misses.at_most(self.total - count)

    def at_most(self, count: int) -> float:
        return self.misses.at_least(self.total - count)

    def ppf(self, level: float) -> int:
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
    masses
        The probability of each number, from 0 to M.
    drawn
        How many random deals they are from; 0 if they are exact.
    """

    masses: Floats
    drawn: int = 0

    @classmethod
    def of_counts(cls, hits: NDArray[np.int64], total: int) -> CountedLaw:
        """Return the distribution of random deals."""
        return cls(np.bincount(hits, minlength=total + 1) / hits.size, hits.size)

    @property
    def exact(self) -> bool:
        return not self.drawn

    @property
    def method(self) -> str:
        return "simulation" if self.drawn else "enumeration"

    @property
    def error(self) -> float:
        """The standard error of p = 0.05, relative to it; 0 if all tables were counted."""
        return math.sqrt((1 / 0.05 - 1) / self.drawn) if self.drawn else 0.0

    @cached_property
    def _tails(self) -> tuple[Floats, Floats]:
        above, below = np.cumsum(self.masses[::-1])[::-1], np.cumsum(self.masses)
        return np.minimum(above, 1.0), np.minimum(below, 1.0)

    def at_least(self, count: int) -> float:
        above, _ = self._tails
        return self._counted(float(above[max(count, 0)]) if count < above.size else 0.0)

    def at_most(self, count: int) -> float:
        _, below = self._tails
        return self._counted(float(below[min(count, below.size - 1)]) if count >= 0 else 0.0)

    def _counted(self, chance: float) -> float:
        """Count what was observed as one of the random deals: then P(p ≤ alpha) ≤ alpha."""
        if not self.drawn:
            return chance
        return (round(chance * self.drawn) + 1) / (self.drawn + 1)

    def ppf(self, level: float) -> int:
        reached = self._tails[1] >= min(level, 1.0) * (1 - COMPUTATION)
        return int(reached.argmax())


@dataclass(frozen=True, eq=False)
class SaddlepointLaw:
    """The distribution of hits by a saddlepoint.

    Parameters
    ----------
    board
        The classes and the answers; neither they nor the answers determine the hits.
    """

    board: Board
    exact = False
    method = "saddlepoint"
    error = 0.01

    @cached_property
    def _sum(self) -> LinearSum:
        # The cost grows with the cube of the second margin.
        n, m, weights = self.board.n, self.board.m, self.board.hits.astype(float)
        if len(m) > len(n):
            n, m, weights = m, n, weights.T
        return LinearSum.of_cells(n, m, weights)

    @cached_property
    def _ends(self) -> tuple[int, int]:
        return sum(self.board.n) - self.board.reversed.most, self.board.most

    def at_least(self, count: int) -> float:
        low, high = self._ends
        return float(count <= low) if not low < count <= high else self._sum.at_least(count)

    def at_most(self, count: int) -> float:
        low, high = self._ends
        return float(count >= high) if not low <= count < high else self._sum.at_most(count)

    def ppf(self, level: float) -> int:
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
    error = 0.05

    def at_least(self, count: int) -> float:
        return 1.0 if count <= 0 else self._tail(count - 0.5, upper=True)

    def at_most(self, count: int) -> float:
        return 1.0 if count >= self.total else self._tail(count + 0.5, upper=False)

    def ppf(self, level: float) -> int:
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


# A skewness below this changes no digit that counts.
_STRAIGHT = 1e-6
