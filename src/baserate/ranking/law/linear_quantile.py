"""Quantiles of a sum from few of its tails."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

from baserate.core.law import deviate
from baserate.core.rounding import COMPUTATION

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.ranking.law.linear_blocks import WeightedBlocks

# How close a quantile must be, in standard deviations; the most tails to look at; and by how much
# to look beyond the root of a secant.
_CLOSE, _MOST, _BEYOND = 1e-9, 100, 1e-3


class Steps(Protocol):
    """A law whose next sum is known from any value on."""

    def at_most(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at most this large."""

    def next_from(self, value: float) -> float:
        """Return the smallest sum that is at least this."""


def quantile_of_steps(law: Steps, blocks: WeightedBlocks, level: float) -> float:
    """Return the smallest sum that is not exceeded with at least this probability."""
    low, high = (end.value for end in blocks.ends)
    if level <= blocks.ends[0].chance:
        return low
    if level >= 1:
        return high
    low, high = bracketed(law.at_most, (low, high), (0.0, blocks.sd), level)
    # Nothing between two neighbours: the smallest sum above the lower end.
    after = law.next_from(low + 2 * blocks.slack)
    return min(after, high) if after <= high else law.next_from(high)


def bracketed(
    at_most: Callable[[float], float],
    ends: tuple[float, float],
    normal: tuple[float, float],
    level: float,
) -> tuple[float, float]:
    """Return two close values with the quantile between them, or at the upper one.

    Parameters
    ----------
    at_most
        The lower tail.
    ends
        The smallest and the largest sum.
    normal
        The mean and the standard deviation.
    level
        The probability.
    """
    mean, sd = normal
    low, high = ends
    wanted = deviate(level)
    level *= 1 - COMPUTATION
    value, slope = mean + wanted * sd, 1 / sd
    before = last = math.nan
    for _ in range(_MOST):
        if high - low <= _CLOSE * sd:
            break
        # A secant that leaves the bracket, or has crept, gives way to the middle.
        if not low < value < high:
            value = (low + high) / 2
        below = at_most(value)
        star = deviate(below)
        low, high = (value, high) if below < level else (low, value)
        if not math.isnan(before) and star != last and math.isfinite(star - last):
            slope = (star - last) / (value - before)
        before, last = value, star
        # A bit beyond the root of the secant, so that both ends move.
        step = (wanted - star) / slope if slope > 0 else math.nan
        value += step * (1 + _BEYOND) + math.copysign(_CLOSE * sd / 2, step)
    return low, high
