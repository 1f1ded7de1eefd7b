"""Which method finds the distribution of a sum over a random permutation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baserate.regression.law.counted import Counted
from baserate.regression.law.distribution import Distribution, Smooth
from baserate.regression.law.grid import step_of
from baserate.regression.law.moments import of_sum
from baserate.regression.law.outliers import mixed
from baserate.regression.law.saddle import PermutationSum
from baserate.regression.law.shuffles import (
    FEW,
    number_of_shuffles,
    of_all_orders,
    of_shuffles,
    one_of_all,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.regression.law.curve import Curve
    from baserate.regression.law.distribution import Shape
    from baserate.regression.law.sums import DealtSum

    Floats = NDArray[np.float64]

# From so many observations on, a saddlepoint is close, if shuffles do not tell otherwise; beyond so
# many, shuffles would take too long to tell.
_ENOUGH, _MANY = 20, 4_000
# How many shuffles tell.
_SHUFFLES = 19_999
# Places where they are compared: how many shuffles are beyond them. By how many standard errors the
# two may differ, and by which share besides.
_BEYOND = (10, 20, 40, 80, 160, 320, 640, 1_250, 2_500, 5_000)
_ERRORS, _SHARE = 3.5, 0.02
# The law of more products than these is normal but for its skewness and kurtosis, if both are
# smaller than this.
_VERY_MANY, _SMALL = 20_000, 0.1
# With another kurtosis, there are a few outliers that decide the law of many.
_LEAST, _MOST = -0.3, 1.5
# The relative errors of tails that were measured: docs/decisions/0045-law-of-numbers.md.
_ERROR_OF_MOMENTS, _ERROR_OF_SADDLEPOINTS, _ERROR_OF_MIXTURES = 0.02, 0.05, 0.5


def distribution_of(dealt: DealtSum) -> Distribution:
    """Return the distribution of a sum: exactly for few observations, and soon for many."""
    total, least = dealt.total, one_of_all(dealt.total)
    if total <= FEW:
        numbers = of_all_orders(dealt.scorer(), total)
        return Counted(numbers, dealt.slack, least, complete=True)
    curve = of_sum(dealt)
    if curve.deviation <= 1e-13 * abs(curve.mean):  # every order has the same number
        return Counted(np.array([dealt.observed]), dealt.slack, 1.0, complete=True)
    return (_of_many if total > _MANY else _compared)(dealt, curve)


def _compared(dealt: DealtSum, curve: Curve) -> Distribution:
    """Return the saddlepoint if shuffles agree with it, and else more shuffles."""
    total, least, scorer = dealt.total, one_of_all(dealt.total), dealt.scorer()
    saddle = PermutationSum(dealt, curve, step_of(dealt) / curve.deviation)
    if total >= _ENOUGH:
        numbers = of_shuffles(scorer, total, number_of_shuffles(total, _SHUFFLES))
        if agrees(saddle, numbers, dealt.observed, dealt.slack):
            return Smooth(saddle, "saddlepoint", _ERROR_OF_SADDLEPOINTS, least)
    numbers = of_shuffles(scorer, total, number_of_shuffles(total))
    return Counted(numbers, dealt.slack, least, shape=saddle, is_known=True)


def agrees(shape: Shape, numbers: Floats, observed: float, slack: float) -> bool:
    """Return whether a curve has the tails of random orders, as far as these tell.

    Parameters
    ----------
    shape
        The curve.
    numbers
        The numbers of random orders.
    observed
        That of the observed one, where it is compared too.
    slack
        How far apart two numbers may be, and be the same up to rounding.
    """
    ascending = np.sort(numbers)
    size = ascending.size
    beyond = [k for k in _BEYOND if k <= size // 2]
    low = ascending[[*(k - 1 for k in beyond)]]
    high = ascending[[*(size - k for k in beyond)]]
    below = np.searchsorted(ascending, np.append(low, observed) + slack, side="right")
    above = size - np.searchsorted(ascending, np.append(high, observed) - slack, side="left")
    chances = [shape.below(float(value)) for value in (*low, observed)]
    chances += [shape.above(float(value)) for value in (*high, observed)]
    counts, expected = np.append(below, above), size * np.array(chances)
    allowed = _ERRORS * np.sqrt(np.maximum(expected, counts)) + _SHARE * expected
    is_told = counts >= beyond[0]
    return bool((np.abs(counts - expected) <= allowed)[is_told].all())


def _of_many(dealt: DealtSum, curve: Curve) -> Distribution:
    """Return the law by a curve, or by a mixture of curves if a few outliers decide."""
    least = one_of_all(dealt.total)
    is_flat = abs(curve.skewness) < _SMALL and abs(curve.kurtosis) < _SMALL
    if dealt.is_product and dealt.total > _VERY_MANY and is_flat:
        return Smooth(curve, "moments", _ERROR_OF_MOMENTS, least)
    if not _LEAST < curve.kurtosis < _MOST:
        return Smooth(mixed(dealt), "mixture", _ERROR_OF_MIXTURES, least)
    saddle = PermutationSum(dealt, curve, step_of(dealt) / curve.deviation)
    return Smooth(saddle, "saddlepoint", _ERROR_OF_SADDLEPOINTS, least)
