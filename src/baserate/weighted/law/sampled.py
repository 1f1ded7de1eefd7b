"""Random draws of a size, from a fixed stream: the same ones every time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from baserate.null.tables import hypergeometric
from baserate.weighted.base import Blocks
from baserate.weighted.law.calibrated import calibrated
from baserate.weighted.law.cells import DrawCells, Moments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.weighted.base import WeightedBase

    Floats = NDArray[np.float64]

DRAWS = 9_999
"""How many draws are simulated: with the observed one they are a round number."""
# Observations of nearly the same weight are joined if there are more blocks in a class.
_MOST_BLOCKS = 500
_SEED = 47


@dataclass(frozen=True, eq=False)
class Sampled:
    """Some draws of a size.

    Parameters
    ----------
    cells
        The weights of the four cells in each.
    moments
        What the true means and variances are.
    """

    cells: DrawCells
    moments: Moments

    @cached_property
    def shares(self) -> Floats:
        """How much each draw counts in a mean, so that means and variances are the true ones."""
        cells = self.cells
        return calibrated(cells.tp[:, np.newaxis], cells.fp[:, np.newaxis], self.moments)[:, 0]


@lru_cache(maxsize=16)
def sampled(base: WeightedBase, drawn: int) -> Sampled:
    """Return random draws of a size."""
    rng = np.random.default_rng(_SEED)
    left, others = np.full(DRAWS, drawn, dtype=np.int64), base.total
    cells = np.zeros((4, DRAWS))
    blocks = _joined(base)
    for size, weight, is_positive in zip(
        blocks.sizes.tolist(), blocks.weights.tolist(), blocks.positive.tolist(), strict=True
    ):
        others -= size
        if size == 1:
            here = (rng.random(DRAWS) * (others + 1) < left).astype(np.int64)
        else:
            good, bad = np.full(DRAWS, size), np.full(DRAWS, others)
            here = hypergeometric(good, bad, left, rng)
        left -= here
        place = 0 if is_positive else 1
        cells[place] += weight * here
        cells[place + 2] += weight * (size - here)
    return Sampled(DrawCells(*cells), Moments.of(base, np.array([float(drawn)])))


def _joined(base: WeightedBase) -> Blocks:
    """Return the blocks of a test set, those of nearly the same weight together."""
    parts = [joined(base.weights, counts) for counts in (base.positives, base.negatives)]
    sizes, weights = zip(*parts, strict=True)
    classes = [np.full(each.size, is_it) for each, is_it in zip(sizes, (True, False), strict=True)]
    return Blocks(np.concatenate(sizes), np.concatenate(weights), np.concatenate(classes))


def joined(
    weights: Floats, counts: NDArray[np.int64], most: int = _MOST_BLOCKS
) -> tuple[NDArray[np.int64], Floats]:
    """Return fewer counts of ascending weights, with the same sum.

    Each of the largest stays alone; the others are joined with their neighbours, so that each
    block has about the same share of the range.
    """
    weights, counts = weights[counts > 0], counts[counts > 0]
    if counts.size <= most:
        return counts, weights
    alone = most // 4
    edges = np.linspace(weights[0], weights[-alone], most - alone + 1)[:-1]
    starts = np.unique(np.searchsorted(weights, edges))
    starts = np.append(starts[starts < weights.size - alone], np.arange(-alone, 0) + weights.size)
    sizes = np.add.reduceat(counts, starts)
    return sizes, np.add.reduceat(counts * weights, starts) / sizes
