"""Turn tables of probabilities into counts of their rows, per model and group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.core.paired import pairs_of
from baserate.core.task import JointObservations, Observations
from baserate.data.classes import count_column, ordered
from baserate.data.columns import column_of
from baserate.data.groups import Groups, rows_by_group
from baserate.data.rows import DEFAULT_NAME, named_models, observed_models, require_aligned
from baserate.data.weights import aligned_weights, frequencies, left_out, seen_rows
from baserate.exceptions import InvalidPredictionsError, InvalidScoresError
from baserate.formatting import shown
from baserate.multiclass.class_counts import ClassCounts
from baserate.multiclass.score_rows import classes_of, codes_of, complete_rows, require_rows
from baserate.multiclass.top_k.scores import ScoreTable
from baserate.probability.several.joint import JointProbabilities
from baserate.probability.several.observed import ClassProbabilities

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from baserate.core.task import Weights
    from baserate.data.columns import Labels
    from baserate.data.groups import Group

    Ints = NDArray[np.int64]
    Floats = NDArray[Any]


class Rows(NamedTuple):
    """The truth and the probabilities of each model, row by row.

    Parameters
    ----------
    labels
        All classes, in order: those of the truth, and those that only a column names.
    truth
        The place of the true class of each row.
    given
        The probabilities of each model, with a column per class.
    groups
        The rows of the whole test set and of each group.
    dropped
        How many rows were left out.
    counts
        How often each row was seen; None if once.
    """

    labels: tuple[Any, ...]
    truth: Ints
    given: dict[str, Floats]
    groups: dict[Group | None, Any]
    dropped: int
    counts: Ints | None = None

    def seen(self, where: Any) -> Ints | None:
        """Return how often some rows were seen; None if once."""
        return None if self.counts is None else self.counts[where]


def count_probabilities(
    y_true: Labels | None,
    predictions: Any,
    by: Labels | None,
    *,
    drop: bool = False,
    weights: Weights | None = None,
) -> Observations:
    """Count the rows of every model, as a whole and in each group."""
    # A data frame is the probabilities of one model: its columns are classes.
    is_one = predictions is not None and not isinstance(predictions, Mapping)

    def read(
        tables: dict[str, Any],
    ) -> tuple[dict[str, dict[Group | None, ClassProbabilities]], int]:
        rows = read_rows(y_true, tables, by, drop=drop, weights=weights)
        return {name: dict(_counted(rows, name)) for name in tables}, rows.dropped

    return observed_models(
        named_models({DEFAULT_NAME: predictions} if is_one else predictions),
        ClassProbabilities,
        y_true,
        words=("probabilities", "ClassProbabilities"),
        read=read,
        require=lambda model, table: require_test_set(model, table, y_true, by),
    )


def count_probability_pairs(
    y_true: Labels,
    models: Mapping[str, Any],
    by: Labels | None,
    *,
    drop: bool = False,
    with_first: bool = False,
    weights: Weights | None = None,
) -> JointObservations:
    """Count pairs of models on the same rows, as a whole and in each group."""
    rows = read_rows(y_true, models, by, drop=drop, weights=weights)
    pairs = {
        (first, second): {
            group: JointProbabilities.of_rows(
                rows.labels,
                rows.truth[where],
                rows.given[first][where],
                rows.given[second][where],
                rows.seen(where),
            )
            for group, where in rows.groups.items()
        }
        for first, second in pairs_of(list(models), with_first=with_first)
    }
    return JointObservations(pairs, rows.dropped)


def count_rows(
    name: str, y_true: Labels, probabilities: Any, weights: NDArray[Any] | None = None
) -> ClassProbabilities:
    """Count the rows of one model, each as often as its weight says.

    Parameters
    ----------
    name
        What errors call the probabilities.
    y_true, probabilities
        The true labels and the rows.
    weights
        The weight of each row; 1 if left out.
    """
    rows = read_rows(y_true, {name: probabilities}, None, drop=False, shown_as={name: name})
    seen = None if weights is None else frequencies(weights, rows.truth.size)
    return ClassProbabilities.of_rows(rows.labels, rows.truth, rows.given[name], seen)


def _counted(rows: Rows, name: str) -> Iterator[tuple[Group | None, ClassProbabilities]]:
    for group, where in rows.groups.items():
        given = rows.given[name][where]
        yield (
            group,
            ClassProbabilities.of_rows(rows.labels, rows.truth[where], given, rows.seen(where)),
        )


def require_test_set(
    model: str, table: ClassProbabilities, y_true: Labels | None, by: Labels | None
) -> None:
    """Raise unless rows are counted on the same test set as the labels of other models."""
    if by is not None:
        raise InvalidPredictionsError(
            f"must come with probabilities ({model} is ClassProbabilities, which have no rows to "
            "group)",
            parameter="by",
        )
    if y_true is None:
        return
    truth, counted = ClassCounts.of(y_true), table.test_set.occurring
    pairs = (dict(zip(each.labels, each.counts, strict=True)) for each in (truth, counted))
    first, second = pairs
    if first != second:
        raise InvalidPredictionsError(
            f"{model} must be counted on the labels of y_true, {truth} (got {counted})"
        )


def read_rows(
    y_true: Labels,
    models: Mapping[str, Any],
    by: Labels | None,
    *,
    drop: bool,
    shown_as: Mapping[str, str] | None = None,
    weights: Weights | None = None,
) -> Rows:
    """Read the truth and the probabilities of some models, or raise.

    Parameters
    ----------
    y_true
        The true labels.
    models
        The probabilities of each model.
    by
        The group of each observation.
    drop
        Whether to leave out observations without a label or a probability.
    shown_as
        What errors call the probabilities of each model.
    weights
        How often each observation was seen.
    """
    called = shown_as or {name: f"model {shown(name)}" for name in models}
    tables = {name: ScoreTable.of(called[name], each) for name, each in models.items()}
    indexes = {table.name: table.index for table in tables.values()}
    require_aligned({"y_true": y_true, **indexes, "by": by} | aligned_weights(weights))
    y_true, _, by, counts, seen = seen_rows(weights, y_true, {}, by)
    tables = {name: table.chosen(seen) for name, table in tables.items()}
    column = column_of("y_true", y_true)
    for table in tables.values():
        require_rows(table, column.size)
    groups = None if by is None else Groups.of(by, column.size)
    keep, dropped = complete_rows(column, list(tables.values()), drop=drop), 0
    if keep is not None:
        column = column_of("y_true", column[keep])
        groups = None if groups is None else groups.kept(keep)
        dropped, counts = left_out(keep, counts)
    met = [label for label, _ in count_column("y_true", column)]
    classes = {name: classes_of(table, met) for name, table in tables.items()}
    labels = tuple(ordered([*met, *(each for some in classes.values() for each in some)]))
    place = {label: number for number, label in enumerate(labels)}
    given = {
        name: _placed(table, keep, [place[each] for each in classes[name]], len(labels))
        for name, table in tables.items()
    }
    truth = codes_of(column, place)
    return Rows(labels, truth, given, rows_by_group(groups), dropped, counts)


def _placed(
    table: ScoreTable, keep: NDArray[np.bool_] | None, places: Sequence[int], classes: int
) -> Floats:
    """Return the probabilities of all classes, those that a model does not know with 0."""
    values = require_rows_of_one(table.name, table.values if keep is None else table.values[keep])
    if list(places) == list(range(classes)):
        return values
    found = np.zeros((len(values), classes), dtype=values.dtype)
    found[:, places] = values
    return found


def require_rows_of_one(name: str, values: NDArray[Any]) -> Floats:
    """Return rows as floats, or raise unless they are probabilities that sum to 1.

    Sums may be off by rounding: by as much as scikit-learn accepts without a warning.
    """
    is_float = values.dtype.kind == "f" and values.itemsize <= 8
    rows = values if is_float else values.astype(float)
    rows = rows + rows.dtype.type(0)  # so that there is one zero only
    lowest, highest = float(rows.min()), float(rows.max())
    if not (lowest >= 0 and highest <= 1):
        got = lowest if lowest < 0 else highest
        raise InvalidScoresError(
            f"must be probabilities from 0 to 1 (got {shown(got)}); top-k accuracy takes any "
            "numbers",
            parameter=name,
        )
    sums = rows.sum(axis=1, dtype=float)
    off = np.abs(sums - 1)
    if off.max() > 1e-8 + np.sqrt(np.finfo(rows.dtype).eps):
        row = int(off.argmax())
        raise InvalidScoresError(
            f"must be rows of probabilities that sum to 1 (got a sum of {sums[row]:.6g} in the row "
            f"at position {row}); divide each row by its sum, if that is what is meant",
            parameter=name,
        )
    return np.asarray(rows)
