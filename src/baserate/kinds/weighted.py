"""Rows that matter more or less, of any kind of prediction."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from baserate.baselines.weighted import weighted_baseline
from baserate.core.multiple_testing import Tails
from baserate.kinds.scores import TaskOfScores
from baserate.kinds.two_classes_null import CENTRAL
from baserate.kinds.weighted_intervals import WEIGHTED
from baserate.kinds.weighted_null import null_of, swap_test
from baserate.measures.scores import OfLabels
from baserate.measures.two_classes import J
from baserate.measures.weighted import WeightedMeasure, of_counts, weighted
from baserate.observed.weighted import Weighted, WeightedJoint, WeightedTestSet
from baserate.task import weighted_task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from baserate.core.baseline import Baseline
    from baserate.core.observed import Rows
    from baserate.data.rows import Key
    from baserate.intervals.limits import Asked
    from baserate.null.distribution import NullDistribution
    from baserate.task import Tables, Task

    Floats = NDArray[np.float64]


class WeightedTask(TaskOfScores[Weighted]):
    """A kind of prediction whose rows matter more or less.

    Where a score is a function of the plain counts, as if all rows matter alike, all is known of
    these.
    """

    takes_importance = True
    table, pair, test_set = Weighted, WeightedJoint, WeightedTestSet
    shares_p = False
    family, swap_test = WEIGHTED, staticmethod(swap_test)

    def __init__(self, of: Task[Any]) -> None:
        same = ("title", "column", "takes_positive", "takes_scores", "catalogue")
        vars(self).update({name: getattr(of, name) for name in same})
        vars(self).update(
            of=of,
            name=f"weighted {of.name}",
            labels=weighted_task(of.labels) if isinstance(of, TaskOfScores) else None,
        )

    of: Task[Any]

    # Measures.

    @property
    def reported(self) -> tuple[str, ...]:
        """The measures that are judged unless others are asked for."""
        return self.of.reported

    def get(self, name: Any) -> Any:
        """Return a measure by any of its names, or raise if it does not know it."""
        inner = name.of if isinstance(name, OfLabels) else name
        return name if isinstance(inner, WeightedMeasure) else weighted(self.of.get(name))

    def chosen(self, measures: Any) -> tuple[Any, ...]:
        """Return the measures that are asked for; those that people report for None."""
        return tuple(map(weighted, self.of.chosen(measures)))

    # Observations.

    def models(self, predictions: Any) -> dict[str, Any]:
        """Return the predictions of each model, by its name."""
        return self.of.models(predictions)

    def count(self, y_true: Any, y_pred: Any, pos_label: object = None) -> Any:
        """Count the predictions of one model, all rows alike."""
        return self.of.count(y_true, y_pred, pos_label)

    def tables(
        self, y_true: Any, models: Mapping[str, Any], rows: Rows, keys: Sequence[Key]
    ) -> Tables:
        """Return what was observed of some models, as a whole and in each group."""
        return self.of.tables(y_true, models, rows, keys)

    def frame_tables(
        self, frame: Any, truth: str, columns: Mapping[str, str], rows: Rows, keys: Sequence[Key]
    ) -> Tables:
        """Return the same of columns of a data frame, where the rows are."""
        return self.of.frame_tables(frame, truth, columns, rows, keys)

    def truth_alone(self, y_true: Any, pos_label: object) -> Any:
        """Return what a baseline needs of the truth, all rows alike."""
        return self.of.truth_alone(y_true, pos_label)

    def observed(self, facts: Mapping[str, Any]) -> Weighted:
        """Return what was observed, from the counts of a JSON record."""
        return Weighted.from_facts(facts, self.of.observed)

    def joint(self, facts: Mapping[str, Any]) -> WeightedJoint:
        """Return what two models did, from the counts of a JSON record."""
        return WeightedJoint.from_facts(facts, self.of.joint)

    # Answers.

    def baseline(self, test_set: WeightedTestSet, measure: Any) -> Baseline:
        """Return the baseline of a measure."""
        if isinstance(measure, OfLabels):
            return self.labels.baseline(test_set.occurring, measure.of)
        plain = of_counts(measure, test_set)
        if plain is not None:
            return self.of.baseline(test_set.plain, plain)
        return weighted_baseline(test_set, measure)

    def shuffled(self, measure: WeightedMeasure, observed: Weighted) -> NullDistribution:
        """Return the distribution of a score when predictions are shuffled."""
        plain = of_counts(measure, observed.test_set)
        if plain is None:
            return null_of(measure, observed)
        return self.of.null_of(plain, observed.plain)

    def null_of_guess(self, measure: Any, test_set: Any, guess: Any) -> NullDistribution:
        """Return the distribution of a score of a guess, if all rows matter alike."""
        return self.of.null_of_guess(measure.of, test_set.plain, guess)

    def tails(self, observed: Sequence[Weighted], nulls: Sequence[Any] = ()) -> list[Tails]:
        """Return the chances of as high and of as low an informedness; nan of other kinds."""
        found = []
        for null, each in zip(nulls or self.nulls(observed, CENTRAL), observed, strict=True):
            tails = Tails(math.nan, math.nan)
            if each.test_set.is_plain:
                tails = self.of.tails([each.plain])[0]
            elif self.of.name == "binary":
                score, reason = weighted(J).score_or_reason(each)
                tails = Tails(1.0, 1.0) if reason else null.tails(weighted(J), score)
            found.append(tails)
        return found

    def contributions(
        self, observed: Weighted, clusters: Sequence[Weighted], measure: Any
    ) -> Floats:
        """Return what each cluster of rows adds to the association of truth and predictions."""
        if isinstance(measure, OfLabels):
            table, *tables = map(measure.labels, (observed, *clusters))
            return self.labels.contributions(table, tables, measure.of)
        plain = getattr(measure, "of", measure)
        if observed.test_set.is_plain:
            return self.of.contributions(observed.plain, [each.plain for each in clusters], plain)
        return WEIGHTED.contributions(observed, clusters, plain)

    def asked(self, measure: Any, observed: Any, clusters: Sequence[Any] = ()) -> Asked:
        """Return a measure of one model or of two; that of the plain counts, if it is one."""
        if not isinstance(measure, OfLabels):
            known = observed.first if isinstance(observed, WeightedJoint) else observed
            plain = of_counts(measure, known.test_set)
            if plain is not None:
                return self.of.asked(plain, observed.plain, [each.plain for each in clusters])
        return super().asked(measure, observed, clusters)
