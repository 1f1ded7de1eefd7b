"""Labels of two classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from baserate.baselines.dutch_draw import DutchDrawBaseline, baseline
from baserate.core.observed import JointObservations, Observations, Rows
from baserate.data.engines.labels import count_frame, count_frame_pairs
from baserate.data.labels import positive_masks
from baserate.data.models import count_models, count_pairs
from baserate.data.rows import named_models, observed_models
from baserate.exceptions import InvalidPredictionsError
from baserate.kinds.two_classes.intervals import TWO_CLASSES, swap_test
from baserate.kinds.two_classes.null import TableChance, null_of, quantiles, tails
from baserate.measures.two_classes import REPORTED, TWO_CLASS_MEASURES, get_measure
from baserate.observed.base_rate import BaseRate
from baserate.observed.two_classes import COUNTS, Answers, Confusion, JointTable, as_base_rate
from baserate.records import count
from baserate.task import Task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from baserate.core.multiple_testing import Tails
    from baserate.core.observed import Weights
    from baserate.data.columns import Labels
    from baserate.data.groups import Group
    from baserate.data.models import Counts, PairCounts
    from baserate.measures.two_classes_record import TwoClassMeasure
    from baserate.null.distribution import NullDistribution


Predictions: TypeAlias = Any
"""Labels, a `Confusion`, a mapping from model names to them, or a data frame of columns."""
Tables: TypeAlias = dict[str, dict["Group | None", Confusion]]
"""The confusion tables of each model, keyed by group; None is the whole test set."""


def count_tables(
    y_true: Labels | None,
    predictions: Predictions,
    pos_label: object,
    by: Labels | None,
    *,
    drop: bool = False,
    weights: Weights | None = None,
) -> Observations:
    """Count every model, as a whole and in each group; also return how many rows were dropped."""

    def read(labels: dict[str, Any]) -> tuple[Tables, int]:
        counts, dropped = count_models(y_true, labels, pos_label, by, drop=drop, weights=weights)
        return tables_of(counts), dropped

    return observed_models(
        named_models(predictions),
        Confusion,
        y_true,
        words=("predicted labels", "Confusion tables"),
        read=read,
        require=lambda model, table: require_test_set(model, table, y_true, pos_label, by),
    )


def tables_of(counts: Counts) -> Tables:
    """Return counts as confusion tables."""
    return {
        name: {group: Confusion(**each._asdict()) for group, each in of_groups.items()}
        for name, of_groups in counts.items()
    }


def require_test_set(
    model: str, table: Confusion, y_true: Labels | None, pos_label: object, by: Labels | None
) -> None:
    """Raise unless a table describes the same test set as the labels of other models."""
    if table.total == 0:
        raise InvalidPredictionsError(
            f"{model} must have at least one observation (got an empty Confusion)"
        )
    if by is not None:
        raise InvalidPredictionsError(
            f"must come with predicted labels ({model} is a Confusion, which has no rows to "
            "group); evaluate the tables of each group as models of their own",
            parameter="by",
        )
    if y_true is not None:
        truth = BaseRate.of(y_true, pos_label)
        if truth != table.base_rate:
            raise InvalidPredictionsError(
                f"{model} must be counted on the labels of y_true, {truth} (got {table.base_rate})"
            )


class BinaryTask(Task[Confusion]):
    """Two classes, one of which is positive."""

    name = "binary"
    title = "Two classes"
    takes_positive = True
    table, test_set = Confusion, BaseRate
    catalogue, reported = TWO_CLASS_MEASURES, REPORTED
    family, swap_test = TWO_CLASSES, staticmethod(swap_test)
    # It builds on this one, and is set where all tasks are known.
    weighted: Task[Any] | None = None
    get = staticmethod(get_measure)
    count = staticmethod(Confusion.of)
    test_set_of = staticmethod(as_base_rate)

    def require_test_set(self, name: str, table: Confusion, y_true: Any, pos_label: object) -> None:
        """Raise if a table is of another test set."""
        require_test_set(name, table, y_true, pos_label, by=None)

    def weigh(
        self, y_true: Labels, y_pred: Labels, pos_label: object, weights: NDArray[Any]
    ) -> Confusion:
        """Count labels, each observation as often as its weight says."""
        truth, predicted = positive_masks({"y_true": y_true, "y_pred": y_pred}, pos_label)
        tp, fp, fn, tn = (
            int(weights[(truth == is_positive) & (predicted == is_predicted)].sum())
            for is_positive, is_predicted in (
                (True, True),
                (False, True),
                (True, False),
                (False,) * 2,
            )
        )
        return Confusion(tp=tp, fp=fp, fn=fn, tn=tn)

    def observe(self, y_true: Labels, predictions: Predictions, rows: Rows) -> Observations:
        """Count every model, as a whole and in each group."""
        return count_tables(
            y_true, predictions, rows.pos_label, rows.by, drop=rows.drop, weights=rows.weights
        )

    def observe_frame(
        self, frame: Any, truth: str, columns: Mapping[str, str], rows: Rows
    ) -> Observations:
        """Count every model of a data frame, where the rows are."""
        counts, dropped = count_frame(frame, truth, columns, rows)
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
        return _joint(count_frame_pairs(frame, truth, columns, rows))

    def count_column(self, frame: Any, truth: str, rows: Rows) -> tuple[BaseRate, int]:
        """Count the truth alone, where the rows are; also return how many rows were dropped."""
        found, dropped = count_frame(frame, truth, None, rows._replace(by=None))
        counts = found[truth][None]
        return BaseRate(positives=counts.tp, total=counts.tp + counts.tn), dropped

    def observed(self, facts: Mapping[str, Any]) -> Confusion:
        """Return the confusion table of a JSON record."""
        return Confusion(**{name: facts[name] for name in ("tp", "fp", "fn", "tn")})

    def joint(self, facts: Mapping[str, Any]) -> JointTable:
        """Return the counts of two models from a JSON record."""
        counts = [count(facts[name]) for name in COUNTS]
        return JointTable(Answers(*counts[:4]), Answers(*counts[4:]))

    def baseline(self, test_set: BaseRate, measure: TwoClassMeasure) -> DutchDrawBaseline:
        """Return the baseline of a measure."""
        return baseline(test_set, measure)

    def null_of(self, measure: TwoClassMeasure, observed: Confusion) -> NullDistribution:
        """Return the distribution of a score when predictions are shuffled."""
        return null_of(measure, observed.base_rate, observed.predicted_positives)

    def null_of_guess(
        self, measure: TwoClassMeasure, test_set: BaseRate, guess: int
    ) -> NullDistribution:
        """Return the distribution of a score of so many positive predictions, anywhere."""
        drawn = test_set.require_predicted_positives(guess, parameter="y_pred")
        return null_of(measure, test_set, drawn)

    def nulls(
        self, observed: Sequence[Confusion], levels: tuple[float, float]
    ) -> list[TableChance]:
        """Return the null distributions of each table; many small ones are computed at once."""
        each = zip(observed, quantiles(observed, levels), strict=True)
        return [TableChance(self, table, levels, ends) for table, ends in each]

    def tails(self, observed: Sequence[Confusion], nulls: object = ()) -> list[Tails]:  # noqa: ARG002
        """Return the chances of as many true positives, and of as few, of all tables at once."""
        return tails(observed)


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
