"""How sure is a number that is computed from counts: its limits over test sets like this one.

Counts are a sample of unknown proportions. The proportions that could well have given them are
those of Walley's imprecise Dirichlet model: each cell has as many observations as were counted,
and one more observation is given to whichever cell makes the number worst for the lower limit, or
best for the upper one. With two cells these are the limits of Clopper and Pearson, which are never
wrong more often than they say; with more, `docs/decisions/` has what was measured.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from baserate.exceptions import InvalidProbabilityError
from baserate.exceptions.base import shown
from baserate.support.arguments import as_float, is_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

ALPHA = 0.05
"""The significance level of each claim, unless told otherwise."""
_SMALLEST, _LARGEST = 1e-3, 0.5
# Korobov lattices: how many points, a prime number, and the multiplier that spreads them. Those of
# the first two were chosen among hundreds by the error of the limits.
_LATTICES = ((2039, 100), (16_381, 969), (131_071, 29_803))
# An error of the limits of 2% of a standard deviation takes this many points in both tails.
_POINTS_IN_TAILS = 100


def around(observed: float, found: tuple[float, float]) -> tuple[float, float]:
    """Return limits with the observed number between them.

    A kappa of -1 is as low as can be, and half positive: at any other base rate it is higher.

    Examples
    --------
    >>> around(0.5, (0.6, 0.7))
    (0.5, 0.7)
    """
    low, high = found
    return min(low, observed), max(high, observed)


def require_alpha(alpha: object) -> float:
    """Return alpha as a float, or raise if claims cannot be made at that level."""
    if not (is_number(alpha) and _SMALLEST <= as_float(alpha) <= _LARGEST):
        raise InvalidProbabilityError(
            f"must be between {_SMALLEST:g} and {_LARGEST:g} (got {shown(alpha)}); 5% is written "
            "0.05",
            parameter="alpha",
        )
    return as_float(alpha)


def plausible(counts: Sequence[int], alpha: float, shared: Sequence[Sequence[int]] = ()) -> Floats:
    """Return proportions that could well have given some counts.

    Parameters
    ----------
    counts
        How many observations each cell has.
    alpha
        How often limits may be wrong; the smaller, the more points.
    shared
        Cells that share the spare observation, by their places: more ways to give it.

    Returns
    -------
    Floats
        Of shape (cells, ways, points): the proportion of each cell, for each way to give the spare
        observation, first to each cell alone. The points are fixed, so limits are the same twice.
    """
    cells, spare = shares(counts, alpha)
    ways = [*((place,) for place in range(len(counts))), *shared]
    given = np.repeat(cells[:, np.newaxis], len(ways), axis=1)
    for way, places in enumerate(ways):
        given[list(places), way] += spare / len(places)
    return given


def shares(counts: Sequence[int], alpha: float) -> tuple[Floats, Floats]:
    """Return the proportion of each cell at each point, and what the spare observation adds."""
    size, multiplier = next(
        lattice for lattice in _LATTICES if lattice[0] * alpha >= _POINTS_IN_TAILS
    )
    order = np.arange(size)
    drawn = np.empty((len(counts) + 1, size))
    for place, count in enumerate((1, *counts)):
        drawn[place] = _gamma_quantiles(count, size)[order]
        order = order * multiplier % size
    drawn /= drawn.sum(axis=0)
    return drawn[1:], drawn[0]


def limits(values: Floats, alpha: float) -> tuple[float, float]:
    """Return the lower and the upper limit of a number, each wrong at most alpha / 2 of the time.

    Parameters
    ----------
    values
        The number for the proportions of `plausible`, of shape (ways, points). Points at which
        it has no value do not count.
    alpha
        How often the limits may be wrong.
    """
    lowest, highest = np.fmin.reduce(values), np.fmax.reduce(values)
    known = ~np.isnan(lowest)
    if not known.all():
        lowest, highest = lowest[known], highest[known]
    if not lowest.size:
        return np.nan, np.nan
    return _quantile(lowest, alpha / 2), -_quantile(-highest, alpha / 2)


def _quantile(values: Floats, level: float) -> float:
    """Return a quantile by Hazen's rule; numpy's own takes most of the time of a limit."""
    place = min(max(level * values.size - 0.5, 0.0), values.size - 1.0)
    below = int(place)
    above = min(below + 1, values.size - 1)
    ordered = np.partition(values, (below, above))
    return float(ordered[below] + (place - below) * (ordered[above] - ordered[below]))


def limits_of_rate(hits: int, misses: int, alpha: float) -> tuple[float, float]:
    """Return the limits of Clopper and Pearson for the probability of a hit.

    Examples
    --------
    >>> [round(limit, 4) for limit in limits_of_rate(8, 2, alpha=0.05)]
    [0.4439, 0.9748]
    """
    from scipy.special import betaincinv

    low = float(betaincinv(hits, misses + 1, alpha / 2)) if hits else 0.0
    return low, float(betaincinv(hits + 1, misses, 1 - alpha / 2)) if misses else 1.0


def _gamma_quantiles(shape: int, size: int) -> Floats:
    """Return the quantiles of a gamma distribution in the middles of equal parts."""
    return _kept_quantiles(shape) if size == _LATTICES[0][0] else _computed(shape, size)


@lru_cache(maxsize=2048)
def _kept_quantiles(shape: int) -> Floats:
    return _computed(shape, _LATTICES[0][0])


def _computed(shape: int, size: int) -> Floats:
    from scipy.special import gammaincinv

    if shape == 0:
        return np.zeros(size)
    return np.asarray(gammaincinv(shape, (np.arange(size) + 0.5) / size))
