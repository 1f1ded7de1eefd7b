"""Positives placed at random on blocks of equal weight: what the law of their sum is made of."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import localcontext
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.binary.law.stirling import CONTEXT, log_factorial
from baserate.core.rounding import COMPUTATION, FORMULA

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]

# Weights are merged within this distance, in standard deviations near the middle and relative to
# the weight far from it: the variance of the sum then falls by less than a sixth of its square.
_WIDTH = 1 / 64
# Fewer blocks than this are never merged.
_FEW = 500
# A span this small, in standard deviations, does not matter; steps are compared up to this share.
_FINE, _SAME = 1e-3, 1e-9
# With more blocks than this, weights that are the same up to rounding may stay apart.
MANY = 100_000


@dataclass(frozen=True, eq=False)
class WeightedBlocks:
    """The blocks of a sum of weights, over positives that are placed at random.

    Parameters
    ----------
    sizes
        The number of observations in each block.
    weights
        What each positive in it adds: ascending, and 0 on average over all observations.
    positives
        The number of positives: at most half of all observations.
    total
        The number of observations.
    """

    sizes: Ints
    weights: Floats
    positives: int
    total: int

    @classmethod
    def of(cls, sizes: Ints, weights: Floats, positives: int) -> tuple[WeightedBlocks, float]:
        """Return the blocks of some weights in any order, and their average weight.

        If most are positive, the classes are exchanged: the weights of the negatives are minus
        those of the positives, as all weights sum to 0.
        """
        sizes, weights = _distinct(np.asarray(sizes), np.asarray(weights, dtype=float))
        total = int(sizes.sum())
        centre = float(sizes @ weights) / total
        weights = weights - centre
        # Once more, so that what is left is 0 on average to the last places.
        left = float(sizes @ weights) / total
        weights -= left
        if 2 * positives > total:
            sizes, weights, positives = sizes[::-1], -weights[::-1], total - positives
        return cls(sizes, weights, positives, total), centre + left

    @cached_property
    def square(self) -> float:
        """The mean squared weight of an observation."""
        return float((self.sizes * self.weights) @ self.weights) / self.total

    @cached_property
    def variance(self) -> float:
        """The variance of the sum."""
        if self.total == 1:
            return 0.0
        return self.square * self.positives * (self.total - self.positives) / (self.total - 1)

    @property
    def sd(self) -> float:
        """The standard deviation of the sum."""
        return math.sqrt(self.variance)

    @property
    def largest(self) -> float:
        """The largest weight, in size."""
        return max(-float(self.weights[0]), float(self.weights[-1]), 0.0)

    @property
    def slack(self) -> float:
        """How far apart two sums may be, and be the same up to rounding."""
        return COMPUTATION * self.largest * max(self.positives, 1)

    @cached_property
    def ends(self) -> tuple[_End, _End]:
        """The smallest and the largest sum, and how likely they are."""
        low = _end(self.sizes, self.weights, self.positives, self.total)
        high = _end(self.sizes[::-1], self.weights[::-1], self.positives, self.total)
        return low, high

    @cached_property
    def span(self) -> float:
        """The step between weights, if all are on a coarse grid; 0 otherwise."""
        if self.sizes.size > _FEW:
            return 0.0
        return span_of(np.diff(self.weights), math.sqrt(self.square))

    def negated(self) -> WeightedBlocks:
        """Return the blocks whose sum is minus this one."""
        return WeightedBlocks(self.sizes[::-1], -self.weights[::-1], self.positives, self.total)

    @cached_property
    def merged(self) -> WeightedBlocks:
        """The blocks, with neighbours of nearly equal weights merged if there are very many."""
        if self.sizes.size <= _FEW:
            return self
        unit = math.sqrt(self.square)
        first, last = np.arcsinh(self.weights[[0, -1]] / unit) / _WIDTH
        marks = unit * np.sinh(_WIDTH * np.arange(math.ceil(first), last))
        starts = np.unique(np.append(0, np.searchsorted(self.weights, marks)))
        starts = starts[starts < self.sizes.size]
        sizes = np.add.reduceat(self.sizes, starts)
        weights = np.add.reduceat(self.sizes * self.weights, starts) / sizes
        return WeightedBlocks(sizes, weights, self.positives, self.total)


@dataclass(frozen=True)
class _End:
    """An end of the range of a sum, and the probability of exactly that sum."""

    value: float
    chance: float


def _end(sizes: Ints, weights: Floats, positives: int, total: int) -> _End:
    """Fill the blocks from the first one on."""
    filled = np.cumsum(sizes)
    place = min(int(np.searchsorted(filled, positives)), sizes.size - 1)
    before = int(filled[place - 1]) if place else 0
    rest = positives - before
    value = float(sizes[:place] @ weights[:place]) + rest * float(weights[place])
    # All blocks before are full, and this one in any of its ways.
    return _End(value, math.exp(log_ways(int(sizes[place]), rest) - log_ways(total, positives)))


def log_ways(size: int, count: int) -> float:
    """Return the logarithm of the number of ways to choose some observations."""
    with localcontext(CONTEXT):
        return float(log_factorial(size) - log_factorial(count) - log_factorial(size - count))


def _distinct(sizes: Ints, weights: Floats) -> tuple[Ints, Floats]:
    """Return weights ascending, each once; those that differ by rounding only are the same."""
    if sizes.min() <= 0:
        sizes, weights = sizes[sizes > 0], weights[sizes > 0]
    if weights[0] > weights[-1]:
        sizes, weights = sizes[::-1], weights[::-1]
    if not (weights[1:] >= weights[:-1]).all():
        order = np.argsort(weights, kind="stable")
        sizes, weights = sizes[order], weights[order]
    if weights.size > MANY:
        return sizes, weights
    close = FORMULA * max(abs(float(weights[0])), abs(float(weights[-1])))
    starts = np.append(0, np.flatnonzero(np.diff(weights) > close) + 1)
    return np.add.reduceat(sizes, starts), weights[starts]


def span_of(steps: Floats, sd: float) -> float:
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
