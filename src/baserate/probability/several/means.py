"""How sure a mean is, over test sets like the one that was observed.

The observations are a sample of an unknown distribution. As everywhere in this library (see
`core/confidence.py`), the distributions that could well have given them weigh each value by a
Dirichlet distribution, and one more observation is given to the value that makes the mean lowest
for the lower limit, or highest for the upper one. The weighted mean is at most x if a sum of gamma
variables is negative, and the probability of that has a saddlepoint.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[Any]

# More values than this are joined with their neighbours, but for so many at either end.
_MOST_VALUES, _AT_ENDS = 4_096, 512


def limits_of_mean(
    values: Floats, counts: Floats, spare: tuple[float, float], alpha: float
) -> tuple[float, float]:
    """Return the lower and the upper limit of a mean, each wrong about alpha / 2 of the time.

    Parameters
    ----------
    values, counts
        What was observed, and how often.
    spare
        The lowest and the highest value that one more observation may have.
    alpha
        How often the limits may be wrong.

    Examples
    --------
    >>> low, high = limits_of_mean(np.array([0.0, 1.0]), np.array([2, 8]), (0.0, 1.0), 0.05)
    >>> round(low, 3), round(high, 3)
    (0.444, 0.975)
    """
    values, counts = condensed(values, counts.astype(float))
    low = _Lower(values, counts, min(spare[0], float(values.min()))).limit(alpha / 2)
    high = _Lower(-values, counts, min(-spare[1], float(-values.max()))).limit(alpha / 2)
    return float(low), float(-high)


def condensed(values: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Return distinct values and their counts, with those in the middle joined if they are many."""
    distinct, place = np.unique(values[counts > 0], return_inverse=True)
    counts = counts[counts > 0]
    sizes = np.bincount(place.reshape(-1), counts, distinct.size)
    if distinct.size <= _MOST_VALUES:
        return distinct, sizes
    inner = slice(_AT_ENDS, distinct.size - _AT_ENDS)
    before = np.cumsum(sizes[inner]) - sizes[inner]
    bins = before * (_MOST_VALUES - 2 * _AT_ENDS) // sizes[inner].sum()
    starts = _AT_ENDS + np.unique(bins, return_index=True)[1]
    last = np.arange(distinct.size - _AT_ENDS, distinct.size)
    starts = np.concatenate([np.arange(_AT_ENDS), starts, last])
    joined = np.add.reduceat(sizes, starts)
    return np.add.reduceat(distinct * sizes, starts) / joined, joined


@dataclass(frozen=True, eq=False)
class _Lower:
    """The lower limit of a mean.

    Parameters
    ----------
    values, counts
        What was observed.
    spare
        The value of one more observation, at most the lowest.
    """

    values: Floats
    counts: Floats
    spare: float

    def limit(self, level: float) -> float:
        """Return the number that the mean is below with some probability."""
        from scipy.optimize import brentq
        from scipy.special import ndtri

        values, counts = np.append(self.spare, self.values), np.append(1.0, self.counts)
        span = float(values.max()) - self.spare
        if span <= 1e-13 * max(abs(self.spare), 1e-300):
            return self.spare
        scaled = (values - self.spare) / span
        mean = float(counts @ scaled) / float(counts.sum())
        wanted = float(ndtri(level))
        # The lower end has probability 0, and the mean about one half; the more observations, the
        # closer to it is the limit.
        deviation = math.sqrt(float(counts @ (scaled - mean) ** 2)) / float(counts.sum())
        low, high = 1e-14 * mean, mean - min(1e-6 * mean, deviation / 2)
        apart = min(1e-9 * mean, deviation / 1000)
        found = brentq(lambda x: _deviate(scaled, counts, x) - wanted, low, high, xtol=apart)
        return self.spare + span * float(found)


def _deviate(values: Floats, counts: Floats, x: float) -> float:
    """Return the normal deviate of the probability that the weighted mean is at most x.

    The weights are gamma variables. Σ g (v − x) has the cumulant function −Σ n log(1 − t (v − x)),
    and the modified root of Barndorff-Nielsen at its saddlepoint is nearly normal.
    """
    gaps = values - x
    t = _saddlepoint(gaps, counts)
    root = -math.sqrt(max(2 * float(counts @ np.log1p(-t * gaps)), 0.0))
    curvature = float(counts @ (gaps / (1 - t * gaps)) ** 2)
    if not root:
        return 0.0
    return root + math.log(t * math.sqrt(curvature) / root) / root


def _saddlepoint(gaps: Floats, counts: Floats) -> float:
    """Return where Σ n g / (1 − t g) is 0, for a t below 0: by Newton's method, in a bracket."""
    low, high = 1 / float(gaps.min()), 0.0
    t = low / 2
    for _ in range(200):
        parts = gaps / (1 - t * gaps)
        slope = float(counts @ parts)
        low, high = (t, high) if slope < 0 else (low, t)
        step = slope / float(counts @ parts**2)
        following = t - step
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - t) <= 1e-10 * abs(t):
            return following
        t = following
    return t
