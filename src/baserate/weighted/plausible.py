"""Weighted counts that could well have given the observed ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from baserate.weighted.law.sampled import joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

# How many test sets are drawn, times alpha, and how many different weights a cell may have.
_POINTS, _MOST = 100, 200
# A fixed stream: limits are the same twice.
_SEED = 47


@dataclass(frozen=True, eq=False)
class Plausible:
    """Test sets that could well have given some weighted counts.

    Parameters
    ----------
    cells
        The weight of each cell, of shape (cells, ways, points): a way gives the spare observation
        to one of the cells.
    """

    cells: Floats

    @classmethod
    def of(cls, weights: Floats, counts: Sequence[Ints], alpha: float) -> Plausible:
        """Return test sets like the one observed, with as many observations.

        Parameters
        ----------
        weights
            The distinct weights.
        counts
            How many observations of each weight each cell has.
        alpha
            How often limits may be wrong; the smaller, the more points.
        """
        rng, points = np.random.default_rng(_SEED), math.ceil(_POINTS / alpha)
        spare = rng.standard_gamma(1.0, points)
        sums, number = np.zeros((len(counts), points)), spare.copy()
        for place, each in enumerate(counts):
            sizes, values = joined(weights, each, _MOST)
            drawn = rng.standard_gamma(sizes.astype(float), (points, sizes.size))
            sums[place] = drawn @ values
            number += drawn.sum(axis=1)
        ways = np.repeat(sums[:, np.newaxis], len(counts), axis=1)
        every = np.sum(counts, axis=0)
        for place in range(len(counts)):
            ways[place, place] += spare * spare_weight(weights, every, counts[place])
        return cls(ways * (every.sum() / number))


def spare_weight(weights: Floats, every: Ints, here: Ints) -> float:
    """Return the weight of the spare observation."""
    import os

    kind = os.environ.get("SPARE", "biased")
    if kind == "mean":
        return float(weights @ every) / float(every.sum())
    if kind == "geo":
        return float((weights[-1] * (weights**2 @ every) / (weights @ every)) ** 0.5)
    if kind == "max":
        return float(weights[-1])
    return float(weights**2 @ every) / float(weights @ every)
