"""Tails of random sums by one saddlepoint, for many sums at once.

Rows of the table are independent choices with odds exp(β_k + λ·a[k, j]), conditioned on the row
totals: Skovgaard's double saddlepoint (1987) with Barndorff-Nielsen's r*. The formulas of Robinson
for sampling without replacement and of McCullagh for permutations are this one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from baserate.null.distribution import NullDistribution

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.null.matching import Matching

    Floats = NDArray[np.float64]
    Ints = NDArray[np.intp]
    # Slopes, divergences and spreads of the tilts with which sums expect some values.
    Solve = Callable[[Sequence[Any], Floats], tuple[Floats, Floats, Floats]]

# Standard deviations from the mean within which r*, which is 0/0 there, is interpolated.
NEAR_MEAN = 0.1
# The largest relative error that was measured for p from 0.9 to 0.001 (docs/ideas/methods.md).
STATED_ERROR = 0.05
MAX_NEWTON_STEPS, MAX_HALVINGS = 100, 40
# Beyond these no float tells a tail from 0.
LARGEST_DIVERGENCE, LARGEST_R = 708.0, 37.6


class RandomSum(Protocol):
    """What a saddlepoint asks of a random sum: its moments, its lattice and its ends."""

    @property
    def mean(self) -> float:
        """The expected sum."""

    @property
    def sd(self) -> float:
        """Its standard deviation."""

    @property
    def step(self) -> float:
        """The step of the lattice that sums are on; 0 if there is none."""

    @property
    def origin(self) -> float:
        """One possible sum less the mean."""

    @property
    def bounds(self) -> tuple[float, float]:
        """Bounds of the sum less its mean."""

    @property
    def slack(self) -> float:
        """How far off rounding may be."""

    @property
    def log_arrangements(self) -> float:
        """The logarithm of how many arrangements are equally likely."""

    @property
    def log_margins(self) -> float:
        """The logarithm of the chance of what the sum is conditioned on, without a tilt."""


class Link(NamedTuple):
    """How a sum is read as a score: a monotone function, its inverse, and whether it rises."""

    score: Callable[[Floats], Floats]
    sum: Callable[[float], float]
    rises: bool

    @classmethod
    def affine(cls, slope: float, intercept: float = 0.0) -> Link:
        """Return the link of a score that is a straight line in the sum."""
        return cls(
            lambda sums: intercept + slope * sums,
            lambda score: (score - intercept) / slope,
            slope > 0,
        )


class SaddlepointSum(NullDistribution):
    """The null distribution of a score that is a monotone function of a random sum.

    Parameters
    ----------
    sums
        The random sum.
    link
        How it is read as a score.
    """

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
    sums: Sequence[RandomSum], values: Floats, *, upper: bool, solve: Solve | None = None
) -> Floats:
    """Return the probability that each random sum is at least, or at most, a value.

    Parameters
    ----------
    sums, values
        The random sums, and a value for each.
    upper
        Whether it is at least the value, or at most.
    solve
        What finds the tilts; that of tables with fixed margins if it is left out.
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


def _half_a_step_back(sums: RandomSum, value: float, sign: int) -> float:
    """Return a value, on a lattice half-way to the next one inside the tail's complement."""
    if not sums.step or math.isinf(value):
        return value
    steps = math.ceil(sign * (value - sums.origin) / sums.step - 1e-6)
    return sums.origin + sign * sums.step * (steps - 0.5)


def _capped(sums: RandomSum, tail: float, divergence: float, outwards: float) -> float:
    """Return a tail that is no smaller than one arrangement, and no larger than Chernoff's bound.

    Next to an end of the range the formula takes few arrangements for many.
    """
    least = math.exp(max(-sums.log_arrangements, -LARGEST_DIVERGENCE))
    if abs(outwards) > 2 * sums.sd:
        bound = math.exp(min(-divergence - sums.log_margins, 0.0))
        tail = min(tail, bound) if outwards > 0 else max(tail, 1 - bound)
    return max(tail, least)


def _quantile(sums: Matching, level: float) -> float:
    """Return the centred sum at a level: secant steps in r*, which is nearly linear."""
    from scipy.special import ndtri

    wanted = float(ndtri(min(max(level, 1e-300), 1 - 1e-16)))
    low, high = 0.999 * sums.bounds[0], 0.999 * sums.bounds[1]
    at, slope = min(max(wanted * sums.sd, low), high), 1 / sums.sd
    before: tuple[float, float] | None = None
    for _ in range(12):
        star = float(_stars([sums], np.array([at]), _solved)[0][0])
        if before is not None and at != before[0]:
            slope = (star - before[1]) / (at - before[0]) or slope
        before = at, star
        at = min(max(at + (wanted - star) / slope, low), high)
        if abs(at - before[0]) < 1e-6 * sums.sd:
            break
    if sums.step:
        steps = math.ceil((at - sums.step / 2 - sums.origin) / sums.step - 1e-6)
        at = sums.origin + sums.step * steps
    return at


def _stars(sums: Sequence[RandomSum], values: Floats, solve: Solve) -> tuple[Floats, Floats]:
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


