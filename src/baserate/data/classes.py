"""Count labels of any number of classes: a square table per model and group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from baserate.core.observed import pairs_of
from baserate.data.cells import Cells, Codes, coded, count_cells, merged
from baserate.data.columns import column_of, require_complete, text_of
from baserate.data.labels import require_alike
from baserate.data.rows import Shown, read_rows
from baserate.exceptions import InvalidLabelsError
from baserate.formatting import listed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from baserate.core.observed import Weights
    from baserate.data.columns import Labels
    from baserate.data.groups import Group

    Ints = NDArray[np.int64]

# The table of more classes than this takes more memory than a laptop has to spare.
MOST_CLASSES = 5_000

Tables: TypeAlias = dict[str, "GroupTables"]
"""The tables of each model, keyed by group; None is the whole test set. A row is a true class."""
Pair: TypeAlias = tuple[str, str]
"""The names of two models."""


class ClassTables(NamedTuple):
    """The tables of every model and group, and how many observations were dropped."""

    labels: tuple[Any, ...]
    tables: Tables
    dropped: int


class ClassPairs(NamedTuple):
    """The tables of every model, and how often each pair of models says what together."""

    labels: tuple[Any, ...]  # the classes, sorted
    tables: Tables  # the tables of each model and group
    # For each pair of models and each group, how often each class is predicted as two others.
    joint: dict[Pair, dict[Group | None, JointCells]]
    dropped: int  # the number of observations that were dropped


@dataclass(frozen=True)
class JointCells:
    """How often a true class is predicted as one class by a model and as another by a second.

    Only combinations that occur are here, sorted by truth, first and second.
    """

    # The place of each class among the labels.
    truth: Ints
    first: Ints
    second: Ints
    counts: Ints  # how often they occur together


@dataclass(frozen=True)
class GroupTables(Mapping["Group | None", "Ints"]):
    """The tables of one model: the whole test set under None, and each group under its name.

    Only the cells that occur are stored. A table is made when it is asked for, because those of
    many groups and classes may not fit in memory together.
    """

    size: int  # the number of classes
    groups: tuple[Group, ...]  # the groups, in order
    cells: Cells  # the places of group, true class and predicted class, with their counts

    def __getitem__(self, group: Group | None) -> Ints:
        (place, truth, predicted), counts = self.cells
        if group is not None:
            number = self._places[group]
            rows = slice(*np.searchsorted(place, [number, number + 1]))
            truth, predicted, counts = truth[rows], predicted[rows], counts[rows]
        table = np.zeros((self.size, self.size), dtype=np.int64)
        np.add.at(table, (truth, predicted), counts)
        return table

    def __iter__(self) -> Iterator[Group | None]:
        return iter((None, *self.groups))

    def __len__(self) -> int:
        return 1 + len(self.groups)

    @cached_property
    def _places(self) -> dict[Group, int]:
        return {group: place for place, group in enumerate(self.groups)}


def count_column(name: str, labels: Labels) -> list[tuple[Any, int]]:
    """Return the classes of a column, sorted, and how often each occurs."""
    column = column_of(name, labels)
    require_complete(name, column, may_drop=False)
    codes = coded(column)
    (cells,) = count_cells([codes], [(0,)])
    found: dict[Any, int] = {}
    for code, count in zip(cells.codes[0].tolist(), cells.counts.tolist(), strict=True):
        label = codes.labels[code]
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
    """Count the predictions of each model, as a whole and in each group; see `read_rows`."""
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
    shown = shown or Shown.of(models)
    rows = read_rows(y_true, models, by, shown, drop=drop, weights=weights)
    columns = [coded(rows.truth), *map(coded, rows.models.values())]
    groups = [] if rows.groups is None else [Codes(rows.groups.names, rows.groups.codes)]
    first = [-1] * len(groups)
    place = {name: number for number, name in enumerate(models, 1)}
    keys = [(*first, 0, place[name]) for name in models]
    keys += [(*first, 0, place[one], place[other]) for one, other in pairs]
    cells = count_cells([*columns, *groups], keys, rows.counts)
    if rows.groups is None:  # all are in group 0
        cells = [Cells((np.zeros_like(each.counts), *each.codes), each.counts) for each in cells]
    counted = Counted(
        [each.labels for each in columns],
        () if rows.groups is None else rows.groups.names,
        dict(zip(models, cells, strict=False)),
        dict(zip(pairs, cells[len(models) :], strict=True)),
        rows.dropped,
    )
    return tables_of(counted, [shown.truth, *(shown.models[name] for name in models)])


class Counted(NamedTuple):
    """What was counted, before its labels are put in order."""

    labels: Sequence[Sequence[Any]]  # the label of each code, for the truth and each model
    groups: tuple[Group, ...]  # the groups; None if there are none
    models: Mapping[str, Cells]  # the codes of group, truth and prediction of each model
    # The codes of group, truth and the predictions of each pair of models.
    pairs: Mapping[Pair, Cells]
    dropped: int  # the number of observations that were dropped


def tables_of(counted: Counted, names: Sequence[str]) -> ClassPairs:
    """Put the labels of all columns, which errors call by these names, in one order."""
    truth, *others = counted.labels
    present = [_present(truth, [cells.codes[1] for cells in counted.models.values()])]
    for labels, cells in zip(others, counted.models.values(), strict=True):
        present.append(_present(labels, [cells.codes[2]]))
    classes = _classes(present, names)
    number_of = {label: number for number, label in enumerate(classes)}
    places = [
        np.array([number_of.get(label, -1) for label in labels], dtype=np.int64)
        for labels in counted.labels
    ]
    place_of = {name: places[number] for number, name in enumerate(counted.models, 1)}
    size = len(classes)

    def placed(cells: Cells, names: Iterable[str]) -> Cells:
        group, *codes = cells.codes
        columns = (places[0], *(place_of[name] for name in names))
        found = (place[code] for place, code in zip(columns, codes, strict=True))
        return _sorted(Cells((group, *found), cells.counts), size)

    tables = {
        name: GroupTables(size, counted.groups, placed(cells, [name]))
        for name, cells in counted.models.items()
    }
    joint = {
        pair: _by_group(placed(cells, pair), counted.groups, size)
        for pair, cells in counted.pairs.items()
    }
    return ClassPairs(tuple(classes), tables, joint, counted.dropped)


def _present(labels: Sequence[Any], codes: Sequence[Ints]) -> list[Any]:
    """Return the labels that occur."""
    occurs = np.zeros(len(labels), dtype=bool)
    for each in codes:
        occurs[each] = True
    return [labels[code] for code in np.flatnonzero(occurs).tolist()]


def _classes(present: Sequence[Sequence[Any]], names: Sequence[str]) -> list[Any]:
    """Return all classes in order, or raise if these cannot be classes."""
    require_alike(dict(zip(names, present, strict=True)))
    found = dict.fromkeys(label for labels in present for label in labels)
    if len(found) > MOST_CLASSES:
        raise too_many(" and ".join(names[:2]), found)
    return ordered(found)


def too_many(names: str, labels: Collection[Any]) -> InvalidLabelsError:
    """Return the error about labels that are too many for a table."""
    return InvalidLabelsError(
        f"must have at most {MOST_CLASSES:,} classes (got {listed(labels, most=3)}); put numbers "
        "into bins, and threshold scores or probabilities, first",
        parameter=names,
    )


def _sorted(cells: Cells, size: int) -> Cells:
    """Return cells in order of group and classes, each once."""
    group, *classes = cells.codes
    shape = (int(group.max()) + 1, *[size] * len(classes))
    flat, counts = merged(np.ravel_multi_index(cells.codes, shape), cells.counts)
    return Cells(tuple(np.unravel_index(flat, shape)), counts)


def _by_group(cells: Cells, groups: Sequence[Group], size: int) -> dict[Group | None, JointCells]:
    """Return the cells of a pair of models, as a whole and in each group."""
    (group, truth, first, second), counts = cells
    whole = _sorted(Cells((np.zeros_like(group), truth, first, second), counts), size)
    _, *places = whole.codes
    joint: dict[Group | None, JointCells] = {
        None: JointCells(places[0], places[1], places[2], whole.counts)
    }
    ends = np.searchsorted(group, np.arange(len(groups) + 1))
    for number, name in enumerate(groups):
        rows = slice(ends[number], ends[number + 1])
        joint[name] = JointCells(truth[rows], first[rows], second[rows], counts[rows])
    return joint


def ordered(labels: Iterable[Any]) -> list[Any]:
    """Return the distinct labels in their order, or sorted as texts if they have none."""
    distinct = list(dict.fromkeys(labels))
    try:
        return sorted(distinct)
    except Exception:  # a user's object may raise anything
        return sorted(distinct, key=lambda label: (type(label).__name__, text_of(label)))
