"""What is declared of a measure of numbers: one record has all its facts."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.direction import Direction
from baserate.core.measure import AnyMeasure
from baserate.core.rule import Rule
from baserate.exceptions import InvalidMeasureError, UndefinedMeasureError, UndefinedMeasureWarning
from baserate.exceptions.base import shown
from baserate.regression.constants import NO_WORST, Constants, NumberOptimum, every
from baserate.regression.fit import Fit
from baserate.regression.measures.domains import Reason, no_reason
from baserate.regression.measures.forms import MeanLoss
from baserate.regression.measures.sums import of_usual_size
from baserate.regression.optimum import NumberBaseline, NumberYardstick
from baserate.regression.summary import FitSummary, NumbersSummary

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.regression.measures.forms import Form
    from baserate.regression.numbers import Numbers

    Floats = NDArray[np.float64]

ANY = "any numbers that ignore their input"
ANY_BUT_A_CONSTANT = f"{ANY} and are not all the same"
TOO_LARGE = "it is beyond the range of floating-point numbers"
"""Why there is no score of numbers that are too large."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class NumberMeasure(AnyMeasure[Fit]):
    """A measure of predicted numbers. Get one with `get_measure("RMSE")`.

    Parameters
    ----------
    key, name, aliases, meaning, pitfall, sklearn, direction, codomain, rounds, counts, remedy
        As for every measure.
    definition
        The formula, in LaTeX.
    kernel
        The score of truths and predictions, each observation counted as often as its weight; all
        count alike without weights.
    constants
        All constants that are best for the truth, which is in ascending order, and its weights;
        None if all predictions that ignore their input expect 0.
    constant_scores
        Whether a constant has a score, for measures by which all that ignores its input expects 0.
    form
        What the score of shuffled predictions depends on.
    no_score_of_truth, no_score_of_predictions
        Why some numbers leave it without a score; empty if they do not.
    no_best_constant
        Why no constant is best for the truth; empty if one is.
    monotone
        Whether, given the numbers of both sides, it improves with their covariance, so that its
        p-value is that of the correlation.

    Examples
    --------
    >>> from baserate.regression.measures.catalogue import get_number_measure
    >>> get_number_measure("neg_root_mean_squared_error")
    <Measure RMSE: Root Mean Squared Error>
    """

    definition: str
    kernel: Callable[[Floats, Floats, Floats | None], float] = field(repr=False)
    constants: Callable[[Floats, Floats | None], Constants] | None = field(default=None, repr=False)
    constant_scores: bool = True
    form: Form = field(repr=False)
    no_score_of_truth: Reason = field(default=no_reason, repr=False)
    no_score_of_predictions: Reason = field(default=no_reason, repr=False)
    no_best_constant: Reason = field(default=no_reason, repr=False)
    monotone: bool = False
    interval: Rule = Rule.LOSS

    def __post_init__(self) -> None:
        is_share = isinstance(self.form, MeanLoss) and self.form.free is not None
        if isinstance(self.form, MeanLoss) and is_share != (self.direction is Direction.MAXIMIZE):
            raise InvalidMeasureError(
                "a mean loss must have the direction 'minimize', and the share of the best "
                f"constant's that is saved 'maximize' (got {shown(self.direction.value)} of "
                f"{self.key}); MeanLoss.free says that it is a share"
            )

    def score(self, table: Fit | FitSummary, undefined: float = math.nan) -> float:
        """Score the predictions of a model.

        Parameters
        ----------
        table
            The predictions beside the truth.
        undefined
            What to return, with a warning, if there is no score.

        Examples
        --------
        >>> from baserate.regression.measures.catalogue import get_number_measure
        >>> get_number_measure("MAE").score(Fit.of([1.0, 2, 3, 10], [1.5, 2, 2, 7]))
        1.125
        """
        if not isinstance(table, Fit | FitSummary):
            raise InvalidMeasureError(
                f"{self.key} must be given a Fit to score (got {type(table).__name__}); "
                "pass Fit.of(y_true, y_pred)"
            )
        value, reason = self.score_or_reason(table)
        if reason:
            warnings.warn(f"{self.key} is undefined: {reason}", UndefinedMeasureWarning, 2)
            return undefined
        return value

    def score_or_reason(self, observed: Fit | FitSummary) -> tuple[float, str]:
        """Return the score, or nan and why there is none."""
        if isinstance(observed, FitSummary):
            return observed.score_of(self.key)
        found = observed.scores.get(self)
        if found is None:
            found = self.weighted(observed.truth, observed.predicted, observed.weights)
            observed.scores[self] = found
        return found

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
        """The score of a prediction without errors, or what it comes close to."""
        return 1.0 if self.direction is Direction.MAXIMIZE else 0.0

    def best_constant(self, numbers: Numbers | NumbersSummary) -> NumberOptimum:
        """Return the best score without a look at the input, and all constants that have it."""
        if isinstance(numbers, NumbersSummary):
            return numbers.optimum(self.key)
        reason = self.no_score_of_truth(numbers.values, numbers.weights)
        if reason:
            raise UndefinedMeasureError(f"{self.key} is undefined: {reason}")
        reason = self.no_best_constant(numbers.values, numbers.weights)
        if reason:
            raise UndefinedMeasureError(f"{self.key} has no best constant: {reason}")
        if self.constants is None:
            return self.nothing_for_free()
        found = self.constants(numbers.values, numbers.weights)
        constant = np.full(numbers.total, found[0].middle)
        value, reason = self.weighted(numbers.values, constant, numbers.weights)
        if reason:
            raise UndefinedMeasureError(f"{self.key} has no best constant: {reason}")
        return NumberOptimum.of(value, found)

    def nothing_for_free(self) -> NumberOptimum:
        """Return the 0 that all predictions expect that ignore their input."""
        if self.constant_scores:
            return NumberOptimum(0.0, every(), ANY)
        return NumberOptimum(0.0, Constants(), ANY_BUT_A_CONSTANT)

    def yardstick(self, test_set: Numbers | NumbersSummary) -> NumberYardstick:
        """Return the baseline on a test set, and the scale around it."""
        best = self.best_constant(test_set)
        worst = best if self.constants is None else NO_WORST
        rises = self.direction is Direction.MAXIMIZE
        highest, lowest = (best, worst) if rises else (worst, best)
        base = NumberBaseline(self, test_set, highest, lowest)
        return NumberYardstick(base, self.perfect)

    def __reduce__(self) -> Any:
        """Pickle a measure by its name."""
        from baserate.regression.measures.catalogue import get_number_measure

        return get_number_measure, (self.key,)
