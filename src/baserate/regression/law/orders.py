"""What is known of the number that decides a score, for each form of measure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.rounding import COMPUTATION, FORMULA
from baserate.regression.law.counts import LargestCount, MiddleCount
from baserate.regression.law.curve import Curve
from baserate.regression.law.moments import of_losses, of_products
from baserate.regression.law.outliers import Mixture, mixed_losses, mixed_products
from baserate.regression.law.saddle import PermutationSum
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


@dataclass(frozen=True)
class Orders:
    """The number that decides a score, of any order of the predictions.

    Parameters
    ----------
    cards
        What is shuffled: the predictions, or what is made of each.
    numbers
        The numbers of cards in some orders, which are the rows of an array.
    observed
        The number of the observed order.
    slope
        By how much the score, or its square, grows with the number.
    rooted
        Whether it is the square.
    slack
        How far apart two numbers may be, and be the same up to rounding.
    curve
        Finds what the law of the number resembles.
    mixture
        Finds it where a few outliers weigh most, if there is a way.
    cost
        How much it costs to find a number, in shuffled numbers.
    """

    cards: Floats = field(repr=False)
    numbers: Callable[[Floats], Floats] = field(repr=False)
    observed: float
    slack: float
    curve: Callable[[], Any] = field(repr=False)
    cost: float
    slope: float = 1.0
    rooted: bool = False
    mixture: Callable[[], Mixture] | None = field(default=None, repr=False)


def orders_of(form: Any, fit: Fit) -> Orders:
    """Return what is known of the orders of a model's predictions."""
    return _FORMS[type(form)](form, fit.truth, fit.predicted)


def _products(form: Products, truth: Floats, predicted: Floats) -> Orders:
    left, a = _standardised(form.left(truth))
    right, b = _standardised(form.right(predicted))
    size = truth.size
    return Orders(
        cards=right,
        numbers=lambda dealt: dealt @ left / size,
        observed=float(right @ left) / size,
        slope=form.slope(truth, predicted, a, b),
        rooted=form.rooted,
        slack=COMPUTATION,
        curve=lambda: PermutationSum(np.multiply, left, right, of_products(left, right)),
        mixture=lambda: mixed_products(left, right),
        cost=size,
    )


def _standardised(numbers: Floats) -> tuple[Floats, float]:
    """Return numbers with mean 0 and variance 1, and their standard deviation."""
    if are_equal(numbers):  # a mean may be rounded, and 0.1 less it no 0
        return np.zeros(numbers.size), 0.0
    around = centred(numbers)
    deviation = root_mean_square(around)
    return around / deviation, deviation


def _mean_loss(form: MeanLoss, truth: Floats, predicted: Floats) -> Orders:
    observed = float(form.loss(truth, predicted).mean())
    extremes = form.loss(
        np.array([[truth.min()], [truth.max()], [np.abs(truth).min()]]),
        np.array([predicted.min(), predicted.max()]),
    )
    return Orders(
        cards=predicted,
        numbers=lambda dealt: form.loss(truth, dealt).mean(axis=1),
        observed=observed,
        slope=form.slope(truth),
        slack=FORMULA * max(observed, float(extremes.max()) / truth.size),
        curve=lambda: PermutationSum(
            form.loss, truth, predicted, of_losses(form.loss, truth, predicted)
        ),
        mixture=lambda: mixed_losses(form.loss, truth, predicted),
        cost=2 * truth.size,
    )


def _middle(_: MiddleError, truth: Floats, predicted: Floats) -> Orders:
    observed = float(np.median(np.abs(truth - predicted)))
    return Orders(
        cards=predicted,
        numbers=lambda dealt: np.median(np.abs(truth - dealt), axis=1),
        observed=observed,
        slack=FORMULA * observed,
        curve=lambda: MiddleCount(truth, predicted),
        cost=2 * truth.size,
    )


def _largest(_: LargestError, truth: Floats, predicted: Floats) -> Orders:
    observed = float(np.abs(truth - predicted).max())
    return Orders(
        cards=predicted,
        numbers=lambda dealt: np.abs(truth - dealt).max(axis=1),
        observed=observed,
        slack=FORMULA * observed,
        curve=lambda: LargestCount(truth, predicted),
        cost=2 * truth.size,
    )


def _pairs(_: PairsInOrder, truth: Floats, predicted: Floats) -> Orders:
    observed, of_truth, of_predictions = pairs_in_order(truth, predicted)

    def numbers(dealt: Floats) -> Floats:
        first, second = np.triu_indices(truth.size, 1)
        signs = np.sign(truth[first] - truth[second])
        return np.asarray(np.sign(dealt[:, first] - dealt[:, second]) @ signs)

    return Orders(
        cards=predicted,
        numbers=numbers,
        observed=observed,
        slope=float(1 / np.sqrt(of_truth) / np.sqrt(of_predictions)),
        slack=0.5,
        curve=lambda: of_pairs(truth, predicted),
        cost=2 * truth.size**2,
    )


def of_pairs(truth: Floats, predicted: Floats) -> Curve:
    """Return the law of pairs in order minus pairs out of order; the variance is exact with ties.

    The kurtosis is that without ties, where the pairs out of order are a sum of independent
    numbers, each of 0, 1, … i - 1 alike.
    """
    m = float(truth.size)
    y, z = (np.unique(side, return_counts=True)[1].astype(float) for side in (truth, predicted))
    lost = sum(float((t * (t - 1) * (2 * t + 5)).sum()) for t in (y, z))
    two = (y * (y - 1)).sum() * (z * (z - 1)).sum() / (2 * m * (m - 1))
    three = (y * (y - 1) * (y - 2)).sum() * (z * (z - 1) * (z - 2)).sum()
    variance = (m * (m - 1) * (2 * m + 5) - lost) / 18 + two + three / (9 * m * (m - 1) * (m - 2))
    i = np.arange(2, m + 1)
    second, fourth = float((i**2 - 1).sum()) / 12, -float((i**4 - 1).sum()) / 120
    return Curve(0.0, float(np.sqrt(max(variance, 0.0))), 0.0, fourth / second**2)


_FORMS: dict[type, Callable[[Any, Floats, Floats], Orders]] = {
    Products: _products,
    MeanLoss: _mean_loss,
    MiddleError: _middle,
    LargestError: _largest,
    PairsInOrder: _pairs,
}
