"""All draws of a test set, counted by how many of each block they choose."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from baserate.weighted.law.cells import DrawCells

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.weighted.base import WeightedBase
    from baserate.weighted.measures import WeightedMeasure

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

# The most ways to choose from all blocks that are listed.
_MOST = 2**18


@dataclass(frozen=True, eq=False)
class Listed:
    """Every way to choose from the blocks of a test set.

    Parameters
    ----------
    cells
        The weights of the four cells in each.
    sizes
        How many observations are chosen.
    chances
        The chance of each among draws of the same size.
    total
        The number of observations.
    """

    cells: DrawCells
    sizes: Ints
    chances: Floats
    total: int

    def means(self, measure: WeightedMeasure) -> Floats:
        """Return the expected score of draws of each size; nan if some have no score."""
        scores = measure.scores(*self.cells)
        return np.asarray(np.bincount(self.sizes, self.chances * scores, self.total + 1), float)

    def of_size(self, drawn: int) -> tuple[DrawCells, Floats]:
        """Return the draws of a size, and their chances."""
        chosen = self.sizes == drawn
        return self.cells.chosen(chosen), self.chances[chosen]


@lru_cache(maxsize=4)
def listed(base: WeightedBase) -> Listed | None:
    """Return all draws of a test set; None if there are too many ways."""
    blocks = base.blocks
    if math.prod((int(size) + 1 for size in blocks.sizes), start=1) > _MOST:
        return None
    logs = log_factorials(base.total)
    cells, sizes, ways = np.zeros((4, 1)), np.zeros(1, np.int64), np.zeros(1, logs.dtype)
    for size, weight, is_positive in zip(
        blocks.sizes.tolist(), blocks.weights.tolist(), blocks.positive.tolist(), strict=True
    ):
        chosen = np.arange(size + 1)
        added = np.zeros((4, 1, size + 1))
        added[0 if is_positive else 1] = weight * chosen
        added[2 if is_positive else 3] = weight * chosen[::-1]
        cells = (cells[:, :, np.newaxis] + added).reshape(4, -1)
        sizes = (sizes[:, np.newaxis] + chosen).ravel()
        ways = (ways[:, np.newaxis] + logs[size] - logs[chosen] - logs[chosen[::-1]]).ravel()
    every = logs[base.total] - logs[sizes] - logs[base.total - sizes]
    return Listed(DrawCells(*cells), sizes, np.exp(ways - every).astype(float), base.total)


def log_factorials(most: int) -> NDArray[np.longdouble]:
    """Return log 0!, log 1! and so on."""
    return np.append(0, np.cumsum(np.log(np.arange(1, most + 1, dtype=np.longdouble))))


def few_draws(base: WeightedBase, drawn: int) -> tuple[DrawCells, Floats] | None:
    """Return all draws of a size and their chances, if they are few; otherwise None."""
    every = listed(base)
    if every is not None:
        return every.of_size(drawn)
    if not is_simple(base, drawn):
        return None
    blocks, is_one = base.blocks, drawn in (1, base.total - 1)
    here = blocks.weights * is_one
    one, other = here * blocks.positive, here * ~blocks.positive
    rest = base.positive_weight - one, base.negative_weight - other
    cells = (one, other, *rest) if drawn <= 1 else (*rest, one, other)
    return DrawCells(*cells), blocks.sizes / base.total


def is_simple(base: WeightedBase, drawn: int) -> bool:
    """Return whether nothing or one observation is chosen, or is left."""
    return min(drawn, base.total - drawn) <= 1
