"""Null distributions of numbers."""

from __future__ import annotations

import math
from functools import lru_cache, wraps
from itertools import permutations
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

from baserate.core.baseline import COMPUTATION
from baserate.exceptions import UndefinedMeasureError
from baserate.measures.correlations import by_orders, pairs_in_order, ranks
from baserate.measures.numbers_record import Ordered, Products, Shape
from baserate.null.distribution import Listed
from baserate.null.matching import Matching
from baserate.null.permutations import SEED, Permuted, shuffled
from baserate.null.saddlepoint import Link
from baserate.null.sums import MAX_BLOCKS, of_sum
from baserate.observed.best_constants import are_equal, centred, root_mean_square

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.measures.numbers_record import NumberMeasure
    from baserate.null.distribution import NullDistribution
    from baserate.observed.numbers import NumericPredictions

    Floats = NDArray[np.float64]


P = ParamSpec("P")
R = TypeVar("R")

# Of more rows than these, what was found is not kept for long.
LARGE = 20_000
# All orders of so many rows are listed, and pairs of so many without ties are counted.
FEW, MAX_COUNTED_PAIRS = 8, 200
# Truths beyond these, and twice as many predictions, are taken in groups, unless pairs are as few.
# Finer ones have the spread where weights differ or a few rows decide; sums of many rows that are
# permuted have fewer.
LEVELS, FINE_LEVELS, FEW_LEVELS, MANY_ROWS = 100, 1_000, 30, 10**5
# Of more rows, a sample is shuffled; for the largest error, so many at either end of both sides.
MOST_SHUFFLED, FAR_OUT = 20_000, 2_000
# So many pairs tell how much losses vary from row to row.
PROBED_PAIRS, MEAN_PAIRS = 10**6, 2 * 10**7


def kept(find: Callable[P, R]) -> Callable[P, R]:
    """Keep what was found of many small test sets, and of two large ones: the last argument."""
    small: Callable[..., R] = lru_cache(maxsize=64)(find)
    large: Callable[..., R] = lru_cache(maxsize=2)(find)

    @wraps(find)
    def found(*args: P.args, **kwargs: P.kwargs) -> R:
        fit: Any = args[-1]
        return (small if fit.total <= LARGE else large)(*args, **kwargs)

    return found


class Rows(NamedTuple):
    """Truths, predictions and weights whose mean is 1, in an order that is always the same."""

    truth: Floats
    predicted: Floats
    times: Floats

    @classmethod
    def of(cls, fit: NumericPredictions) -> Rows:
        """Return the rows of a fit."""
        if fit.weights is None:
            order = np.argsort(fit.truth)
            if (np.diff(fit.truth[order]) == 0).any():
                order = np.lexsort((fit.predicted, fit.truth))
            return cls(fit.truth[order], fit.predicted[order], np.ones(fit.total))
        times = fit.weights * fit.total / fit.weights.sum()
        order = np.lexsort((times, fit.predicted, fit.truth))
        return cls(fit.truth[order], fit.predicted[order], times[order])


def _link(observed: float, score: float, slope: float, *, rooted: bool = False) -> Link:
    """Return how a sum is read as a score: a line through the observed one, or the root of one."""

    def number(other: float) -> float:
        if other == score:
            return observed  # without rounding
        if slope == 0:  # all orders have the observed score
            return math.copysign(math.inf, score - other)
        if not rooted:
            return observed + (other - score) / slope
        if other < 0:
            return math.copysign(math.inf, -slope)
        return observed + (other - score) * (other + score) / slope

    def scores(numbers: Floats) -> Floats:
        change = slope * (numbers - observed)
        if not rooted:
            return np.asarray(score + change)
        # The square of a large score may be no float; a power of 2 rounds nothing.
        unit = math.ldexp(1.0, max(math.frexp(score)[1] - 1, -1000))
        square, change = (score / unit) ** 2, change / unit / unit
        # The root of what rounding leaves of a 0 would be far from it.
        rounding = COMPUTATION * (square + np.abs(slope * observed / unit / unit))
        squares = square + change
        return np.asarray(unit * np.sqrt(np.where(squares > rounding, squares, 0.0)))

    return Link(scores, number, slope >= 0)


