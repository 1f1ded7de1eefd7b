"""Tails of a distribution that is known by its first four moments."""

from __future__ import annotations

import math
from dataclasses import dataclass

# Below this, skewness and kurtosis are those of a normal distribution.
_FLAT = 1e-7
# As close to its mean, the saddlepoint formula is a difference of large numbers.
_NEAR = 0.05


@dataclass(frozen=True)
class Curve:
    """A smooth distribution with given moments.

    With tails that are no heavier than those of a gamma distribution, it is Pearson's beta or gamma
    distribution with these moments. With heavier tails it is the saddlepoint approximation.

    Parameters
    ----------
    mean, deviation
        The mean and the standard deviation.
    skewness, kurtosis
        The third and the fourth standardised moment, the latter less 3.

    Examples
    --------
    >>> round(Curve(0.0, 1.0, 0.0, 0.0).above(1.96), 4)
    0.025
    """

    mean: float
    deviation: float
    skewness: float = 0.0
    kurtosis: float = 0.0

    def above(self, value: float) -> float:
        """Return the probability of at least a value."""
        return self._upper(self._standard(value), self.skewness)

    def below(self, value: float) -> float:
        """Return the probability of at most a value."""
        return self._upper(-self._standard(value), -self.skewness)

    def _standard(self, value: float) -> float:
        if self.deviation > 0:
            return (value - self.mean) / self.deviation
        return math.inf * (value - self.mean) if value != self.mean else 0.0

    def _upper(self, z: float, skewness: float) -> float:
        if math.isinf(z):
            return float(z < 0)
        square, kurtosis = skewness**2, max(self.kurtosis, skewness**2 - 1.9)
        if square < _FLAT and abs(kurtosis) < _FLAT:
            return normal_above(z)
        gap = 3 * square - 2 * kurtosis
        if gap > _FLAT:
            return _beta_above(z, skewness, kurtosis, gap)
        if gap < -_FLAT:
            return _saddle_above(z, skewness, kurtosis)
        return _gamma_above(z, skewness)

    def quantile(self, level: float) -> float:
        """Return the value that is exceeded with one minus this probability."""
        low, high = -1.0, 1.0
        while self._upper(-low, -self.skewness) > level and low > -1e4:
            low *= 2
        while self._upper(high, self.skewness) > 1 - level and high < 1e4:
            high *= 2
        for _ in range(80):
            middle = (low + high) / 2
            if self._upper(-middle, -self.skewness) < level:
                low = middle
            else:
                high = middle
        return self.mean + high * self.deviation


def normal_above(z: float) -> float:
    """Return the probability of at least z standard deviations."""
    return math.erfc(z / math.sqrt(2)) / 2


def _beta_above(z: float, skewness: float, kurtosis: float, gap: float) -> float:
    """Return the tail of Pearson's distribution of type I."""
    from scipy.special import betaincc

    square = skewness**2
    total = 6 * (kurtosis + 2 - square) / gap
    lean = (total + 2) * math.sqrt(square / ((total + 2) ** 2 * square + 16 * (total + 1)))
    a = total / 2 * (1 - math.copysign(lean, skewness))
    b = total - a
    place = a / total + z * math.sqrt(a * b / (total + 1)) / total
    return float(betaincc(a, b, min(max(place, 0.0), 1.0)))


def _gamma_above(z: float, skewness: float) -> float:
    """Return the tail of Pearson's distribution of type III."""
    from scipy.special import gammainc, gammaincc

    shape = 4 / skewness**2
    place = max(shape + math.copysign(math.sqrt(shape), skewness) * z, 0.0)
    return float(gammaincc(shape, place) if skewness > 0 else gammainc(shape, place))


def _saddle_above(z: float, skewness: float, kurtosis: float) -> float:
    """Return the tail of Lugannani and Rice, of cumulants up to the fourth."""
    density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    if abs(z) < _NEAR:
        return normal_above(z) - density * skewness * (1 - z * z) / 6
    # The slope of K never falls, and is at least 0.75 t: the kurtosis is more than 1.5 times the
    # square of the skewness.
    low, high = -2 - 2 * abs(z), 2 + 2 * abs(z)
    for _ in range(80):
        t = (low + high) / 2
        if _slope(t, skewness, kurtosis) < z:
            low = t
        else:
            high = t
    k = t * t / 2 + skewness * t**3 / 6 + kurtosis * t**4 / 24
    w = math.copysign(math.sqrt(max(2 * (t * z - k), 0.0)), t)
    u = t * math.sqrt(1 + skewness * t + kurtosis * t * t / 2)
    tail = normal_above(w) + math.exp(-w * w / 2) / math.sqrt(2 * math.pi) * (1 / u - 1 / w)
    return min(max(tail, 0.0), 1.0)


def _slope(t: float, skewness: float, kurtosis: float) -> float:
    return t + skewness * t * t / 2 + kurtosis * t**3 / 6
