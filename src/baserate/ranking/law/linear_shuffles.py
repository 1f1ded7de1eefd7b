"""Sums over observations whose classes are shuffled: of all shuffles, or of random ones."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]

# The most shuffles: with the observed one they are a round number. Fewer, if they take too long.
_SHUFFLES, _FEWEST = 39_999, 399
# How many shuffled observations take about a second, and how many fit into memory.
_CARDS, _AT_ONCE = 40_000_000, 4_000_000
_SEED = 20_260_118


def number_of_shuffles(class_counts: Sequence[int], most: int) -> int:
    """Return how many different shuffles there are; more than the most if there are more.

    Examples
    --------
    >>> number_of_shuffles([1, 2, 1], 100)
    12
    """
    ways, seen = 1, 0
    for count in sorted(class_counts):
        seen += count
        # Binomials grow: stop before they are too long to compute.
        if count > most and seen > count:
            return most + 1
        ways *= math.comb(seen, min(count, seen - count))
        if ways > most:
            return most + 1
    return ways


def all_sums(weights: Floats, sizes: Ints, class_counts: Sequence[int]) -> tuple[Floats, Floats]:
    """Return the sums of all shuffles, and the probability of each.

    Parameters
    ----------
    weights
        What an observation adds if it is of each class.
    sizes
        How many observations have each row.
    class_counts
        How often each class occurs.
    """
    rows = np.repeat(weights, sizes, axis=0)
    left = np.array([class_counts])
    sums = np.zeros(1)
    for row in rows:
        # One more observation: of each class that is left.
        grown = [(left[:, k] > 0, k) for k in range(len(class_counts))]
        sums = np.concatenate([sums[possible] + row[k] for possible, k in grown])
        steps = np.eye(len(class_counts), dtype=left.dtype)
        left = np.concatenate([left[possible] - steps[k] for possible, k in grown])
    return sums, np.full(sums.size, 1 / sums.size)


def random_sums(weights: Floats, sizes: Ints, class_counts: Sequence[int]) -> Floats:
    """Return the sums of random shuffles, the same ones every time."""
    rows = np.repeat(weights, sizes, axis=0)
    truth = np.repeat(np.arange(len(class_counts), dtype=np.int16), class_counts)
    rng = np.random.default_rng(_SEED)
    size = min(_SHUFFLES, max(_FEWEST, _CARDS // truth.size // 100 * 100 - 1))
    part = max(1, _AT_ONCE // truth.size)
    places = np.arange(truth.size)
    found = []
    for first in range(0, size, part):
        here = np.tile(truth, (min(part, size - first), 1))
        found.append(rows[places, rng.permuted(here, axis=1)].sum(axis=1))
    return np.concatenate(found)
