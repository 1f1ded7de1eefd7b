"""Tails of random sums by one saddlepoint, for many sums at once.

Rows of the table are independent choices with odds exp(β_k + λ·a[k, j]), conditioned on the row
totals: Skovgaard's double saddlepoint (1987) with Barndorff-Nielsen's r*. The formulas of Robinson
for sampling without replacement and of McCullagh for permutations are this one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.null.distribution import NullDistribution

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.null.matching import Matching

    Floats = NDArray[np.float64]
    # Slopes, divergences and spreads of the tilts with which sums expect some values.
    Solve = Callable[[Sequence[Any], Floats], tuple[Floats, Floats, Floats]]

# Standard deviations from the mean within which r*, which is 0/0 there, is interpolated.
NEAR_MEAN = 0.1
# The largest relative error that was measured for p from 0.9 to 0.001 (docs/ideas/methods.md).
STATED_ERROR = 0.05
MAX_NEWTON_STEPS, MAX_HALVINGS = 100, 40
# Larger Hessians take longer to fill and to solve than conjugate gradients take.
MAX_DENSE = 200
# The last step towards a quantile, in standard deviations.
LAST_STEP = 1e-3
# Beyond these no float tells a tail from 0.
LARGEST_DIVERGENCE, LARGEST_R = 708.0, 37.6


class Link(NamedTuple):
    """How a sum is read as a score: a monotone function, its inverse, and whether it rises."""

    score: Callable[[Floats], Floats]
    sum: Callable[[float], float]
    rises: bool
    is_line: bool = False

    @classmethod
    def affine(cls, slope: float, intercept: float = 0.0) -> Link:
        """Return the link of a score that is a straight line in the sum."""
        return cls(
            lambda sums: intercept + slope * sums,
            lambda score: (score - intercept) / slope,
            slope > 0,
            is_line=True,
        )


class SaddlepointSum(NullDistribution):
    """The null distribution of a score that is a monotone function of a random sum."""

    method = "saddlepoint"
    error = STATED_ERROR
    step = 0.0

    def __init__(self, sums: Matching, link: Link) -> None:
        self.sums, self.link = sums, link
        low, high = self._scores(-0.5 * sums.sd, 0.5 * sums.sd)
        self._rises = link.rises
        self.step = abs(high - low) / sums.sd * sums.step

    def _scores(self, *centred: float) -> Floats:
        return np.asarray(self.link.score(self.sums.mean + np.array(centred)), dtype=float)

    def _moments(self) -> tuple[float, float]:
        """Return the mean and the variance, by a rule that is exact for a straight line."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(9)
        scores = self._scores(*np.clip(self.sums.sd * nodes, *self.sums.bounds))
        weights = weights / weights.sum()
        mean = float(scores @ weights)
        return mean, float((scores - mean) ** 2 @ weights)

    def mean(self) -> float:
        """Return the expected score."""
        return self._moments()[0]

    def var(self) -> float:
        """Return the variance of the score."""
        return self._moments()[1]

    def sf(self, score: float) -> float:
        """Return the probability of at least a score."""
        return self._tail(score, upper=True)

    def cdf(self, score: float) -> float:
        """Return the probability of at most a score."""
        return self._tail(score, upper=False)

    def _tail(self, score: float, *, upper: bool) -> float:
        at = np.array([self.link.sum(score)])
        return float(tails([self.sums], at, upper=upper == self._rises)[0])

    def ppf(self, level: float) -> float:
        """Return the lowest score that is not exceeded with at least a probability."""
        return float(self._scores(_quantile(self.sums, level if self._rises else 1 - level))[0])


def tails(
    sums: Sequence[Any], values: Floats, *, upper: bool, solve: Solve | None = None
) -> Floats:
    """Return the probability that each random sum is at least, or at most, a value.

    A sum has its mean, sd, slack and bounds, the step and the origin of its lattice, and logarithms
    of how many arrangements there are and of the chance of its margins, as `Matching` has. Tilts
    are those of tables with fixed margins, unless they are solved otherwise.
    """
    from scipy.special import ndtr

    sign = 1 if upper else -1
    low, high = (np.array([each.bounds[end] for each in sums]) for end in (0, 1))
    slack = np.array([each.slack for each in sums])
    centred = np.asarray(values, dtype=float) - [each.mean for each in sums]
    is_beyond = sign * centred > np.where(upper, high, -low) + slack
    is_certain = sign * centred <= np.where(upper, low, -high) + slack
    at = np.array([_half_a_step_back(*each, sign) for each in zip(sums, centred, strict=True)])
    at = np.clip(at, low * (1 - 1e-6), high * (1 - 1e-6))
    star, divergence = _stars(sums, at, solve or _solved)
    found = ndtr(-sign * star)
    for i in np.flatnonzero(~is_beyond & ~is_certain).tolist():
        found[i] = _capped(sums[i], found[i], divergence[i], sign * at[i])
    return np.where(is_beyond, 0.0, np.where(is_certain, 1.0, found))


