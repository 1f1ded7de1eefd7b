"""Numbers: the truth, the predictions of a model, and those of two; also of rows in an engine."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.baseline import Optimum
from baserate.core.observed import ByValue, Cells, Joint, Observed, Rows, Words
from baserate.data.rows import Shown, read_number_rows
from baserate.data.weights import importance_weights
from baserate.exceptions import UndefinedMeasureError
from baserate.observed.best_constants import Constants, ConstantSet, mean_of
from baserate.observed.curves import curves_of_numbers
from baserate.records import finite, number, numbers, typed, written

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
        shown = Shown("y_true", {"y_pred": "y_pred"})
        rows = read_number_rows(y_true, {"y_pred": y_pred}, Rows(), shown)
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
        return curves_of_numbers(self)

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
        """Return two models row by row, or raise if these are not numbers.

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

    @cached_property
    def disagreements(self) -> int:
        """The number of observations on which the models differ."""
        return int(np.count_nonzero(self.first_predicted != self.second_predicted))

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> JointFit:
        """Return two models from a JSON record."""
        names = ("truth", "first_predicted", "second_predicted")
        truth, first, second = (numbers(facts[name]) for name in names)
        return cls.of(truth, first, second, facts.get("weights"))


def fit_of(truth: Floats, *others: Any) -> Numbers | NumericPredictions | JointFit:
    """Put the predictions of no, one or two models beside the truth, with weights."""
    *predicted, importance = others
    weights = None if importance is None else importance.weights
    kind: Any = (Numbers, NumericPredictions, JointFit)[len(predicted)]
    found: Numbers | NumericPredictions | JointFit = kind(truth, *predicted, weights)
    return found


# --- Rows that stayed in an engine ----------------------------------------------------------------

# As many rows of a sample are written to JSON.
_MOST_RECORDED = 1_000
NOT_SUMMED = "was not asked for where the rows are"

Score = tuple[float, str]
"""A score, or nan and why there is none."""


@dataclass(frozen=True, repr=False)
class NumbersSummary:
    """The truth of a test set whose rows stayed in an engine, and a random sample of it.

    The score of the best constant and the constants themselves are known by the key of a measure,
    or why there is none.
    """

    total: int
    low: float
    high: float
    mean: float
    optima: Mapping[str, Optimum | str] = field(hash=False)
    sample: Numbers = field(compare=False)

    @property
    def class_sizes(self) -> tuple[int, ...]:
        """How often each number of the sample occurs, since p-values are of the sample."""
        return self.sample.class_sizes

    @property
    def described(self) -> str:
        """The test set in a few words."""
        ends = f"from {self.low:.6g} to {self.high:.6g}"
        return f"{self.total:,} observations {ends}, mean {self.mean:.6g}"

    def optimum(self, key: str) -> Optimum:
        """Return the score of the best constant for a measure, or raise if it has none."""
        found = self.optima.get(key, f"{key} {NOT_SUMMED}")
        if isinstance(found, str):
            raise UndefinedMeasureError(found)
        return found

    @property
    def facts(self) -> dict[str, Any]:
        """What is known of all rows, and some of them, for JSON."""
        return {
            "observations": self.total,
            "low": self.low,
            "high": self.high,
            "mean": self.mean,
            "constants": {key: _record(found) for key, found in self.optima.items()},
            "truth": self.sample.values[_some(self.sample.total)].tolist(),
        }

    @property
    def share(self) -> tuple[str, str]:
        """What a table says of a group in one cell, after the title of that column."""
        return "observations", f"{self.total:,}"

    def __repr__(self) -> str:
        return f"NumbersSummary({self.described})"


