"""How much two models of numbers differ, over test sets like the one observed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.regression.measures.forms import MiddleError
from baserate.regression.paired.swaps import gain_of, swap_test
from baserate.regression.uncertainty.draws import Draws
from baserate.regression.uncertainty.limits import best_constant, sampled
from baserate.regression.uncertainty.means import difference_of, mean_one, reading_of
from baserate.regression.uncertainty.readings import OfMedians
from baserate.regression.uncertainty.scales import PLAIN

if TYPE_CHECKING:
    from baserate.core.paired import SwapTest
    from baserate.regression.measures.record import NumberMeasure
    from baserate.regression.paired.joint import JointFit
    from baserate.regression.uncertainty.readings import Reading


@dataclass(frozen=True, eq=False)
class PairedNumbers:
    """Two models on the same observations.

    Parameters
    ----------
    joint
        What both did.
    alpha
        How often a pair of limits may be wrong.

    Examples
    --------
    >>> from baserate.regression.measures.errors import MAE
    >>> from baserate.regression.paired.joint import JointFit
    >>> truth = np.arange(40.0)
    >>> joint = JointFit(truth, truth + 2 * np.sin(truth), truth + np.cos(truth))
    >>> paired = PairedNumbers(joint, alpha=0.05)
    >>> low, high = paired.limits(MAE)
    >>> bool(low < high < 0), paired.swap_test(MAE)[0] < 0.001
    (True, True)
    """

    joint: JointFit
    alpha: float

    def limits(self, measure: NumberMeasure) -> tuple[float, float]:
        """Return the limits of the second score minus the first; nan if there are none.

        They are computed for one order of the models and mirrored for the other, so that who is
        called first does not matter. They do not allow for what few rows hide: two models that
        resemble each other could never be told apart otherwise.
        """
        gain = gain_of(measure, self.joint)
        if math.isnan(gain) or (self.joint.total < 2 and self.joint.disagreements):
            return math.nan, math.nan
        if not self.joint.disagreements:
            return 0.0, 0.0
        joint, shrunk = self._rows(measure)
        is_mirrored = gain < 0 or (gain == 0 and _comes_later(joint))
        if is_mirrored:
            joint = joint.mirrored
        reading = _difference(measure, joint, best_constant(measure, self.joint.first.test_set))
        if reading is None or not math.isfinite(reading.observed):
            return math.nan, math.nan
        low, high = Draws(abs(gain), self.alpha, PLAIN, shrunk).limits(reading)
        return (0.0 - high, 0.0 - low) if is_mirrored else (low, high)

    def swap_test(self, measure: NumberMeasure) -> SwapTest:
        """Return the p-value of swapping the models row by row."""
        return swap_test(measure, self.joint)

    def _rows(self, measure: NumberMeasure) -> tuple[JointFit, float]:
        """Return the rows to draw from, and how much nearer limits are than theirs.

        All of them are in an order of their own, the same whichever model is called first.
        """
        one, other = self.joint.first_predicted, self.joint.second_predicted
        keys: tuple[Any, ...] = (np.maximum(one, other), np.minimum(one, other), self.joint.truth)
        if self.joint.weights is not None:
            keys = (self.joint.weights, *keys)
        rows = sampled(measure, self.joint.total)
        if rows is None:
            return self.joint.chosen(np.lexsort(keys)), 1.0
        # Sampled in the given order: that of so many hardly matters.
        return self.joint.chosen(rows), math.sqrt(rows.size / self.joint.total)


def _comes_later(joint: JointFit) -> bool:
    """Return whether the first model has the larger prediction where both differ first."""
    place = int(np.argmax(joint.differ))
    return bool(joint.first_predicted[place] > joint.second_predicted[place])


def _difference(measure: NumberMeasure, joint: JointFit, constant: float) -> Reading | None:
    """Return the second score minus the first as a function of weights; None if unknown."""
    weights = mean_one(joint.weights)
    if isinstance(measure.form, MiddleError):
        return OfMedians(np.abs(joint.second.residuals), np.abs(joint.first.residuals), weights)
    first, second = (
        reading_of(measure, joint.truth, predicted, constant, weights)
        for predicted in (joint.first_predicted, joint.second_predicted)
    )
    return difference_of(first, second)
