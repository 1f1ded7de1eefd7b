"""The distribution of P times average precision between bounds: few positives, or few negatives."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from baserate.ranking.law.average_precision.gains import Gains
from baserate.ranking.law.average_precision.grid import Bounds
from baserate.ranking.law.average_precision.segments import Segments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

# The most additions for one grid, and the most and fewest cells that it has.
_ADDITIONS, _MOST_CELLS, _FEWEST_CELLS = 3e8, 1 << 17, 1 << 9
# What a move of a row costs besides its cells, and the most moves.
_OVERHEAD, _MOVES = 1_500, 1.5e5
# How large a segment is, as a share of what is above it: the first is one block each.
_RATIOS = (0.0, 0.001, 0.002, 0.004, 0.008, 0.016, 0.03, 0.06, 0.12)
# With more blocks than this some are put together.
_MANY_BLOCKS = 20_000
# The finest grid ends here, as a power of 2 of the largest value.
_FINEST = 60
# A quantile is read from a grid that is at most so many times as long.
_COARSE = 32


@dataclass(frozen=True, eq=False)
class Bracket:
    """The distribution of P times average precision, between bounds.

    Parameters
    ----------
    gains
        What each case of the rarer class adds.
    cells
        The number of cells of a grid.
    positives
        The number of positives.
    """

    gains: Gains
    cells: int
    positives: int

    @classmethod
    def of(cls, sizes: Ints, positives: int) -> Bracket:
        """Return the distribution for some blocks of equal scores."""
        negatives = int(sizes.sum()) - positives
        cases = min(positives, negatives)
        total = positives + negatives
        if sizes.size > _MANY_BLOCKS:
            # A ranking without ties costs as much, and its segments are quick to find.
            tries = {ratio: Segments.strict(total, ratio) for ratio in _RATIOS if ratio}
        else:
            tries = {ratio: Segments.of(sizes, ratio) for ratio in _RATIOS}
        plans = {ratio: _planned(each, cases, ratio) for ratio, each in tries.items()}
        best = min(plans, key=lambda ratio: plans[ratio][0])
        gains = Gains(Segments.of(sizes, best), cases, negatives < positives)
        return cls(gains, plans[best][1], positives)

    @property
    def falling(self) -> bool:
        """Whether the sum falls with the value."""
        return self.gains.falling

    def at_least(self, score: float) -> tuple[float, float]:
        """Return between which numbers the probability of at least a sum is."""
        value = self._value(score)
        bounds = self._bounds(self._level(value))
        return bounds.at_most(value) if self.falling else bounds.at_least(value)

    def at_most(self, score: float) -> tuple[float, float]:
        """Return between which numbers the probability of at most a sum is."""
        value = self._value(score)
        bounds = self._bounds(self._level(value))
        return bounds.at_least(value) if self.falling else bounds.at_most(value)

    def quantile(self, level: float) -> float:
        """Return the sum that is not exceeded with a probability; outwards if that is unsure."""
        wanted = 1 - level if self.falling else level
        low, high = self._quantiles(wanted)
        value = min(high, self.gains.largest) if wanted > 0.5 else low
        score = self.positives + self.gains.added - value if self.falling else value
        return min(max(score, 0.0), float(self.positives))

    def _quantiles(self, level: float) -> tuple[float, float]:
        """Return between which values a quantile is."""
        usual = self.gains.usual
        guess = float(usual[min(int(level * usual.size), usual.size - 1)])
        for grid in (*self._known, *range(self._level(1.3 * guess), -1, -1)):
            low, high = self._bounds(grid).quantiles(level)
            if math.isfinite(high) and (high > self._end(grid) / _COARSE or grid == _FINEST):
                break
        return low, high

    def _value(self, score: float) -> float:
        """Return the value that a sum has."""
        value = self.positives - score + self.gains.added if self.falling else score
        return max(value, 0.0)

    def _level(self, value: float) -> int:
        """Return the finest grid that holds a value: it ends at the largest over 2^level."""
        if value <= 0:
            return _FINEST
        return min(max(math.floor(math.log2(self.gains.largest / value) - 1e-9), 0), _FINEST)

    def _end(self, level: int) -> float:
        return float(self.gains.largest / 2**level)

    @cached_property
    def _known(self) -> dict[int, Bounds]:
        return {}

    def _bounds(self, level: int) -> Bounds:
        if level not in self._known:
            self._known[level] = Bounds.of(self.gains, self._end(level), self.cells)
        return self._known[level]


def _planned(segments: Segments, cases: int, ratio: float) -> tuple[float, int]:
    """Return the relative error of a plan, and its number of cells."""
    passes = 1 if (segments.blocks == 1).all() else 2
    moves = passes * cases * float((segments.sizes.clip(max=cases) + 1).sum())
    cells = int(min(max(_ADDITIONS / moves - _OVERHEAD, _FEWEST_CELLS), _MOST_CELLS))
    if moves > _MOVES and ratio < _RATIOS[-1]:
        return math.inf, cells
    merged = ratio if passes == 2 else 0.0
    return merged + min(cases, segments.sizes.size) / cells, cells
