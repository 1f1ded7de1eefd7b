"""The distribution of P times average precision, from its transform.

A tail is an integral of the transform along a line in the complex plane (J. Gil-Pelaez, Note on
the inversion theorem, 1951). Far from the mean the line goes through the saddlepoint of the score,
so that small probabilities have as many digits as others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.ranking.law.average_precision.moments import variance_of_sum
from baserate.ranking.law.average_precision.segments import Segments
from baserate.ranking.law.average_precision.transform import Transform

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Numbers = NDArray[Any]

# The real points at which the transform is known: the first, in standard deviations, and the
# factor between them; how many there are above 0, and below.
_FIRST, _FACTOR, _ABOVE, _BELOW = 0.1, 1.6, 22, 16
# What is left out at either end of the distribution, as a logarithm, and beyond the last point.
_LEFT_OUT, _DECAYED = 23.0, 1e-8
# Points at a time, at first, then, and from so many points on; and the most multiplications.
_FIRST_BATCH, _BATCH, _LARGE_BATCH, _MANY, _WORK = 40, 64, 256, 400, 2.5e8
# So many small values in a row, and all further ones are small.
_ROW = 16
# From here on a probability needs a line of its own.
_SMALL = 1e-4
# How far from a lump it counts as passed, times the height of the line.
_STEEP = 4.0
# The logarithm of the smallest probability, and how far one may be below its bound.
_DEEPEST, _REACH = 690.0, 1e4


@dataclass(frozen=True, eq=False)
class Line:
    """The transform along a line, and the tails that follow.

    Parameters
    ----------
    tilt
        The real part of its points; 0 for the line through the mean.
    heights
        The imaginary parts.
    values
        The transform there, as a share of its value at the tilt.
    log_weight
        The logarithm of that value.
    """

    tilt: float
    heights: Floats
    values: Numbers
    log_weight: float

    @property
    def blur(self) -> float:
        """How far from a lump of probability its line is steep; 0 if there are no lumps."""
        is_smooth = np.abs(self.values[-_ROW:]).max() < _DECAYED
        return 0.0 if is_smooth else float(_STEEP / self.heights[-1])

    def above(self, score: float) -> float:
        """Return the probability of more than a score, less the centre; of less, left of 0."""
        spacing = 2 * self.heights[0]
        turned = self.values * np.exp(-1j * self.heights * score)
        if not self.tilt:
            return float(0.5 + spacing / math.pi * (turned.imag / self.heights).sum())
        terms = (turned / (self.tilt + 1j * self.heights)).real
        weight = math.exp(self.log_weight - self.tilt * score)
        return float(math.copysign(1, self.tilt) * weight * spacing / math.pi * terms.sum())


@dataclass(frozen=True, eq=False)
class Inversion:
    """The distribution of P times average precision, S, approximately.

    Parameters
    ----------
    transform
        Its transform.
    deviation
        About its standard deviation.
    """

    transform: Transform
    deviation: float

    @classmethod
    def of(cls, sizes: NDArray[Any], positives: int) -> Inversion:
        """Return the distribution for some blocks of equal scores."""
        segments = Segments.few(sizes)
        deviation = math.sqrt(variance_of_sum(segments.sizes, positives))
        return cls(Transform.of(segments, positives), deviation)

    def at_least(self, score: float) -> float:
        """Return the probability of at least a sum."""
        return self._tail(score - self.transform.centre, 1)

    def at_most(self, score: float) -> float:
        """Return the probability of at most a sum."""
        return self._tail(score - self.transform.centre, -1)

    def quantile(self, level: float) -> float:
        """Return the sum that is not exceeded with a probability."""
        low, high = self._range(0.0)
        while high - low > 1e-10 * max(self.deviation, abs(high)):
            middle = (low + high) / 2
            if self._tail(middle, -1) >= level:
                high = middle
            else:
                low = middle
        return high + self.transform.centre

    def _tail(self, score: float, side: int) -> float:
        """Return the probability of a sum as far to a side of the centre."""
        exponents = self._log_values - self._tilts * score
        best = 1 + int(np.argmin(exponents[1:-1]))
        tilt = float(self._tilts[best])
        bound = math.exp(max(exponents[best], -_DEEPEST))
        if exponents[best] < -_DEEPEST - math.log(_REACH):
            # Smaller than any number that a line would give.
            return bound if side * tilt > 0 else 1.0 - bound
        if bound > _SMALL:
            line = self._line(0.0, 1.0)
            # All of a lump at the score counts, and half of it would be counted.
            above = line.above(score - side * line.blur)
            return min(max(above if side > 0 else 1 - above, 0.0), 1.0)
        line = self._line(tilt, bound)
        chance = line.above(score - math.copysign(line.blur, tilt))
        # Beyond the reach of the line, the bound is what is known.
        chance = chance if bound / _REACH < chance < bound else bound
        return chance if side * tilt > 0 else 1.0 - chance

    @cached_property
    def _real(self) -> tuple[Floats, Floats, float]:
        """The real points where the transform is known, its logarithm less that at 0, and that."""
        up = _FIRST / self.deviation * _FACTOR ** np.arange(_ABOVE)
        tilts = np.concatenate([-up[_BELOW - 1 :: -1], [0.0], up])
        values = self.transform.log_values(tilts)
        at_zero = float(values[_BELOW])
        # Far out its numbers are too large for a computer.
        known = np.isfinite(values)
        return tilts[known], values[known] - at_zero, at_zero

    @property
    def _tilts(self) -> Floats:
        return self._real[0]

    @property
    def _log_values(self) -> Floats:
        return self._real[1]

    def _range(self, tilt: float) -> tuple[float, float]:
        """Return between which numbers the tilted sum is, almost always (Chernoff's bounds)."""
        at = self._log_values[self._tilts == tilt][0]
        away = self._tilts != tilt
        steps = self._tilts[away] - tilt
        bounds = (self._log_values[away] - at + _LEFT_OUT) / steps
        return float(bounds[steps < 0].max()), float(bounds[steps > 0].min())

    @cached_property
    def _lines(self) -> dict[float, Line]:
        return {}

    def _line(self, tilt: float, chance: float) -> Line:
        """Return the line through a real point, for scores of about this probability."""
        if tilt not in self._lines:
            low, high = self._range(tilt)
            period = high - low
            if tilt:
                period = max(period, (12 - math.log(chance)) / abs(tilt))
            self._lines[tilt] = self._drawn(tilt, 2 * math.pi / period)
        return self._lines[tilt]

    def _drawn(self, tilt: float, spacing: float) -> Line:
        """Return a line with points until the transform vanishes, or until it takes too long."""
        weight = float(self._log_values[self._tilts == tilt][0])
        constant = self._real[2] + weight
        values: Numbers = np.zeros(0)
        most = max(int(_WORK / self.transform.work), _BATCH)
        while values.size < most and (not values.size or np.abs(values[-_ROW:]).max() >= _DECAYED):
            more = _batch(values.size)
            heights = (np.arange(values.size, values.size + more) + 0.5) * spacing
            logs = self.transform.log_values(tilt + 1j * heights, spacing) - constant
            values = np.append(values, np.exp(logs))
        heights = (np.arange(values.size, dtype=float) + 0.5) * spacing
        return Line(tilt, np.asarray(heights, dtype=float), values, weight)


def _batch(known: int) -> int:
    """Return how many points to look at next."""
    if not known:
        return _FIRST_BATCH
    return _BATCH if known < _MANY else _LARGE_BATCH
