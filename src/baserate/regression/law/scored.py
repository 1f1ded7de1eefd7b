"""The law of a score from the numbers of orders: of all of them, or of random ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from baserate.core.rounding import COMPUTATION
from baserate.regression.law.curve import Curve
from baserate.regression.law.reading import NumberLaw, Reading
from baserate.regression.law.saddle import PermutationSum

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.regression.law.smooth import Smooth

    Floats = NDArray[np.float64]

# The probability whose standard error a simulation states.
_STATED = 0.05
# Beyond so many of the most extreme random orders, the tail falls as the curve does.
_COUNTED = 100
# The curve is trusted if it agrees so well with the orders that were counted.
_AGREEMENT = 2.0


class Anchor(NamedTuple):
    """From which number on the tail falls as a curve does.

    Parameters
    ----------
    orders
        How many random orders are beyond it.
    chance
        The probability of all beyond it, by those orders.
    of_curve
        The same by the curve.
    """

    orders: int
    chance: float
    of_curve: float


@dataclass(frozen=True, eq=False)
class ScoredLaw(NumberLaw):
    """The law of a score that is known order by order.

    Parameters
    ----------
    reading
        How a number is read as a score.
    numbers
        The number of each order.
    slack
        How far apart two numbers may be, and be the same up to rounding.
    complete
        Whether these are all orders; otherwise they are random.
    find_curve
        Finds what the law resembles in its tails, beyond the random orders.
    least
        The probability of a single order.
    """

    reading: Reading
    numbers: Floats
    slack: float
    complete: bool
    find_curve: Callable[[], Smooth]
    least: float

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding."""
        return self.complete

    @property
    def method(self) -> str:
        """How they were found."""
        return "enumeration" if self.complete else "simulation"

    @property
    def error(self) -> float:
        """The standard error of p = 0.05, relative to it; 0 if all orders were scored."""
        return 0.0 if self.complete else math.sqrt((1 / _STATED - 1) / self.numbers.size)

    @cached_property
    def curve(self) -> Smooth:
        """What the law resembles in its tails."""
        return self.find_curve()

    @cached_property
    def _ascending(self) -> Floats:
        return np.sort(self.numbers)

    @cached_property
    def _mirrored(self) -> ScoredLaw:
        """The law of the negated numbers, so that upper tails are lower ones."""
        return ScoredLaw(
            self.reading,
            -self._ascending[::-1],
            self.slack,
            self.complete,
            lambda: _Mirrored(self.curve),
            self.least,
        )

    @property
    def _is_known(self) -> bool:
        """Whether mean and variance are known better than by random orders."""
        known = isinstance(self.curve, Curve | PermutationSum)
        return known and not self.complete and not self.reading.rooted

    def mean(self) -> float:
        """Return the mean score of the orders, or what it is known to be."""
        if self._is_known:
            return self.reading.score_of(self.curve.mean)
        return float(self.reading.scores(self.numbers).mean())

    def variance(self) -> float:
        """Return the variance of the score over the orders, or what it is known to be."""
        if self._is_known:
            return (self.reading.slope * self.curve.deviation) ** 2
        return float(self.reading.scores(self.numbers).var())

    def above(self, number: float) -> float:
        """Return the probability of at least a number."""
        return self._mirrored.below(-number)

    def below(self, number: float) -> float:
        """Return the probability of at most a number; of random orders, never 0.

        The observed order counts as one of the random ones: then P(p ≤ alpha) ≤ alpha. Further out
        than the hundred most extreme ones, the tail falls as the curve does, if that agrees with
        the orders that are there.
        """
        count = self._count(number)
        if self.complete:
            return count / self.numbers.size
        anchor = self._anchor if count < _COUNTED else None
        if anchor is None or count >= anchor.orders:
            return self._chance(count)
        share = min(self.curve.below(number) / anchor.of_curve, 1.0)
        return max(anchor.chance * share, self.least)

    def _count(self, number: float) -> int:
        return int(np.searchsorted(self._ascending, number + self.slack, side="right"))

    def _chance(self, count: int) -> float:
        return (count + 1) / (self.numbers.size + 1)

    @cached_property
    def _anchor(self) -> Anchor | None:
        """Where counting ends, unless the curve does not agree with what is counted."""
        place = min(_COUNTED, self.numbers.size // 4)
        start, deeper = (float(self._ascending[k - 1]) for k in (place, max(place // 10, 1)))
        count = self._count(start)
        chance, of_curve = self._chance(count - 1), self.curve.below(start)
        if not 1 / _AGREEMENT < of_curve / chance < _AGREEMENT:
            return None
        expected = self.numbers.size * chance * self.curve.below(deeper) / of_curve
        # More orders far out, or fewer, are those of lumps, which a smooth curve does not know.
        found = self._count(deeper)
        is_lumpy = found > 2 * expected + 5 or expected > 2 * found + 5
        return None if is_lumpy else Anchor(count, chance, of_curve)

    def number_at(self, level: float, *, upwards: bool) -> float:
        """Return the number up to which, from one end, there is at least a probability."""
        if not upwards:
            return -self._mirrored.number_at(level, upwards=True)
        place = math.ceil(level * self.numbers.size * (1 - COMPUTATION)) - 1
        return float(self._ascending[min(max(place, 0), self.numbers.size - 1)])


@dataclass(frozen=True)
class _Mirrored:
    """A distribution of negated numbers."""

    of: Smooth

    @property
    def mean(self) -> float:
        """Its mean."""
        return -self.of.mean

    @property
    def deviation(self) -> float:
        """Its standard deviation."""
        return self.of.deviation

    def above(self, value: float) -> float:
        """Return the probability of at least a value."""
        return self.of.below(-value)

    def below(self, value: float) -> float:
        """Return the probability of at most a value."""
        return self.of.above(-value)

    def quantile(self, level: float) -> float:
        """Return the value that is exceeded with one minus this probability."""
        return -self.of.quantile(1 - level)
