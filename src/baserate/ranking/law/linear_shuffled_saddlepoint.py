"""The law of a sum over observations of several classes by a saddlepoint.

Shuffled classes are independent ones, given how often each occurs. Most shuffles with a large sum
look as if the odds of the classes had been tilted, by e^(β_k + λ a_ik), so that the counts and the
sum are the expected ones (I. Skovgaard, Saddlepoint expansions for conditional distributions,
1987).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import localcontext
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.binary.law.stirling import CONTEXT, log_factorial
from baserate.core.direction import Direction
from baserate.core.rounding import COMPUTATION
from baserate.ranking.law.linear_blocks import span_of
from baserate.ranking.law.linear_quantile import bracketed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]

# The most halvings of a Newton step, and the decrement that ends the steps.
_HALVINGS, _PRECISION = 40, 1e-12
# Within this many standard deviations of the mean the formula is 0/0, and is interpolated.
_MIDDLE = 0.05
# A law is smooth if as many observations as this are not of the largest class, if waves of its
# density are smaller than this, and if the kurtosis of a sum is.
_ENOUGH, _RIPPLE, _TAME = 16, 0.01, 0.25
# So many rows show whether sums are on a lattice; a sum is on it if it is this close, in steps.
_SOME, _ON = 1000, 1e-6
# How far to the end of the range to go.
_INSIDE = 1 - 1e-6
# Beyond this divergence a tail underflows.
_ENOUGH_DIVERGENCE = 740.0


@dataclass(frozen=True, eq=False)
class ShuffledSaddlepoint:
    """The law of a score, approximately.

    Parameters
    ----------
    weights
        What an observation adds if it is of each class: centred over rows and over classes.
    sizes
        How many observations have each row.
    counts
        How often each class occurs.
    mean
        The mean of the score.
    """

    weights: Floats
    sizes: Floats
    counts: Floats
    mean: float
    exact = False
    method = "saddlepoint"
    error = 0.05

    @classmethod
    def of(
        cls, weights: Floats, sizes: Ints, class_counts: Sequence[int], mean: float
    ) -> ShuffledSaddlepoint:
        """Return the law of centred weights."""
        return cls(weights, sizes.astype(float), np.array(class_counts, dtype=float), mean)

    @property
    def _total(self) -> float:
        return float(self.counts.sum())

    @cached_property
    def _sd(self) -> float:
        squares = self.sizes @ self.weights**2
        return math.sqrt(float(squares @ self.counts) / (self._total - 1))

    @cached_property
    def _ends(self) -> tuple[float, float]:
        """Numbers between which all sums are."""
        low, high = self.weights.min(axis=1), self.weights.max(axis=1)
        return float(self.sizes @ low), float(self.sizes @ high)

    @cached_property
    def is_smooth(self) -> bool:
        """Whether the law is so smooth, and its tails so short, that the error is as stated."""
        if not self._sd or self._total - self.counts.max() < _ENOUGH:
            return False
        share = self.counts / self._total
        fourth = float(self.sizes @ (self.weights**4 @ share))
        return fourth / self._sd**4 <= _TAME and self._ripple() <= _RIPPLE

    def _ripple(self) -> float:
        """Return how large the waves of the density are, relative to a tail of 1e-6."""
        share = self.counts / self._total
        step = max(1, self.sizes.size // 2000)
        rows, sizes = self.weights[::step], self.sizes[::step]
        sizes = sizes * (self.sizes.sum() / sizes.sum())
        found = 0.0
        most = min(300.0, math.pi * self._sd / self._span if self._span else math.inf)
        for frequency in np.arange(4.0, most, 0.5):
            turned = np.exp(1j * frequency / self._sd * rows)
            # Shifts of the classes, such that as many rows as possible turn together.
            shifts = np.conj(turned.T @ sizes)
            shifts = shifts / np.maximum(np.abs(shifts), 1e-300)
            size = np.abs(turned @ (share * shifts))
            wave = math.exp(float(sizes @ np.log(np.maximum(size, 1e-300))))
            found = max(found, 5 * wave / frequency)
        return found

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good."""
        value = score - self.mean
        return self._upper(value if direction is Direction.MAXIMIZE else -value, direction)

    def quantile(self, level: float) -> float:
        """Return the score that is not exceeded with this probability."""
        low, high = self._ends
        if not 0 < level < 1:
            return self.mean + (low if level <= 0 else high)

        def at_most(value: float) -> float:
            return self._upper(-value, Direction.MINIMIZE)

        return self.mean + bracketed(at_most, (low, high), (0.0, self._sd), level)[1]

    @cached_property
    def _span(self) -> float:
        """The step between sums; 0 if they are as good as continuous."""
        some = self._steps(self.weights[:_SOME])
        span = span_of(some, self._sd / math.sqrt(self._total))
        if span and self.sizes.size > _SOME:
            span = span_of(self._steps(self.weights), self._sd / math.sqrt(self._total))
        return span

    @staticmethod
    def _steps(weights: Floats) -> Floats:
        """Return by how much a sum changes if two observations exchange their classes."""
        found = weights - weights[:, :1]
        return np.asarray((found - found[0]).ravel())

    @cached_property
    def _origin(self) -> float:
        """The sum of one shuffle: classes in order."""
        ends = np.unique(np.concatenate([np.cumsum(self.sizes), np.cumsum(self.counts)]))
        rows = np.searchsorted(np.cumsum(self.sizes), ends)
        classes = np.searchsorted(np.cumsum(self.counts), ends)
        return float(np.diff(ends, prepend=0) @ self.weights[rows, classes])

    @cached_property
    def _log_ways(self) -> float:
        """The logarithm of the number of shuffles."""
        with localcontext(CONTEXT):
            ways = log_factorial(int(self._total))
            return float(ways - sum(log_factorial(int(count)) for count in self.counts))

    @property
    def _least(self) -> float:
        """The probability of a single shuffle: no sum that is attained is less likely."""
        return math.exp(-self._log_ways)

    @property
    def _log_alone(self) -> float:
        """The logarithm of the probability that independent classes occur as often as these."""
        return self._log_ways + float(self.counts @ np.log(self.counts / self._total))

    def _upper(self, value: float, direction: Direction) -> float:
        """Return the probability of a sum, or of minus the sum, at least this large."""
        sign = 1 if direction is Direction.MAXIMIZE else -1
        end = self._ends[1] if sign > 0 else -self._ends[0]
        slack = COMPUTATION * (abs(self.mean) + self._ends[1] - self._ends[0])
        if value > end + slack:
            return 0.0
        # Where no shuffle can be much better, the formula has no solution.
        value = min(self._reached(value, sign), _INSIDE * end)
        near = _MIDDLE * self._sd
        if abs(value) < near:
            low, high = (self._star(sign * each)[0] * sign for each in (-near, near))
            return _normal(low + (high - low) * (value + near) / (2 * near))
        star, bound = self._star(sign * value)
        chance = _normal(star * sign)
        if value < 0:
            return max(chance, 1 - bound)
        return max(min(chance, bound), self._least)

    def _reached(self, value: float, sign: int) -> float:
        """Return half a step before the next sum on the lattice, if there is one."""
        if not self._span:
            return value
        origin = sign * self._origin
        steps = math.ceil((value - origin) / self._span - _ON)
        return origin + self._span * (steps - 0.5)

    def _star(self, value: float) -> tuple[float, float]:
        """Return the normal quantile of a sum, and a bound of the chance of one as far away.

        The bound is Chernoff's. It is needed next to the ends of the range: few shuffles are left
        there, and the formula takes them for many.
        """
        unit = float(np.abs(self.weights).max())
        tilt = _Tilt.of(self.weights / unit, self.sizes, self.counts, value / unit)
        root = math.copysign(math.sqrt(2 * max(tilt.divergence, 0.0)), value)
        slope, span = tilt.slope, self._span / unit
        if span:
            slope = 2 * math.sinh(min(max(span * slope / 2, -300), 300)) / span
        ratio = slope * tilt.spread / root if root else 0.0
        star = root + math.log(ratio) / root if ratio > 0 and math.isfinite(ratio) else root
        return star, math.exp(min(-tilt.divergence - self._log_alone, 0.0))


