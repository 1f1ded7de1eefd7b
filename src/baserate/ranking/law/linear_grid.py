"""The law of a sum over few positives, with weights rounded to a fine grid: a rigorous bracket.

The ways to choose P observations are the elementary symmetric polynomial of degree P, and Newton's
identities give it from the sums of powers, for each frequency of a Fourier transform. Where a tail
is small the observations are tilted, so that sums around it are likely and its digits survive.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.ranking.law.linear_blocks import WeightedBlocks, log_ways
from baserate.ranking.law.linear_quantile import bracketed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Complexes = NDArray[np.complex128]

# The most positives; and the points of the grid for up to so many.
MOST_POSITIVES = 16
_POINTS = ((5, 2**16), (9, 2**17), (MOST_POSITIVES, 2**18))
# A tilt that is found to this many standard deviations is good enough.
_STEPS = 30


@dataclass(frozen=True, eq=False)
class GridSum:
    """The law of a sum over few positives, in brackets.

    Parameters
    ----------
    blocks
        The blocks; 3 to 16 positives.
    """

    blocks: WeightedBlocks
    exact = False
    method = "counting on a grid"
    error = 0.02

    def at_least(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at least this large, or a little more."""
        return self.bracket(value, slack)[1]

    def at_most(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at most this large, or a little more."""
        return self.negated.bracket(-value, slack)[1]

    @cached_property
    def negated(self) -> GridSum:
        """The law of minus the sum."""
        return GridSum(self.blocks.negated())

    def bracket(self, value: float, slack: float = 0.0) -> tuple[float, float]:
        """Return between which numbers the probability of a sum at least this large is."""
        value -= self.blocks.slack + slack
        low, high = (end.value for end in self.blocks.ends)
        if value <= low or value > high:
            return (1.0, 1.0) if value <= low else (0.0, 0.0)
        least = self.blocks.ends[1].chance
        tilt = self._tilt(value)
        lower, upper = (each.at_least(value, tilt) for each in (self._down, self._up))
        return min(max(lower, least), 1.0), min(max(upper, least), 1.0)

    def quantile(self, level: float) -> float:
        """Return the smallest sum that is not exceeded with at least this probability."""
        low, high = (end.value for end in self.blocks.ends)
        if level <= self.blocks.ends[0].chance:
            return low
        if level >= 1:
            return high
        return bracketed(self.at_most, (low, high), (0.0, self.blocks.sd), level)[1]

    @cached_property
    def _up(self) -> _Grid:
        return _Grid.of(self.blocks, np.ceil)

    @cached_property
    def _down(self) -> _Grid:
        return _Grid.of(self.blocks, np.floor)

    def _tilt(self, value: float) -> float:
        """Return the tilt that makes such a sum likely; 0 if it is likely without one."""
        if value <= 0:
            return 0.0
        return self._tilts(value)

    def _tilts(self, value: float) -> float:
        """Solve for the tilt, as if the positives were drawn with replacement."""
        merged = self.blocks.merged
        # Up to here: a sum at the end of its range would ask for any tilt.
        wanted = min(value, 0.999 * self.blocks.ends[1].value) / self.blocks.positives
        low, high = 0.0, 200 / self.blocks.largest
        for _ in range(_STEPS):
            tilt = (low + high) / 2
            chances = merged.sizes * np.exp(tilt * (merged.weights - merged.weights[-1]))
            is_less = float(chances @ merged.weights) / float(chances.sum()) < wanted
            low, high = (tilt, high) if is_less else (low, tilt)
        return low


@dataclass(frozen=True, eq=False)
class _Grid:
    """How many observations have each weight on a grid.

    Parameters
    ----------
    counts
        The observations of each weight: 0, 1, 2 … steps above the lowest one.
    lowest, step
        The lowest weight, and the step.
    points
        The number of points: no sum is that large.
    positives, total
        The number of positives and of observations.
    """

    counts: Floats
    lowest: float
    step: float
    points: int
    positives: int
    total: int

    @classmethod
    def of(cls, blocks: WeightedBlocks, rounded: Any) -> _Grid:
        """Round the weights of some blocks."""
        positives = blocks.positives
        points = next(points for most, points in _POINTS if positives <= most)
        lowest = float(blocks.weights[0])
        step = (blocks.ends[1].value - positives * lowest) / (points - positives - 2)
        places = rounded((blocks.weights - lowest) / step).astype(np.int64)
        counts = np.bincount(places, blocks.sizes.astype(float))
        return cls(counts, lowest, step, points, positives, blocks.total)

    def at_least(self, value: float, tilt: float) -> float:
        """Return the probability of a sum of rounded weights at least this large."""
        first = (value - self.positives * self.lowest) / self.step
        place = max(math.ceil(first - 1e-9 * abs(first)), 0)
        masses, scale = self._tilted(tilt)
        later = masses[place:] * np.exp(-tilt * self.step * np.arange(self.points - place))
        # What was multiplied by the tilt, at the first point, is divided by it again.
        return math.exp(scale - tilt * self.step * place) * max(math.fsum(later.tolist()), 0.0)

    def _tilted(self, tilt: float) -> tuple[Floats, float]:
        """Return tilted masses of all sums, and the logarithm of what they are to be scaled by."""
        return _masses(self, tilt)


@lru_cache(maxsize=8)
def _masses(grid: _Grid, tilt: float) -> tuple[Floats, float]:
    used = np.flatnonzero(grid.counts)
    exponents = tilt * grid.step * used
    top = float(exponents.max())
    odds = grid.counts[used] * np.exp(exponents - top)
    # So that as many positives are expected as there are.
    fugacity = grid.positives / float(odds.sum())
    each = np.exp(exponents - top) * fugacity
    powers = [
        _transformed(grid, used, grid.counts[used] * each**power, power)
        for power in range(1, grid.positives + 1)
    ]
    masses = np.fft.irfft(_symmetric(powers), grid.points)
    scale = grid.positives * (top - math.log(fugacity)) - log_ways(grid.total, grid.positives)
    return masses, scale


def _transformed(grid: _Grid, used: Any, weights: Floats, power: int) -> Complexes:
    """Return the sum of powers of all tilted observations, for each frequency."""
    line = np.zeros(grid.points)
    line[used] = weights
    found = np.fft.rfft(line)
    if power == 1:
        return np.asarray(found)
    frequencies = np.arange(found.size) * power % grid.points
    is_negative = frequencies > grid.points // 2
    values = found[np.where(is_negative, grid.points - frequencies, frequencies)]
    return np.where(is_negative, values.conj(), values)


def _symmetric(powers: list[Complexes]) -> Complexes:
    """Return the elementary symmetric polynomial of the highest degree: Newton's identities."""
    found = [np.ones_like(powers[0])]
    for degree in range(1, len(powers) + 1):
        total = np.zeros_like(powers[0])
        for power in range(1, degree + 1):
            term = found[degree - power] * powers[power - 1]
            total = total + term if power % 2 else total - term
        found.append(total / degree)
    return found[-1]
