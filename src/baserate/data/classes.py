"""Count labels of any number of classes: a square table per model and group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.paired import pairs_of
from baserate.data.alignment import require_aligned
from baserate.data.cells import Cells, count_cells
from baserate.data.coding import Codes, coded
from baserate.data.groups import Groups
from baserate.data.labels import complete_rows, require_complete, require_equal_lengths
from baserate.data.models import Shown
from baserate.data.tables import ClassPairs, ClassTables, Counted, ordered, tables_of
from baserate.data.vectors import column_of
from baserate.data.weights import aligned_weights, left_out, seen_rows
from baserate.formatting import shown as text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from baserate.core.task import Weights
    from baserate.data.coding import Coded
    from baserate.data.labels import Labels
    from baserate.data.tables import Pair
    from baserate.data.values import Column

    Ints = NDArray[np.int64]


def count_column(name: str, labels: Labels) -> list[tuple[Any, int]]:
    """Return the classes of a column, sorted, and how often each occurs."""
    column = column_of(name, labels)
    require_complete(name, column, may_drop=False)
    (codes,), (cells,) = _counted([column], [], [(0,)])
    labels_of = (codes.labels[code] for code in cells.codes[0].tolist())
    found: dict[Any, int] = {}
    for label, count in zip(labels_of, cells.counts.tolist(), strict=True):
        found[label] = found.get(label, 0) + count
    return [(label, found[label]) for label in ordered(found)]


def count_classes(
    y_true: Labels,
    models: Mapping[str, Labels],
    by: Labels | None,
    *,
    drop: bool = False,
    shown: Shown | None = None,
    weights: Weights | None = None,
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
    weights
        How often each observation was seen.
    """
    found = _tables(y_true, models, by, [], drop=drop, shown=shown, weights=weights)
    return ClassTables(found.labels, found.tables, found.dropped)


def count_class_pairs(
    y_true: Labels,
    models: Mapping[str, Labels],
    by: Labels | None,
    *,
    drop: bool = False,
    with_first: bool = False,
    shown: Shown | None = None,
    weights: Weights | None = None,
) -> ClassPairs:
    """Count each model, and pairs of models on the same rows; see `count_classes`."""
    pairs = pairs_of(list(models), with_first=with_first)
    return _tables(y_true, models, by, pairs, drop=drop, shown=shown, weights=weights)


def _tables(
    y_true: Labels,
    models: Mapping[str, Labels],
    by: Labels | None,
    pairs: Sequence[Pair],
    *,
    drop: bool,
    shown: Shown | None,
    weights: Weights | None,
) -> ClassPairs:
    shown = shown or Shown("y_true", {name: f"model {text(name)}" for name in models})
    require_aligned(shown.labels(y_true, models) | {"by": by} | aligned_weights(weights))
    y_true, models, by, counts, _ = seen_rows(weights, y_true, models, by)
    named = shown.labels(y_true, models)
    columns = {name: column_of(name, labels) for name, labels in named.items()}
    require_equal_lengths(columns)
    groups = None if by is None else Groups.of(by, columns[shown.truth].size)
    dropped = 0
    if drop:
        keep = complete_rows(columns)
        if not keep.all():
            dropped, counts = left_out(keep, counts)
            columns = {name: column_of(name, column[keep]) for name, column in columns.items()}
            groups = None if groups is None else groups.kept(keep)
    for name, column in columns.items():
        require_complete(name, column, may_drop=True)
    place = {name: number for number, name in enumerate(models, 1)}
    keys: list[tuple[int, ...]] = [(0, place[name]) for name in models]
    keys += [(0, place[one], place[other]) for one, other in pairs]
    first = [] if groups is None else [Codes(groups.names, groups.codes)]
    codes, cells = _counted(list(columns.values()), first, keys, counts)
    if groups is None:
        cells = [_in_one_group(each) for each in cells]
    counted = Counted(
        [each.labels for each in codes],
        () if groups is None else groups.names,
        dict(zip(models, cells, strict=False)),
        dict(zip(pairs, cells[len(models) :], strict=True)),
        dropped,
    )
    return tables_of(counted, list(named))


def _counted(
    columns: Sequence[Column],
    groups: Sequence[Codes],
    keys: Sequence[tuple[int, ...]],
    counts: Ints | None = None,
    *,
    closely: bool = False,
) -> tuple[list[Coded], list[Cells]]:
    """Code the columns, and count their combinations, in each group if there are groups.

    Parameters
    ----------
    columns
        The columns of labels.
    groups
        The column of groups, if there is one.
    keys
        The places of the columns to combine.
    counts
        How often each row was seen; None if once.
    closely
        Whether the first rows have not shown the span of all.
    """
    codes = [coded(column, closely=closely) for column in columns]
    prefix = (len(columns),) if groups else ()
    cells = count_cells([*codes, *groups], [prefix + key for key in keys], counts)
    if cells is None:
        return _counted(columns, groups, keys, counts, closely=True)
    return codes, cells


def _in_one_group(cells: Cells) -> Cells:
    """Return cells as those of group 0."""
    return Cells((np.zeros(cells.counts.size, dtype=np.int64), *cells.codes), cells.counts)
