"""Count labels of two classes or more where the rows are.

Distinct rows of labels leave the engine with their counts, and are read as arrays are.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.observed import Rows, Weights, pairs_of
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
from baserate.data.columns import is_missing
from baserate.data.engines.frames import column_name, engine_errors, fetched, values_of
from baserate.data.engines.query import Columns, Source, distinct_rows
from baserate.data.files import with_progress
from baserate.data.labels import look_like_numbers
from baserate.data.models import ModelCounts, PairCounts, count_models, count_pairs
from baserate.exceptions import InvalidFrameError, InvalidLabelsError, TooManyClassesError
from baserate.formatting import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from baserate.data.rows import Shown

# More distinct rows than this would take gigabytes to hand over.
MOST_ROWS = 3_000_000
# So many of the first rows tell whether columns hold numbers, and no classes.
_FIRST_ROWS = 2 * MOST_CLASSES


def count_frame(
    native: Any, truth: str, predictions: Mapping[str, str] | None, rows: Rows
) -> ModelCounts:
    """Count every model of a frame, as a whole and in each group.

    Parameters
    ----------
    native
        A data frame of any library that narwhals supports, eager or lazy.
    truth, predictions
        The names of the columns; those of predictions by the names of the models. Without any, the
        truth is its own.
    rows
        How the rows are read.
    """
    parts = _counted(count_models, (native, truth, predictions), rows, of_two=True)
    counts = {model: each for part in parts for model, each in part.counts.items()}
    return ModelCounts(counts, parts[0].dropped)


def count_frame_pairs(
    native: Any, truth: str, predictions: Mapping[str, str], rows: Rows
) -> PairCounts:
    """Count every model and pairs of models of a frame; see `count_frame`."""
    pairs = pairs_of(list(predictions), with_first=rows.with_first)
    count = partial(count_pairs, with_first=rows.with_first)
    parts = _counted(count, (native, truth, predictions), rows, pairs, of_two=True)
    counts = {model: each for part in parts for model, each in part.counts.items()}
    both = {pair: each for part in parts for pair, each in part.both.items()}
    return PairCounts(counts, both, parts[0].dropped)


def count_frame_classes(
    native: Any, truth: str, predictions: Mapping[str, str] | None, rows: Rows
) -> ClassTables:
    """Count labels of any number of classes; see `count_frame`."""

    def count(*columns: Any, shown: Shown, **options: Any) -> ClassPairs:
        if predictions is None:  # columns have different names
            shown = shown._replace(models={truth: "itself"})
        found = count_classes(*columns, shown=shown, **options)
        return ClassPairs(found.labels, found.tables, {}, found.dropped)

    found = _joined(_counted(count, (native, truth, predictions), rows))
    return ClassTables(found.labels, found.tables, found.dropped)


def count_frame_class_pairs(
    native: Any, truth: str, predictions: Mapping[str, str], rows: Rows
) -> ClassPairs:
    """Count every model and pairs of models of a frame; see `count_frame_classes`."""
    pairs = pairs_of(list(predictions), with_first=rows.with_first)
    count = partial(count_class_pairs, with_first=rows.with_first)
    return _joined(_counted(count, (native, truth, predictions), rows, pairs))


def weighted_rows(
    native: Any, truth: str, predictions: Mapping[str, str], rows: Rows
) -> tuple[Shown, Columns, NDArray[np.int64] | None]:
    """Return the distinct rows of labels and importance weights, and how often each occurs.

    They come after what errors call the columns; how often is None for the rows themselves.
    """
    with engine_errors():
        source = Source.of(native, truth, predictions, rows)
        if source.is_in_memory:
            return source.shown, source.in_memory(), None
        # A weight is one more thing by which rows are alike.
        found = with_progress(native, partial(_distinct, source, with_weights=True))
    if found is None:
        raise InvalidFrameError(
            f"must have at most {MOST_ROWS:,} different rows of labels and weights (got more), "
            "since these leave the engine: evaluate a random sample of the rows",
            parameter="sample_weight",
        )
    return source.shown, *found


def _counted(
    count: Callable[..., Any],
    columns: tuple[Any, str, Mapping[str, str] | None],
    rows: Rows,
    pairs: Sequence[tuple[str, ...]] = (),
    *,
    of_two: bool = False,
) -> list[Any]:
    """Count all models at once, or part by part if there are too many distinct rows.

    Parameters
    ----------
    count
        Counts columns by the rules of arrays.
    columns, rows
        The frame, the truth and the predictions; and how they are read, as in `count_frame`.
    pairs
        The models that are counted together; each of them alone if there are none.
    of_two
        Whether there are two classes, one of which is positive.
    """
    with engine_errors():
        source = Source.of(*columns, rows)
        if of_two:
            count = partial(count, pos_label=source.pos_label)
        if source.is_in_memory:
            return [_read(source, source.in_memory(), count)]
        parts = pairs or [(model,) for model in source.predictions]
        return with_progress(source.native, partial(_counted_there, source, count, parts))


def _counted_there(
    source: Source, count: Callable[..., Any], parts: Sequence[Sequence[str]]
) -> list[Any]:
    source = source.seen()
    _require_classes(source, count)
    found = _distinct(source)
    if found is not None:
        return [_read_distinct(source, found[0], count)]
    if len(parts) == 1:
        raise _too_many(source)
    source.require_complete("labels", InvalidLabelsError)
    rows, dropped = source.complete()
    counts = []
    for part in map(rows.of_models, parts):
        found = _distinct(part)
        if found is None:
            raise _too_many(part)
        counts.append(_read_distinct(part, found[0], count)._replace(dropped=dropped))
    return counts


def _distinct(
    source: Source, *, with_weights: bool = False
) -> tuple[Columns, NDArray[np.int64]] | None:
    """Return the distinct rows and how often each occurs; None if there are too many."""
    names, weight = source.labelled, source.weight
    if with_weights and weight is not None:
        names, weight = [*names, weight], None
    keys = {f"key{place}": source.label(name) for place, name in enumerate(names)}
    found = distinct_rows(source.frame, source.group() | keys, MOST_ROWS, weight=weight)
    if not found.is_whole:
        return None
    labels = {
        name: source.labels_of(name, found.columns[f"key{place}"])
        for place, name in enumerate(names)
    }
    models = {model: labels[name] for model, name in source.predictions.items()}
    weights = Weights(found.times, "frequency") if found.times.size else None
    if with_weights and source.rows.weights is not None:
        weights = source.rows.weights._replace(values=labels[source.rows.weights.values])
    groups = source.groups_of(found.columns)
    return Columns(labels[source.truth], models, groups, weights), found.times


def _read_distinct(source: Source, columns: Columns, count: Callable[..., Any]) -> Any:
    try:
        return _read(source, columns, count)
    except TooManyClassesError:
        raise _third_class(source, columns) from None


def _read(source: Source, columns: Columns, count: Callable[..., Any]) -> Any:
    """Count columns as arrays are, which an error calls by their names in the frame."""
    truth, models, groups, weights = columns
    options: Any = {"drop": source.rows.drop, "shown": source.shown, "weights": weights}
    with source.naming_gaps("labels", InvalidLabelsError):
        return count(truth, models, by=groups, **options)


def _require_classes(source: Source, count: Callable[..., object]) -> None:
    """Raise what arrays would raise if the first rows have more values than a table has classes.

    To group by numbers that are all different would take long. Whole numbers rarely are.
    """
    names = [name for name in source.labelled if _may_be_numbers(source, name)]
    if not names:
        return
    rows: Any = source.frame.select(*source.labelled).head(_FIRST_ROWS)
    found = {name: source.labels_of(name, each) for name, each in fetched(rows).items()}
    if any(len(set(values_of(found[name]))) > MOST_CLASSES for name in names):
        models = {model: found[name] for model, name in source.predictions.items()}
        plain = replace(source, rows=Rows(drop=True))
        _read(plain, Columns(found[source.truth], models, None, None), count)
        raise _too_many(source)


def _may_be_numbers(source: Source, name: str) -> bool:
    return source.is_read(name) or bool(source.schema[name].is_float())


def _too_many(source: Source) -> InvalidLabelsError:
    return InvalidLabelsError(
        f"must have at most {MOST_ROWS:,} different rows (got more); put numbers into bins, and "
        "threshold scores or probabilities, first",
        parameter=" and ".join(source.labelled),
    )


def _third_class(source: Source, columns: Columns) -> TooManyClassesError:
    """Return the error about a third class; the rows of an engine have no places."""
    first: dict[Any, str] = {}
    named = {source.truth: columns.truth}
    named |= {name: columns.models[model] for model, name in source.predictions.items()}
    for name, column in named.items():
        labels = dict.fromkeys(each for each in values_of(column) if not is_missing(each))
        for label in ordered(labels):
            first.setdefault(label, f"{shown(label)} in {column_name(name)}")
        if len(first) > 2:
            break
    return TooManyClassesError.named(
        " and ".join(named),
        first,
        list(first.values())[2],
        are_numbers=name == source.truth and look_like_numbers(first),
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
