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

# Up to how many positives a grid takes a tenth of a second, and a second; and the points of the
# grid for up to so many.
FEW_POSITIVES, MOST_POSITIVES = 16, 40
_POINTS = ((5, 2**16), (9, 2**17), (24, 2**18), (MOST_POSITIVES, 2**19))
# Beyond this many standard deviations sums are tilted; and so many halvings find the tilt.
_FAR, _HALVINGS = 4.0, 30
# How many tilts there are between one and twice as much.
_PER_OCTAVE = 4
# A sum is at a point of the grid if it is this close, in steps.
_ON = 1e-6


@dataclass(frozen=True, eq=False)
class GridSum:
    """The law of a sum over few positives, in brackets.

    Parameters
    ----------
    blocks
        The blocks; at most 40 positives.
    """

    blocks: WeightedBlocks
    exact = False
    method = "counting on a grid"
    error = 0.03

    def at_least(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at least this large, or a little more."""
        value -= self.blocks.slack + slack
        low, high = self.blocks.ends
        if value <= low.value or value > high.value:
            return float(value <= low.value)
        return _within(self._up.at_least(value, self._tilt(value, 1)), high.chance)

    def at_most(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at most this large, or a little more."""
        value += self.blocks.slack + slack
        low, high = self.blocks.ends
        if value >= high.value or value < low.value:
            return float(value >= high.value)
        return _within(self._down.at_most(value, self._tilt(value, -1)), low.chance)

    def fewest_at_least(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at least this large, or a little less."""
        value -= self.blocks.slack + slack
        low, high = self.blocks.ends
        if value <= low.value or value > high.value:
            return float(value <= low.value)
        return _within(self._down.at_least(value, self._tilt(value, 1)), high.chance)

    def fewest_at_most(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at most this large, or a little less."""
        value += self.blocks.slack + slack
        low, high = self.blocks.ends
        if value >= high.value or value < low.value:
            return float(value >= high.value)
        return _within(self._up.at_most(value, self._tilt(value, -1)), low.chance)

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

    def _tilt(self, value: float, sign: int) -> float:
        """Return the tilt that makes such a sum likely; 0 if its tail has digits without one.

        It is that of positives drawn with replacement.
        """
        if sign * value <= _FAR * self.blocks.sd:
            return 0.0
        merged = self.blocks.merged
        weights = sign * merged.weights
        # A sum at the end of its range would ask for any tilt.
        end = abs(self.blocks.ends[int(sign > 0)].value)
        wanted = min(abs(value), 0.999 * end) / self.blocks.positives
        low, high = 0.0, 200 / self.blocks.largest
        for _ in range(_HALVINGS):
            tilt = (low + high) / 2
            chances = merged.sizes * np.exp(tilt * (weights - weights.max()))
            is_less = float(chances @ weights) / float(chances.sum()) < wanted
            low, high = (tilt, high) if is_less else (low, tilt)
        # Close sums share a tilt, and with it what takes the time.
        return sign * 2 ** (round(_PER_OCTAVE * math.log2(low)) / _PER_OCTAVE) if low else 0.0


def _within(chance: float, least: float) -> float:
    """Return a probability that is at least that of the end of the range, and at most 1."""
    return min(max(chance, least), 1.0)


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
        counts = np.asarray(np.bincount(places, blocks.sizes.astype(float)), dtype=float)
        return cls(counts, lowest, step, points, positives, blocks.total)

    def at_least(self, value: float, tilt: float) -> float:
        """Return the probability of a sum of rounded weights at least this large."""
        place = max(math.ceil(self._place(value) - _ON), 0)
        if not tilt:
            return float(self._cumulative[1][min(place, self.points)])
        return self._scaled(place, slice(place, None), tilt)

    def at_most(self, value: float, tilt: float) -> float:
        """Return the probability of a sum of rounded weights at most this large."""
        place = min(math.floor(self._place(value) + _ON), self.points - 1)
        if not tilt:
            return float(self._cumulative[0][max(place + 1, 0)])
        return self._scaled(place, slice(None, max(place + 1, 0)), tilt)

    def _place(self, value: float) -> float:
        return (value - self.positives * self.lowest) / self.step

    def _scaled(self, place: int, part: slice, tilt: float) -> float:
        """Sum tilted masses of a tail that begins at a place, without their tilt."""
        masses, scale = _masses(self, tilt)
        steps = np.arange(self.points)[part] - place
        total = float(masses[part] @ np.exp(-tilt * self.step * steps))
        return math.exp(scale - tilt * self.step * place) * max(total, 0.0)

    @cached_property
    def _cumulative(self) -> tuple[Floats, Floats]:
        """The probability of a sum before each point, and from it on."""
        masses, scale = _masses(self, 0.0)
        masses = np.maximum(masses, 0) * math.exp(scale)
        below, above = np.cumsum(masses), np.cumsum(masses[::-1])[::-1]
        return np.append(0, below), np.append(above, 0)


@lru_cache(maxsize=4)
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
    term = np.empty_like(powers[0])
    for degree in range(1, len(powers) + 1):
        total = np.zeros_like(powers[0])
        for power in range(1, degree + 1):
            np.multiply(found[degree - power], powers[power - 1], out=term)
            (np.add if power % 2 else np.subtract)(total, term, out=total)
        total /= degree
        found.append(total)
    return found[-1]
