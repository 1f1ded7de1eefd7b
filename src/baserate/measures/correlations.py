"""Correlations, and their scores and those of errors in order by many weights or orders of rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.baseline import COMPUTATION
from baserate.core.measure import SIGNED, Codomain, Direction, Rule, SklearnCall
from baserate.measures.numbers_record import (
    NumberMeasure,
    OfRows,
    Ordered,
    Products,
    different_predictions,
    different_truths,
)
from baserate.observed.best_constants import centred, codes_of, every, mean, root_mean_square

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Of = Callable[[Floats], Floats]


UP_TO_ONE = Codomain(-math.inf, 1)
# Of more observations than these, scipy counts pairs faster; of fewer, it takes longer to import.
_MANY = 30_000
# Pairs of this many rows with weights are looked at one by one, in many orders at once.
_IN_PAIRS = 60


# --- Means, variances and the covariance ----------------------------------------------------------


def per_variance(_: Floats, __: Floats, a: float, b: float) -> float:
    """Return by how much an explained share of the variance changes with the correlation."""
    return 2 * b / a


def _per_both_spreads(truth: Floats, predicted: Floats, a: float, b: float) -> float:
    if b == 0:
        return 0.0
    shift = mean(truth) - mean(predicted)
    return 2 / (a / b + b / a + (shift / a) * (shift / b))


_correlation = partial(
    NumberMeasure,
    direction=Direction.MAXIMIZE,
    codomain=SIGNED,
    interval=Rule.CORRELATION,
    no_score_of_truth=different_truths,
)
PEARSON: NumberMeasure = _correlation(
    key="Pearson",
    name="Pearson Correlation",
    aliases=("pearsonr", "Pearson's r", "correlation", "PCC"),
    meaning="How close truth and prediction are to a rising line: 1 if they lie on one.",
    pitfall="Predictions may be far off, or on another scale, and still have a perfect score.",
    definition=r"\frac{\operatorname{Cov}(y, \hat{y})}"
    r"{\sqrt{\operatorname{Var}(y) \operatorname{Var}(\hat{y})}}",
    formula=lambda y, z, w: _of_sums(PEARSON, y, z, w),
    constant_scores=False,
    form=Products(lambda *_: 1.0),
    no_score_of_predictions=different_predictions,
)
CONCORDANCE: NumberMeasure = _correlation(
    key="CCC",
    name="Concordance Correlation",
    aliases=("concordance", "Lin's concordance", "concordance_correlation_coefficient"),
    meaning="How close predictions are to the truth itself: the correlation, reduced if their mean "
    "or their spread is another one.",
    pitfall="Like a correlation, it is higher on a test set with more spread.",
    definition=r"\frac{2 \operatorname{Cov}(y, \hat{y})}{\operatorname{Var}(y) + "
    r"\operatorname{Var}(\hat{y}) + (\bar{y} - \bar{\hat{y}})^2}",
    formula=lambda y, z, w: _of_sums(CONCORDANCE, y, z, w),
    form=Products(_per_both_spreads),
)
EXPLAINED_VARIANCE: NumberMeasure = NumberMeasure(
    key="explained variance",
    name="Explained Variance",
    aliases=("explained_variance_score", "EV"),
    meaning="The share of the variance of the truth that is not in the errors.",
    pitfall="Predictions that are all off by the same number still have a perfect score.",
    sklearn=SklearnCall("explained_variance_score"),
    direction=Direction.MAXIMIZE,
    codomain=UP_TO_ONE,
    definition=r"1 - \frac{\operatorname{Var}(y - \hat{y})}{\operatorname{Var}(y)}",
    formula=lambda y, z, w: _of_sums(EXPLAINED_VARIANCE, y, z, w),
    constants=lambda *_: every(),
    form=Products(per_variance),
    no_score_of_truth=different_truths,
)


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


def _pair(
    measure: NumberMeasure, truth: Floats, predicted: Floats, weights: Floats
) -> tuple[Floats, Floats, Of]:
    """Return two centred numbers in the unit of the truth's spread, and the score of their sums.

    The second is the prediction; of the explained variance, it is the error.
    """
    y = centred(truth, weights)
    unit, of = root_mean_square(y, weights) or 1.0, MOMENTS[measure]
    z = centred(truth - predicted if measure is EXPLAINED_VARIANCE else predicted, weights)
    if measure is not CONCORDANCE:
        return y / unit, z / unit, of
    apart = float((truth - predicted) @ weights / weights.sum()) / unit
    return y / unit, z / unit, lambda sums: of(sums, apart)


def _sums(y: Floats, z: Floats, weights: Floats) -> Floats:
    """Return the sums of the moments of a number with another, or with shuffles of it."""
    found = weights.sum(), y @ weights, z @ weights, (y * y) @ weights, (z * z) @ weights
    return np.stack(np.broadcast_arrays(*found, z @ (weights * y)), axis=-1)


def _spreads(sums: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Return both means, both variances and the covariance."""
    y, z, yy, zz, yz = np.moveaxis(sums[..., 1:] / sums[..., :1], -1, 0)
    return y, z, yy - y * y, zz - z * z, yz - y * z


