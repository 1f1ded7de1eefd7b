"""How scores of numbers vary over test sets, and what swaps of two models change."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.core.baseline import COMPUTATION
from baserate.core.measure import Direction, Rule
from baserate.core.observed import SAME, UNDEFINED, by_cluster, cells_of, summed
from baserate.exceptions import UndefinedMeasureError
from baserate.intervals.bootstrap import FISHER, LOG, SHARE, Statistic
from baserate.intervals.limits import Margin
from baserate.intervals.weights import Batch, exponential_weights
from baserate.kinds.numbers_null import kept
from baserate.measures.correlations import (
    EXPLAINED_VARIANCE,
    KENDALL,
    MOMENTS,
    PEARSON,
    SPEARMAN,
    Number,
    by_weights,
    medians_by_weights,
)
from baserate.measures.numbers_errors import squared_error, squared_log_error
from baserate.measures.numbers_record import OfRows, Ordered, Shape
from baserate.observed.best_constants import of_usual_size
from baserate.observed.numbers import JointFit, JointSummary, NumericPredictions, sample_of
from baserate.paired import Pair, alike, flip_test, permutation_test

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.core.baseline import Baseline
    from baserate.core.observed import SwapTest
    from baserate.measures.correlations import Of
    from baserate.measures.numbers_record import Loss, NumberMeasure
    from baserate.observed.numbers import FitSummary

    Floats = NDArray[np.float64]
    Ints = NDArray[np.intp]


_COLUMNS = ("truth", "first_predicted", "second_predicted")
# How a score varies is seen in this many rows: of sums, of ranks, of pairs and medians.
_MOST_ROWS, _MOST_RANKS, _MOST_PAIRS = 100_000, 1_024, 400
_SEED = 40
# The best constant of a resample is looked for among these, in its own standard deviations from
# that of the data; which is seen in this many resamples.
_CONSTANTS, _RESAMPLES = np.linspace(-3, 3, 9), 16


# The same functions each time, so that the numbers of many test sets are resampled at once.


def _mean(sums: Floats) -> Floats:
    return np.asarray(sums[..., 0] / sums[..., 1])


def _least_square(sums: Floats) -> Floats:
    mean = sums[..., 0] / sums[..., 1]
    return np.maximum(mean - (sums[..., 2] / sums[..., 1]) ** 2, 0.0)


def _least(sums: Floats) -> Floats:
    return np.asarray(np.fmin.reduce(sums[..., 1:], axis=-1) / sums[..., 0])


@cache
def _root(of: Of) -> Of:
    return lambda sums: np.sqrt(of(sums))


def _saved(lost: Floats, free: Floats) -> Floats:
    return 1 - lost / free


class NumbersFamily:
    """What is known of numbers: a unit is a row."""

    def proportion(self, measure: NumberMeasure, observed: NumericPredictions | FitSummary) -> None:
        """Return None: no score of numbers is a proportion."""

    def score(
        self, measure: NumberMeasure, observed: NumericPredictions | FitSummary
    ) -> Statistic | None:
        """Return a score; None for the largest error, as the largest seen says little of it."""
        rows = _rows(measure, observed)
        number = _score(measure, rows.fit, rows.constants)
        if number is None:
            return None
        is_correlation = measure.interval is Rule.CORRELATION
        scale = FISHER if is_correlation else LOG
        if measure.direction is Direction.MAXIMIZE and not is_correlation:
            scale = SHARE
        return replace(
            rows.statistic(number, measure.interval, measure.score_or_reason(observed)[0]),
            scale=scale,
            ends=(measure.codomain.lower, measure.codomain.upper),
            fisher=measure in (PEARSON, SPEARMAN),
        )

    def margin(
        self, baseline: Baseline, observed: NumericPredictions | FitSummary
    ) -> Margin | None:
        """Return how much less is lost than by the best constant; None if that always has 0."""
        measure = baseline.measure
        if measure.direction is Direction.MAXIMIZE or measure.is_custom:
            return None
        rows = _rows(measure, observed)
        score = _score(measure, rows.fit, rows.constants)
        if score is None:
            return None
        margin = baseline.value - measure.score_or_reason(observed)[0]
        chosen, kept = (
            _free(measure, rows.fit, constants).minus(score)
            for constants in (rows.constants, rows.constants[:1])
        )
        rule = measure.interval
        return Margin(rows.statistic(chosen, rule, margin), rows.statistic(kept, rule, margin))

    def difference(
        self, measure: NumberMeasure, joint: JointFit | JointSummary
    ) -> Statistic | None:
        """Return the second score minus the first."""
        sample = sample_of(joint)
        if not sample.disagreements:  # a sample that does not show how they differ
            return None
        rows = _Rows.of(measure, joint.second, sample)
        other = replace(rows.fit, predicted=sample.first_predicted[rows.places])
        both = [_score(measure, fit, rows.constants) for fit in (rows.fit, other)]
        if both[0] is None or both[1] is None:
            return None
        gain = measure.score_or_reason(joint.second)[0] - measure.score_or_reason(joint.first)[0]
        return rows.statistic(both[0].minus(both[1]), measure.interval, gain)

    def contributions(
        self, observed: NumericPredictions, clusters: Sequence[NumericPredictions]
    ) -> Floats:
        """Return what each cluster adds to the association: Σ (truth - mean)(predicted - mean)."""
        (truth, predicted), codes = cells_of(clusters, ("truth", "predicted"))
        y, z = _centred(truth, observed.truth), _centred(predicted, observed.predicted)
        return np.bincount(codes, y * z, len(clusters)).astype(float)


NUMBERS = NumbersFamily()


class _Rows(NamedTuple):
    """The rows that are resampled, all of them or a sample, in an order of their own.

    `places` is where they are among the whole. The first of the constants is the best one of these
    rows, and others may be best in a resample. A number of all rows varies less by a factor,
    `shrunk`, than one of these.
    """

    whole: NumericPredictions | JointFit
    fit: NumericPredictions
    places: NDArray[np.int64]
    constants: Floats
    shrunk: float

    @classmethod
    def of(
        cls,
        measure: NumberMeasure,
        observed: NumericPredictions | FitSummary,
        joint: JointFit | None = None,
    ) -> _Rows:
        """Return rows that show how a measure varies, in the same order for both of two models."""
        fit = sample_of(observed)
        weights = fit.weights
        if fit.total > _MOST_ROWS:
            # A few of them twice, which is faster than to choose without.
            places = np.random.default_rng(_SEED).integers(0, fit.total, _MOST_ROWS)
        else:
            other = fit.predicted if joint is None else joint.first_predicted
            keys = [np.maximum(fit.predicted, other), np.minimum(fit.predicted, other), fit.truth]
            places = np.lexsort(keys if weights is None else [weights, *keys])
        most = _MOST_RANKS if measure is SPEARMAN else _MOST_ROWS
        if measure.is_custom or measure.form in (Ordered.PAIRS, Ordered.MEDIAN):
            most = _MOST_PAIRS
        if places.size > most:
            places = np.random.default_rng(_SEED).choice(places, most, replace=False)
        chosen = NumericPredictions(
            fit.truth[places],
            fit.predicted[places],
            None if weights is None else weights[places] / weights.mean(),
        )
        shrunk = math.sqrt(places.size / observed.total)
        return cls(joint or fit, chosen, places, _constants(measure, chosen), shrunk)

    def statistic(self, number: Number, rule: Rule, observed: float) -> Statistic:
        """Return a number of these rows, for the bootstrap."""

        def of_clusters(clusters: Sequence[Any]) -> tuple[Any, Floats]:
            is_joint = isinstance(self.whole, JointFit)
            names = _COLUMNS[::-1] if is_joint else ("predicted", "truth")
            columns, codes = cells_of(clusters, names)
            found = np.empty(codes.size, dtype=np.int64)
            # Rows that are the same are interchangeable.
            order = np.lexsort([getattr(self.whole, name) for name in names])
            found[order] = codes[np.lexsort(columns)]
            return summed(found[self.places], np.ones(self.places.size), number.columns)

        return Statistic(
            of=number.of,
            rows=np.ones(self.fit.total),
            columns=number.columns,
            rule=rule,
            observed=np.asarray(observed),
            shrunk=self.shrunk,
            of_clusters=of_clusters,
        )


@kept  # for the score and its margin
def _rows(measure: NumberMeasure, observed: NumericPredictions | FitSummary) -> _Rows:
    return _Rows.of(measure, observed)


def _centred(values: Floats, of: Floats) -> Floats:
    """Return how far numbers are from the mean, in standard deviations; 0 if all are the same."""
    spread = float(of.std())
    scale = float(np.abs(of).max(initial=0.0))
    return (values - of.mean()) / spread if spread > COMPUTATION * scale else 0.0 * values


def _constants(measure: NumberMeasure, fit: NumericPredictions) -> Floats:
    """Return the best constant of the rows, and others that may be best in a resample."""
    if measure.constants is None or measure is EXPLAINED_VARIANCE or measure.is_custom:
        return np.array([math.nan])
    order = np.argsort(fit.truth, kind="stable")
    values = fit.truth[order]

    def best(weights: Floats | None) -> float:
        try:
            return measure.constants(values, weights)[0].middle  # type: ignore[misc]
        except UndefinedMeasureError:
            return math.nan

    heavy = np.ones(fit.total) if fit.weights is None else fit.weights[order]
    here = best(fit.weights if fit.weights is None else heavy)
    if measure.loss in (squared_error, squared_log_error):
        return np.array([here])  # the best one of a resample is known from its sums
    if fit.total <= _MOST_RANKS:
        drawn = exponential_weights(fit.total, Batch(0, 1))[0][:_RESAMPLES]
    else:
        drawn = np.random.default_rng(_SEED).standard_exponential((_RESAMPLES, fit.total))
    with np.errstate(all="ignore"):  # of squares that no float holds
        spread = float(np.nanstd([best(heavy * each) for each in drawn]))
        others = np.clip(here + spread * _CONSTANTS, values[0], values[-1])
    return np.append(here, others)


def _score(measure: NumberMeasure, fit: NumericPredictions, constants: Floats) -> Number | None:
    """Return a score as a function of sums; None if it is not known as one."""
    loss, weights = measure.loss, _weights(fit)
    if loss is None:
        return by_weights(measure, fit.truth, fit.predicted, weights)
    with np.errstate(all="ignore"):
        lost = Number(np.column_stack([weights * loss(fit.truth, fit.predicted), weights]), _mean)
    if measure.shape is Shape.SHARE:
        return lost.joined(_saved, _best_loss(loss, fit, constants))
    return _linked(measure, lost)


def _free(measure: NumberMeasure, fit: NumericPredictions, constants: Floats) -> Number:
    """Return the score of the best of some constants."""
    if measure.loss is not None:
        return _linked(measure, _best_loss(measure.loss, fit, constants))
    weights = _weights(fit)
    found = [medians_by_weights(np.abs(fit.truth - each), weights) for each in constants]
    return Number(None, lambda sums: np.fmin.reduce([each.of(sums) for each in found]))


def _best_loss(loss: Loss, fit: NumericPredictions, constants: Floats) -> Number:
    """Return the mean loss of the best of some constants; of squares, of the best of all."""
    weights = _weights(fit)
    with np.errstate(all="ignore"):
        losses = [weights * loss(fit.truth, np.full(fit.total, each)) for each in constants]
        if loss in (squared_error, squared_log_error):
            bend: Callable[[Any], Any] = np.log1p if loss is squared_log_error else np.positive
            off = weights * (bend(fit.truth) - bend(constants[0]))
            return Number(np.column_stack([losses[0], weights, off]), _least_square)
    return Number(np.column_stack([weights, *losses]), _least)


def _linked(measure: NumberMeasure, mean: Number) -> Number:
    """Return the score of a mean loss: its root, if the measure is one."""
    return replace(mean, of=_root(mean.of)) if measure.shape is Shape.ROOT else mean


def _weights(fit: NumericPredictions) -> Floats:
    return np.ones(fit.total) if fit.weights is None else fit.weights


# --- Two models that are swapped ------------------------------------------------------------------


# A score of ranks or of errors in order depends on how much weight this many cells have: of more,
# neighbours are taken together, to this many levels of each side of a ranking.
MAX_CELLS, LEVELS = 1_024, 32


def swap_test(
    measure: NumberMeasure, joint: JointFit | JointSummary, clusters: Sequence[JointFit] = ()
) -> SwapTest:
    """Return the two-sided p-value of swapping the models row by row.

    Of rows that stayed in an engine, it is that of a sample. With clusters, these are swapped.
    """
    if any(measure.score_or_reason(each)[1] for each in (joint.first, joint.second)):
        return UNDEFINED
    if not joint.disagreements:
        return SAME
    if isinstance(joint, JointSummary):
        found = swap_test(measure, joint.sample)
        return found._replace(method="permutations") if found.exact else found
    if measure.loss is None:
        return permutation_test(_pair(measure, joint, clusters))
    (truth, first, second), codes = by_cluster(joint, clusters, _COLUMNS)
    with np.errstate(all="ignore"):
        differences = measure.loss(truth, second) - measure.loss(truth, first)
        heavy = 1.0 if joint.weights is None else joint.weights
        return flip_test(heavy * differences, None, codes)


def _pair(measure: NumberMeasure, joint: JointFit, clusters: Sequence[JointFit]) -> Pair:
    """Return two models whose scores are functions of sums, or of the weights of cells."""
    (truth, first, second), codes = by_cluster(joint, clusters, _COLUMNS)
    heavy = None if joint.weights is None else of_usual_size(joint.weights)
    shared = [each for each in (truth, heavy, codes) if each is not None]
    kinds = alike(first, second, None, *shared)
    weights = np.ones(kinds.rows.size) if heavy is None else kinds.shared[1]
    how: Callable[..., Pair] = partial(Pair, kinds.rows, kinds.first)
    if codes is not None:
        how = partial(how, clusters=kinds.shared[-1])
    truth, both, form = np.tile(kinds.shared[0], 2), np.append(kinds.low, kinds.high), measure.form
    if form in (Ordered.MEDIAN, Ordered.LARGEST):
        return how(*_of_errors(measure, np.abs(truth - both), weights))
    if isinstance(form, OfRows):
        found: Any = by_weights(measure, truth, both, np.ones(both.size))
        adds = _placed(np.arange(both.size), weights, both.size)
        return how(adds, found.of, cost=form.cost(both.size))
    if measure in MOMENTS:
        found = by_weights(measure, truth, both, np.tile(weights, 2))
        return how(np.split(found.columns, 2), found.of, size=1.0)
    ranks, *others = _ranked(kinds.shared[0], kinds.low, kinds.high)
    size = int(max(each.max() for each in others)) + 1
    keys = np.concatenate([ranks * size + each for each in others])
    is_met = np.bincount(keys) > 0
    cells, place = np.flatnonzero(is_met), np.cumsum(is_met) - 1
    y, z = (each.astype(float) for each in np.divmod(cells, size))
    # Of tau-b, all pairs of cells are looked at, some at the cost of one number.
    cost = y.size**2 // 8 if measure is KENDALL else 8 * y.size
    found = by_weights(measure, y, z, np.ones(y.size))
    adds = _placed(place[keys], weights, y.size)
    return how(adds, found.of, size=1.0, cost=cost)


def _ranked(truth: Floats, first: Floats, second: Floats) -> list[Ints]:
    """Return numbers by their order; in levels if truths and predictions are of many pairs."""
    y, z = np.unique(truth), np.unique(np.append(first, second))

    def ranked(most: int) -> list[Ints]:
        return [_levels(y, truth, most), *(_levels(z, each, most) for each in (first, second))]

    # There are at least as many pairs as there are different numbers on one side.
    if max(y.size, z.size) <= MAX_CELLS:
        places, *both = found = ranked(MAX_CELLS)
        if np.unique([places * z.size + each for each in both]).size <= MAX_CELLS:
            return found
    return ranked(LEVELS)


def _levels(known: Floats, values: Floats, most: int) -> Ints:
    """Return the places of values among known ones: of many of these, neighbours are one level."""
    levels = min(known.size, most)
    starts = -(-np.arange(levels) * known.size // levels)
    return np.searchsorted(known[starts], values, side="right") - 1


def _of_errors(measure: NumberMeasure, errors: Floats, weights: Floats) -> tuple[Any, Of]:
    """Return what rows add to the weights of errors of each size, and the score of these.

    Of many errors, only those that may decide are told apart.
    """
    is_middle = measure.form is Ordered.MEDIAN
    if errors.size > 2 * MAX_CELLS:
        first, last = errors.size - MAX_CELLS, errors.size
        if is_middle:  # medians of both models are within ten standard deviations of swaps
            half, reach = errors.size // 2, math.ceil(10 * math.sqrt(errors.size))
            first, last = max(half - reach, 0), half + reach
        ordered = np.sort(errors)[first:last]
        errors = np.clip(errors, ordered[0], ordered[-1])
    levels = _levels(np.unique(errors), errors, 2 * MAX_CELLS)
    sizes = np.bincount(levels)
    values = np.bincount(levels, errors) / sizes
    adds = _placed(levels, weights, values.size)
    if is_middle:
        return adds, medians_by_weights(values, np.ones(values.size)).of
    return adds, lambda sums: values[values.size - 1 - np.argmax(sums[..., ::-1] > 0, axis=-1)]


def _placed(places: Ints, weights: Floats, size: int) -> list[Any]:
    """Return what a row of each kind adds to cells, by its first and by its second prediction."""
    from scipy.sparse import csr_array

    starts, shape = np.arange(weights.size + 1), (weights.size, size)
    return [csr_array((weights, each, starts), shape=shape) for each in np.split(places, 2)]
