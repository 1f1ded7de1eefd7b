"""What draws of rows that matter more or less expect: a fraction of the rows, at random."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.observed.weighted import WeightedTestSet

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


Score: TypeAlias = "Callable[[Floats, Floats, Floats, Floats], Floats]"
"""A function of the weights of the four cells of many draws."""


class Blocks(NamedTuple):
    """Observations that are alike: of one class, and of one weight."""

    sizes: Ints  # how many observations each block has
    weights: Floats  # the weight of each of them
    positive: NDArray[np.bool_]

    @classmethod
    def of(cls, base: WeightedTestSet) -> Blocks:
        """Return the observations of a test set, positives first."""
        order = np.argsort(-base.truth, kind="stable")
        return cls(base.rows[order], base.importance[order], base.truth[order] == 1)


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
    def of(cls, base: WeightedTestSet, sizes: Floats) -> Moments:
        """Return the moments of draws of some sizes, without replacement."""
        share, total = sizes / base.total, base.total
        # Of one observation nothing is random.
        spread = share * (1 - share) * (total / (total - 1) if total > 1 else 0.0)
        one, other = base.by_class.positives, base.by_class.negatives
        squares = np.bincount(base.truth, base.rows * base.importance**2, 2)[::-1].tolist()
        return cls(
            share * one,
            share * other,
            spread * (squares[0] - one * one / total),
            spread * (squares[1] - other * other / total),
            -spread * one * other / total,
        )


@lru_cache(maxsize=4)
def every_draw(base: WeightedTestSet) -> tuple[DrawCells, Ints, Floats] | None:
    """Return all draws of a test set, their sizes, and their chances among draws of that size.

    None if there are too many.
    """
    blocks = Blocks.of(base)
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


def _simple_draws(base: WeightedTestSet, drawn: int) -> tuple[DrawCells, Floats]:
    """Return all draws of nothing or one observation, or of all but these, and their chances."""
    blocks, is_one = Blocks.of(base), drawn in (1, base.total - 1)
    here = blocks.weights * is_one
    one, other = here * blocks.positive, here * ~blocks.positive
    rest = base.by_class.positives - one, base.by_class.negatives - other
    cells = (one, other, *rest) if drawn <= 1 else (*rest, one, other)
    return DrawCells(*cells), blocks.sizes / base.total


@dataclass(frozen=True, eq=False)
class _Orders:
    """Random draws of several sizes."""

    sizes: Ints
    cells: DrawCells  # of shape (sizes, draws)
    moments: Moments  # what the true means and variances are, by size

    def estimates(self, score: Score) -> Estimates:
        """Return the expected score of draws of each size; nan if some have no score."""
        found = [
            _regressed(*regressors, score(*(each[part] for each in self.cells)))
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


def estimated(score: Score, base: WeightedTestSet, sizes: Ints) -> Estimates:
    """Return the expected scores of draws of some sizes, approximately.

    They are exact where nothing or one observation is chosen, or is left.
    """
    known = _orders(base)
    of_orders = known.estimates(score)
    places = np.minimum(np.searchsorted(known.sizes, sizes), known.sizes.size - 1)
    means, errors = of_orders.means[places], of_orders.errors[places]
    others = np.flatnonzero(known.sizes[places] != sizes)
    if others.size:
        means[others] = _normal(score, base, sizes[others])
        errors[others] = _seam(score, base, of_orders, sizes[others])
    for place in np.flatnonzero(np.minimum(sizes, base.total - sizes) <= 1).tolist():
        cells, chances = _simple_draws(base, int(sizes[place]))
        means[place] = float(np.dot(chances, score(*cells)))
        errors[place] = 0.0
    return Estimates(means, errors)


def _seam(score: Score, base: WeightedTestSet, of_orders: Estimates, sizes: Ints) -> Floats:
    """Return how far off the normal approximation is: as at the largest draws that are simulated.

    It falls at least as fast as the sizes rise, of draws or of what they leave.
    """
    ends = np.array([_ENDS, base.total - _ENDS])
    apart = np.abs(_normal(score, base, ends) - of_orders.means[[_ENDS, _ENDS + 1]])
    return np.asarray(apart.max() * _ENDS / np.minimum(sizes, base.total - sizes))


@lru_cache(maxsize=2)
def _orders(base: WeightedTestSet) -> _Orders:
    """Return random orders of a test set, or of its first and last observations."""
    rng = np.random.default_rng(_SEED)
    length = base.total if base.total <= _FEW else 2 * _ENDS
    number = min(_ORDERS, _NUMBERS // length)
    blocks = Blocks.of(base)
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


def _both_ends(base: WeightedTestSet, one: Floats, other: Floats) -> DrawCells:
    """Return draws of few observations, and of all but a few."""
    tp, fp = _first(one[:_ENDS]), _first(other[:_ENDS])
    fn, tn = _last(one[_ENDS:]), _last(other[_ENDS:])
    rest = [base.by_class.positives - tp, base.by_class.negatives - fp]
    most = [base.by_class.positives - fn, base.by_class.negatives - tn]
    return DrawCells(
        np.concatenate([tp, most[0]]),
        np.concatenate([fp, most[1]]),
        np.concatenate([rest[0], fn]),
        np.concatenate([rest[1], tn]),
    )


def _normal(score: Score, base: WeightedTestSet, sizes: Ints) -> Floats:
    """Return expected scores as if the weights of true and false positives were normal."""
    parts = [sizes[at : at + _PART].astype(float) for at in range(0, sizes.size, _PART)]
    return np.concatenate([_normal_part(score, base, part) for part in parts])


def _normal_part(score: Score, base: WeightedTestSet, sizes: Floats) -> Floats:
    points, masses = np.polynomial.hermite_e.hermegauss(_POINTS)
    masses = masses / masses.sum()
    moments = Moments.of(base, sizes[:, np.newaxis, np.newaxis])
    first, second = points[:, np.newaxis], points[np.newaxis, :]
    spread = np.sqrt(moments.tp_variance)
    with np.errstate(all="ignore"):
        slope = np.where(spread > 0, moments.covariance / np.where(spread > 0, spread, 1), 0.0)
    rest = np.sqrt(np.maximum(moments.fp_variance - slope**2, 0.0))
    tp = np.clip(moments.tp + spread * first + 0 * second, 0, base.by_class.positives)
    fp = np.clip(moments.fp + slope * first + rest * second, 0, base.by_class.negatives)
    scores = score(tp, fp, base.by_class.positives - tp, base.by_class.negatives - fp)
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
