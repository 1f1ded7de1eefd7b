"""The expected score of draws of every size, approximately.

A random order of the observations is a draw of every size at once: its first ones. On a large test
set that is done for the first few and the last few, and in between the weights of true and of false
positives are taken as normal, with their true means and variances.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from baserate.weighted.law.calibrated import Estimates, regressed
from baserate.weighted.law.cells import DrawCells, Moments
from baserate.weighted.law.listed import few_draws

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.weighted.base import WeightedBase
    from baserate.weighted.measures import WeightedMeasure

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

# Up to this many observations there are orders of all of them; of more, of this many at each end.
_FEW, _ENDS = 2_000, 200
# The most orders, and the most numbers in all of them together.
_ORDERS, _NUMBERS = 4_000, 800_000
# How many sizes are calibrated at once.
_AT_ONCE = 64
# Points of a quadrature in each of two directions, and how many sizes are looked at together.
_POINTS, _PART = 9, 2_000
_SEED = 48


@dataclass(frozen=True, eq=False)
class Orders:
    """Random draws of several sizes.

    Parameters
    ----------
    sizes
        The sizes.
    cells
        The weights of the four cells, of shape (draws, sizes).
    moments
        What the true means and variances are, by size.
    """

    sizes: Ints
    cells: DrawCells
    moments: Moments

    def estimates(self, measure: WeightedMeasure) -> Estimates:
        """Return the expected score of draws of each size; nan if some have no score."""
        starts = range(0, self.sizes.size, _AT_ONCE)
        parts = [self._part(measure, slice(start, start + _AT_ONCE)) for start in starts]
        means, errors = (np.concatenate(each) for each in zip(*parts, strict=True))
        return Estimates(means, errors)

    def _part(self, measure: WeightedMeasure, part: slice) -> Estimates:
        cells = self.cells.chosen((slice(None), part))
        scores = measure.scores(*cells)
        return regressed(cells.tp, cells.fp, self.moments.chosen(part), scores)


def estimated(measure: WeightedMeasure, base: WeightedBase, sizes: Ints) -> Estimates:
    """Return the expected scores of draws of some sizes, approximately.

    They are exact where nothing or one observation is chosen, or is left.
    """
    known = orders(base)
    of_orders = known.estimates(measure)
    places = np.minimum(np.searchsorted(known.sizes, sizes), known.sizes.size - 1)
    means, errors = of_orders.means[places], of_orders.errors[places]
    others = np.flatnonzero(known.sizes[places] != sizes)
    if others.size:
        means[others] = _normal(measure, base, sizes[others])
        errors[others] = _seam(measure, base, of_orders, sizes[others])
    for place in np.flatnonzero(np.minimum(sizes, base.total - sizes) <= 1).tolist():
        simple = few_draws(base, int(sizes[place]))
        assert simple is not None  # noqa: S101
        means[place] = float(np.dot(simple[1], measure.scores(*simple[0])))
        errors[place] = 0.0
    return Estimates(means, errors)


def _seam(
    measure: WeightedMeasure, base: WeightedBase, of_orders: Estimates, sizes: Ints
) -> Floats:
    """Return how far off the normal law is: as at the largest draws that are simulated.

    It falls at least as fast as the sizes rise, of draws or of what they leave.
    """
    ends = np.array([_ENDS, base.total - _ENDS])
    apart = np.abs(_normal(measure, base, ends) - of_orders.means[[_ENDS, _ENDS + 1]])
    return np.asarray(apart.max() * _ENDS / np.minimum(sizes, base.total - sizes))


@lru_cache(maxsize=2)
def orders(base: WeightedBase) -> Orders:
    """Return random orders of a test set, or of its first and last observations."""
    rng = np.random.default_rng(_SEED)
    length = base.total if base.total <= _FEW else 2 * _ENDS
    number = min(_ORDERS, _NUMBERS // length)
    units = _dealt(base.total, length, number, rng)
    blocks = base.blocks
    place = np.searchsorted(np.cumsum(blocks.sizes), units, side="right")
    weights, positive = blocks.weights[place], blocks.positive[place]
    one, other = weights * positive, weights * ~positive
    if length == base.total:
        sizes = np.arange(length + 1)
        cells = DrawCells(_first(one), _first(other), _last(one), _last(other))
    else:
        sizes = np.append(np.arange(_ENDS + 1), np.arange(-_ENDS, 1) + base.total)
        cells = _both_ends(base, one, other)
    return Orders(sizes, cells, Moments.of(base, sizes.astype(float)))


def _dealt(total: int, length: int, number: int, rng: np.random.Generator) -> Ints:
    """Return the first observations of random orders."""
    if length == total:
        return rng.permuted(np.tile(np.arange(total), (number, 1)), axis=1)
    found = [rng.choice(total, length, replace=False, shuffle=True) for _ in range(number)]
    return np.stack(found)


def _first(weights: Floats) -> Floats:
    """Return the sums of the first 0, 1, 2 … in each row."""
    return np.concatenate([np.zeros((len(weights), 1)), np.cumsum(weights, axis=1)], axis=1)


def _last(weights: Floats) -> Floats:
    """Return the sums of all but the first 0, 1, 2 … in each row."""
    return _first(weights[:, ::-1])[:, ::-1]


def _both_ends(base: WeightedBase, one: Floats, other: Floats) -> DrawCells:
    """Return draws of few observations, and of all but a few."""
    tp, fp = _first(one[:, :_ENDS]), _first(other[:, :_ENDS])
    fn, tn = _last(one[:, _ENDS:]), _last(other[:, _ENDS:])
    rest = [base.positive_weight - tp, base.negative_weight - fp]
    most = [base.positive_weight - fn, base.negative_weight - tn]
    return DrawCells(
        np.concatenate([tp, most[0]], axis=1),
        np.concatenate([fp, most[1]], axis=1),
        np.concatenate([rest[0], fn], axis=1),
        np.concatenate([rest[1], tn], axis=1),
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