def _half_a_step_back(sums: Any, value: float, sign: int) -> float:
    """Return a value, on a lattice half-way to the next one inside the tail's complement."""
    if not sums.step or math.isinf(value):
        return value
    steps = math.ceil(sign * (value - sums.origin) / sums.step - 1e-6)
    return float(sums.origin + sign * sums.step * (steps - 0.5))


def _capped(sums: Any, tail: float, divergence: float, outwards: float) -> float:
    """Return a tail that is no smaller than one arrangement, and no larger than Chernoff's bound.

    Next to an end of the range the formula takes few arrangements for many.
    """
    least = math.exp(max(-sums.log_arrangements, -LARGEST_DIVERGENCE))
    if abs(outwards) > 2 * sums.sd:
        bound = math.exp(min(-divergence - sums.log_margins, 0.0))
        tail = min(tail, bound) if outwards > 0 else max(tail, 1 - bound)
    return max(tail, least)


def _quantile(sums: Matching, level: float) -> float:
    """Return the centred sum at a level: secant steps in r*, which is nearly linear.

    They start from Cornish and Fisher's quantile; the last one is right to a hundredth of itself.
    """
    from scipy.special import ndtri

    wanted = float(ndtri(min(max(level, 1e-300), 1 - 1e-16)))
    low, high = 0.999 * sums.bounds[0], 0.999 * sums.bounds[1]
    start = wanted + sums.skewness / 6 * (wanted**2 - 1)
    at = min(max(start * sums.sd, low), high)
    slope = 1 / sums.sd / max(1 + sums.skewness / 3 * wanted, 0.1)
    before: tuple[float, float] | None = None
    for _ in range(12):
        star = float(_stars([sums], np.array([at]), _solved)[0][0])
        if before is not None and at != before[0]:
            slope = (star - before[1]) / (at - before[0]) or slope
        before = at, star
        at = min(max(at + (wanted - star) / slope, low), high)
        if abs(at - before[0]) < LAST_STEP * sums.sd:
            break
    if sums.step:
        steps = math.ceil((at - sums.step / 2 - sums.origin) / sums.step - 1e-6)
        at = sums.origin + sums.step * steps
    return at


def _stars(sums: Sequence[Any], values: Floats, solve: Solve) -> tuple[Floats, Floats]:
    """Return r* of centred sums, interpolated near the mean, and the divergence of the tilt."""
    near = NEAR_MEAN * np.array([each.sd for each in sums])
    is_near = np.abs(values) < near
    at = np.where(is_near, near, values)
    star, divergence = _stars_far_out(sums, at, solve)
    if is_near.any():
        chosen = [sums[i] for i in np.flatnonzero(is_near).tolist()]
        low = _stars_far_out(chosen, -near[is_near], solve)[0]
        share = (values[is_near] / near[is_near] + 1) / 2
        star[is_near] = low + (star[is_near] - low) * share
        divergence[is_near] = 0.0
    return star, divergence


def _stars_far_out(sums: Sequence[Any], values: Floats, solve: Solve) -> tuple[Floats, Floats]:
    slope, divergence, spread = solve(sums, values)
    step = np.array([each.step for each in sums])
    r = np.copysign(np.sqrt(2 * divergence), values)
    with np.errstate(divide="ignore", invalid="ignore"):
        half = np.clip(step * slope / 2, -300, 300)
        lean = np.where(step > 0, 2 * np.sinh(half) / np.where(step > 0, step, 1), slope)
        ratio = lean * spread / r
        star = np.where((ratio > 0) & (np.abs(r) <= LARGEST_R), r + np.log(ratio) / r, r)
    return star, divergence


def _solved(sums: Sequence[Matching], values: Floats) -> tuple[Floats, Floats, Floats]:
    """Return slopes, divergences and roots of determinants of the tilts that expect the values."""
    for each, value in zip(sums, values.tolist(), strict=True):
        if value not in each.tilts:  # both tails ask, and quantiles of scores that share a sum
            each.tilts[value] = _tilt(each, value)
    found = [each.tilts[value] for each, value in zip(sums, values.tolist(), strict=True)]
    slope, divergence, spread = np.array(found).T
    return slope, divergence, spread


