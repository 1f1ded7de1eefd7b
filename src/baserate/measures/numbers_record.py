"""What is declared of a measure of numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from baserate.core.baseline import Baseline, Optimum
from baserate.core.measure import COUNT, Codomain, Direction, Measure, Rule, called
from baserate.exceptions import UndefinedMeasureError
from baserate.observed.best_constants import (
    NO_WORST,
    Constants,
    are_equal,
    every,
    mean,
    of_usual_size,
    one,
)
from baserate.observed.numbers import FitSummary, NumbersSummary, NumericPredictions

if TYPE_CHECKING:
    from baserate.observed.numbers import Numbers

Floats: TypeAlias = NDArray[np.float64]
Loss: TypeAlias = Callable[[Floats, Floats], Floats]

Reason = Callable[[Floats, Floats | None], str]
"""Why numbers, with their weights, leave a measure without a score; empty if they do not."""


def no_reason(numbers: Floats, weights: Floats | None) -> str:  # noqa: ARG001
    """Return nothing: numbers of any kind have a score."""
    return ""


def above(limit: float, what: str, *, or_at: bool = False) -> Reason:
    """Return what is said of numbers that are not all above a limit, or at it."""
    needed = "at least" if or_at else "above"

    def reason(numbers: Floats, _: Floats | None) -> str:
        lowest = numbers.min()
        if lowest > limit or (or_at and lowest == limit):
            return ""
        return f"every {what} must be {needed} {limit:g}, and the lowest is {lowest:.6g}"

    return reason


def different_truths(numbers: Floats, _: Floats | None) -> str:
    """Say that all true numbers are the same, if they are."""
    if numbers.size == 1:
        return "there is one observation, and no spread of the truth to explain"
    return "all true numbers are the same, and there is no spread to explain" * are_equal(numbers)


def different_predictions(numbers: Floats, _: Floats | None) -> str:
    """Say that all predictions are the same, if they are."""
    return "all predictions are the same" * are_equal(numbers)


def positive_mean(numbers: Floats, weights: Floats | None) -> str:
    """Say that constants above 0 get better without end towards 0, if they do."""
    size = float(np.abs(numbers).max())  # so that no sum is too large
    heavy = None if weights is None else of_usual_size(weights)
    if size > 0 and mean(numbers / size, heavy) > 0:
        return ""
    return "the mean of the truth must be above 0, as otherwise the lower a constant, the better"


def same(numbers: Floats) -> Floats:
    """Return the numbers themselves."""
    return numbers


@dataclass(frozen=True)
class Products:
    """A score, or its square, that is linear in a covariance, given the numbers of both sides.

    The slope is by how much it grows with the correlation, of the truth, the predictions and the
    standard deviations of the numbers whose covariance it is: `left` of truths, `right` of others.
    """

    slope: Callable[[Floats, Floats, float, float], float]
    left: Callable[[Floats], Floats] = same
    right: Callable[[Floats], Floats] = same


class Shape(Enum):
    """How a score follows from the mean loss."""

    MEAN = "the mean loss"
    ROOT = "its root"
    SHARE = "the share that is saved of the best constant's"


class Ordered(Enum):
    """A score of errors, or of pairs, in order."""

    MEDIAN = "the median absolute error"
    LARGEST = "the largest absolute error"
    PAIRS = "pairs in order minus those out of order"


# Into so many parts a row is divided in a resample, for functions that know no weights; and the
# most parts of all rows for the score itself. A call takes as long as to shuffle so many numbers.
PARTS_OF_A_ROW, MOST_PARTS, CALL = 8, 1_000_000, 10_000


def _given(*_: object) -> str:
    return "two arrays, y_true and y_pred"


@dataclass(frozen=True)
class OfRows:
    """Any function of (y_true, y_pred), which knows no weights: rows are repeated for it."""

    key: str
    function: Callable[[Floats, Floats], Any] = field(repr=False)

    def kernel(self, truth: Floats, predicted: Floats, weights: Floats | None) -> float:
        """Return the score of rows, each repeated as often as its weight says, or nearly so.

        How often does not depend on the other rows, so that orders of the same rows can tie.
        """
        if weights is None:
            return self._called(truth, predicted)
        times = weights / weights.min()
        if np.abs(times - np.rint(times)).max() > 1e-9 or times.sum() > MOST_PARTS:
            times = weights * (max(MOST_PARTS // weights.size, PARTS_OF_A_ROW) / weights.mean())
        rows = np.repeat(np.arange(weights.size), np.rint(times).astype(int))
        return self._called(truth[rows], predicted[rows])

    def resampled(self, truth: Floats, predicted: Floats, weights: Floats) -> float:
        """Return the score of a resample, with rows in a few parts."""
        ends = np.rint(np.cumsum(weights) * (PARTS_OF_A_ROW * weights.size / weights.sum()))
        rows = np.repeat(np.arange(weights.size), np.diff(ends, prepend=0).astype(int))
        return self._called(truth[rows], predicted[rows])

    def _called(self, truth: Floats, predicted: Floats) -> float:
        """Return what the function returns; nan where it divides by zero."""
        return called(self.key, self.function, truth, predicted, given=_given)

    def cost(self, rows: int) -> int:
        """Return how many shuffled numbers a call takes as long as."""
        return CALL + PARTS_OF_A_ROW * rows

    def constants(self, truth: Floats, weights: Floats | None, *, sign: int) -> Constants:
        """Return a constant with the highest score, or the lowest for sign -1, or raise.

        The truths that many others are above and below are tried, and what is between the
        neighbours of the best one.
        """
        from scipy.optimize import minimize_scalar

        def loss(constant: float) -> float:
            score = self.kernel(truth, np.full(truth.size, constant), weights)
            return -sign * score if math.isfinite(score) else math.inf

        tried = np.unique(np.append(np.quantile(truth, np.linspace(0, 1, 33)), truth.mean()))
        losses = [loss(each) for each in tried]
        best = int(np.argmin(losses))
        if not math.isfinite(losses[best]):
            raise UndefinedMeasureError(
                f"{self.key} has no best constant: a prediction that is always the same has no "
                "score"
            )
        ends = tried[max(best - 1, 0)], tried[min(best + 1, tried.size - 1)]
        if ends[0] < ends[1]:
            with np.errstate(all="ignore"):  # a constant without a score loses without end
                found = minimize_scalar(loss, bounds=ends, method="bounded")
            if found.fun < losses[best]:
                return one(float(found.x))
        return one(float(tried[best]))


ANY = "any numbers that ignore their input"
TOO_LARGE = "it is beyond the range of floating-point numbers"
"""Why there is no score of numbers that are too large."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class NumberMeasure(Measure[NumericPredictions]):
    """A measure of predicted numbers. Get one with `get_measure("RMSE")`."""

    takes = (NumericPredictions, FitSummary)
    counted_by = "NumericPredictions.of(y_true, y_pred)"

    direction: Direction = Direction.MINIMIZE
    codomain: Codomain = COUNT
    rounds: bool = True
    interval: Rule = Rule.LOSS
    definition: str  # the formula, in LaTeX
    # The loss of an observation, of arrays of any shapes that fit together, and how the score
    # follows from its mean; None if it does not.
    loss: Loss | None = None
    shape: Shape = Shape.MEAN
    # What the score of shuffled predictions depends on, if it is not the sum of losses alone.
    form: Products | Ordered | OfRows | None = None
    # The score of truths, predictions and weights, if it is not that of the loss.
    formula: Callable[[Floats, Floats, Floats | None], float] | None = None
    # All constants that are best for the truth, in ascending order, and its weights; None if all
    # predictions that ignore their input expect 0, and whether a constant then has a score.
    constants: Callable[[Floats, Floats | None], Constants] | None = None
    constant_scores: bool = True
    # Why some numbers leave it without a score, or without a best constant.
    no_score_of_truth: Reason = no_reason
    no_score_of_predictions: Reason = no_reason
    no_best_constant: Reason = no_reason
    # Whether, given the numbers of both sides, it improves with their covariance, so that its
    # p-value is that of the correlation.
    monotone: bool = False

    def kernel(self, truth: Floats, predicted: Floats, weights: Floats | None) -> float:
        """Return the score of truths and predictions, of which all have one."""
        if isinstance(self.form, OfRows):
            return self.form.kernel(truth, predicted, weights)
        if self.formula is not None:
            return self.formula(truth, predicted, weights)
        assert self.loss is not None  # noqa: S101
        lost = mean(self.loss(truth, predicted), weights)
        if self.shape is not Shape.SHARE:
            return lost if self.shape is Shape.MEAN else math.sqrt(lost)
        free = self.free(truth, weights)
        return 1 - lost / free if math.isfinite(free) else math.nan

    def free(self, truth: Floats, weights: Floats | None) -> float:
        """Return the mean loss of the best constant."""
        assert self.loss is not None and self.constants is not None  # noqa: S101, PT018
        order = np.argsort(truth, kind="stable")
        heavy = None if weights is None else weights[order]
        constant = np.array(self.constants(truth[order], heavy)[0].middle)
        return mean(self.loss(truth, constant), weights)

    @property
    def is_custom(self) -> bool:
        """Whether it is anyone's own function."""
        return isinstance(self.form, OfRows)

    def score_or_reason(self, observed: NumericPredictions | FitSummary) -> tuple[float, str]:
        """Return the score, or nan and why there is none."""
        if isinstance(observed, FitSummary):
            return observed.score_of(self.key)
        if self not in observed.scores:
            rows = observed.truth, observed.predicted, observed.weights
            observed.scores[self] = self.weighted(*rows)
        return observed.scores[self]

    def weighted(
        self, truth: Floats, predicted: Floats, weights: Floats | None = None
    ) -> tuple[float, str]:
        """Return the score of observations with weights, or nan and why there is none.

        An observation that weighs nothing is left out.
        """
        if weights is not None:
            truth, predicted, weights = (each[weights > 0] for each in (truth, predicted, weights))
        if not truth.size:
            return math.nan, "there are no observations"
        reason = self.no_score_of_truth(truth, weights)
        reason = reason or self.no_score_of_predictions(predicted, weights)
        if reason:
            return math.nan, reason
        heavy = None if weights is None else of_usual_size(weights)
        with np.errstate(all="ignore"):  # what is too large is said below
            try:
                value = float(self.kernel(truth, predicted, heavy))
            except ZeroDivisionError:  # of weights so unequal that nothing is left of a spread
                value = math.nan
        return (value, "") if math.isfinite(value) else (math.nan, TOO_LARGE)

    @property
    def perfect(self) -> float:
        """The score of a prediction without errors, or what it comes close to; nan if unknown."""
        if isinstance(self.form, OfRows):
            end = self.codomain.upper if self._rises else self.codomain.lower
            return end if math.isfinite(end) else math.nan
        return float(self._rises)

    @property
    def _rises(self) -> bool:
        return self.direction is Direction.MAXIMIZE

    def best_constant(self, numbers: Numbers | NumbersSummary) -> Optimum:
        """Return the best score without a look at the input, and all constants that have it."""
        if isinstance(numbers, NumbersSummary):
            return numbers.optimum(self.key)
        known = numbers.values, numbers.weights
        reason = self.no_score_of_truth(*known)
        if reason:
            raise UndefinedMeasureError(f"{self.key} is undefined: {reason}")
        reason = self.no_best_constant(*known)
        if not reason and self.constants is None:  # all that ignores its input expects 0
            if self.constant_scores:
                return Optimum(0.0, every(), ANY)
            return Optimum(0.0, Constants(), f"{ANY} and are not all the same")
        if not reason and self.constants is not None:
            found = self.constants(*known)
            constant = np.full(numbers.total, found[0].middle)
            value, reason = self.weighted(numbers.values, constant, numbers.weights)
        if reason:
            raise UndefinedMeasureError(f"{self.key} has no best constant: {reason}")
        return Optimum(value, found, str(found), exact=not self.is_custom)

    def baseline(self, test_set: Numbers | NumbersSummary) -> Baseline:
        """Return the baseline on a test set."""
        best = self.best_constant(test_set)
        worst = best if self.constants is None else NO_WORST
        ends = (best, worst) if self._rises else (worst, best)
        return Baseline(self, test_set, *ends, self.perfect)

    def __reduce__(self) -> Any:
        """Pickle a built-in measure by its name, and a custom one by its function."""
        from baserate.measures.numbers import get_number_measure

        if isinstance(self.form, OfRows):
            return partial(Measure.custom, self.key, self.form.function, **self.made_of), ()
        return get_number_measure, (self.key,)
