"""The mean of a scoring rule over rows, and its margin, as functions of how much rows weigh."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.clusters import summed
from baserate.core.direction import Direction
from baserate.core.rule import Rule as Interval
from baserate.intervals.bootstrap import LOG, PLAIN, SHARE, Statistic
from baserate.intervals.limits import Margin

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.ranking.rules import ScoringRule

    Floats = NDArray[Any]
    Ints = NDArray[np.int64]

# More cells than this are a sample of as many rows, or of fewer if there are many classes.
_MOST_CELLS, _MOST_NUMBERS = 10**5, 2**22
# Numbers are the same if so many digits are.
_DIGITS = 9
# A fixed stream: an interval is the same twice.
_SEED = 40


@dataclass(frozen=True, eq=False)
class RowScores:
    """What a scoring rule gives to rows: of one model, or of a second one minus a first.

    Parameters
    ----------
    measure
        The measure: with the rule, and whether it is `relative` to the loss of the class shares.
    exact
        The score, or the difference.
    points
        What the cells have whose places are given; rows of one cell are alike.
    truth
        The place of the class of each cell.
    rows
        How many rows it has.
    classes
        How many classes there are.
    of_clusters
        The points, the class, the number of rows and the cluster of all cells of some clusters.
    """

    measure: Any
    exact: float
    points: Callable[[Ints], Floats]
    truth: Ints
    rows: Ints
    classes: int
    of_clusters: Callable[[Sequence[Any]], tuple[Floats, Ints, Ints, Ints]]

    def score(self) -> Statistic:
        """Return the mean, or the skill."""
        scale = PLAIN if self._rule.direction is Direction.MAXIMIZE else LOG
        return self._statistic(
            (lambda sums: 1 - _mean(sums) / self._free(sums)) if self._relative else _mean,
            self.exact,
            scale=SHARE if self._relative else scale,
            ends=(-math.inf, 1.0) if self._relative else self._ends,
        )

    def margin(self) -> Margin | None:
        """Return how much better the mean is than that of the class shares; None of skill."""
        if self._relative:
            return None
        sign = 1 if self._rule.direction is Direction.MAXIMIZE else -1
        shares = np.bincount(self.truth, self.rows, self.classes) / self.rows.sum()
        guess = self._rule.points(shares[np.newaxis], np.finfo(float).tiny)[0]
        _, tied = np.unique(shares, return_inverse=True)  # who share what a tie gives to one
        guess = (np.bincount(tied, guess) / np.bincount(tied))[tied]
        margin = sign * (self.exact - float(self._rule.free(shares)))
        return Margin(
            chosen=self._statistic(lambda sums: sign * (_mean(sums) - self._free(sums)), margin),
            kept=self._statistic(
                lambda sums: sign * (sums[..., 0] - sums[..., 1:] @ guess) / _total(sums), margin
            ),
        )

    def difference(self) -> Statistic:
        """Return the second model's score minus the first's."""
        low, high = self._ends
        return self._statistic(
            (lambda sums: -_mean(sums) / self._free(sums)) if self._relative else _mean,
            self.exact,
            spares=self._spares(low - high, high - low),
        )

    @property
    def _rule(self) -> ScoringRule:
        rule: ScoringRule = self.measure.rule
        return rule

    @property
    def _relative(self) -> bool:
        return bool(self.measure.relative)

    def _free(self, sums: Floats) -> Floats:
        return self._rule.free(sums[..., 1:] / _total(sums)[..., np.newaxis])

    def _statistic(self, of: Callable[[Floats], Floats], exact: float, **kwargs: Any) -> Statistic:
        rows, columns = self._units
        total = float(rows.sum())
        return Statistic(
            of,
            rows,
            self.measure.interval,
            columns,
            observed=np.asarray(exact),
            shrunk=math.sqrt(total / float(self.rows.sum())),
            of_clusters=self._of_clusters,
            **{"spares": self._spares(*self._ends), **kwargs},
        )

    @cached_property
    def _units(self) -> tuple[Floats, Floats]:
        """The number of rows of each cell, and what one adds to the sums; a sample, of many."""
        rows, cells = self.rows, np.arange(self.rows.size)
        most = min(_MOST_CELLS, _MOST_NUMBERS // (self.classes + 1))
        if rows.size > most:
            upto = np.cumsum(rows)
            drawn = np.random.default_rng(_SEED).integers(upto[-1], size=most)
            cells, rows = np.unique(np.searchsorted(upto, drawn, "right"), return_counts=True)
        points, truth = self.points(cells), self.truth[cells]
        if self.measure.interval is Interval.END:  # hits and misses: a few kinds of rows
            kinds, place = np.unique(np.stack([truth, points]), axis=1, return_inverse=True)
            truth, points = kinds[0].astype(np.int64), kinds[1]
            rows = np.bincount(place.reshape(-1), rows).astype(np.int64)
        order = self._order(points, truth, rows)
        return rows[order].astype(float), self._columns(points[order], truth[order])

    def _columns(self, points: Floats, truth: Ints) -> Floats:
        """Return what rows add to the sums: their points, and one of their class."""
        columns = np.zeros((points.size, self.classes + 1))
        columns[:, 0] = points
        columns[np.arange(points.size), 1 + truth] = 1.0
        return columns

    def _of_clusters(self, clusters: Sequence[Any]) -> tuple[Floats, Floats]:
        points, truth, rows, codes = self.of_clusters(clusters)
        return summed(codes, rows, self._columns(points, truth))

    def _order(self, points: Floats, truth: Ints, rows: Ints) -> Ints:
        """Return an order of cells that no name of a class changes: by what they have, and class.

        Classes are known by how many rows they have, and by what these have.
        """
        largest = np.abs(points).max(initial=np.finfo(float).tiny)
        sizes = np.bincount(truth, rows, self.classes)
        means = np.bincount(truth, rows * points, self.classes) / np.maximum(sizes, 1) / largest
        rounded = np.round(points / largest, _DIGITS)
        return np.lexsort((np.round(means, _DIGITS)[truth], sizes[truth], rounded))

    @cached_property
    def _ends(self) -> tuple[float, float]:
        """Between which numbers a row may be: those of certainty, right or wrong."""
        if not math.isfinite(self._rule.codomain.upper):
            return 0.0, math.inf
        certain = self._rule.points(np.eye(max(self.classes, 2)), 0.0)
        return float(certain.min()), float(certain.max())

    def _spares(self, low: float, high: float) -> Floats | None:
        """Return what the worst and the best row of each class add; None if it has no end."""
        if not math.isfinite(high):
            return None
        every, each = np.eye(self.classes), np.ones(self.classes)
        return np.concatenate([np.column_stack([end * each, every]) for end in (low, high)])


def _total(sums: Floats) -> Floats:
    return np.asarray(sums[..., 1:].sum(axis=-1))


def _mean(sums: Floats) -> Floats:
    return np.asarray(sums[..., 0] / _total(sums))
