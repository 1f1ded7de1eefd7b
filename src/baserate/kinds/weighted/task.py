"""Labels of two classes with importance weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.baselines.weighted import weighted_baseline
from baserate.core.multiple_testing import Tails
from baserate.core.observed import JointObservations, Observations, Rows, Weights, pairs_of
from baserate.data.columns import column_of
from baserate.data.engines.labels import weighted_rows
from baserate.data.groups import Groups, rows_by_group
from baserate.data.labels import agreed_negative, count_labels, positive_masks
from baserate.data.rows import Shown, complete_rows, named_models, observed_models, require_aligned
from baserate.data.weights import importance_weights
from baserate.exceptions import InvalidLabelsError, InvalidPredictionsError, InvalidWeightsError
from baserate.formatting import shown
from baserate.formatting import shown as text
from baserate.kinds.two_classes.null import CENTRAL
from baserate.kinds.two_classes.task import BINARY
from baserate.kinds.weighted.intervals import WEIGHTED_TWO_CLASSES, swap_test
from baserate.kinds.weighted.null import null_of
from baserate.measures.two_classes import REPORTED, TWO_CLASS_MEASURES, J
from baserate.measures.weighted import WeightedMeasure, classed
from baserate.observed.weighted import NAME, WeightedBase, WeightedJoint, WeightedLabels
from baserate.task import Task

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from baserate.core.baseline import Baseline
    from baserate.core.observed import Null
    from baserate.data.columns import Labels
    from baserate.null.distribution import NullDistribution

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]


# Measures multiply up to four sums of weights.
_MOST = 1e60


@dataclass(frozen=True, eq=False)
class WeightedRows:
    """What is true and what each model says of each row, and how much it counts.

    Parameters
    ----------
    truth, said
        Whether a row is positive, and whether each model says so.
    weights, times
        The weight of a row, and how many observations it stands for.
    groups
        The rows of the whole test set, and of each group.
    dropped
        How many observations were left out, as a label is missing.
    """

    truth: Bools
    said: dict[str, Bools]
    weights: NDArray[np.float64]
    times: NDArray[np.int64]
    groups: dict[Any, Any]
    dropped: int

    def parts(self) -> Iterator[tuple[Any, Any]]:
        """Yield the groups in which some observation counts, and their rows."""
        for group, where in self.groups.items():
            if (self.weights[where] > 0).any():
                yield group, where


def read_rows(
    y_true: Labels,
    models: Mapping[str, Labels],
    rows: Rows,
    *,
    times: Any = None,
    names: Shown | None = None,
    parameter: str = "sample_weight",
) -> WeightedRows:
    """Read labels and weights, or raise.

    Parameters
    ----------
    y_true, models
        The true and the predicted labels.
    rows
        The groups, the positive class and the weights.
    times
        How many observations each row stands for; 1 if it is left out.
    names
        What errors call the columns.
    parameter
        What errors call the weights.
    """
    names = names or Shown("y_true", {name: f"model {text(name)}" for name in models})
    assert rows.weights is not None  # noqa: S101
    values = rows.weights.values
    require_aligned(names.labels(y_true, models) | {"by": rows.by, parameter: values})
    columns = {name: column_of(name, each) for name, each in names.labels(y_true, models).items()}
    truth = columns.pop(names.truth)
    weights = importance_weights(values, truth.size)
    _require_moderate(weights, parameter)
    counts = np.ones(truth.size, dtype=np.int64) if times is None else times
    groups = None if rows.by is None else Groups.of(rows.by, truth.size)
    keep, dropped = weights > 0, 0
    if rows.drop:
        complete = complete_rows({names.truth: truth} | columns)
        keep, dropped = keep & complete, int(counts[keep & ~complete].sum())
    if not keep.all():
        truth, columns = truth[keep], {name: each[keep] for name, each in columns.items()}
        weights, counts = weights[keep], counts[keep]
        groups = None if groups is None else groups.kept(keep)
    is_true, said = _masks(names.truth, truth, columns, rows.pos_label)
    found = {name: said[names.models[name]] for name in models}
    return WeightedRows(is_true, found, weights, counts, rows_by_group(groups), dropped)


def _require_moderate(weights: Floats, parameter: str) -> None:
    """Raise if a product of four sums of weights, as in MCC, may be no float."""
    positive = weights[weights > 0]
    low, high = float(positive.min()), float(positive.max())
    if high > _MOST or low < 1 / _MOST:
        raise InvalidWeightsError(
            f"must be 0 or between {1 / _MOST:g} and {_MOST:g} (got {low:g} to {high:g})",
            parameter=parameter,
        )


def _masks(
    name: str, truth: Any, columns: Mapping[str, Any], pos_label: object
) -> tuple[Bools, dict[str, Bools]]:
    """Return where the truth and each model are positive, or raise if labels are no classes."""
    negative: Any = None
    if not columns:
        count_labels({name: truth}, pos_label, may_drop=True)
    for model, labels in columns.items():
        counts = count_labels({name: truth, model: labels}, pos_label, may_drop=True)
        negative = agreed_negative("models", negative, counts.negative)
    is_true, *said = positive_masks({name: truth, **columns}, pos_label)
    return is_true, dict(zip(columns, said, strict=True))


def count_weighted(y_true: Labels | None, predictions: Any, rows: Rows) -> Observations:
    """Count every model per weight, as a whole and in each group."""

    def read(labels: dict[str, Any]) -> tuple[dict[str, dict[Any, WeightedLabels]], int]:
        found = read_rows(y_true, labels, rows)
        return tables_of(found), found.dropped

    return observed_models(
        named_models(predictions),
        WeightedLabels,
        y_true,
        words=("predicted labels", "WeightedLabels"),
        read=read,
        require=lambda model, table: require_test_set(model, table, y_true, by=rows.by),
    )


def count_weighted_pairs(
    y_true: Labels, models: Mapping[str, Any], rows: Rows
) -> JointObservations:
    """Count every pair of models per weight, as a whole and in each group."""
    return joints_of(read_rows(y_true, models, rows), with_first=rows.with_first)


def count_weighted_frame(
    frame: Any, truth: str, columns: Mapping[str, str], rows: Rows
) -> Observations:
    """Count every model of a data frame per weight."""
    found = _of_frame(frame, truth, columns, rows)
    return Observations(tables_of(found), found.dropped)


def count_weighted_frame_pairs(
    frame: Any, truth: str, columns: Mapping[str, str], rows: Rows
) -> JointObservations:
    """Count every pair of models of a data frame per weight."""
    return joints_of(_of_frame(frame, truth, columns, rows), with_first=rows.with_first)


def count_weighted_column(frame: Any, truth: str, rows: Rows) -> tuple[WeightedBase, int]:
    """Count the truth alone per weight; also return how many rows were dropped."""
    found = _of_frame(frame, truth, {}, rows)
    labels = WeightedLabels.of_rows(found.truth, found.truth, found.weights, found.times)
    return labels.test_set, found.dropped


def _of_frame(frame: Any, truth: str, columns: Mapping[str, str], rows: Rows) -> WeightedRows:
    """Read the rows of a frame; those that are alike are counted where they are."""
    names, found, times = weighted_rows(frame, truth, columns, rows)
    given = rows._replace(by=found.groups, weights=found.weights)
    return read_rows(found.truth, found.models, given, times=times, names=names)


def tables_of(rows: WeightedRows) -> dict[str, dict[Any, WeightedLabels]]:
    """Return the labels of each model, as a whole and in each group."""
    return {
        name: {
            group: WeightedLabels.of_rows(
                rows.truth[where], said[where], rows.weights[where], rows.times[where]
            )
            for group, where in rows.parts()
        }
        for name, said in rows.said.items()
    }


def joints_of(rows: WeightedRows, *, with_first: bool) -> JointObservations:
    """Return pairs of models, as a whole and in each group."""
    pairs = {
        (one, other): {
            group: WeightedJoint.of_rows(
                rows.truth[where],
                rows.said[one][where],
                rows.said[other][where],
                rows.weights[where],
                rows.times[where],
            )
            for group, where in rows.parts()
        }
        for one, other in pairs_of(list(rows.said), with_first=with_first)
    }
    return JointObservations(pairs, rows.dropped)


def require_test_set(
    model: str,
    table: WeightedLabels,
    y_true: Labels | None,
    pos_label: object = None,  # noqa: ARG001
    *,
    by: Labels | None = None,
) -> None:
    """Raise unless labels that are counted already may stand beside others."""
    if not table.total:
        raise InvalidPredictionsError(
            f"{model} must have at least one observation (got empty WeightedLabels)"
        )
    if by is not None or y_true is not None:
        raise InvalidPredictionsError(
            f"{model} must come with predicted labels (got WeightedLabels, which have no rows to "
            "put beside labels or groups)"
        )


class WeightedLabelsTask(Task[WeightedLabels]):
    """Two classes whose observations matter more or less."""

    name = NAME
    takes_importance = True
    title = "Two classes with importance weights"
    takes_positive = True
    table, test_set = WeightedLabels, WeightedBase
    catalogue, reported = TWO_CLASS_MEASURES, REPORTED
    family, swap_test = WEIGHTED_TWO_CLASSES, staticmethod(swap_test)

    def get(self, name: Any) -> WeightedMeasure:
        """Return a measure by any of its names, or raise if it does not know it."""
        return name if isinstance(name, WeightedMeasure) else WeightedMeasure.by(BINARY.get(name))

    def count(self, y_true: Labels, y_pred: Labels, pos_label: object = None) -> WeightedLabels:
        """Count the predictions of one model, all rows alike."""
        return self.weigh(y_true, y_pred, pos_label, np.ones(len(y_true)))

    def weigh(
        self, y_true: Any, y_pred: Any, pos_label: object, weights: NDArray[Any]
    ) -> WeightedLabels:
        """Count the predictions of one model with importance weights."""
        rows = Rows(pos_label=pos_label, weights=Weights(weights, "importance"))
        return tables_of(read_rows(y_true, {"y_pred": y_pred}, rows))["y_pred"][None]

    def test_set_of(self, test_set: Any, pos_label: object = None) -> WeightedBase:
        """Return what a baseline needs of any description of a test set."""
        if isinstance(test_set, WeightedBase):
            return test_set
        if isinstance(test_set, WeightedLabels):
            return test_set.test_set
        if isinstance(test_set, str | bytes) or not hasattr(test_set, "__len__"):
            raise InvalidLabelsError(
                f"a test set must be WeightedLabels or its true labels (got {shown(test_set)})"
            )
        return self.count(test_set, test_set, pos_label).test_set

    def require_test_set(
        self, name: str, table: WeightedLabels, y_true: Any, pos_label: object
    ) -> None:
        """Raise if a table is of another test set."""
        require_test_set(name, table, y_true, pos_label)

    def observe(self, y_true: Labels, predictions: Any, rows: Rows) -> Observations:
        """Count every model per weight, as a whole and in each group."""
        return count_weighted(y_true, predictions, rows)

    def observe_frame(
        self, frame: Any, truth: str, columns: Mapping[str, str], rows: Rows
    ) -> Observations:
        """Count every model of a data frame per weight; rows that are alike are counted there."""
        return count_weighted_frame(frame, truth, columns, rows)

    def observe_pairs(
        self, y_true: Labels, models: Mapping[str, Any], rows: Rows
    ) -> JointObservations:
        """Count every pair of models per weight, as a whole and in each group."""
        return count_weighted_pairs(y_true, models, rows)

    def observe_frame_pairs(
        self, frame: Any, truth: str, columns: Mapping[str, str], rows: Rows
    ) -> JointObservations:
        """Count every pair of models of a data frame per weight."""
        return count_weighted_frame_pairs(frame, truth, columns, rows)

    def count_column(self, frame: Any, truth: str, rows: Rows) -> tuple[WeightedBase, int]:
        """Count the truth alone per weight; also return how many rows were dropped."""
        return count_weighted_column(frame, truth, rows)

    def observed(self, facts: Mapping[str, Any]) -> WeightedLabels:
        """Return the labels of a JSON record."""
        return WeightedLabels.from_facts(facts)

    def joint(self, facts: Mapping[str, Any]) -> WeightedJoint:
        """Return two models from a JSON record."""
        return WeightedJoint.from_facts(facts)

    def baseline(self, test_set: WeightedBase, measure: WeightedMeasure) -> Baseline:
        """Return the baseline of a measure; that of labels if weights belong to the classes."""
        plain = classed(measure, test_set)
        if plain is not None:
            return BINARY.baseline(test_set.rate, plain)
        return weighted_baseline(test_set, measure)

    def null_of(self, measure: WeightedMeasure, observed: WeightedLabels) -> NullDistribution:
        """Return the distribution of a score when predictions are shuffled."""
        drawn = observed.table.predicted_positives
        return self.null_of_guess(measure, observed.test_set, drawn)

    def null_of_guess(
        self, measure: WeightedMeasure, test_set: WeightedBase, guess: int
    ) -> NullDistribution:
        """Return the distribution of a score over guesses with so many positives."""
        drawn = test_set.rate.require_predicted_positives(guess, parameter="y_pred")
        plain = classed(measure, test_set)
        if plain is not None:
            return BINARY.null_of_guess(plain, test_set.rate, drawn)
        return null_of(measure, test_set, drawn)

    def tails(self, observed: Sequence[WeightedLabels], nulls: Sequence[Null] = ()) -> list[Tails]:
        """Return the chances of as high an informedness, and of as low a one."""
        measure = self.get(J)
        return [
            Tails(1.0, 1.0)
            if measure.score_or_reason(each)[1]
            else null.tails(measure, measure.score_or_reason(each)[0])
            for null, each in zip(nulls or self.nulls(observed, CENTRAL), observed, strict=True)
        ]


WEIGHTED_LABELS = WeightedLabelsTask()