def _of_sums(
    measure: NumberMeasure, truth: Floats, predicted: Floats, weights: Floats | None
) -> float:
    heavy = np.ones(truth.size) if weights is None else weights
    y, z, of = _pair(measure, truth, predicted, heavy)
    return float(of(_sums(y, z, heavy)))


# --- Ranks and pairs ------------------------------------------------------------------------------


def ranks(values: Floats) -> Floats:
    """Return the ranks, less a half: equal values share the mean of theirs.

    Examples
    --------
    >>> ranks(np.array([10.0, 30, 10, 20])).tolist()
    [1.0, 3.5, 1.0, 2.5]
    """
    place = codes_of(values)
    sizes = np.bincount(place)
    return np.asarray((np.cumsum(sizes) - sizes / 2)[place])


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


def _tau_b(truth: Floats, predicted: Floats, weights: Floats | None) -> float:
    """Return tau-b; a pair of weighted observations counts the product of their weights."""
    difference, of_truth, of_predictions = pairs_in_order(truth, predicted, weights)
    tau = difference / math.sqrt(of_truth) / math.sqrt(of_predictions)
    return min(max(tau, -1.0), 1.0)


def pairs_in_order(
    truth: Floats, predicted: Floats, weights: Floats | None = None
) -> tuple[float, float, float]:
    """Return pairs in order minus pairs out of order, and pairs not tied, in each of both.

    A pair counts the product of its weights.
    """
    y, z = codes_of(truth), codes_of(predicted)
    each = np.ones(truth.size) if weights is None else weights
    of_truth, of_predictions = (float(_untied(codes, each)) for codes in (y, z))
    if weights is None and truth.size > _MANY:
        from scipy.stats import kendalltau

        tau = kendalltau(truth, predicted, method="asymptotic").statistic
        return float(round(tau * of_truth**0.5 * of_predictions**0.5)), of_truth, of_predictions
    cells = codes_of(y * (z.max() + 1) + z)
    in_neither = of_truth + of_predictions - float(_untied(cells, each))
    order = np.lexsort((z, y))  # equal truths are in the order of predictions, so not out of it
    return in_neither - 2 * _inversions(z[order], each[order]), of_truth, of_predictions


def _untied(codes: Ints, weights: Floats) -> Floats:
    """Return how many pairs have different codes; nothing cancels, however unequal they weigh."""
    sizes, _ = _level_sizes(codes, weights)
    return np.asarray((sizes[..., 1:] * np.cumsum(sizes, axis=-1)[..., :-1]).sum(axis=-1))


def _inversions(codes: Ints, weights: Floats) -> float:
    """Return how many pairs have the larger code first.

    Two codes differ first in one bit, from the highest down. Codes that are equal so far are a
    group, in their order; in it, each 1 before a 0 is a pair.
    """
    found = 0.0
    for bit in range(int(codes.max()).bit_length() - 1, -1, -1):
        starts = np.flatnonzero(np.diff(codes >> (bit + 1), prepend=-1))
        ones: Any = (codes >> bit & 1).astype(bool)
        before = np.append(0.0, np.cumsum(weights * ones))
        since = before[:-1] - np.repeat(before[starts], np.diff(starts, append=codes.size))
        found += float(since[~ones] @ weights[~ones])
        order = np.argsort(codes >> bit, kind="stable")
        codes, weights = codes[order], weights[order]
    return found


SPEARMAN = _correlation(
    key="Spearman",
    name="Spearman Rank Correlation",
    aliases=("spearmanr", "Spearman's rho", "rank correlation"),
    meaning="The correlation of the ranks: 1 if the predictions are in the order of the truth.",
    pitfall="Only the order counts, not how far a prediction is off.",
    definition=r"\text{Pearson}\left(\operatorname{rank}(y), \operatorname{rank}(\hat{y})\right)",
    formula=lambda y, z, w: float(
        _spearman(codes_of(y), codes_of(z), np.ones(y.size) if w is None else w)
    ),
    constant_scores=False,
    form=Products(lambda *_: 1.0, ranks, ranks),
    no_score_of_predictions=different_predictions,
)
KENDALL = _correlation(
    key="Kendall",
    name="Kendall Rank Correlation",
    aliases=("kendalltau", "Kendall's tau", "tau-b", "Kendall tau-b"),
    meaning="The share of pairs in order minus that of pairs out of order, among pairs that "
    "are not tied: tau-b.",
    pitfall="Only the order counts, not how far a prediction is off.",
    definition=r"\frac{\sum_{i<j} \operatorname{sign}(y_i - y_j) "
    r"\operatorname{sign}(\hat{y}_i - \hat{y}_j)}{\sqrt{n_y \, n_{\hat{y}}}}",
    formula=_tau_b,
    constant_scores=False,
    form=Ordered.PAIRS,
    no_score_of_predictions=different_predictions,
)
CORRELATIONS = (PEARSON, SPEARMAN, KENDALL, CONCORDANCE)