@dataclass(frozen=True, repr=False)
class FitSummary(Observed):
    """The predictions of a model whose rows stayed in an engine.

    Scores, by the key of a measure, and best constants are those of all rows, and so are the lowest
    and the highest prediction. What needs the rows themselves is that of a random sample of them:
    p-values, how spread losses are, and pictures. If only some of it were read from JSON, `sampled`
    is how many rows it had.
    """

    test_set: NumbersSummary
    scores: Mapping[str, Score] = field(hash=False)
    sample: NumericPredictions = field(compare=False)
    low: float
    high: float
    sampled: int = field(default=0, compare=False)

    task = "regression"
    words = WORDS

    @property
    def total(self) -> int:
        """The number of observations."""
        return self.test_set.total

    def score_of(self, key: str) -> Score:
        """Return the score by a measure, or nan and why there is none."""
        return self.scores.get(key, (math.nan, f"it {NOT_SUMMED}"))

    @property
    def curves(self) -> tuple[Curve, ...]:
        """How many predictions of the sample are how far off, beside the best constant."""
        return self.sample.curves

    @property
    def one_class(self) -> str:
        """What a model is called whose predictions are all the same."""
        same = self.low == self.high
        return "predicts the same number for every observation" if same else ""

    @property
    def remark(self) -> str:
        """What is of a sample."""
        return f"p-values, widths of intervals and pictures are {self.of_sample}"

    @property
    def of_sample(self) -> str:
        """How large the sample is, in words."""
        return f"of a random sample of {self.sampled or self.sample.total:,} rows"

    @property
    def facts(self) -> dict[str, Any]:
        """Scores and best constants, and some rows, for JSON."""
        rows = _some(self.sample.total)
        sample = NumericPredictions(self.sample.truth[rows], self.sample.predicted[rows])
        return {
            **self.test_set.facts,
            "lowest_prediction": self.low,
            "highest_prediction": self.high,
            "scores": {key: reason or value for key, (value, reason) in self.scores.items()},
            "sampled": self.sampled or self.sample.total,
            **sample.facts,
        }

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> FitSummary:
        """Return what a JSON record has of it: fewer rows of the sample."""
        sample = NumericPredictions.from_facts(facts)
        low, high, mean = (finite(facts[name]) for name in ("low", "high", "mean"))
        optima = {key: _optimum(found) for key, found in facts["constants"].items()}
        total = int(typed(facts["observations"], int))
        test_set = NumbersSummary(total, low, high, mean, optima, sample.test_set)
        scores: dict[str, Score] = {
            typed(key, str): (math.nan, each) if isinstance(each, str) else (finite(each), "")
            for key, each in facts["scores"].items()
        }
        lowest, highest = (finite(facts[f"{name}_prediction"]) for name in ("lowest", "highest"))
        sampled = int(typed(facts["sampled"], int))
        return cls(test_set, scores, sample, lowest, highest, sampled=sampled)

    @property
    def cells(self) -> Cells:
        """Every observation of the sample once."""
        return self.sample.cells

    @property
    def flat(self) -> dict[str, int]:
        """The counts of a data frame."""
        return {"observations": self.total}

    def __repr__(self) -> str:
        return f"FitSummary({self.test_set.described})"


@dataclass(frozen=True)
class JointSummary(Joint):
    """Two models whose rows stayed in an engine, and on how many of these they differ."""

    first: FitSummary
    second: FitSummary
    disagreements: int

    twins = "first", "second"

    @cached_property
    def sample(self) -> JointFit:
        """Both models on the sample of the rows."""
        one, other = self.first.sample, self.second.sample
        return JointFit(one.truth, one.predicted, other.predicted)

    @property
    def facts(self) -> dict[str, Any]:
        """What is known of both, for JSON."""
        return {
            "disagreements": self.disagreements,
            "first_model": self.first.facts,
            "second_model": self.second.facts,
        }

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> JointSummary:
        """Return two models from a JSON record."""
        first, second = (
            FitSummary.from_facts(facts[f"{name}_model"]) for name in ("first", "second")
        )
        return cls(first, second, int(typed(facts["disagreements"], int)))

    @property
    def remark(self) -> str:
        """What is of a sample."""
        return f"p-values and widths of intervals are {self.first.of_sample}"


def _some(rows: int) -> slice:
    """Return which rows of a sample are written: equally far apart, as rows may be sorted."""
    return slice(None, None, -(-rows // _MOST_RECORDED) or 1)


def sample_of(observed: Any) -> Any:
    """Return the rows of one or two models that are known: all of them, or a sample."""
    return observed.sample if isinstance(observed, FitSummary | JointSummary) else observed


def is_summary(facts: Mapping[str, Any]) -> bool:
    """Return whether a JSON record is of rows that stayed in an engine."""
    return "constants" in facts or "first_model" in facts


def _record(found: Optimum | str) -> Any:
    if isinstance(found, str):
        return found
    return {
        "value": found.value,
        "ranges": [written([each.low, each.high]) for each in found.guesses],
        "said": found.said,
        "exact": found.exact,
    }


def _optimum(record: Any) -> Optimum | str:
    if isinstance(record, str):
        return record
    ranges = Constants(ConstantSet(*map(number, each)) for each in record["ranges"])
    return Optimum(
        finite(record["value"]), ranges, typed(record["said"], str), typed(record["exact"], bool)
    )
