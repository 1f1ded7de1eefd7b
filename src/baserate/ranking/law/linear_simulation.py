"""Sums over positives that are placed at random, from a fixed stream: the same ones every time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.rounding import COMPUTATION
from baserate.multiclass.law.random_counts import hypergeometric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.ranking.law.linear_blocks import WeightedBlocks

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]

# The most deals: with the observed one they are a round number. Fewer, if they take too long.
_DEALS, _FEWEST = 39_999, 399
# How many hypergeometric numbers take about a second, and how many numbers fit into memory.
_NUMBERS, _AT_ONCE = 4_000_000, 2_000_000
# Observations are drawn until they differ, if this many pairs of them are expected to be the same.
_SAME = 1.0
# The probability whose standard error a simulation states.
_STATED = 0.05
_SEED = 20_260_117


@dataclass(frozen=True, eq=False)
class SimulatedSum:
    """The law of a sum from random deals.

    Parameters
    ----------
    blocks
        The blocks.
    """

    blocks: WeightedBlocks
    exact = False
    method = "simulation"

    @property
    def error(self) -> float:
        """The standard error of p = 0.05, relative to it."""
        return math.sqrt((1 / _STATED - 1) / self._sums.size)

    @cached_property
    def _sums(self) -> Floats:
        return np.sort(random_sums(self.blocks))

    def at_least(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at least this large; never 0.

        The observed deal counts as one of the random ones: then P(p ≤ alpha) ≤ alpha.
        """
        value -= self.blocks.slack + slack
        reached = self._sums.size - int(np.searchsorted(self._sums, value, side="left"))
        return (reached + 1) / (self._sums.size + 1)

    def at_most(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at most this large; never 0."""
        value += self.blocks.slack + slack
        reached = int(np.searchsorted(self._sums, value, side="right"))
        return (reached + 1) / (self._sums.size + 1)

    def quantile(self, level: float) -> float:
        """Return the smallest sum that is not exceeded with at least this probability."""
        place = math.ceil(level * (1 - COMPUTATION) * self._sums.size) - 1
        return float(self._sums[min(max(place, 0), self._sums.size - 1)])


def random_sums(blocks: WeightedBlocks) -> Floats:
    """Return the sums of random deals."""
    rng = np.random.default_rng(_SEED)
    if blocks.positives**2 <= 2 * _SAME * blocks.total:
        return _drawn(blocks, rng)
    return _dealt(blocks.merged, rng)


def _drawn(blocks: WeightedBlocks, rng: np.random.Generator) -> Floats:
    """Draw observations, and draw again if one was drawn twice."""
    ends = np.cumsum(blocks.sizes)
    part = max(1, _AT_ONCE // blocks.positives)
    found: list[Floats] = []
    left = _DEALS
    while left > 0:
        drawn = np.sort(rng.integers(blocks.total, size=(part, blocks.positives)), axis=1)
        distinct = drawn[(np.diff(drawn, axis=1) > 0).all(axis=1)][:left]
        places = np.searchsorted(ends, distinct, side="right")
        found.append(blocks.weights[places].sum(axis=1))
        left -= len(distinct)
    return np.concatenate(found)


def _dealt(blocks: WeightedBlocks, rng: np.random.Generator) -> Floats:
    """Draw the number of positives of each block, given those before."""
    affordable = _NUMBERS // blocks.sizes.size // 100 * 100 - 1
    deals = min(_DEALS, max(_FEWEST, affordable))
    left = np.full(deals, blocks.positives, dtype=np.int64)
    others, sums = blocks.total, np.zeros(deals)
    for size, weight in zip(blocks.sizes.tolist(), blocks.weights.tolist(), strict=True):
        others -= size
        good, bad = np.full(deals, size), np.full(deals, others)
        here = hypergeometric(good, bad, left, rng)
        sums += weight * here
        left -= here
    return sums
