"""Weighted counts that could well have given the observed ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from baserate.weighted.base import joined

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
        weight = spare_weight(weights, every)
        for place in range(len(counts)):
            ways[place, place] += spare * weight
        return cls(ways * (every.sum() / number))


def spare_weight(weights: Floats, counts: Ints) -> float:
    """Return the weight of the spare observation: half way to the heaviest, in logarithms.

    It is the geometric mean of the heaviest weight and of the mean weight by weight. With the
    latter limits were wrong too often where a model errs on what is heavy, and with the heaviest
    they were too wide; `docs/decisions/` has what was measured.

    Examples
    --------
    >>> spare_weight(np.array([1.0, 4.0]), np.array([4, 1]))
    3.1622776601683795
    """
    typical = float(counts @ weights**2) / float(counts @ weights)
    return math.sqrt(float(weights[-1])) * math.sqrt(typical)
