"""Two models on the same observations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.ranking.score_records import numbers
from baserate.regression.fit import Fit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from baserate.regression.measures.record import NumberMeasure


@dataclass(frozen=True)
class JointFit:
    """The predictions of two models beside the same truth.

    Parameters
    ----------
    first, second
        What each model predicted.
    """

    first: Fit
    second: Fit

    task = "regression"

    @property
    def disagreements(self) -> int:
        """The number of observations on which the models differ."""
        return int(np.count_nonzero(self.first.predicted != self.second.predicted))

    @property
    def facts(self) -> dict[str, Any]:
        """All numbers, for JSON."""
        return {
            "truth": self.first.truth.tolist(),
            "first_predicted": self.first.predicted.tolist(),
            "second_predicted": self.second.predicted.tolist(),
        }

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> JointFit:
        """Return two models from a JSON record."""
        truth = numbers(facts["truth"])
        first, second = (numbers(facts[f"{each}_predicted"]) for each in ("first", "second"))
        return cls(Fit.of(truth, first), Fit.of(truth, second))

    @property
    def flat(self) -> dict[str, int]:
        """How many observations there are, and on how many the models differ."""
        return {"observations": self.first.total, "disagreements": self.disagreements}


@dataclass(frozen=True, eq=False)
class PairedNumbers:
    """How much two models differ.

    Parameters
    ----------
    joint
        What both did.
    alpha
        How often a pair of limits may be wrong.
    """

    joint: JointFit
    alpha: float

    def limits(self, measure: NumberMeasure) -> tuple[float, float]:  # noqa: ARG002
        """Return the limits of the second score minus the first."""
        return math.nan, math.nan

    def swap_test(self, measure: NumberMeasure) -> tuple[float, bool]:  # noqa: ARG002
        """Return the p-value of swapping the models row by row, and whether it is exact."""
        return math.nan, False
