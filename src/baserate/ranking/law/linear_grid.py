"""The law of a sum over few positives, with weights rounded to a fine grid: a rigorous bracket.

Where a tail is small the observations are tilted, so that sums around it are likely and its digits
survive.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.ranking.law.linear_saddlepoint import SaddlepointSum
from baserate.ranking.law.linear_window import likely, window_of
from baserate.ranking.law.tilt import Tilt

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.ranking.law.linear_blocks import WeightedBlocks
    from baserate.ranking.law.linear_window import Window

# Up to how many positives a grid is used anyway, and up to how many of a lumpy law.
FEW_POSITIVES, MOST_POSITIVES = 16, 40
# Up to this many standard deviations sums are not tilted; beyond, only if their tail is this small;
# and beyond that many, always.
_NEAR, _SMALL, _FAR = 2.0, 1e-3, 4.0
# How close to the end of its range a sum may be for its tilt; and the largest tilt.
_END, _STRONGEST = 0.98, 1e5
# How often a tilt is halved at most.
_HALVINGS = 20
# How many tilts there are between one and twice as much: sums that differ by rounding share one.
_PER_OCTAVE = 1024


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
        return self._tail(value - self.blocks.slack - slack, 1, np.ceil)

    def at_most(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at most this large, or a little more."""
        return self._tail(value + self.blocks.slack + slack, -1, np.floor)

    def fewest_at_least(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at least this large, or a little less."""
        return self._tail(value - self.blocks.slack - slack, 1, np.floor)

    def fewest_at_most(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at most this large, or a little less."""
        return self._tail(value + self.blocks.slack + slack, -1, np.ceil)

    def quantile(self, level: float) -> float:
        """Return the smallest sum that is not exceeded with at least this probability."""
        low, high = (end.value for end in self.blocks.ends)
        if level <= self.blocks.ends[0].chance:
            return low
        if level >= 1:
            return high
        tilt = 0.0
        if not _SMALL <= level <= 1 - _SMALL:
            # A tilt that is a little off will do.
            tilt = self._tilt(SaddlepointSum(self.blocks).quantile(level), 1 if level > 0.5 else -1)
        found = window_of(self.blocks, np.floor, tilt).quantile(level)
        return min(max(found, low), high)

    def _tail(self, value: float, sign: int, rounded: Any) -> float:
        """Return the probability of a sum as far up (sign 1) or down (sign -1) as this."""
        first, last = self.blocks.ends[::sign]
        if sign * (value - first.value) <= 0:
            return 1.0
        if sign * (value - last.value) > 0:
            return 0.0
        return min(max(self._inside(value, sign, rounded), last.chance), 1.0)

    def _inside(self, value: float, sign: int, rounded: Any) -> float:
        """Return the same of a sum within its range."""
        if sign * value < 0:
            # What is left out is small, and known to more digits.
            window = self._window(value, -sign, rounded, lambda window: window.rest(value, sign))
            return 1 - window.rest(value, sign)
        window = self._window(value, sign, rounded, lambda window: window.tail(value, sign))
        return window.tail(value, sign)

    def _window(
        self, value: float, sign: int, rounded: Any, tail: Callable[[Window], float]
    ) -> Window:
        """Return the chances of sums, tilted if the tail is small."""
        distance = sign * value / self.blocks.sd
        if distance <= _FAR:
            window = window_of(self.blocks, rounded, 0.0)
            if distance <= _NEAR or tail(window) >= _SMALL:
                return window
        return window_of(self.blocks, rounded, self._tilt(value, sign))

    def _tilt(self, value: float, sign: int) -> float:
        """Return the tilt that makes such a sum likely."""
        blocks = self.blocks.merged
        # A sum at the end of its range would ask for any tilt.
        end = _END * abs(self.blocks.ends[int(sign > 0)].value)
        wanted = sign * min(sign * value, end) / blocks.largest
        weights, count = blocks.weights / blocks.largest, float(blocks.positives)
        tilt = Tilt.of(blocks.sizes.astype(float), weights, np.array([count]), np.array([wanted]))
        slope = min(sign * float(tilt.slope[0]), _STRONGEST) / blocks.largest
        if slope <= 0:
            return 0.0
        found = sign * 2 ** (round(_PER_OCTAVE * math.log2(slope)) / _PER_OCTAVE)
        # At the end of its range any tilt is strong enough, and one may be too strong.
        for _ in range(_HALVINGS):
            low, high = likely(self.blocks, found)
            if low <= value <= high:
                break
            found /= 2
        return found
