"""Chance, limits and pairs of rows that stayed in an engine: from a sample, scaled to all rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from baserate.core.law import Tails
from baserate.core.paired import SAME, UNDEFINED, SwapTest
from baserate.regression.chance import NumberChance
from baserate.regression.paired import PairedNumbers
from baserate.regression.paired.swaps import gain_of, swap_test
from baserate.regression.uncertainty import NumberUncertainty
from baserate.regression.uncertainty.losses import row_loss

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from baserate.regression.fit import Fit
    from baserate.regression.measures.record import NumberMeasure
    from baserate.regression.optimum import NumberYardstick
    from baserate.regression.paired import JointFit
    from baserate.regression.summary import FitSummary, JointSummary

    Floats = NDArray[np.float64]

# How much more the best constant of a sample may lose, at most: twice as much as was seen.
_ABOUT = 0.002
_NONE = (math.nan, math.nan)


@dataclass(frozen=True, eq=False)
class SampleChance:
    """What the predictions of a sample score when they are dealt at random.

    A random sample of rows is a test set of its own, so its p-value is a valid one. Of all rows it
    would be lower, unless the model learned nothing.

    Parameters
    ----------
    summary
        What the model did.
    levels
        The quantiles between which luck is expected to stay, from bad to good.
    """

    summary: FitSummary
    levels: tuple[float, float]

    @property
    def _of_sample(self) -> NumberChance:
        return NumberChance(self.summary.sample, self.levels)

    def tails(self, measure: NumberMeasure, score: float) -> Tails:
        """Return the chance of a score as good as that of the sample, and of one as bad."""
        if math.isnan(score):
            return Tails(math.nan, math.nan)
        return self._of_sample.tails(measure, measure.score_or_reason(self.summary.sample)[0])

    def luck_interval(self, measure: NumberMeasure) -> tuple[float, float]:
        """Return between which scores luck stays, with as many rows as the sample has."""
        return self._of_sample.luck_interval(measure)

    def is_exact(self, measure: NumberMeasure) -> bool:
        """Return whether these chances are those of all rows: only if there is no score."""
        return bool(measure.score_or_reason(self.summary)[1])


class SummaryUncertainty(NumberUncertainty):
    """The limits of scores and margins, around those of all rows.

    They are as wide as those of the sample, scaled by the root of the number of rows. How spread
    the losses of all rows are is known, which counts rare ones that are not in the sample.
    """

    fit: FitSummary  # type: ignore[assignment]

    def margin(self, yardstick: NumberYardstick) -> tuple[float, float]:
        """Return the limits of how much better the score is than that of the best constant.

        A constant that is only about the best loses more than the best: the lower limit is as much
        lower.
        """
        low, high = super().margin(yardstick)
        best = yardstick.base.best
        return (low if best.exact else low - _ABOUT * abs(best.value)), high

    def _rows(self, measure: NumberMeasure) -> tuple[Fit, float]:
        sample = self.fit.sample
        fit, shrunk = NumberUncertainty(sample, self.alpha)._rows(measure)  # noqa: SLF001
        scaled = shrunk * math.sqrt(sample.total / self.fit.total)
        return fit, scaled * self._stretched(measure)

    def _stretched(self, measure: NumberMeasure) -> float:
        """Return how much more losses vary over all rows than in the sample, if they do."""
        loss, known = row_loss(measure), self.fit.deviations.get(measure.key)
        if loss is None or not known:
            return 1.0
        sample = self.fit.sample
        constant = sample.truth * 0.0 + self._constant(measure)
        return max(
            stretched(all_rows, loss(sample.truth, predicted))
            for all_rows, predicted in zip(known, (sample.predicted, constant), strict=True)
        )

    def _free(self, measure: NumberMeasure, constant: float) -> float:  # noqa: ARG002
        return self.fit.test_set.optimum(measure.key).value


class PairedSummary(PairedNumbers):
    """How much two models differ on all rows, with limits as wide as the sample says, scaled."""

    joint: JointSummary  # type: ignore[assignment]

    def limits(self, measure: NumberMeasure) -> tuple[float, float]:
        """Return the limits of the second score minus the first; nan if there are none."""
        if self.joint.disagreements and not self.joint.sample.disagreements:
            return _NONE  # the sample does not show how they differ
        return super().limits(measure)

    def swap_test(self, measure: NumberMeasure) -> SwapTest:
        """Return the p-value of swapping the models row by row in the sample."""
        if math.isnan(gain_of(measure, self.joint)):  # type: ignore[arg-type]
            return UNDEFINED
        if not self.joint.disagreements:
            return SAME
        found = swap_test(measure, self.joint.sample)
        return found._replace(method="permutations") if found.exact else found

    def _rows(self, measure: NumberMeasure) -> tuple[JointFit, float]:
        sample = self.joint.sample
        rows, shrunk = PairedNumbers(sample, self.alpha)._rows(measure)  # noqa: SLF001
        scaled = shrunk * math.sqrt(sample.total / self.joint.total)
        return rows, scaled * self._stretched(measure)

    def _stretched(self, measure: NumberMeasure) -> float:
        loss, known = row_loss(measure), self.joint.deviations.get(measure.key)
        if loss is None or known is None:
            return 1.0
        sample = self.joint.sample
        one, other = (
            loss(sample.truth, predicted)
            for predicted in (sample.first_predicted, sample.second_predicted)
        )
        return stretched(known, other - one)


def stretched(deviation: float, losses: Floats) -> float:
    """Return how much larger a standard deviation is than that of some losses; at least 1.

    Examples
    --------
    >>> import numpy as np
    >>> stretched(3.0, np.array([0.0, 2.0])), stretched(0.5, np.array([0.0, 2.0]))
    (3.0, 1.0)
    """
    of_sample = float(losses.std())
    if not math.isfinite(deviation) or not math.isfinite(of_sample) or not of_sample:
        return 1.0
    return max(deviation / of_sample, 1.0)
