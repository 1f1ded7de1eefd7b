"""The tails of a weighted sum of cells by a saddlepoint, at a cost that does not grow with M.

This is Barndorff-Nielsen's form of the approximation of Lugannani and Rice, given both margins,
with the correction for a lattice: where sums differ by multiples of a span, each stands for half a
span around it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from baserate.multiclass.law.moments import mean_and_sd
from baserate.multiclass.law.tilt import saddlepoint
from baserate.multiclass.law.tilted_cells import DenseCells, DiagonalCells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.multiclass.law.tilted_cells import Cells

    Floats = NDArray[np.float64]

# Within this many standard deviations of the mean the formula is 0/0, and is interpolated.
_MIDDLE = 0.05
# A span this small, in standard deviations, does not matter; steps are compared up to this share.
_FINE, _SAME = 1e-3, 1e-9
# Beyond this root both the tail and what is left of it underflow.
_FAR = 39.0
# The number of nodes to average a score over.
_NODES = 12


@dataclass(frozen=True, eq=False)
class LinearSum:
    """The law of a weighted sum of cells, approximately.

    Parameters
    ----------
    cells
        The margins and the weights.
    mean, sd
        The mean and the standard deviation of the sum.
    span
        Sums differ by multiples of this; 0 if they are as good as continuous.
    """

    cells: Cells
    mean: float
    sd: float
    span: float = 0.0

    @classmethod
    def of_diagonal(cls, n: Sequence[int], m: Sequence[int], weights: Floats) -> LinearSum:
        """Return the law of Σ w_k C_kk; at least three classes occur or are predicted."""
        rows, columns = np.array(n, dtype=float), np.array(m, dtype=float)
        mean, sd = mean_and_sd(rows, columns, np.diag(weights))
        met = weights[(rows > 0) & (columns > 0)]
        return cls(DiagonalCells(rows, columns, weights), mean, sd, _span(met, sd))

    @classmethod
    def of_cells(cls, n: Sequence[int], m: Sequence[int], weights: Floats) -> LinearSum:
        """Return the law of Σ W_jk C_jk."""
        rows, columns = np.array(n, dtype=float), np.array(m, dtype=float)
        weights = weights[np.ix_(rows > 0, columns > 0)]
        rows, columns = rows[rows > 0], columns[columns > 0]
        mean, sd = mean_and_sd(rows, columns, weights)
        # What moving one observation between two rows and two columns changes.
        steps = np.diff(np.diff(weights, axis=0), axis=1)
        return cls(DenseCells(rows, columns, weights), mean, sd, _span(steps.ravel(), sd))

    def at_least(self, value: float) -> float:
        """Return the probability of a sum at least this large."""
        return _normal(-self._star(value - self.span / 2))

    def at_most(self, value: float) -> float:
        """Return the probability of a sum at most this large."""
        return _normal(self._star(value + self.span / 2))

    def quantile(self, level: float) -> float:
        """Return the smallest sum with at most this probability below it, up to the span."""
        from scipy.optimize import brentq
        from scipy.special import ndtri

        wanted = float(ndtri(min(max(level, 1e-300), 1 - 1e-16)))
        reach = max(1.0, abs(wanted)) * self.sd
        low, high = self.mean - reach, self.mean + reach
        while self._star(low) > wanted:
            low, reach = low - reach, 2 * reach
        while self._star(high) < wanted:
            high, reach = high + reach, 2 * reach
        found: float = brentq(lambda value: self._star(value) - wanted, low, high, rtol=1e-12)
        return found

    def _star(self, value: float) -> float:
        """Return the normal quantile of a sum."""
        off = (value - self.mean) / self.sd
        if abs(off) >= _MIDDLE:
            return self._formula(value)
        ends = (self._formula(self.mean + end * self.sd) for end in (-_MIDDLE, _MIDDLE))
        low, high = ends
        return low + (high - low) * (off + _MIDDLE) / (2 * _MIDDLE)

    def _formula(self, value: float) -> float:
        point = saddlepoint(self.cells, value)
        if abs(point.root) >= _FAR:
            return point.root
        step = point.slope
        if self.span:
            step = 2 * math.sinh(min(max(self.span * step / 2, -300), 300)) / self.span
        return point.root + math.log(step * point.spread / point.root) / point.root


def support(n: Sequence[int], m: Sequence[int]) -> tuple[int, int]:
    """Return the fewest and the most right answers.

    Examples
    --------
    >>> support((70, 20, 10), (62, 28, 10))
    (32, 92)
    """
    total = sum(n)
    # A class that is more than half of both margins meets itself; otherwise all cards can miss.
    low = max(0, *(a + b - total for a, b in zip(n, m, strict=True)))
    return low, sum(map(min, n, m))


def _span(steps: Floats, sd: float) -> float:
    """Return the largest number of which all steps are multiples; 0 if it is small."""
    span = 0.0
    largest = float(np.abs(steps).max(initial=0))
    for step in np.unique(np.abs(steps[steps != 0])).tolist():
        while step > _SAME * largest:
            span, step = step, math.remainder(span, step)
            step = abs(step)
        if span < _FINE * sd:
            return 0.0
    return span


def _normal(value: float) -> float:
    from scipy.special import ndtr

    return float(ndtr(value))


@dataclass(frozen=True)
class SaddlepointCount:
    """The law of the number of right answers by a saddlepoint.

    Parameters
    ----------
    n, m
        How often each class occurs, and is predicted.
    """

    n: tuple[int, ...]
    m: tuple[int, ...]
    exact = False
    method = "saddlepoint"
    error = 1e-3

    @cached_property
    def _sum(self) -> LinearSum:
        return LinearSum.of_diagonal(self.n, self.m, np.ones(len(self.n)))

    @cached_property
    def _ends(self) -> tuple[int, int]:
        return support(self.n, self.m)

    def at_least(self, count: int) -> float:
        low, high = self._ends
        return float(count <= low) if not low < count <= high else self._sum.at_least(count)

    def at_most(self, count: int) -> float:
        low, high = self._ends
        return float(count >= high) if not low <= count < high else self._sum.at_most(count)

    def ppf(self, level: float) -> int:
        low, high = self._ends
        return min(max(math.ceil(self._sum.quantile(level) - 0.5), low), high)

    def nodes(self) -> tuple[Floats, Floats]:
        return normal_nodes(self._sum.mean, self._sum.sd)


def normal_nodes(mean: float, sd: float) -> tuple[Floats, Floats]:
    """Return numbers and weights that average a smooth function of a normal number."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    return mean + sd * nodes, weights / weights.sum()
