"""The task of numbers, as a judge asks it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from baserate.core.calls import Reader
from baserate.core.paired import PairedModels
from baserate.exceptions import BaserateError
from baserate.intervals.limits import DifferenceLimits, Uncertainty
from baserate.regression.chance import NumberChance, shared_tails
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
    chosen_number_measures,
    get_number_measure,
)
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

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from baserate.core.law import Tails
    from baserate.core.task import JointObservations, Observations, Rows
    from baserate.data.labels import Labels
    from baserate.null.distribution import NullDistribution
    from baserate.regression.measures.record import NumberMeasure
    from baserate.regression.optimum import NumberYardstick

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RegressionTask:
    """Numbers: what is observed is a prediction beside each truth."""

    name = "regression"
    title = "Numbers"
    decks = "constants"
    takes_positive = False
    takes_scores = False
    takes_numbers = True

    @property
    def weighted(self) -> RegressionTask:
        """The task itself: observations of numbers may have weights."""
        return self

    def about(self, measures: Iterable[Any]) -> RegressionTask:  # noqa: ARG002
        """Return the task itself: what is observed is the same for all its measures."""
        return self

    def at(self, threshold: float) -> None:
        """Return None: it takes no scores that a threshold could cut."""

    def chosen(self, measures: Any) -> tuple[NumberMeasure, ...]:
        """Return the measures that are asked for; those that people report for None."""
        return chosen_number_measures(measures)

    def named(self, name: Any) -> NumberMeasure | None:
        """Return a measure by any of its names; None if it does not know it."""
        try:
            return get_number_measure(name)
        except BaserateError:
            return None

    def nearest(self, name: str) -> list[str]:
        """Return the names of measures that resemble a name."""
        return NUMBER_MEASURES.nearest(name)

    @cached_property
    def reader(self) -> Reader[Fit, Numbers, NumberMeasure]:
        """How its functions read their arguments: numbers in the place of labels."""
        return Reader(
            table=Fit,
            test_set=Numbers,
            get_measure=get_number_measure,
            count=lambda y_true, y_pred, _: Fit.of(y_true, y_pred),
            weigh=lambda y_true, y_pred, _, weights: repeated(y_true, y_pred, weights),
            test_set_of=lambda test_set, _: numbers_of(test_set),
            require_test_set=require_test_set,
        )

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
        return measure.law(observed if isinstance(observed, Fit) else observed.sample)

    def null_of_guess(
        self, measure: NumberMeasure, test_set: Numbers, guess: Any
    ) -> NullDistribution:
        """Return the distribution of a score of a guess, whose numbers are in any order."""
        predicted = numbers_of_guess(guess, test_set.total)
        return measure.law(Fit(test_set.values, predicted, test_set.weights))

    def nulls(
        self, observed: Sequence[Fit | FitSummary], levels: tuple[float, float]
    ) -> list[NumberChance | SampleChance]:
        """Return what the predictions of each model score when they are dealt at random."""
        return [
            NumberChance(each, levels) if isinstance(each, Fit) else SampleChance(each, levels)
            for each in observed
        ]

    def tails(self, observed: Sequence[Fit | FitSummary]) -> list[Tails]:
        """Return the chances of as high a correlation as each model has, and of as low a one."""
        return [shared_tails(each if isinstance(each, Fit) else each.sample) for each in observed]

    def contributions(
        self,
        observed: Fit,
        clusters: Sequence[Fit],
        measure: NumberMeasure | None,  # noqa: ARG002 - all of them test the same association
    ) -> Floats:
        """Return what each cluster of rows adds to the association of truth and predictions."""
        return NUMBERS.contributions(observed, clusters)

    def uncertainty(
        self, observed: Fit | FitSummary, alpha: float, clusters: Sequence[Fit] = ()
    ) -> Uncertainty:
        """Return the limits of scores and margins over test sets like this one."""
        return Uncertainty(NUMBERS, observed, alpha, clusters)

    def paired(
        self, joint: JointFit | JointSummary, alpha: float, clusters: Sequence[JointFit] = ()
    ) -> PairedModels[JointFit | JointSummary]:
        """Return how much two models differ, with limits at 1 - alpha."""
        known = DifferenceLimits(NUMBERS, joint, alpha, clusters)
        return PairedModels(joint, known, swap_test, clusters)


REGRESSION = RegressionTask()
