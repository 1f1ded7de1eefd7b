"""Which method finds the law of a score: exactly for few observations, and soon for many."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from baserate.exceptions import UndefinedMeasureError
from baserate.regression.law.counts import LargestCount, MiddleCount
from baserate.regression.law.curve import Curve
from baserate.regression.law.orders import Orders, orders_of
from baserate.regression.law.reading import Reading
from baserate.regression.law.scored import ScoredLaw
from baserate.regression.law.shuffles import (
    FEW,
    all_dealt,
    number_of_shuffles,
    one_of_all,
    scores_of_shuffles,
)
from baserate.regression.law.smooth import SmoothLaw
from baserate.regression.measures.forms import Products

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from baserate.ranking.law.dealt import DealtLaw
    from baserate.regression.fit import Fit
    from baserate.regression.measures.record import NumberMeasure

    Floats = NDArray[np.float64]

# With fewer shuffles than these, a curve is closer.
_ENOUGH = 1_500
# More rows than these are not kept for long.
_LARGE = 100_000
# With another kurtosis there are a few outliers that decide.
_LEAST, _MOST = -0.3, 1.5
# The relative errors of tails down to 1e-3 that were measured (bench/number_laws.py); of Kendall,
# down to 1e-9 against the exact law without ties.
_ERROR_OF_MOMENTS, _ERROR_OF_SADDLEPOINTS = 0.02, 0.1
_ERROR_OF_MIXTURES, _ERROR_OF_COUNTS = 0.5, 0.15


def law_of(measure: NumberMeasure, fit: Fit) -> DealtLaw:
    """Return the law of a score when the predictions of a model are dealt at random."""
    return (_kept if fit.total <= _LARGE else _kept_for_a_while)(measure, fit)


@lru_cache(maxsize=64)
def _kept(measure: NumberMeasure, fit: Fit) -> DealtLaw:
    return _found(measure, fit)


@lru_cache(maxsize=2)  # the rows of more would fill the memory
def _kept_for_a_while(measure: NumberMeasure, fit: Fit) -> DealtLaw:
    return _found(measure, fit)


def _found(measure: NumberMeasure, fit: Fit) -> DealtLaw:
    score, reason = measure.score_or_reason(fit)
    if reason:
        raise UndefinedMeasureError(f"{measure.key} is undefined: {reason}")
    orders = orders_of(measure.form, fit)
    reading = Reading(orders.observed, score, orders.slope, orders.rooted)
    if fit.total > FEW and number_of_shuffles(orders.cost) < _ENOUGH:
        return _smooth(orders, reading)
    return ScoredLaw(
        reading,
        _numbers(measure.form, fit, orders),
        orders.slack,
        fit.total <= FEW,
        orders.curve,
        one_of_all(fit.total),
    )


def _smooth(orders: Orders, reading: Reading) -> SmoothLaw:
    """Return the law by a curve, or by a mixture of curves if that has outliers."""
    curve = orders.curve()
    if isinstance(curve, MiddleCount | LargestCount):
        return SmoothLaw(reading, curve, "counts", _ERROR_OF_COUNTS)
    if isinstance(curve, Curve):
        return SmoothLaw(reading, curve, "moments", _ERROR_OF_MOMENTS)
    if not _LEAST < curve.curve.kurtosis < _MOST and orders.mixture is not None:
        return SmoothLaw(reading, orders.mixture(), "mixture", _ERROR_OF_MIXTURES)
    return SmoothLaw(reading, curve, "saddlepoint", _ERROR_OF_SADDLEPOINTS)


def _numbers(form: Any, fit: Fit, orders: Orders) -> Floats:
    """Return the numbers of all orders, or of random ones."""
    if isinstance(form, Products):
        return _of_products(form.left, form.right, fit)
    return _dealt(orders)


@lru_cache(maxsize=8)  # MSE, RMSE, R2 and correlations share them
def _of_products(left: Any, right: Any, fit: Fit) -> Floats:
    return _dealt(orders_of(Products(left, right, lambda *_: 1.0), fit))


def _dealt(orders: Orders) -> Floats:
    if orders.cards.size <= FEW:
        return orders.numbers(all_dealt(orders.cards))
    return scores_of_shuffles(orders.numbers, orders.cards, orders.cost)
