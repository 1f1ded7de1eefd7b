"""Random weights of rows: Rubin's bootstrap, with a Latin hypercube for its random numbers.

The Bayesian bootstrap (Rubin 1981) gives each row an exponential weight; rows that are alike have a
gamma weight with their number as its shape. Each weight is drawn by its quantiles at evenly spread
probabilities, each of them once, in a random order (McKay, Beckman and Conover 1979): so the
distribution of every weight is right, and only how weights go together is left to chance.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

DRAWS = 1_000
"""How many resamples are drawn at once."""
# So many resamples should be beyond each end of an interval.
_BEYOND = 25
# A fixed stream: an interval is the same twice. Orders are drawn for so many cells at a time, so
# that the first ones do not depend on how many cells there are.
_SEED, _CELLS = 40, 64
# Up to so many rows, weights are shared by test sets of several sizes.
_SHARED = 1_024
# From so many rows on, an expansion of quantiles is within 3e-6 standard deviations, and quick.
_LARGE = 300


class Batch(NamedTuple):
    """Which of how many batches of resamples: each has its own part of every quantile."""

    place: int
    of: int


def batches(alpha: float) -> list[Batch]:
    """Return the batches of resamples that an interval needs: the smaller alpha, the more."""
    number = max(1, round(2 * _BEYOND / alpha / DRAWS))
    return [Batch(place, number) for place in range(number)]


def gamma_weights(rows: Floats, ranks: Ints, batch: Batch) -> Floats:
    """Return random weights of cells, of shape (…, draws, cells); ranks say whose is which part."""
    cells = rows.shape[-1]
    orders = _orders(cells, batch.place)
    found = np.zeros((cells, rows.size // cells, DRAWS))
    each = zip(*(side.reshape(-1, cells).T.tolist() for side in (rows, ranks)), strict=True)
    for cell, (counts, places) in enumerate(each):
        for place, (count, rank) in enumerate(zip(counts, places, strict=True)):
            if count and cells <= _CELLS:
                found[cell, place] = _of_cell(count, rank, batch)
            elif count:
                found[cell, place] = _quantiles(count, batch)[orders[rank]]
    return np.moveaxis(found, 0, -1).reshape(*rows.shape[:-1], DRAWS, cells)


@lru_cache(maxsize=2_048)
def _of_cell(count: float, rank: int, batch: Batch) -> Floats:
    """Return the weights of one of a few cells, which many small tables share."""
    return np.asarray(_quantiles(count, batch)[_orders(rank + 1, batch.place)[rank]])


@lru_cache(maxsize=6)
def exponential_weights(rows: int, batch: Batch) -> tuple[Floats, Floats]:
    """Return random weights of rows that are all different, of shape (draws, rows), and totals."""
    # Test sets of many sizes share them.
    most = max(_CELLS, 1 << (rows - 1).bit_length()) if rows <= _SHARED else rows
    weights = _exponentials(most, batch)[:rows].T
    return weights, weights.sum(axis=-1)


@lru_cache(maxsize=6)
def _exponentials(rows: int, batch: Batch) -> Floats:
    return np.asarray(_quantiles(1.0, batch)[_orders(rows, batch.place)])


@lru_cache(maxsize=64)
def spare_weights(batch: Batch) -> Floats:
    """Return the random weight of one spare row."""
    order = np.random.default_rng([_SEED + 1, batch.place]).permutation(DRAWS)
    return np.asarray(_quantiles(1.0, batch)[order])


@lru_cache(maxsize=4_096)
def _quantiles(shape: float, batch: Batch) -> Floats:
    from scipy.special import gammaincinv

    if shape == 1:
        return np.asarray(-np.log1p(-_levels(batch)))
    if shape < _LARGE:
        return np.asarray(gammaincinv(shape, _levels(batch)))
    first, second, third, fourth = _expansion(batch)
    root = math.sqrt(shape)
    return np.asarray(shape + root * first + second + third / root - fourth / shape)


@lru_cache(maxsize=64)
def _expansion(batch: Batch) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the terms of the expansion of Cornish and Fisher (1937), whatever the shape."""
    from scipy.special import ndtri

    z = ndtri(_levels(batch))
    return z, (z**2 - 1) / 3, (z**3 - 7 * z) / 36, (3 * z**4 + 7 * z**2 - 16) / 810


def _levels(batch: Batch) -> Floats:
    """Return a probability in each of as many equal parts as there are draws."""
    return np.asarray((np.arange(DRAWS) + (batch.place + 0.5) / batch.of) / DRAWS)


def _orders(cells: int, place: int) -> Ints:
    """Return a random order of the draws for each cell."""
    if cells <= _CELLS:
        return _block(0, place)[:cells]
    return np.concatenate([_block(each, place) for each in range(-(-cells // _CELLS))])[:cells]


@lru_cache(maxsize=64)
def _block(block: int, place: int) -> Ints:
    rng = np.random.default_rng([_SEED, place, block])
    return rng.permuted(np.tile(np.arange(DRAWS), (_CELLS, 1)), axis=1)
