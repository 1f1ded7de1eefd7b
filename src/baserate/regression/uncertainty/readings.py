"""Numbers of a test set as functions of how much each observation weighs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

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
    def observed(self) -> float:
        """The number as it was observed."""

    @property
    def influences(self) -> Floats:
        """By how much each observation, counted once more, changes the number."""

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
    """

    columns: Floats
    of: Callable[[Floats], Floats]
    sizes: Floats | None = None

    @property
    def rows(self) -> int:
        """The number of observations."""
        return int(self.columns.shape[0])

    @cached_property
    def _total(self) -> float:
        return self.rows if self.sizes is None else float(self.sizes.sum())

    @cached_property
    def _means(self) -> Floats:
        return np.average(self.columns, axis=0, weights=self.sizes)

    @cached_property
    def observed(self) -> float:
        """The number as it was observed."""
        with np.errstate(all="ignore"):
            return float(self.of(self._means))

    @cached_property
    def influences(self) -> Floats:
        """By how much each observation, counted once more, changes the number."""
        means = self._means + (self.columns - self._means) / (self._total + 1)
        with np.errstate(all="ignore"):
            found = self.of(means) - self.observed
        return np.nan_to_num(found, nan=0.0, posinf=0.0, neginf=0.0)

    def values(self, weights: Floats, spares: Iterable[Spare] = NO_SPARES) -> list[Floats]:
        """Return the numbers of sets of weights, with each of some spare observations."""
        with np.errstate(all="ignore"):
            sums, total = weights @ self.columns, weights.sum(axis=1)
            return [self._with(each, sums, total) for each in spares]

    def _with(self, spare: Spare, sums: Floats, total: Floats) -> Floats:
        more = np.multiply.outer(spare.weights, self.columns[spare.row])
        return self.of((sums + more) / (total + spare.weights)[:, np.newaxis])

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
        sums = np.add.reduceat(self.columns[order], starts, axis=0)
        return OfMeans(sums / sizes[:, np.newaxis], self.of, sizes), sizes


@dataclass(frozen=True, eq=False)
class OfMedians:
    """A difference of medians, or one median.

    Parameters
    ----------
    errors
        Numbers of each observation; the median of the first counts.
    less
        Numbers whose median is taken off; none if there are none.
    """

    errors: Floats
    less: Floats | None = None

    @property
    def rows(self) -> int:
        """The number of observations."""
        return self.errors.size

    @cached_property
    def observed(self) -> float:
        """The difference as it was observed."""
        less = 0.0 if self.less is None else float(np.median(self.less))
        return float(np.median(self.errors)) - less

    @cached_property
    def influences(self) -> Floats:
        """On which side of the medians an observation is; among those alike, how far."""
        found = _side(self.errors)
        return found if self.less is None else found - _side(self.less)

    def values(self, weights: Floats, spares: Iterable[Spare] = NO_SPARES) -> list[Floats]:
        """Return the differences of sets of weights, with each of some spare observations."""
        found = _medians(self.errors, weights, spares)
        if self.less is None:
            return found
        less = _medians(self.less, weights, spares)
        return [one - other for one, other in zip(found, less, strict=True)]


def _side(values: Floats) -> Floats:
    centred = values - np.median(values)
    return np.asarray(np.sign(centred) + 0.1 * centred / max(float(np.abs(centred).max()), 1e-300))


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
