"""The chance of so many positives, of independent ones that are unlike, for each frequency.

It is a coefficient of a product of binomials 1 - p + p·u·z. Newton's identities give it from sums
of powers of the odds, at a cost that does not grow with the observations; but terms alternate in
sign, and where odds are large nothing is left of the digits. So the few observations that are
likely to be positive are multiplied one by one, and the identities cover the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Complexes = NDArray[np.complex128]
    Ints = NDArray[Any]

# The identities lose about as many digits as e to the sum of squared odds has: 6 of 16. No odds
# are larger than this either.
_SQUARES, _LARGEST = 14.0, 0.7
# No log odds are taken to be larger than this.
_HUGE = 300.0
# A frequency whose term is below e to minus this is left out.
_NEGLIGIBLE = 18.0
# How many frequencies are looked at together: what belongs to them fits into the cache.
_TOGETHER = 1024


@dataclass(frozen=True, eq=False)
class Independent:
    """Independent labels of observations whose weights are whole numbers.

    Parameters
    ----------
    places
        The weights.
    counts, log_odds
        How many observations have each, and the logarithm of their odds of being positive.
    points
        Sums are known up to multiples of this: a power of 2.
    """

    places: Ints
    counts: Floats
    log_odds: Floats
    points: int

    def masses(self, positives: int) -> Floats:
        """Return the chance of so many positives with each sum of their weights."""
        found = np.zeros(self.points // 2 + 1, dtype=complex)
        kept = np.flatnonzero(self._most > -_NEGLIGIBLE)
        for start in range(0, kept.size, _TOGETHER):
            part = kept[start : start + _TOGETHER]
            found[part] = self._coefficients(part, positives)
        return np.fft.irfft(found, self.points)

    @cached_property
    def _most(self) -> Floats:
        """The logarithm of a number that the term of each frequency is not larger than.

        The size of 1 - p + p·exp(iα) is at most exp(-p(1 - p)(1 - cos α)).
        """
        spread = self.counts * chances_of(self.log_odds) * chances_of(-self.log_odds)
        return np.asarray(np.abs(self._transformed(spread)) - spread.sum())

    def _transformed(self, line: Floats) -> Complexes:
        return np.fft.rfft(np.bincount(self.places % self.points, line, self.points))

    @cached_property
    def _roots(self) -> Complexes:
        """The roots of unity."""
        return np.asarray(np.exp(-2j * np.pi / self.points * np.arange(self.points)))

    @cached_property
    def _single(self) -> Floats:
        """How many observations of each weight are multiplied one by one."""
        order = np.argsort(-self.log_odds, kind="stable")
        # Larger odds are multiplied anyway.
        odds = np.exp(np.clip(self.log_odds[order], -_HUGE, 1.0))
        counts = self.counts[order]
        squares = np.append(np.cumsum((counts * odds**2)[::-1])[::-1], 0.0)
        # Of the weight where the limit is crossed, as many as are needed.
        room = np.maximum(_SQUARES - squares[1:], 0.0) / odds**2
        few = np.where(odds > _LARGEST, counts, counts - np.minimum(np.floor(room), counts))
        single = np.zeros_like(counts)
        single[order] = few
        return single

    @cached_property
    def _others(self) -> tuple[Floats, Floats]:
        """How many observations of each weight are left, and their odds."""
        others = self.counts - self._single
        return others, np.exp(np.where(others > 0, self.log_odds, -np.inf))

    @cached_property
    def _powers(self) -> list[Complexes]:
        return []

    def _power(self, power: int, frequencies: Ints) -> Complexes:
        """Return the sum of powers of the odds of all others, for some frequencies."""
        while len(self._powers) < power:
            others, odds = self._others
            self._powers.append(self._transformed(others * odds ** (len(self._powers) + 1)))
        found = self._powers[power - 1]
        places = frequencies * power % self.points
        is_negative = places > self.points // 2
        values = found[np.where(is_negative, self.points - places, places)]
        return np.where(is_negative, values.conj(), values)

    def _coefficients(self, frequencies: Ints, positives: int) -> Complexes:
        """Return the chance of so many positives, transformed."""
        others = self._of_others(frequencies, positives)
        single = self._of_single(frequencies, positives)
        return np.asarray(np.einsum("jf,jf->f", single, others[::-1][: len(single)]))

    def _of_others(self, frequencies: Ints, positives: int) -> Complexes:
        """Return the same of 0, 1, 2 … positives among the others: Newton's identities."""
        powers = np.array(
            [(-1) ** power * -self._power(power, frequencies) for power in range(1, positives + 1)]
        )
        found = np.empty((positives + 1, frequencies.size), dtype=complex)
        others, odds = self._others
        found[0] = np.exp(-float(others @ np.log1p(odds)))
        for degree in range(1, positives + 1):
            np.einsum("jf,jf->f", found[:degree][::-1], powers[:degree], out=found[degree])
            found[degree] /= degree
        return found

    def _of_single(self, frequencies: Ints, positives: int) -> Complexes:
        """Return the same of those that are multiplied one by one."""
        found = np.ones((1, frequencies.size), dtype=complex)
        for place in np.flatnonzero(self._single).tolist():
            chance, rest = (float(chances_of(sign * self.log_odds[place])) for sign in (1, -1))
            turn = chance * self._roots[frequencies * int(self.places[place]) % self.points]
            for _ in range(int(self._single[place])):
                longer = np.empty((len(found) + 1, frequencies.size), dtype=complex)
                np.multiply(found, rest, out=longer[:-1])
                longer[-1] = 0
                longer[1:] += found * turn
                found = longer[: positives + 1]
        return found


def chances_of(log_odds: Floats) -> Floats:
    """Return probabilities from the logarithms of their odds."""
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -_HUGE, _HUGE))))
