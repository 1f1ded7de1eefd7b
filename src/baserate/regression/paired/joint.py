"""The predictions of two models for the same observations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.paired import mirrored
from baserate.ranking.score_records import numbers
from baserate.regression.fit import Fit
from baserate.regression.numbers import unequal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class JointFit:
    """Two models beside the truth.

    Parameters
    ----------
    truth
        A number per observation.
    first_predicted, second_predicted
        What each model predicted, in the same order.
    weights
        How much each observation counts, if they do not all count alike: positive numbers.

    Examples
    --------
    >>> joint = JointFit.of([1.0, 2, 3], [1.0, 2, 4], [1.0, 3, 3])
    >>> joint.flat
    {'observations': 3, 'disagreements': 2}
    """

    truth: Floats
    first_predicted: Floats
    second_predicted: Floats
    weights: Floats | None = None

    task = "regression"

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", unequal(self.weights))

    @classmethod
    def of(cls, y_true: Any, first: Any, second: Any, weights: Any = None) -> JointFit:
        """Return two models row by row, or raise if these are no numbers.

        Observations of weight 0 are left out.
        """
        one, other = Fit.of(y_true, first, weights), Fit.of(y_true, second, weights)
        return cls(one.truth, one.predicted, other.predicted, one.weights)

    @cached_property
    def first(self) -> Fit:
        """What the first model did."""
        return Fit(self.truth, self.first_predicted, self.weights)

    @cached_property
    def second(self) -> Fit:
        """What the second model did."""
        return Fit(self.truth, self.second_predicted, self.weights)

    @property
    def total(self) -> int:
        """The number of observations."""
        return self.truth.size

    @cached_property
    def differ(self) -> NDArray[np.bool_]:
        """On which observations the models differ."""
        return np.asarray(self.first_predicted != self.second_predicted)

    @cached_property
    def disagreements(self) -> int:
        """The number of observations on which the models differ."""
        return int(np.count_nonzero(self.differ))

    @property
    def facts(self) -> dict[str, Any]:
        """All numbers, for JSON."""
        found = {
            "truth": self.truth.tolist(),
            "first_predicted": self.first_predicted.tolist(),
            "second_predicted": self.second_predicted.tolist(),
        }
        return found if self.weights is None else {**found, "weights": self.weights.tolist()}

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> JointFit:
        """Return two models from a JSON record."""
        names = ("truth", "first_predicted", "second_predicted")
        truth, first, second = (numbers(facts[name]) for name in names)
        return cls.of(truth, first, second, facts.get("weights"))

    @property
    def flat(self) -> dict[str, int]:
        """How many observations there are, and on how many the models differ."""
        return {"observations": self.total, "disagreements": self.disagreements}

    @property
    def mirrored(self) -> JointFit:
        """The same with the second model first."""
        predicted = self.second_predicted, self.first_predicted
        return mirrored(self, JointFit(self.truth, *predicted, self.weights))

    def chosen(self, rows: Any) -> JointFit:
        """Return some of the observations."""
        weights = None if self.weights is None else self.weights[rows]
        predicted = (self.first_predicted[rows], self.second_predicted[rows])
        return JointFit(self.truth[rows], *predicted, weights)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JointFit):
            return NotImplemented
        return self is other or (self.first == other.first and self.second == other.second)

    def __hash__(self) -> int:
        return hash((self.first, self.second))
