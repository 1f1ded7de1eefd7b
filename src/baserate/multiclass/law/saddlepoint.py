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

from baserate.core.rounding import COMPUTATION
from baserate.multiclass.law.moments import mean_and_sd
from baserate.multiclass.law.ripple import ripple
from baserate.multiclass.law.tilt import saddlepoint
from baserate.multiclass.law.tilted_diagonal import DiagonalCells
from baserate.multiclass.law.tilted_table import DenseCells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.multiclass.law.tilt import Cells

    Floats = NDArray[np.float64]

# Within this many standard deviations of the mean the formula is 0/0, and is interpolated.
_MIDDLE = 0.05
# A span this small, in standard deviations, does not matter; steps are compared up to this share.
_FINE, _SAME = 1e-3, 1e-9
# Beyond this root both the tail and what is left of it underflow.
_FAR = 39.0
# When a law is smooth: how far its ends are, in standard deviations; how lumpy a sum of the
# diagonal is; by how many standard deviations moving one observation changes a sum of all cells;
# and how large a class is that fills gaps. All were measured, see `docs/decisions/`.
_INSIDE, _RIPPLE, _LARGEST, _COMMON = 8.0, 0.02, 0.5, 5
# A sum is on the lattice if it is this close, in spans.
_ON = 1e-6
# How close a quantile must be, in standard deviations.
_CLOSE = 1e-7
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
    origin
        A sum that a table has.
    ends
        The smallest and the largest sum, if they are known.
    is_smooth
        Whether the law is so smooth that the formula is within 5% for p ≥ 1e-6.
    """

    cells: Cells
    mean: float
    sd: float
    span: float
    origin: float
    ends: tuple[float, float]
    is_smooth: bool

    @classmethod
    def of_diagonal(cls, n: Sequence[int], m: Sequence[int], weights: Floats) -> LinearSum:
        """Return the law of Σ w_k C_kk; at least three classes occur or are predicted."""
        rows, columns = np.array(n, dtype=float), np.array(m, dtype=float)
        mean, sd = mean_and_sd(rows, columns, np.diag(weights))
        span = _span(weights[(rows > 0) & (columns > 0)], sd)
        # A class that is more than half of both margins meets itself; otherwise all cards can miss.
        low = max(0.0, float((weights * (rows + columns - rows.sum())).max()))
        high = float(np.minimum(rows, columns) @ weights)
        is_far = min(mean - low, high - mean) >= _INSIDE * sd
        return cls(
            cells=DiagonalCells(rows, columns, weights),
            mean=mean,
            sd=sd,
            span=span,
            origin=high,
            ends=(low, high),
            is_smooth=is_far and ripple(rows, columns, weights, sd, span) <= _RIPPLE,
        )

    @classmethod
    def of_cells(cls, n: Sequence[int], m: Sequence[int], weights: Floats) -> LinearSum:
        """Return the law of Σ W_jk C_jk."""
        rows, columns = np.array(n, dtype=float), np.array(m, dtype=float)
        weights = weights[np.ix_(rows > 0, columns > 0)]
        rows, columns = rows[rows > 0], columns[columns > 0]
        mean, sd = mean_and_sd(rows, columns, weights)
        span = _span(_steps(weights), sd)
        origin, other = (_sum_of_a_table(rows, columns, weights, way) for way in (1, -1))
        # Rare classes alone do not fill the gaps that the common ones leave.
        common = weights[np.ix_(rows >= _COMMON, columns >= _COMMON)]
        is_full = abs(_span(_steps(common), sd) - span) <= _SAME * span
        is_far = min(abs(origin - mean), abs(other - mean)) >= _INSIDE * sd
        largest = float(np.abs(weights - weights[:, :1] - weights[:1] + weights[0, 0]).max())
        return cls(
            cells=DenseCells(rows, columns, weights),
            mean=mean,
            sd=sd,
            span=span,
            origin=origin,
            ends=(-math.inf, math.inf),
            is_smooth=is_full and is_far and largest <= _LARGEST * sd,
        )

    def at_least(self, value: float) -> float:
        """Return the probability of a sum at least this large."""
        if not self.ends[0] < value <= self.ends[1] * (1 + COMPUTATION):
            return float(value <= self.ends[0])
        return _normal(-self._star(self._next(value, 1) - self.span / 2))

    def at_most(self, value: float) -> float:
        """Return the probability of a sum at most this large."""
        if not self.ends[0] * (1 - COMPUTATION) <= value < self.ends[1]:
            return float(value >= self.ends[1])
        return _normal(self._star(self._next(value, -1) + self.span / 2))

    def _next(self, value: float, way: int) -> float:
        """Return the next sum on the lattice, upwards or downwards, from a value on."""
        if not self.span:
            return value
        steps = way * (value - self.origin) / self.span
        return self.origin + way * self.span * math.ceil(steps - _ON)

    def quantile(self, level: float) -> float:
        """Return the smallest sum that is not exceeded with at least this probability."""
        return self._next(self.middle(level) - self.span / 2, 1)

    def middle(self, level: float) -> float:
        """Return the number below which this probability lies: sums stand for half a span."""
        from scipy.special import ndtri

        wanted = float(ndtri(min(max(level, 1e-300), 1 - 1e-16)))
        low = max(self.ends[0], self.mean - _FAR * self.sd)
        high = min(self.ends[1], self.mean + _FAR * self.sd)
        # The normal quantile is nearly a straight line, of slope one per standard deviation.
        after, slope = self.mean + wanted * self.sd, 1 / self.sd
        value = star = math.nan
        while high - low > _CLOSE * self.sd and not abs(after - value) <= _CLOSE * self.sd:
            # A secant that leaves the range where the quantile is gives way to its middle.
            after = after if low < after < high else (low + high) / 2
            before, star = star, self._star(after)
            if not math.isnan(before):
                slope = (star - before) / (after - value)
            low, high = (after, high) if star < wanted else (low, after)
            value = after
            after = value + (wanted - star) / slope if slope > 0 else math.nan
        return value if math.isnan(after) else min(max(after, low), high)

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
    sizes = np.unique(np.abs(steps))
    least = _SAME * float(sizes.max(initial=0))
    span = 0.0
    for size in sizes[sizes > least].tolist():
        rest = size
        while rest > least:
            span, rest = rest, abs(math.remainder(span, rest))
        if span < _FINE * sd:
            return 0.0
    return span


def _steps(weights: Floats) -> Floats:
    """Return what moving one observation between neighbouring rows and columns changes."""
    return np.diff(np.diff(weights, axis=0), axis=1).ravel()


def _sum_of_a_table(n: Floats, m: Floats, weights: Floats, way: int) -> float:
    """Return the sum of the table that fills rows and columns in the same order, or opposite.

    Where weights rise with the distance of row and column, these are the ends of the sum.
    """
    m, weights = m[::way], weights[:, ::way]
    ends = np.unique(np.concatenate([np.cumsum(n), np.cumsum(m)]))
    rows, columns = (np.searchsorted(np.cumsum(margin), ends) for margin in (n, m))
    return float(np.diff(np.append(0, ends)) @ weights[rows, columns])


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
        """Return the probability of at least so many."""
        low, high = self._ends
        return float(count <= low) if not low < count <= high else self._sum.at_least(count)

    def at_most(self, count: int) -> float:
        """Return the probability of at most so many."""
        low, high = self._ends
        return float(count >= high) if not low <= count < high else self._sum.at_most(count)

    def ppf(self, level: float) -> int:
        """Return the smallest count that is not exceeded with at least this probability."""
        low, high = self._ends
        if not 0 < level < 1:
            return high if level >= 1 else low
        return min(max(math.ceil(self._sum.middle(level) - 0.5), low), high)

    def nodes(self) -> tuple[Floats, Floats]:
        """Return counts and weights that average a smooth function."""
        return normal_nodes(self._sum.mean, self._sum.sd)


def normal_nodes(mean: float, sd: float) -> tuple[Floats, Floats]:
    """Return numbers and weights that average a smooth function of a normal number."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    return mean + sd * nodes, weights / weights.sum()
