"""Scores, margins and differences as functions of means of the observations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baserate.regression.measures.correlations import (
    CONCORDANCE,
    KENDALL,
    PEARSON,
    SPEARMAN,
    ranks,
)
from baserate.regression.measures.explained import EXPLAINED_VARIANCE
from baserate.regression.uncertainty.losses import Shape, row_loss, shape_of
from baserate.regression.uncertainty.readings import OfMeans

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.regression.fit import Fit
    from baserate.regression.measures.record import NumberMeasure

    Floats = NDArray[np.float64]


def reading_of(
    measure: NumberMeasure, truth: Floats, predicted: Floats, constant: float
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

    Examples
    --------
    >>> from baserate.regression.measures.errors import RMSE
    >>> reading_of(RMSE, np.array([1.0, 2]), np.array([4.0, 6]), 1.5).observed
    3.5355339059327378
    """
    loss = row_loss(measure)
    if loss is None:
        build = _OTHERS.get(measure)
        return None if build is None else build(truth, predicted)
    with np.errstate(all="ignore"):
        losses = loss(truth, predicted)
        free = loss(truth, np.full(truth.size, constant))
    shape = shape_of(measure)
    if shape is Shape.SHARE:
        return OfMeans(np.column_stack([losses, free]), lambda m: 1 - m[..., 0] / m[..., 1])
    return OfMeans(losses[:, np.newaxis], _root if shape is Shape.ROOT else _first)


def margin_of(
    measure: NumberMeasure, truth: Floats, predicted: Floats, constant: float
) -> OfMeans | None:
    """Return how much less the loss is than that of the best constant, as a function of means."""
    first = reading_of(measure, truth, np.full(truth.size, constant), constant)
    second = reading_of(measure, truth, predicted, constant)
    return difference_of(second, first)


def loss_parts(
    measure: NumberMeasure, fit: Fit, constant: float
) -> tuple[OfMeans, tuple[OfMeans, ...]] | None:
    """Return how much less the mean loss is than the constant's, and what that is divided by.

    None if a measure is no root or share of a mean loss.
    """
    loss, shape = row_loss(measure), shape_of(measure)
    if loss is None or shape is Shape.MEAN:
        return None
    with np.errstate(all="ignore"):
        losses = loss(fit.truth, fit.predicted)[:, np.newaxis]
        free = loss(fit.truth, np.full(fit.total, constant))[:, np.newaxis]
    saved = OfMeans(free - losses, _first)
    if shape is Shape.SHARE:
        return saved, (OfMeans(free, _first),)
    return saved, (OfMeans(free, _root), OfMeans(losses, _root))


def difference_of(first: OfMeans | None, second: OfMeans | None) -> OfMeans | None:
    """Return the second number minus the first."""
    if first is None or second is None:
        return None
    cut, of, other = first.columns.shape[1], first.of, second.of
    return OfMeans(
        np.concatenate([first.columns, second.columns], axis=1),
        lambda m: other(m[..., cut:]) - of(m[..., :cut]),
    )


def _first(means: Floats) -> Floats:
    return np.asarray(means[..., 0])


def _root(means: Floats) -> Floats:
    return np.sqrt(np.maximum(means[..., 0], 0.0))


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


def _ratio(m: Floats) -> Floats:
    return np.clip(m[..., 0] / np.sqrt(m[..., 1] * m[..., 2]), -1.0, 1.0)


def _spearman(truth: Floats, predicted: Floats) -> OfMeans:
    """Return the correlation of ranks, where ranks depend on all observations."""
    u, v = (ranks(each) / each.size - 0.5 for each in (truth, predicted))
    pairs = ((u, v), (u, u), (v, v))
    return OfMeans(np.column_stack([_rank_products(*each) for each in pairs]), _ratio)


def _rank_products(u: Floats, v: Floats) -> Floats:
    """Return what an observation adds to the mean of u v, through the ranks of others too."""
    mean = float((u * v).mean())
    return np.asarray(u * v + (_above(u, v) - mean) + (_above(v, u) - mean))


def _above(u: Floats, v: Floats) -> Floats:
    """Return the mean of v over observations with a higher u; those with the same count half."""
    _, place = np.unique(u, return_inverse=True)
    sums = np.bincount(place, weights=v)
    return np.asarray(((np.cumsum(sums[::-1])[::-1] - sums / 2) / u.size)[place])


def _kendall(truth: Floats, predicted: Floats) -> OfMeans:
    """Return tau-b; an observation counts in all its pairs."""
    y, z = (np.sign(each[:, np.newaxis] - each).astype(np.float32) for each in (truth, predicted))
    found = [np.einsum("ij,ij->i", a, b, dtype=float) for a, b in ((y, z), (y, y), (z, z))]
    parts = np.column_stack(found) / truth.size
    return OfMeans(2 * parts - parts.mean(axis=0), _ratio)


_OTHERS: dict[NumberMeasure, Callable[[Floats, Floats], OfMeans]] = {
    PEARSON: lambda y, z: OfMeans(_moments(y, z), _correlation),
    CONCORDANCE: lambda y, z: OfMeans(_moments(y, z), _concordance),
    EXPLAINED_VARIANCE: lambda y, z: OfMeans(_moments(y, z), _explained),
    SPEARMAN: _spearman,
    KENDALL: _kendall,
}
