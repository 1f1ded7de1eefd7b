"""The task of top-k accuracy, as a judge asks it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from baserate.core.calls import Reader
from baserate.core.paired import PairedModels
from baserate.exceptions import InvalidFrameError, UnknownMeasureError
from baserate.intervals.limits import DifferenceLimits, Uncertainty
from baserate.multiclass.class_counts import ClassCounts
from baserate.multiclass.task import MULTICLASS
from baserate.multiclass.top_k.answers import TopAnswers
from baserate.multiclass.top_k.chance import TopChance, shared_tails
from baserate.multiclass.top_k.intervals import TOP_K_ANSWERS
from baserate.multiclass.top_k.measures import (
    TOP_K_MEASURES,
    TopKMeasure,
    chosen_top_k,
    get_top_k,
)
from baserate.multiclass.top_k.null import null_of, null_of_guess
from baserate.multiclass.top_k.optimum import top_baseline
from baserate.multiclass.top_k.paired import TopJoint, swap_test
from baserate.multiclass.top_k.predictions import (
    count_answer_pairs,
    count_answers,
    count_scores,
    require_test_set,
)
from baserate.multiclass.top_k.yardstick import TopYardstick

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from baserate.core.law import Tails
    from baserate.core.task import JointObservations, Observations, Rows
    from baserate.data.columns import Labels
    from baserate.null.distribution import NullDistribution

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TopKTask:
    """Scores of several classes: what is observed are the k classes with the highest ones.

    Parameters
    ----------
    ks
        How many classes are answered, ascending: those of the measures that are asked for.
    """

    ks: tuple[int, ...] = (2,)

    name = "top-k"
    title = "Scores of several classes"
    decks = "constant answers"
    takes_positive = False
    takes_scores = False
    takes_numbers = False
    weighted = None

    def about(self, measures: Iterable[Any]) -> TopKTask:
        """Return the task for some measures: they say how many classes are answered."""
        found = {measure.k for measure in map(self.named, measures) if measure is not None}
        return TopKTask(tuple(sorted(found))) if found else self

    def at(self, threshold: float) -> None:
        """Return None: it takes no scores that a threshold could cut."""

    def chosen(
        self, measures: str | TopKMeasure | Iterable[str | TopKMeasure] | None
    ) -> tuple[TopKMeasure, ...]:
        """Return the measures that are asked for; scikit-learn's default for None."""
        return chosen_top_k(measures)

    def named(self, name: Any) -> TopKMeasure | None:
        """Return a measure by any of its names; None if it does not know it."""
        try:
            return get_top_k(name)
        except UnknownMeasureError:
            return None

    def nearest(self, name: str) -> list[str]:
        """Return the names of measures that resemble a name."""
        return TOP_K_MEASURES.nearest(name)

    @cached_property
    def reader(self) -> Reader[TopAnswers, ClassCounts, TopKMeasure]:
        """How its functions read their arguments: scores in the place of predicted labels."""
        return Reader(
            table=TopAnswers,
            test_set=ClassCounts,
            get_measure=get_top_k,
            count=lambda y_true, scores, _: count_scores("y_score", y_true, scores, self.ks),
            weigh=lambda y_true, scores, _, weights: count_scores(
                "y_score", y_true, scores, self.ks, weights
            ),
            test_set_of=_test_set_of,
            require_test_set=lambda name, table, y_true, _: require_test_set(
                name, table, y_true, by=None
            ),
        )

    def observe(self, y_true: Labels, predictions: Any, rows: Rows) -> Observations:
        """Count the answers of every model, as a whole and in each group."""
        return count_answers(
            y_true, predictions, rows.by, self.ks, drop=rows.drop, weights=rows.weights
        )

    def observe_frame(self, *_: Any, **__: Any) -> Observations:
        """Raise: one column cannot hold the scores of all classes."""
        raise _no_columns()

    def observe_pairs(
        self, y_true: Labels, models: Mapping[str, Any], rows: Rows
    ) -> JointObservations:
        """Count every pair of models, as a whole and in each group."""
        return count_answer_pairs(
            y_true,
            models,
            rows.by,
            self.ks,
            drop=rows.drop,
            with_first=rows.with_first,
            weights=rows.weights,
        )

    def observe_frame_pairs(self, *_: Any, **__: Any) -> JointObservations:
        """Raise: one column cannot hold the scores of all classes."""
        raise _no_columns()

    def count_column(self, frame: Any, truth: str, rows: Rows) -> tuple[ClassCounts, int]:
        """Count the truth alone, where the rows are; also return how many rows were dropped."""
        return MULTICLASS.count_column(frame, truth, rows)

    def observed(self, facts: Mapping[str, Any]) -> TopAnswers:
        """Return the answers of a JSON record."""
        return TopAnswers.from_facts(facts)

    def joint(self, facts: Mapping[str, Any]) -> TopJoint:
        """Return two models from a JSON record."""
        return TopJoint.from_facts(facts)

    def yardstick(self, test_set: ClassCounts, measure: TopKMeasure) -> TopYardstick:
        """Return the baseline of a measure, and the scale around it."""
        return TopYardstick(top_baseline(test_set, measure))

    def null_of(self, measure: TopKMeasure, observed: TopAnswers) -> NullDistribution:
        """Return the distribution of a score when answers are shuffled."""
        return null_of(observed, measure.k)

    def null_of_guess(
        self, measure: TopKMeasure, test_set: ClassCounts, guess: Mapping[tuple[Any, ...], int]
    ) -> NullDistribution:
        """Return the distribution of a score of a guess."""
        return null_of_guess(measure, test_set, guess)

    def nulls(self, observed: Sequence[TopAnswers], levels: tuple[float, float]) -> list[TopChance]:
        """Return what the answers of each model score when they are dealt at random."""
        return [TopChance(answers, levels) for answers in observed]

    def tails(self, observed: Sequence[TopAnswers]) -> list[Tails]:
        """Return the chances of as many hits as each model has, and of as few."""
        return list(map(shared_tails, observed))

    def contributions(
        self, observed: TopAnswers, clusters: Sequence[TopAnswers], measure: TopKMeasure | None
    ) -> Floats:
        """Return what each cluster of rows adds to the association of truth and predictions."""
        return TOP_K_ANSWERS.contributions(
            observed, clusters, observed.ks[-1] if measure is None else measure.k
        )

    def uncertainty(
        self, observed: TopAnswers, alpha: float, clusters: Sequence[TopAnswers] = ()
    ) -> Uncertainty:
        """Return the limits of scores and margins over test sets like this one."""
        return Uncertainty(TOP_K_ANSWERS, observed, alpha, clusters)

    def paired(
        self, joint: TopJoint, alpha: float, clusters: Sequence[TopJoint] = ()
    ) -> PairedModels[TopJoint]:
        """Return how much two models differ, with limits at 1 - alpha."""
        known = DifferenceLimits(TOP_K_ANSWERS, joint, alpha, clusters)
        return PairedModels(joint, known, swap_test, clusters)


def _test_set_of(test_set: Any, pos_label: object = None) -> ClassCounts:  # noqa: ARG001
    """Return the class counts of any description of a test set."""
    if isinstance(test_set, ClassCounts):
        return test_set
    return test_set.test_set if isinstance(test_set, TopAnswers) else ClassCounts.of(test_set)


def _no_columns() -> InvalidFrameError:
    return InvalidFrameError(
        "must be left out for top-k accuracy, which takes the scores of all classes, and these are "
        "not one column; pass the true labels and the scores, as in evaluate(frame['label'], "
        "{'net': frame[classes]}, 'top-3 accuracy')",
        parameter="truth",
    )


TOP_K = TopKTask()
