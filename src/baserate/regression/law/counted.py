"""The distribution of a number from that of orders: of all of them, or of random ones."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from baserate.core.rounding import COMPUTATION
from baserate.regression.law.distribution import Distribution, read_moments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.regression.law.distribution import Shape
    from baserate.regression.law.reading import Reading

    Floats = NDArray[np.float64]

# The probability whose standard error a simulation states.
_STATED = 0.05
# Beyond so many of the most extreme random orders, the tail falls as the curve does: from so many
# on, where it is known better.
_COUNTED, _ANCHORED = 25, 100
# The curve is trusted if it agrees so well with the orders that were counted.
_AGREEMENT = 2.0


class Anchor(NamedTuple):
    """From which number on the tail falls as a curve does.

    Parameters
    ----------
    chance
        The probability of all beyond it, by random orders.
    of_curve
        The same by the curve.
    """

    chance: float
    of_curve: float


@dataclass(frozen=True, eq=False)
class Counted(Distribution):
    """The distribution of a number that is known order by order.

    Parameters
    ----------
    numbers
        The number of each order.
    slack
        How far apart two numbers may be, and be the same up to rounding.
    least
        The probability of a single order, or the least that is a float.
    complete
        Whether these are all orders; otherwise they are random.
    shape
        What it resembles in its tails, beyond the random orders; None if that is not known.
    is_known
        Whether that has the exact mean and variance.
    """

    numbers: Floats = field(repr=False)
    slack: float
    least: float
    complete: bool = False
    shape: Shape | None = None
    is_known: bool = False

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

    def moments(self, reading: Reading) -> tuple[float, float]:
        """Return mean and variance of the scores of the orders, or what they are known to be."""
        if self.shape is not None and self.is_known and not self.complete and not reading.rooted:
            return read_moments(self.shape, reading)
        scores = reading.scores(self.numbers)
        return float(scores.mean()), float(scores.var())

    def above(self, number: float) -> float:
        """Return the probability of at least a number."""
        return self._upper.chance(-number)

    def below(self, number: float) -> float:
        """Return the probability of at most a number; of random orders, never 0.

        The observed order counts as one of the random ones: then P(p ≤ alpha) ≤ alpha. Further out
        than the 25 most extreme ones, the tail falls as the curve does, if that agrees with the
        orders that are there.
        """
        return self._lower.chance(number)

    @cached_property
    def _lower(self) -> _LowerTail:
        return _LowerTail(self, np.sort(self.numbers), 1.0)

    @cached_property
    def _upper(self) -> _LowerTail:
        return _LowerTail(self, -self._lower.ascending[::-1], -1.0)

    def number_at(self, level: float, *, upwards: bool) -> float:
        """Return the number up to which, from one end, there is at least a probability."""
        side = self._lower if upwards else self._upper
        place = math.ceil(level * self.numbers.size * (1 - COMPUTATION)) - 1
        return side.sign * float(side.ascending[min(max(place, 0), self.numbers.size - 1)])


@dataclass(frozen=True, eq=False)
class _LowerTail:
    """The lower tail of a distribution, or the upper one of negated numbers.

    Parameters
    ----------
    of
        The distribution.
    ascending
        Its numbers, or the negated ones, in ascending order.
    sign
        1 or -1.
    """

    of: Counted
    ascending: Floats
    sign: float

    def chance(self, number: float) -> float:
        """Return the probability of at most a number."""
        count = self._count(number)
        if self.of.complete:
            return count / self.ascending.size
        anchor = self._anchor if count < _COUNTED else None
        if anchor is None:
            return self._share(count)
        tail = anchor.chance * self._of_curve(number) / anchor.of_curve
        return max(min(tail, self._share(_COUNTED)), self.of.least)

    def _count(self, number: float) -> int:
        slack = max(self.of.slack, COMPUTATION * abs(number)) if math.isfinite(number) else 0.0
        return int(np.searchsorted(self.ascending, number + slack, side="right"))

    def _share(self, count: int) -> float:
        return (count + 1) / (self.ascending.size + 1)

    def _of_curve(self, number: float) -> float:
        shape = self.of.shape
        assert shape is not None  # noqa: S101  # without one there is no anchor
        return shape.below(number) if self.sign > 0 else shape.above(-number)

    @cached_property
    def _anchor(self) -> Anchor | None:
        """Where counting ends, unless the curve does not agree with what is counted."""
        place = min(_ANCHORED, self.ascending.size // 4)
        if self.of.shape is None or place < 1:
            return None
        start, deeper = (float(self.ascending[k - 1]) for k in (place, max(place // 10, 1)))
        count = self._count(start)
        chance, of_curve = self._share(count - 1), self._of_curve(start)
        if not 1 / _AGREEMENT < of_curve / chance < _AGREEMENT:
            return None
        expected = self.ascending.size * chance * self._of_curve(deeper) / of_curve
        # More orders far out, or fewer, are those of lumps, which a smooth curve does not know.
        found = self._count(deeper)
        is_lumpy = found > 2 * expected + 5 or expected > 2 * found + 5
        return None if is_lumpy else Anchor(chance, of_curve)
