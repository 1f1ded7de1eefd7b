"""Scores, margins and differences as functions of means of the observations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baserate.regression.losses import Shape, divisors, row_loss, shape_of
from baserate.regression.measures.correlations import (
    CONCORDANCE,
    KENDALL,
    PEARSON,
    SPEARMAN,
    ranks,
)
from baserate.regression.measures.explained import EXPLAINED_VARIANCE
from baserate.regression.measures.sums import centred, mean
from baserate.regression.uncertainty.readings import OfMeans

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.regression.fit import Fit
    from baserate.regression.measures.record import NumberMeasure

    Floats = NDArray[np.float64]
    Build = Callable[[Floats, Floats, Floats | None], OfMeans]


def reading_of(
    measure: NumberMeasure,
    truth: Floats,
    predicted: Floats,
    constant: float,
    weights: Floats | None = None,
) -> OfMeans | None:
    """Return a score as a function of means; None if it is none.

    Parameters
    ----------
    measure
        The measure.
    truth, predicted
        The observations.
    constant
        The best constant, for measures that compare with it. What it saves when it is fitted
        again to a sample is of the order 1/M.
    weights
        How much each observation counts, of mean 1; all count alike if there are none.

    Examples
    --------
    >>> from baserate.regression.measures.errors import RMSE
    >>> reading_of(RMSE, np.array([1.0, 2]), np.array([4.0, 6]), 1.5).observed
    3.5355339059327378
    """
    loss = row_loss(measure)
    if loss is None:
        build = _OTHERS.get(measure)
        return None if build is None else build(truth, predicted, weights)
    with np.errstate(all="ignore"):
        losses = loss(truth, predicted)
        free = loss(truth, np.full(truth.size, constant))
    shape = shape_of(measure)
    if shape is Shape.SHARE:
        return OfMeans(np.column_stack([losses, free]), _share, weights=weights)
    if shape is Shape.RATIO:
        columns = np.column_stack([losses, divisors(measure, truth)])
        return OfMeans(columns, _quotient, weights=weights)
    of = _root if shape is Shape.ROOT else _first
    return OfMeans(losses[:, np.newaxis], of, weights=weights)


def margin_of(
    measure: NumberMeasure,
    truth: Floats,
    predicted: Floats,
    constant: float,
    weights: Floats | None = None,
) -> OfMeans | None:
    """Return how much less the loss is than that of the best constant, as a function of means."""
    first = reading_of(measure, truth, np.full(truth.size, constant), constant, weights)
    second = reading_of(measure, truth, predicted, constant, weights)
    return difference_of(second, first)


def signal_of(measure: NumberMeasure, fit: Fit, constant: float) -> OfMeans | None:
    """Return what a root, a ratio, a share or a correlation must have above 0, of means.

    That is how much less the mean loss is than the constant's, or the covariance; None if a
    measure is neither.
    """
    loss, weights = row_loss(measure), mean_one(fit.weights)
    if loss is None:
        of = _SIGNALS.get(measure)
        return (
            None if of is None else OfMeans(_moments(fit.truth, fit.predicted), of, None, weights)
        )
    if shape_of(measure) is Shape.MEAN:
        return None
    with np.errstate(all="ignore"):
        losses = loss(fit.truth, fit.predicted)
        free = loss(fit.truth, np.full(fit.total, constant))
    return OfMeans((free - losses)[:, np.newaxis], _first, weights=weights)


def whole_of(measure: NumberMeasure, fit: Fit, constant: float) -> OfMeans | None:
    """Return what the signal of a root, ratio or share is divided by; None for other measures."""
    loss, shape, weights = row_loss(measure), shape_of(measure), mean_one(fit.weights)
    if loss is None or shape is Shape.MEAN:
        return None
    if shape is Shape.RATIO:
        per = divisors(measure, fit.truth)
        return OfMeans(per[:, np.newaxis], _first, weights=weights)
    with np.errstate(all="ignore"):
        losses = loss(fit.truth, fit.predicted)
        free = loss(fit.truth, np.full(fit.total, constant))
    if shape is Shape.SHARE:
        return OfMeans(free[:, np.newaxis], _first, weights=weights)
    return OfMeans(np.column_stack([free, losses]), _roots, weights=weights)


def noise_of(measure: NumberMeasure, fit: Fit) -> OfMeans:
    """Return what a share or a correlation calls noise, as a mean of rows.

    For rank correlations these are the squares of the differences of ranks, or the differences.
    """
    loss, weights = row_loss(measure), mean_one(fit.weights)
    with np.errstate(all="ignore"):
        if loss is not None:
            rows = loss(fit.truth, fit.predicted)
        elif measure is KENDALL:
            rows = np.abs(_ranks_apart(fit))
        else:
            rows = _left_over(measure, fit, weights) ** 2
    return OfMeans(rows[:, np.newaxis], _first, weights=weights)


def _ranks_apart(fit: Fit) -> Floats:
    return (ranks(fit.truth, fit.weights) - ranks(fit.predicted, fit.weights)) / fit.total


def _left_over(measure: NumberMeasure, fit: Fit, weights: Floats | None) -> Floats:
    """Return the errors that count: around a line, around their mean, or as they are."""
    if measure is CONCORDANCE:
        return fit.residuals
    if measure is SPEARMAN:
        return _ranks_apart(fit)
    if measure is EXPLAINED_VARIANCE:
        return centred(fit.residuals, weights)
    y, z = centred(fit.truth, weights), centred(fit.predicted, weights)
    unit = float(np.abs(z).max())
    z = z / unit
    return y - z * (mean(y * z, weights) / mean(z * z, weights))


def difference_of(first: OfMeans | None, second: OfMeans | None) -> OfMeans | None:
    """Return the second number minus the first."""
    if first is None or second is None:
        return None
    cut, of, other = first.columns.shape[1], first.of, second.of
    return OfMeans(
        np.concatenate([first.columns, second.columns], axis=1),
        lambda m: other(m[..., cut:]) - of(m[..., :cut]),
        weights=first.weights,
    )


def mean_one(weights: Floats | None) -> Floats | None:
    """Return weights whose mean is 1; None if all observations count alike.

    Examples
    --------
    >>> mean_one(np.array([1.0, 3])).tolist(), mean_one(np.array([2.0, 2]))
    ([0.5, 1.5], None)
    """
    if weights is None or (weights == weights[0]).all():
        return None
    largest = weights / weights.max()  # sums of large weights may be too large for a float
    return np.asarray(largest / largest.mean())


def _first(means: Floats) -> Floats:
    return np.asarray(means[..., 0])


def _quotient(means: Floats) -> Floats:
    return np.asarray(means[..., 0] / means[..., 1])


def _share(means: Floats) -> Floats:
    return np.asarray(1 - means[..., 0] / means[..., 1])


def _root(means: Floats) -> Floats:
    return np.sqrt(np.maximum(means[..., 0], 0.0))


def _roots(means: Floats) -> Floats:
    return np.asarray(np.sqrt(np.maximum(means, 0.0)).sum(axis=-1))


def _moments(truth: Floats, predicted: Floats) -> Floats:
    """Return numbers, squares and products, around the centre of the truth and in its unit."""
    centre = float(truth.mean())
    y, z = truth - centre, predicted - centre
    unit = max(float(np.abs(y).max()), float(np.abs(z).max()), 1e-300)
    y, z = y / unit, z / unit
    return np.column_stack([y, z, y * y, z * z, y * z])


def _covariances(m: Floats) -> tuple[Floats, Floats, Floats]:
    y, z = m[..., 0], m[..., 1]
    return m[..., 2] - y**2, m[..., 3] - z**2, m[..., 4] - y * z


def _correlation(m: Floats) -> Floats:
    a, b, both = _covariances(m)
    return np.clip(both / np.sqrt(a * b), -1.0, 1.0)


def _concordance(m: Floats) -> Floats:
    a, b, both = _covariances(m)
    return np.asarray(2 * both / (a + b + (m[..., 0] - m[..., 1]) ** 2))


def _explained(m: Floats) -> Floats:
    a, b, both = _covariances(m)
    return np.asarray(1 - (a + b - 2 * both) / a)


def _common(m: Floats) -> Floats:
    return np.asarray(_covariances(m)[2])


def _saved(m: Floats) -> Floats:
    _, b, both = _covariances(m)
    return np.asarray(2 * both - b)


def _ratio(m: Floats) -> Floats:
    return np.clip(m[..., 0] / np.sqrt(m[..., 1] * m[..., 2]), -1.0, 1.0)


def _spearman(truth: Floats, predicted: Floats, weights: Floats | None) -> OfMeans:
    """Return the correlation of ranks, where ranks depend on all observations."""
    w = np.ones(truth.size) if weights is None else weights
    total = float(w.sum())
    u, v = (ranks(each, weights) / total - 0.5 for each in (truth, predicted))
    pairs = ((u, v), (u, u), (v, v))
    columns = [_rank_products(*each, w / total) for each in pairs]
    return OfMeans(np.column_stack(columns), _ratio, weights=weights)


def _rank_products(u: Floats, v: Floats, shares: Floats) -> Floats:
    """Return what an observation adds to the mean of u v, through the ranks of others too."""
    product = float((u * v) @ shares)
    others = _above(u, v, shares) + _above(v, u, shares) - 2 * product
    return np.asarray(u * v + others)


def _above(u: Floats, v: Floats, shares: Floats) -> Floats:
    """Return the mean of v over observations with a higher u; those with the same count half."""
    _, place = np.unique(u, return_inverse=True)
    sums = np.bincount(place, weights=v * shares)
    return np.asarray((np.cumsum(sums[::-1])[::-1] - sums / 2)[place])


def _kendall(truth: Floats, predicted: Floats, weights: Floats | None) -> OfMeans:
    """Return tau-b; an observation counts in all its pairs."""
    y, z = (np.sign(each[:, np.newaxis] - each).astype(np.float32) for each in (truth, predicted))
    w = np.ones(truth.size) if weights is None else weights
    shares = w / w.sum()
    parts = np.column_stack([(a * b) @ shares for a, b in ((y, z), (y, y), (z, z))])
    return OfMeans(2 * parts - shares @ parts, _ratio, weights=weights)


def _of_moments(of: Callable[[Floats], Floats]) -> Build:
    return lambda y, z, weights: OfMeans(_moments(y, z), of, weights=weights)


_OTHERS: dict[NumberMeasure, Build] = {
    PEARSON: _of_moments(_correlation),
    CONCORDANCE: _of_moments(_concordance),
    EXPLAINED_VARIANCE: _of_moments(_explained),
    SPEARMAN: _spearman,
    KENDALL: _kendall,
}
_SIGNALS: dict[NumberMeasure, Callable[[Floats], Floats]] = {
    CONCORDANCE: _common,
    PEARSON: _common,
    EXPLAINED_VARIANCE: _saved,
}
