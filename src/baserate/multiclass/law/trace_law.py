"""The law of the number of right answers, which accuracy, kappa, MCC and others share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

import numpy as np

from baserate.binary.base_rate import BaseRate
from baserate.binary.law.hypergeometric import Hypergeometric
from baserate.core.rounding import COMPUTATION
from baserate.multiclass.law.card_matching import matches
from baserate.multiclass.law.saddlepoint import SaddlepointCount, normal_nodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.multiclass.law.card_matching import Matches

    Floats = NDArray[np.float64]


class CountLaw(Protocol):
    """The law of a count."""

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding."""

    @property
    def method(self) -> str:
        """How they were found."""

    @property
    def error(self) -> float:
        """What is known of their relative error."""

    def at_least(self, count: int) -> float:
        """Return the probability of at least so many."""

    def at_most(self, count: int) -> float:
        """Return the probability of at most so many."""

    def ppf(self, level: float) -> int:
        """Return the smallest count that is not exceeded with at least this probability."""

    def nodes(self) -> tuple[Floats, Floats]:
        """Return counts and weights that average a smooth function."""


@lru_cache(maxsize=64)
def trace_law(n: tuple[int, ...], m: tuple[int, ...]) -> CountLaw:
    """Return the law of the number of right answers, exactly if that takes about a second.

    Examples
    --------
    >>> law = trace_law((70, 20, 10), (62, 28, 10))
    >>> law.exact, round(law.at_least(63), 5)
    (True, 0.00092)
    """
    used = [(a, b) for a, b in zip(n, m, strict=True) if a or b]
    met = [(a, b) for a, b in used if a and b]
    total = sum(n)
    if len(used) == 2 or len(met) <= 1:
        a, b = met[0] if met else used[0]
        offset, step = (total - a - b, 2) if len(used) == 2 else (0, 1)
        return _OfOneCell(Hypergeometric(BaseRate(positives=a, total=total), b), offset, step)
    found = matches(n, m)
    if found is not None:
        return _Counted(found)
    return SaddlepointCount(n, m)


@dataclass(frozen=True)
class _OfOneCell:
    """A count that is a multiple of one cell, plus a constant: with two classes, or one that meets.

    Parameters
    ----------
    cell
        The law of the cell, which is hypergeometric.
    offset, step
        The count is offset + step · cell.
    """

    cell: Hypergeometric
    offset: int
    step: int
    exact = True
    method = "hypergeometric"
    error = 0.0

    def at_least(self, count: int) -> float:
        return self.cell.sf(-(-(count - self.offset) // self.step) - 1)

    def at_most(self, count: int) -> float:
        return self.cell.cdf((count - self.offset) // self.step)

    def ppf(self, level: float) -> int:
        return self.offset + self.step * self.cell.ppf(level)

    def nodes(self) -> tuple[Floats, Floats]:
        if not self.cell.is_narrow:
            found = normal_nodes(float(self.cell.mean), math.sqrt(self.cell.variance))
        else:
            first, masses = self.cell.window()
            found = (first + np.arange(masses.size, dtype=float), masses)
        return self.offset + self.step * found[0], found[1]


@dataclass(frozen=True, eq=False)
class _Counted:
    """A law with all its masses."""

    law: Matches
    exact = True
    method = "card matching"
    error = 0.0

    def at_least(self, count: int) -> float:
        place = count - self.law.first
        if place <= 0:
            return 1.0
        return float(self.law.at_least[place]) if place < self.law.at_least.size else 0.0

    def at_most(self, count: int) -> float:
        place = count - self.law.first
        if place < 0:
            return 0.0
        return float(self.law.at_most[place]) if place < self.law.at_most.size - 1 else 1.0

    def ppf(self, level: float) -> int:
        reached = self.law.at_most >= min(level, 1.0) * (1 - COMPUTATION)
        return self.law.first + int(reached.argmax())

    def nodes(self) -> tuple[Floats, Floats]:
        likely = np.flatnonzero(self.law.masses > 0)
        return self.law.first + likely.astype(float), self.law.masses[likely]
