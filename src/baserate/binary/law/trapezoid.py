"""Integrals of smooth scores: the trapezoidal rule, and a check that a function is smooth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baserate.binary.law.canonical import floats
from baserate.exceptions import InvalidMeasureError
from baserate.null.stirling import log_factorial_excess

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.law.canonical import Canonical, Kernel

    Floats = NDArray[np.float64]

# The largest share of the sum that the first or last term may have, if the rest is negligible.
NEGLIGIBLE_EDGE = 1e-15
# The step of the trapezoidal rule is sd / 1.4, so its error is about exp(-2π²·1.4²) = 2e-17.
_STEPS_PER_SD = 1.4
NODES = np.arange(-15, 16) / _STEPS_PER_SD
# The same rule, shifted by half a step. For a smooth function both agree to this relative error.
_BETWEEN = np.arange(-15.5, 16) / _STEPS_PER_SD
_AGREEMENT = 1e-12
# A small difference of large rates is rounded like those rates: allow for that, within bounds.
_EXCUSED, _NEVER_EXCUSED = 1e-10, 1e-4


def trapezoidal(kernel: Kernel, overlap: Canonical, _: object = None) -> Floats:
    """Integrate over 31 points within 11 sd of the mean, where the summand is an analytic bell."""
    weights, cells = _grid(overlap, NODES)
    return weighted_mean(weights, overlap.score(kernel, cells))


def _grid(overlap: Canonical, nodes: Floats) -> tuple[Floats, tuple[Floats, ...]]:
    """Return the weights of the trapezoidal rule, and the tables between whole counts."""
    steps = overlap.sd[:, np.newaxis] * nodes
    means = [mean[:, np.newaxis] for mean in overlap.means]
    cells = tuple(mean + c for mean, c in zip(means, changes(steps), strict=True))
    return weights_of(means, steps), cells


def two_grids(kernel: Kernel, overlap: Canonical, _: object = None) -> Floats:
    """Integrate a function that is said to be smooth, and raise if it is seen not to be."""
    means, sizes = [], np.zeros(overlap.sd.shape)
    for nodes in (NODES, _BETWEEN):
        weights, cells = _grid(overlap, nodes)
        scores = overlap.score(kernel, cells)
        _require_finite(kernel, overlap, cells, scores)
        means.append(weighted_mean(weights, scores))
        sizes = np.maximum(sizes, np.vecdot(weights, np.abs(scores)) / weights.sum(axis=1))
    apart = np.abs(means[0] - means[1])
    suspect = np.isfinite(apart) & (apart > _AGREEMENT * sizes)
    if suspect.any():
        excuse = _AGREEMENT * sizes + _EXCUSED * _largest(kernel, overlap)
        if (suspect & (apart > np.minimum(excuse, _NEVER_EXCUSED * sizes))).any():
            raise InvalidMeasureError.not_smooth()
    return means[0]


def _largest(kernel: Kernel, overlap: Canonical) -> float:
    """Return the size of the scores of a perfect and of an all-wrong prediction."""
    sizes = [overlap.smaller_class, overlap.total - overlap.smaller_class]
    positives, negatives = sizes[::-1] if overlap.swapped_class else sizes
    p, n, none = (np.array([float(count)]) for count in (positives, negatives, 0))
    scores = np.abs([kernel(p, none, none, n), kernel(none, n, p, none)])
    return float(scores[np.isfinite(scores)].max(initial=0))


def _require_finite(
    kernel: Kernel, overlap: Canonical, cells: tuple[Floats, ...], scores: Floats
) -> None:
    """Raise if a score is finite at the nearest count, but not between counts."""
    if np.isfinite(scores).all():
        return
    x, b = np.rint(cells[0]), floats(overlap.smaller_prediction)[:, np.newaxis]
    rest = floats(overlap.rest)[:, np.newaxis]
    whole = overlap.score(kernel, (x, overlap.smaller_class - x, b - x, rest + x))
    if (np.isfinite(whole) & ~np.isfinite(scores)).any():
        raise InvalidMeasureError.not_smooth()


def changes(steps: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return how the four cells change when the overlap grows by some steps."""
    return steps, -steps, -steps, steps


def weights_of(means: list[Floats], steps: Floats) -> Floats:
    """Return weights proportional to the pmf, some steps from the mean."""
    pairs = zip(means, changes(steps), strict=True)
    return np.asarray(np.exp(-sum(log_factorial_excess(mean, change) for mean, change in pairs)))


def weighted_mean(weights: Floats, scores: Floats) -> Floats:
    """Return mean scores: nan if one is undefined, infinite if they outgrow the weights."""
    totals = np.vecdot(weights, scores)
    totals[~np.isfinite(totals)] = np.nan
    edges = np.abs(weights[:, [0, -1]] * scores[:, [0, -1]]).max(axis=1)
    outgrown = edges > NEGLIGIBLE_EDGE * np.abs(totals)
    if outgrown.any():  # or the mean is zero, and only the sum of absolute values shows it
        sizes = np.vecdot(weights[outgrown], np.abs(scores[outgrown]))
        outgrown[outgrown] = edges[outgrown] > NEGLIGIBLE_EDGE * sizes
    return np.where(outgrown, np.inf, totals / weights.sum(axis=1))
