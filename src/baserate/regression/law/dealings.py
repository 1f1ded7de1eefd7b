"""The number that decides a score, for each form of measure, and its distribution."""

from __future__ import annotations

from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

from baserate.core.rounding import FORMULA
from baserate.exceptions import InvalidMeasureError
from baserate.exceptions.base import shown
from baserate.regression.law.counted import Counted
from baserate.regression.law.counts import LargestCount, MiddleCount
from baserate.regression.law.distribution import Distribution, Smooth
from baserate.regression.law.pair_law import pair_law
from baserate.regression.law.shuffles import (
    FEW,
    number_of_shuffles,
    of_all_orders,
    of_shuffles,
    one_of_all,
)
from baserate.regression.law.sum_law import distribution_of
from baserate.regression.law.sums import DealtSum
from baserate.regression.measures.correlations import ranks
from baserate.regression.measures.forms import (
    LargestError,
    MeanLoss,
    MiddleError,
    PairsInOrder,
    Products,
)
from baserate.regression.measures.pairs import pairs_in_order
from baserate.regression.measures.sums import are_equal, centred, root_mean_square

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.regression.fit import Fit

    Floats = NDArray[np.float64]
    Places = NDArray[np.integer]

P = ParamSpec("P")
R = TypeVar("R")

# Of more rows than these, what was found is not kept for long.
_LARGE = 20_000
# The median and the largest error of more rows are found by counts.
_MOST_SCORED = 5_000
# The relative error that was measured: docs/decisions/0045-law-of-numbers.md.
_ERROR_OF_COUNTS = 0.1


class Dealing(NamedTuple):
    """The number that decides a score.

    Parameters
    ----------
    observed
        That of the observed order.
    dealt
        Its distribution.
    slope
        By how much the score, or its square, grows with it.
    rooted
        Whether it is the square.
    """

    observed: float
    dealt: Distribution
    slope: float = 1.0
    rooted: bool = False


def kept(find: Callable[P, R]) -> Callable[P, R]:
    """Keep what was found of many small test sets, and of two large ones: the last argument."""
    small: Callable[..., R] = lru_cache(maxsize=64)(find)
    large: Callable[..., R] = lru_cache(maxsize=2)(find)

    @wraps(find)
    def found(*args: P.args, **kwargs: P.kwargs) -> R:
        fit: Any = args[-1]
        return (small if fit.total <= _LARGE else large)(*args, **kwargs)

    return found


def dealing_of(form: Any, fit: Fit) -> Dealing:
    """Return the number that decides a score, and its distribution."""
    find = _FORMS.get(type(form))
    if find is None:
        raise InvalidMeasureError(
            f"the form of a measure must be one of {', '.join(each.__name__ for each in _FORMS)} "
            f"(got {shown(form)})"
        )
    return find(form, fit)


class _Standardised(NamedTuple):
    """The correlation of two numbers of the observed order, its law, and both deviations."""

    observed: float
    dealt: Distribution
    of_truth: float
    of_predictions: float


def _products(form: Products, fit: Fit) -> Dealing:
    found = _of_products(form.left, form.right, fit)
    slope = form.slope(fit.truth, fit.predicted, found.of_truth, found.of_predictions)
    return Dealing(found.observed, found.dealt, slope, form.rooted)


@kept  # MSE, RMSE, R2 and correlations share it
def _of_products(left: Any, right: Any, fit: Fit) -> _Standardised:
    rows, a = _standardised(left(fit.truth))
    cards, b = _standardised(right(fit.predicted))
    dealt = DealtSum(np.multiply, rows, cards)
    return _Standardised(dealt.observed, distribution_of(dealt), a, b)


def _standardised(numbers: Floats) -> tuple[Floats, float]:
    """Return numbers with mean 0 and variance 1, and their standard deviation."""
    if are_equal(numbers):  # a mean may be rounded, and 0.1 less it no 0
        return np.zeros(numbers.size), 0.0
    around = centred(numbers)
    deviation = root_mean_square(around)
    return around / deviation, deviation


def _mean_loss(form: MeanLoss, fit: Fit) -> Dealing:
    observed, dealt = _of_losses(form.loss, fit)
    return Dealing(observed, dealt, form.slope(fit.truth))


@kept
def _of_losses(loss: Any, fit: Fit) -> tuple[float, Distribution]:
    dealt = DealtSum(loss, fit.truth, fit.predicted)
    return dealt.observed, distribution_of(dealt)


def _middle(_: MiddleError, fit: Fit) -> Dealing:
    truth, predicted = fit.truth, fit.predicted
    observed = float(np.median(np.abs(fit.residuals)))

    def numbers(orders: Places) -> Floats:
        return np.asarray(np.median(np.abs(truth - predicted[orders]), axis=1))

    return Dealing(observed, _by_errors(numbers, observed, MiddleCount(truth, predicted)))


def _largest(_: LargestError, fit: Fit) -> Dealing:
    truth, predicted = fit.truth, fit.predicted
    observed = float(np.abs(fit.residuals).max())

    def numbers(orders: Places) -> Floats:
        return np.asarray(np.abs(truth - predicted[orders]).max(axis=1))

    return Dealing(observed, _by_errors(numbers, observed, LargestCount(truth, predicted)))


def _by_errors(
    numbers: Callable[[Places], Floats], observed: float, shape: MiddleCount | LargestCount
) -> Distribution:
    """Return the distribution of an error: of all orders, of random ones, or by counts."""
    total, slack = shape.truth.size, FORMULA * observed
    least = one_of_all(total)
    if total <= FEW:
        return Counted(of_all_orders(numbers, total), slack, least, complete=True)
    if are_equal(shape.truth) or are_equal(shape.predicted):
        return Counted(np.array([observed]), slack, 1.0, complete=True)
    if total > _MOST_SCORED:
        return Smooth(shape, "counts", _ERROR_OF_COUNTS, least)
    found = of_shuffles(numbers, total, number_of_shuffles(2 * total))
    return Counted(found, slack, least, shape=shape)


def _pairs(_: PairsInOrder, fit: Fit) -> Dealing:
    observed, of_truth, of_predictions = pairs_in_order(fit.truth, fit.predicted)
    slope = float(1 / np.sqrt(of_truth) / np.sqrt(of_predictions))
    if fit.total > FEW and any(np.unique(side).size == 2 for side in (fit.truth, fit.predicted)):
        # Of two values, pairs in order are a sum of the other side's ranks (Mann and Whitney): 4
        # times the mean product of the ranks of both, of which two values have M / 2 between them.
        rows, cards = (centred(ranks(side)) for side in (fit.truth, fit.predicted))
        dealt = DealtSum(np.multiply, rows, cards)
        return Dealing(dealt.observed, distribution_of(dealt), 4 * slope)
    return Dealing(observed, pair_law(fit.truth, fit.predicted, observed), slope)


_FORMS: dict[type, Callable[[Any, Fit], Dealing]] = {
    Products: _products,
    MeanLoss: _mean_loss,
    MiddleError: _middle,
    LargestError: _largest,
    PairsInOrder: _pairs,
}
