"""Sums of weights on a grid, near the sums that are asked for.

Observations are independent labels that are tilted, so that the sums asked for are likely, given
the number of positives. Few sums are far from those, and only a window around them is kept: what
is outside is less than 1e-10, and comes out at a wrong place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.rounding import COMPUTATION
from baserate.ranking.law.linear_blocks import log_ways
from baserate.ranking.law.linear_symmetric import Independent, chances_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.ranking.law.linear_blocks import WeightedBlocks

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]

# The points of a window, for up to so many positives.
_POINTS = ((16, 2**17), (math.inf, 2**16))
# The sums outside of a window have a probability of e to minus this at most, on either side.
_OUTSIDE = 25.0
# A window is at least this wide, in standard deviations; and if there are so many weights that they
# are merged, this wide.
_NARROW, _MANY, _APART = 1e-6, 20_000, 0.05
# The tilts tried for a bound on it, in standard deviations.
_TRIED = np.geomspace(0.1, 50, 25)
# The most Newton steps for a number of positives, and their precision.
_STEPS, _CLOSE = 100, 1e-12
# A sum is at a point of the grid if it is this close, in steps.
_ON = 1e-6


@dataclass(frozen=True, eq=False)
class Window:
    """The chances of sums on a grid.

    Parameters
    ----------
    masses
        The chance of each sum, tilted.
    first, step
        The first sum, and the step to the next.
    tilt, scale
        A chance is e^(scale - tilt · sum) times that of the tilted sum.
    """

    masses: Floats
    first: float
    step: float
    tilt: float
    scale: float

    def tail(self, value: float, sign: int) -> float:
        """Return the probability of a sum at least (sign 1) or at most (sign -1) as large."""
        return float((self._above if sign > 0 else self._below)[self._place(value, sign)])

    def rest(self, value: float, sign: int) -> float:
        """Return the probability of all other sums."""
        return float((self._below if sign > 0 else self._above)[self._place(value, sign)])

    def quantile(self, level: float) -> float:
        """Return the smallest sum that is not exceeded with at least this probability."""
        level *= 1 - COMPUTATION
        # From the end where the chances are small, of which the digits are known.
        if self.tilt > 0:
            place = int((self._above > 1 - level).sum()) - 1
        else:
            place = int(np.searchsorted(self._below, level)) - 1
        return self.first + self.step * min(max(place, 0), self.masses.size - 1)

    def _place(self, value: float, sign: int) -> int:
        """Return how many points come before the upper part."""
        steps = (value - self.first) / self.step
        place = math.ceil(steps - _ON) if sign > 0 else math.floor(steps + _ON) + 1
        return min(max(place, 0), self.masses.size)

    @cached_property
    def _chances(self) -> Floats:
        """The chance of each sum; where it is tilted away from, noise, and at most 1."""
        sums = self.first + self.step * np.arange(self.masses.size)
        logs = np.minimum(self.scale - self.tilt * sums, 700.0)
        return np.asarray(np.clip(self.masses * np.exp(logs), 0.0, 1.0))

    @cached_property
    def _below(self) -> Floats:
        """The probability of a sum before each point."""
        return np.append(0, np.cumsum(self._chances))

    @cached_property
    def _above(self) -> Floats:
        """The probability of a sum at each point, or after it."""
        return np.append(np.cumsum(self._chances[::-1])[::-1], 0)


def window_of(blocks: WeightedBlocks, rounded: Any, tilt: float) -> Window:
    """Return the chances of sums of weights that are rounded, up or down.

    Weights on a grid of their own, such as the hundredths that a hundred trees vote, stay on it.
    """
    return _rounded(blocks, np.rint if blocks.span else rounded, tilt)


@lru_cache(maxsize=8)
def _rounded(blocks: WeightedBlocks, rounded: Any, tilt: float) -> Window:
    count, lowest = blocks.positives, float(blocks.weights[0])
    low, high = likely(blocks, tilt)
    step, points = _grid(blocks, high - low)
    places = rounded((blocks.weights - lowest) / step).astype(np.int64)
    used, found = np.unique(places, return_inverse=True)
    sizes = np.asarray(np.bincount(found, blocks.sizes), dtype=float)
    # The odds of rounded weights, so that nothing but the rounding is approximate.
    exponents = tilt * (lowest + step * used)
    level = _level(sizes, exponents, count)
    masses = Independent(used, sizes, exponents + level, points).masses(count)
    # Sums of rounded weights begin a step per positive before or after those of the weights.
    begin = math.floor((low - count * lowest) / step) - count - 1
    scale = float(sizes @ np.logaddexp(0, exponents + level)) - level * count
    return Window(
        np.roll(masses, -(begin % points)),
        count * lowest + step * begin,
        step,
        tilt,
        scale - log_ways(blocks.total, count),
    )


def _grid(blocks: WeightedBlocks, length: float) -> tuple[float, int]:
    """Return the step of a grid, and its number of points."""
    more = 2 * blocks.positives + 4
    if blocks.span:
        return blocks.span, 2 ** math.ceil(math.log2(length / blocks.span + more))
    points = next(points for most, points in _POINTS if blocks.positives <= most)
    return length / (points - more), points


def likely(blocks: WeightedBlocks, tilt: float) -> tuple[float, float]:
    """Return between which values nearly all tilted sums are: Chernoff's inequality."""
    most = [end.value for end in blocks.ends]
    # Never so narrow that rounding shows; nor as narrow as merged weights are apart.
    margin = _NARROW * blocks.sd
    if blocks.sizes.size > _MANY:
        margin, blocks = _APART * blocks.sd, blocks.merged
    sizes, count = blocks.sizes.astype(float), blocks.positives
    level = _level(sizes, tilt * blocks.weights, count)
    chances = chances_of(tilt * blocks.weights + level)
    spreads = sizes * chances * (1 - chances)
    # Given their number, sums are as those of weights without what they share with it.
    shared = float(spreads @ blocks.weights) / max(float(spreads.sum()), 1e-300)
    weights = blocks.weights - shared
    unit = math.sqrt(float(spreads @ weights**2))
    found = []
    for sign in (-1, 1):
        tilts = sign * _TRIED / max(unit, margin)
        factors = 1 - chances + chances * np.exp(np.minimum(np.outer(tilts, weights), 700))
        grown = np.log(np.maximum(factors, 1e-300)) @ sizes
        bound = float(((grown + _OUTSIDE) / np.abs(tilts)).min())
        found.append(sign * (bound + margin) + count * shared)
    return max(found[0], most[0] - margin), min(found[1], most[1] + margin)


def _level(sizes: Floats, exponents: Floats, count: int) -> float:
    """Return what to add to all log odds, so that as many positives are expected."""
    low, high = -exponents.max() - 800.0, -exponents.min() + 800.0
    level = math.log(count / float(sizes @ np.exp(exponents - exponents.max()))) - exponents.max()
    for _ in range(_STEPS):
        chances = chances_of(exponents + level)
        missing = count - float(sizes @ chances)
        if abs(missing) <= _CLOSE * count:
            break
        low, high = (level, high) if missing > 0 else (low, level)
        level += missing / max(float(sizes @ (chances * (1 - chances))), 1e-300)
        if not low < level < high:
            level = (low + high) / 2
    return float(level)
