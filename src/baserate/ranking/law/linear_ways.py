"""Ways to place positives in some blocks, listed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.ranking.law.blocks import binomial, binomial_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.ranking.law.linear_blocks import WeightedBlocks

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Ways:
    """Ways to place positives in some of the blocks.

    Parameters
    ----------
    counts
        The number of positives.
    sums
        The sum of their weights.
    chances
        The probability of each way, for independent labels.
    """

    counts: Ints
    sums: Floats
    chances: Floats

    @cached_property
    def upto(self) -> Floats:
        """The probability of the first ways, by their number."""
        return np.append(0, np.cumsum(self.chances))

    @cached_property
    def beyond(self) -> Floats:
        """The probability of the last ways, by the number of those before."""
        return np.append(np.cumsum(self.chances[::-1])[::-1], 0)

    @classmethod
    def none(cls) -> Ways:
        """Return the one way to place no positives in no block."""
        return cls(np.zeros(1, int), np.zeros(1), np.ones(1))

    def placed(self, first: int, chances: Floats, weight: float, most: int) -> Ways:
        """Return all ways with one more block, and no more than so many positives.

        Parameters
        ----------
        first, chances
            The fewest positives of the block, and the probabilities from there on.
        weight
            What each of them adds.
        most
            The most positives.
        """
        more = np.arange(first, first + chances.size)
        counts = (self.counts[:, None] + more).ravel()
        sums = (self.sums[:, None] + more * weight).ravel()
        products = (self.chances[:, None] * chances).ravel()
        kept = counts <= most
        return Ways(counts[kept], sums[kept], products[kept])

    @classmethod
    def of(cls, others: Others, places: range) -> Ways:
        """Return all ways to place positives in some blocks."""
        ways = cls.none()
        for place in places:
            size, weight = int(others.sizes[place]), float(others.weights[place])
            chances = binomial(size, others.share, 0, min(size, others.positives))
            ways = ways.placed(0, chances, weight, others.positives)
        return ways


@dataclass(frozen=True, eq=False)
class Others:
    """All blocks but the largest, which has the positives that are left.

    Parameters
    ----------
    sizes, weights
        The other blocks; weights are differences from that of the largest block.
    positives, share
        The number of all positives, and their share of the observations.
    start
        The sum of all positives in the largest block.
    rest
        The probability, for independent labels, that the largest block has the positives that are
        left, by the number in all others; over that of all positives.
    """

    sizes: Ints
    weights: Floats
    positives: int
    share: float
    start: float
    rest: Floats

    @classmethod
    def of(cls, blocks: WeightedBlocks) -> Others:
        """Leave out the largest block."""
        place = int(np.argmax(blocks.sizes))
        size, weight = int(blocks.sizes[place]), float(blocks.weights[place])
        count, share = blocks.positives, blocks.positives / blocks.total
        rest = np.zeros(count + 1)
        rest[: min(size, count) + 1] = binomial(size, share, 0, min(size, count))
        return cls(
            np.delete(blocks.sizes, place),
            np.delete(blocks.weights, place) - weight,
            count,
            share,
            count * weight,
            rest[::-1] / binomial_at(blocks.total, share, count),
        )
