"""The task of top-k accuracy, as a judge asks it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from baserate.core.law import Tails
from baserate.exceptions import InvalidFrameError, UnknownMeasureError
from baserate.multiclass.class_counts import ClassCounts
from baserate.multiclass.task import MULTICLASS
from baserate.multiclass.top_k.answers import TopAnswers
from baserate.multiclass.top_k.intervals import TOP_K_ANSWERS
from baserate.multiclass.top_k.measures import (
    TOP_K_MEASURES,
    TopKMeasure,
    get_top_k,
    top_k_accuracy,
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
from baserate.task import Chance, Task

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from baserate.core.task import JointObservations, Observations, Rows
    from baserate.data.labels import Labels
    from baserate.null.distribution import NullDistribution

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TopKTask(Task[TopAnswers]):
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
    table, test_set = TopAnswers, ClassCounts
    catalogue, reported = TOP_K_MEASURES, tuple(TOP_K_MEASURES)
    family, swap_test = TOP_K_ANSWERS, staticmethod(swap_test)

    def about(self, measures: Iterable[Any]) -> TopKTask:
        """Return the task of the numbers of classes that measures ask for."""
        found = {measure.k for measure in map(self.named, measures) if measure is not None}
        return TopKTask(tuple(sorted(found))) if found else self

    def get(self, name: Any) -> TopKMeasure:
        """Return a measure by any of its names, or raise if it does not know it."""
        return get_top_k(name)

    def named(self, name: Any) -> TopKMeasure | None:
        """Return a measure by any of its names; None if it does not know it."""
        try:
            return get_top_k(name)
        except UnknownMeasureError:
            return None

    def count(self, y_true: Any, y_pred: Any, pos_label: object = None) -> TopAnswers:  # noqa: ARG002
        """Count the scores of one model."""
        return count_scores("y_score", y_true, y_pred, self.ks)

    def weigh(
        self,
        y_true: Any,
        y_pred: Any,
        pos_label: object,  # noqa: ARG002
        weights: NDArray[Any],
    ) -> TopAnswers:
        """Count the scores of one model, each row as often as its weight says."""
        return count_scores("y_score", y_true, y_pred, self.ks, weights)

    def test_set_of(self, test_set: Any, pos_label: object = None) -> ClassCounts:  # noqa: ARG002
        """Return the class counts of any description of a test set."""
        if isinstance(test_set, ClassCounts):
            return test_set
        is_table = isinstance(test_set, TopAnswers)
        return test_set.test_set if is_table else ClassCounts.of(test_set)

    def require_test_set(
        self,
        name: str,
        table: TopAnswers,
        y_true: Any,
        pos_label: object,  # noqa: ARG002
    ) -> None:
        """Raise if a table is of another test set."""
        require_test_set(name, table, y_true, by=None)

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

    def tails(self, observed: Sequence[TopAnswers]) -> list[Tails]:
        """Return the chances of as many hits, and of as few; nan if each k has its own."""
        return [
            Chance(self, each).tails(top_k_accuracy(each.ks[0]), each.hits(each.ks[0]) / each.total)
            if len(each.ks) == 1
            else Tails(math.nan, math.nan)
            for each in observed
        ]

    def contributions(
        self, observed: TopAnswers, clusters: Sequence[TopAnswers], measure: TopKMeasure | None
    ) -> Floats:
        """Return what each cluster of rows adds to the association of truth and predictions."""
        return TOP_K_ANSWERS.contributions(
            observed, clusters, observed.ks[-1] if measure is None else measure.k
        )


def _no_columns() -> InvalidFrameError:
    return InvalidFrameError(
        "must be left out for top-k accuracy, which takes the scores of all classes, and these are "
        "not one column; pass the true labels and the scores, as in evaluate(frame['label'], "
        "{'net': frame[classes]}, 'top-3 accuracy')",
        parameter="truth",
    )


TOP_K = TopKTask()
