"""Numbers of a test set as functions of how much each observation weighs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from baserate.regression.measures.errors import middle_median

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# More observations than this are joined with those of nearly the same influence, but for so many
# at either end.
_MOST, _AT_ENDS = 1_024, 256


class Spare(NamedTuple):
    """One more observation: like which one, and how much it weighs in each set of weights."""

    row: int
    weights: Floats | float


NO_SPARES = (Spare(0, 0.0),)


class Reading(Protocol):
    """A number of a test set."""

    @property
    def rows(self) -> int:
        """How many observations, or groups of them, there are."""

    @property
    def weights(self) -> Floats | None:
        """How much each observation counts; None if all count alike."""

    @property
    def observed(self) -> float:
        """The number as it was observed."""

    @property
    def influences(self) -> Floats:
        """By how much each observation, counted once more, changes the number."""

    @property
    def sides(self) -> tuple[float, float]:
        """How much observations take off the number, and how much they add, to the first order."""

    def values(self, weights: Floats, spares: Iterable[Spare] = NO_SPARES) -> list[Floats]:
        """Return the numbers of sets of weights, with each of some spare observations.

        Weights are of the shape (sets, observations).
        """


@dataclass(frozen=True, eq=False)
class OfMeans:
    """A smooth function of means.

    Parameters
    ----------
    columns
        What each observation adds to the means, of shape (observations, means).
    of
        The number, of means along the last axis.
    sizes
        How many observations each row stands for; one, if there are none.
    weights
        How much each observation counts, of mean 1; all count alike if there are none.
    """

    columns: Floats
    of: Callable[[Floats], Floats]
    sizes: Floats | None = None
    weights: Floats | None = None

    @property
    def rows(self) -> int:
        """The number of observations."""
        return int(self.columns.shape[0])

    @cached_property
    def _counted(self) -> Floats:
        """How much each row counts; its size times the weight of an observation in it."""
        sizes = np.ones(self.rows) if self.sizes is None else self.sizes
        return sizes if self.weights is None else sizes * self.weights

    @cached_property
    def means(self) -> Floats:
        """The means as they were observed."""
        return np.asarray(self._counted @ self.columns / self._counted.sum())

    @cached_property
    def observed(self) -> float:
        """The number as it was observed."""
        with np.errstate(all="ignore"):
            return float(self.of(self.means))

    @cached_property
    def influences(self) -> Floats:
        """By how much each observation, counted once more, changes the number."""
        once = 1.0 if self.weights is None else self.weights[:, np.newaxis]
        more = once / (self._counted.sum() + once)
        with np.errstate(all="ignore"):
            found = self.of(self.means + more * (self.columns - self.means)) - self.observed
        return np.nan_to_num(found, nan=0.0, posinf=0.0, neginf=0.0)

    @cached_property
    def sides(self) -> tuple[float, float]:
        """How much observations take off the number, and how much they add, to the first order."""
        total, counted = self._counted.sum(), self._counted
        once = 1.0 if self.weights is None else self.weights
        with np.errstate(over="ignore"):  # of a weight that is nothing beside the others
            added = self.observed + self.influences * (total / once + 1)
        added = np.nan_to_num(added)
        return (
            float(counted @ np.maximum(-added, 0.0) / total),
            float(counted @ np.maximum(added, 0.0) / total),
        )

    def values(self, weights: Floats, spares: Iterable[Spare] = NO_SPARES) -> list[Floats]:
        """Return the numbers of sets of weights, with each of some spare observations."""
        if self.weights is not None:
            weights = weights * self.weights
        with np.errstate(all="ignore"):
            sums, total = weights @ self.columns, weights.sum(axis=1)
            return [self._with(each, sums, total) for each in spares]

    def _with(self, spare: Spare, sums: Floats, total: Floats) -> Floats:
        weights = spare.weights * (1.0 if self.weights is None else self.weights[spare.row])
        more = np.multiply.outer(weights, self.columns[spare.row])
        return self.of((sums + more) / (total + weights)[:, np.newaxis])

    def joined(self) -> tuple[OfMeans, Floats]:
        """Return fewer observations, and how many each stands for, if there are many.

        What is lost is the spread within groups of nearly the same influence.
        """
        if self.rows <= _MOST:
            return self, np.ones(self.rows)
        order = np.argsort(self.influences, kind="stable")
        inner = np.linspace(_AT_ENDS, self.rows - _AT_ENDS, _MOST - 2 * _AT_ENDS + 1)
        starts = np.concatenate(
            [
                np.arange(_AT_ENDS),
                np.unique(inner.astype(np.int64)),
                np.arange(self.rows - _AT_ENDS + 1, self.rows),
            ]
        )
        sizes = np.diff(np.append(starts, self.rows)).astype(float)
        if self.weights is None:
            sums = np.add.reduceat(self.columns[order], starts, axis=0)
            return OfMeans(sums / sizes[:, np.newaxis], self.of, sizes), sizes
        counted = np.add.reduceat(self.weights[order], starts)
        sums = np.add.reduceat((self.columns * self.weights[:, np.newaxis])[order], starts, axis=0)
        return OfMeans(sums / counted[:, np.newaxis], self.of, sizes, counted / sizes), sizes


@dataclass(frozen=True, eq=False)
class OfMedians:
    """A difference of medians, or one median.

    Parameters
    ----------
    errors
        Numbers of each observation; the median of the first counts.
    less
        Numbers whose median is taken off; none if there are none.
    weights
        How much each observation counts, of mean 1; all count alike if there are none.
    """

    errors: Floats
    less: Floats | None = None
    weights: Floats | None = None
    sides = (0.0, 0.0)  # one observation hardly moves a median

    @property
    def rows(self) -> int:
        """The number of observations."""
        return self.errors.size

    @cached_property
    def observed(self) -> float:
        """The difference as it was observed."""
        return self._median(self.errors) - (0.0 if self.less is None else self._median(self.less))

    def _median(self, values: Floats) -> float:
        return middle_median(values, self.weights)

    @cached_property
    def influences(self) -> Floats:
        """On which side of the medians an observation is; among those alike, how far."""
        found = self._side(self.errors)
        return found if self.less is None else found - self._side(self.less)

    def _side(self, values: Floats) -> Floats:
        centred = values - self._median(values)
        unit = max(float(np.abs(centred).max()), 1e-300)
        return np.asarray(np.sign(centred) + 0.1 * centred / unit)

    def values(self, weights: Floats, spares: Iterable[Spare] = NO_SPARES) -> list[Floats]:
        """Return the differences of sets of weights, with each of some spare observations."""
        if self.weights is not None:
            weights = weights * self.weights
            spares = [Spare(row, weight * self.weights[row]) for row, weight in spares]
        found = _medians(self.errors, weights, spares)
        if self.less is None:
            return found
        less = _medians(self.less, weights, spares)
        return [one - other for one, other in zip(found, less, strict=True)]


def _medians(values: Floats, weights: Floats, spares: Iterable[Spare]) -> list[Floats]:
    """Return the median of each set of weights, with each of some spare observations."""
    order = np.argsort(values, kind="stable")
    ordered, upto = values[order], np.cumsum(weights[:, order], axis=1)
    return [
        ordered[_halfway(upto, int(np.searchsorted(ordered, values[row])), weight)]
        for row, weight in spares
    ]


def _halfway(upto: Floats, place: int, weight: Floats | float) -> NDArray[np.int64]:
    """Return where running sums reach half their total, with more weight at a place."""
    sets, half = np.arange(upto.shape[0]), (upto[:, -1] + weight) / 2
    low = np.zeros(sets.size, dtype=np.int64)
    high = np.full(sets.size, upto.shape[1] - 1)
    while (low < high).any():
        middle = (low + high) // 2
        reaches = upto[sets, middle] + weight * (middle >= place) >= half
        low, high = np.where(reaches, low, middle + 1), np.where(reaches, middle, high)
        low = np.minimum(low, high)
    return low
