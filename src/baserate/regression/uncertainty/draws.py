"""The limits of a number over test sets like the one that was observed.

Each observation weighs a gamma variable (a Bayesian bootstrap), and one more like the worst is
spare for the lower limit, or like the best for the upper one, as everywhere in this library (see
`core/confidence.py`). Errors have no end, and what is beyond the worst of them is not seen: the
spare observation counts as much as the mean beyond it, in units of the worst. Of few
observations, limits are wider as Student's are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from baserate.regression.uncertainty.readings import OfMeans, Spare

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.regression.uncertainty.readings import Reading

    Floats = NDArray[np.float64]

# How many test sets are drawn, times alpha: wished, and at least; and at most how many weights.
_POINTS, _FEWEST, _MOST_DRAWN = 60, 20, 4 * 10**6
# The most that the mean beyond the worst is taken for, in units of it: there may be no mean.
_MOST_BEYOND = 6.0
# A fixed stream: limits are the same twice.
_SEED = 40


@dataclass(frozen=True, eq=False)
class Bends:
    """A scale on which a number is nearly normal.

    Parameters
    ----------
    to, back
        To that scale, and back.
    """

    to: Callable[[float], float]
    back: Callable[[float], float]


@dataclass(frozen=True, eq=False)
class Draws:
    """Test sets that could well have given the observed one.

    Parameters
    ----------
    observed
        The number, of all observations.
    alpha
        How often a pair of limits may be wrong.
    bends
        The scale on which the number is nearly normal.
    shrunk
        How much nearer limits are than those of a reading, which may be of a sample.
    has_tail
        Whether worse than the worst that was seen may be.
    """

    observed: float
    alpha: float
    bends: Bends
    shrunk: float = 1.0
    has_tail: bool = True

    def limits(self, reading: Reading) -> tuple[float, float]:
        """Return the lower and the upper limit of a number."""
        wider = self.shrunk * _wider(reading.rows, self.alpha)
        small, sizes = _joined(reading)
        weights, spare = _drawn(tuple(sizes.tolist()), _points(self.alpha, sizes.size))
        to, back = self.bends.to, self.bends.back
        centre, start = to(self.observed), to(small.observed)
        spares = [self._worst(sign * small.influences, spare) for sign in (1, -1)]
        ends = []
        for sign, values in zip((1, -1), small.values(weights, spares), strict=True):
            end = to(sign * _lowest(sign * values, self.alpha / 2))
            # The same for both, also where they are infinite.
            ends.append(back(centre if end == start else centre + wider * (end - start)))
        return min(ends[0], self.observed), max(ends[1], self.observed)

    def _worst(self, influences: Floats, weights: Floats) -> Spare:
        """Return one more observation like the one that lowers the number most."""
        times = _beyond(-influences) if self.has_tail else 1.0
        return Spare(int(np.argmin(influences)), times * weights)

    def with_one_made_up(self, reading: Reading) -> tuple[float, float]:
        """Return the limits of a number whose last observation is made up: none was ever missed."""
        weights, _ = _drawn((1.0,) * reading.rows, _points(self.alpha, reading.rows))
        values = reading.values(weights)[0]
        low, high = (sign * _lowest(sign * values, self.alpha / 2) for sign in (1, -1))
        return min(low, self.observed), max(high, self.observed)


def _joined(reading: Reading) -> tuple[Reading, Floats]:
    if isinstance(reading, OfMeans):
        return reading.joined()
    return reading, np.ones(reading.rows)


def _wider(total: int, alpha: float) -> float:
    """Return how much farther limits of few observations are than those of draws.

    Weights are less spread than the means of samples, as M - 1 is less than M + 1; and how
    spread these are is known from few observations only, for which Student's t stands.
    """
    from scipy.special import ndtri, stdtrit

    student = float(stdtrit(total - 1, 1 - alpha / 2) / ndtri(1 - alpha / 2))
    return student * math.sqrt((total + 1) / (total - 1))


def _beyond(harms: Floats) -> float:
    """Return the mean of what is beyond the worst, in units of it: by Hill's estimate of the tail.

    Examples
    --------
    >>> round(_beyond(np.arange(1.0, 101) ** -0.5), 1), _beyond(1 / np.arange(1.0, 101))
    (1.8, 6.0)
    """
    largest_ones = max(math.isqrt(harms.size), 2)
    if harms.size <= largest_ones:
        return 1.0
    largest = np.sort(np.partition(harms, -largest_ones - 1)[-largest_ones - 1 :])
    if largest[0] <= 0:
        return _MOST_BEYOND if largest[-1] > 0 else 1.0
    slope = float(np.log(largest[1:] / largest[0]).mean())
    return 1 / max(1 - slope, 1 / _MOST_BEYOND)


def _points(alpha: float, rows: int) -> int:
    most = min(math.ceil(_POINTS / alpha), _MOST_DRAWN // rows)
    return max(most, math.ceil(_FEWEST / alpha))


@lru_cache(maxsize=2)
def _drawn(sizes: tuple[float, ...], points: int) -> tuple[Floats, Floats]:
    """Return random weights of observations, or of groups of them, and of a spare one."""
    rng = np.random.default_rng(_SEED)
    spare = rng.standard_exponential(points)
    counts = np.array(sizes)
    if (counts == 1).all():
        return rng.standard_exponential((points, counts.size)), spare
    return rng.standard_gamma(counts, (points, counts.size)), spare


def _lowest(values: Floats, level: float) -> float:
    """Return the point that so many of all points are below, or the next lower one."""
    known = values[~np.isnan(values)]
    if not known.size:
        return math.nan
    place = max(int(level * known.size - 0.5), 0)
    return float(np.partition(known, place)[place])
