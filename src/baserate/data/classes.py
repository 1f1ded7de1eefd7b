"""Count labels of any number of classes: a square table per model and group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from baserate.data.alignment import require_aligned
from baserate.data.groups import Groups
from baserate.data.labels import complete_rows, require_complete, require_equal_lengths
from baserate.data.models import Shown
from baserate.data.vectors import Values, column_of
from baserate.exceptions.base import shown as text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from baserate.data.groups import Group
    from baserate.data.labels import Labels
    from baserate.data.vectors import Column

    Ints = NDArray[np.int64]

Tables: TypeAlias = dict[str, dict["Group | None", "Ints"]]
"""The table of each model, keyed by group; None is the whole test set. A row is a true class."""


class ClassTables(NamedTuple):
    """The tables of every model and group, and how many observations were dropped."""

    labels: tuple[Any, ...]
    tables: Tables
    dropped: int


def count_column(name: str, labels: Labels) -> list[tuple[Any, int]]:
    """Return the classes of a column, sorted, and how often each occurs."""
    column = column_of(name, labels)
    require_complete(name, column, may_drop=False)
    classes, (codes,) = _coded([column])
    counts = np.bincount(codes, minlength=len(classes)).tolist()
    return list(zip(classes, counts, strict=True))


def count_classes(
    y_true: Labels,
    models: Mapping[str, Labels],
    by: Labels | None,
    *,
    drop: bool = False,
    shown: Shown | None = None,
) -> ClassTables:
    """Count the predictions of each model, as a whole and in each group.

    Parameters
    ----------
    y_true
        The true labels.
    models
        The predicted labels of each model.
    by
        The group of each observation.
    drop
        Whether to leave out observations with a missing label.
    shown
        The names for error messages.
    """
    shown = shown or Shown("y_true", {name: f"model {text(name)}" for name in models})
    named = shown.labels(y_true, models)
    require_aligned(named | {"by": by})
    columns = {name: column_of(name, labels) for name, labels in named.items()}
    require_equal_lengths(columns)
    groups = None if by is None else Groups.of(by, next(iter(columns.values())).size)
    dropped = 0
    if drop:
        keep = complete_rows(named)
        columns = {name: column[keep] for name, column in columns.items()}
        groups = None if groups is None else groups.kept(keep)
        dropped = int(np.count_nonzero(~keep))
    for name, column in columns.items():
        require_complete(name, column, may_drop=True)
    classes, (truth, *predicted) = _coded(list(columns.values()))
    size = len(classes)
    tables: Tables = {}
    for name, codes in zip(models, predicted, strict=True):
        cells = truth * size + codes
        whole = np.bincount(cells, minlength=size * size).reshape(size, size)
        tables[name] = {None: whole}
        if groups is not None:
            split = np.bincount(
                groups.codes * size * size + cells, minlength=size * size * len(groups.names)
            )
            of_groups = split.reshape(-1, size, size)
            tables[name] |= dict(zip(groups.names, of_groups, strict=True))
    return ClassTables(tuple(classes), tables, dropped)


def _coded(columns: list[Column]) -> tuple[list[Any], list[NDArray[np.intp]]]:
    """Return the classes of some columns, sorted, and the place of each label among them."""
    found = [_distinct(column) for column in columns]
    classes = ordered(label for distinct, _ in found for label in distinct)
    place = {label: number for number, label in enumerate(classes)}
    return classes, [
        np.array([place[label] for label in distinct], dtype=np.intp)[codes]
        for distinct, codes in found
    ]


def _distinct(column: Column) -> tuple[list[Any], NDArray[np.intp]]:
    """Return the distinct labels of a column, and the place of each row's label among them."""
    if isinstance(column, Values):
        present = np.flatnonzero(np.bincount(column.codes, minlength=len(column.distinct)))
        places = np.full(len(column.distinct), -1)
        places[present] = np.arange(present.size)
        return [column.distinct[place] for place in present], places[column.codes]
    values, codes = np.unique(column, return_inverse=True)
    return values.tolist(), codes


def ordered(labels: Iterable[Any]) -> list[Any]:
    """Return the distinct labels in their order, or sorted as texts if they have none."""
    distinct = list(dict.fromkeys(labels))
    try:
        return sorted(distinct)
    except TypeError:
        return sorted(distinct, key=lambda label: (type(label).__name__, str(label)))
