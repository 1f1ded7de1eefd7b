"""Tails of a sum over a random permutation, by a saddlepoint.

The generating function of the sum of a[i, π(i)] is the permanent of exp(t a), over M!. A permanent
is close to that of the nearest doubly stochastic matrix B, which Sinkhorn's scaling finds, and the
latter to M! / M^M over the root of det(I + J - BᵀB), where J is 1/M everywhere (McCullagh 2014, An
asymptotic approximation for the permanent of a doubly stochastic matrix).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from baserate.regression.law.curve import Curve, normal_above
from baserate.regression.law.moments import doubly_centred

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.regression.law.sums import DealtSum

    Floats = NDArray[np.float64]

# More rows or cards than these are put into groups.
MOST_GROUPS = 120
# The slopes at which the generating function is known at once, on either side; and by how much the
# next one is further out.
_SLOPES = (0.15, 0.35, 0.6, 0.9, 1.2, 1.6, 2.0, 2.5, 3.0, 3.6, 4.3)
_FURTHER, _MORE = 1.18, 60
# Steps of the scaling, how close it should come, and how close it has to: far out it is slow, and
# what is missing changes its logarithm by the square of that only.
_STEPS, _CLOSE, _CLOSE_ENOUGH = 300, 1e-7, 1e-2
# Elements of the kernel are at least the exponential of minus this.
_WIDEST = 300.0
# With fewer slopes, derivatives are not known.
_FEWEST = 8
# Normal quantiles beyond this have tails that are no floats.
_FARTHEST = 37.0


class _At(NamedTuple):
    """The logarithm of the generating function at a slope, and what else is known there.

    Parameters
    ----------
    slope
        Where it is.
    value, first
        The logarithm of the scaling, and its derivative.
    correction
        That of the determinant.
    columns
        The scaling of columns.
    """

    slope: float
    value: float
    first: float
    correction: float
    columns: Floats


@dataclass(frozen=True, eq=False)
class Table:
    """The normal quantiles of some places.

    Parameters
    ----------
    places
        The places, ascending, in standard deviations from the mean.
    quantiles
        What is below a place is as likely as what is below its quantile, of a normal distribution.
    """

    places: Floats
    quantiles: Floats

    @cached_property
    def _smooth(self) -> Callable[[float], float]:
        from scipy.interpolate import CubicSpline

        spline: Callable[[float], float] = CubicSpline(self.places, self.quantiles)
        return spline

    def quantile(self, place: float) -> float:
        """Return the normal quantile of a place; that of the last one beyond it."""
        return float(self._smooth(min(max(place, self.places[0]), self.places[-1])))


@dataclass(frozen=True, eq=False)
class PermutationSum:
    """The mean of what rows get from cards that are dealt at random.

    Parameters
    ----------
    dealt
        What is dealt.
    curve
        Its moments.
    step
        By how much numbers differ at least, if they are on a grid, in standard deviations.

    Examples
    --------
    >>> from baserate.regression.law.moments import of_sum
    >>> from baserate.regression.law.sums import DealtSum
    >>> ranks = np.arange(40.0) - 19.5
    >>> dealt = DealtSum(np.multiply, ranks, ranks)
    >>> round(PermutationSum(dealt, of_sum(dealt)).above(0.4 * ranks.var()), 4)  # shuffles: 0.0055
    0.0055
    """

    dealt: DealtSum = field(repr=False)
    curve: Curve
    step: float = 0.0

    @property
    def mean(self) -> float:
        """Its mean."""
        return self.curve.mean

    @property
    def deviation(self) -> float:
        """Its standard deviation."""
        return self.curve.deviation

    def above(self, value: float) -> float:
        """Return the probability of at least a value."""
        if self.deviation == 0:
            return float(value <= self.mean)
        return normal_above(self._normal((value - self.mean) / self.deviation - self.step / 2))

    def below(self, value: float) -> float:
        """Return the probability of at most a value."""
        if self.deviation == 0:
            return float(value >= self.mean)
        return normal_above(-self._normal((value - self.mean) / self.deviation + self.step / 2))

    def quantile(self, level: float) -> float:
        """Return the value that is exceeded with one minus this probability."""
        from scipy.special import ndtri

        normal = float(np.clip(ndtri(level), -_FARTHEST, _FARTHEST))
        low, high = -abs(normal) - 1, abs(normal) + 1
        for _ in range(20):
            high = high * 1.5 if self._normal(high) < normal else high
            low = low * 1.5 if self._normal(low) > normal else low
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self._normal(middle) < normal else (low, middle)
        return self.mean + high * self.deviation

    def _normal(self, place: float) -> float:
        """Return the normal quantile of a place."""
        return self._table(1 if place > 0 else -1, abs(place)).quantile(place)

    def _table(self, side: int, distance: float) -> Table:
        """Return the table that reaches to a distance on a side, or as far as there is one.

        It has the slopes up to the first one that does and no more, so that it does not depend on
        what was asked before.
        """
        slopes = self._slopes_to(side, distance)
        key = side, slopes
        if slopes <= len(_SLOPES):
            key = 0, 0
        if key not in self._tables:
            below, above = (self._known[each][: slopes if each == side else len(_SLOPES)]
                            for each in (-1, 1))  # fmt: skip
            self._tables[key] = self._table_of(below, above)
        return self._tables[key]

    @cached_property
    def _tables(self) -> dict[tuple[int, int], Table]:
        return {}

    @cached_property
    def _ended(self) -> set[int]:
        """The sides that are known as far as they can be."""
        return {side for side, known in self._known.items() if len(known) < len(_SLOPES)}

    def _slopes_to(self, side: int, distance: float) -> int:
        """Return how many slopes reach to a distance, or how many there are."""
        known, wanted = self._known[side], distance * 1.05
        while side not in self._ended and abs(known[-1].first) < wanted:
            at = self._at(known[-1].slope * _FURTHER, known[-1].columns)
            if at is None or len(known) == _MORE:
                self._ended.add(side)
            else:
                known.append(at)
        reached = (place for place, at in enumerate(known, 1) if abs(at.first) >= wanted)
        return max(next(reached, len(known)), min(len(_SLOPES), len(known)))

    @cached_property
    def _known(self) -> dict[int, list[_At]]:
        found: dict[int, list[_At]] = {}
        for side in (-1, 1):
            at: _At | None = self._centre
            found[side] = []
            for slope in _SLOPES:
                at = self._at(side * slope, at.columns) if at is not None else None
                if at is not None:
                    found[side].append(at)
        return found

    @cached_property
    def _widest(self) -> float:
        """The slope up to which the elements of the kernel are still above 0, all of them."""
        return _WIDEST / max(float(np.ptp(self._matrix[0])), 1e-300)

    @cached_property
    def _matrix(self) -> tuple[Floats, Floats, Floats]:
        """Standardised losses of groups, and the sizes of these."""
        rows, cards = self.dealt.grouped_by_times(MOST_GROUPS)
        matrix, _ = doubly_centred(self.dealt.gains(rows, cards), rows.counts, cards.counts)
        m = self.dealt.total
        deviation = math.sqrt(float(rows.counts @ matrix**2 @ cards.counts) / max(m - 1, 1))
        return matrix / (deviation or 1.0), rows.counts, cards.counts

    @cached_property
    def _centre(self) -> _At:
        columns = np.full(self._matrix[2].size, 1 / self.dealt.total)
        return _At(0.0, 0.0, 0.0, 0.0, columns)

    @np.errstate(all="ignore")  # what is no number is told at the end
    def _at(self, slope: float, columns: Floats) -> _At | None:
        """Return what is known at a slope; None if it is too far out for floats."""
        matrix, many, often = self._matrix
        if abs(slope) > self._widest:
            return None
        kernel = np.exp(slope * matrix)
        for _ in range(_STEPS):
            rows = 1 / (kernel @ (often * columns))
            change = columns * (kernel.T @ (many * rows))
            columns = columns / change
            off = float(np.abs(change - 1).max())
            if off < _CLOSE:
                break
        if not off < _CLOSE_ENOUGH:
            return None
        rows = 1 / (kernel @ (often * columns))
        m = self.dealt.total
        value = -float(many @ np.log(rows)) - float(often @ np.log(columns)) - m * math.log(m)
        share = rows[:, np.newaxis] * kernel * columns
        first = float(many @ (share * matrix) @ often)
        try:
            correction = self._correction(share)
        except np.linalg.LinAlgError:  # the scaled kernel is nearly one order
            return None
        is_known = math.isfinite(value + first + correction)
        return _At(slope, value, first, correction, columns) if is_known else None

    def _correction(self, share: Floats) -> float:
        """Return the logarithm of one over the root of the determinant."""
        _, many, often = self._matrix
        even = np.sqrt(many)[:, np.newaxis] * share * np.sqrt(often)
        one = np.sqrt(often / self.dealt.total)
        square = np.eye(often.size) + np.outer(one, one) - even.T @ even
        return -float(np.log(np.diag(np.linalg.cholesky(square))).sum())

    def _table_of(self, below: list[_At], above: list[_At]) -> Table:
        """Return the normal quantiles by Lugannani, Rice and Barndorff-Nielsen."""
        from scipy.interpolate import make_interp_spline

        known = [*below[::-1], self._centre, *above]
        if len(known) < _FEWEST:
            return _NORMAL
        t, value, first, correction = np.array([at[:4] for at in known]).T
        of_first, of_correction = (make_interp_spline(t, each, 5) for each in (first, correction))
        value, first = value + correction, first + of_correction(t, 1)
        second = of_first(t, 1) + of_correction(t, 2)
        # At 0 the mean is 0 and the variance is 1, which the approximation only nearly has.
        centre = len(below)
        missing = 1 - second[centre]
        value = value - value[centre] - first[centre] * t + missing * t**2 / 2
        first, second = first - first[centre] + missing * t, second + missing
        with np.errstate(all="ignore"):
            root = np.sign(t) * np.sqrt(2 * (t * first - value))
            lean = 2 * np.sinh(t * self.step / 2) / self.step if self.step else t
            quantile = root + np.log(lean * np.sqrt(second) / root) / root
        return _usable(first, quantile, centre)


_NORMAL = Table(np.arange(-3.0, 4.0), np.arange(-3.0, 4.0))


def _usable(places: Floats, quantiles: Floats, centre: int) -> Table:
    """Return the table without its centre, and up to where it no longer rises, by rounding."""
    is_good = np.isfinite(quantiles) & (np.abs(quantiles) < _FARTHEST + 1)
    rises = (np.diff(np.delete(places, centre)) > 1e-9) & (
        np.diff(np.delete(quantiles, centre)) > 0
    )
    is_good = np.delete(is_good, centre)
    is_good[1:] &= rises
    is_good[:-1] &= rises
    bad = np.flatnonzero(~is_good)
    first = int(bad[bad < centre].max(initial=-1)) + 1
    last = int(bad[bad >= centre].min(initial=is_good.size))
    if last - first < 4:  # no more than a normal distribution is known
        return _NORMAL
    return Table(np.delete(places, centre)[first:last], np.delete(quantiles, centre)[first:last])