def _stars_far_out(
    sums: Sequence[RandomSum], values: Floats, solve: Solve
) -> tuple[Floats, Floats]:
    slope, divergence, spread = solve(sums, values)
    step = np.array([each.step for each in sums])
    r = np.copysign(np.sqrt(2 * divergence), values)
    with np.errstate(divide="ignore", invalid="ignore"):
        half = np.clip(step * slope / 2, -300, 300)
        lean = np.where(step > 0, 2 * np.sinh(half) / np.where(step > 0, step, 1), slope)
        ratio = lean * spread / r
        star = np.where((ratio > 0) & (np.abs(r) <= LARGEST_R), r + np.log(ratio) / r, r)
    return star, divergence


class _Tables(NamedTuple):
    """Margins and sums of several tables, filled up with zeros to one shape."""

    n: Floats
    m: Floats
    a: Floats
    pi: Floats
    values: Floats

    def objective(self, i: Ints, point: Floats) -> tuple[Floats, Floats]:
        """Return F(β, λ) of some tables, and how likely each row is in each column."""
        exponent = point[:, -1, None, None] * self.a[i]
        exponent[:, 1:] += point[:, :-1, None]
        top = exponent.max(axis=1)
        chance = self.pi[i][:, :, None] * np.exp(exponent - top[:, None])
        total = chance.sum(axis=1)
        # Less its value without a tilt, so that nothing large cancels.
        excess = top + np.log(total) - np.einsum("gk,gkj->gj", self.pi[i], exponent)
        value = np.einsum("gj,gj->g", self.m[i], excess) - point[:, -1] * self.values[i]
        return value, chance / total[:, None]

    def derivatives(self, i: Ints, chance: Floats) -> tuple[Floats, Floats]:
        """Return minus the gradient of F, and its Hessian."""
        m, a = self.m[i], self.a[i]
        expected = chance * m[:, None]
        mean = (chance * a).sum(axis=1)
        away = a - mean[:, None]
        levels = self.n.shape[1]
        hessian = np.zeros((i.size, levels, levels))
        hessian[:, :-1, :-1] = -expected[:, 1:] @ chance[:, 1:].transpose(0, 2, 1)
        place = np.arange(levels - 1)
        hessian[:, place, place] += expected[:, 1:].sum(axis=2) + (self.n[i][:, 1:] == 0)
        hessian[:, :-1, -1] = hessian[:, -1, :-1] = (expected * away).sum(axis=2)[:, 1:]
        hessian[:, -1, -1] = (expected * away * away).sum(axis=(1, 2)) + 1e-300
        by_row = self.n[i][:, 1:] - expected[:, 1:].sum(axis=2)
        by_sum = (self.values[i] - (m * mean).sum(axis=1))[:, None]
        return np.concatenate([by_row, by_sum], axis=1), hessian


def _solved(sums: Sequence[Matching], values: Floats) -> tuple[Floats, Floats, Floats]:
    """Return slopes λ, divergences and roots of determinants of the tilts that expect the values.

    Newton's method with halved steps, for all tables at once.
    """
    unit = np.array([float(np.abs(each.a).max()) for each in sums])
    tables = _filled_up(sums, values / unit, unit)
    every = np.arange(len(sums))
    point = np.zeros((every.size, tables.n.shape[1]))
    value, chance = tables.objective(every, point)
    gradient, hessian = tables.derivatives(every, chance)
    without_tilt = np.linalg.slogdet(hessian[:, :-1, :-1])[1]
    active = every
    for _ in range(MAX_NEWTON_STEPS):
        move = _newton_step(hessian[active], gradient[active])
        gain = (gradient[active] * move).sum(axis=1)
        goes_on = (gain > 1e-11) & (-value[active] < LARGEST_DIVERGENCE)
        active, move, gain = active[goes_on], move[goes_on], gain[goes_on]
        if not active.size:
            break
        length = np.ones(active.size)
        for _ in range(MAX_HALVINGS):
            tried, chance = tables.objective(active, point[active] + length[:, None] * move)
            is_long = ~((tried <= value[active] - 0.1 * length * gain) | (gain < 1e-7))
            if not is_long.any():
                break
            length[is_long] /= 2
        is_better = tried < value[active] + 1e-9
        active, move, length = active[is_better], move[is_better], length[is_better]
        if not active.size:
            break
        point[active] += length[:, None] * move
        value[active] = tried[is_better]
        gradient[active], hessian[active] = tables.derivatives(active, chance[is_better])
    root = np.clip((np.linalg.slogdet(hessian)[1] - without_tilt) / 2, -700, 700)
    return point[:, -1] / unit, np.maximum(-value, 0.0), np.exp(root) * unit


def _newton_step(hessian: Floats, gradient: Floats) -> Floats:
    """Return Newton's step, with a trace of a ridge where levels are hardly told apart."""
    ridge = 1e-14 * np.trace(hessian, axis1=1, axis2=2)[:, None, None]
    lifted = hessian + ridge * np.eye(hessian.shape[1])
    return np.asarray(np.linalg.solve(lifted, gradient[..., None])[..., 0])


def _filled_up(sums: Sequence[Matching], values: Floats, unit: Floats) -> _Tables:
    """Return tables of one shape; rows and columns that are added have no weight."""
    levels, columns = max(each.n.size for each in sums), max(each.m.size for each in sums)
    n, m = np.zeros((len(sums), levels)), np.zeros((len(sums), columns))
    a = np.zeros((len(sums), levels, columns))
    for i, each in enumerate(sums):
        n[i, : each.n.size], m[i, : each.m.size] = each.n, each.m
        a[i, : each.n.size, : each.m.size] = each.a / unit[i]
    return _Tables(n, m, a, n / n.sum(axis=1, keepdims=True), values)
