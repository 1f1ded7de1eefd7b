"""What is declared of a measure of numbers: one record has all its facts."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from baserate.core.measure import AnyMeasure
from baserate.exceptions import InvalidMeasureError, UndefinedMeasureWarning
from baserate.regression.fit import Fit

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from baserate.regression.constants import NumberOptimum
    from baserate.regression.numbers import Numbers

    Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class NumberMeasure(AnyMeasure[Fit]):
    """A measure of predicted numbers. Get one with `get_measure("RMSE")`.

    Parameters
    ----------
    key, name, aliases, meaning, pitfall, sklearn, direction, codomain, rounds, remedy
        As for every measure.
    definition
        The formula, in LaTeX.
    kernel
        The score of truths and predictions, each observation counted as often as its weight.
    loss
        The loss of each observation, if the score is a function of their mean (`of_mean`); None
        if it is not, as for a median or a correlation.
    of_mean
        The score of the mean loss, and of the truth where it matters, as for R².
    best
        The best score of a constant on a test set, with all constants that attain it.
    missing
        Why it has no score; empty if it has one.
    monotone
        Whether, given both sets of numbers, it improves with the sum of their products, so that
        its p-value is that of the correlation.
    """

    definition: str
    kernel: Callable[[Floats, Floats, Floats], float] = field(repr=False)
    loss: Callable[[Floats, Floats], Floats] | None = field(default=None, repr=False)
    best: Callable[[Numbers], NumberOptimum] = field(repr=False)
    missing: Callable[[Floats, Floats], str] = field(repr=False)
    monotone: bool = False

    def score(self, table: Fit, undefined: float = math.nan) -> float:
        """Score the predictions of a model.

        Parameters
        ----------
        table
            The predictions beside the truth.
        undefined
            What to return, with a warning, if there is no score.
        """
        if not isinstance(table, Fit):
            raise InvalidMeasureError(
                f"{self.key} must be given a Fit to score (got {type(table).__name__}); "
                "pass Fit.of(y_true, y_pred)"
            )
        value, reason = self.score_or_reason(table)
        if reason:
            warnings.warn(f"{self.key} is undefined: {reason}", UndefinedMeasureWarning, 2)
            return undefined
        return value

    def score_or_reason(self, observed: Fit) -> tuple[float, str]:
        """Return the score, or nan and why there is none."""
        raise NotImplementedError
