"""How sure a score of numbers is, over test sets like this one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from baserate.regression.fit import Fit
    from baserate.regression.measures.record import NumberMeasure
    from baserate.regression.optimum import NumberYardstick


@dataclass(frozen=True, eq=False)
class NumberUncertainty:
    """The limits of scores and margins.

    Parameters
    ----------
    fit
        What was observed.
    alpha
        How often a pair of limits may be wrong.
    """

    fit: Fit
    alpha: float

    def score(self, measure: NumberMeasure) -> tuple[float, float]:  # noqa: ARG002
        """Return the limits of the score."""
        return math.nan, math.nan

    def margin(self, yardstick: NumberYardstick) -> tuple[float, float]:  # noqa: ARG002
        """Return the limits of how much better it is than the best constant."""
        return math.nan, math.nan
