"""Positives placed at random over a ranking's blocks of ties."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.binary.law.stirling import CONTEXT, log_factorial
from baserate.ranking.law.tilt import Tilt

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]

# Blocks between two of these relative depths, from either end, may be merged.
_DEPTH = 1 / 64


@dataclass(frozen=True)
class Blocks:
    """Positives placed at random, and the number of wrong pairs in question.

    Parameters
    ----------
    sizes
        The number of observations in each block of equal scores, best block first.
    positives
        The number of positives among them.
    wrong
        Twice the number of pairs with the negative above the positive, ties counting half.
    """

    sizes: Ints
    positives: int
    wrong: int

    @cached_property
    def total(self) -> int:
        """The number of observations."""
        return int(self.sizes.sum())

    @property
    def negatives(self) -> int:
        """The number of negatives."""
        return self.total - self.positives

    @cached_property
    def above(self) -> Ints:
        """The number of observations above each block."""
        above: Ints = np.cumsum(self.sizes)
        above -= self.sizes
        return above

    @cached_property
    def ranks(self) -> Floats:
        """The rank of each block, from 1 at the top to -1 at the bottom."""
        ranks: Floats = (self.total - 2.0 * self.above - self.sizes) / self.total
        return ranks

    @cached_property
    def costs(self) -> Ints:
        """The position of each block from the top, doubled."""
        return 2 * self.above + self.sizes

    @property
    def cost(self) -> int:
        """The sum of the positions of the positives: the wrong pairs plus a constant."""
        return self.wrong + self.positives**2

    def mirrored(self, wrong: int) -> Blocks:
        """Return the blocks in reverse order, with the same classes."""
        return Blocks(self.sizes[::-1], self.positives, wrong)

    def exchanged(self) -> Blocks:
        """Return the blocks in reverse order, classes exchanged: wrong pairs stay wrong."""
        return Blocks(self.sizes[::-1], self.negatives, self.wrong)

    @cached_property
    def merged(self) -> Blocks:
        """The blocks, with neighbours merged if there are very many; least near both ends."""
        if self.sizes.size <= 4 / _DEPTH:
            return self
        # Every depth down to 1/_DEPTH, and then a geometric series to the middle.
        first = np.arange(1 / _DEPTH)
        steps = math.ceil(math.log(self.total * _DEPTH / 2) / math.log1p(_DEPTH))
        depths = np.append(first, np.geomspace(1 / _DEPTH, self.total / 2, steps))
        depths = np.rint(np.concatenate([depths, self.total - depths - 1])).clip(0, self.total - 1)
        marks = np.unique(depths.astype(np.int64))
        if self.total == self.sizes.size:  # without ties
            return self._with_alone(marks)
        return self._with_alone(np.searchsorted(self.above, marks, side="right") - 1)

    def coarser(self, cells: int) -> Blocks:
        """Return the blocks with neighbours merged, to about two blocks per cell."""
        spread = self.sizes * self._variances
        for _ in range(3):
            # Keep a large block on its own, in no more than one cell.
            spread = np.minimum(spread, spread.sum() / cells)
        spread = np.cumsum(np.append(0, spread))
        marks = np.linspace(0, spread[-1], cells, endpoint=False)
        return self._with_alone(np.searchsorted(spread[:-1], marks, side="right") - 1)

    def _with_alone(self, place: Ints) -> Blocks:
        """Leave the blocks at some places on their own, and merge those between them."""
        first = np.unique(np.concatenate([place, place + 1]))
        tied = np.add.reduceat(self.sizes, first[first < self.sizes.size])
        return Blocks(tied, self.positives, self.wrong)

    @cached_property
    def chances(self) -> Floats:
        """The probability of a positive in each block, among rankings as good as this one."""
        # Stay slightly inside the attainable range.
        wanted = min(self.wrong + 0.5, float(self.positives * self.negatives))
        total = (self.positives * self.negatives - wanted) / self.total
        count = np.array([float(self.positives)])
        tilt = Tilt.of(self.sizes.astype(float), self.ranks, count, np.array([total]))
        return np.asarray(tilt.chances[0])

    def likely(self, negligible: float) -> tuple[Ints, Ints]:
        """Return the fewest and the most positives that each block may have.

        Numbers that are negligible in rankings as good as this one are left out.
        """
        low, high = _likely(self.sizes * self.chances, self.sizes * self._variances, negligible)
        low = np.maximum(low, np.maximum(0, self.sizes - self.negatives))
        return low, np.minimum(high, np.minimum(self.sizes, self.positives))

    def likely_above(self, negligible: float) -> tuple[Ints, Ints]:
        """Return the fewest and the most positives there may be above each block, and in all."""
        mean = np.cumsum(np.append(0, self.sizes * self.chances))
        variance = np.cumsum(np.append(0, self.sizes * self._variances))
        low, high = _likely(mean, variance, negligible)
        seen = np.append(self.above, self.total)
        low = np.maximum(low, np.maximum(0, seen - self.negatives))
        return low, np.minimum(high, np.minimum(seen, self.positives))

    def windows(self, places: Iterable[int], negligible: float) -> list[tuple[int, Floats]]:
        """Return, for some blocks, the fewest positives and the probabilities from there on."""
        share = self.positives / self.total
        bounds = self.likely(negligible)
        sizes, low, high = (each.tolist() for each in (self.sizes, *bounds))
        return [
            (low[place], binomial(sizes[place], share, low[place], high[place])) for place in places
        ]

    @property
    def _variances(self) -> Floats:
        return self.chances * (1 - self.chances)


def _likely(mean: Floats, variance: Floats, negligible: float) -> tuple[Ints, Ints]:
    """Return the range outside which nothing is likely, by Bernstein's inequality."""
    reach = -math.log(negligible)
    deviation = reach / 3 + np.sqrt(reach * reach / 9 + 2 * reach * variance)
    return np.floor(mean - deviation).astype(int), np.ceil(mean + deviation).astype(int)


def binomial(size: int, chance: float, low: int, high: int) -> Floats:
    """Return the binomial probabilities of low to high positives in a block."""
    anchor = min(max(round(size * chance), low), high)
    odds = chance / (1 - chance)
    up = np.arange(anchor, high, dtype=float)
    down = np.arange(anchor, low, -1, dtype=float)
    rising = np.cumprod((size - up) / (up + 1) * odds)
    falling = np.cumprod(down / (size - down + 1) / odds)
    return binomial_at(size, chance, anchor) * np.concatenate([falling[::-1], [1.0], rising])


@lru_cache(maxsize=4096)
def binomial_at(size: int, chance: float, count: int) -> float:
    """Return the probability of one number of positives, to full precision."""
    with localcontext(CONTEXT):
        share = Decimal(chance)
        ways = log_factorial(size) - log_factorial(count) - log_factorial(size - count)
        return float((ways + count * share.ln() + (size - count) * (1 - share).ln()).exp())
