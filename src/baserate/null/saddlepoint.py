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
MAX_NEWTON_STEPS, SHORTEST = 100, 2.0**-40
# Larger Hessians take longer to fill and to solve than conjugate gradients take.
MAX_DENSE = 200
# The last step towards a quantile, in standard deviations.
LAST_STEP = 1e-3
# Beyond these no float tells a tail from 0.
LARGEST_DIVERGENCE, LARGEST_R = 708.0, 37.6
# Cells of tables that are tilted at once: what a processor's cache holds. Their shapes are the same
# when rounded up.
CELLS_AT_ONCE, SHAPES = 2**17, 8


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
        low, high = self.read(-0.5 * sums.sd, 0.5 * sums.sd)
        self.step = abs(high - low) / sums.sd * sums.step
        # What was found together with that of others: tails on either side, and quantiles.
        self.known: dict[tuple[str, float], float] = {}

    def read(self, *centred: float) -> Floats:
        """Return the scores of sums less their mean."""
        return np.asarray(self.link.score(self.sums.mean + np.array(centred)), dtype=float)

    def _moments(self) -> tuple[float, float]:
        """Return the mean and the variance, by a rule that is exact for a straight line."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(9)
        scores = self.read(*np.clip(self.sums.sd * nodes, *self.sums.bounds))
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
        return self._asked("sf", score)

    def cdf(self, score: float) -> float:
        """Return the probability of at most a score."""
        return self._asked("cdf", score)

    def ppf(self, level: float) -> float:
        """Return the lowest score that is not exceeded with at least a probability."""
        return self._asked("ppf", level)

    def _asked(self, what: str, of: float) -> float:
        if (what, of) not in self.known:
            self.find([(self, what, of)])
        return self.known[what, of]

    @classmethod
    def find(cls, asked: Sequence[tuple[SaddlepointSum, str, float]]) -> None:
        """Find what many distributions will be asked, all at once."""
        ends = [each for each in asked if each[1] != "ppf"]
        at = np.array([null.link.sum(score) for null, _, score in ends])
        upper = np.array([null.link.rises == (what == "sf") for null, what, _ in ends])
        found = tails([null.sums for null, _, _ in ends], at, upper).tolist() if ends else []
        for (null, what, of), tail in zip(ends, found, strict=True):
            null.known[what, of] = tail
        inner = [each for each in asked if each[1] == "ppf"]
        levels = [level if null.link.rises else 1 - level for null, _, level in inner]
        sums = _quantiles([null.sums for null, _, _ in inner], levels) if inner else []
        for (null, what, of), value in zip(inner, sums, strict=True):
            null.known[what, of] = float(null.read(value)[0])


def tails(
    sums: Sequence[Any], values: Floats, upper: NDArray[np.bool_], solve: Solve | None = None
) -> Floats:
    """Return the probability that each random sum is at least, or at most, a value.

    A sum has its mean, sd, slack and bounds, the step and the origin of its lattice, and logarithms
    of how many arrangements there are and of the chance of its margins, as `Matching` has. Tilts
    are those of tables with fixed margins, unless they are solved otherwise.
    """
    from scipy.special import ndtr

    sign = np.where(upper, 1, -1)
    low, high = (np.array([each.bounds[end] for each in sums]) for end in (0, 1))
    slack = np.array([each.slack for each in sums])
    centred = np.asarray(values, dtype=float) - [each.mean for each in sums]
    is_beyond = sign * centred > np.where(upper, high, -low) + slack
    is_certain = sign * centred <= np.where(upper, low, -high) + slack
    at = np.array([*map(_half_a_step_back, sums, centred.tolist(), sign.tolist())])
    at = np.clip(at, low * (1 - 1e-6), high * (1 - 1e-6))
    star, divergence = _stars(sums, at, solve or _solved)
    found = ndtr(-sign * star)
    for i in np.flatnonzero(~is_beyond & ~is_certain).tolist():
        found[i] = _capped(sums[i], found[i], divergence[i], sign[i] * at[i])
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


def _quantiles(sums: Sequence[Matching], levels: Sequence[float]) -> list[float]:
    """Return the centred sum at each level: secant steps in r*, which is nearly linear.

    They start from Cornish and Fisher's quantile; the last one is right to a hundredth of itself.
    """
    from scipy.special import ndtri

    wanted = ndtri(np.clip(levels, 1e-300, 1 - 1e-16))
    ends, sd = np.array([each.bounds for each in sums]).T, np.array([each.sd for each in sums])
    low, high = 0.999 * ends
    skewness = np.array([each.skewness for each in sums])
    at = np.clip((wanted + skewness / 6 * (wanted**2 - 1)) * sd, low, high)
    slope = 1 / sd / np.maximum(1 + skewness / 3 * wanted, 0.1)
    before, star = np.full((2, at.size), np.nan)
    going = np.arange(at.size)
    for _ in range(12):
        now = _stars([sums[i] for i in going.tolist()], at[going], _solved)[0]
        moved = at[going] - before[going]
        rise = (now - star[going]) / np.where(moved == 0, np.nan, moved)
        slope[going] = np.where(np.isnan(rise) | (rise == 0), slope[going], rise)
        before[going], star[going] = at[going], now
        at[going] += (wanted[going] - now) / slope[going]
        at[going] = np.clip(at[going], low[going], high[going])
        going = going[np.abs(at[going] - before[going]) >= LAST_STEP * sd[going]]
        if not going.size:
            break
    return [_on_lattice(each, value) for each, value in zip(sums, at.tolist(), strict=True)]


def _on_lattice(sums: Matching, value: float) -> float:
    if not sums.step:
        return value
    steps = math.ceil((value - sums.step / 2 - sums.origin) / sums.step - 1e-6)
    return float(sums.origin + sums.step * steps)


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
    alike: dict[tuple[int, ...], dict[tuple[Matching, float], None]] = {}
    for each, value in zip(sums, values.tolist(), strict=True):
        if value not in each.tilts:  # both tails ask, and quantiles of scores that share a sum
            alike.setdefault(_rounded_up(each.a.shape), {})[each, value] = None
    for shape, asked in alike.items():
        step = max(CELLS_AT_ONCE // math.prod(shape), 1) if shape[0] <= MAX_DENSE else 1
        for start in range(0, len(asked), step):
            _tilt([*asked][start : start + step])
    found = [each.tilts[value] for each, value in zip(sums, values.tolist(), strict=True)]
    slope, divergence, spread = np.array(found).T
    return slope, divergence, spread


def _tilt(asked: Sequence[tuple[Matching, float]]) -> None:
    """Find λ, the divergence and the root of the determinants of tilts of tables of like shapes.

    Newton's method with halved steps, the first one in λ alone. Levels that a table lacks have no
    rows, and are like its first one, so that they are never the likeliest.
    """
    unit = np.array([np.abs(sums.a).max() for sums, _ in asked])
    n, m, a = (_stacked([getattr(sums, name) for sums, _ in asked]) for name in ("n", "m", "a"))
    a = np.where(n[:, :, None] > 0, a, a[:, :1])
    tables = _Tables(n, m, a / unit[:, None, None], np.array([value for _, value in asked]) / unit)
    share = n / n.sum(axis=1, keepdims=True)
    point = np.zeros_like(n)
    point[:, -1] = tables.value / (share * _times(tables.a**2, m)).sum(axis=1)
    least, chance = tables.objective(point)
    is_worse = ~(least < 0)  # than no tilt
    if is_worse.any():
        point[is_worse] = 0.0
        least, chance = tables.objective(point)
    log_ratio = np.log(n.sum(axis=1)) - np.log(n, out=np.zeros_like(n), where=n > 0).sum(axis=1)
    left, is_stuck, some = np.arange(len(asked)), np.zeros(len(asked), dtype=bool), tables
    for step in range(MAX_NEWTON_STEPS + 1):
        gradient, curved = some.derivatives(chance)
        move = curved.newton_step(gradient)
        gain = (gradient * move).sum(axis=1)
        goes_on = (gain > 1e-16) & (-least[left] <= LARGEST_DIVERGENCE) & ~is_stuck
        goes_on &= step < MAX_NEWTON_STEPS
        if not goes_on.all():
            log_ratio[left[~goes_on]] += np.linalg.slogdet(curved.hessian[~goes_on])[1]
            left, move, gain = left[goes_on], move[goes_on], gain[goes_on]
            some, chance = some.some(goes_on), chance[goes_on]
            if not left.size:
                break
        here, before, length = point[left], least[left], 1.0
        point[left] = here + move
        least[left], there = some.objective(point[left])
        is_short = ~(least[left] <= before - 0.1 * gain) & (gain >= 1e-7)
        while is_short.any() and length > SHORTEST:
            length /= 2
            again = left[is_short]
            point[again] = (here + length * move)[is_short]
            least[again], there[is_short] = some.some(is_short).objective(point[again])
            is_short &= ~(least[left] <= before - 0.1 * length * gain)
        is_stuck = ~(least[left] < before + 1e-9)
        if is_stuck.any():
            back = left[is_stuck]
            point[back], least[back], there[is_stuck] = (
                each[is_stuck] for each in (here, before, chance)
            )
        chance = there
    root = np.exp(np.clip(log_ratio / 2, -700.0, 700.0))
    found = np.stack([point[:, -1] / unit, np.maximum(-least, 0.0), root * unit], axis=1)
    for place, (sums, value) in enumerate(asked):
        sums.tilts[value] = found[place]


def _rounded_up(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(-(-size // SHAPES) * SHAPES for size in shape)


def _stacked(arrays: Sequence[Floats]) -> Floats:
    """Return arrays of like shapes as one, filled up with 0: as far alone as beside others."""
    found = np.zeros((len(arrays), *_rounded_up(arrays[0].shape)))
    for place, each in zip(found, arrays, strict=True):
        place[tuple(map(slice, each.shape))] = each
    return found


class _Tables(NamedTuple):
    """Tables of one shape with fixed margins, and the values that their sums shall expect."""

    n: Floats
    m: Floats
    a: Floats
    value: Floats

    def some(self, places: NDArray[np.bool_]) -> _Tables:
        """Return some of them."""
        return _Tables(*(each[places] for each in self))

    def objective(self, point: Floats) -> tuple[Floats, Floats]:
        """Return F(β, λ), and how likely each row is in each column."""
        exponent = point[:, -1, None, None] * self.a
        exponent[:, 1:] += point[:, :-1, None]
        share = self.n / self.n.sum(axis=1, keepdims=True)
        # Less its value without a tilt, so that nothing large cancels: sums are doubly centred.
        none = (share[:, 1:] * point[:, :-1]).sum(axis=1, keepdims=True)
        top = exponent.max(axis=1)
        exponent -= top[:, None]
        chance = np.exp(exponent, out=exponent)
        chance *= share[:, :, None]
        total = chance.sum(axis=1)
        chance /= total[:, None]
        found = (self.m * (top + np.log(total) - none)).sum(axis=1)
        return found - point[:, -1] * self.value, chance

    def derivatives(self, chance: Floats) -> tuple[Floats, _Curvature]:
        """Return minus the gradient of F, and its Hessian."""
        rows, mean = _times(chance, self.m), np.einsum("bkj,bkj->bj", chance, self.a)
        away = self.a - mean[:, None]
        mixed = away * chance
        variance = 1e-300 + (np.einsum("bkj,bkj->bj", mixed, away) * self.m).sum(axis=1)
        gradient = self.n - rows
        gradient[:, :-1] = gradient[:, 1:]
        gradient[:, -1] = self.value - (mean * self.m).sum(axis=1)
        mixed = _times(mixed, self.m)[:, 1:]
        return gradient, _Curvature(chance[:, 1:], self.m, rows[:, 1:], mixed, variance)


def _times(tables: Floats, vectors: Floats) -> Floats:
    return np.asarray((tables @ vectors[:, :, None])[:, :, 0])


@dataclass(frozen=True, eq=False)
class _Curvature:
    """The Hessians of F, by what they are made of."""

    chance: Floats
    m: Floats
    rows: Floats
    mixed: Floats
    variance: Floats

    @cached_property
    def hessian(self) -> Floats:
        """All of them, with a trace of a ridge where levels are hardly told apart."""
        scaled = self.chance * np.sqrt(self.m)[:, None]
        size = self.rows.shape[1]
        found = np.empty((len(self.rows), size + 1, size + 1))
        np.negative(scaled @ scaled.swapaxes(1, 2), out=found[:, :-1, :-1])
        found[:, :-1, -1] = found[:, -1, :-1] = self.mixed
        found[:, -1, -1] = self.variance
        diagonal = found.reshape(len(found), -1)[:, :: size + 2]
        diagonal[:, :-1] += np.where(self.rows > 0, self.rows, 1.0)
        diagonal += 1e-14 * diagonal.sum(axis=1, keepdims=True)
        return found

    def newton_step(self, gradient: Floats) -> Floats:
        """Return the Hessian's inverse times a gradient; by conjugate gradients of a large one."""
        if gradient.shape[1] <= MAX_DENSE:
            return np.asarray(np.linalg.solve(self.hessian, gradient[:, :, None])[:, :, 0])
        rows = np.where(self.rows > 0, self.rows, 1.0)
        scale = np.append(rows, self.variance[:, None], axis=1)
        move, rest, towards = np.zeros_like(gradient), gradient, gradient / scale
        size = (rest * towards).sum()
        enough = 1e-12 * size
        for _ in range(gradient.shape[1]):
            if size <= enough:
                break
            turned = self._times(towards)
            length = size / (towards * turned).sum()
            move, rest = move + length * towards, rest - length * turned
            before, size = size, (rest * (rest / scale)).sum()
            towards = rest / scale + (size / before) * towards
        return move

    def _times(self, v: Floats) -> Floats:
        by_column = self.m * (v[:, None, :-1] @ self.chance)[:, 0]
        last = (self.mixed * v[:, :-1]).sum(axis=1) + self.variance * v[:, -1]
        by_row = self.rows * v[:, :-1] - _times(self.chance, by_column) + self.mixed * v[:, -1:]
        return np.append(by_row, last[:, None], axis=1)
