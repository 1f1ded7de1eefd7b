"""The limits of a number over test sets like the one that was observed.

As in `core/confidence.py`, each occupied cell has as many observations as were counted, and one
more is given to whichever cell makes the number worst, or best. Two things are added for many
classes. The average of a curved function over such tables is biased, and a limit that this bias
brings nearer to the observed number is moved back. And classes with few observations borrow from
each other, see `spread.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from baserate.core import confidence
from baserate.multiclass.plausible.number import places_that_matter
from baserate.multiclass.plausible.spread import approximate_spread, borrowed_spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.multiclass.plausible.number import Number, Place
    from baserate.multiclass.plausible.sample import Sample
    from baserate.multiclass.plausible.tables import Floats, Tables

# How many points are drawn, divided by alpha: as wished, if tables are scored one by one, and at
# least; fewer are not enough for quantiles.
_POINTS, _POINTS_ONE_BY_ONE, _FEWEST = 120, 100, 40
# The most random numbers, and the most cells of tables, at once.
_MOST_DRAWN, _MOST_CELLS = 4 * 10**6, 4 * 10**6
# How many cells are tried for the spare observation of each limit. With all cells of five and ten
# classes tried, limits moved by 0.3% of an interval at the median, and 5% at most.
_WAYS, _WAYS_ONE_BY_ONE = 3, 1
# A fixed stream: limits are the same twice.
_SEED = 38


@dataclass(frozen=True, eq=False)
class Plausible:
    """Tables that could well have given a sample.

    Parameters
    ----------
    sample
        What was observed.
    alpha
        How often a pair of limits may be wrong.
    """

    sample: Sample
    alpha: float

    def limits(self, number: Number, looks: int = 1) -> tuple[float, float]:
        """Return the lower and the upper limit of a number, each wrong at most alpha / 2.

        They are nan if the number has no value for other tables than the observed one.

        Parameters
        ----------
        number
            The number; it must have a value for what was observed.
        looks
            How many upper limits there are of which the smallest will be taken.
        """
        observed = float(number.of(self.sample.observed)[0])
        points = self._points(number)
        if points:
            below, above = self._by_quantiles(number, observed, points, looks)
        else:
            below, above = self._by_spread(number, observed, looks)
        return observed - below, observed + above

    def _by_quantiles(
        self, number: Number, observed: float, points: int, looks: int
    ) -> tuple[float, float]:
        """Return how far the limits are below and above the observed number."""
        tables, spare = self._drawn(points, whole=number.whole)
        plain = number.of(
            [each.times(self.sample.total / (self.sample.total - spare)) for each in tables]
        )
        if np.isnan(plain).all():  # a user's function may have no value for parts of counts
            return math.nan, math.nan
        bias = float(np.nanmean(plain)) - observed
        most = _WAYS_ONE_BY_ONE if number.slow else _WAYS
        worst, best = (
            np.stack([number.of(_given(tables, way, spare)) for way in self._ways(places)])
            for places in places_that_matter(number, self.sample, most)
        )
        low, _ = confidence.limits(worst, self.alpha)
        _, high = confidence.limits(best, self.alpha / looks)
        sd = borrowed_spread(number, self.sample)
        borrowed = max(sd**2 - float(np.nanvar(plain)), 0.0)
        below = max(observed - low + max(2 * bias, 0.0), 0.0)
        above = max(high - observed - min(2 * bias, 0.0), 0.0)
        return (
            math.hypot(below, _quantile(self.alpha) * math.sqrt(borrowed)),
            math.hypot(above, _quantile(self.alpha / looks) * math.sqrt(borrowed)),
        )

    def _by_spread(self, number: Number, observed: float, looks: int) -> tuple[float, float]:
        """Return the same, where cells are too many to draw: by a standard deviation."""
        sd, bias = approximate_spread(number, self.sample)
        sd = max(sd, borrowed_spread(number, self.sample))
        whole = np.ones(1)
        changes = [
            float(number.of(_given(self.sample.observed, way, whole))[0]) - observed
            for places in places_that_matter(number, self.sample, 1)
            for way in self._ways(places)[:1]
        ]
        below = sd * _quantile(self.alpha) + abs(bias) + max(-np.nan_to_num(changes[0]), 0.0)
        above = sd * _quantile(self.alpha / looks) + abs(bias) + max(np.nan_to_num(changes[1]), 0.0)
        return float(below), float(above)

    def _points(self, number: Number) -> int:
        """Return how many points to draw; 0 if there would be too few of them."""
        most = _MOST_DRAWN // len(self.sample.counts)
        if number.whole:
            most = min(most, _MOST_CELLS // self.sample.classes**2)
        wished = (_POINTS_ONE_BY_ONE if number.slow else _POINTS) / self.alpha
        found = min(math.ceil(wished), most)
        return found if found >= _FEWEST / self.alpha else 0

    def _drawn(self, points: int, *, whole: bool) -> tuple[tuple[Tables, ...], Floats]:
        """Return tables with the total of the sample, less a spare observation, and that."""
        key = points, whole
        if key not in self._known:
            rng = np.random.default_rng(_SEED)
            spare = rng.standard_gamma(1.0, points)
            cells = self.sample.drawn(rng, points)
            scale = self.sample.total / (cells.sum(axis=0) + spare)
            self._known[key] = self.sample.tables(cells * scale, whole=whole), spare * scale
        return self._known[key]

    @cached_property
    def _known(self) -> dict[tuple[int, bool], tuple[tuple[Tables, ...], Floats]]:
        return {}

    def _ways(self, places: list[Place]) -> list[list[Place]]:
        """Return which cells get the spare observation: one each, or several together.

        Of classes that are never found, one found observation may change nothing, as for the
        G-mean of two such classes.
        """
        alone = [[each] for each in places]
        return [*alone, self._never_found] if len(self._never_found) > 1 else alone

    @cached_property
    def _never_found(self) -> list[Place]:
        truth, answers = self.sample.truth, self.sample.answers
        found = np.unique(np.concatenate([truth[truth == each] for each in answers]))
        missed = np.setdiff1d(self.sample.occurs, found).tolist()
        return [(each, (each,) * len(answers)) for each in missed]


def _given(tables: Sequence[Tables], places: Sequence[Place], spare: Floats) -> list[Tables]:
    """Return the tables of each model with the spare observation."""
    return [
        table.given([(truth, answers[model]) for truth, answers in places], spare)
        for model, table in enumerate(tables)
    ]


def _quantile(alpha: float) -> float:
    from scipy.special import ndtri

    return -float(ndtri(alpha / 2))
