"""Enumerate the numbers of positives in some blocks of ties."""

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
        The number of positives.
    costs
        The sum of their positions from the top, doubled.
    chances
        The probability of each way, for independent labels.
    """

    counts: Ints
    costs: Ints
    chances: Floats

    @classmethod
    def of(cls, blocks: Blocks, places: Sequence[int], negligible: float) -> States:
        """Return all ways that are not negligible, and use no more than all positives."""
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
    """Return how many of these blocks can be enumerated in at most this many ways."""
    low, high = blocks.likely(negligible)
    ways = 1
    for number, place in enumerate(places):
        tried = ways * int(high[place] - low[place] + 1)
        if tried > most:
            return number
        ways = min(tried, math.comb(blocks.positives + number + 1, number + 1))
    return len(places)


def probability_by_states(blocks: Blocks, most: float, negligible: float) -> float | None:
    """Return the probability of at most the given wrong pairs; None if there are too many ways."""
    # Enumerate half of the blocks, and look up each way among those of the other half.
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
    """Return the slice of states with a count of positives; states are sorted by count."""
    return slice(*np.searchsorted(states.counts, [count, count + 1]).tolist())
