"""What is known of numbers that stayed in an engine."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from baserate.core.baseline import Optimum
from baserate.core.observed import Joint, Observed
from baserate.exceptions import UndefinedMeasureError
from baserate.observed.best_constants import Constants, ConstantSet
from baserate.observed.numbers import WORDS, NumericPredictions
from baserate.records import finite, number, typed, written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from baserate.core.observed import Cells, Curve, Words
    from baserate.observed.numbers import JointFit, Numbers


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

    Examples
    --------
    >>> from baserate.observed.numbers import Numbers
    >>> NumbersSummary(2_000_000, 1.0, 9.0, 4.5, {}, Numbers([3.0, 5]))
    NumbersSummary(2,000,000 observations from 1 to 9, mean 4.5)
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
    grid = None

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
    def words(self) -> Words:
        """How the task speaks of guesses and of chance."""
        return WORDS

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
        from baserate.observed.numbers import JointFit

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

    @property
    def flat(self) -> dict[str, int]:
        """How many observations there are, and on how many the models differ."""
        return {"observations": self.total, "disagreements": self.disagreements}


def _some(rows: int) -> slice:
    """Return which rows of a sample are written: equally far apart, as rows may be sorted."""
    return slice(None, None, -(-rows // _MOST_RECORDED) or 1)


def is_summary(facts: Mapping[str, Any]) -> bool:
    """Return whether a JSON record is of rows that stayed in an engine."""
    return "constants" in facts or "first_model" in facts


def _record(found: Optimum | str) -> Any:
    """Return the score of the best constants and these, or why there are none, for JSON."""
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
