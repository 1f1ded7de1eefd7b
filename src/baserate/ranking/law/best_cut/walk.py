"""The chance that a walk through the ranks meets a barrier: sums of positive terms."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from baserate.ranking.law.best_cut.masses import Labels, masses

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

# What is left out may change a probability by this much, relative to it.
_NEGLIGIBLE = 1e-18
# No probability below this is told from 0.
_SMALLEST = 1e-290
# Look for what no longer matters when there are this many times as many counts, and some more.
_GROWN, _MORE = 1.25, 32
# From this many products on, a convolution is faster by Fourier transforms.
_LONG = 3 * 10**6
# What they add to a probability, at most; 1e-15 was seen.
_NOISE = 1e-12
OVERHEAD = 10**4
"""A step takes as long as this many products."""


class Barrier(Protocol):
    """What a walk must not meet, at each place where it is looked at."""

    def reached(self, place: int, first: int, chances: Floats) -> tuple[int, Floats, Floats]:
        """Split the chances of some counts of positives, from the first count on.

        Returns
        -------
        tuple[int, Floats, Floats]
            From which of the counts on the barrier is met, the chances from there on of those
            that meet it, and the chances of the others from the first count on.
        """


@dataclass(frozen=True, eq=False)
class Bounds:
    """A barrier that is met from so many positives on.

    Parameters
    ----------
    least
        How many positives it takes at each place.
    """

    least: Ints

    def reached(self, place: int, first: int, chances: Floats) -> tuple[int, Floats, Floats]:
        """Split the chances of some counts of positives, from the first count on."""
        start = min(max(self._list[place] - first, 0), chances.size)
        return start, chances[start:], chances[:start]

    @cached_property
    def _list(self) -> list[int]:
        found: list[int] = self.least.tolist()
        return found


@dataclass
class Walk:
    """How many positives are among the first observations, as labels are dealt at random.

    Parameters
    ----------
    rate
        The test set, with observations of both classes.
    ends
        The numbers of observations at which the walk is looked at, ascending.
    least
        A bound that the probability looked for is known to exceed.
    """

    rate: BaseRate
    ends: Ints
    least: float = 1e-30
    noise: float = field(default=0.0, init=False)
    """By how much rounding may have changed a probability."""
    _kernels: dict[int, tuple[int, Floats]] = field(default_factory=dict, init=False)

    def meets(self, barrier: Barrier) -> float:
        """Return the probability that the walk meets a barrier."""
        labels, met = Labels(self.rate), _Met()
        first, chances, now, most = 0, np.ones(1), 0, float(_MORE)
        for place, end in enumerate(self.ends.tolist()):
            if end > now:
                start, kernel = self._kernel(end - now)
                first, chances, now = first + start, self._convolved(chances, kernel), end
            start, reached, chances = barrier.reached(place, first, chances)
            if reached.size:
                met.add(end, first + start, reached)
            if chances.size > most:
                first, chances = self._kept(labels, end, first, chances)
                most = _GROWN * chances.size + _MORE
            if not chances.size:
                break
        return min(met.probability(labels), 1.0)

    @cached_property
    def _cut(self) -> float:
        """Chances below this do not matter."""
        places = max(self.ends.size, 1) * math.sqrt(self.rate.total)
        return max(_NEGLIGIBLE * self.least / places, _SMALLEST)

    def _kept(self, labels: Labels, end: int, first: int, chances: Floats) -> tuple[int, Floats]:
        """Leave out the counts at both sides that matter no longer."""
        dealt = chances * labels.weights(end, first + np.arange(chances.size))
        matter = np.flatnonzero(dealt > self._cut)
        if not matter.size:
            return first, chances[:0]
        low, high = int(matter[0]), int(matter[-1]) + 1
        return first + low, chances[low:high]

    def _convolved(self, chances: Floats, kernel: Floats) -> Floats:
        """Return the chances after a block."""
        if chances.size * kernel.size < _LONG:
            return np.convolve(chances, kernel)
        self.noise = _NOISE
        length = chances.size + kernel.size - 1
        size = 1 << (length - 1).bit_length()
        product = np.fft.rfft(chances, size) * np.fft.rfft(kernel, size)
        # Rounding leaves noise of both signs where there is nothing.
        return np.maximum(np.fft.irfft(product, size)[:length], 0.0)

    def _kernel(self, size: int) -> tuple[int, Floats]:
        """Return the chances of the positives in a block, and the first count that matters."""
        found = self._kernels.get(size)
        if found is None:
            reach = math.ceil(self._reach(size))
            mean = size * self.rate.positives / self.rate.total
            low, high = max(0, math.floor(mean) - reach), min(size, math.ceil(mean) + reach)
            chances = masses(np.arange(low, high + 1), size, Labels(self.rate).chance)
            found = self._kernels[size] = low, chances
        return found

    def _reach(self, size: float) -> float:
        """Return how far from its mean a count matters, by Bernstein's inequality."""
        chance = Labels(self.rate).chance
        spread = self._log**2 / 9 + 2 * size * chance * (1 - chance) * self._log
        return self._log / 3 + math.sqrt(spread)

    @cached_property
    def _log(self) -> float:
        return -math.log(self._cut) + math.log(self.rate.total)

    @cached_property
    def cost(self) -> float:
        """About how many products the walk takes; a step takes as long as thousands of them."""
        steps = np.diff(self.ends.astype(float), prepend=0.0)
        kernels = self._widths(steps, steps)
        products = np.minimum(self._tables * kernels, 60 * (self._tables + kernels))
        return float((products + OVERHEAD).sum())

    @property
    def tables(self) -> float:
        """About how many counts of positives matter, over all ends."""
        return float(self._tables.sum())

    @cached_property
    def _tables(self) -> Floats:
        ends = self.ends.astype(float)
        spread = ends * (1 - ends / self.rate.total)
        return self._widths(spread, np.minimum(ends, self.rate.positives))

    def _widths(self, sizes: Floats, most: Floats) -> Floats:
        """Return how many counts matter of so many independent labels."""
        chance = Labels(self.rate).chance
        spread = self._log**2 / 9 + 2 * sizes * chance * (1 - chance) * self._log
        return np.minimum(2 * (self._log / 3 + np.sqrt(spread)), most) + 1


@dataclass
class _Met:
    """Where the walk met the barrier, to be weighted all at once."""

    ends: list[int] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    chances: list[Floats] = field(default_factory=list)

    def add(self, end: int, first: int, chances: Floats) -> None:
        self.ends.append(end)
        self.firsts.append(first)
        self.chances.append(chances)

    def probability(self, labels: Labels) -> float:
        if not self.ends:
            return 0.0
        sizes = np.array([each.size for each in self.chances])
        starts = np.cumsum(sizes) - sizes
        offsets = np.arange(sizes.sum()) - np.repeat(starts, sizes)
        counts = np.repeat(np.array(self.firsts), sizes) + offsets
        weights = labels.weights(np.repeat(np.array(self.ends), sizes), counts)
        return float(np.concatenate(self.chances) @ weights)
