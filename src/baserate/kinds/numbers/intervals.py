"""How scores of numbers vary over test sets."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.baseline import COMPUTATION
from baserate.core.clusters import cells_of, summed
from baserate.core.measure import Direction, Rule
from baserate.exceptions import UndefinedMeasureError
from baserate.intervals.bootstrap import FISHER, LOG, PLAIN, SHARE, Statistic
from baserate.intervals.limits import Margin
from baserate.intervals.weights import Batch, exponential_weights
from baserate.measures.numbers import (
    CONCORDANCE,
    EXPLAINED_VARIANCE,
    KENDALL,
    PEARSON,
    SPEARMAN,
    Shape,
    divisors,
    row_loss,
    shape_of,
)
from baserate.measures.numbers_errors import squared_error, squared_log_error
from baserate.measures.numbers_record import MiddleError, OfRows, PairsInOrder
from baserate.observed.number_summary import FitSummary, JointSummary
from baserate.observed.numbers import NumericPredictions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.core.baseline import Baseline
    from baserate.measures.numbers_record import NumberMeasure
    from baserate.observed.numbers import JointFit

    Floats = NDArray[np.float64]
    Of = Callable[[Floats], Floats]


# How a score varies is seen in so many rows: of sums, of ranks, of pairs and medians.
_MOST_ROWS, _MOST_RANKS, _MOST_PAIRS = 100_000, 1_024, 400
_SEED = 40
# The best constant of a resample is looked for among these, in its own standard deviations from
# that of the data; which is seen in so many resamples.
_CONSTANTS, _RESAMPLES = np.linspace(-3, 3, 9), 16


@dataclass(frozen=True, eq=False)
class _Number:
    """A number as a function of sums over rows.

    Parameters
    ----------
    columns
        What a row adds to each sum; None if the sums are the weights of the rows.
    of
        The number, of sums along the last axis.
    """

    columns: Floats | None
    of: Callable[[Floats], Floats]

    def minus(self, other: _Number) -> _Number:
        """Return the difference of two numbers of the same rows."""
        if self.columns is None or other.columns is None:
            return _Number(None, lambda sums: self.of(sums) - other.of(sums))
        columns = np.hstack([self.columns, other.columns])
        return _Number(columns, _less(self.of, other.of, self.columns.shape[1]))


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


@cache
def _share(lost: Of, free: Of, own: int) -> Of:
    return lambda sums: 1 - lost(sums[..., :own]) / free(sums[..., own:])


@lru_cache(maxsize=64)
def _less(one: Of, other: Of, own: int) -> Of:
    return lambda sums: one(sums[..., :own]) - other(sums[..., own:])


class NumbersFamily:
    """What is known of numbers: a unit is a row."""

    def proportion(self, measure: NumberMeasure, observed: NumericPredictions | FitSummary) -> None:
        """Return None: no score of numbers is a proportion."""

    def score(
        self, measure: NumberMeasure, observed: NumericPredictions | FitSummary
    ) -> Statistic | None:
        """Return a score; None for the largest error, as the largest seen says little of it."""
        rows = _Rows.of(measure, observed)
        number = _score(measure, rows.fit, rows.constants)
        if number is None:
            return None
        is_correlation = measure.interval is Rule.CORRELATION
        found = rows.statistic(
            number,
            measure.interval,
            observed=measure.score_or_reason(observed)[0],
        )
        scale = FISHER if is_correlation else LOG
        if measure.direction is Direction.MAXIMIZE and not is_correlation:
            scale = SHARE
        return replace(
            found,
            scale=scale,
            ends=(measure.codomain.lower, measure.codomain.upper),
            fisher=measure in (PEARSON, SPEARMAN),
        )

    def margin(
        self, baseline: Baseline, observed: NumericPredictions | FitSummary
    ) -> Margin | None:
        """Return how much less is lost than by the best constant; None if that always has 0."""
        measure = baseline.measure
        if measure.direction is Direction.MAXIMIZE or isinstance(measure.form, OfRows):
            return None
        rows = _Rows.of(measure, observed)
        score = _score(measure, rows.fit, rows.constants)
        if score is None:
            return None
        margin = baseline.value - measure.score_or_reason(observed)[0]
        chosen, kept = (
            rows.statistic(
                _free(measure, rows.fit, constants).minus(score),
                measure.interval,
                observed=margin,
            )
            for constants in (rows.constants, rows.constants[:1])
        )
        return Margin(chosen, kept)

    def difference(
        self, measure: NumberMeasure, joint: JointFit | JointSummary
    ) -> Statistic | None:
        """Return the second score minus the first."""
        sample = joint.sample if isinstance(joint, JointSummary) else joint
        if not sample.disagreements:  # a sample that does not show how they differ
            return None
        gain = measure.score_or_reason(joint.second)[0] - measure.score_or_reason(joint.first)[0]
        rows = _Rows.of(measure, joint.second, sample.first_predicted)
        places = rows.places
        other = NumericPredictions(
            sample.truth[places],
            sample.first_predicted[places],
            None if sample.weights is None else sample.weights[places],
        )
        both = [_score(measure, fit, rows.constants) for fit in (rows.fit, other)]
        if both[0] is None or both[1] is None:
            return None
        number = both[0].minus(both[1])
        found = rows.statistic(number, measure.interval, observed=gain)

        def of_clusters(clusters: Sequence[JointFit]) -> tuple[Any, Floats]:
            names = ("first_predicted", "second_predicted", "truth")
            codes = _clusters_of(sample, clusters, names)[places]
            return summed(codes, np.ones(codes.size), number.columns)

        return replace(found, of_clusters=of_clusters)

    def contributions(
        self, observed: NumericPredictions, clusters: Sequence[NumericPredictions]
    ) -> Floats:
        """Return what each cluster adds to the association: Σ (truth - mean)(predicted - mean)."""
        (truth, predicted), codes = cells_of(clusters, ("truth", "predicted"))
        y, z = _centred(truth, observed.truth), _centred(predicted, observed.predicted)
        return np.bincount(codes, y * z, len(clusters)).astype(float)


NUMBERS = NumbersFamily()


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows that are resampled: all of them, or a sample, in an order of their own.

    Parameters
    ----------
    whole
        All rows.
    fit
        The rows that are resampled.
    places
        Where they are among all rows.
    constants
        The best constant of the data, and others that may be best in a resample.
    shrunk
        How much less a number of all rows varies than one of these.
    """

    whole: NumericPredictions
    fit: NumericPredictions
    places: NDArray[np.int64]
    constants: Floats
    shrunk: float

    @classmethod
    def of(
        cls,
        measure: NumberMeasure,
        observed: NumericPredictions | FitSummary,
        other: Floats | None = None,
    ) -> _Rows:
        """Return the rows of what was observed that show how a measure varies.

        With the predictions of another model, they are in the same order for both.
        """
        fit = observed.sample if isinstance(observed, FitSummary) else observed
        weights = fit.weights
        if fit.total > _MOST_ROWS:
            # A few of them twice, which is faster than to choose without.
            places = np.random.default_rng(_SEED).integers(0, fit.total, _MOST_ROWS)
        else:
            both = (fit.predicted,) * 2 if other is None else (fit.predicted, other)
            keys = (np.maximum(*both), np.minimum(*both), fit.truth)
            places = np.lexsort(keys if weights is None else (weights, *keys))
        most = _most_rows(measure)
        if places.size > most:
            places = np.random.default_rng(_SEED).choice(places, most, replace=False)
        chosen = NumericPredictions(
            fit.truth[places],
            fit.predicted[places],
            None if weights is None else weights[places] / weights.mean(),
        )
        shrunk = math.sqrt(places.size / observed.total)
        return cls(fit, chosen, places, _constants(measure, chosen), shrunk)

    def statistic(
        self,
        number: _Number,
        rule: Rule,
        observed: float,
    ) -> Statistic:
        """Return a number of these rows, for the bootstrap."""

        def of_clusters(clusters: Sequence[NumericPredictions]) -> tuple[Any, Floats]:
            codes = _clusters_of(self.whole, clusters, ("predicted", "truth"))[self.places]
            return summed(codes, np.ones(codes.size), number.columns)

        return Statistic(
            of=number.of,
            rows=np.ones(self.fit.total),
            columns=number.columns,
            rule=rule,
            scale=PLAIN,
            observed=np.asarray(observed),
            shrunk=self.shrunk,
            of_clusters=of_clusters,
        )


