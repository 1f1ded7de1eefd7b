"""Tails of a sum over a random permutation, by a saddlepoint.

The generating function of the sum of a[i, π(i)] is the permanent of exp(t a), over M!. A permanent
is close to that of the nearest doubly stochastic matrix B, which Sinkhorn's scaling finds, and the
latter to M! / M^M over the root of det(I + J - BᵀB), where J is 1/M everywhere (McCullagh 2014, An
asymptotic approximation for the permanent of a doubly stochastic matrix).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from baserate.regression.law.curve import Curve, normal_above
from baserate.regression.law.moments import grouped

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# More rows or columns than these are put into groups.
_MOST, _ENDS = 240, 60
# Steps of the scaling and how close it has to come; and of the search for the saddlepoint.
_STEPS, _CLOSE, _NEWTON = 400, 1e-9, 30
# The step of a numerical derivative, in standard deviations.
_STEP = 0.01
# Nearer to the mean, the formula is not asked.
_NEAR = 0.5
# Elements of the kernel are at least the exponential of minus this.
_WIDEST = 300.0


class _At(NamedTuple):
    """The logarithm of the generating function at one place, and its first two derivatives."""

    value: float
    first: float
    second: float


@dataclass(frozen=True, eq=False)
class PermutationSum:
    """The mean of a loss, or of a product, over predictions that are dealt at random.

    Parameters
    ----------
    loss
        What a row gets from a prediction; arrays of any shapes that fit together.
    rows, columns
        The numbers of both.
    curve
        Its moments, and what it looks like near the mean.

    Examples
    --------
    >>> from baserate.regression.law.moments import of_products
    >>> ranks = np.arange(40.0) - 19.5
    >>> dealt = PermutationSum(np.multiply, ranks, ranks, of_products(ranks, ranks))
    >>> round(dealt.above(0.4 * ranks.var()), 4)  # a million shuffles: 0.0055
    0.0055
    """

    loss: Callable[[Floats, Floats], Floats]
    rows: Floats
    columns: Floats
    curve: Curve

    @property
    def mean(self) -> float:
        """Its mean."""
        return self.curve.mean

    @property
    def deviation(self) -> float:
        """Its standard deviation."""
        return self.curve.deviation

    def quantile(self, level: float) -> float:
        """Return the value that is exceeded with one minus this probability."""
        return self.curve.quantile(level)

    def above(self, value: float) -> float:
        """Return the probability of at least a value."""
        return self._tail(value, 1.0)

    def below(self, value: float) -> float:
        """Return the probability of at most a value."""
        return self._tail(value, -1.0)

    def _tail(self, value: float, side: float) -> float:
        z = float(side * (value - self.mean) / self.deviation) if self.deviation > 0 else 0.0
        if abs(z) < _NEAR:
            return self.curve.above(value) if side > 0 else self.curve.below(value)
        return self._beyond(z, side) if z > 0 else 1 - self._beyond(-z, -side)

    def _beyond(self, z: float, side: float) -> float:
        """Return the tail from z standard deviations on, upwards or downwards."""
        low, high = 0.0, self._furthest
        t = min(z, high)
        for _ in range(_NEWTON):  # pragma: no branch
            at = self._at(side * t)
            excess = side * at.first - z
            if t == self._furthest and excess < 0:
                # Further out than the scaling gets: a tail that is surely larger.
                return _lugannani_rice(t, side * at.first, at)
            low, high = (low, t) if excess > 0 else (t, high)
            newton = t - excess / max(at.second, 1e-12)
            if abs(newton - t) < 1e-4 * t or high - low < 1e-4 * high:
                break
            t = min(newton, self._furthest) if newton > low else (low + high) / 2
            t = t if t <= high else (low + high) / 2
        return _lugannani_rice(t, z, at)

    @cached_property
    def _furthest(self) -> float:
        """How far out the elements of the kernel are still above 0, all of them."""
        return _WIDEST / max(float(np.ptp(self._matrix[0])), 1e-300)

    @cached_property
    def _matrix(self) -> tuple[Floats, Floats, Floats]:
        """Standardised losses of groups, and the sizes of these."""
        y, many = grouped(np.sort(self.rows), _MOST, _ENDS)
        z, often = grouped(np.sort(self.columns), _MOST, _ENDS)
        matrix = self.loss(y[:, np.newaxis], z)
        m = float(many.sum())
        row, column = matrix @ often / m, many @ matrix / m
        matrix = matrix - row[:, np.newaxis] - column + float(many @ row / m)
        deviation = math.sqrt(float(many @ matrix**2 @ often) / max(m - 1, 1))
        return matrix / (deviation or 1.0), many, often

    def _at(self, t: float) -> _At:
        lower, middle, upper = (self._scaled(t + step) for step in (-_STEP, 0.0, _STEP))
        correction = (upper[2] - lower[2]) / (2 * _STEP)
        bend = (upper[2] - 2 * middle[2] + lower[2]) / _STEP**2
        second = (upper[1] - lower[1]) / (2 * _STEP) + bend
        return _At(middle[0] + middle[2], middle[1] + correction, second)

    def _scaled(self, t: float) -> tuple[float, float, float]:
        """Return the logarithm of the scaling and its derivative, and that of the determinant."""
        matrix, many, often = self._matrix
        m = float(many.sum())
        largest = float((t * matrix).max())
        kernel = np.exp(t * matrix - largest)
        column = np.ones(often.size)
        for _ in range(_STEPS):
            row = 1 / (kernel @ (often * column))
            change = column * (kernel.T @ (many * row))
            column = column / change
            if np.abs(change - 1).max() < _CLOSE:
                break
        share = row[:, np.newaxis] * kernel * column
        value = (
            m * largest
            - float(many @ np.log(row))
            - float(often @ np.log(column))
            - m * math.log(m)
        )
        first = float(many @ (share * matrix) @ often)
        even = np.sqrt(many)[:, np.newaxis] * share * np.sqrt(often)
        one = np.sqrt(often / m)
        _, size = np.linalg.slogdet(np.eye(often.size) + np.outer(one, one) - even.T @ even)
        return value, first, -float(size) / 2


def _lugannani_rice(t: float, z: float, at: _At) -> float:
    """Return the tail at z standard deviations, with the saddlepoint at t."""
    w = math.sqrt(max(2 * (t * z - at.value), 1e-12))
    u = t * math.sqrt(max(at.second, 1e-12))
    tail = normal_above(w) + math.exp(-w * w / 2) / math.sqrt(2 * math.pi) * (1 / u - 1 / w)
    return min(max(tail, 0.0), 1.0)
