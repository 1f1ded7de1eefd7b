"""The task of probabilities of several classes, as a judge asks it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.calls import Reader
from baserate.core.law import Tails
from baserate.exceptions import (
    InvalidFrameError,
    InvalidScoresError,
    UndefinedMeasureError,
    UnknownMeasureError,
)
from baserate.intervals.limits import Uncertainty
from baserate.multiclass.class_counts import ClassCounts
from baserate.multiclass.task import MULTICLASS
from baserate.multiclass.top_k.scores import ScoreTable
from baserate.probability.several.catalogue import (
    PROBABILITY_MEASURES,
    chosen_probability_measures,
    get_probability_measure,
)
from baserate.probability.several.chance import ProbabilityChance, law_of
from baserate.probability.several.intervals import PROBABILITIES
from baserate.probability.several.joint import JointProbabilities
from baserate.probability.several.observed import TASK, ClassProbabilities
from baserate.probability.several.optimum import probability_baseline
from baserate.probability.several.paired import PairedProbabilities
from baserate.probability.several.predictions import (
    count_probabilities,
    count_probability_pairs,
    count_rows,
    require_rows_of_one,
    require_test_set,
)
from baserate.ranking.optimum import ScoreYardstick
from baserate.ranking.rules import smallest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from baserate.core.task import JointObservations, Observations, Rows
    from baserate.data.columns import Labels
    from baserate.null.distribution import NullDistribution
    from baserate.probability.several.measures import ProbabilityMeasure

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ClassProbabilitiesTask:
    """Probabilities of several classes: what is observed is which rows met which classes."""

    name = TASK
    title = "Probabilities of several classes"
    decks = "probabilities that ignore their input"
    takes_positive = False
    takes_scores = False
    takes_numbers = False
    weighted = None

    def about(self, measures: Iterable[Any]) -> ClassProbabilitiesTask:  # noqa: ARG002
        """Return the task itself: what is observed is the same for all its measures."""
        return self

    def at(self, threshold: float) -> None:
        """Return None: it takes no scores that a threshold could cut."""

    def chosen(self, measures: Any) -> tuple[ProbabilityMeasure, ...]:
        """Return the measures that are asked for; those that people report for None."""
        return chosen_probability_measures(measures)

    def named(self, name: Any) -> ProbabilityMeasure | None:
        """Return a measure by any of its names; None if it does not know it."""
        try:
            return get_probability_measure(name)
        except UnknownMeasureError:
            return None

    def nearest(self, name: str) -> list[str]:
        """Return the names of measures that resemble a name."""
        return PROBABILITY_MEASURES.nearest(name)

    @cached_property
    def reader(self) -> Reader[ClassProbabilities, ClassCounts, ProbabilityMeasure]:
        """How its functions read their arguments: rows in the place of predicted labels."""
        return Reader(
            table=ClassProbabilities,
            test_set=ClassCounts,
            get_measure=get_probability_measure,
            count=lambda y_true, rows, _: count_rows("y_score", y_true, rows),
            weigh=lambda y_true, rows, _, weights: count_rows("y_score", y_true, rows, weights),
            test_set_of=_test_set_of,
            require_test_set=lambda name, table, y_true, _: require_test_set(
                name, table, y_true, by=None
            ),
        )

    def observe(self, y_true: Labels, predictions: Any, rows: Rows) -> Observations:
        """Count the rows of every model, as a whole and in each group."""
        return count_probabilities(
            y_true, predictions, rows.by, drop=rows.drop, weights=rows.weights
        )

    def observe_frame(self, *_: Any, **__: Any) -> Observations:
        """Raise: one column cannot hold the probabilities of all classes."""
        raise _no_columns()

    def observe_pairs(
        self, y_true: Labels, models: Mapping[str, Any], rows: Rows
    ) -> JointObservations:
        """Count every pair of models, as a whole and in each group."""
        return count_probability_pairs(
            y_true,
            models,
            rows.by,
            drop=rows.drop,
            with_first=rows.with_first,
            weights=rows.weights,
        )

    def observe_frame_pairs(self, *_: Any, **__: Any) -> JointObservations:
        """Raise: one column cannot hold the probabilities of all classes."""
        raise _no_columns()

    def count_column(self, frame: Any, truth: str, rows: Rows) -> tuple[ClassCounts, int]:
        """Count the truth alone, where the rows are; also return how many rows were dropped."""
        return MULTICLASS.count_column(frame, truth, rows)

    def observed(self, facts: Mapping[str, Any]) -> ClassProbabilities:
        """Return the probabilities of a JSON record."""
        return ClassProbabilities.from_facts(facts)

    def joint(self, facts: Mapping[str, Any]) -> JointProbabilities:
        """Return two models from a JSON record."""
        return JointProbabilities.from_facts(facts)

    def yardstick(self, test_set: ClassCounts, measure: ProbabilityMeasure) -> ScoreYardstick:
        """Return the baseline of a measure, and the scale around it."""
        perfect = 1.0 if measure.relative else measure.rule.perfect
        return ScoreYardstick(probability_baseline(test_set, measure), perfect)

    def null_of(
        self, measure: ProbabilityMeasure, observed: ClassProbabilities
    ) -> NullDistribution:
        """Return the distribution of a score when rows are shuffled."""
        return law_of(measure, observed)

    def null_of_guess(
        self, measure: ProbabilityMeasure, test_set: ClassCounts, guess: Any
    ) -> NullDistribution:
        """Return the distribution of a score of a guess, whose rows are in any order."""
        table = ScoreTable.of("y_pred", guess)
        wanted = (test_set.total, len(test_set.labels))
        if table.values.shape != wanted:
            raise InvalidScoresError(
                f"must have {wanted[0]:,} rows and {wanted[1]:,} columns, one for each observation "
                f"and for each class (got the shape {table.values.shape})",
                parameter="y_pred",
            )
        reason = measure.missing(test_set)
        if reason:
            raise UndefinedMeasureError(f"{measure.key} is undefined: {reason}")
        rows = require_rows_of_one("y_pred", table.values)
        sizes = np.ones(len(rows), dtype=np.int64)
        return measure.law(test_set, rows, sizes, smallest(rows.dtype))

    def nulls(
        self, observed: Sequence[ClassProbabilities], levels: tuple[float, float]
    ) -> list[ProbabilityChance]:
        """Return what the probabilities of each model score when they are dealt at random."""
        return [ProbabilityChance(each, levels) for each in observed]

    def tails(self, observed: Sequence[ClassProbabilities]) -> list[Tails]:
        """Return nan for each model: every measure has chances of its own."""
        return [Tails(math.nan, math.nan) for _ in observed]

    def contributions(
        self,
        observed: ClassProbabilities,
        clusters: Sequence[ClassProbabilities],
        measure: ProbabilityMeasure | None,  # noqa: ARG002 - all of them test the same association
    ) -> Floats:
        """Return what each cluster of rows adds to the association of truth and predictions."""
        return PROBABILITIES.contributions(observed, clusters)

    def uncertainty(
        self,
        observed: ClassProbabilities,
        alpha: float,
        clusters: Sequence[ClassProbabilities] = (),
    ) -> Uncertainty:
        """Return the limits of scores and margins over test sets like this one."""
        return Uncertainty(PROBABILITIES, observed, alpha, clusters)

    def paired(
        self,
        joint: JointProbabilities,
        alpha: float,
        clusters: Sequence[JointProbabilities] = (),
    ) -> PairedProbabilities:
        """Return how much two models differ, with limits at 1 - alpha."""
        return PairedProbabilities(joint, alpha, clusters)


def _test_set_of(test_set: Any, pos_label: object = None) -> ClassCounts:  # noqa: ARG001
    """Return the class counts of any description of a test set."""
    if isinstance(test_set, ClassCounts):
        return test_set
    known = isinstance(test_set, ClassProbabilities)
    return test_set.test_set if known else ClassCounts.of(test_set)


def _no_columns() -> InvalidFrameError:
    return InvalidFrameError(
        "must be left out for probabilities of several classes, which are not one column; pass the "
        "true labels and the probabilities, as in evaluate(frame['label'], {'net': frame[classes]},"
        " 'log loss')",
        parameter="truth",
    )


CLASS_PROBABILITIES = ClassProbabilitiesTask()