def _clusters_of(whole: Any, clusters: Sequence[Any], names: Sequence[str]) -> NDArray[np.int64]:
    """Return the cluster of each row; rows that are the same are interchangeable."""
    columns, codes = cells_of(clusters, names)
    found = np.empty(codes.size, dtype=np.int64)
    found[np.lexsort([getattr(whole, name) for name in names])] = codes[np.lexsort(columns)]
    return found


def _centred(values: Floats, of: Floats) -> Floats:
    """Return how far numbers are from the mean, in standard deviations; 0 if all are the same."""
    spread = float(of.std())
    scale = float(np.abs(of).max(initial=0.0))
    return (values - of.mean()) / spread if spread > COMPUTATION * scale else 0.0 * values


def _most_rows(measure: NumberMeasure) -> int:
    if isinstance(measure.form, PairsInOrder | MiddleError | OfRows):
        return _MOST_PAIRS
    return _MOST_RANKS if measure is SPEARMAN else _MOST_ROWS


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
    if row_loss(measure) in (squared_error, squared_log_error):
        return np.array([here])  # the best one of a resample is known from its sums
    drawn = _few_weights(fit.total)
    with np.errstate(all="ignore"):  # of squares that no float holds
        spread = float(np.nanstd([best(heavy * each) for each in drawn]))
        others = np.clip(here + spread * _CONSTANTS, values[0], values[-1])
    return np.append(here, others)


