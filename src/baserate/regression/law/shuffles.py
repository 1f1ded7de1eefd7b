"""Orders of predictions: all of them, or random ones from a fixed stream."""

from __future__ import annotations

import math
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Scores = Callable[[Floats], Floats]

FEW = 8
"""Up to so many observations, all orders are scored: 40,320 of them."""
# The most random orders: with the observed one they are a round number. Fewer, if they take long.
_ORDERS, _FEWEST = 39_999, 199
# How many numbers are shuffled and scored in about half a second, and how many at a time.
_NUMBERS, _AT_ONCE = 16_000_000, 1_000_000
_SEED = 20_260_118


def all_dealt(cards: Floats) -> Floats:
    """Return some numbers in all orders, a row for each."""
    return cards[np.array(list(permutations(range(cards.size))), dtype=np.intp)]


def number_of_shuffles(cost: float) -> int:
    """Return how many orders are affordable, where each costs as much as some shuffled numbers."""
    affordable = int(_NUMBERS / max(cost, 1))
    return min(_ORDERS, max(_FEWEST, affordable // 100 * 100 - 1))


def scores_of_shuffles(scores: Scores, cards: Floats, cost: float) -> Floats:
    """Return the scores of random orders, the same ones every time.

    Parameters
    ----------
    scores
        The scores of cards in some orders, which are the rows of an array.
    cards
        What is shuffled.
    cost
        How much it costs to score one order, in shuffled numbers.
    """
    rng = np.random.default_rng(_SEED)
    size = number_of_shuffles(cost)
    part = max(1, int(_AT_ONCE / max(cost, 1)))
    found = [
        scores(rng.permuted(np.tile(cards, (min(part, size - first), 1)), axis=1))
        for first in range(0, size, part)
    ]
    return np.concatenate(found)


def one_of_all(total: int) -> float:
    """Return the probability of a single order, the least that any score can have."""
    return math.exp(-math.lgamma(total + 1))
