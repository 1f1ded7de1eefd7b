"""Turn the scores of models into counts of their answers, per model and group."""

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
from baserate.exceptions import (
    InvalidMeasureError,
    InvalidPredictionsError,
)
from baserate.formatting import shown
from baserate.multiclass.class_counts import ClassCounts
from baserate.multiclass.score_rows import classes_of, codes_of, complete_rows, require_rows
from baserate.multiclass.top_k.answers import TopAnswers
from baserate.multiclass.top_k.paired import TopJoint
from baserate.multiclass.top_k.scores import ScoreTable, highest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from baserate.core.task import Weights
    from baserate.data.columns import Labels
    from baserate.data.groups import Group

    Ints = NDArray[np.int64]


class Rows(NamedTuple):
    """The truth and the answers of each model, row by row, as places of classes.

    Parameters
    ----------
    labels
        All classes, in order: those of the truth, and those that only a column of scores names.
    truth
        The true class of each row.
    answers
        The answer of each model to each row.
    groups
        The rows of the whole test set and of each group.
    dropped
        How many rows were left out.
    counts
        How often each row was seen; None if once.
    """

    labels: tuple[Any, ...]
    truth: Ints
    answers: dict[str, Ints]
    groups: dict[Group | None, Any]
    dropped: int
    counts: Ints | None = None

    def seen(self, where: Any) -> Ints | None:
        """Return how often some rows were seen; None if once."""
        return None if self.counts is None else self.counts[where]


def count_answers(
    y_true: Labels | None,
    predictions: Any,
    by: Labels | None,
    ks: tuple[int, ...],
    *,
    drop: bool = False,
    weights: Weights | None = None,
) -> Observations:
    """Count the answers of every model, as a whole and in each group."""
    # A data frame is the scores of one model: its columns are classes.
    is_one = predictions is not None and not isinstance(predictions, Mapping)

    def read(scores: dict[str, Any]) -> tuple[dict[str, dict[Group | None, TopAnswers]], int]:
        rows = read_rows(y_true, scores, by, ks, drop=drop, weights=weights)
        return {name: dict(_answers(rows, name, ks)) for name in scores}, rows.dropped

    return observed_models(
        named_models({DEFAULT_NAME: predictions} if is_one else predictions),
        TopAnswers,
        y_true,
        words=("scores", "TopAnswers"),
        read=read,
        require=lambda model, table: require_test_set(model, table, y_true, by),
    )


def count_answer_pairs(
    y_true: Labels,
    models: Mapping[str, Any],
    by: Labels | None,
    ks: tuple[int, ...],
    *,
    drop: bool = False,
    with_first: bool = False,
    weights: Weights | None = None,
) -> JointObservations:
    """Count pairs of models on the same rows, as a whole and in each group."""
    rows = read_rows(y_true, models, by, ks, drop=drop, weights=weights)
    tables = {name: dict(_answers(rows, name, ks)) for name in models}
    pairs = {
        (first, second): {
            group: TopJoint.of_rows(
                (tables[first][group], tables[second][group]),
                rows.truth[where],
                (rows.answers[first][where], rows.answers[second][where]),
                rows.seen(where),
            )
            for group, where in rows.groups.items()
        }
        for first, second in pairs_of(list(models), with_first=with_first)
    }
    return JointObservations(pairs, rows.dropped)


def count_scores(
    name: str,
    y_true: Labels,
    scores: Any,
    ks: tuple[int, ...],
    weights: NDArray[Any] | None = None,
) -> TopAnswers:
    """Count the answers of one model, each row as often as its weight says.

    Parameters
    ----------
    name
        What errors call the scores.
    y_true, scores, ks
        The true labels, the scores, and how many classes are answered.
    weights
        The weight of each row; 1 if left out.
    """
    rows = read_rows(y_true, {name: scores}, None, ks, drop=False, shown_as={name: name})
    seen = None if weights is None else frequencies(weights, rows.truth.size)
    return TopAnswers.of_rows(ks, rows.labels, rows.truth, rows.answers[name], seen)


def _answers(
    rows: Rows, name: str, ks: tuple[int, ...]
) -> Iterator[tuple[Group | None, TopAnswers]]:
    for group, where in rows.groups.items():
        answers = rows.answers[name][where]
        yield (
            group,
            TopAnswers.of_rows(ks, rows.labels, rows.truth[where], answers, rows.seen(where)),
        )


def require_test_set(
    model: str, table: TopAnswers, y_true: Labels | None, by: Labels | None
) -> None:
    """Raise unless answers are counted on the same test set as the labels of other models."""
    if by is not None:
        raise InvalidPredictionsError(
            f"must come with scores ({model} is TopAnswers, which have no rows to group)",
            parameter="by",
        )
    if y_true is None:
        return
    truth, counted = ClassCounts.of(y_true), table.test_set
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
    ks: tuple[int, ...],
    *,
    drop: bool,
    shown_as: Mapping[str, str] | None = None,
    weights: Weights | None = None,
) -> Rows:
    """Read the truth and the scores of some models, or raise.

    Parameters
    ----------
    y_true
        The true labels.
    models
        The scores of each model.
    by
        The group of each observation.
    ks
        How many classes are answered, ascending.
    drop
        Whether to leave out observations without a label or a score.
    shown_as
        What errors call the scores of each model.
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
        _require_fewer(table, ks)
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
    answers = {
        name: _placed(table.values if keep is None else table.values[keep], each, place, ks)
        for (name, table), each in zip(tables.items(), classes.values(), strict=True)
    }
    truth = codes_of(column, place)
    return Rows(labels, truth, answers, rows_by_group(groups), dropped, counts)


def _require_fewer(table: ScoreTable, ks: tuple[int, ...]) -> None:
    columns = table.values.shape[1]
    if ks[-1] >= columns:
        raise InvalidMeasureError(
            f"top-{ks[-1]} accuracy needs scores of more than {ks[-1]} classes (got {columns} "
            f"columns): the top {ks[-1]} of {columns} would always be right",
        )


def _placed(
    values: NDArray[Any], classes: Sequence[Any], place: Mapping[Any, int], ks: tuple[int, ...]
) -> Ints:
    """Return the answer to each row, as places of all classes."""
    places = np.array([place[each] for each in classes])
    # Equal scores are won by the later class, whatever the order of the columns.
    order = np.argsort(places)
    if (order != np.arange(order.size)).any():
        values = values[:, order]
    return np.asarray(np.sort(places)[highest(values, ks)], dtype=np.int64)
