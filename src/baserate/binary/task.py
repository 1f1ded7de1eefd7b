"""The binary task, as a judge asks it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from baserate.binary.base_rate import BaseRate
from baserate.binary.calls import READER
from baserate.binary.confusion import Confusion
from baserate.binary.dutch_scaler import Scaler
from baserate.binary.intervals import TWO_CLASSES
from baserate.binary.measures.catalogue import MEASURES, chosen_measures, get_measure
from baserate.binary.null import chances, null_of, tails
from baserate.binary.optimum.baseline import baseline
from baserate.binary.paired.joint import COUNTS, Answers, JointTable
from baserate.binary.paired.swaps import swap_test
from baserate.binary.predictions import count_tables, tables_of
from baserate.binary.rescaling import scale_of
from baserate.core.paired import PairedModels
from baserate.core.task import JointObservations, Observations, Rows
from baserate.data.engines.labels import count_column, count_frame, count_frame_pairs
from baserate.data.models import count_pairs
from baserate.data.weights import weight_column
from baserate.exceptions import BaserateError
from baserate.intervals.limits import DifferenceLimits, Uncertainty
from baserate.support.reading import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from baserate.binary.measures.record import Measure
    from baserate.binary.null import Chance
    from baserate.binary.predictions import Predictions
    from baserate.core.law import Tails
    from baserate.core.task import Task
    from baserate.data.labels import Labels
    from baserate.data.models import PairCounts
    from baserate.null.distribution import NullDistribution

    Floats = NDArray[np.float64]


class BinaryTask:
    """Two classes: what is observed is a confusion table, and chance is a draw of its size."""

    name = "binary"
    title = "Two classes"
    decks = "draws θ*"
    takes_positive = True
    takes_scores = False
    takes_numbers = False
    # It builds on this one, and is set where all tasks are known.
    weighted: Task[Any] | None = None
    reader = READER

    def about(self, measures: Iterable[Any]) -> BinaryTask:  # noqa: ARG002
        """Return the task itself: what is observed is the same for all its measures."""
        return self

    def at(self, threshold: float) -> None:
        """Return None: it takes no scores that a threshold could cut."""

    def chosen(
        self, measures: str | Measure | Iterable[str | Measure] | None
    ) -> tuple[Measure, ...]:
        """Return the measures that are asked for; those that people report for None."""
        return chosen_measures(measures)

    def named(self, name: Any) -> Measure | None:
        """Return a measure by any of its names; None if it does not know it."""
        try:
            return get_measure(name)
        except BaserateError:
            return None

    def nearest(self, name: str) -> list[str]:
        """Return the names of measures that resemble a name."""
        return MEASURES.nearest(name)

    def observe(self, y_true: Labels, predictions: Predictions, rows: Rows) -> Observations:
        """Count every model, as a whole and in each group."""
        return count_tables(
            y_true,
            predictions,
            rows.pos_label,
            rows.by,
            drop=rows.drop,
            weights=rows.weights,
        )

    def observe_frame(
        self, frame: Any, truth: str, columns: Mapping[str, str], rows: Rows
    ) -> Observations:
        """Count every model of a data frame, where the rows are."""
        counts, dropped = count_frame(frame, truth, columns, **_of_frame(rows), by=rows.by)
        return Observations(tables_of(counts), dropped)

    def observe_pairs(
        self, y_true: Labels, models: Mapping[str, Labels], rows: Rows
    ) -> JointObservations:
        """Count every pair of models, as a whole and in each group."""
        return _joint(
            count_pairs(
                y_true,
                models,
                rows.pos_label,
                rows.by,
                drop=rows.drop,
                with_first=rows.with_first,
                weights=rows.weights,
            )
        )

    def observe_frame_pairs(
        self, frame: Any, truth: str, columns: Mapping[str, str], rows: Rows
    ) -> JointObservations:
        """Count every pair of models of a data frame, where the rows are."""
        options = _of_frame(rows)
        return _joint(
            count_frame_pairs(
                frame, truth, columns, **options, by=rows.by, with_first=rows.with_first
            )
        )

    def count_column(self, frame: Any, truth: str, rows: Rows) -> tuple[BaseRate, int]:
        """Count the truth alone, where the rows are; also return how many rows were dropped."""
        counts, dropped = count_column(frame, truth, **_of_frame(rows))
        return BaseRate(positives=counts.tp, total=counts.tp + counts.tn), dropped

    def observed(self, facts: Mapping[str, Any]) -> Confusion:
        """Return a confusion table from a JSON record."""
        return Confusion(**{name: facts[name] for name in ("tp", "fp", "fn", "tn")})

    def joint(self, facts: Mapping[str, Any]) -> JointTable:
        """Return a joint table from a JSON record."""
        counts = [count(facts[name]) for name in COUNTS]
        return JointTable(Answers(*counts[:4]), Answers(*counts[4:]))

    def yardstick(self, test_set: BaseRate, measure: Measure) -> Scaler:
        """Return the baseline of a measure, and the scale around it."""
        base = baseline(test_set, measure)
        return Scaler(base, scale_of(base))

    def null_of(self, measure: Measure, observed: Confusion) -> NullDistribution:
        """Return the distribution of a score when predictions are shuffled."""
        return null_of(measure, observed.base_rate, observed.predicted_positives)

    def null_of_guess(self, measure: Measure, test_set: BaseRate, guess: int) -> NullDistribution:
        """Return the distribution of a score over guesses with so many positives."""
        drawn = test_set.require_predicted_positives(guess, parameter="y_pred")
        return null_of(measure, test_set, drawn)

    def nulls(self, observed: Sequence[Confusion], levels: tuple[float, float]) -> list[Chance]:
        """Return what chance does with as many positive predictions as each table has."""
        return chances(observed, levels)

    def tails(self, observed: Sequence[Confusion]) -> list[Tails]:
        """Return the chances of as many true positives as each table has, and of as few."""
        return tails(observed)

    def contributions(
        self,
        observed: Confusion,
        clusters: Sequence[Confusion],
        measure: Measure | None,  # noqa: ARG002 - all of them test the same association
    ) -> Floats:
        """Return what each cluster of rows adds to the association of truth and predictions."""
        return TWO_CLASSES.contributions(observed, clusters)

    def uncertainty(
        self, observed: Confusion, alpha: float, clusters: Sequence[Confusion] = ()
    ) -> Uncertainty:
        """Return the limits of scores and margins over test sets like this one."""
        return Uncertainty(TWO_CLASSES, observed, alpha, clusters)

    def paired(
        self, joint: JointTable, alpha: float, clusters: Sequence[JointTable] = ()
    ) -> PairedModels[JointTable]:
        """Return how much two models differ, with limits at 1 - alpha."""
        known = DifferenceLimits(TWO_CLASSES, joint, alpha, clusters)
        return PairedModels(joint, known, swap_test, clusters)


def _of_frame(rows: Rows) -> Any:
    """Return how the rows of a data frame are read."""
    return {
        "pos_label": rows.pos_label,
        "drop": rows.drop,
        "weight": weight_column(rows.weights),
    }


def _joint(counted: PairCounts) -> JointObservations:
    pairs = {
        (first, second): {
            group: JointTable.of(counted.counts[first][group], counted.counts[second][group], both)
            for group, both in of_groups.items()
        }
        for (first, second), of_groups in counted.both.items()
    }
    return JointObservations(pairs, counted.dropped)


BINARY = BinaryTask()
