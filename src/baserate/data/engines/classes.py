"""Count labels of any number of classes where the rows are.

The engine counts how often group, truth and prediction occur together, and only those counts come
back: about K² for each model and group.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.paired import pairs_of
from baserate.data.cells import Cells
from baserate.data.classes import (
    ClassPairs,
    ClassTables,
    Counted,
    count_class_pairs,
    count_classes,
    tables_of,
)
from baserate.data.columns import Places, is_missing
from baserate.data.engines.class_queries import ClassQuery, parts_of
from baserate.data.engines.frames import (
    as_frame,
    counted_in_memory,
    engine_errors,
    is_in_memory,
    missing_labels,
    require_columns,
    weights_in,
)
from baserate.data.engines.texts import label_of, typed_groups
from baserate.data.engines.weights import seen_frame
from baserate.data.files import is_text, reads_groups, with_progress
from baserate.data.groups import ordered_groups, plain_group
from baserate.data.rows import Shown
from baserate.exceptions import InvalidLabelsError
from baserate.formatting import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from baserate.data.classes import Pair
    from baserate.data.engines.class_queries import Found, Part
    from baserate.data.groups import Group


def count_frame_classes(
    native: Any,
    truth: str,
    predictions: Mapping[str, str],
    *,
    by: str | None = None,
    drop: bool = False,
    weight: str | None = None,
) -> ClassTables:
    """Count every model of a frame, as a whole and in each group, in one aggregation.

    Parameters
    ----------
    native
        A data frame of any library that narwhals supports, eager or lazy.
    truth
        The column of true labels.
    predictions
        The columns of predicted labels, keyed by model name.
    by
        The column of groups.
    drop
        Whether to drop rows with a missing label.
    weight
        The column of how often each row was seen; None if once.
    """
    _require_columns(native, truth, predictions, by, weight)
    found = _counted(native, truth, predictions, by, drop=drop, weight=weight)
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
    _require_columns(native, truth, predictions, by, weight)
    pairs = pairs_of(range(len(predictions)), with_first=with_first)
    in_memory = partial(_pairs_in_memory, with_first=with_first)
    options: Any = {"drop": drop, "weight": weight, "pairs": pairs, "in_memory": in_memory}
    return _counted(native, truth, predictions, by, **options)


def _require_columns(
    native: Any, truth: str, predictions: Mapping[str, str], by: str | None, weight: str | None
) -> None:
    """Raise unless a frame has all columns that are named, each for one purpose."""
    with engine_errors():
        require_columns(as_frame(native), [truth, *predictions.values()], by, weight)


def count_frame_column(
    native: Any, truth: str, *, drop: bool = False, weight: str | None = None
) -> ClassTables:
    """Count the labels of one column as if it were its own prediction: always right."""
    with engine_errors():
        frame = as_frame(native)
        require_columns(frame, [truth], None, weight)
        if is_in_memory(frame):
            labels: Any = frame.get_column(truth).to_native()  # type: ignore[union-attr]
            names = Shown(f"column {shown(truth)}", {truth: "itself"})
            options: Any = {"drop": drop, "shown": names, "weights": weights_in(frame, weight)}
            return count_classes(labels, {truth: labels}, None, **options)
    found = _counted(native, truth, {truth: truth}, None, drop=drop, weight=weight)
    return ClassTables(found.labels, found.tables, found.dropped)


def _counted(
    native: Any,
    truth: str,
    predictions: Mapping[str, str],
    by: str | None,
    *,
    drop: bool,
    weight: str | None,
    pairs: Sequence[tuple[int, int]] = (),
    in_memory: Callable[..., ClassPairs] | None = None,
) -> ClassPairs:
    columns = (truth, *predictions.values())
    with engine_errors():
        frame = as_frame(native)
        schema = frame.collect_schema()
        if is_in_memory(frame):
            counted = in_memory or _models_in_memory
            return counted_in_memory(
                frame, truth, predictions, by, None, counted=counted, drop=drop, weight=weight
            )

        def count() -> _Tally:
            parts = parts_of(len(predictions), pairs)
            rows = seen_frame(frame, weight, schema, text=is_text(native))
            query = ClassQuery(rows, schema, columns, by, parts, is_text(native), weight)
            tally = _Tally(list(predictions), parts[0], _read_text if query.is_text else _read)
            for found in query.run():
                tally.add(found)
            return tally

        tally = with_progress(native, count)
    if any(tally.missing.values()) and not drop:
        raise missing_labels({name: tally.missing[place] for place, name in enumerate(columns)})
    if not tally.models:
        raise InvalidLabelsError(f"{truth} must hold at least one label (got none)")
    names = typed_groups(tally.groups) if reads_groups(native, by) else {}
    return tables_of(tally.counted(names), [f"column {shown(name)}" for name in columns])


def _models_in_memory(
    y_true: Any, models: Mapping[str, Any], _: object, by: Any, **options: Any
) -> ClassPairs:
    labels, tables, dropped = count_classes(y_true, models, by, **options)
    return ClassPairs(labels, tables, {}, dropped)


def _pairs_in_memory(
    y_true: Any, models: Mapping[str, Any], _: object, by: Any, **options: Any
) -> ClassPairs:
    return count_class_pairs(y_true, models, by, **options)


@dataclass
class _Tally:
    """The counts that came back, added up by the meaning of their labels.

    Parameters
    ----------
    names
        The models.
    first
        The part that counts what all rows share: how many lack a label, and a true one.
    read
        The meaning of a label; None if it is missing.
    missing
        How many labels are missing in each column, the truth being column 0.
    models
        How often a model has a group, a true and a predicted label.
    pairs
        How often two models have a group, a true and two predicted labels.
    dropped
        The number of rows with a missing label.
    """

    names: list[str]
    first: Part
    read: Callable[[Any], Any]
    missing: Counter[int] = field(default_factory=Counter)
    models: Counter[tuple[Any, ...]] = field(default_factory=Counter)
    pairs: Counter[tuple[Any, ...]] = field(default_factory=Counter)
    dropped: int = 0

    @property
    def groups(self) -> set[Group]:
        """The groups that were found."""
        return {group for _, group, *_ in self.models if group is not None}

    def add(self, found: Found) -> None:
        """Add one combination of labels."""
        part, rows = found.part, found.rows
        truth, *labels = map(self.read, found.labels)
        lacks = found.lacks or truth is None or None in labels
        if part is self.first:
            self.missing[0] += rows * (truth is None)
            self.dropped += rows * lacks
        known = dict(zip(part.models, labels, strict=True))
        for model in part.new:
            self.missing[model + 1] += rows * (known[model] is None)
        if lacks:
            return
        group = plain_group(found.group[0]) if found.group else None
        for model in part.new:
            self.models[model, group, truth, known[model]] += rows
        if len(labels) == 2:
            self.pairs[part.models, group, truth, *labels] += rows

    def counted(self, renamed: Mapping[Group, Group]) -> Counted:
        """Return the counts by codes.

        Parameters
        ----------
        renamed
            Other names of groups; those with the same one are merged.
        """
        groups = ordered_groups({renamed.get(group, group) for group in self.groups})
        place = {group: number for number, group in enumerate(groups)}
        codes = [Places() for _ in range(len(self.names) + 1)]
        by_model: dict[str, list[tuple[int, ...]]] = {name: [] for name in self.names}
        by_pair: dict[Pair, list[tuple[int, ...]]] = {}
        for (model, group, truth, label), count in self.models.items():
            at = place.get(renamed.get(group, group), 0)
            by_model[self.names[model]].append(
                (at, codes[0][truth], codes[model + 1][label], count)
            )
        for ((one, other), group, truth, first, second), count in self.pairs.items():
            at = place.get(renamed.get(group, group), 0)
            by_pair.setdefault((self.names[one], self.names[other]), []).append(
                (at, codes[0][truth], codes[one + 1][first], codes[other + 1][second], count)
            )
        return Counted(
            [list(each) for each in codes],
            groups,
            {name: _cells(rows) for name, rows in by_model.items()},
            {pair: _cells(by_pair[pair]) for pair in pairs_of(self.names) if pair in by_pair},
            self.dropped,
        )


def _read(label: Any) -> Any:
    """Return a label as a Python value; None if it is missing."""
    if is_missing(label):
        return None
    return label.item() if isinstance(label, np.generic) else label


def _read_text(label: Any) -> Any:
    """Return the meaning of a label in a file without types."""
    return label_of(label) if isinstance(label, str) else _read(label)


def _cells(rows: Sequence[tuple[int, ...]]) -> Cells:
    """Return codes and counts, a row each, as columns."""
    *codes, counts = np.array(rows, dtype=np.int64).T
    return Cells(tuple(codes), counts)