def _normal(deviate: float) -> float:
    """Return the probability that a normal number is at least so large."""
    return math.erfc(deviate / math.sqrt(2)) / 2


@dataclass(frozen=True)
class _Tilt:
    """Where shuffles with a given sum are most likely.

    Parameters
    ----------
    slope
        The tilt, λ.
    divergence
        The divergence from no tilt.
    spread
        The root of the determinant of the covariance of counts and sum, over that of the counts
        without a tilt.
    """

    slope: float
    divergence: float
    spread: float

    @classmethod
    def of(cls, weights: Floats, sizes: Floats, counts: Floats, value: float) -> _Tilt:
        """Find the tilt of a sum strictly inside its range."""
        dual = _Dual(weights, sizes, counts, value)
        point = np.zeros(counts.size)
        reached = dual.value(point)
        while True:
            gradient, covariance = dual.moments(point)
            step = np.linalg.lstsq(covariance, gradient, rcond=None)[0]
            decrement = float(gradient @ step)
            if decrement < _PRECISION or -reached > _ENOUGH_DIVERGENCE:
                break
            length = 1.0
            for _ in range(_HALVINGS):
                tried = dual.value(point + length * step)
                if tried <= reached - 0.1 * length * decrement or decrement < 1e-6:
                    break
                length /= 2
            if not tried < reached:
                # At an end of the range the covariance is singular up to rounding: no step helps.
                break
            point, reached = point + length * step, tried
        covariance = dual.moments(point)[1]
        alone = dual.moments(np.zeros(counts.size))[1][:-1, :-1]
        spread = math.exp((np.linalg.slogdet(covariance)[1] - np.linalg.slogdet(alone)[1]) / 2)
        return cls(float(point[-1]), -reached, spread)


