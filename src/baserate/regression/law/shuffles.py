"""Orders of predictions: all of them, or random ones from a fixed stream."""

from __future__ import annotations

import math
import sys
from functools import lru_cache
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Places = NDArray[np.integer]
    Numbers = Callable[[Places], Floats]

FEW = 8
"""Up to so many observations, all orders are scored: 40,320 of them."""
# The most random orders: with the observed one they are a round number. Fewer, if they take long.
_ORDERS, _FEWEST = 39_999, 199
# How many numbers are shuffled and scored in about a fifth of a second, and how many at a time.
_NUMBERS, _AT_ONCE = 5_000_000, 500_000
_SEED = 20_260_118


@lru_cache(maxsize=1)
def all_orders(total: int) -> Places:
    """Return all orders of so many places, a row for each."""
    return np.array(list(permutations(range(total))), dtype=np.int8)


def number_of_shuffles(cost: float, most: int = _ORDERS) -> int:
    """Return how many orders are affordable, where each costs as much as some shuffled numbers."""
    affordable = int(_NUMBERS / max(cost, 1))
    return min(most, max(_FEWEST, affordable // 100 * 100 - 1))


def of_all_orders(numbers: Numbers, total: int) -> Floats:
    """Return the numbers of all orders."""
    return _in_parts(numbers, all_orders(total))


def of_shuffles(numbers: Numbers, total: int, orders: int) -> Floats:
    """Return the numbers of random orders, the same orders every time.

    Parameters
    ----------
    numbers
        The numbers of some orders, which are the rows of an array.
    total
        How many places there are.
    orders
        How many orders.
    """
    if orders * total <= _NUMBERS:  # they are kept for the next measure
        return _in_parts(numbers, _kept(total, orders))
    rng, part = np.random.default_rng(_SEED), _rows_at_once(total)
    return np.concatenate(
        [numbers(_shuffled(rng, total, min(part, orders - k))) for k in range(0, orders, part)]
    )


@lru_cache(maxsize=2)
def _kept(total: int, orders: int) -> Places:
    return _shuffled(np.random.default_rng(_SEED), total, orders)


def _shuffled(rng: np.random.Generator, total: int, orders: int) -> Places:
    places = np.arange(total, dtype=np.int16 if total < 2**15 else np.int32)
    return rng.permuted(np.tile(places, (orders, 1)), axis=1)


def _in_parts(numbers: Numbers, orders: Places) -> Floats:
    part = _rows_at_once(orders.shape[1])
    return np.concatenate([numbers(orders[k : k + part]) for k in range(0, len(orders), part)])


def _rows_at_once(total: int) -> int:
    return max(1, _AT_ONCE // total)


def one_of_all(total: int) -> float:
    """Return the probability of a single order, the least that any score can have.

    Of more than 170 observations no float is as small; it is the smallest that there is with all
    its digits.

    Examples
    --------
    >>> one_of_all(4) * 24, one_of_all(1_000)
    (1.0, 2.2250738585072014e-308)
    """
    if total <= 20:
        return 1 / math.factorial(total)
    return max(math.exp(-math.lgamma(total + 1)), sys.float_info.min)
