"""Means and spreads of numbers with weights, and the constants that lose least, by any loss."""

from __future__ import annotations

import math
import sys
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import ceil, floor
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from baserate.core.baseline import COMPUTATION, FORMULA, Optimum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


# --- Means and spreads, which neither overflow nor underflow --------------------------------------

# Numbers within these have squares that are neither 0 nor infinite.
_SMALL, _LARGE = 1e-140, 1e140


def mean(values: Floats, weights: Floats | None = None) -> float:
    """Return the mean, of numbers of any size."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = float(values.mean() if weights is None else values @ weights / weights.sum())
        if math.isfinite(found):
            return found
        # Shares of them, whose sum is finite.
        shares = 1 / values.size if weights is None else weights / weights.sum()
        return 2 * float((values / 2 * shares).sum())


def of_usual_size(weights: Floats) -> Floats:
    """Return weights whose products no float may hold times a power of 2, which changes no mean."""
    largest = float(weights.max())
    if _SMALL < largest < _LARGE:
        return weights
    return np.asarray(np.ldexp(weights, -np.frexp(largest)[1]))


def root_mean_square(values: Floats, weights: Floats | None = None) -> float:
    """Return the root of the mean square, of numbers whose squares no float may hold too."""
    size = float(np.abs(values).max())
    if _SMALL < size < _LARGE or size == 0 or math.isinf(size):
        return math.sqrt(mean(values**2, weights))
    return size * math.sqrt(mean((values / size) ** 2, weights))


def centred(values: Floats, weights: Floats | None = None) -> Floats:
    """Return the differences from the mean."""
    return values - mean(values, weights)


def deviation(values: Floats, weights: Floats | None = None) -> float:
    """Return the standard deviation around the mean."""
    return root_mean_square(centred(values, weights), weights)


def are_equal(values: Floats) -> bool:
    """Return whether all numbers are the same."""
    return bool((values == values[0]).all())


def codes_of(values: Floats) -> Ints:
    """Return the place of each number among the different ones."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


# --- Sets of constants ----------------------------------------------------------------------------

# As many ranges are named one by one.
_MOST_NAMED = 3


@dataclass(frozen=True)
class ConstantSet:
    """All constants from one number to another; one number if both are the same.

    The ends belong to it unless they are infinite.
    """

    low: float
    high: float

    @property
    def middle(self) -> float:
        """The constant to name, if one is to be named."""
        if math.isinf(self.low) or math.isinf(self.high):
            return 0.0 if 0.0 in self else self.low if math.isinf(self.high) else self.high
        return self.low + (self.high - self.low) / 2

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float) and self.low <= value <= self.high

    def __str__(self) -> str:
        if math.isinf(self.low) and math.isinf(self.high):
            return "any constant"
        low, high = f"{self.low:.6g}", f"{self.high:.6g}"
        return f"always {low}" if low == high else f"any constant from {low} to {high}"


class Constants(tuple[ConstantSet, ...]):
    """Constants as disjoint ranges, ascending."""

    __slots__ = ()

    def __str__(self) -> str:
        words = list(dict.fromkeys(map(str, self)))  # neighbours may look the same
        if len(words) > _MOST_NAMED:
            words[_MOST_NAMED:] = [f"one of {len(words) - _MOST_NAMED:,} more"]
        return ", or ".join(words)


def one(value: float) -> Constants:
    """Return the set of one constant."""
    return between(value, value)


def between(low: float, high: float) -> Constants:
    """Return all constants from one number to another."""
    return Constants([ConstantSet(float(low), float(high))])


def every() -> Constants:
    """Return all constants."""
    return between(-math.inf, math.inf)


NO_WORST = Optimum(math.nan, Constants(), "no constant: it gets worse without end")
"""The worst constant of a loss without end."""


def mean_of(values: Floats, weights: Floats | None = None) -> float:
    """Return the mean of numbers in ascending order, which is never beyond their ends."""
    found = mean(values, None if weights is None else of_usual_size(weights))
    return min(max(found, float(values[0])), float(values[-1]))


def mean_constant(values: Floats, weights: Floats | None = None) -> Constants:
    """Return the constant with the least squared error: the mean."""
    return one(mean_of(values, weights))


def geometric_centre(values: Floats, weights: Floats | None = None) -> Constants:
    """Return the constant with the least squared error of log(1 + y)."""
    return one(float(np.expm1(mean_of(np.log1p(values), weights))))


