"""Count labels of two classes or more where the rows are.

Distinct rows of labels leave the engine with their counts, and are read as arrays are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from baserate.core.observed import Rows, Weights
from baserate.data.columns import column_of, is_missing, missing_in
from baserate.data.engines.distinct import Source, distinct_rows
from baserate.data.engines.frames import column_name, engine_errors, fetched, values_of
from baserate.data.engines.texts import label_of
from baserate.data.files import with_progress
from baserate.data.label_counts import MOST_CLASSES, joined, ordered
from baserate.data.labels import look_like_numbers
from baserate.data.weights import observations, require_name, seen_rows
from baserate.exceptions import (
    BaserateError,
    InvalidFrameError,
    InvalidLabelsError,
    TooManyClassesError,
)
from baserate.formatting import setting, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from baserate.data.label_counts import CountedLabels
    from baserate.data.rows import Key

    Ints = NDArray[np.int64]

# More distinct rows than this would take gigabytes to hand over.
MOST_ROWS = 3_000_000
# So many of the first rows tell whether columns hold numbers, and no classes.
_FIRST_ROWS = 2 * MOST_CLASSES
# An error names at most this many columns.
_MOST_NAMED = 12


def count_frame(
    native: Any,
    truth: str,
    predictions: Mapping[str, str],
    asked: Rows,
    *,
    keys: Sequence[Key],
    counted: Callable[..., CountedLabels],
) -> CountedLabels:
    """Count the labels of a frame, as a whole and in each group.

    Parameters
    ----------
    native
        A data frame of any library that narwhals supports, eager or lazy.
    truth, predictions
        The column of true labels, and those of predicted ones, keyed by model name.
    asked
        The columns of groups and of weights, the positive class, and whether to drop rows with a
        missing label.
    keys
        The models that are counted together.
    counted
        Counts the same of arrays.
    """
    weight = None if asked.weights is None else require_name(asked.weights.values)
    with engine_errors():
        source = Source.of(native, truth, predictions, asked.by, weight)
        asked = asked._replace(pos_label=positive_label(source, asked.pos_label))
        reader = _Reader(source, asked, counted)
        if source.is_in_memory:
            return reader.read(keys, source.in_memory()[0])
        return with_progress(native, partial(reader.count, keys))


def positive_label(source: Source, pos_label: object) -> object:
    """Return the positive class as labels of the frame are read."""
    if not (source.is_text and isinstance(pos_label, str)):
        return pos_label
    label = label_of(pos_label)
    if label is None:
        raise InvalidLabelsError.missing_positive(pos_label)
    return label


@dataclass(frozen=True)
class _Reader:
    """Reads rows of labels as arrays are read."""

    source: Source
    asked: Rows
    counted: Callable[..., CountedLabels]

    def count(self, keys: Sequence[Key]) -> CountedLabels:
        """Count all models at once, or some at a time if there are too many distinct rows."""
        # An importance weight is one more thing by which rows are alike.
        is_importance = self.asked.weights is not None and self.asked.weights.kind == "importance"
        seen = replace(self.source, weight=None) if is_importance else self.source.seen()
        rows = replace(self, source=seen)
        rows.require_classes()
        found = rows.distinct(keys)
        if found is not None:
            return found
        missing = seen.count_missing()
        if any(missing.values()) and not self.asked.drop:
            raise missing_labels(missing)
        complete, dropped = seen.complete()
        parts = []
        for key in keys:
            found = replace(self, source=complete.of_models(key)).distinct([key])
            if found is None:
                raise _too_many_rows(seen.labelled, has_weights=is_importance)
            parts.append(found)
        return joined(parts)._replace(dropped=dropped)

    def distinct(self, keys: Sequence[Key]) -> CountedLabels | None:
        """Count the distinct rows; None if there are too many."""
        source, weights = self.source, self.asked.weights
        others = [] if weights is None or source.weight is not None else [weights.values]
        names = [*source.labelled, *others]
        by = {f"key{place}": source.label(name) for place, name in enumerate(names)}
        found = distinct_rows(source.frame, source.group() | by, MOST_ROWS, weight=source.weight)
        if not found.is_whole:
            return None
        columns = {
            name: source.labels_of(name, found.columns[f"key{place}"])
            for place, name in enumerate(names)
        }
        if source.by is not None:
            columns[source.by] = source.groups_of(found.columns)
        try:
            return self.read(keys, columns, found.times)
        except TooManyClassesError:
            raise _third_class(source, columns) from None

    def read(
        self, keys: Sequence[Key], columns: Mapping[str, Any], times: Ints | None = None
    ) -> CountedLabels:
        """Count columns as arrays are, which an error calls by their names in the frame."""
        source, asked = self.source, self.asked
        models = {model: columns[name] for model, name in source.predictions.items()}
        groups = None if source.by is None else columns[source.by]
        weights = asked.weights
        if weights is not None and weights.values in columns:
            weights = weights._replace(values=columns[weights.values])
        elif times is not None:
            weights = Weights(times, "frequency") if times.size else None
        rows = asked._replace(by=groups, weights=weights)
        try:
            names: Any = {"shown": source.shown, "times": times}
            return self.counted(columns[source.truth], models, rows, keys, **names)
        except InvalidLabelsError:
            missing = missing_in_columns(source, columns, weights, times)
            if any(missing.values()) and not asked.drop:
                raise missing_labels(missing) from None
            raise

    def require_classes(self) -> None:
        """Raise what arrays would raise if the first rows have more values than there are classes.

        To group by numbers that are all different would take long. Whole numbers rarely are.
        """
        source = self.source
        names = [
            name
            for name in source.labelled
            if source.is_read(name) or source.schema[name].is_float()
        ]
        if not names:
            return
        rows: Any = source.frame.select(*source.labelled).head(_FIRST_ROWS)
        found = {name: source.labels_of(name, each) for name, each in fetched(rows).items()}
        if any(len(set(values_of(found[name]))) > MOST_CLASSES for name in names):
            asked = self.asked._replace(drop=True, weights=None)
            keys: list[Key] = [(model,) for model in source.predictions] or [()]
            _Reader(replace(source, by=None), asked, self.counted).read(keys, found)
            raise _too_many_rows(source.labelled)


def missing_in_columns(
    source: Source, columns: Mapping[str, Any], weights: Weights | None, times: Ints | None = None
) -> dict[str, int]:
    """Return how many labels are missing in each column."""
    labels = {name: columns[name] for name in source.labelled}
    seen = seen_rows(weights, columns[source.truth], labels, None, times)
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


def _too_many_rows(columns: Sequence[str], *, has_weights: bool = False) -> BaserateError:
    if has_weights:
        return InvalidFrameError(
            f"must have at most {MOST_ROWS:,} different rows of labels and weights (got more), "
            "since these leave the engine: evaluate a random sample of the rows",
            parameter="sample_weight",
        )
    return InvalidLabelsError(
        f"must have at most {MOST_ROWS:,} different rows (got more); put numbers into bins, and "
        "threshold scores or probabilities, first",
        parameter=" and ".join(columns),
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
