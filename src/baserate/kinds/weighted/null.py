"""Null distributions where observations matter more or less."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from baserate.exceptions import UndefinedMeasureError
from baserate.null.distribution import Listed
from baserate.null.permutations import Permuted, RandomBlocks, SharedDraws, all_tables
from baserate.null.sums import two_levels
from baserate.observed.weighted import Blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.measures.weighted import WeightedMeasure
    from baserate.null.distribution import NullDistribution
    from baserate.observed.weighted import WeightedBase

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Cells = tuple[Floats, Floats, Floats, Floats]

MAX_BLOCKS = 500
"""Observations of nearly the same weight are joined if a class has more different weights."""


@lru_cache(maxsize=64)
def null_of(measure: WeightedMeasure, base: WeightedBase, drawn: int) -> NullDistribution:
    """Return the distribution of a score over draws of a size, or raise if some have no score.

    Examples
    --------
    >>> from baserate import get_measure
    >>> from baserate.measures.weighted import WeightedMeasure
    >>> from baserate.observed.weighted import WeightedBase
    >>> base = WeightedBase(np.array([1.0, 100.0]), np.array([1, 0]), np.array([0, 1]))
    >>> null = null_of(WeightedMeasure.by(get_measure("F1")), base, 1)
    >>> null.mean(), null.sf(1.0), null.method
    (0.5, 0.5, 'exact')
    """
    measure.of.require_draw(base.rate, drawn)
    base = measure.on(base)
    plane = measure.plane(base)
    if plane is not None:
        blocks = base.blocks
        gains = np.where(blocks.positive, plane.tp, plane.fp) * blocks.weights
        order = np.argsort(gains, kind="stable")
        return two_levels(drawn, blocks.sizes[order], gains[order], intercept=plane.constant)
    size = measure.of.magnitude(0.0)
    every = _every_draw(base, drawn)
    if every is not None:
        return Listed(_scored(measure, every[0]), every[1], size)
    draws, cells = _random_draws(base, drawn)
    next_draws = draws.from_the_start()
    found = Permuted(lambda *block: _scored(measure, next_draws(*block)), cells, size=size)
    found.first(1)  # raises if there are draws without a score
    return found


@lru_cache(maxsize=8)
def _every_draw(base: WeightedBase, drawn: int) -> tuple[Cells, Floats] | None:
    """Return the weighted counts of all draws and their chances; None if they are too many."""
    blocks = base.blocks
    every = all_tables([drawn, base.total - drawn], blocks.sizes.tolist())
    return None if every is None else (_weighed(blocks, every[0][:, 0]), every[1])


@lru_cache(maxsize=4)
def _random_draws(base: WeightedBase, drawn: int) -> tuple[SharedDraws[Cells], int]:
    """Return random draws of a test set, which all measures share, and how much work one is."""
    blocks, few = _fewer(base), min(drawn, base.total - drawn)
    placed = RandomBlocks(few, blocks.sizes)

    def draw(rng: np.random.Generator, number: int) -> Cells:
        chosen = placed(rng, number)
        return _weighed(blocks, chosen if drawn == few else blocks.sizes - chosen)

    return SharedDraws(draw), placed.cells + 4 * blocks.sizes.size


def _weighed(blocks: Blocks, chosen: NDArray[np.int64]) -> Cells:
    """Return the weighted counts of draws, by how many of each block they choose."""
    by_class = np.stack([blocks.weights * blocks.positive, blocks.weights * ~blocks.positive])
    # What is left is summed for itself: a difference would lose its digits.
    tp, fp = by_class @ chosen.astype(float).T
    fn, tn = by_class @ (blocks.sizes - chosen).astype(float).T
    return tp, fp, fn, tn


def _scored(measure: WeightedMeasure, cells: Cells) -> Floats:
    """Return the scores of draws."""
    scores = measure.scores(*cells)
    if np.isnan(scores).any():
        needs = "a draw whose every score is a number"
        raise UndefinedMeasureError.no_distribution(measure.key, needs, "none")
    return scores


def _fewer(base: WeightedBase) -> Blocks:
    """Return the blocks of a test set, those of nearly the same weight together."""
    parts = [joined(base.weights, counts) for counts in (base.positives, base.negatives)]
    sizes, weights = zip(*parts, strict=True)
    positive = np.repeat([True, False], [each.size for each in sizes])
    return Blocks(np.concatenate(sizes), np.concatenate(weights), positive)


def joined(weights: Floats, counts: Ints, most: int = MAX_BLOCKS) -> tuple[Ints, Floats]:
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
