"""What a model predicted, beside the truth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.task import Cells, NothingMore
from baserate.core.words import Words
from baserate.data.number_rows import read_number_rows
from baserate.data.rows import Shown
from baserate.data.weights import importance_weights
from baserate.ranking.score_records import numbers
from baserate.regression.numbers import Numbers, unequal, weights_or_none

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from baserate.core.curve import Curve

    Floats = NDArray[np.float64]

WORDS = Words(
    best="The same number is predicted for every row.",
    shared_p="the permutation test of the correlation, for MSE, RMSE, R2 and Pearson",
    remedy="the predictions may be too spread out, or off by a constant",
    suspect="misaligned rows or a flipped sign",
)
_WEIGHTED_WORDS = replace(
    WORDS, shared_p="a permutation test of the weighted squares, for MSE, RMSE and R2"
)


_SHOWN = Shown("y_true", {"y_pred": "y_pred"})


@dataclass(frozen=True, eq=False, repr=False)
class Fit(NothingMore):
    """The predictions of a model beside the truth.

    Make one with `Fit.of`, which checks the numbers. It is to numbers what `Confusion` is to
    labels: measures score it, and `evaluate` takes it in place of the predictions of a model.

    Parameters
    ----------
    truth, predicted
        A number per observation, in the same order.
    weights
        How important each observation is, a positive number; left out if all count alike.

    Examples
    --------
    >>> fit = Fit.of([1.0, 2, 3, 10], [1.5, 2, 2, 7])
    >>> fit.total, fit.residuals.tolist()
    (4, [-0.5, 0.0, 1.0, 3.0])
    >>> import baserate as br
    >>> br.get_measure("MAE").score(fit)
    1.125
    """

    truth: Floats
    predicted: Floats
    weights: Floats | None = None

    task = "regression"
    grid = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", unequal(self.weights))

    @classmethod
    def of(cls, y_true: Any, y_pred: Any, weights: Any = None) -> Fit:
        """Return the predictions beside the truth, row by row, or raise if they are not numbers.

        Observations of weight 0 are left out.
        """
        rows = read_number_rows(y_true, {"y_pred": y_pred}, shown=_SHOWN)
        return cls(rows.truth, rows.predicted["y_pred"]).weighted(weights)

    def weighted(self, weights: Any) -> Fit:
        """Return the same observations with importance weights, or raise if they are none."""
        if weights is None:
            return self
        read = importance_weights(weights, self.total)
        counts = read > 0
        return Fit(self.truth[counts], self.predicted[counts], read[counts])

    @property
    def total(self) -> int:
        """The number of observations."""
        return self.truth.size

    @cached_property
    def residuals(self) -> Floats:
        """Truth minus prediction."""
        return self.truth - self.predicted

    @cached_property
    def test_set(self) -> Numbers:
        """The test set."""
        return Numbers(self.truth, self.weights)

    @cached_property
    def scores(self) -> dict[Any, tuple[float, str]]:
        """The scores that were asked for, by measure: many rows are not scored again."""
        return {}

    @property
    def curves(self) -> tuple[Curve, ...]:
        """How many predictions are how far off, beside the best constant."""
        from baserate.regression.curves import curves_of

        return curves_of(self)

    @property
    def words(self) -> Words:
        """How the task speaks of references and of luck."""
        return WORDS if self.weights is None else _WEIGHTED_WORDS

    @property
    def one_class(self) -> str:
        """What a model is called whose predictions are all the same."""
        same = self.predicted.size and (self.predicted == self.predicted[0]).all()
        return "predicts the same number for every observation" if same else ""

    @property
    def facts(self) -> dict[str, Any]:
        """All numbers, for JSON, however many there are."""
        found = {"truth": self.truth.tolist(), "predicted": self.predicted.tolist()}
        return found if self.weights is None else {**found, "weights": self.weights.tolist()}

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Fit:
        """Return the predictions of a JSON record."""
        fit = cls.of(numbers(facts["truth"]), numbers(facts["predicted"]))
        return fit.weighted(facts.get("weights"))

    @property
    def cells(self) -> Cells:
        """Every observation once."""
        return Cells(self.truth.tolist(), self.predicted.tolist(), [1] * self.total)

    @property
    def flat(self) -> dict[str, int]:
        """The counts of a data frame."""
        return {"observations": self.total}

    def __repr__(self) -> str:
        return f"Fit({self.test_set.described})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fit):
            return NotImplemented
        if self is other:
            return True
        return all(
            np.array_equal(mine, theirs)
            for mine, theirs in (
                (self.truth, other.truth),
                (self.predicted, other.predicted),
                (weights_or_none(self.weights), weights_or_none(other.weights)),
            )
        )

    def __hash__(self) -> int:
        return hash((self.test_set, float(self.predicted.sum())))