def _tau_by_weights(truth: Floats, predicted: Floats, weights: Floats) -> Of:
    y, z = (np.sign(np.subtract.outer(each, each)) for each in (truth, predicted))
    in_order, codes = y * z / 2, (codes_of(truth), codes_of(predicted))

    def of(sums: Floats) -> Floats:
        heavy = sums * weights
        yy, zz = (_untied(each, heavy) for each in codes)
        return np.asarray(((heavy @ in_order) * heavy).sum(axis=-1) / np.sqrt(yy * zz))

    return of


def _tau_by_orders(truth: Floats, shuffled: Ints, weights: Floats) -> Floats:
    z, found = shuffled.astype(float), np.zeros(len(shuffled))
    for row in range(1, truth.size):
        signs = weights[row] * weights[:row] * np.sign(truth[row] - truth[:row])
        found += np.sign(z[:, row, np.newaxis] - z[:, :row]) @ signs
    pairs = np.sqrt(_untied(codes_of(truth), weights)) * np.sqrt(_untied(shuffled, weights))
    return np.asarray(np.clip(found / pairs, -1.0, 1.0))


# --- Many weights of rows, or many orders ---------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Number:
    """A number as a function of sums over rows."""

    columns: Floats | None  # what a row adds to each sum; None if the sums are the weights of rows
    of: Of  # the number, of sums along the last axis

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
        columns = np.stack([np.ones(y.size), y, z, y * y, z * z, y * z], axis=-1)
        return Number(columns * weights[:, np.newaxis], of)
    if isinstance(form, OfRows):

        def one_by_one(sums: Floats) -> Floats:
            rows = (sums * weights).reshape(-1, truth.size)
            found = [form.resampled(truth, predicted, each) for each in rows]
            return np.array(found).reshape(sums.shape[:-1])

        return Number(None, one_by_one)
    if measure is SPEARMAN:
        codes = codes_of(truth), codes_of(predicted)
        return Number(None, lambda sums: _spearman(*codes, sums * weights))
    if measure is KENDALL:
        return Number(None, _tau_by_weights(truth, predicted, weights))
    if form is Ordered.MEDIAN:
        return medians_by_weights(np.abs(truth - predicted), weights)
    return None


def by_orders(
    measure: NumberMeasure, truth: Floats, predicted: Floats, weights: Floats | None
) -> tuple[Callable[[Any], Floats], int, NDArray[Any]]:
    """Return what scores shuffled predictions, how many numbers each takes, and what is shuffled.

    That is the predictions, or their places in order. Weights stay with the truth.
    """
    form, size = measure.form, truth.size
    if form in (Ordered.LARGEST, Ordered.MEDIAN):

        def of_errors(z: Floats) -> Floats:
            # In place of the shuffles: new memory takes as long as all else.
            np.abs(np.subtract(truth, z, out=z), out=z)
            if form is Ordered.LARGEST:
                return np.asarray(z.max(axis=1))
            return _medians(z) if weights is None else _weighted_medians(z, weights)

        times = 1 if form is Ordered.LARGEST else 2 if weights is None else 8
        return of_errors, times * size, predicted
    # Of many pairs with weights, the merging of a sort counts sooner.
    is_one_by_one = measure is KENDALL and weights is not None and size > _IN_PAIRS
    if is_one_by_one or measure not in (*MOMENTS, SPEARMAN, KENDALL):
        cost = form.cost(size) if isinstance(form, OfRows) else 100 * size
        kernel = measure.kernel
        return lambda z: np.array([kernel(truth, each, weights) for each in z]), cost, predicted
    heavy = np.ones(size) if weights is None else weights
    if measure is KENDALL:
        return lambda z: _tau_by_orders(truth, z, heavy), size**2, codes_of(predicted)
    if measure is SPEARMAN:
        codes = codes_of(truth)
        return lambda z: _spearman(codes, z, heavy), 5 * size, codes_of(predicted)
    y, z, score = _pair(measure, truth, predicted, heavy)
    is_error = measure is EXPLAINED_VARIANCE  # what is shuffled is the prediction in it
    shuffled = y - z if is_error else z
    return lambda z: score(_sums(y, y - z if is_error else z, heavy)), 3 * size, shuffled


def _medians(errors: Floats) -> Floats:
    """Return the median of each row, in a third of numpy's time."""
    half = errors.shape[1] // 2
    errors.partition(half, axis=1)
    upper = errors[:, half]
    return upper if errors.shape[1] % 2 else (errors[:, :half].max(axis=1) + upper) / 2


def medians_by_weights(values: Floats, weights: Floats) -> Number:
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
