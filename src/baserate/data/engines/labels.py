"""Count labels of two classes or more where the rows are.

Distinct rows of labels leave the engine with their counts, and are read as arrays are.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from baserate.core.observed import Rows
from baserate.data.columns import is_missing
from baserate.data.engines.frames import column_name, engine_errors, values_of
from baserate.data.engines.query import Columns, Source, distinct_rows
from baserate.data.files import with_progress
from baserate.data.labels import MOST_CLASSES, joined, look_like_numbers, ordered
from baserate.exceptions import InvalidFrameError, InvalidLabelsError, TooManyClassesError
from baserate.formatting import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from baserate.data.labels import CountedLabels
    from baserate.data.rows import Key
    from baserate.exceptions import BaserateError

    Counter = Callable[..., CountedLabels]

# More distinct rows than this would take gigabytes to hand over.
MOST_ROWS = 3_000_000
# So many of the first rows tell whether columns hold numbers, and no classes.
_FIRST_ROWS = 2 * MOST_CLASSES


def count_frame(
    native: Any,
    truth: str,
    predictions: Mapping[str, str],
    rows: Rows,
    *,
    keys: Sequence[Key],
    count: Counter,
) -> CountedLabels:
    """Count the labels of a frame of any library, as a whole and in each group.

    A counter of arrays counts the rows of a frame in memory, or the distinct rows of an engine. The
    keys are models that are counted together.
    """
    with engine_errors():
        source = Source.of(native, truth, predictions, rows)
        if source.is_in_memory:
            return _read(source, source.in_memory(), keys, count)
        return with_progress(source.native, partial(_counted_there, source, keys, count))


def _counted_there(source: Source, keys: Sequence[Key], count: Counter) -> CountedLabels:
    """Count all models at once, or some at a time if there are too many distinct rows."""
    if not source.is_weighed:
        source = source.seen()
    _require_classes(source, count)
    found = _distinct(source, keys, count)
    if found is not None:
        return found
    if len(keys) == 1:
        raise _too_many(source)
    source.require_complete("labels", InvalidLabelsError)
    rows, dropped = source.complete()
    parts = []
    for key in keys:
        found = _distinct(rows.of_models(key), [key], count)
        if found is None:
            raise _too_many(rows.of_models(key))
        parts.append(found)
    return joined(parts)._replace(dropped=dropped)


def _distinct(source: Source, keys: Sequence[Key], count: Counter) -> CountedLabels | None:
    """Count the distinct rows; None if there are too many."""
    names = list(source.predictions.values())
    # An importance weight is one more thing by which rows are alike.
    weights = source.rows.weights if source.is_weighed else None
    by = source.group() | {"truth": source.label(source.truth)}
    by |= {f"key{place}": source.label(name) for place, name in enumerate(names)}
    if weights is not None:
        by["importance"] = source.label(weights.values)
    weight = None if weights is not None else source.weight
    found = distinct_rows(source.frame, by, MOST_ROWS, weight=weight)
    if not found.is_whole:
        return None
    labels = (source.labels_of(name, found.columns[f"key{n}"]) for n, name in enumerate(names))
    columns = source.columns_of(found, dict(zip(source.predictions, labels, strict=True)))
    if weights is not None:
        values = source.labels_of(weights.values, found.columns["importance"])
        columns = columns._replace(weights=weights._replace(values=values))
    try:
        return _read(source, columns, keys, count, found.times)
    except TooManyClassesError:
        raise _third_class(source, columns) from None


def _read(
    source: Source,
    columns: Columns,
    keys: Sequence[Key],
    count: Counter,
    times: NDArray[np.int64] | None = None,
) -> CountedLabels:
    """Count columns as arrays are, which an error calls by their names in the frame."""
    truth, models, groups, weights = columns
    rows = source.rows._replace(by=groups, weights=weights, pos_label=source.pos_label)
    with source.naming_gaps("labels", InvalidLabelsError):
        return count(truth, models, rows, keys, shown=source.shown, times=times)


def _require_classes(source: Source, count: Counter) -> None:
    """Raise what arrays would raise if the first rows have more values than a table has classes.

    To group by numbers that are all different would take long. Whole numbers rarely are.
    """
    names = [name for name in source.labelled if source.may_be_numbers(name)]
    if not names:
        return
    found = source.first(_FIRST_ROWS)
    if any(len(set(values_of(found[name]))) > MOST_CLASSES for name in names):
        models = {model: found[name] for model, name in source.predictions.items()}
        plain = replace(source, rows=Rows(pos_label=source.rows.pos_label, drop=True))
        keys = [(model,) for model in models]
        _read(plain, Columns(found[source.truth], models, None, None), keys or [()], count)
        raise _too_many(source)


def _too_many(source: Source) -> BaserateError:
    if source.is_weighed:
        return InvalidFrameError(
            f"must have at most {MOST_ROWS:,} different rows of labels and weights (got more), "
            "since these leave the engine: evaluate a random sample of the rows",
            parameter="sample_weight",
        )
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
