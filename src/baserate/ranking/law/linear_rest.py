"""The formula for sums over blocks that are not lumpy, for several numbers of positives at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.ranking.law.linear_blocks import span_of
from baserate.ranking.law.tilt import Tilt, end_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]

# With so many positives the law is normal to five digits, and the formula loses them.
_HUGE = 1e10
# Within this many standard deviations of the mean the formula is 0/0, and is interpolated.
_MIDDLE = 0.05


@dataclass(frozen=True, eq=False)
class Rest:
    """Blocks without lumps: their sizes and weights, ascending."""

    sizes: Ints
    weights: Floats

    @cached_property
    def total(self) -> int:
        """The number of observations."""
        return int(self.sizes.sum())

    @cached_property
    def _centre(self) -> float:
        return float(self.sizes @ self.weights) / self.total

    @cached_property
    def _scale(self) -> float:
        return float(np.abs(self.weights - self._centre).max()) or 1.0

    @cached_property
    def _ranks(self) -> Floats:
        return (self.weights - self._centre) / self._scale

    @cached_property
    def _square(self) -> float:
        return float((self.sizes * self._ranks) @ self._ranks)

    @property
    def kurtosis(self) -> float:
        """The kurtosis of the weight of an observation."""
        fourth = float(self.sizes @ self._ranks**4)
        return fourth * self.total / (self._square**2 or 1.0)

    @cached_property
    def _span(self) -> float:
        """The step between sums, in ranks; 0 if they are as good as continuous."""
        return span_of(np.diff(self._ranks), math.sqrt(self._square / self.total))

    def at_least(self, positives: Ints, rooms: Floats, slack: float) -> Floats:
        """Return the probability that the weights of the positives sum to at least these rooms."""
        smallest, largest = end_sums(self.sizes, self.weights, positives)
        tails = (rooms - slack <= smallest).astype(float)
        between = (rooms - slack > smallest) & (rooms - slack <= largest)
        for one, sign in ((1, 1), (self.total - 1, -1)):
            here = between & (positives == one)
            tails[here] = self._of_one(rooms[here] - slack, sign)
            between &= positives != one
        if between.any():
            tails[between] = self._approximated(positives[between], rooms[between])
        return tails

    def _of_one(self, rooms: Floats, sign: int) -> Floats:
        """Return the exact tails for one positive, or for one negative (sign -1)."""
        upto = np.append(0, np.cumsum(self.sizes)) / self.total
        if sign > 0:
            return np.asarray(1 - upto[np.searchsorted(self.weights, rooms, side="left")])
        most = float(self.sizes @ self.weights) - rooms
        return np.asarray(upto[np.searchsorted(self.weights, most, side="right")])

    def _approximated(self, positives: Ints, rooms: Floats) -> Floats:
        count, total = positives.astype(float), float(self.total)
        sums = (rooms - count * self._centre) / self._scale
        if self._span:
            # A sum stands for half a span around it.
            origin = count * self._ranks[0]
            steps = np.ceil((sums - origin) / self._span - 1e-6)
            sums = origin + self._span * (steps - 0.5)
        variance = count * (total - count) / total / (total - 1) * self._square
        if count.min() > _HUGE:
            return _upper(sums / np.sqrt(variance))
        near = _MIDDLE * np.sqrt(variance)
        is_near = np.abs(sums) < near
        both = [self._formula(count, np.where(is_near, end, sums)) for end in (-near, near)]
        weight = np.where(is_near, (sums + near) / (2 * near), 0.5)
        return np.asarray((1 - weight) * both[0] + weight * both[1])

    def _formula(self, count: Floats, sums: Floats) -> Floats:
        """Return the formula for the probability that a sum is at least this."""
        sizes, total = self.sizes.astype(float), float(self.total)
        tilt = Tilt.of(sizes, self._ranks, count, sums)
        root = np.copysign(np.sqrt(2 * tilt.divergence @ sizes), tilt.slope)
        step = tilt.slope
        if self._span:
            step = 2 * np.sinh(np.clip(self._span * step / 2, -300, 300)) / self._span
        other = step * np.sqrt(tilt.spread / (count * (total - count) / total))
        with np.errstate(all="ignore"):
            correction = np.log(other / root) / root
        # At the end of the attainable range the variance vanishes, and only the root remains.
        star = root + np.where(np.isfinite(correction), correction, 0)
        return _upper(star)

    def ripple(self, share: float) -> float:
        """Return how large the waves of the density are, relative to a tail of 1e-6; 0 if none.

        A wave of the characteristic function at a frequency θ changes a tail by about its size
        over θ, and a tail of 1e-6 is a fifth of a standard deviation long.
        """
        unit = math.sqrt(self._square * share * (1 - share))
        most = min(300.0, math.pi * unit / self._span if self._span else math.inf)
        frequencies = np.arange(4.0, most, 0.5)
        if not frequencies.size:
            return 0.0
        angles = np.outer(frequencies / unit, self._ranks)
        shifts = np.angle(np.exp(1j * angles) @ self.sizes.astype(float))
        waves = np.sin((angles - shifts[:, None]) / 2) ** 2
        sizes = np.exp(np.log1p(-4 * share * (1 - share) * waves * (1 - 1e-12)) @ self.sizes / 2)
        return float((5 * sizes / frequencies).max())


def _upper(deviates: Floats) -> Floats:
    """Return the probability that a normal number is at least so large."""
    return np.array([math.erfc(each / math.sqrt(2)) / 2 for each in deviates.tolist()])
