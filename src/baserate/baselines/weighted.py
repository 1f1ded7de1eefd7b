"""The best and the worst guess where observations matter more or less."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.baselines.dutch_draw import DutchDrawBaseline, never_defined, no_draw
from baserate.baselines.dutch_scaler import Mixture, perfect_score
from baserate.core.baseline import COMPUTATION, Optimum
from baserate.core.measure import Direction
from baserate.exceptions import InvalidMeasureError
from baserate.observed.theta import ThetaSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.measures.weighted import Plane, WeightedMeasure
    from baserate.observed.theta import Counts
    from baserate.observed.weighted import WeightedBase

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


# The most ways to choose from all blocks that are listed.
_MOST = 2**18
# Up to this many observations there are orders of all of them; of more, of this many at each end.
_FEW, _ENDS = 2_000, 200
# The most orders, and the most numbers in all of them together.
_ORDERS, _NUMBERS = 4_000, 800_000
# How many sizes are regressed at once.
_AT_ONCE = 64
# Points of a quadrature in each of two directions, and how many sizes are looked at together.
_POINTS, _PART = 9, 2_000
_SEED = 48
# A combination of moments that varies less than this, relative to the others, is left out.
_FLAT = 1e-10


class Estimates(NamedTuple):
    """Expected scores, and how far off they may be: a standard error; 0 if they are exact."""

    means: Floats
    errors: Floats


class DrawCells(NamedTuple):
    """The weights of the four cells in each of many draws.

    What is left is summed for itself, and is no difference: that would lose its digits.
    """

    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats


class Moments(NamedTuple):
    """Means and variances of the weights of true and of false positives, in draws of some sizes."""

    tp: Floats
    fp: Floats
    tp_variance: Floats
    fp_variance: Floats
    covariance: Floats

    @classmethod
    def of(cls, base: WeightedBase, sizes: Floats) -> Moments:
        """Return the moments of draws of some sizes, without replacement."""
        share, total = sizes / base.total, base.total
        # Of one observation nothing is random.
        spread = share * (1 - share) * (total / (total - 1) if total > 1 else 0.0)
        one, other = base.positive_weight, base.negative_weight
        squares = [float(counts @ base.weights**2) for counts in (base.positives, base.negatives)]
        return cls(
            share * one,
            share * other,
            spread * (squares[0] - one * one / total),
            spread * (squares[1] - other * other / total),
            -spread * one * other / total,
        )


@lru_cache(maxsize=4)
def _every_draw(base: WeightedBase) -> tuple[DrawCells, Ints, Floats] | None:
    """Return all draws of a test set, their sizes, and their chances among draws of that size.

    None if there are too many.
    """
    blocks = base.blocks
    # The product of many sizes has millions of digits.
    if np.log1p(blocks.sizes).sum() > math.log(_MOST) + 1e-9:
        return None
    factors = np.log(np.arange(1, base.total + 1, dtype=np.longdouble))
    logs = np.append(0, np.cumsum(factors))  # of factorials
    cells, sizes, ways = np.zeros((4, 1)), np.zeros(1, np.int64), np.zeros(1, logs.dtype)
    for size, weight, is_positive in zip(*(each.tolist() for each in blocks), strict=True):
        chosen = np.arange(size + 1)
        added = np.zeros((4, 1, size + 1))
        added[0 if is_positive else 1] = weight * chosen
        added[2 if is_positive else 3] = weight * chosen[::-1]
        cells = (cells[:, :, np.newaxis] + added).reshape(4, -1)
        sizes = (sizes[:, np.newaxis] + chosen).ravel()
        ways = (ways[:, np.newaxis] + logs[size] - logs[chosen] - logs[chosen[::-1]]).ravel()
    every = logs[base.total] - logs[sizes] - logs[base.total - sizes]
    return DrawCells(*cells), sizes, np.exp(ways - every).astype(float)


def _simple_draws(base: WeightedBase, drawn: int) -> tuple[DrawCells, Floats]:
    """Return all draws of nothing or one observation, or of all but these, and their chances."""
    blocks, is_one = base.blocks, drawn in (1, base.total - 1)
    here = blocks.weights * is_one
    one, other = here * blocks.positive, here * ~blocks.positive
    rest = base.positive_weight - one, base.negative_weight - other
    cells = (one, other, *rest) if drawn <= 1 else (*rest, one, other)
    return DrawCells(*cells), blocks.sizes / base.total


@dataclass(frozen=True, eq=False)
class _Orders:
    """Random draws of several sizes."""

    sizes: Ints
    cells: DrawCells  # of shape (sizes, draws)
    moments: Moments  # what the true means and variances are, by size

    def estimates(self, measure: WeightedMeasure) -> Estimates:
        """Return the expected score of draws of each size; nan if some have no score."""
        found = [
            _regressed(*regressors, measure.scores(*(each[part] for each in self.cells)))
            for part, regressors in self._regressors
        ]
        means, errors = (np.concatenate(each) for each in zip(*found, strict=True))
        return Estimates(means, errors)

    @cached_property
    def _regressors(self) -> list[tuple[slice, tuple[Floats, Floats]]]:
        """What all measures are regressed on, of each part of the sizes."""
        starts = range(0, self.sizes.size, _AT_ONCE)
        parts = [slice(start, start + _AT_ONCE) for start in starts]
        return [
            (part, _regressors(self.cells.tp[part], self.cells.fp[part], self.moments, part))
            for part in parts
        ]


def estimated(measure: WeightedMeasure, base: WeightedBase, sizes: Ints) -> Estimates:
    """Return the expected scores of draws of some sizes, approximately.

    They are exact where nothing or one observation is chosen, or is left.
    """
    known = _orders(base)
    of_orders = known.estimates(measure)
    places = np.minimum(np.searchsorted(known.sizes, sizes), known.sizes.size - 1)
    means, errors = of_orders.means[places], of_orders.errors[places]
    others = np.flatnonzero(known.sizes[places] != sizes)
    if others.size:
        means[others] = _normal(measure, base, sizes[others])
        errors[others] = _seam(measure, base, of_orders, sizes[others])
    for place in np.flatnonzero(np.minimum(sizes, base.total - sizes) <= 1).tolist():
        cells, chances = _simple_draws(base, int(sizes[place]))
        means[place] = float(np.dot(chances, measure.scores(*cells)))
        errors[place] = 0.0
    return Estimates(means, errors)


def _seam(
    measure: WeightedMeasure, base: WeightedBase, of_orders: Estimates, sizes: Ints
) -> Floats:
    """Return how far off the normal approximation is: as at the largest draws that are simulated.

    It falls at least as fast as the sizes rise, of draws or of what they leave.
    """
    ends = np.array([_ENDS, base.total - _ENDS])
    apart = np.abs(_normal(measure, base, ends) - of_orders.means[[_ENDS, _ENDS + 1]])
    return np.asarray(apart.max() * _ENDS / np.minimum(sizes, base.total - sizes))


@lru_cache(maxsize=2)
def _orders(base: WeightedBase) -> _Orders:
    """Return random orders of a test set, or of its first and last observations."""
    rng = np.random.default_rng(_SEED)
    length = base.total if base.total <= _FEW else 2 * _ENDS
    number = min(_ORDERS, _NUMBERS // length)
    blocks = base.blocks
    place = _first_rows(blocks.sizes, length, number, rng).T
    weights, positive = blocks.weights[place], blocks.positive[place]
    one, other = weights * positive, weights * ~positive
    if length == base.total:
        sizes = np.arange(length + 1)
        cells = DrawCells(_first(one), _first(other), _last(one), _last(other))
    else:
        sizes = np.append(np.arange(_ENDS + 1), np.arange(-_ENDS, 1) + base.total)
        cells = _both_ends(base, one, other)
    return _Orders(sizes, cells, Moments.of(base, sizes.astype(float)))


def _first_rows(sizes: Ints, length: int, number: int, rng: np.random.Generator) -> Ints:
    """Return the blocks of the first observations of random orders."""
    total = int(sizes.sum())
    if length == total:
        return rng.permuted(np.tile(np.repeat(np.arange(sizes.size), sizes), (number, 1)), axis=1)
    found = [rng.choice(total, length, replace=False, shuffle=True) for _ in range(number)]
    return np.searchsorted(np.cumsum(sizes), np.stack(found), side="right")


def _first(weights: Floats) -> Floats:
    """Return the sums of the first 0, 1, 2 … in each column."""
    found = np.zeros((len(weights) + 1, weights.shape[1]))
    np.cumsum(weights, axis=0, out=found[1:])
    return found


def _last(weights: Floats) -> Floats:
    """Return the sums of all but the first 0, 1, 2 … in each column."""
    return _first(weights[::-1])[::-1]


def _both_ends(base: WeightedBase, one: Floats, other: Floats) -> DrawCells:
    """Return draws of few observations, and of all but a few."""
    tp, fp = _first(one[:_ENDS]), _first(other[:_ENDS])
    fn, tn = _last(one[_ENDS:]), _last(other[_ENDS:])
    rest = [base.positive_weight - tp, base.negative_weight - fp]
    most = [base.positive_weight - fn, base.negative_weight - tn]
    return DrawCells(
        np.concatenate([tp, most[0]]),
        np.concatenate([fp, most[1]]),
        np.concatenate([rest[0], fn]),
        np.concatenate([rest[1], tn]),
    )


def _normal(measure: WeightedMeasure, base: WeightedBase, sizes: Ints) -> Floats:
    """Return expected scores as if the weights of true and false positives were normal."""
    parts = [sizes[at : at + _PART].astype(float) for at in range(0, sizes.size, _PART)]
    return np.concatenate([_normal_part(measure, base, part) for part in parts])


def _normal_part(measure: WeightedMeasure, base: WeightedBase, sizes: Floats) -> Floats:
    points, masses = np.polynomial.hermite_e.hermegauss(_POINTS)
    masses = masses / masses.sum()
    moments = Moments.of(base, sizes[:, np.newaxis, np.newaxis])
    first, second = points[:, np.newaxis], points[np.newaxis, :]
    spread = np.sqrt(moments.tp_variance)
    with np.errstate(all="ignore"):
        slope = np.where(spread > 0, moments.covariance / np.where(spread > 0, spread, 1), 0.0)
    rest = np.sqrt(np.maximum(moments.fp_variance - slope**2, 0.0))
    tp = np.clip(moments.tp + spread * first + 0 * second, 0, base.positive_weight)
    fp = np.clip(moments.fp + slope * first + rest * second, 0, base.negative_weight)
    scores = measure.scores(tp, fp, base.positive_weight - tp, base.negative_weight - fp)
    return np.asarray(np.einsum("sij,i,j->s", scores, masses, masses))


def _regressed(columns: Floats, inverse: Floats, scores: Floats) -> Estimates:
    """Return the means of scores (sizes, draws) over the draws, with their standard errors.

    The first two moments of what is predicted positive are known, so only what is left of a score
    after a quadratic function of both sums is averaged (regression on control variates).
    """
    draws = scores.shape[1]
    products = (columns @ scores[..., np.newaxis]) / draws
    slopes = inverse @ products
    left = scores - (slopes.swapaxes(1, 2) @ columns)[:, 0]
    return Estimates(slopes[:, 0, 0], np.sqrt((left**2).mean(axis=1) / draws))


def _regressors(tp: Floats, fp: Floats, every: Moments, part: slice) -> tuple[Floats, Floats]:
    """Return 1 and what should be 0 on average, and the inverse of their mean products.

    The former has the shape (sizes, moments, draws).
    """
    moments = Moments(*(each[part, np.newaxis] for each in every))
    one = _standard(tp - moments.tp, moments.tp_variance)
    two = _standard(fp - moments.fp, moments.fp_variance)
    scale = np.sqrt(moments.tp_variance * moments.fp_variance)
    correlation = np.where(scale > 0, moments.covariance / np.where(scale > 0, scale, 1), 0.0)
    centred = (
        np.ones_like(one),
        one,
        two,
        one * one - (moments.tp_variance > 0),
        two * two - (moments.fp_variance > 0),
        one * two - correlation,
    )
    columns = np.stack(centred, axis=1)
    gram = columns @ columns.swapaxes(1, 2) / tp.shape[1]
    return columns, np.linalg.pinv(gram, rcond=_FLAT, hermitian=True)


def _standard(deviations: Floats, variance: Floats) -> Floats:
    """Return deviations in standard deviations; 0 where nothing varies."""
    varies = variance > 0
    return np.where(varies, deviations / np.sqrt(np.where(varies, variance, 1.0)), 0.0)


# A search looks at every size up to this many, and at so many of more.
_EVERY, _GRID = 20_000, 2_001
# How many standard errors an expectation is better, if it is.
_SURE = 4.0


@dataclass(frozen=True, repr=False)
class WeightedBaseline(DutchDrawBaseline):
    """The expected weighted scores of the best and the worst Dutch Draw."""

    def oracle_weight(self, score: float) -> float:
        """Return the weight of an oracle that explains a score; nan if there is none.

        The expected weights of a draw and an oracle are those of plain counts.
        """
        scale, margin = self.scale, self.scale.advantage(score, self.value)
        is_within = margin >= 0 and not scale.advantage(score, scale.perfect) > 0
        if not is_within or not scale.room > 0:
            return math.nan
        if margin == 0:
            return 0.0
        base = self.measure.on(self.test_set)
        facts: Any = SimpleNamespace(measure=self.measure.of, test_set=_perfect(base))
        try:
            return Mixture(facts, self.theta_star * base.total_weight, 0.0).bracketed(score)
        except InvalidMeasureError:  # a user's function may not take any number
            return math.nan


@lru_cache(maxsize=256)
def weighted_baseline(base: WeightedBase, measure: WeightedMeasure) -> WeightedBaseline:
    """Return the expected weighted scores of the best and of the worst draw."""
    measure.require_baseline()
    allowed = measure.of.allowed(base.rate)
    if not allowed:
        raise no_draw(base.rate, measure.of)
    prepared = measure.on(base)
    plane = measure.plane(prepared)
    if plane is not None:
        highest, lowest = _straight(plane, prepared, allowed)
    else:
        highest, lowest = _searched(measure, prepared, allowed)
    best = highest if measure.direction is Direction.MAXIMIZE else lowest
    perfect = perfect_score(measure.of, _perfect(prepared), best.value)
    return WeightedBaseline(measure, base, highest, lowest, perfect)


def _perfect(base: WeightedBase) -> Any:
    """Return the weights of a test set and of its table without errors, by the names of counts."""
    positives, negatives = base.positive_weight, base.negative_weight
    return SimpleNamespace(
        tp=positives,
        fp=0.0,
        fn=0.0,
        tn=negatives,
        positives=positives,
        negatives=negatives,
        predicted_positives=positives,
        predicted_negatives=negatives,
        total=positives + negatives,
    )


def _straight(plane: Plane, base: WeightedBase, allowed: range) -> tuple[Optimum, Optimum]:
    """Return the optima of a linear score: its ends, or every draw."""
    weights = base.positive_weight, base.negative_weight
    slope = plane.tp * weights[0] + plane.fp * weights[1]
    slack = COMPUTATION * (abs(plane.tp) * weights[0] + abs(plane.fp) * weights[1])
    if abs(slope) <= slack:
        every = Optimum(plane.constant, ThetaSet((allowed,), base.total))
        return every, every
    ends = [
        Optimum(
            plane.constant + slope * (size / base.total),
            ThetaSet((range(size, size + 1),), base.total),
        )
        for size in (allowed[0], allowed[-1])
    ]
    low, high = sorted(ends, key=lambda end: end.value)
    return high, low


def _searched(
    measure: WeightedMeasure, base: WeightedBase, allowed: range
) -> tuple[Optimum, Optimum]:
    every = _every_draw(base)
    if every is not None:
        cells, chosen, chances = every
        means = np.bincount(chosen, chances * measure.scores(*cells), base.total + 1)
        return _among_all(measure, means.astype(float), allowed)
    sizes = _sizes(allowed)
    estimates = estimated(measure, base, sizes)
    if np.isnan(estimates.means).all():
        raise never_defined(measure.of)
    high, low = (_found(measure, base, sizes, estimates, sign) for sign in (1, -1))
    return high, low


def _among_all(measure: WeightedMeasure, means: Floats, allowed: range) -> tuple[Optimum, Optimum]:
    """Return the optima of known expectations, with all sizes that attain them."""
    here, total = means[allowed[0] : allowed[-1] + 1], means.size - 1
    if np.isnan(here).all():
        raise never_defined(measure.of)
    slack = COMPUTATION * measure.of.magnitude(float(np.nanmax(np.abs(here))))
    found = []
    for top in (float(np.nanmax(here)), float(np.nanmin(here))):
        ties = allowed[0] + np.flatnonzero(np.abs(here - top) <= slack)
        found.append(Optimum(top, ThetaSet(_ranges(ties), total)))
    return found[0], found[1]


def _found(
    measure: WeightedMeasure, base: WeightedBase, sizes: Ints, known: Estimates, sign: int
) -> Optimum:
    """Return the largest expectation, or the smallest for sign -1: a search that is not certain.

    It is the one that is surely best, so that a size whose expectation is known exactly is not
    passed over for the noise of others.
    """
    best = int(np.nanargmax(sign * known.means - _SURE * known.errors))
    around = _around(sizes, best)
    if not np.isin(around, sizes).all():
        sizes, known = around, estimated(measure, base, around)
        best = int(np.nanargmax(sign * known.means - _SURE * known.errors))
    size, value = int(sizes[best]), float(known.means[best])
    return Optimum(value, ThetaSet((range(size, size + 1),), base.total), exact=False)


def _sizes(allowed: range) -> Ints:
    """Return the sizes to look at: every one, or ever more of them towards both ends."""
    if len(allowed) <= _EVERY:
        return np.arange(allowed[0], allowed[-1] + 1)
    near = np.unique(np.geomspace(1, len(allowed) / 2, _GRID // 4).astype(np.int64)) - 1
    even = np.linspace(allowed[0], allowed[-1], _GRID // 2).astype(np.int64)
    return np.unique(np.concatenate([allowed[0] + near, even, allowed[-1] - near]))


def _around(sizes: Ints, place: int) -> Ints:
    """Return sizes between the neighbours of one of them."""
    low, high = int(sizes[max(place - 1, 0)]), int(sizes[min(place + 1, sizes.size - 1)])
    between = np.linspace(low, high, min(high - low + 1, _GRID)).astype(np.int64)
    return np.unique(np.append(between, sizes[place]))


def _ranges(sizes: Ints) -> Counts:
    """Return ascending sizes as ranges."""
    starts = np.flatnonzero(np.diff(sizes, prepend=sizes[0] - 2) > 1)
    ends = np.append(starts[1:], sizes.size) - 1
    pairs = zip(sizes[starts].tolist(), sizes[ends].tolist(), strict=True)
    return tuple(range(first, last + 1) for first, last in pairs)