@kept
def null_of(measure: NumberMeasure, fit: NumericPredictions) -> NullDistribution:
    """Return the distribution of a score when predictions are shuffled over the rows.

    Each row keeps its truth and its weight.
    """
    score, reason = measure.score_or_reason(fit)
    if reason:
        raise UndefinedMeasureError(f"{measure.key} is undefined: {reason}")
    with np.errstate(all="ignore"):  # other orders may have losses that are beyond floats
        made = _random_sum(measure, fit, score)
        return _of_orders(measure, fit, score) if made is None else of_sum(*made)


def _random_sum(
    measure: NumberMeasure, fit: NumericPredictions, score: float
) -> tuple[Matching, Link] | None:
    """Return the random sum that decides a score, and how it does; None if there is none."""
    form, rooted = measure.form, measure.shape is Shape.ROOT
    if isinstance(form, Products) and fit.weights is None:
        observed, sums, a, b = _of_products(form.left, form.right, fit)
        slope = form.slope(fit.truth, fit.predicted, a, b)
        return sums, _link(observed, score, slope, rooted=rooted)
    if measure.loss is not None:
        observed, sums = _of_losses(measure.loss, fit)
        slope = -1 / measure.free(fit.truth, fit.weights) if measure.shape is Shape.SHARE else 1.0
        return sums, _link(observed, score, slope, rooted=rooted)
    if form is Ordered.PAIRS and fit.weights is None and fit.total > FEW:
        return _pairs_sum(fit, score)
    return None


def _pairs_sum(fit: NumericPredictions, score: float) -> tuple[Matching, Link] | None:
    """Return the sum of ranks that decides pairs in order, or of many rows comes close to them."""
    total, (_, of_truth, of_predictions) = fit.total, pairs_in_order(fit.truth, fit.predicted)
    scale = math.sqrt(of_truth) * math.sqrt(of_predictions)
    y, x = (np.unique(side, return_counts=True)[1] * 1.0 for side in (fit.truth, fit.predicted))
    if 2 not in (y.size, x.size) and total <= MAX_COUNTED_PAIRS:
        return None
    observed, sums, a, b = _of_products(ranks, ranks, fit)
    if 2 in (y.size, x.size):
        # Pairs are 4 times the mean product of the ranks of both (Mann and Whitney).
        return sums, _link(observed, score, 4 / scale * a * b)
    # Hájek's projection, with the exact variance of the pairs, with ties (Kendall 1970).
    lost = sum(float((t * (t - 1) * (2 * t + 5)).sum()) for t in (y, x))
    two = math.prod(float((t * (t - 1)).sum()) for t in (y, x)) / (2 * total * (total - 1))
    three = math.prod(float((t * (t - 1) * (t - 2)).sum()) for t in (y, x))
    three /= 9 * total * (total - 1) * (total - 2)
    variance = (total * (total - 1) * (2 * total + 5) - lost) / 18 + two + three
    slope = math.sqrt(variance) / scale / sums.sd
    return sums, _link(score / slope, score, slope)


@kept  # MSE, RMSE, R2 and correlations share it
def _of_products(
    left: Any, right: Any, fit: NumericPredictions
) -> tuple[float, Matching, float, float]:
    """Return the observed correlation, its random sum, and the deviations of both sides."""
    rows = Rows.of(fit)
    truth, a = _standardised(left(rows.truth))
    predicted, b = _standardised(right(rows.predicted))
    observed = math.fsum(truth * predicted) / fit.total
    if not a or not b:
        return observed, Matching(np.ones(1), np.ones(1), np.zeros((1, 1))), a, b

    rows = Rows(np.sort(truth), predicted, rows.times)
    # The spread of standardised numbers, whatever was grouped.
    sums = _grouped_sum(np.multiply, rows).rescaled(1 / math.sqrt(fit.total - 1))
    sums.mean = 0.0
    return observed, sums, a, b


def _standardised(numbers: Floats) -> tuple[Floats, float]:
    """Return numbers with mean 0 and variance 1, and their standard deviation."""
    if are_equal(numbers):  # a mean may be rounded, and 0.1 less it no 0
        return np.zeros(numbers.size), 0.0
    around = centred(numbers)
    deviation = root_mean_square(around)
    return around / deviation, deviation


@kept
def _of_losses(loss: Any, fit: NumericPredictions) -> tuple[float, Matching]:
    """Return the observed mean loss, and its random sum."""
    rows = Rows.of(fit)
    observed = math.fsum(loss(rows.truth, rows.predicted) * rows.times) / fit.total
    return observed, _grouped_sum(loss, rows, is_known=False)


