"""Scores of numbers that are no mean loss, for many weights of rows or many orders at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.baseline import COMPUTATION
from baserate.measures.numbers import CONCORDANCE, EXPLAINED_VARIANCE, KENDALL, PEARSON, SPEARMAN
from baserate.measures.numbers_record import OfRows, Ordered
from baserate.observed.moments import centred, codes_of, root_mean_square

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.measures.numbers_record import NumberMeasure

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Of = Callable[[Floats], Floats]


# Pairs of so many rows with weights are looked at one by one, in many orders at once.
IN_PAIRS = 60


@dataclass(frozen=True, eq=False)
class Number:
    """A number as a function of sums over rows.

    Parameters
    ----------
    columns
        What a row adds to each sum; None if the sums are the weights of the rows.
    of
        The number, of sums along the last axis.
    """

    columns: Floats | None
    of: Of

    def minus(self, other: Number) -> Number:
        """Return the difference of two numbers of the same rows."""
        if self.columns is None or other.columns is None:
            return Number(None, lambda sums: self.of(sums) - other.of(sums))
        return self.joined(np.subtract, other)

    def joined(self, how: Callable[[Floats, Floats], Floats], other: Number) -> Number:
        """Return a function of two numbers of the same rows, by their sums side by side."""
        assert self.columns is not None  # noqa: S101
        columns = np.hstack([self.columns, other.columns])  # type: ignore[list-item]
        return Number(columns, _joined(how, self.of, other.of, self.columns.shape[1]))


@lru_cache(maxsize=64)  # the same function, so that numbers of many test sets are resampled at once
def _joined(how: Callable[[Floats, Floats], Floats], one: Of, other: Of, own: int) -> Of:
    return lambda sums: how(one(sums[..., :own]), other(sums[..., own:]))


def by_weights(
    measure: NumberMeasure, truth: Floats, predicted: Floats, weights: Floats
) -> Number | None:
    """Return a score as a function of sums over rows, or of their weights; None if unknown."""
    form = measure.form
    if measure in MOMENTS:
        y, z, of = _pair(measure, truth, predicted, weights)
        return Number(np.stack([each * weights for each in _moments(y, z)], axis=-1), of)
    if isinstance(form, OfRows):
        return Number(None, lambda sums: _one_by_one(form, truth, predicted, sums * weights))
    if measure is SPEARMAN:
        codes = codes_of(truth), codes_of(predicted)
        return Number(None, lambda sums: _spearman(*codes, sums * weights))
    if measure is KENDALL:
        return Number(None, _kendall(truth, predicted, weights))
    if form is Ordered.MEDIAN:
        return medians(np.abs(truth - predicted), weights)
    return None


def by_orders(
    measure: NumberMeasure, truth: Floats, predicted: Floats, weights: Floats | None
) -> tuple[Callable[[Any], Floats], int, NDArray[Any]]:
    """Return what scores shuffled predictions, how many numbers each takes, and what is shuffled.

    That is the predictions, or their places in order. Weights stay with the truth.
    """
    form, size = measure.form, truth.size
    if form in (Ordered.LARGEST, Ordered.MEDIAN):
        of, times = _of_errors(form is Ordered.LARGEST, weights)
        return lambda z: of(_errors(truth, z)), times * size, predicted
    # Of many pairs with weights, the merging of a sort counts sooner.
    is_one_by_one = measure is KENDALL and weights is not None and size > IN_PAIRS
    if is_one_by_one or measure not in (*MOMENTS, SPEARMAN, KENDALL):
        cost = form.cost(size) if isinstance(form, OfRows) else 100 * size
        return lambda z: _by_kernel(measure, truth, z, weights), cost, predicted
    heavy = np.ones(size) if weights is None else weights
    if measure is KENDALL:
        return lambda z: _tau(truth, z, heavy), size**2, codes_of(predicted)
    if measure is SPEARMAN:
        codes = codes_of(truth)
        return lambda z: _spearman(codes, z, heavy), 5 * size, codes_of(predicted)
    y, z, score = _pair(measure, truth, predicted, heavy)
    is_error = measure is EXPLAINED_VARIANCE  # what is shuffled is the prediction in it
    shuffled = y - z if is_error else z
    return lambda z: score(_sums(y, y - z if is_error else z, heavy)), 3 * size, shuffled


def _by_kernel(
    measure: NumberMeasure, truth: Floats, shuffled: Floats, weights: Floats | None
) -> Floats:
    return np.array([measure.kernel(truth, each, weights) for each in shuffled])


def _one_by_one(form: OfRows, truth: Floats, predicted: Floats, weights: Floats) -> Floats:
    flat = weights.reshape(-1, truth.size)
    found = [form.resampled(truth, predicted, each) for each in flat]
    return np.array(found).reshape(weights.shape[:-1])


# --- Of means, variances and the covariance -------------------------------------------------------


def _pair(
    measure: NumberMeasure, truth: Floats, predicted: Floats, weights: Floats
) -> tuple[Floats, Floats, Of]:
    """Return two centred numbers in the unit of the truth's spread, and the score of their sums."""
    y = centred(truth, weights)
    unit = root_mean_square(y, weights) or 1.0
    of = MOMENTS[measure]
    if measure is EXPLAINED_VARIANCE:
        return y / unit, centred(truth - predicted, weights) / unit, of
    if measure is CONCORDANCE:
        apart = float((truth - predicted) @ weights / weights.sum()) / unit
        return y / unit, centred(predicted, weights) / unit, lambda sums: of(sums, apart)
    return y / unit, centred(predicted, weights) / unit, of