def _tilt(sums: Matching, value: float) -> tuple[float, float, float]:
    """Return λ, the divergence and the root of the determinants of one tilt.

    Newton's method with halved steps, from the nearest tilt that is known, in proportion; or from
    where there is none, with the first step in λ alone.
    """
    unit = float(np.abs(sums.a).max())
    table = _Table(sums.n, sums.m, sums.a / unit, value / unit)
    share = sums.n / sums.total
    variance = float(share @ (table.a**2 @ sums.m))
    without_tilt = (share.size - 1) * math.log(sums.total) + float(np.log(share).sum())
    near = min(sums.points, key=lambda known: abs(known - value), default=0.0)
    if near * value > 0:
        point = sums.points[near] * (value / near)
    else:
        point = np.append(np.zeros(share.size - 1), table.value / variance)
    least, chance = table.objective(point)
    if not least < 0:  # worse than no tilt
        point = np.zeros(share.size)
        least, chance = table.objective(point)
    for _ in range(MAX_NEWTON_STEPS):
        gradient, curved = table.derivatives(chance)
        move = curved.newton_step(gradient)
        gain = float(gradient @ move)
        if not gain > 1e-11 or -least > LARGEST_DIVERGENCE:
            break
        length = 1.0
        for _ in range(MAX_HALVINGS):
            tried, chance = table.objective(point + length * move)
            if tried <= least - 0.1 * length * gain or gain < 1e-7:
                break
            length /= 2
        if not tried < least + 1e-9:
            break
        point, least = point + length * move, tried
    sums.points[value] = point
    log_ratio = float(np.linalg.slogdet(curved.hessian)[1]) - without_tilt
    root = math.exp(min(max(log_ratio / 2, -700.0), 700.0))
    return float(point[-1]) / unit, max(-least, 0.0), root * unit


class _Table(NamedTuple):
    """A table with fixed margins, and the value that its sum shall expect."""

    n: Floats
    m: Floats
    a: Floats
    value: float

    def objective(self, point: Floats) -> tuple[float, Floats]:
        """Return F(β, λ), and how likely each row is in each column."""
        exponent = point[-1] * self.a
        exponent[1:] += point[:-1, None]
        share = self.n / self.n.sum()
        # Less its value without a tilt, so that nothing large cancels.
        none = share @ exponent
        top = exponent.max(axis=0)
        exponent -= top
        chance = np.exp(exponent, out=exponent)
        chance *= share[:, None]
        total = chance.sum(axis=0)
        chance /= total
        return float(self.m @ (top + np.log(total) - none)) - point[-1] * self.value, chance

    def derivatives(self, chance: Floats) -> tuple[Floats, _Curvature]:
        """Return minus the gradient of F, and its Hessian."""
        rows, mean = chance @ self.m, np.einsum("kj,kj->j", chance, self.a)
        away = self.a - mean
        mixed, variance = away * chance, 1e-300
        variance += float(np.einsum("kj,kj->j", mixed, away) @ self.m)
        gradient = np.append(self.n[1:] - rows[1:], self.value - mean @ self.m)
        return gradient, _Curvature(chance[1:], self.m, rows[1:], (mixed @ self.m)[1:], variance)


@dataclass(frozen=True, eq=False)
class _Curvature:
    """The Hessian of F, by what it is made of."""

    chance: Floats
    m: Floats
    rows: Floats
    mixed: Floats
    variance: float

    @cached_property
    def hessian(self) -> Floats:
        """All of it, with a trace of a ridge where levels are hardly told apart."""
        scaled = self.chance * np.sqrt(self.m)
        found = np.diag(np.append(self.rows, self.variance))
        found[:-1, :-1] -= scaled @ scaled.T
        found[:-1, -1] = found[-1, :-1] = self.mixed
        found.flat[:: self.rows.size + 2] += 1e-14 * np.trace(found)
        return found

    def newton_step(self, gradient: Floats) -> Floats:
        """Return the Hessian's inverse times a gradient; by conjugate gradients if it is large."""
        if gradient.size <= MAX_DENSE:
            return np.asarray(np.linalg.solve(self.hessian, gradient))
        scale = np.append(self.rows, self.variance)
        move, rest = np.zeros(gradient.size), gradient
        towards, size = rest / scale, float(rest @ (rest / scale))
        enough = 1e-12 * size
        for _ in range(gradient.size):
            if size <= enough:
                break
            turned = self._times(towards)
            length = size / float(towards @ turned)
            move, rest = move + length * towards, rest - length * turned
            before, size = size, float(rest @ (rest / scale))
            towards = rest / scale + (size / before) * towards
        return move

    def _times(self, v: Floats) -> Floats:
        by_row = self.rows * v[:-1] - self.chance @ (self.m * (v[:-1] @ self.chance))
        return np.append(by_row + self.mixed * v[-1], self.mixed @ v[:-1] + self.variance * v[-1])