def _grouped_sum(loss: Any, rows: Rows, *, is_known: bool = True) -> Matching:
    """Return a sum of levels; of a few, if it will be permuted and has many rows.

    Unless mean and spread are known, they are those of finer levels, since groups would shift them.
    """
    ascending, total = np.sort(rows.predicted), rows.truth.size
    of_truth, of_predictions = _variations(loss, rows, ascending)
    is_weighted = bool((rows.times != 1).any())

    def grouped(most: int) -> Matching:
        order = np.arange(total)
        if is_weighted:
            order = np.lexsort((rows.times, rows.truth))
            # Neighbours in truth may differ in weight: bins of the truth, each ordered by weight.
            bins = np.arange(total) * math.isqrt(most) // total
            order = order[np.lexsort((rows.times[order], bins))] if total > most else order
        truth = rows.truth[order], rows.times[order]
        at_y, at_x = _starts(*truth), _starts(ascending)
        # If one side has few levels, the other may have more.
        most_y, most_x = (
            max(own, min(2 * most**2 // min(other.size, limit), MAX_BLOCKS))
            for own, other, limit in ((most, at_x, 2 * most), (2 * most, at_y, most))
        )
        n, y, w = _groups(at_y, of_truth[order], most_y, *truth)
        m, x = _groups(at_x, of_predictions, most_x, ascending)
        losses = w[:, np.newaxis] * loss(y[:, np.newaxis], x)
        is_finite = np.isfinite(losses)
        if not is_finite.all():  # an order with an infinite loss is worse than any other
            losses = np.where(is_finite, losses, 1e3 * total * np.abs(losses[is_finite]).max())
        merged = n.size < at_y.size or m.size < at_x.size
        return Matching(n, m, losses / total, merged=merged)

    found = grouped(LEVELS)
    if total > MANY_ROWS and not found.is_tame:
        found = grouped(FEW_LEVELS).rescaled(found.sd)
    if is_known or not found.merged:
        return found
    if is_weighted or not found.is_tame:
        found = found.rescaled(grouped(FINE_LEVELS).sd)
    found.mean = _mean_loss(loss, rows, ascending, of_predictions)
    return found


def _mean_loss(loss: Any, rows: Rows, ascending: Floats, variation: Floats) -> float:
    """Return the mean loss over all pairs: of every truth with two points per group of predictions.

    These keep the mean and the spread of a group.
    """
    total = rows.truth.size
    most = min(max(MEAN_PAIRS // total, 32), LEVELS)
    sizes, means = _groups(_starts(ascending), variation, most, ascending)
    away = ascending - np.repeat(means, sizes.astype(int))
    starts = (np.cumsum(sizes) - sizes).astype(int)
    spread = np.sqrt(np.add.reduceat(away**2, starts) / sizes)
    x, m = np.concatenate([means - spread, means + spread]), np.tile(sizes / 2, 2)
    parts = np.array_split(np.arange(total), -(-total // 1_000))  # what a cache holds
    losses = (loss(rows.truth[part, np.newaxis], x) @ m for part in parts)
    found = sum(float(rows.times[part] @ each) for part, each in zip(parts, losses, strict=True))
    return found / total**2


def _variations(loss: Any, rows: Rows, ascending: Floats) -> tuple[Floats, Floats]:
    """Return how much the losses of each truth vary, and of each prediction in ascending order."""
    y, w, x = rows.truth, rows.times, ascending
    if y.size <= LEVELS:  # nothing is grouped
        return w, w
    number = max(min(PROBED_PAIRS // y.size, 64), 8)
    probes = ((np.arange(number) + 0.5) / number * y.size).astype(int)[:, np.newaxis]
    return _variation(w * loss(y, x[probes])), _variation(w[probes] * loss(y[probes], x))


def _variation(losses: Floats) -> Floats:
    """Return how much the losses of each column vary beyond all: its share of the spread."""
    around = np.where(np.isfinite(losses), losses, 0.0)
    around /= np.abs(around).max() or 1.0
    around += around.mean() - around.mean(axis=0) - around.mean(axis=1, keepdims=True)
    around *= around
    return np.asarray(around.mean(axis=0))


def _starts(*columns: Floats) -> NDArray[np.intp]:
    """Return where rows start that differ from those before."""
    is_new = np.any([np.diff(each) != 0 for each in columns], axis=0)
    return np.flatnonzero(np.append(True, is_new))


def _groups(
    starts: NDArray[np.intp], variation: Floats, most: int, *columns: Floats
) -> list[Floats]:
    """Return how many rows are alike, or neighbours if those are too many, and their means.

    Groups are small where losses vary.
    """
    if starts.size > most:
        mean = float(variation.mean())
        influence = np.cumsum(1 + (variation / mean if mean else 0 * variation))
        ends = np.searchsorted(influence, influence[-1] * np.arange(1, most) / most)
        starts = np.unique(np.append(0, ends[ends < variation.size]))
    if starts.size == variation.size:  # all of them differ
        return [np.ones(starts.size), *columns]
    sizes = np.diff(starts, append=variation.size).astype(float)
    return [sizes, *(np.add.reduceat(each, starts) / sizes for each in columns)]


def _of_orders(measure: NumberMeasure, fit: NumericPredictions, score: float) -> NullDistribution:
    """Return the distribution of any other score: of all orders, or of random ones."""
    rows, form = Rows.of(fit), measure.form
    is_plain, is_largest = fit.weights is None, form is Ordered.LARGEST
    if fit.total > MOST_SHUFFLED and not is_largest:
        # Scores of fewer rows vary more, so that no chance is too small.
        some = np.random.default_rng(SEED).choice(fit.total, MOST_SHUFFLED, replace=False)
        rows = Rows(*(each[np.sort(some)] for each in rows))
    is_counted = is_plain and form is Ordered.PAIRS and FEW < fit.total <= MAX_COUNTED_PAIRS
    if is_counted and min(np.unique(each).size for each in rows[:2]) == fit.total:
        return _inversions(fit.total)
    if fit.total > MOST_SHUFFLED and is_largest:
        return _of_largest(rows)
    weights = None if is_plain else rows.times
    scores, cells, predicted = by_orders(measure, rows.truth, rows.predicted, weights)
    size = max(abs(score), measure.perfect)
    if fit.total <= FEW:
        orders = np.array(list(permutations(range(fit.total))))
        return Listed(scores(predicted[orders]), np.ones(len(orders)), size)
    if are_equal(rows.truth) or are_equal(rows.predicted):
        return Listed(np.array([score]), np.ones(1), size)

    def draw(rng: np.random.Generator, number: int) -> Floats:
        return scores(predicted.take(shuffled(np.arange(predicted.size), number, rng)))

    return Permuted(draw, cells)


def _of_largest(rows: Rows) -> NullDistribution:
    """Return the distribution of the largest error of many rows, by those that can have it.

    One of the two numbers is far out: only they are matched. Where all of these are close by chance
    the largest error is taken for smaller than it is, so that no chance is too small.
    """
    truth, predicted, some = np.sort(rows.truth), np.sort(rows.predicted), 2 * FAR_OUT
    middle = np.arange(FAR_OUT, truth.size - FAR_OUT)
    ends = np.append(np.arange(FAR_OUT), middle[-1] + 1 + np.arange(FAR_OUT))

    def largest(rng: np.random.Generator) -> float:
        both = rng.hypergeometric(some, middle.size, some)
        first, second = rng.permutation(ends), rng.permutation(ends)
        # Those of one side, with partners that are not far out on the other.
        alone, others = (rng.choice(middle, some - both, replace=False) for _ in range(2))
        second = np.concatenate([second[:both], alone, second[both:]])
        return float(np.abs(truth[np.append(first, others)] - predicted[second]).max())

    def draw(rng: np.random.Generator, number: int) -> Floats:
        return np.array([largest(rng) for _ in range(number)])

    return Permuted(draw, 10 * some)


def _inversions(total: int) -> NullDistribution:
    """Return the distribution of Kendall's tau without ties (the Mahonian numbers).

    Pairs out of order are a sum of independent numbers, each of 0, 1, … i - 1 alike.
    """
    chances = np.ones(1)
    for size in range(2, total + 1):
        chances = np.convolve(chances, np.full(size, 1 / size))
    pairs = total * (total - 1) // 2
    return Listed(1 - 2 * np.arange(pairs + 1) / pairs, chances, size=1.0)
