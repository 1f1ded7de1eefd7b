"""The law of a sum of weights by counting all ways to place the positives."""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.binary.base_rate import BaseRate
from baserate.binary.law.hypergeometric import Hypergeometric
from baserate.core.rounding import COMPUTATION
from baserate.ranking.law.linear_blocks import MANY
from baserate.ranking.law.linear_quantile import quantile_of_steps
from baserate.ranking.law.linear_ways import Others, Ways

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.ranking.law.linear_blocks import WeightedBlocks

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]

# The most ways to place positives in all blocks that are listed, and in half of them.
_LISTED, _HALF = 200_000, 300_000
# The most pairs of numbers of positives in both halves.
_PAIRS = 2_000


def exact_sum(blocks: WeightedBlocks) -> ExactSum | None:
    """Return the exact law of a sum; None if there are too many ways."""
    if blocks.sizes.size <= 2 or blocks.positives <= 1:
        return _simple(blocks)
    if blocks.sizes.size > MANY or blocks.positives > _HALF:
        return None
    others = Others.of(blocks)
    numbers = np.minimum(others.sizes, blocks.positives)
    if _ways_within(numbers, blocks.positives, _LISTED) == numbers.size:
        ways = Ways.of(others, range(numbers.size))
        chances = ways.chances * others.rest[ways.counts]
        return ListedSum(others.start + ways.sums, chances, blocks.slack)
    if blocks.positives == 2:
        return PairSum(blocks)
    first = _ways_within(numbers, blocks.positives, _HALF)
    last = _ways_within(numbers[::-1], blocks.positives, _HALF)
    half = (first + numbers.size - last) // 2
    if first + last < numbers.size or _pairs(numbers, blocks.positives, half) > _PAIRS:
        return None
    return HalvedSum(blocks, others, half)


def _simple(blocks: WeightedBlocks) -> ExactSum:
    """Return the law of one sum, of two blocks, or of one positive."""
    if blocks.positives == 0 or blocks.sizes.size == 1:
        return ListedSum(np.array([blocks.ends[0].value]), np.ones(1), blocks.slack)
    if blocks.sizes.size == 2:
        return TwoBlockSum(blocks)
    return ListedSum(blocks.weights, blocks.sizes / blocks.total, blocks.slack)


def _ways_within(numbers: Ints, positives: int, most: int) -> int:
    """Return how many of the first blocks can be listed in at most so many ways."""
    ways = 1
    for place, number in enumerate(numbers[: 2 * most].tolist()):
        # Before ways with too many positives are left out, there are this many.
        if ways * (number + 1) > most:
            return place
        ways = min(ways * (number + 1), math.comb(positives + place + 1, place + 1))
    return int(numbers.size)


def _pairs(numbers: Ints, positives: int, half: int) -> int:
    """Return how many pairs of numbers of positives the two halves can have."""
    here, there = (min(int(part.sum()), positives) for part in (numbers[:half], numbers[half:]))
    return (here + 1) * (there + 1)


class ExactSum(abc.ABC):
    """What exact laws of a sum have in common."""

    exact = True
    method = "counting"
    error = 0.0

    @abc.abstractmethod
    def at_least(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at least this large."""

    @abc.abstractmethod
    def at_most(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at most this large."""

    @abc.abstractmethod
    def quantile(self, level: float) -> float:
        """Return the smallest sum that is not exceeded with at least this probability."""


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
    others
        All but the largest.
    half
        How many of them are in the first half.
    """

    blocks: WeightedBlocks
    others: Others
    half: int

    @cached_property
    def _sides(self) -> list[_Pair]:
        """The ways of both halves, by the numbers of positives."""
        here = _by_count(Ways.of(self.others, range(self.half)))
        there = _by_count(Ways.of(self.others, range(self.half, self.others.sizes.size)))
        counts = [(one, other) for one in here for other in there]
        return [
            _Pair(here[one], there[other], float(self.others.rest[one + other]))
            for one, other in counts
            if one + other <= self.others.positives and self.others.rest[one + other] > 0
        ]

    def at_most(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at most this large."""
        room = value + self.blocks.slack + slack - self.others.start
        return min(math.fsum(pair.at_most(room) for pair in self._sides), 1.0)

    def at_least(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at least this large."""
        room = value - self.blocks.slack - slack - self.others.start
        return min(math.fsum(pair.at_least(room) for pair in self._sides), 1.0)

    def next_from(self, value: float) -> float:
        """Return the smallest sum that is at least this, up to rounding."""
        room = value - self.blocks.slack - self.others.start
        best = min(pair.next_from(room) for pair in self._sides)
        return min(self.others.start + best, self.blocks.ends[1].value)

    def quantile(self, level: float) -> float:
        """Return the smallest sum that is not exceeded with at least this probability."""
        return quantile_of_steps(self, self.blocks, level)


@dataclass(frozen=True, eq=False)
class _Pair:
    """Ways of two halves with some numbers of positives, and the probability of all others."""

    here: Ways
    there: Ways
    chance: float

    def at_most(self, room: float) -> float:
        places = np.searchsorted(self.there.sums, room - self.here.sums, side="right")
        return self.chance * float(self.here.chances @ self.there.upto[places])

    def at_least(self, room: float) -> float:
        places = np.searchsorted(self.there.sums, room - self.here.sums, side="left")
        return self.chance * float(self.here.chances @ self.there.beyond[places])

    def next_from(self, room: float) -> float:
        places = np.searchsorted(self.there.sums, room - self.here.sums)
        known = places < self.there.sums.size
        sums = self.here.sums[known] + self.there.sums[places[known]]
        return float(sums.min(initial=math.inf))


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


@dataclass(frozen=True, eq=False)
class TwoBlockSum(ExactSum):
    """The law of a sum over two blocks: the positives of the second one are hypergeometric."""

    blocks: WeightedBlocks

    @cached_property
    def _law(self) -> Hypergeometric:
        rate = BaseRate(positives=self.blocks.positives, total=self.blocks.total)
        return Hypergeometric(rate, int(self.blocks.sizes[1]))

    @property
    def _start(self) -> float:
        return self.blocks.positives * float(self.blocks.weights[0])

    @property
    def _step(self) -> float:
        return float(self.blocks.weights[1] - self.blocks.weights[0])

    def at_least(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at least this large."""
        value -= self.blocks.slack + slack
        return self._law.sf(math.ceil((value - self._start) / self._step) - 1)

    def at_most(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at most this large."""
        value += self.blocks.slack + slack
        return self._law.cdf(math.floor((value - self._start) / self._step))

    def quantile(self, level: float) -> float:
        """Return the smallest sum that is not exceeded with at least this probability."""
        return self._start + self._step * self._law.ppf(level * (1 - COMPUTATION))
