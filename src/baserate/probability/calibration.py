"""Blocks of equal probabilities: recalibrated, and compared with what luck does to right ones."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

# More blocks than this are merged, and luck is drawn so often.
_MOST_BLOCKS, _DRAWS = 1000, 999
LEAST_P = 1 / (1 + _DRAWS)
"""The smallest p-value of a miscalibration: no draw is as large."""
_BAND = (0.025, 0.975)
# Two miscalibrations this close, in Brier scores, are the same.
_SAME = 1e-12
# How many standard deviations a mean or a slope must be off to be named.
_CLEAR = 1.96


class Tilt(enum.Enum):
    """In which way probabilities are wrong."""

    HIGH = enum.auto()
    LOW = enum.auto()
    EXTREME = enum.auto()
    TIMID = enum.auto()
    OTHER = enum.auto()


@dataclass(frozen=True, eq=False)
class Calibration:
    """Probabilities in ascending blocks.

    Parameters
    ----------
    probabilities
        The probability of each block, or the mean of those that were merged.
    positives, totals
        How many observations are positive, and how many there are.
    """

    probabilities: Floats
    positives: Ints
    totals: Ints

    @classmethod
    def of(cls, probabilities: Floats, positives: Ints, totals: Ints) -> Calibration:
        """Return blocks, merged with their neighbours if there are more than a thousand.

        The outcomes of a merged block vary a little less than those of equal probabilities, so
        that luck is made to look slightly larger.
        """
        if probabilities.size <= _MOST_BLOCKS:
            return cls(probabilities.astype(float), positives, totals)
        done = np.cumsum(totals) - totals
        block = (done * _MOST_BLOCKS // int(totals.sum())).astype(np.int64)
        starts = np.flatnonzero(np.diff(block, prepend=-1))
        merged = np.add.reduceat(totals, starts)
        means = np.add.reduceat(probabilities.astype(float) * totals, starts) / merged
        return cls(means.clip(0, 1), np.add.reduceat(positives, starts), merged)

    @cached_property
    def recalibrated(self) -> Floats:
        """The monotone probabilities closest to the outcomes."""
        return _isotonic(self.positives / self.totals, self.totals)

    @cached_property
    def miscalibration(self) -> float:
        """How much better the Brier score of the recalibrated probabilities is."""
        return self._gain(self.positives / self.totals, self.recalibrated)

    def _gain(self, rates: Floats, recalibrated: Floats) -> float:
        # Written with a difference of squares, it is 0 for probabilities that stay as they are.
        gains = (self.probabilities - recalibrated) * (
            self.probabilities + recalibrated - 2 * rates
        )
        return float(self.totals @ gains) / float(self.totals.sum())

    @cached_property
    def _lucky(self) -> tuple[Floats, Floats]:
        """The curves of outcomes drawn from the probabilities, and their miscalibrations."""
        rng = np.random.default_rng(17)
        curves, gains = np.empty((_DRAWS, self.totals.size)), np.empty(_DRAWS)
        for place in range(_DRAWS):
            rates = rng.binomial(self.totals, self.probabilities) / self.totals
            curves[place] = _isotonic(rates, self.totals)
            gains[place] = self._gain(rates, curves[place])
        return curves, gains

    @cached_property
    def p_value(self) -> float:
        """The chance of a miscalibration at least as large, if the probabilities were right.

        The observed outcomes count as one of the draws, so that it is never too small.
        """
        _, gains = self._lucky
        as_large = int(np.count_nonzero(gains >= self.miscalibration - _SAME))
        return (as_large + 1) / (_DRAWS + 1)

    @cached_property
    def band(self) -> tuple[Floats, Floats, Floats]:
        """The probabilities, and between which values 95% of the lucky curves are at each."""
        curves, _ = self._lucky
        low, high = np.quantile(curves, _BAND, axis=0)
        return self.probabilities, low, high

    @cached_property
    def tilt(self) -> Tilt:
        """In which way the probabilities are wrong, if it is one that has a name."""
        p, total = self.probabilities, float(self.totals.sum())
        around = p - float(self.totals @ p) / total
        shift, slope = self._deviation(np.ones(p.size)), self._deviation(around)
        if max(abs(shift), abs(slope)) < _CLEAR:
            return Tilt.OTHER
        if abs(shift) >= abs(slope):
            return Tilt.LOW if shift > 0 else Tilt.HIGH
        return Tilt.TIMID if slope > 0 else Tilt.EXTREME

    def _deviation(self, weights: Floats) -> float:
        """Return how many standard deviations more positives there are, where weights are large."""
        p, n = self.probabilities, self.totals
        surplus = float(weights @ (self.positives - n * p))
        variance = float((n * p * (1 - p)) @ weights**2)
        if variance <= 0:
            return math.copysign(math.inf, surplus) if abs(surplus) > _SAME else 0.0
        return surplus / math.sqrt(variance)


def _isotonic(rates: Floats, weights: Ints) -> Floats:
    from scipy.optimize import isotonic_regression

    return np.asarray(isotonic_regression(rates, weights=weights).x)