def _few_weights(rows: int) -> Floats:
    """Return some resamples, of which the best constants are looked at."""
    if rows <= _MOST_RANKS:
        return exponential_weights(rows, Batch(0, 1))[:_RESAMPLES]
    return np.random.default_rng(_SEED).standard_exponential((_RESAMPLES, rows))


def _score(measure: NumberMeasure, fit: NumericPredictions, constants: Floats) -> _Number | None:
    """Return a score as a function of sums; None if it is not known as one."""
    loss, weights = row_loss(measure), _weights(fit)
    if loss is None:
        if isinstance(measure.form, OfRows):
            return one_by_one(measure.form, fit.truth, fit.predicted, weights)
        build = OTHERS.get(measure)
        if build is not None:
            return build(fit.truth, fit.predicted, weights)
        return medians(np.abs(fit.residuals), weights) if _is_middle(measure) else None
    with np.errstate(all="ignore"):
        lost = _Number(
            np.column_stack([weights * loss(fit.truth, fit.predicted), _divisors(measure, fit)]),
            _mean,
        )
    if measure.direction is Direction.MINIMIZE:
        return _linked(measure, lost)
    free = _best_loss(measure, fit, constants)
    own = lost.columns.shape[1]  # type: ignore[union-attr]
    return _Number(
        np.hstack([lost.columns, free.columns]),  # type: ignore[list-item]
        _share(lost.of, free.of, own),
    )


def one_by_one(form: OfRows, truth: Floats, predicted: Floats, weights: Floats) -> _Number:
    """Return a user's score of rows, which is called resample by resample."""

    def of(sums: Floats) -> Floats:
        flat = (sums * weights).reshape(-1, weights.size)
        found = [form.resampled(truth, predicted, each) for each in flat]
        return np.array(found).reshape(sums.shape[:-1])

    return _Number(None, of)


def _free(measure: NumberMeasure, fit: NumericPredictions, constants: Floats) -> _Number:
    """Return the score of the best of some constants."""
    if not _is_middle(measure):
        return _linked(measure, _best_loss(measure, fit, constants))
    weights = _weights(fit)
    found = [medians(np.abs(fit.truth - each), weights) for each in constants]
    return _Number(None, lambda sums: np.fmin.reduce([each.of(sums) for each in found]))


def _best_loss(measure: NumberMeasure, fit: NumericPredictions, constants: Floats) -> _Number:
    """Return the mean loss of the best of some constants; of squares, of the best of all."""
    loss, weights, size = row_loss(measure), _weights(fit), _divisors(measure, fit)
    assert loss is not None  # noqa: S101
    with np.errstate(all="ignore"):
        losses = [weights * loss(fit.truth, np.full(fit.total, each)) for each in constants]
        if loss in (squared_error, squared_log_error):
            bend: Callable[[Any], Any] = np.log1p if loss is squared_log_error else np.positive
            off = weights * (bend(fit.truth) - bend(constants[0]))
            columns = np.column_stack([losses[0], size, off])
            return _Number(columns, _least_square)
    return _Number(np.column_stack([size, *losses]), _least)


def _divisors(measure: NumberMeasure, fit: NumericPredictions) -> Floats:
    """Return what the sum of the losses is divided by: that of the weights, or of the truth."""
    is_ratio = shape_of(measure) is Shape.RATIO
    return _weights(fit) * (divisors(measure, fit.truth) if is_ratio else 1.0)


def _linked(measure: NumberMeasure, mean: _Number) -> _Number:
    """Return the score of a mean loss: its root, if the measure is one."""
    if shape_of(measure) is Shape.ROOT:
        return replace(mean, of=_root(mean.of))
    return mean


def _is_middle(measure: NumberMeasure) -> bool:
    return isinstance(measure.form, MiddleError)


def _weights(fit: NumericPredictions) -> Floats:
    return np.ones(fit.total) if fit.weights is None else fit.weights


