"""The limits of a number over test sets like the one that was observed.

Each observation weighs a gamma variable (a Bayesian bootstrap), and one more like the worst is
spare for the lower limit, or like the best for the upper one, as everywhere in this library (see
`core/confidence.py`). Errors have no end, and what is beyond the worst of them is not seen: the
spare observation counts more than once, the more the heavier the tail. Of few observations, limits
are wider as Student's are, and allow for what they hide (`scales.py`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from baserate.regression.uncertainty.readings import OfMeans, Spare

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.regression.uncertainty.readings import Reading
    from baserate.regression.uncertainty.scales import Bends, More

    Floats = NDArray[np.float64]

# How many test sets are drawn, times alpha: wished, and at least; and at most how many weights.
_POINTS, _FEWEST, _MOST_DRAWN = 60, 20, 4 * 10**6
# How much farther the tail may reach beyond the worst if Hill's slope is 1, and at most: chosen by
# how often limits of squares were wrong, and how wide they were, with 100 observations.
_BEYOND = 7.0
_LEAST_CAP, _MOST_CAP = 6.0, 12.0
# A fixed stream: limits are the same twice.
_SEED = 40


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
    more
        How much more noise and signal there may be than few observations show.
    """

    observed: float
    alpha: float
    bends: Bends
    shrunk: float = 1.0
    more: More | None = None

    def limits(self, reading: Reading) -> tuple[float, float]:
        """Return the lower and the upper limit of a number."""
        wider = self.shrunk * _wider(units_of(reading), self.alpha)
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
        found = min(ends[0], self.observed), max(ends[1], self.observed)
        if self.more is None or not any(self.more):
            return found
        return self.bends.wider(found, self.observed, self.more, reading.sides)

    @staticmethod
    def _worst(influences: Floats, weights: Floats) -> Spare:
        """Return one more observation like the one that lowers the number most."""
        return Spare(int(np.argmin(influences)), _beyond(-influences) * weights)

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


def units_of(reading: Reading) -> float:
    """Return how many observations of the same weight would say as much (Kish)."""
    if reading.weights is None:
        return float(reading.rows)
    return float(reading.weights.sum() ** 2 / (reading.weights @ reading.weights))


def _wider(total: float, alpha: float) -> float:
    """Return how much farther limits of few observations are than those of draws.

    Weights are less spread than the means of samples, as M - 1 is less than M + 1; and how
    spread these are is known from few observations only, for which Student's t stands.
    """
    from scipy.special import ndtri, stdtrit

    total = max(total, 2.0)
    student = float(stdtrit(total - 1, 1 - alpha / 2) / ndtri(1 - alpha / 2))
    return student * math.sqrt((total + 1) / (total - 1))


def _beyond(harms: Floats) -> float:
    """Return how much the spare observation counts, in units of the worst that was seen.

    The heavier the tail by Hill's estimate, the more: hardly more than once if errors are normal,
    and their squares count, but ten times if they are lognormal and 100 were seen.

    Examples
    --------
    >>> [round(_beyond(np.arange(1.0, 101) ** -power), 1) for power in (0.5, 1, 2)]
    [1.3, 5.3, 12.0]
    """
    largest_ones = max(math.isqrt(harms.size), 2)
    if harms.size <= largest_ones:
        return 1.0
    largest = np.sort(np.partition(harms, -largest_ones - 1)[-largest_ones - 1 :])
    most = min(max(harms.size / 8, _LEAST_CAP), _MOST_CAP)
    if largest[0] <= 0:
        return most if largest[-1] > 0 else 1.0
    slope = float(np.log(largest[1:] / largest[0]).mean())
    return min(1 + _BEYOND * slope**4, most)


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
