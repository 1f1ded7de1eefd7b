"""Numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.data.numbers import read_numbers, require_no_nan
from baserate.data.rows import read_number_rows
from baserate.exceptions import InvalidScoresError, InvalidWeightsError
from baserate.kinds.numbers_intervals import NUMBERS, swap_test
from baserate.kinds.numbers_null import null_of
from baserate.measures.numbers import NUMBER_MEASURES, REPORTED, get_number_measure
from baserate.measures.numbers_errors import RMSE
from baserate.observed.numbers import (
    FitSummary,
    JointFit,
    JointSummary,
    Numbers,
    NumericPredictions,
    fit_of,
    is_summary,
    sample_of,
)
from baserate.task import Chance, Task

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.core.baseline import Baseline
    from baserate.core.multiple_testing import Tails
    from baserate.core.observed import Rows
    from baserate.data.columns import Labels
    from baserate.data.rows import Key
    from baserate.measures.numbers_record import NumberMeasure
    from baserate.null.distribution import NullDistribution
    from baserate.task import Tables


class Limits(NamedTuple):
    """How many rows leave an engine."""

    rows: int = 10**6  # the most of which all leave it, if sums are enough for the measures
    needed: int = 10**7  # the same if a measure needs the rows
    sample: int = 10**5  # about so many leave it at random if there are more


_LIMITS = Limits()


class SampleChance(Chance):
    """The null distribution of rows that stayed in an engine: that of a sample.

    A random sample of rows is a test set of its own, so its p-value is a valid one. Of all rows it
    would be lower, unless the model learned nothing.
    """

    def tails(self, measure: NumberMeasure, score: float) -> Tails:  # noqa: ARG002
        """Return the chance of a score as good as that of the sample, and of one as bad."""
        return super().tails(measure, measure.score_or_reason(self.observed.sample)[0])

    def is_exact(self, measure: NumberMeasure) -> bool:
        """Return whether these chances are those of all rows: only if there is no score."""
        return bool(measure.score_or_reason(self.observed)[1])


@dataclass(frozen=True)
class RegressionTask(Task[NumericPredictions]):
    """Numbers: what is observed is a prediction beside each truth."""

    limits: Limits = _LIMITS

    name = "regression"
    takes_importance = True
    title = "Numbers"
    takes_numbers = True
    column = "numbers"
    table, test_set = NumericPredictions, Numbers
    catalogue, reported = NUMBER_MEASURES, REPORTED
    family, swap_test = NUMBERS, staticmethod(swap_test)
    get = staticmethod(get_number_measure)
    # It has a score where all numbers of a side are the same, too, unlike Pearson's correlation.
    leading = RMSE

    def count(self, y_true: Any, y_pred: Any, pos_label: object = None) -> NumericPredictions:  # noqa: ARG002
        """Read the predictions of one model."""
        return NumericPredictions.of(y_true, y_pred)

    def tables(
        self, y_true: Labels, models: Mapping[str, Any], rows: Rows, keys: Sequence[Key]
    ) -> Tables:
        """Put models beside the truth, as a whole and in each group."""
        _require_rows(rows)
        read = read_number_rows(y_true, models, rows)
        return read.tables(keys, fit_of), read.dropped

    def frame_tables(
        self, frame: Any, truth: str, columns: Mapping[str, str], rows: Rows, keys: Sequence[Key]
    ) -> Tables:
        """Put models of a data frame beside the truth; only sums leave a large one."""
        from baserate.kinds.numbers_in_engine import fits_of_frame

        _require_rows(rows)
        return fits_of_frame(frame, truth, columns, rows, keys=keys, limits=self.limits)

    def truth_alone(self, y_true: Any, pos_label: object) -> Numbers:  # noqa: ARG002
        """Return the true numbers."""
        numbers = read_numbers("y_true", y_true)
        require_no_nan("y_true", numbers)
        return Numbers(numbers)

    def observed(self, facts: Mapping[str, Any]) -> NumericPredictions | FitSummary:
        """Return the predictions of a JSON record."""
        return (FitSummary if is_summary(facts) else NumericPredictions).from_facts(facts)

    def joint(self, facts: Mapping[str, Any]) -> JointFit | JointSummary:
        """Return two models from a JSON record."""
        return (JointSummary if is_summary(facts) else JointFit).from_facts(facts)

    def baseline(self, test_set: Numbers, measure: NumberMeasure) -> Baseline:
        """Return the baseline of a measure."""
        return measure.baseline(test_set)

    def null_of(
        self, measure: NumberMeasure, observed: NumericPredictions | FitSummary
    ) -> NullDistribution:
        """Return the distribution of a score when predictions are shuffled."""
        return null_of(measure, sample_of(observed))

    def null_of_guess(
        self, measure: NumberMeasure, test_set: Numbers, guess: Any
    ) -> NullDistribution:
        """Return the distribution of a score of a guess, whose numbers are in any order."""
        counts = None
        if isinstance(guess, Mapping):  # how often each number is predicted
            guess, counts = list(guess), [int(count) for count in guess.values()]
        predicted = read_numbers("y_pred", guess)
        require_no_nan("y_pred", predicted)
        predicted = predicted if counts is None else np.repeat(predicted, counts)
        if predicted.size != test_set.total:
            raise InvalidScoresError(
                f"must have a number for each of the {test_set.total:,} observations (got "
                f"{predicted.size:,})",
                parameter="y_pred",
            )
        return null_of(measure, NumericPredictions(test_set.values, predicted, test_set.weights))

    def nulls(
        self, observed: Sequence[NumericPredictions | FitSummary], levels: tuple[float, float]
    ) -> list[Chance]:
        """Return the null distributions of each model, of a sample of rows if there are many."""
        return [
            (SampleChance if isinstance(each, FitSummary) else Chance)(self, each, levels)
            for each in observed
        ]


def _require_rows(rows: Rows) -> None:
    """Raise if numbers matter more or less, and belong together."""
    if rows.clustered and rows.weights is not None and rows.weights.kind == "importance":
        raise InvalidWeightsError(
            "must be 'frequency' with clusters of numbers (got 'importance'): their intervals are "
            "not known",
            parameter="weights",
        )


REGRESSION = RegressionTask()
