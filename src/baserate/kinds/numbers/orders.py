"""Null distributions of medians, largest errors and pairs in order."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from baserate.measures.numbers import (
    CONCORDANCE,
    EXPLAINED_VARIANCE,
    KENDALL,
    PEARSON,
    SPEARMAN,
    ranks,
)
from baserate.measures.numbers_errors import MEDIAN_ERROR
from baserate.observed.means import centred, root_mean_square

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.measures.numbers_record import NumberMeasure

    Floats = NDArray[np.float64]
    Places = NDArray[np.integer]
    RankedScores = Callable[[Places], Floats]


# Of more rows, pairs are counted order by order.
_IN_PAIRS = 60


class Moments(NamedTuple):
    """Weighted moments of each order, in the unit of the truth's spread.

    Parameters
    ----------
    covariance
        That of truth and predictions.
    variance, shift
        The variance of the predictions, and their mean less that of the truth.
    """

    covariance: Floats
    variance: Floats
    shift: Floats


@dataclass(frozen=True, eq=False)
class WeightedRows:
    """Truths and predictions with weights.

    Parameters
    ----------
    truth, predicted
        The numbers.
    weights
        How much each counts.
    """

    truth: Floats
    predicted: Floats
    weights: Floats

    @cached_property
    def times(self) -> Floats:
        """The weights over their mean."""
        unit = self.weights / self.weights.max()  # the sum of the largest may be no float
        return np.asarray(unit / unit.mean())

    @cached_property
    def _shares(self) -> Floats:
        return np.asarray(self.times / self.times.sum())

    def moments(self, orders: Places) -> Moments:
        """Return the moments of some orders."""
        around = centred(self.truth, self.times)
        unit = root_mean_square(around, self.times)
        values = centred(self.predicted) / unit
        shuffled = values[orders]
        means = shuffled @ self._shares
        squares = (shuffled - means[:, np.newaxis]) ** 2 @ self._shares
        offset = float(((self.predicted - self.truth) / unit) @ self._shares)
        start = float(values @ self._shares)  # the mean of the observed order
        return Moments(shuffled @ (self._shares * around / unit), squares, means - start + offset)

    def errors(self, orders: Places) -> tuple[Floats, Floats]:
        """Return absolute errors in ascending order, and the sums of weights up to each."""
        errors = np.abs(self.truth - self.predicted[orders])
        order = np.argsort(errors, axis=1, kind="stable")
        upto = np.cumsum(self.times[order], axis=1)
        return np.take_along_axis(errors, order, axis=1), upto

    @cached_property
    def _first_of_ties(self) -> Places:
        """Where the values, in ascending order, are another number than the one before."""
        values = np.sort(self.predicted)
        return np.flatnonzero(np.append(True, values[1:] != values[:-1]))

    def ranks_of_values(self, weights: Floats) -> Floats:
        """Return the weighted ranks of the values, ascending, given the weights of their rows."""
        first = self._first_of_ties
        sizes = np.add.reduceat(weights, first, axis=1)
        middles = np.cumsum(sizes, axis=1) - sizes / 2
        return np.repeat(middles, np.diff(np.append(first, self.truth.size)), axis=1)

    def tied_pairs(self, weights: Floats) -> Floats:
        """Return the weights of pairs of tied values, twice, a value beside itself included."""
        sizes = np.add.reduceat(weights, self._first_of_ties, axis=1)
        return np.asarray((sizes**2).sum(axis=1))


def _pearson(rows: WeightedRows) -> tuple[RankedScores, float]:
    def scores(orders: Places) -> Floats:
        found = rows.moments(orders)
        return np.clip(found.covariance / np.sqrt(found.variance), -1.0, 1.0)

    return scores, 3 * rows.truth.size


def _explained(rows: WeightedRows) -> tuple[RankedScores, float]:
    def scores(orders: Places) -> Floats:
        found = rows.moments(orders)
        return 2 * found.covariance - found.variance

    return scores, 3 * rows.truth.size


def _concordance(rows: WeightedRows) -> tuple[RankedScores, float]:
    def scores(orders: Places) -> Floats:
        found = rows.moments(orders)
        return 2 * found.covariance / (1 + found.variance + found.shift**2)

    return scores, 3 * rows.truth.size


def _spearman(rows: WeightedRows) -> tuple[RankedScores, float]:
    of_truth = centred(ranks(rows.truth, rows.times), rows.times)
    of_truth = of_truth / root_mean_square(of_truth, rows.times)
    middle = rows.truth.size / 2  # the weighted mean of weighted ranks

    def scores(orders: Places) -> Floats:
        weights, others = rows.times[orders], of_truth[orders]
        around = rows.ranks_of_values(weights) - middle
        products = (weights * around * others).sum(axis=1)
        squares = (weights * around**2).sum(axis=1) * rows.truth.size
        return np.asarray(np.clip(products / np.sqrt(squares), -1.0, 1.0))

    return scores, 5 * rows.truth.size


def _kendall(rows: WeightedRows) -> tuple[RankedScores, float]:
    size, times = rows.truth.size, rows.times
    if size > _IN_PAIRS:
        return _one_by_one(KENDALL, rows)
    values = np.sort(rows.predicted)
    codes = np.unique(rows.truth, return_inverse=True)[1]
    pairs = size**2 - float((np.bincount(codes, times) ** 2).sum())

    def scores(orders: Places) -> Floats:
        weights, truths = times[orders], rows.truth[orders]
        found = np.zeros(len(orders))
        for place in range(1, size):
            lower = values[:place] < values[place]
            signs = np.sign(truths[:, place, np.newaxis] - truths[:, :place])
            found += weights[:, place] * ((signs * weights[:, :place]) @ lower)
        others = size**2 - rows.tied_pairs(weights)
        return np.clip(2 * found / np.sqrt(pairs * others), -1.0, 1.0)

    return scores, size**2


def _one_by_one(measure: NumberMeasure, rows: WeightedRows) -> tuple[RankedScores, float]:
    """Return the scores of any measure; of many pairs, the merging of a sort counts sooner."""

    def scores(orders: Places) -> Floats:
        kernel = measure.kernel
        return np.array([kernel(rows.truth, rows.predicted[order], rows.times) for order in orders])

    return scores, 100 * rows.truth.size


def _middle(rows: WeightedRows) -> tuple[RankedScores, float]:
    last = rows.truth.size - 1
    slack = rows.truth.size**2 * sys.float_info.epsilon  # of sums of weights whose mean is 1

    def scores(orders: Places) -> Floats:
        errors, upto = rows.errors(orders)
        half = rows.truth.size / 2
        low, high = (
            np.minimum((upto < half + end).sum(axis=1, keepdims=True), last)
            for end in (-slack, slack)
        )
        both = (np.take_along_axis(errors, place, axis=1)[:, 0] for place in (low, high))
        return np.asarray(next(both) / 2 + next(both) / 2)

    return scores, 8 * rows.truth.size


def scores_of(measure: NumberMeasure, rows: WeightedRows) -> tuple[RankedScores, float]:
    """Return what scores orders, and how much an order costs, in shuffled numbers.

    A measure that is not listed is scored by its kernel, one order after the other.
    """
    build = SCORES.get(measure)
    return _one_by_one(measure, rows) if build is None else build(rows)


SCORES: dict[NumberMeasure, Callable[[WeightedRows], tuple[RankedScores, float]]] = {
    PEARSON: _pearson,
    EXPLAINED_VARIANCE: _explained,
    CONCORDANCE: _concordance,
    SPEARMAN: _spearman,
    KENDALL: _kendall,
    MEDIAN_ERROR: _middle,
}