# scikit-learn divides by at least this much in MAPE.
EPSILON = float(np.finfo(np.float64).eps)
# Whole numbers up to this, and their halves, are floats.
_WHOLE = 2.0**52


def quantiles(values: Floats, alpha: float, weights: Floats | None = None) -> Constants:
    """Return all constants with the least pinball loss, of numbers in ascending order.

    If a share of exactly alpha is up to a number, they are all from it to the next. Alpha is the
    decimal fraction that was written: 0.29 of 100 is 29, which floating-point numbers miss.
    """
    share = Fraction(repr(float(alpha)))
    if weights is not None:
        return _at(values, running_sums(weights), share)
    place = share * values.size
    below = place.numerator // place.denominator
    low = below - 1 if place.denominator == 1 else below
    return between(values[max(low, 0)], values[min(below, values.size - 1)])


def medians(values: Floats, weights: Floats | None = None) -> Constants:
    """Return all medians of numbers in ascending order."""
    if weights is not None:
        return _at(values, running_sums(weights), Fraction(1, 2))
    return between(values[(values.size - 1) // 2], values[values.size // 2])


def relative_medians(values: Floats, weights: Floats | None = None) -> Constants:
    """Return all constants with the least MAPE: medians, each number weighing 1/|y|.

    A number of 0 weighs 1/2.2e-16, as scikit-learn has it: then the constant 0 is best.
    """
    top, raised = np.frexp(1.0 if weights is None else weights / weights.max())
    bottom, lowered = np.frexp(np.maximum(np.abs(values), EPSILON))
    # Quotients, all divided by the same power of 2, so that none is too large.
    powers = raised.astype(np.int64) - lowered
    quotients = np.asarray(np.ldexp(top / bottom, powers - powers.max()))
    return _at(values, rounded_sums(quotients), Fraction(1, 2))


class Sums(NamedTuple):
    """Sums of weights up to each number, and how far they may be off: 0 for whole numbers."""

    upto: Floats
    slack: float

    def around(self, place: Fraction) -> tuple[int, int]:
        """Return which sum is the first of at least this much, and which the first of more."""
        ends: tuple[float, float] = ceil(place), floor(place) + 1
        if self.slack:
            ends = float(place) - self.slack, float(place) + self.slack
        found = np.searchsorted(self.upto, ends)
        low, high = np.minimum(found, self.upto.size - 1).tolist()
        return low, high


def running_sums(weights: Floats) -> Sums:
    """Return the sums of weights, which are exact of whole numbers and of equal ones."""
    for unit in (1.0, float(weights.min())):
        with np.errstate(all="ignore"):  # what is beyond floats is not whole
            units = weights / unit
            is_whole = (units % 1 == 0).all() and units.sum() <= _WHOLE
        if is_whole:
            return Sums(np.cumsum(units), 0.0)
    return rounded_sums(weights / weights.max())


def rounded_sums(weights: Floats) -> Sums:
    """Return the sums of weights that are rounded, and by how much equal sums may differ."""
    upto = np.cumsum(weights)
    # How far a running sum is off after so many steps, which is like a random walk.
    return Sums(upto, sys.float_info.epsilon * (8 + weights.size**0.5) * float(upto[-1]))


def _at(values: Floats, sums: Sums, share: Fraction) -> Constants:
    """Return all constants with a share of the weight on either side, as near as there is one."""
    low, high = sums.around(share * Fraction(float(sums.upto[-1])))
    return between(values[low], values[high])


def midrange(values: Floats, weights: Floats | None = None) -> Constants:  # noqa: ARG001
    """Return the constant with the least largest error, whatever the numbers weigh."""
    return one(float(values[0]) / 2 + float(values[-1]) / 2)


def shortest_halves(values: Floats, weights: Floats | None = None) -> Constants:
    """Return all constants with the least median absolute error, of numbers in ascending order.

    The best score is half the length of the shortest range [a, b] that holds more than half of
    the weight, and the constant in its middle has it. If exactly half of the weight is up to an
    error, the median is the mean of this error and the next. So constants beside the middle, whose
    errors of a and b have the same mean, have the best score too as long as at least half of the
    weight is within the smaller of both.
    """
    shares = np.ones(values.size) if weights is None else weights
    starts = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    upto, slack = running_sums(shares)
    upto, values = upto[np.append(starts[1:], values.size) - 1], values[starts]
    before, half = np.append(0.0, upto[:-1]), upto[-1] / 2
    # Ranges with more than half of the weight, and the shortest parts of each that have at least
    # half: where the one ends that begins at its first number, and where the one begins that ends
    # at its last.
    last = np.searchsorted(upto, before + half + slack, side="right")
    first = np.flatnonzero(last < values.size)
    last = last[first]
    from_first = np.searchsorted(upto, before[first] + half - slack)
    from_last = np.searchsorted(before, upto[last] - half + slack, side="right") - 1
    lengths = values[last] / 2 - values[first] / 2
    # Ends are rounded already: lengths that should be equal differ in the last places of them.
    slack = FORMULA * max(abs(float(values[0])), abs(float(values[-1])))
    best = lengths <= lengths.min() + min(slack, FORMULA * lengths.min() * 2**20)
    # Halves, so that no sum of two numbers is too large.
    low = (values[first] / 2 + values[from_first] / 2)[best]
    high = (values[from_last] / 2 + values[last] / 2)[best]
    found: list[ConstantSet] = []
    for start, end in sorted(zip(low.tolist(), high.tolist(), strict=True)):
        if found and start <= found[-1].high:  # those that meet are one
            found[-1] = ConstantSet(found[-1].low, max(found[-1].high, end))
        else:
            found.append(ConstantSet(start, end))
    return Constants(found)


def huber_centres(values: Floats, delta: float, weights: Floats | None = None) -> Constants:
    """Return all constants with the least Huber loss, of numbers in ascending order.

    The slope of the loss is a sum of errors that are clipped at delta, which never falls as the
    constant grows. It is 0 along an interval only if half the weight is below by at least
    delta, and half above.
    """
    ((low, high),) = ((each.low + delta, each.high - delta) for each in medians(values, weights))
    if low <= high:
        return between(low, high)
    # Relative to the largest, so that the sum of weights is finite.
    shares = np.ones(values.size) if weights is None else weights / weights.max()

    def slope(constant: float) -> float:
        return float(np.clip(constant - values, -delta, delta) @ shares)

    # Between neighbouring ends of the ranges within delta of a number, the slope is linear.
    ends = np.sort(np.concatenate([values - delta, values + delta]))
    place = min(bisect_left(ends, 0.0, key=slope), ends.size - 1)
    return one(_root(values, shares, (float(ends[max(place - 1, 0)]), float(ends[place])), delta))


def _root(values: Floats, weights: Floats, ends: tuple[float, float], delta: float) -> float:
    """Return where the slope is 0 between two ends, beyond which the same numbers are near."""
    middle = ends[0] / 2 + ends[1] / 2
    first = int(np.searchsorted(values, middle - delta))
    last = int(np.searchsorted(values, middle + delta, side="right"))
    near, heavy = values[first:last], weights[first:last]
    pull = delta * float(weights[last:].sum() - weights[:first].sum())
    # Around the middle, so that no large numbers cancel.
    root = middle + float((near - middle) @ heavy + pull) / (float(heavy.sum()) or 1.0)
    return min(max(root, ends[0]), ends[1])


# As many numbers as are compared with each other one by one; of more, only the candidates.
_FEW = 2_000
# Numbers of a bin are within this distance of its centre, on a scale of logarithms: tanh has a pole
# at a distance of π, so that so many nodes are as good as the numbers.
_RADIUS, _NODES = 0.1, 10
# Widths of bins of which only those are looked at that may have the best constant.
_COARSE = 0.01
# As much memory as one step may take, in numbers.
_AT_ONCE = 2_000_000


def symmetric_centres(values: Floats, weights: Floats | None = None) -> Constants:
    """Return all constants with the least symmetric MAPE, of numbers in ascending order.

    Beside a number of the same sign, the loss of a constant is 2 tanh(|log c - log y| / 2), which
    is concave on either side of y. So the sum is concave between two neighbours, and a best
    constant is always one of the numbers. A number of the other sign, or 0, costs 2 whatever c is.
    """
    shares = np.ones(values.size) if weights is None else weights / weights.max()
    below, above = values < 0, values > 0
    candidates = np.concatenate(
        [-_centres(-values[below][::-1], shares[below][::-1]), [0.0] * bool((values == 0).any()),
         _centres(values[above], shares[above])]
    )  # fmt: skip
    losses = np.array([_loss(values, shares, constant) for constant in candidates])
    best = candidates[losses <= losses.min() * (1 + COMPUTATION)]
    return Constants(each for constant in np.sort(best) for each in one(constant))


def _loss(values: Floats, shares: Floats, constant: float) -> float:
    """Return the symmetric MAPE of a constant."""
    if constant == 0:
        return 2 * float(shares[values != 0].sum() / shares.sum())
    # Quarters, so that the sum of the largest numbers is finite.
    errors = np.abs(values / 4 - constant / 4)
    errors /= np.abs(values) / 4 + abs(constant) / 4
    return 2 * float((errors * shares).sum() / shares.sum())


def _centres(values: Floats, shares: Floats) -> Floats:
    """Return the best of some positive numbers, in ascending order."""
    if not values.size:
        return values
    starts = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    distinct, shares = values[starts], np.add.reduceat(shares, starts)
    logs, shares = np.log(distinct), shares / shares.sum()
    totals = _few(logs, shares, logs) if logs.size <= _FEW else _many(logs, shares)
    # Series and logarithms are rounded: all that may be the best are compared again.
    slack = 4e-14 * (1 + np.abs(logs).max() / 4)
    near = np.flatnonzero(totals <= totals.min() + slack)
    return np.asarray(distinct[near[np.argsort(totals[near], kind="stable")[:20]]])


def _few(logs: Floats, shares: Floats, targets: Floats) -> Floats:
    """Return the mean distance tanh(|s - t| / 2) of each target to all numbers."""
    parts = np.array_split(targets[:, np.newaxis], 1 + targets.size * logs.size // _AT_ONCE)
    return np.concatenate([np.tanh(np.abs(part - logs) / 2) @ shares for part in parts])


def _promising(logs: Floats, shares: Floats) -> NDArray[np.bool_]:
    """Return which numbers may be the best, from the centres of narrow bins."""
    width = max(_COARSE, float(logs[-1] - logs[0]) / 5_000)
    bins = np.floor((logs - logs[0]) / width).astype(np.int64)
    names, starts = np.unique(bins, return_index=True)
    centres = logs[0] + (names + 0.5) * width
    totals = _few(centres, np.add.reduceat(shares, starts), centres)
    # Half a width from the centre of its own bin, each number changes a distance by a quarter of
    # the width at most, and so does the target.
    kept = totals <= totals.min() + width
    return np.repeat(kept, np.diff(np.append(starts, logs.size)))


def _many(logs: Floats, shares: Floats) -> Floats:
    """Return the same for the numbers that may be the best, in time proportional to all of them.

    Numbers are put into bins, and those of a bin are replaced by its Chebyshev nodes, weighted so
    that smooth functions keep their sums: distances to other bins are, and in the bin of a target
    t, tanh((t - s) / 2) with the weights below t less those above.
    """
    from numpy.polynomial.chebyshev import chebpts1, chebvander

    promising = _promising(logs, shares)
    bins = np.floor((logs - logs[0]) / (2 * _RADIUS)).astype(np.int64)
    names, starts = np.unique(bins, return_index=True)
    centres = logs[0] + (2 * names[:, np.newaxis] + 1) * _RADIUS
    at, powers = chebpts1(_NODES), partial(chebvander, deg=_NODES - 1)
    nodes, solved = centres + _RADIUS * at, np.linalg.inv(powers(at))
    parts = [slice(*ends) for ends in pairwise([*starts.tolist(), logs.size])]

    def spread(place: int) -> Floats:
        """Return how much of each number of a bin is at each node."""
        return np.asarray(powers((logs[parts[place]] - centres[place]) / _RADIUS) @ solved)

    heavy = np.stack([shares[part] @ spread(place) for place, part in enumerate(parts)])
    totals = np.full(logs.size, np.inf)
    for place in np.unique(np.searchsorted(starts, np.flatnonzero(promising), side="right") - 1):
        part, own, is_other = parts[place], spread(place), np.arange(names.size) != place
        far = _few(nodes[is_other].ravel(), heavy[is_other].ravel(), nodes[place])
        balance = 2 * np.cumsum(shares[part, np.newaxis] * own, axis=0) - heavy[place]
        near = np.tanh((logs[part, np.newaxis] - nodes[place]) / 2)
        found = own @ far + np.einsum("ij,ij->i", balance, near)
        totals[part] = np.where(promising[part], found, np.inf)
    return totals
