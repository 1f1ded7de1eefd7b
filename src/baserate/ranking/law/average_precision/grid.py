"""Bounds for the distribution of a value on a grid.

A value grows with each case of the rarer class down the ranking. It is rounded to a grid, and the
number of roundings is known: the true distribution lies between two on the grid. Where blocks are
put together, gains are rounded down and up, each in a pass of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.ranking.law.average_precision.gains import Gains

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]

# Rounding of a score, and of sums.
_SLACK = 1e-12


@dataclass(frozen=True, eq=False)
class Bounds:
    """Two distributions of a value on a grid, with the true one between them.

    Parameters
    ----------
    cell
        The distance between values.
    off
        How many cells a value may be off, either way.
    low, high
        The probability of each multiple of the cell, with gains rounded down, and up; the same
        array if they are rounded to the nearest. The last is of all larger values.
    """

    cell: float
    off: float
    low: Floats
    high: Floats

    @classmethod
    def of(cls, gains: Gains, top: float, cells: int) -> Bounds:
        """Return the bounds up to a value, with so many cells."""
        off = min(gains.cases, gains.segments.ends.size) / 2 if gains.exact else 0.0
        cell = top / (cells - 2 * off - 2)
        if gains.exact:
            near = _pass(gains.chances, _steps(np.rint(gains.low / cell), cells), cells)
            return cls(cell, off, near, near)
        low = _pass(gains.chances, _steps(np.floor(gains.low / cell), cells), cells)
        high = _pass(gains.chances, _steps(np.floor(gains.high / cell) + 1, cells), cells)
        return cls(cell, off, low, high)

    def at_least(self, value: float) -> tuple[float, float]:
        """Return between which numbers the probability of at least a value is."""
        place = value / self.cell
        lower = int(np.ceil(place * (1 + _SLACK) + self.off))
        upper = int(np.ceil(place * (1 - _SLACK) - self.off - _SLACK))
        return _at(self._low_from, lower), _at(self._high_from, upper) + self._left_out

    def at_most(self, value: float) -> tuple[float, float]:
        """Return between which numbers the probability of at most a value is."""
        place = value / self.cell
        lower = int(np.floor(place * (1 - _SLACK) - self.off))
        upper = int(np.floor(place * (1 + _SLACK) + self.off + _SLACK))
        return _at(self._high_upto, lower + 1), _at(self._low_upto, upper + 1) + self._left_out

    def quantiles(self, level: float) -> tuple[float, float]:
        """Return between which values a quantile is; inf for one beyond the grid."""
        low, high = (
            int(np.searchsorted(sums[1:], level - _SLACK, side="left"))
            for sums in (self._low_upto, self._high_upto)
        )
        last = self.low.size - 1
        least = max((low - self.off) * self.cell, 0.0)
        return least, (high + self.off) * self.cell if high < last else np.inf

    @cached_property
    def _left_out(self) -> float:
        """The probability of all that was neglected."""
        return max(1 - float(self.low.sum()), 1 - float(self.high.sum()), 0.0)

    @cached_property
    def _low_from(self) -> Floats:
        return _sums_from(self.low)

    @cached_property
    def _high_from(self) -> Floats:
        return _sums_from(self.high)

    @cached_property
    def _low_upto(self) -> Floats:
        return _sums_from(self.low[::-1])[::-1]

    @cached_property
    def _high_upto(self) -> Floats:
        return _sums_from(self.high[::-1])[::-1]


def _sums_from(chances: Floats) -> Floats:
    """Return the sums from each place on; 0 after the last."""
    return np.append(np.minimum(chances[::-1].cumsum()[::-1], 1.0), 0.0)


def _at(sums: Floats, place: int) -> float:
    """Return a sum at a place that may be outside."""
    return float(sums[min(max(place, 0), sums.size - 1)])


def _steps(numbers: Floats, cells: int) -> Ints:
    """Return numbers of cells as integers; beyond the grid, to its last cell."""
    return np.minimum(numbers, cells).astype(np.int64)


def _pass(chances: Floats, steps: Ints, cells: int) -> Floats:
    """Return the probability of each rounded value, when the cases are dealt at random."""
    cases = chances.shape[1] - 1
    state = np.zeros((cases + 1, cells + 1))
    state[0, 0] = 1.0
    spare = np.empty(cells + 1)
    for chance, step in zip(chances, steps, strict=True):
        above, more = np.nonzero(chance)
        # From the last row up, so that no row is used after it is changed.
        order = np.lexsort((more, -(above + more)))
        untouched = set(range(cases + 1))
        for count, number in zip(above[order].tolist(), more[order].tolist(), strict=True):
            target = count + number
            if target in untouched:
                untouched.remove(target)
                state[target] *= chance[target, 0]
            if number:
                moved = int(step[count, number])
                _add(state[count], moved, chance[count, number], state[target], spare)
    return np.asarray(state[cases])


def _add(source: Floats, steps: int, chance: float, target: Floats, spare: Floats) -> None:
    """Add a share of a row to another, moved up; what leaves the grid stays in the last cell."""
    last = target.size - 1
    moved = spare[: last - steps]
    np.multiply(source[: last - steps], chance, out=moved)
    target[steps:last] += moved
    target[last] += chance * source[last - steps :].sum()
