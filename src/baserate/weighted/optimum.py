"""The best and the worst draw by a weighted score."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from baserate.binary.optimum.baseline import Optimum, no_draw
from baserate.binary.optimum.scan import never_defined
from baserate.binary.theta import ThetaSet
from baserate.core.optimum import TwoEnds
from baserate.core.rounding import COMPUTATION
from baserate.formatting import number_format
from baserate.weighted.expectation import estimated, listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.theta import Counts
    from baserate.weighted.base import WeightedBase
    from baserate.weighted.expectation import Estimates
    from baserate.weighted.measures import WeightedMeasure
    from baserate.weighted.shapes import Plane

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

# A search looks at every size up to this many, and at so many of more.
_EVERY, _GRID = 20_000, 2_001
# How many standard errors an expectation is better, if it is.
_SURE = 4.0


@dataclass(frozen=True)
class WeightedBaseline(TwoEnds[Optimum]):
    """The weighted score that comes for free on a test set, for one measure.

    Parameters
    ----------
    measure
        The measure.
    test_set
        The test set.
    max, min
        The largest and the smallest expected score of any draw.
    """

    measure: WeightedMeasure
    test_set: WeightedBase
    max: Optimum
    min: Optimum

    def __str__(self) -> str:
        write = number_format((self.best.value, self.worst.value))
        draws = str(self.best.theta_stars).strip("{}")
        sure = "" if self.best.exact else "; found by a search, and not certain"
        return (
            f"{self.measure.key} baseline {write(self.best.value)}: what the best draw expects, "
            f"θ* in {{{draws}}}; the worst expects {write(self.worst.value)} "
            f"({self.test_set.described}){sure}"
        )


@lru_cache(maxsize=256)
def weighted_baseline(base: WeightedBase, measure: WeightedMeasure) -> WeightedBaseline:
    """Return the expected weighted scores of the best and of the worst draw.

    Examples
    --------
    Always predicting positive is not the best by F1 if a negative has most of the weight.

    >>> from baserate import get_measure
    >>> from baserate.weighted.base import WeightedBase
    >>> from baserate.weighted.measures import WeightedMeasure
    >>> base = WeightedBase(np.array([1.0, 100.0]), np.array([1, 0]), np.array([0, 1]))
    >>> print(weighted_baseline(base, WeightedMeasure.by(get_measure("F1"))))
    F1 baseline 0.500: what the best draw expects, θ* in {1/2}; the worst expects 0.020
    (2 observations, 1 positive, total weight 101, 1.0% of it positive)
    """
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
    return WeightedBaseline(measure, base, highest, lowest)


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
    every = listed(base)
    if every is not None:
        return _among_all(measure, every.means(measure), allowed)
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
