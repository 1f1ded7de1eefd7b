"""Medians and other quantiles of numbers that stay in an engine, also weighted ones: exactly.

A random sample says between which numbers the quantile almost surely is. The engine says how much
weight is below, and hands over the few numbers between (Floyd and Rivest 1975). If the sample was
misleading, numbers are put in bins, again and again, until few are left.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.data.engines.aggregation import flag

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.data.engines.number_source import NumberSource

    Floats = NDArray[np.float64]

# How many standard errors of a sample the quantile may be away.
_ERRORS = 4.0
# The most distinct numbers that leave an engine at once.
_MOST_VALUES = 4 * 10**6
_BINS = 10_000


class Weight(NamedTuple):
    """How much a number weighs.

    Parameters
    ----------
    of_rows
        The weight as an expression, of the number as an expression.
    of_values
        The weights of some numbers.
    """

    of_rows: Callable[[Any], Any]
    of_values: Callable[[Floats], Floats]


@dataclass(frozen=True)
class Order:
    """A quantile of a number of each row.

    Parameters
    ----------
    name
        A name for it, unlike that of all others.
    number
        The number, as an expression.
    alpha
        The level.
    sample
        The numbers of a sample.
    weight
        How much each number weighs, if they do not all weigh the same.
    """

    name: str
    number: Any
    alpha: float
    sample: Floats
    weight: Weight | None = None

    @cached_property
    def bracket(self) -> tuple[float, float]:
        """Between which numbers the quantile almost surely is."""
        if not self.sample.size:
            return -math.inf, math.inf
        values = np.sort(self.sample)
        weights = self._weights(values)
        upto = np.cumsum(weights)
        place = self.alpha * upto[-1]
        shares = np.where(upto < place, 1 - self.alpha, self.alpha)
        away = _ERRORS * math.sqrt(float(np.square(weights * shares).sum())) + 2 * weights.max()
        low, high = np.searchsorted(upto, [place - away, place + away])
        first = -math.inf if place < away else float(values[low])
        return first, math.inf if high >= values.size else float(values[high])

    def _weights(self, values: Floats) -> Floats:
        return np.ones(values.size) if self.weight is None else self.weight.of_values(values)

    def sums(self) -> dict[str, Any]:
        """Return what is summed over all rows: the weight below the bracket, and all of it."""
        weight = 1.0 if self.weight is None else self.weight.of_rows(self.number)
        found = {} if self.weight is None else {f"{self.name} all": weight}
        if math.isfinite(self.bracket[0]):
            found[f"{self.name} below"] = flag(self.number < self.bracket[0]) * weight
        return found

    def found(self, source: NumberSource, sums: dict[str, float]) -> tuple[float, float]:
        """Return the ends of the interval of quantiles."""
        total = sums.get(f"{self.name} all", float(source.total))
        below = sums.get(f"{self.name} below", 0.0)
        values, counts = np.zeros(0), np.zeros(0)
        if self._share * source.total <= _MOST_VALUES:
            values, counts = source.between(self.number, *self.bracket)
        upto = below + np.cumsum(counts * self._weights(values))
        low, high = (
            float(values[np.searchsorted(upto, target)])
            if values.size and below < target <= upto[-1]
            else self._searched(source, target)
            for target in self._targets(total, source.total)
        )
        return low + 0.0, high + 0.0

    @property
    def _share(self) -> float:
        """About how many of all numbers are in the bracket."""
        low, high = self.bracket
        return (
            float(((self.sample >= low) & (self.sample <= high)).mean())
            if self.sample.size
            else 1.0
        )

    def _targets(self, total: float, rows: int) -> tuple[float, float]:
        """Return how much weight the ends of the interval of quantiles reach, at least."""
        if self.weight is None:  # see best/quantiles.py
            place = Fraction(repr(float(self.alpha))) * rows
            below = place.numerator // place.denominator
            low = below - 1 if place.denominator == 1 else below
            return max(low, 0) + 0.5, min(below, rows - 1) + 0.5
        slack = sys.float_info.epsilon * (8 + rows**0.5) * total
        return self.alpha * total - slack, min(self.alpha * total + slack, total)

    def _searched(self, source: NumberSource, target: float) -> float:
        """Return the first number up to which there is so much weight, bin by bin."""
        ends = source.sums({"low": self.number * -1.0, "high": self.number}, ["low", "high"])
        low, high, below = -ends["low"], ends["high"], 0.0
        while low < high:
            weight = None if self.weight is None else self.weight.of_rows(self.number)
            lows, highs, sums, counts = source.in_bins(self.number, weight, low, high, _BINS)
            upto = below + np.cumsum(sums)
            place = min(int(np.searchsorted(upto, target)), upto.size - 1)
            below = float(upto[place] - sums[place])
            is_stuck = (low, high) == (lows[place], highs[place])
            low, high = float(lows[place]), float(highs[place])
            if counts[place] <= _MOST_VALUES or is_stuck:
                values, times = source.between(self.number, low, high)
                upto = below + np.cumsum(times * self._weights(values))
                return float(values[min(int(np.searchsorted(upto, target)), values.size - 1)])
        return low