def _moments(y: Floats, z: Floats) -> list[Floats]:
    return [np.ones(y.size), y, z, y * y, z * z, y * z]


def _sums(y: Floats, z: Floats, weights: Floats) -> Floats:
    """Return the sums of the moments of a number with shuffles of another."""
    found = weights.sum(), y @ weights, z @ weights, (y * y) @ weights, (z * z) @ weights
    return np.stack(np.broadcast_arrays(*found, z @ (weights * y)), axis=-1)


def _spreads(sums: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Return both means, both variances and the covariance."""
    means = sums[..., 1:] / sums[..., :1]
    y, z, yy, zz, yz = np.moveaxis(means, -1, 0)
    return y, z, yy - y * y, zz - z * z, yz - y * z


def _of_pearson(sums: Floats) -> Floats:
    _, _, yy, zz, yz = _spreads(sums)
    is_constant = zz <= COMPUTATION * sums[..., 4] / sums[..., 0]
    return np.where(is_constant, np.nan, np.clip(yz / np.sqrt(yy * zz), -1.0, 1.0))


def _of_concordance(sums: Floats, apart: float) -> Floats:
    y, z, yy, zz, yz = _spreads(sums)
    return np.asarray(2 * yz / (yy + zz + (y - z + apart) ** 2))


def _of_explained(sums: Floats) -> Floats:
    _, _, yy, errors, _ = _spreads(sums)
    return np.asarray(1 - errors / yy)


MOMENTS: dict[NumberMeasure, Callable[..., Floats]] = {
    PEARSON: _of_pearson,
    CONCORDANCE: _of_concordance,
    EXPLAINED_VARIANCE: _of_explained,
}


# --- Of ranks and pairs ---------------------------------------------------------------------------


def _level_sizes(codes: Ints, weights: Floats) -> tuple[Floats, Ints]:
    """Return how much weight each level has, of shape (…, levels), and which is whose."""
    levels, (codes, weights) = int(codes.max()) + 1, np.broadcast_arrays(codes, weights)
    number = codes.size // codes.shape[-1]
    flat = codes.reshape(number, -1) + levels * np.arange(number)[:, np.newaxis]
    sizes = np.bincount(flat.ravel(), weights.ravel(), number * levels)
    return sizes.reshape(*codes.shape[:-1], levels).astype(float), flat.reshape(codes.shape)


def _spearman(y: Ints, z: Ints, weights: Floats) -> Floats:
    total = weights.sum(axis=-1, keepdims=True)

    def around(codes: Ints) -> Floats:
        sizes, places = _level_sizes(codes, weights)
        return np.asarray((np.cumsum(sizes, axis=-1) - sizes / 2).ravel()[places] - total / 2)

    a, b = around(y), around(z)  # of mean 0
    yy, zz, yz = (
        np.einsum("...i,...i,...i->...", weights, *each) for each in ((a, a), (b, b), (a, b))
    )
    is_constant = zz <= COMPUTATION**2 * total[..., 0] ** 3
    return np.where(is_constant, np.nan, np.clip(yz / np.sqrt(yy * zz), -1.0, 1.0))


def _untied(codes: Ints, weights: Floats) -> Floats:
    """Return the weights of pairs of different codes, twice."""
    sizes, _ = _level_sizes(codes, weights)
    return np.asarray(2 * (sizes[..., 1:] * np.cumsum(sizes, axis=-1)[..., :-1]).sum(axis=-1))


def _kendall(truth: Floats, predicted: Floats, weights: Floats) -> Of:
    y, z = (np.sign(np.subtract.outer(each, each)) for each in (truth, predicted))
    in_order, codes = y * z, (codes_of(truth), codes_of(predicted))

    def of(sums: Floats) -> Floats:
        heavy = sums * weights
        yy, zz = (_untied(each, heavy) for each in codes)
        return np.asarray(((heavy @ in_order) * heavy).sum(axis=-1) / np.sqrt(yy * zz))

    return of


def _tau(truth: Floats, shuffled: Ints, weights: Floats) -> Floats:
    """Return tau-b of predictions in some orders."""
    z, found = shuffled.astype(float), np.zeros(len(shuffled))
    for row in range(1, truth.size):
        signs = weights[row] * weights[:row] * np.sign(truth[row] - truth[:row])
        found += np.sign(z[:, row, np.newaxis] - z[:, :row]) @ signs
    pairs = np.sqrt(_untied(codes_of(truth), weights)) * np.sqrt(_untied(shuffled, weights))
    return np.asarray(np.clip(2 * found / pairs, -1.0, 1.0))


# --- Of errors in order ---------------------------------------------------------------------------


def _errors(truth: Floats, shuffled: Floats) -> Floats:
    """Return absolute errors in place of shuffles: new memory takes as long as all else."""
    np.subtract(truth, shuffled, out=shuffled)
    return np.abs(shuffled, out=shuffled)


def _of_errors(is_largest: bool, weights: Floats | None) -> tuple[Of, int]:  # noqa: FBT001
    """Return the score of errors in several orders, and how many numbers one of them takes."""
    if is_largest:
        return lambda errors: errors.max(axis=1), 1
    if weights is None:
        return _medians, 2
    return lambda errors: _weighted_medians(errors, weights), 8


def _medians(errors: Floats) -> Floats:
    """Return the median of each row, in a third of numpy's time."""
    half = errors.shape[1] // 2
    errors.partition(half, axis=1)
    upper = errors[:, half]
    return upper if errors.shape[1] % 2 else (errors[:, :half].max(axis=1) + upper) / 2


def medians(values: Floats, weights: Floats) -> Number:
    """Return the middle of all weighted medians of some numbers."""
    return Number(None, lambda sums: _weighted_medians(values, sums * weights))


def _weighted_medians(values: Floats, weights: Floats) -> Floats:
    """Return the middle of all medians, of several numbers or by several weights."""
    order = np.argsort(values, axis=-1, kind="stable")
    upto = np.cumsum(weights[order] if values.ndim > 1 else weights[..., order], axis=-1)
    half = upto[..., -1:] / 2
    slack = COMPUTATION * half
    places = [np.argmax(each, axis=-1) for each in (upto >= half - slack, upto > half + slack)]
    ordered = np.broadcast_to(np.take_along_axis(values, order, axis=-1), upto.shape)
    lower, upper = (
        np.take_along_axis(ordered, each[..., np.newaxis], axis=-1)[..., 0] for each in places
    )
    return np.asarray(lower / 2 + upper / 2)