def medians(values: Floats, weights: Floats) -> _Number:
    """Return the middle of all weighted medians of some numbers."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]

    def of(sums: Floats) -> Floats:
        upto = np.cumsum((sums * weights)[..., order], axis=-1)
        half = upto[..., -1:] / 2
        slack = COMPUTATION * half
        lower, upper = (
            ordered[np.argmax(each, axis=-1)]
            for each in (upto >= half - slack, upto > half + slack)
        )
        return np.asarray((lower + upper) / 2)

    return _Number(None, of)


def _moments(truth: Floats, predicted: Floats, weights: Floats) -> Floats:
    """Return what means, variances and the covariance of two centred numbers are made of."""
    total = weights.sum()
    y, z = (each - (weights @ each) / total for each in (truth, predicted))
    return np.column_stack([weights, weights * y, weights * z, weights * y * y, weights * z * z,
                            weights * y * z])  # fmt: skip


def _spreads(sums: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Return both means, both variances and the covariance."""
    means = sums[..., 1:] / sums[..., :1]
    y, z, yy, zz, yz = np.moveaxis(means, -1, 0)
    return y, z, yy - y * y, zz - z * z, yz - y * z


def _of_pearson(sums: Floats) -> Floats:
    _, _, yy, zz, yz = _spreads(sums)
    is_constant = zz <= COMPUTATION * sums[..., 4] / sums[..., 0]
    return np.where(is_constant, np.nan, np.clip(yz / np.sqrt(yy * zz), -1.0, 1.0))


def _pearson(truth: Floats, predicted: Floats, weights: Floats) -> _Number:
    return _Number(_moments(truth, predicted, weights), _of_pearson)


def _concordance(truth: Floats, predicted: Floats, weights: Floats) -> _Number:
    total = weights.sum()
    apart = (weights @ (truth - predicted)) / total

    def of(sums: Floats) -> Floats:
        y, z, yy, zz, yz = _spreads(sums)
        return np.asarray(2 * yz / (yy + zz + (y - z + apart) ** 2))

    return _Number(_moments(truth, predicted, weights), of)


def _of_explained(sums: Floats) -> Floats:
    _, _, yy, errors, _ = _spreads(sums)
    return np.asarray(1 - errors / yy)


def _explained(truth: Floats, predicted: Floats, weights: Floats) -> _Number:
    return _Number(_moments(truth, truth - predicted, weights), _of_explained)


def _by_level(values: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the order of some numbers, and where in it each different one starts."""
    order = np.argsort(values, kind="stable")
    return order, np.flatnonzero(np.diff(values[order], prepend=np.nan) != 0)


def _spearman(truth: Floats, predicted: Floats, weights: Floats) -> _Number:
    places = [np.unique(each, return_inverse=True)[1] for each in (truth, predicted)]
    sides = [(*_by_level(each), each) for each in places]

    def ranks(
        heavy: Floats, order: NDArray[np.intp], starts: NDArray[np.intp], place: NDArray[np.intp]
    ) -> Floats:
        sizes = heavy[..., order]
        if starts.size < order.size:
            sizes = np.add.reduceat(sizes, starts, axis=-1)
        return np.asarray((np.cumsum(sizes, axis=-1) - sizes / 2)[..., place])

    def of(sums: Floats) -> Floats:
        heavy = sums * weights
        total = heavy.sum(axis=-1, keepdims=True)
        y, z = (ranks(heavy, *side) - total / 2 for side in sides)  # of mean 0
        yy, zz, yz = (
            np.einsum("...i,...i,...i->...", heavy, *each) for each in ((y, y), (z, z), (y, z))
        )
        is_constant = zz <= COMPUTATION**2 * total[..., 0] ** 3
        return np.where(is_constant, np.nan, yz / np.sqrt(yy * zz))

    return _Number(None, of)


def _kendall(truth: Floats, predicted: Floats, weights: Floats) -> _Number:
    y, z = (np.sign(np.subtract.outer(each, each)) for each in (truth, predicted))
    in_order, sides = y * z, [_by_level(each) for each in (truth, predicted)]

    def untied(heavy: Floats, order: NDArray[np.intp], starts: NDArray[np.intp]) -> Floats:
        sizes = np.add.reduceat(heavy[..., order], starts, axis=-1)
        before = np.cumsum(sizes, axis=-1)[..., :-1]
        return np.asarray(2 * (sizes[..., 1:] * before).sum(axis=-1))

    def of(sums: Floats) -> Floats:
        heavy = sums * weights
        yy, zz = (untied(heavy, *each) for each in sides)
        return np.asarray(((heavy @ in_order) * heavy).sum(axis=-1) / np.sqrt(yy * zz))

    return _Number(None, of)


OTHERS: dict[NumberMeasure, Callable[[Floats, Floats, Floats], _Number]] = {
    PEARSON: _pearson,
    SPEARMAN: _spearman,
    KENDALL: _kendall,
    CONCORDANCE: _concordance,
    EXPLAINED_VARIANCE: _explained,
}
