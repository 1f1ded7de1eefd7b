"""Probabilities of random labels: how many of some observations are positive.

Labels dealt at random are independent labels, each positive with the chance P / M, of which P
happen to be positive. Independent ones have a walk whose steps do not depend on where it is; what
they have to be weighted by, so that there are P in the end, is in `Labels.weights`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.null.stirling import stirling_error

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

# Stirling's error of the counts for which its series is too short; that of 0 makes 0! be 1.
_FEW = np.array(
    [0.0]
    + [
        math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - 0.5 * math.log(2 * math.pi)
        for n in range(1, 17)
    ]
)
# Up to this difference, relative to the sum of both numbers, a series compares them.
_NEAR = 0.1


def masses(counts: Any, total: Any, chance: float) -> Floats:
    """Return the binomial probabilities of counts from 0 to a total, to nearly all digits.

    This is Loader's form: no difference of large logarithms.
    """
    x, n = np.broadcast_arrays(np.asarray(counts, float), np.asarray(total, float))
    rest = n - x
    exponent = _error(n) - _error(x) - _error(rest)
    exponent -= _deviance(x, n * chance) + _deviance(rest, n * (1 - chance))
    inside = (x > 0) & (rest > 0)
    scale = np.where(inside, n / np.where(inside, 2 * math.pi * x * rest, 1), 1)
    with np.errstate(under="ignore"):
        return np.asarray(np.sqrt(scale) * np.exp(exponent))


def _error(x: Floats) -> Floats:
    """Return Stirling's error of counts of any size."""
    few = _FEW[np.minimum(x, _FEW.size - 1).astype(np.intp)]
    return np.where(x < _FEW.size, few, stirling_error(np.maximum(x, _FEW.size)))


def _deviance(x: Floats, mean: Floats) -> Floats:
    """Return x·log(x / mean) + mean - x, without cancellation."""
    v = (x - mean) / np.where(x + mean > 0, x + mean, 1)
    square = np.minimum(v * v, _NEAR**2)
    series = np.zeros_like(square)
    for denominator in (17, 15, 13, 11, 9, 7, 5, 3):
        series = (series + 1 / denominator) * square
    near = v * (x - mean) + 2 * x * v * series
    ratio = np.where(x > 0, x, 1) / np.where(mean > 0, mean, 1)
    far = x * np.log(ratio) + mean - x
    return np.where(np.abs(v) < _NEAR, near, far)


@dataclass(frozen=True)
class Labels:
    """The labels of a test set, dealt at random.

    Parameters
    ----------
    rate
        The test set, with observations of both classes.
    """

    rate: BaseRate

    @property
    def chance(self) -> float:
        """The chance of one label to be positive."""
        return self.rate.positives / self.rate.total

    def weights(self, ends: Any, positives: Any) -> Floats:
        """Return how much likelier it is for dealt labels than for independent ones.

        Parameters
        ----------
        ends
            Numbers of observations.
        positives
            How many of each number are positive.
        """
        left = np.asarray(self.rate.total - np.asarray(ends))
        wanted = np.asarray(self.rate.positives - np.asarray(positives))
        possible = (wanted >= 0) & (wanted <= left)
        wanted = np.where(possible, wanted, 0)
        found = masses(wanted, np.where(possible, left, 0), self.chance)
        whole = float(masses(self.rate.positives, self.rate.total, self.chance))
        return np.where(possible, found / whole, 0.0)

    def probabilities(self, ends: Any, positives: Any) -> Floats:
        """Return the chance of so many positives among the first observations."""
        size, count = np.broadcast_arrays(np.asarray(ends), np.asarray(positives))
        possible = (count >= 0) & (count <= size)
        found = masses(np.where(possible, count, 0), np.where(possible, size, 0), self.chance)
        return np.where(possible, found, 0.0) * self.weights(size, count)

    def tails(self, ends: Any, positives: Any) -> Floats:
        """Return a bound of the chance of at least so many positives: never too small.

        Beyond the mode each probability is a smaller part of the one before.
        """
        size, count = np.broadcast_arrays(np.asarray(ends, float), np.asarray(positives, float))
        first = self.probabilities(size, count)
        rest_fp, rest_fn = size - count, self.rate.positives - count
        tn = self.rate.negatives - rest_fp
        ratio = rest_fp * rest_fn / np.maximum((count + 1) * (tn + 1), 1)
        known = (ratio < 1) & (rest_fp >= 0) & (rest_fn >= 0) & (count >= 0) & (tn >= 0)
        bound = np.where(known, first / np.where(known, 1 - ratio, 1), 1.0)
        impossible = (rest_fp < 0) | (rest_fn < 0)
        return np.where(impossible, 0.0, np.minimum(bound, 1.0))