@dataclass(frozen=True, eq=False)
class _Dual:
    """The function to minimise over β and λ: Σ t log Σ π_k e^(β_k + λ a_ik) - Σ β n - λ·sum.

    The first class has β = 0: the others are enough, as all counts sum to the total.
    """

    weights: Floats
    sizes: Floats
    counts: Floats
    wanted: float

    def _exponents(self, point: Floats) -> Floats:
        shifts = np.append(0, point[:-1]) + np.log(self.counts / self.counts.sum())
        return np.asarray(shifts + point[-1] * self.weights)

    def value(self, point: Floats) -> float:
        """Return the value to minimise."""
        exponents = self._exponents(point)
        top = exponents.max(axis=1)
        sums = top + np.log(np.exp(exponents - top[:, None]).sum(axis=1))
        given = float(point[:-1] @ self.counts[1:]) + point[-1] * self.wanted
        return float(self.sizes @ sums) - float(given)

    def moments(self, point: Floats) -> tuple[Floats, Floats]:
        """Return the shortfall of the expected counts and sum, and their covariance."""
        exponents = self._exponents(point)
        chances = np.exp(exponents - exponents.max(axis=1)[:, None])
        chances /= chances.sum(axis=1)[:, None]
        expected = (chances * self.weights).sum(axis=1)
        # What each observation has of each class but the first, and of the sum.
        weighted = self.sizes[:, None] * chances
        counts = weighted.sum(axis=0)[1:]
        mixed = (weighted * (self.weights - expected[:, None])).sum(axis=0)[1:]
        square = float((weighted * (self.weights - expected[:, None]) ** 2).sum())
        covariance = np.empty((point.size, point.size))
        covariance[:-1, :-1] = np.diag(counts) - weighted[:, 1:].T @ chances[:, 1:]
        covariance[:-1, -1] = covariance[-1, :-1] = mixed
        covariance[-1, -1] = square
        gaps = np.append(self.counts[1:] - counts, self.wanted - float(self.sizes @ expected))
        return gaps, covariance
