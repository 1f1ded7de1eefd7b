"""All numbers of positives that some blocks of ties may have, one by one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.ranking.law.blocks import binomial_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.ranking.law.blocks import Blocks

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]


@dataclass(frozen=True)
class States:
    """Ways to place positives in some of the blocks.

    Parameters
    ----------
    counts
        How many positives there are.
    costs
        The sum of their places from the top, doubled.
    chances
        The chance of each way, for independent labels.
    """

    counts: Ints
    costs: Ints
    chances: Floats

    @classmethod
    def of(cls, blocks: Blocks, places: Sequence[int], negligible: float) -> States:
        """Return all ways that are not negligible, with at most all positives."""
        states = cls(np.zeros(1, int), np.zeros(1, int), np.ones(1))
        windows = blocks.windows(places, negligible)
        for place, (first, weights) in zip(places, windows, strict=True):
            more = np.arange(first, first + weights.size)
            counts = (states.counts[:, None] + more).ravel()
            costs = (states.costs[:, None] + more * blocks.costs[place]).ravel()
            kept = (counts <= blocks.positives) & (costs <= blocks.cost)
            chances = (states.chances[:, None] * weights).ravel()
            states = cls(counts[kept], costs[kept], chances[kept])
        return states


def blocks_within(blocks: Blocks, places: Sequence[int], most: float, negligible: float) -> int:
    """Return how many of these blocks can be placed one by one with so many ways to try."""
    low, high = blocks.likely(negligible)
    ways = 1
    for number, place in enumerate(places):
        tried = ways * int(high[place] - low[place] + 1)
        if tried > most:
            return number
        ways = min(tried, math.comb(blocks.positives + number + 1, number + 1))
    return len(places)


def probability_by_states(blocks: Blocks, most: float, negligible: float) -> float | None:
    """Return the probability of at most so many wrong pairs; None with more ways than this."""
    # Half of the blocks one by one, and for each of these ways a look-up among the other half.
    places = range(blocks.sizes.size)
    first = blocks_within(blocks, places, most, negligible)
    last = blocks_within(blocks, places[::-1], most, negligible)
    if first + last < len(places):
        return None
    half = (first + len(places) - last) // 2
    ways = States.of(blocks, places[:half], negligible)
    others = States.of(blocks, places[half:], negligible)
    alone = binomial_at(blocks.total, blocks.positives / blocks.total, blocks.positives)
    return min(_joined(blocks, ways, others) / alone, 1.0)


def _joined(blocks: Blocks, ways: States, others: States) -> float:
    order = np.argsort(ways.counts, kind="stable")
    ways = States(ways.counts[order], ways.costs[order], ways.chances[order])
    order = np.lexsort([others.costs, others.counts])
    others = States(others.counts[order], others.costs[order], others.chances[order])
    total = 0.0
    for count in np.unique(ways.counts).tolist():
        here, there = _of_count(ways, count), _of_count(others, blocks.positives - count)
        reached = np.append(0, np.cumsum(others.chances[there]))
        rooms = blocks.cost - ways.costs[here]
        fitting = np.searchsorted(others.costs[there], rooms, side="right")
        total += float(ways.chances[here] @ reached[fitting])
    return total


def _of_count(states: States, count: int) -> slice:
    """Return where the states with so many positives are, in order of their counts."""
    return slice(*np.searchsorted(states.counts, [count, count + 1]).tolist())
