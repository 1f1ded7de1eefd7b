"""The task of numbers, as a judge asks it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from baserate.regression.fit import Fit
from baserate.regression.frames import (
    SampleChance,
    fits_of_frame,
    numbers_of_frame,
    pairs_of_frame,
)
from baserate.regression.intervals import NUMBERS
from baserate.regression.measures.catalogue import (
    NUMBER_MEASURES,
    REPORTED,
    get_number_measure,
)
from baserate.regression.measures.errors import RMSE
from baserate.regression.null import null_of
from baserate.regression.numbers import Numbers
from baserate.regression.paired.joint import JointFit
from baserate.regression.paired.swaps import swap_test
from baserate.regression.predictions import (
    fits,
    numbers_of,
    numbers_of_guess,
    pairs_of_fits,
    repeated,
    require_test_set,
)
from baserate.regression.summary import FitSummary, JointSummary, NumbersSummary, is_summary
from baserate.task import Chance, Task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from baserate.core.law import Tails
    from baserate.core.task import JointObservations, Observations, Rows
    from baserate.data.columns import Labels
    from baserate.null.distribution import NullDistribution
    from baserate.regression.measures.record import NumberMeasure
    from baserate.regression.optimum import NumberYardstick

    Floats = NDArray[np.float64]


class RegressionTask(Task[Fit]):
    """Numbers: what is observed is a prediction beside each truth."""

    name = "regression"
    title = "Numbers"
    decks = "constants"
    takes_numbers = True
    table, test_set = Fit, Numbers
    catalogue, reported = NUMBER_MEASURES, REPORTED
    family, swap_test = NUMBERS, staticmethod(swap_test)
    # It has a score where all numbers of a side are the same, too, unlike Pearson's correlation.
    leading = RMSE

    @property
    def weighted(self) -> RegressionTask:
        """The task itself: observations of numbers may have weights."""
        return self

    def get(self, name: Any) -> NumberMeasure:
        """Return a measure by any of its names, or raise if it does not know it."""
        return get_number_measure(name)

    def count(self, y_true: Any, y_pred: Any, pos_label: object = None) -> Fit:  # noqa: ARG002
        """Read the predictions of one model."""
        return Fit.of(y_true, y_pred)

    def weigh(self, y_true: Any, y_pred: Any, pos_label: object, weights: NDArray[Any]) -> Fit:  # noqa: ARG002
        """Read the predictions of one model, each row as often as its weight says."""
        return repeated(y_true, y_pred, weights)

    def test_set_of(self, test_set: Any, pos_label: object = None) -> Any:  # noqa: ARG002
        """Return the true numbers of any description of a test set."""
        return numbers_of(test_set)

    def require_test_set(self, name: str, table: Fit, y_true: Any, pos_label: object) -> None:
        """Raise if predictions are beside other numbers."""
        require_test_set(name, table, y_true, pos_label)

    def observe(self, y_true: Labels, predictions: Any, rows: Rows) -> Observations:
        """Put every model beside the truth, as a whole and in each group."""
        return fits(y_true, predictions, rows)

    def observe_frame(
        self, frame: Any, truth: str, columns: Mapping[str, str], rows: Rows
    ) -> Observations:
        """Put every model of a data frame beside the truth; only sums leave a large one."""
        return fits_of_frame(frame, truth, columns, rows)

    def observe_pairs(
        self, y_true: Labels, models: Mapping[str, Any], rows: Rows
    ) -> JointObservations:
        """Put every pair of models beside the truth, as a whole and in each group."""
        return pairs_of_fits(y_true, models, rows)

    def observe_frame_pairs(
        self, frame: Any, truth: str, columns: Mapping[str, str], rows: Rows
    ) -> JointObservations:
        """Put every pair of models of a data frame beside the truth."""
        return pairs_of_frame(frame, truth, columns, rows)

    def count_column(
        self, frame: Any, truth: str, rows: Rows
    ) -> tuple[Numbers | NumbersSummary, int]:
        """Read the truth alone; also return how many rows were dropped."""
        return numbers_of_frame(frame, truth, rows)

    def observed(self, facts: Mapping[str, Any]) -> Fit | FitSummary:
        """Return the predictions of a JSON record."""
        return (FitSummary if is_summary(facts) else Fit).from_facts(facts)

    def joint(self, facts: Mapping[str, Any]) -> JointFit | JointSummary:
        """Return two models from a JSON record."""
        return (JointSummary if is_summary(facts) else JointFit).from_facts(facts)

    def yardstick(self, test_set: Numbers, measure: NumberMeasure) -> NumberYardstick:
        """Return the best constant of a measure, and the scale around it."""
        return measure.yardstick(test_set)

    def null_of(self, measure: NumberMeasure, observed: Fit | FitSummary) -> NullDistribution:
        """Return the distribution of a score when predictions are shuffled."""
        return null_of(measure, observed if isinstance(observed, Fit) else observed.sample)

    def null_of_guess(
        self, measure: NumberMeasure, test_set: Numbers, guess: Any
    ) -> NullDistribution:
        """Return the distribution of a score of a guess, whose numbers are in any order."""
        predicted = numbers_of_guess(guess, test_set.total)
        return null_of(measure, Fit(test_set.values, predicted, test_set.weights))

    def nulls(
        self, observed: Sequence[Fit | FitSummary], levels: tuple[float, float]
    ) -> list[Chance | SampleChance]:
        """Return the null distributions of each model, of a sample of rows if there are many."""
        return [
            Chance(self, each, levels)
            if isinstance(each, Fit)
            else SampleChance(self, each, levels)
            for each in observed
        ]

    def tails(self, observed: Sequence[Fit | FitSummary]) -> list[Tails]:
        """Return the chances of as high a correlation, and of as low a one."""
        return super().tails([each if isinstance(each, Fit) else each.sample for each in observed])


REGRESSION = RegressionTask()
