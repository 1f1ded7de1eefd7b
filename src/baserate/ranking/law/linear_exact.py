"""The law of a sum of weights by counting all ways to place the positives."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.rounding import COMPUTATION
from baserate.ranking.law.blocks import binomial, binomial_at
from baserate.ranking.law.linear_quantile import quantile_of_steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.ranking.law.linear_blocks import WeightedBlocks

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]

# The most ways to place positives in all blocks that are listed, and in half of them.
_LISTED, _HALF = 200_000, 300_000


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

    @classmethod
    def none(cls) -> Ways:
        """Return the one way to place no positives in no block."""
        return cls(np.zeros(1, int), np.zeros(1), np.ones(1))

    def placed(self, size: int, weight: float, share: float, most: int) -> Ways:
        """Return all ways with one more block, and no more than all positives."""
        high = min(size, most)
        more = np.arange(high + 1)
        counts = (self.counts[:, None] + more).ravel()
        sums = (self.sums[:, None] + more * weight).ravel()
        chances = (self.chances[:, None] * binomial(size, share, 0, high)).ravel()
        kept = counts <= most
        return Ways(counts[kept], sums[kept], chances[kept])

    @classmethod
    def of(cls, blocks: WeightedBlocks, places: range) -> Ways:
        """Return all ways to place positives in some blocks."""
        share = blocks.positives / blocks.total
        ways = cls.none()
        for place in places:
            size, weight = int(blocks.sizes[place]), float(blocks.weights[place])
            ways = ways.placed(size, weight, share, blocks.positives)
        return ways


def exact_sum(blocks: WeightedBlocks) -> ListedSum | HalvedSum | PairSum | None:
    """Return the exact law of a sum; None if there are too many ways."""
    if blocks.positives == 0 or blocks.sizes.size == 1:
        return ListedSum(np.array([blocks.ends[0].value]), np.ones(1), blocks.slack)
    if blocks.positives == 1:
        return ListedSum(blocks.weights, blocks.sizes / blocks.total, blocks.slack)
    numbers = np.minimum(blocks.sizes, blocks.positives)
    reached = _ways_within(numbers, blocks.positives, _LISTED)
    if reached == numbers.size:
        ways = Ways.of(blocks, range(numbers.size))
        all_ = ways.counts == blocks.positives
        chances = ways.chances[all_] / _alone(blocks)
        return ListedSum(ways.sums[all_], chances / math.fsum(chances), blocks.slack)
    if blocks.positives == 2:
        return PairSum(blocks)
    first = _ways_within(numbers, blocks.positives, _HALF)
    last = _ways_within(numbers[::-1], blocks.positives, _HALF)
    if first + last < numbers.size:
        return None
    return HalvedSum(blocks, (first + numbers.size - last) // 2)


def _ways_within(numbers: Ints, positives: int, most: int) -> int:
    """Return how many of the first blocks can be listed in at most so many ways."""
    ways = 1
    for place, number in enumerate(numbers[: 2 * most].tolist()):
        # Before ways with too many positives are left out, there are this many.
        if ways * (number + 1) > most:
            return place
        ways = min(ways * (number + 1), math.comb(positives + place + 1, place + 1))
    return int(numbers.size)


def _alone(blocks: WeightedBlocks) -> float:
    return binomial_at(blocks.total, blocks.positives / blocks.total, blocks.positives)


class ExactSum:
    """What exact laws of a sum have in common."""

    exact = True
    method = "counting"
    error = 0.0


class ListedSum(ExactSum):
    """A law with a list of all sums.

    Parameters
    ----------
    sums, chances
        All sums, in any order and any number of times, and their probabilities.
    slack
        How far apart two sums may be, and be the same.
    """

    def __init__(self, sums: Floats, chances: Floats, slack: float) -> None:
        order = np.argsort(sums, kind="stable")
        self._sums, self._slack = sums[order], slack
        self._below = np.append(0, np.cumsum(chances[order]))
        self._above = np.append(np.cumsum(chances[order][::-1])[::-1], 0)

    def at_least(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at least this large."""
        place = np.searchsorted(self._sums, value - self._slack - slack, side="left")
        return min(float(self._above[place]), 1.0)

    def at_most(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at most this large."""
        place = np.searchsorted(self._sums, value + self._slack + slack, side="right")
        return min(float(self._below[place]), 1.0)

    def quantile(self, level: float) -> float:
        """Return the smallest sum that is not exceeded with at least this probability."""
        place = int(np.searchsorted(self._below[1:], level * (1 - COMPUTATION)))
        return float(self._sums[min(place, self._sums.size - 1)])


@dataclass(frozen=True, eq=False)
class HalvedSum(ExactSum):
    """A law that counts ways in half of the blocks, and looks each up among those of the others.

    Parameters
    ----------
    blocks
        The blocks.
    half
        How many of them are in the first half.
    """

    blocks: WeightedBlocks
    half: int

    @cached_property
    def _sides(self) -> list[tuple[Ways, Ways]]:
        """Ways that have all positives together, by the number in the first half."""
        blocks = self.blocks
        here = _by_count(Ways.of(blocks, range(self.half)))
        there = _by_count(Ways.of(blocks, range(self.half, blocks.sizes.size)))
        counts = [count for count in here if blocks.positives - count in there]
        return [(here[count], there[blocks.positives - count]) for count in counts]

    @cached_property
    def _upto(self) -> list[Floats]:
        return [np.append(0, np.cumsum(there.chances)) for _, there in self._sides]

    @cached_property
    def _from(self) -> list[Floats]:
        return [np.append(np.cumsum(t.chances[::-1])[::-1], 0) for _, t in self._sides]

    def at_most(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at most this large."""
        value += self.blocks.slack + slack
        found = (
            here.chances @ upto[np.searchsorted(there.sums, value - here.sums, side="right")]
            for (here, there), upto in zip(self._sides, self._upto, strict=True)
        )
        return min(math.fsum(found) / _alone(self.blocks), 1.0)

    def at_least(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at least this large."""
        value -= self.blocks.slack + slack
        found = (
            here.chances @ beyond[np.searchsorted(there.sums, value - here.sums, side="left")]
            for (here, there), beyond in zip(self._sides, self._from, strict=True)
        )
        return min(math.fsum(found) / _alone(self.blocks), 1.0)

    def next_from(self, value: float) -> float:
        """Return the smallest sum that is at least this, up to rounding."""
        best = self.blocks.ends[1].value
        for here, there in self._sides:
            place = np.searchsorted(there.sums, value - self.blocks.slack - here.sums)
            known = place < there.sums.size
            sums = here.sums[known] + there.sums[place[known]]
            best = min(best, float(sums.min(initial=math.inf)))
        return best

    def quantile(self, level: float) -> float:
        """Return the smallest sum that is not exceeded with at least this probability."""
        return quantile_of_steps(self, self.blocks, level)


def _by_count(ways: Ways) -> dict[int, Ways]:
    """Return the ways of each number of positives, by ascending sums."""
    order = np.lexsort([ways.sums, ways.counts])
    counts, sums, chances = (each[order] for each in (ways.counts, ways.sums, ways.chances))
    numbers, starts = np.unique(counts, return_index=True)
    ends = np.append(starts[1:], counts.size)
    return {
        number: Ways(counts[start:end], sums[start:end], chances[start:end])
        for number, start, end in zip(numbers.tolist(), starts.tolist(), ends.tolist(), strict=True)
    }


@dataclass(frozen=True, eq=False)
class PairSum(ExactSum):
    """The law of two positives in any number of blocks."""

    blocks: WeightedBlocks

    @cached_property
    def _upto(self) -> Floats:
        return np.append(0, np.cumsum(self.blocks.sizes.astype(float)))

    def at_most(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at most this large."""
        return self._share(value + self.blocks.slack + slack, "right")

    def at_least(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at least this large."""
        negated = PairSum(self.blocks.negated())
        return negated.at_most(-value, slack)

    def _share(self, value: float, side: Any) -> float:
        """Return the share of pairs of observations with such a sum."""
        weights, total = self.blocks.weights, self.blocks.total
        places = np.searchsorted(weights, value - weights, side=side)
        itself = 2 * weights <= value
        pairs = self.blocks.sizes.astype(float) @ (self._upto[places] - itself)
        return min(float(pairs) / (total * (total - 1.0)), 1.0)

    def next_from(self, value: float) -> float:
        """Return the smallest sum that is at least this, up to rounding."""
        weights = self.blocks.weights
        places = np.searchsorted(weights, value - self.blocks.slack - weights)
        # A block of one observation has no pair with itself.
        alone = (places == np.arange(weights.size)) & (self.blocks.sizes == 1)
        places += alone
        known = places < weights.size
        sums = weights[known] + weights[places[known]]
        return float(sums.min(initial=self.blocks.ends[1].value))

    def quantile(self, level: float) -> float:
        """Return the smallest sum that is not exceeded with at least this probability."""
        return quantile_of_steps(self, self.blocks, level)
