"""Numbers: the truth, the predictions of a model, and those of two."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.observed import ByValue, Cells, Joint, Observed, Rows, Words
from baserate.data.rows import Shown, read_number_rows
from baserate.data.weights import importance_weights
from baserate.observed.best_constants import mean_of
from baserate.records import numbers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from baserate.core.observed import Curve

    Floats = NDArray[np.float64]


def unequal(weights: Floats | None) -> Floats | None:
    """Return weights; None if all are the same, since only their relation counts."""
    return None if weights is None or (weights == weights[:1]).all() else weights


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Numbers(ByValue):
    """The true numbers of a test set, sorted: all that a baseline needs.

    `baseline` takes it. To judge a model, call `evaluate` with the numbers themselves, and with
    `sample_weight` if they have weights.

    Parameters
    ----------
    values
        The numbers, in any order.
    weights
        How important each number is, in the same order; left out if all count alike. Numbers of
        weight 0 are left out.

    Examples
    --------
    >>> numbers = Numbers([10.0, 1, 100, 3, 2])
    >>> numbers, numbers.total
    (Numbers(5 observations from 1 to 100, mean 23.2), 5)
    >>> Numbers([10.0, 1, 100], weights=[1, 2.5, 0.5])
    Numbers(3 observations of total weight 4 from 1 to 100, weighted mean 15.625)
    >>> import baserate as br
    >>> print(br.baseline(Numbers([10.0, 1, 100], weights=[1, 2.5, 0.5]), "MAE"))
    MAE baseline 14.625 on 3 observations of total weight 4 from 1 to 100, weighted mean 15.625:
    always 1
    """

    values: Floats
    weights: Floats | None

    def __init__(self, values: Any, weights: Any = None) -> None:
        numbers = np.asarray(values, dtype=float) + 0.0  # no -0.0, which is 0.0
        if weights is not None:
            weights = importance_weights(weights, numbers.size)
            order = np.argsort(numbers, kind="stable")
            order = order[weights[order] > 0]
            numbers, weights = numbers[order], unequal(weights[order])
        else:
            numbers.sort()
        numbers.flags.writeable = False
        object.__setattr__(self, "values", numbers)
        object.__setattr__(self, "weights", weights)

    @property
    def total(self) -> int:
        """The number of observations."""
        return self.values.size

    @cached_property
    def class_sizes(self) -> tuple[int, ...]:
        """How often each number occurs."""
        firsts = np.flatnonzero(np.append(True, self.values[1:] != self.values[:-1]))
        return tuple(np.diff(np.append(firsts, self.total)).tolist())

    @property
    def described(self) -> str:
        """The test set in a few words."""
        low, high = self.values[0], self.values[-1]
        if self.total == 1:
            return f"1 observation, {low:.6g}"
        weighed, mean = "", "mean"
        if self.weights is not None:
            weighed, mean = f" of total weight {self.weights.sum():.6g}", "weighted mean"
        return (
            f"{self.total:,} observations{weighed} from {low:.6g} to {high:.6g}, "
            f"{mean} {self.mean:.6g}"
        )

    @cached_property
    def mean(self) -> float:
        """The mean, with weights if there are any."""
        return mean_of(self.values, self.weights)

    @property
    def facts(self) -> dict[str, Any]:
        """All numbers, for JSON."""
        found = {"truth": self.values.tolist()}
        return found if self.weights is None else {**found, "weights": self.weights.tolist()}

    @property
    def share(self) -> tuple[str, str]:
        """What a table says of a group in one cell, after the title of that column."""
        return "observations", f"{self.total:,}"

    def __repr__(self) -> str:
        return f"Numbers({self.described})"


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
class NumericPredictions(Observed):
    """The predictions of a model beside the truth.

    Make it with `NumericPredictions.of`, which checks the numbers. Measures score it, and
    `evaluate` takes it in place of the predictions of a model.

    Parameters
    ----------
    truth, predicted
        A number per observation, in the same order.
    weights
        How important each observation is, a positive number; left out if all count alike.

    Examples
    --------
    >>> fit = NumericPredictions.of([1.0, 2, 3, 10], [1.5, 2, 2, 7])
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

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", unequal(self.weights))

    @classmethod
    def of(cls, y_true: Any, y_pred: Any, weights: Any = None) -> NumericPredictions:
        """Return the predictions beside the truth, row by row, or raise if they are not numbers.

        Observations of weight 0 are left out.
        """
        rows = read_number_rows(y_true, {"y_pred": y_pred}, Rows(), _SHOWN)
        return cls(rows.truth, rows.models["y_pred"]).weighted(weights)

    def weighted(self, weights: Any) -> NumericPredictions:
        """Return the same observations with importance weights, or raise if they are none."""
        if weights is None:
            return self
        read = importance_weights(weights, self.total)
        counts = read > 0
        return NumericPredictions(self.truth[counts], self.predicted[counts], read[counts])

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
        from baserate.observed.number_curves import curves_of

        return curves_of(self)

    @property
    def words(self) -> Words:
        """How the task speaks of guesses and of chance."""
        return WORDS if self.weights is None else _WEIGHTED_WORDS

    @property
    def one_class(self) -> str:
        """What a model is called whose predictions are all the same."""
        same = self.predicted.size and (self.predicted == self.predicted[0]).all()
        return "predicts the same number for every observation" if same else ""

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> NumericPredictions:
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
        return f"NumericPredictions({self.test_set.described})"


@dataclass(frozen=True, eq=False)
class JointFit(Joint):
    """Two models beside the truth; weights are positive, and None if all are the same."""

    truth: Floats
    first_predicted: Floats
    second_predicted: Floats
    weights: Floats | None = None

    twins = "first_predicted", "second_predicted"

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", unequal(self.weights))

    @classmethod
    def of(cls, y_true: Any, first: Any, second: Any, weights: Any = None) -> JointFit:
        """Return two models row by row, or raise if these are no numbers.

        Observations of weight 0 are left out.
        """
        one, other = (NumericPredictions.of(y_true, each, weights) for each in (first, second))
        return cls(one.truth, one.predicted, other.predicted, one.weights)

    @cached_property
    def first(self) -> NumericPredictions:
        """What the first model did."""
        return NumericPredictions(self.truth, self.first_predicted, self.weights)

    @cached_property
    def second(self) -> NumericPredictions:
        """What the second model did."""
        return NumericPredictions(self.truth, self.second_predicted, self.weights)

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

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> JointFit:
        """Return two models from a JSON record."""
        names = ("truth", "first_predicted", "second_predicted")
        truth, first, second = (numbers(facts[name]) for name in names)
        return cls.of(truth, first, second, facts.get("weights"))

    def chosen(self, rows: Any) -> JointFit:
        """Return some of the observations."""
        weights = None if self.weights is None else self.weights[rows]
        predicted = (self.first_predicted[rows], self.second_predicted[rows])
        return JointFit(self.truth[rows], *predicted, weights)


def fit_of(truth: Floats, *others: Floats | None) -> Numbers | NumericPredictions | JointFit:
    """Put the predictions of no, one or two models beside the truth, with weights."""
    *predicted, weights = others
    kind: Any = (Numbers, NumericPredictions, JointFit)[len(predicted)]
    found: Numbers | NumericPredictions | JointFit = kind(truth, *predicted, weights)
    return found
