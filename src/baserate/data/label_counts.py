"""Count rows of labels that are alike: the truth, one model or two beside it, in each group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from baserate.data.cells import Cells, Codes, coded, count_cells, merged
from baserate.data.columns import column_of, require_complete
from baserate.data.labels import (
    agreed_negative,
    count_labels,
    ordered,
    positive_mask,
    require_alike,
)
from baserate.data.rows import Shown, read_rows
from baserate.data.weights import Importance
from baserate.exceptions import InvalidLabelsError
from baserate.formatting import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from baserate.core.observed import Rows
    from baserate.data.columns import Labels
    from baserate.data.rows import Group, Key, ReadColumns

    Ints = NDArray[np.int64]

T = TypeVar("T")

# The table of more classes than this takes more memory than a laptop has to spare.
MOST_CLASSES = 5_000


class CountedLabels(NamedTuple):
    """How often each combination of labels occurs."""

    labels: tuple[Any, ...]  # the classes, in order; of two, whether it is the positive one
    groups: tuple[Group, ...]
    # The places of group, truth, predictions and importance weight that occur together, in order.
    cells: dict[Key, Cells]
    dropped: int  # how many observations were left out
    weights: NDArray[np.float64] | None = None  # the importance weights that occur

    def tables(self, build: Callable[..., T]) -> dict[Key, dict[Group | None, T]]:
        """Build what was observed, as a whole and in each group.

        Parameters
        ----------
        build
            Takes the classes, the places of the truth and of predictions, and how often these occur
            together, or, if rows matter more or less, an `Importance`; some may come twice.
        """
        return {key: self._built(cells, build) for key, cells in self.cells.items()}

    def _built(self, cells: Cells, build: Callable[..., T]) -> dict[Group | None, T]:
        (group, *places), counts = cells
        heavy = None if self.weights is None else self.weights[places.pop()]
        ends = np.searchsorted(group, np.arange(len(self.groups) + 1))
        parts = [slice(None), *map(slice, ends[:-1], ends[1:])]

        def counted(part: slice) -> Any:
            return counts[part] if heavy is None else Importance(heavy[part], counts[part])

        return {
            name: build(self.labels, *(each[part] for each in places), counted(part))
            for name, part in zip((None, *self.groups), parts, strict=True)
        }


def count_two_classes(
    y_true: Labels,
    models: Mapping[str, Labels],
    asked: Rows,
    keys: Sequence[Key],
    *,
    shown: Shown | None = None,
    times: Ints | None = None,
) -> CountedLabels:
    """Count labels of two classes, or of one class and the rest; see `read_rows`."""
    shown = shown or Shown.of(models)
    rows = read_rows(y_true, models, asked, shown, times=times)
    whole = _require_two_classes(rows, shown, asked.pos_label)
    is_plain = rows.groups is rows.counts is rows.importance is None
    if is_plain and all(len(key) == 1 for key in keys):
        return CountedLabels((False, True), (), {key: whole[key[0]] for key in keys}, rows.dropped)
    columns = [
        Codes((False, True), positive_mask(each, asked.pos_label).view(np.uint8))
        for each in (rows.truth, *rows.models.values())
    ]
    return _counted(rows, columns, keys)._replace(labels=(False, True))


def _require_two_classes(rows: ReadColumns, shown: Shown, pos_label: object) -> dict[str, Cells]:
    """Return the counts of each model as a whole, each row once, or raise."""
    negative: Any = None
    found: dict[str, Cells] = {}
    if not rows.models:
        count_labels({shown.truth: rows.truth}, pos_label, may_drop=True)
    for name, predicted in rows.models.items():
        columns = {shown.truth: rows.truth, shown.models[name]: predicted}
        counts = count_labels(columns, pos_label, may_drop=True)
        negative = agreed_negative("models", negative, counts.negative)
        tp, fp, fn, tn = counts.cells
        places = np.array([[0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 0, 1]])
        found[name] = Cells(tuple(places), np.array([tn, fp, fn, tp]))
    return found


def count_classes(
    y_true: Labels,
    models: Mapping[str, Labels],
    asked: Rows,
    keys: Sequence[Key],
    *,
    shown: Shown | None = None,
    times: Ints | None = None,
) -> CountedLabels:
    """Count labels of any number of classes, which are sorted; see `read_rows`."""
    shown = shown or Shown.of(models)
    rows = read_rows(y_true, models, asked, shown, times=times)
    columns = [coded(rows.truth), *map(coded, rows.models.values())]
    counted = _counted(rows, columns, keys)
    place = {name: number for number, name in enumerate(models, 1)}
    columns_of = {key: [0, *(place[name] for name in key)] for key in keys}
    occurs = [np.zeros(len(each.labels), dtype=bool) for each in columns]
    for key, cells in counted.cells.items():
        for column, places in zip(columns_of[key], cells.codes[1:], strict=False):
            occurs[column][places] = True
    names = [shown.truth, *(shown.models[name] for name in models)]
    present = {
        name: [each.labels[place] for place in np.flatnonzero(met).tolist()]
        for name, each, met in zip(names, columns, occurs, strict=True)
    }
    classes = _classes(present)
    numbers = [_numbers(each.labels, classes) for each in columns]
    cells_of = {
        key: _renumbered(cells, [numbers[column] for column in columns_of[key]])
        for key, cells in counted.cells.items()
    }
    return counted._replace(labels=tuple(classes), cells=cells_of)


def _counted(rows: ReadColumns, columns: Sequence[Codes], keys: Sequence[Key]) -> CountedLabels:
    """Count combinations of columns: the truth, and then the models."""
    place = {name: number for number, name in enumerate(rows.models, 1)}
    every, first, last = list(columns), [], []
    if rows.groups is not None:
        first = [len(every)]
        every.append(Codes(rows.groups.names, rows.groups.codes))
    weights = None
    if rows.importance is not None:
        weights, codes = np.unique(rows.importance, return_inverse=True)
        last = [len(every)]
        every.append(Codes(weights.tolist(), codes))
    asked = [(*first, 0, *(place[name] for name in key), *last) for key in keys]
    cells = count_cells(every, asked, rows.counts)
    if rows.groups is None:  # all are in group 0
        cells = [Cells((np.zeros_like(each.counts), *each.codes), each.counts) for each in cells]
    groups = () if rows.groups is None else rows.groups.names
    found = dict(zip(keys, cells, strict=True))
    return CountedLabels((), groups, found, rows.dropped, weights)


def joined(parts: Sequence[CountedLabels]) -> CountedLabels:
    """Return the counts of models that were counted in parts, with the classes of all of them."""
    if len(parts) == 1:
        return parts[0]
    labels = ordered(label for part in parts for label in part.labels)
    cells = {
        key: _renumbered(each, [_numbers(part.labels, labels)] * (1 + len(key)))
        for part in parts
        for key, each in part.cells.items()
    }
    return parts[0]._replace(labels=tuple(labels), cells=cells)


def _numbers(labels: Sequence[Any], classes: Sequence[Any]) -> Ints:
    """Return the place of each label among the classes; -1 if it does not occur."""
    number_of = {label: number for number, label in enumerate(classes)}
    return np.array([number_of.get(label, -1) for label in labels], dtype=np.int64)


def _renumbered(cells: Cells, numbers: Sequence[Ints]) -> Cells:
    """Return cells in order, each once, with other places of the truth and of predictions."""
    codes = list(cells.codes)
    for at, number in enumerate(numbers, 1):
        codes[at] = number[codes[at]]
    shape = [int(each.max()) + 1 for each in codes]
    flat, counts = merged(np.ravel_multi_index(codes, shape), cells.counts)
    return Cells(tuple(np.unravel_index(flat, shape)), counts)


def count_column(name: str, labels: Labels) -> dict[Any, int]:
    """Return how often each class of a column occurs; the classes are sorted."""
    column = column_of(name, labels)
    require_complete(name, column, may_drop=False)
    codes = coded(column)
    (cells,) = count_cells([codes], [(0,)])
    found: dict[Any, int] = {}
    for code, count in zip(cells.codes[0].tolist(), cells.counts.tolist(), strict=True):
        label = codes.labels[code]
        found[label] = found.get(label, 0) + count
    return {label: found[label] for label in ordered(found)}


def _classes(present: Mapping[str, Sequence[Any]]) -> list[Any]:
    """Return all classes in order, or raise if these cannot be classes."""
    require_alike(present)
    found = dict.fromkeys(label for labels in present.values() for label in labels)
    if len(found) > MOST_CLASSES:
        raise InvalidLabelsError(
            f"must have at most {MOST_CLASSES:,} classes (got {listed(found, most=3)}); put "
            "numbers into bins, and threshold scores or probabilities, first",
            parameter=" and ".join(list(present)[:2]),
        )
    return ordered(found)
