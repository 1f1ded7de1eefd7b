"""Count labels of two classes or more where the rows are.

Distinct rows of labels leave the engine with their counts, and are read as arrays are.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from baserate.core.observed import Weights
from baserate.core.paired import pairs_of
from baserate.data.cells import Cells
from baserate.data.classes import (
    MOST_CLASSES,
    ClassPairs,
    ClassTables,
    GroupTables,
    JointCells,
    count_class_pairs,
    count_classes,
    ordered,
)
from baserate.data.columns import column_of, is_missing, missing_in
from baserate.data.engines.distinct import Source, distinct_rows
from baserate.data.engines.frames import column_name, engine_errors, fetched, values_of
from baserate.data.engines.texts import label_of
from baserate.data.files import with_progress
from baserate.data.labels import look_like_numbers
from baserate.data.models import ModelCounts, PairCounts, count_models, count_pairs
from baserate.data.weights import observations, seen_rows
from baserate.exceptions import InvalidFrameError, InvalidLabelsError, TooManyClassesError
from baserate.formatting import setting, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from baserate.data.labels import FourCounts
    from baserate.data.rows import Shown

T = TypeVar("T")

# More distinct rows than this would take gigabytes to hand over.
MOST_ROWS = 3_000_000
# So many of the first rows tell whether columns hold numbers, and no classes.
_FIRST_ROWS = 2 * MOST_CLASSES
# An error names at most this many columns.
_MOST_NAMED = 12


def count_frame(
    native: Any,
    truth: str,
    predictions: Mapping[str, str] | None,
    *,
    by: str | None = None,
    pos_label: object = None,
    drop: bool = False,
    weight: str | None = None,
) -> ModelCounts:
    """Count every model of a frame, as a whole and in each group.

    Parameters
    ----------
    native
        A data frame of any library that narwhals supports, eager or lazy.
    truth
        The column of true labels.
    predictions
        The columns of predicted labels, keyed by model name; None if the truth is its own.
    by
        The column of groups.
    pos_label
        The positive class.
    drop
        Whether to drop rows with a missing label.
    weight
        The column of how often each row was seen; None if once.
    """

    def counted(y_true: Any, models: Any, by: Any, **options: Any) -> ModelCounts:
        return count_models(y_true, models, positive_label(source, pos_label), by, **options)

    with engine_errors():
        source = Source.of(native, truth, predictions, by, weight)
        parts = _counted(source, counted, [(model,) for model in source.predictions], drop=drop)
    counts = {model: each for part in parts for model, each in part.counts.items()}
    return ModelCounts(counts, parts[0].dropped)


def count_frame_pairs(
    native: Any,
    truth: str,
    predictions: Mapping[str, str],
    *,
    by: str | None = None,
    pos_label: object = None,
    drop: bool = False,
    with_first: bool = False,
    weight: str | None = None,
) -> PairCounts:
    """Count every model and pairs of models of a frame; see `count_frame`."""

    def counted(y_true: Any, models: Any, by: Any, **options: Any) -> PairCounts:
        options["with_first"] = with_first
        return count_pairs(y_true, models, positive_label(source, pos_label), by, **options)

    pairs = pairs_of(list(predictions), with_first=with_first)
    with engine_errors():
        source = Source.of(native, truth, predictions, by, weight)
        parts = _counted(source, counted, pairs, drop=drop)
    counts = {model: each for part in parts for model, each in part.counts.items()}
    both = {pair: each for part in parts for pair, each in part.both.items()}
    return PairCounts(counts, both, parts[0].dropped)


def count_column(
    native: Any,
    truth: str,
    *,
    pos_label: object = None,
    drop: bool = False,
    weight: str | None = None,
) -> tuple[FourCounts, int]:
    """Count the labels of one column as if it were its own prediction, and the missing ones."""
    options: Any = {"pos_label": pos_label, "drop": drop, "weight": weight}
    counts, dropped = count_frame(native, truth, None, **options)
    return counts[truth][None], dropped


def count_frame_classes(
    native: Any,
    truth: str,
    predictions: Mapping[str, str] | None,
    *,
    by: str | None = None,
    drop: bool = False,
    weight: str | None = None,
) -> ClassTables:
    """Count labels of any number of classes; see `count_frame`."""

    def counted(*columns: Any, shown: Shown, **options: Any) -> ClassTables:
        if predictions is None:  # columns have different names
            shown = shown._replace(models={truth: "itself"})
        return count_classes(*columns, shown=shown, **options)

    with engine_errors():
        source = Source.of(native, truth, predictions, by, weight)
        alone = [(model,) for model in source.predictions]
        parts = _counted(source, counted, alone, drop=drop)
    found = _joined([ClassPairs(each.labels, each.tables, {}, each.dropped) for each in parts])
    return ClassTables(found.labels, found.tables, found.dropped)


def count_frame_class_pairs(
    native: Any,
    truth: str,
    predictions: Mapping[str, str],
    *,
    by: str | None = None,
    drop: bool = False,
    with_first: bool = False,
    weight: str | None = None,
) -> ClassPairs:
    """Count every model and pairs of models of a frame; see `count_frame_classes`."""
    counted = partial(count_class_pairs, with_first=with_first)
    pairs: list[Any] = list(pairs_of(list(predictions), with_first=with_first))
    pairs = pairs or [tuple(predictions)]
    with engine_errors():
        source = Source.of(native, truth, predictions, by, weight)
        return _joined(_counted(source, counted, pairs, drop=drop))


def weighted_rows(
    native: Any, truth: str, predictions: Mapping[str, str], weights: str, by: str | None
) -> tuple[Source, dict[str, Any], NDArray[np.int64] | None]:
    """Return the distinct rows of labels and importance weights, and how often each occurs.

    Parameters
    ----------
    native
        A data frame of any library that narwhals supports, eager or lazy.
    truth, predictions, weights, by
        The names of the columns; those of predictions by the names of the models.
    """
    with engine_errors():
        source = Source.of(native, truth, predictions, by, weights)
        if source.is_in_memory:
            return source, source.in_memory()[0], None
        # A weight is one more thing by which rows are alike.
        rows = replace(source, weight=None)
        found = with_progress(native, lambda: _distinct(rows, [weights]))
    if found is None:
        raise InvalidFrameError(
            f"must have at most {MOST_ROWS:,} different rows of labels and weights (got more), "
            "since these leave the engine: evaluate a random sample of the rows",
            parameter="sample_weight",
        )
    return source, *found


def positive_label(source: Source, pos_label: object) -> object:
    """Return the positive class as labels of the frame are read."""
    if not (source.is_text and isinstance(pos_label, str)):
        return pos_label
    label = label_of(pos_label)
    if label is None:
        raise InvalidLabelsError.missing_positive(pos_label)
    return label


def _counted(
    source: Source, counted: Callable[..., T], parts: Sequence[Sequence[str]], *, drop: bool
) -> list[T]:
    """Count all models at once, or part by part if there are too many distinct rows."""
    if source.is_in_memory:
        columns, weights = source.in_memory()
        return [_read(source, columns, weights, counted, drop=drop)]

    def count() -> list[T]:
        rows = source.seen()
        _require_classes(rows, counted)
        found = _distinct(rows)
        if found is not None:
            return [_read_distinct(rows, found, counted, drop=drop)]
        if len(parts) == 1:
            raise _too_many(source)
        if any(rows.count_missing().values()) and not drop:
            raise missing_labels(rows.count_missing())
        rows, dropped = rows.complete()
        counts = [_part(rows.of_models(part), counted) for part in parts]
        return [each._replace(dropped=dropped) for each in counts]  # type: ignore[attr-defined]

    return with_progress(source.native, count)


def _part(source: Source, counted: Callable[..., T]) -> T:
    found = _distinct(source)
    if found is None:
        raise _too_many(source)
    return _read_distinct(source, found, counted, drop=False)


def _distinct(
    source: Source, others: Sequence[str] = ()
) -> tuple[dict[str, Any], NDArray[np.int64]] | None:
    """Return the distinct rows and how often each occurs; None if there are too many."""
    names = [*source.labelled, *others]
    keys = {f"key{place}": source.label(name) for place, name in enumerate(names)}
    found = distinct_rows(source.frame, source.group() | keys, MOST_ROWS, weight=source.weight)
    if not found.is_whole:
        return None
    labels = {
        name: source.labels_of(name, found.columns[f"key{place}"])
        for place, name in enumerate(names)
    }
    groups = {} if source.by is None else {source.by: source.groups_of(found.columns)}
    return labels | groups, found.times


def _read_distinct(
    source: Source,
    found: tuple[dict[str, Any], NDArray[np.int64]],
    counted: Callable[..., T],
    *,
    drop: bool,
) -> T:
    columns, times = found
    weights = Weights(times, "frequency") if times.size else None
    try:
        return _read(source, columns, weights, counted, drop=drop)
    except TooManyClassesError:
        raise _third_class(source, columns) from None


def _read(
    source: Source,
    columns: Mapping[str, Any],
    weights: Weights | None,
    counted: Callable[..., T],
    *,
    drop: bool,
) -> T:
    """Count columns as arrays are, which an error calls by their names in the frame."""
    models = {model: columns[name] for model, name in source.predictions.items()}
    groups = None if source.by is None else columns[source.by]
    options: Any = {"drop": drop, "shown": source.shown, "weights": weights}
    try:
        return counted(columns[source.truth], models, groups, **options)
    except InvalidLabelsError:
        missing = missing_in_columns(source, columns, weights)
        if any(missing.values()) and not drop:
            raise missing_labels(missing) from None
        raise


def missing_in_columns(
    source: Source, columns: Mapping[str, Any], weights: Weights | None
) -> dict[str, int]:
    """Return how many labels are missing in each column."""
    labels = {name: columns[name] for name in source.labelled}
    seen = seen_rows(weights, columns[source.truth], labels)
    return {
        name: observations(missing_in(column_of(column_name(name), each)), seen.counts)
        for name, each in seen.models.items()
    }


def missing_labels(counts: Mapping[str, int]) -> InvalidLabelsError:
    """Return the error about missing labels, by column."""
    return InvalidLabelsError(
        f"labels must not be missing (got {named_counts(counts)}); fill them, or leave those rows "
        "out with ",
        setting("missing", "drop"),
    )


def named_counts(counts: Mapping[str, int]) -> str:
    """Write how many values each column lacks."""
    missing = [f"{count:,} in {shown(name)}" for name, count in counts.items() if count]
    return ", ".join(missing[:_MOST_NAMED]) + (", …" if len(missing) > _MOST_NAMED else "")


def _require_classes(source: Source, counted: Callable[..., object]) -> None:
    """Raise what arrays would raise if the first rows have more values than a table has classes.

    To group by numbers that are all different would take long. Whole numbers rarely are.
    """
    names = [name for name in source.labelled if _may_be_numbers(source, name)]
    if not names:
        return
    rows: Any = source.frame.select(*source.labelled).head(_FIRST_ROWS)
    found = {name: source.labels_of(name, each) for name, each in fetched(rows).items()}
    if any(len(set(values_of(found[name]))) > MOST_CLASSES for name in names):
        ungrouped = Source(
            source.native, source.frame, source.schema, source.truth, source.predictions
        )
        _read(ungrouped, found, None, counted, drop=True)
        raise _too_many(source)


def _may_be_numbers(source: Source, name: str) -> bool:
    return bool(source.is_read(name) or source.schema[name].is_float())


def _too_many(source: Source) -> InvalidLabelsError:
    return InvalidLabelsError(
        f"must have at most {MOST_ROWS:,} different rows (got more); put numbers into bins, and "
        "threshold scores or probabilities, first",
        parameter=" and ".join(source.labelled),
    )


def _third_class(source: Source, columns: Mapping[str, Any]) -> TooManyClassesError:
    """Return the error about a third class; the rows of an engine have no places."""
    first: dict[Any, str] = {}
    looked: list[str] = []
    for name in source.labelled:
        looked.append(name)
        labels = dict.fromkeys(each for each in values_of(columns[name]) if not is_missing(each))
        for label in ordered(labels):
            first.setdefault(label, f"{shown(label)} in {column_name(name)}")
        if len(first) > 2:
            break
    return TooManyClassesError.named(
        " and ".join(source.labelled),
        first,
        list(first.values())[2],
        are_numbers=len(looked) == 1 and look_like_numbers(first),
    )


def _joined(parts: Sequence[ClassPairs]) -> ClassPairs:
    """Return the tables of models that were counted in parts, with the classes of all of them."""
    if len(parts) == 1:
        return parts[0]
    labels = ordered(dict.fromkeys(label for part in parts for label in part.labels))
    place_of = {label: place for place, label in enumerate(labels)}
    tables: dict[str, GroupTables] = {}
    joint: dict[Any, dict[Any, JointCells]] = {}
    for part in parts:
        places = np.array([place_of[label] for label in part.labels])
        for name, each in part.tables.items():
            group, *codes = each.cells.codes
            cells = Cells((group, *(places[code] for code in codes)), each.cells.counts)
            tables[name] = GroupTables(len(labels), each.groups, cells)
        for pair, by_group in part.joint.items():
            joint[pair] = {
                group: JointCells(
                    places[each.truth], places[each.first], places[each.second], each.counts
                )
                for group, each in by_group.items()
            }
    return ClassPairs(tuple(labels), tables, joint, parts[0].dropped)
