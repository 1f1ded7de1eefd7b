"""Count rows of labels that are alike: the truth, one model or two beside it, in each group."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np

from baserate.core.observed import Rows
from baserate.data.cells import PIECE, Cells, Codes, coded, count_cells, merged
from baserate.data.columns import (
    column_of,
    is_fraction,
    is_hashable,
    is_missing,
    require_complete,
    text_of,
)
from baserate.data.rows import Shown, read_rows
from baserate.data.weights import Importance
from baserate.exceptions import InvalidLabelsError, TooManyClassesError
from baserate.formatting import listed, setting, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from baserate.data.columns import Column, Labels, Mask
    from baserate.data.rows import Group, Key, ReadColumns

    Ints = NDArray[np.int64]

T = TypeVar("T")

Several: TypeAlias = Literal["never", "beyond two", "if unclear", "always"]
"""When no class is positive: never, if the truth has three, if it is not clear which, or always."""
WhenSeveral: TypeAlias = "Several | Callable[[], Several]"
"""The same, or what tells it where labels have more than two classes."""
MOST_CLASSES = 5_000
"""The table of more classes takes more memory than a laptop has to spare."""
# The pairs of labels whose positive class is obvious; booleans are 0 and 1.
EVIDENT_POSITIVE = 1
_EVIDENT_NEGATIVES = (0, -1)
# So many classes does an error list.
_MOST_LISTED = 5
# A truth of numbers that are farther apart is no coding of classes, most likely.
_FAR_APART = 20


class CountedLabels(NamedTuple):
    """How often each combination of labels occurs."""

    labels: tuple[Any, ...] | None  # the classes, in order; None if one of two is positive
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
            together, or, if rows matter more or less, an `Importance`; some may come twice. If one
            of two classes is positive, the classes are None, and places say whether it is that one.
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


def count_labels(
    y_true: Labels,
    models: Mapping[str, Labels],
    asked: Rows,
    keys: Sequence[Key],
    *,
    several: WhenSeveral = "never",
    shown: Shown | None = None,
    times: Ints | None = None,
) -> CountedLabels:
    """Count labels of two classes, of one class and the rest, or of several, which are sorted.

    Parameters
    ----------
    y_true, models, asked, shown, times
        The columns, and how they are read; see `read_rows`.
    keys
        The models that are counted together: none, one or two.
    several
        When no class is positive.
    """
    shown = shown or Shown.of(models)
    rows = read_rows(y_true, models, asked, shown, times=times)
    positive = require_plain(asked.pos_label)
    if several != "always":
        plain = _counted_at_once(rows, keys, positive)
        if plain is not None:
            return CountedLabels(None, (), plain, rows.dropped)
    columns = {
        name: _codes(column, positive)
        for name, column in shown.labels(rows.truth, rows.models).items()
    }
    counted = _counted(rows, list(columns.values()), keys)
    present = _present(columns, rows, counted.cells)
    if several == "always" or (positive is None and _are_several(present, several)):
        classes = _classes(present)
        numbers = [_numbers(each.labels, classes) for each in columns.values()]
        counted = counted._replace(labels=tuple(classes))
    else:
        _require_two_classes(columns, present, positive)
        positive = EVIDENT_POSITIVE if positive is None else positive
        numbers = [
            np.array([bool(label == positive) for label in each.labels], dtype=np.int64)
            for each in columns.values()
        ]
    cells_of = {
        key: _renumbered(cells, [numbers[column] for column in _columns_of(rows, key)])
        for key, cells in counted.cells.items()
    }
    return counted._replace(cells=cells_of)


def count_column(name: str, labels: Labels) -> dict[Any, int]:
    """Return how often each class of a column occurs; the classes are sorted."""
    found = count_labels(labels, {}, Rows(), [()], several="always", shown=Shown(name, {}))
    return dict(zip(found.labels or (), found.cells[()].counts.tolist(), strict=True))


def joined(parts: Sequence[CountedLabels]) -> CountedLabels:
    """Return the counts of models that were counted in parts, with the classes of all of them."""
    if len(parts) == 1 or parts[0].labels is None:
        return parts[0]._replace(
            cells={key: each for part in parts for key, each in part.cells.items()}
        )
    labels = ordered(label for part in parts for label in part.labels or ())
    cells = {
        key: _renumbered(each, [_numbers(part.labels or (), labels)] * (1 + len(key)))
        for part in parts
        for key, each in part.cells.items()
    }
    return parts[0]._replace(labels=tuple(labels), cells=cells)


# Numbers of two classes, one of which is evidently positive: ten million rows are counted three to
# eight times as fast as by codes.


def _counted_at_once(
    rows: ReadColumns, keys: Sequence[Key], pos_label: object
) -> dict[Key, Cells] | None:
    """Count each model in one read of its column and the truth; None if more has to be known."""
    if not (rows.groups is rows.counts is rows.importance is None):
        return None
    positive: Any = EVIDENT_POSITIVE if pos_label is None else pos_label
    if any(len(key) > 1 for key in keys) or not all(
        isinstance(each, np.ndarray) and _can_hold(each.dtype, positive)
        for each in (rows.truth, *rows.models.values())
    ):
        return None
    found: dict[Key, Cells] = {}
    negatives = set[Any]()  # all models have the same two classes
    for key in keys:
        columns = [rows.truth, *(rows.models[name] for name in key)]
        counts = _two_numbers(columns, positive, negatives, is_given=pos_label is not None)
        if counts is None or len(negatives) > 1:
            return None
        places = np.unravel_index(np.arange(counts.size), counts.shape)
        found[key] = Cells((np.zeros_like(places[0]), *places), counts.ravel())
    is_evident = pos_label is not None or negatives <= {*_EVIDENT_NEGATIVES}
    return found if is_evident else None


def _two_numbers(
    columns: Sequence[NDArray[Any]], positive: Any, negatives: set[Any], *, is_given: bool
) -> Ints | None:
    """Return how often columns are positive together; None if they are not clearly two classes.

    Integers may have any number of classes beside one that is given. Where there are floats, there
    may be one other: nan and scores are not classes. No array as long as a column is allocated.
    """
    may_be_many = is_given and all(each.dtype.kind in "biu" for each in columns)
    both, counts = 0, [0] * len(columns)
    for start in range(0, columns[0].size, PIECE):
        masks = []
        for place, column in enumerate(columns):
            piece = column[start : start + PIECE]
            is_mask = piece.dtype.kind == "b" and positive == 1
            masks.append(mask := piece if is_mask else piece == positive)
            counts[place] += (count := int(np.count_nonzero(mask)))
            if count == piece.size or may_be_many:
                continue
            negatives.add(negative := 0 if is_mask else piece[mask.argmin()].item())
            # nan equals nothing, so this finds it too.
            is_one = is_mask or count + np.count_nonzero(piece == negative) == piece.size
            if not is_one or len(negatives) > 1:
                return None
        both += int(np.count_nonzero(masks[0] & masks[-1]))
    total, first, last = columns[0].size, counts[0], counts[-1]
    if is_given and not (first and last):  # it may be a class of none of these columns
        return None
    if len(columns) == 1:
        return np.array([total - first, first])
    tp, fp, fn, tn = four_counts(both, first, total - first, last)
    return np.array([[tn, fp], [fn, tp]])


def _can_hold(dtype: np.dtype[Any], positive: object) -> bool:
    """Return whether a column of numbers can hold the positive class.

    Otherwise numpy would round a whole number to the nearest float before comparing, or fail.
    """
    if dtype.kind == "b":
        return positive in (0, 1)
    if isinstance(positive, int) and dtype.kind == "f":
        try:
            with np.errstate(over="ignore"):
                return bool(int(dtype.type(positive)) == positive)
        except OverflowError:
            return False
    return isinstance(positive, int | float)


# All other labels: combinations of their codes are counted.


def _codes(column: Column, positive: Any) -> Codes:
    """Return the codes of a column, in which the positive class has the precision of its floats."""
    found = coded(column)
    if not (isinstance(column, np.ndarray) and column.dtype.kind == "f"):
        return found
    if not isinstance(positive, float) or column.itemsize == 8:
        return found
    held = float(column.dtype.type(positive))
    return Codes([positive if each == held else each for each in found.labels], found.codes)


def _columns_of(rows: ReadColumns, key: Key) -> list[int]:
    """Return the places of the truth, and of some models."""
    place = {name: number for number, name in enumerate(rows.models, 1)}
    return [0, *(place[name] for name in key)]


def _counted(rows: ReadColumns, columns: Sequence[Codes], keys: Sequence[Key]) -> CountedLabels:
    """Count combinations of columns: the truth, and then the models."""
    every, first, last = list(columns), [], []
    if rows.groups is not None:
        first = [len(every)]
        every.append(Codes(rows.groups.names, rows.groups.codes))
    weights = None
    if rows.importance is not None:
        weights, codes = np.unique(rows.importance, return_inverse=True)
        last = [len(every)]
        every.append(Codes(weights.tolist(), codes))
    asked = [(*first, *_columns_of(rows, key), *last) for key in keys]
    cells = count_cells(every, asked, rows.counts)
    if rows.groups is None:  # all are in group 0
        cells = [Cells((np.zeros_like(each.counts), *each.codes), each.counts) for each in cells]
    groups = () if rows.groups is None else rows.groups.names
    found = dict(zip(keys, cells, strict=True))
    return CountedLabels(None, groups, found, rows.dropped, weights)


def _present(
    columns: Mapping[str, Codes], rows: ReadColumns, counted: Mapping[Key, Cells]
) -> dict[str, list[Any]]:
    """Return the labels of each column that occur."""
    occurs = [np.zeros(len(each.labels), dtype=bool) for each in columns.values()]
    for key, cells in counted.items():
        for column, places in zip(_columns_of(rows, key), cells.codes[1:], strict=False):
            occurs[column][places] = True
    return {
        name: [each.labels[place] for place in np.flatnonzero(met).tolist()]
        for (name, each), met in zip(columns.items(), occurs, strict=True)
    }


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


# Which labels are classes.


def _classes(present: Mapping[str, Sequence[Any]]) -> list[Any]:
    """Return all classes in order, or raise if these cannot be classes."""
    require_alike(present)
    found = dict.fromkeys(label for labels in present.values() for label in labels)
    if len(present) > 1 and len(found) > MOST_CLASSES:
        raise InvalidLabelsError(
            f"must have at most {MOST_CLASSES:,} classes (got {listed(found, most=3)}); put "
            "numbers into bins, and threshold scores or probabilities, first",
            parameter=" and ".join(list(present)[:2]),
        )
    return ordered(found)


def _are_several(present: Mapping[str, Sequence[Any]], when: WhenSeveral) -> bool:
    """Return whether labels are those of classes none of which is positive."""
    truth = next(iter(present.values()))
    if callable(when) and len(truth) <= 2:
        return False
    several = when() if callable(when) else when
    if several == "beyond two":
        return len(truth) > 2 and not any(map(is_fraction, truth))
    every = [label for labels in present.values() for label in labels]
    is_odd = len({isinstance(label, str) for label in every}) > 1 or any(map(is_fraction, every))
    return several == "if unclear" and not is_odd and not _are_evident(every)


def _are_evident(labels: Iterable[Any]) -> bool:
    """Return whether it is obvious which of some labels is positive."""
    others = {*labels} - {EVIDENT_POSITIVE}
    return len(others) < 2 and others <= {*_EVIDENT_NEGATIVES}


def _require_two_classes(
    columns: Mapping[str, Codes], present: Mapping[str, list[Any]], pos_label: object
) -> None:
    """Raise unless the truth and each model have two classes, of which one is positive."""
    truth, *models = present
    negatives: dict[Any, None] = {}
    for names in [[truth, model] for model in models] or [[truth]]:
        found = {name: ordered(present[name]) for name in names}
        alone = next((name for name in names if len(found[name]) > 2), None)
        classes = ordered(label for labels in found.values() for label in labels)
        if pos_label is None and alone is not None:
            raise _third_class({alone: columns[alone]}, found[alone], is_truth=alone == truth)
        require_one_kind(found)
        if len(classes) > 2 and pos_label is None:
            raise _third_class({name: columns[name] for name in names}, classes)
        if len(classes) > 2:
            require_alike(found)
        if pos_label is None or pos_label not in classes:
            _require_positive_class(" and ".join(names), classes, pos_label)
        if pos_label in found[truth] and pos_label not in found[names[-1]]:
            _require_shared(found)
        if pos_label is None:
            negatives |= dict.fromkeys(each for each in classes if each != EVIDENT_POSITIVE)
    if len(negatives) > 1:
        first, second = list(negatives)[:2]
        raise InvalidLabelsError(
            "all models must have the same two classes "
            f"(got {shown(first)} and {shown(second)} beside the positive one)"
        )


def _third_class(
    columns: Mapping[str, Codes], classes: Sequence[Any], *, is_truth: bool = False
) -> TooManyClassesError:
    """Return an error that points to the first label of a third class.

    A column that has more than two classes by itself is alone.
    """
    first: dict[Any, str] = {}
    for name, (labels, codes) in columns.items():
        for place in _first_places(codes):
            label = labels[int(codes[place])]
            first.setdefault(label, f"{shown(label)} at position {place} of {name}")
    third = list(first)[2]
    # More than a message lists: those that are met first.
    known = classes if len(classes) <= _MOST_LISTED else ordered([*first][:3])
    return TooManyClassesError.named(
        " and ".join(columns),
        known,
        first[third],
        next(filter(is_fraction, classes), None),
        are_numbers=is_truth and look_like_numbers(classes),
    )


def look_like_numbers(labels: Collection[Any]) -> bool:
    """Return whether labels are numbers that are far apart, or not whole, as classes rarely are."""
    if not all(isinstance(label, int | float) for label in labels):
        return False
    return any(map(is_fraction, labels)) or max(labels) > min(labels) + _FAR_APART


def _first_places(codes: NDArray[Any]) -> list[int]:
    """Return where the first three distinct values of a column are met first."""
    places: list[int] = []
    is_new = np.ones(codes.size, dtype=bool)
    while len(places) < 3 and is_new.any():
        places.append(int(is_new.argmax()))
        is_new &= codes != codes[places[-1]]
    return places


def require_alike(found: Mapping[str, Sequence[Any]]) -> None:
    """Raise if predictions cannot be labels of the truth: scores, or numbers beside text."""
    (_, truth), *others = found.items()
    for name, labels in others:
        fractions = list(filter(is_fraction, labels))
        if fractions and not any(map(is_fraction, truth)):
            beside_numbers = look_like_numbers(truth)
            raise InvalidLabelsError.scores(name, fractions, beside_numbers=beside_numbers)
    require_one_kind(found)


def require_one_kind(found: Mapping[str, Sequence[Any]]) -> None:
    """Raise if predictions are numbers beside a truth of text, or the other way round."""
    (name_of_truth, truth), *others = found.items()
    kinds = {isinstance(label, str) for label in truth}
    for name, labels in others:
        if kinds.isdisjoint(isinstance(label, str) for label in labels):
            got = f"{shown(labels[0])} beside {shown(truth[0])}"
            raise InvalidLabelsError(
                f"must hold labels of the same kind as {name_of_truth} (got {got}); make both "
                "text, or both numbers",
                parameter=name,
            )


def ordered(labels: Iterable[Any]) -> list[Any]:
    """Return the distinct labels in their order, or sorted as texts if they have none."""
    distinct = list(dict.fromkeys(labels))
    try:
        return sorted(distinct)
    except Exception:  # a user's object may raise anything
        return sorted(distinct, key=lambda label: (type(label).__name__, text_of(label)))


def _require_positive_class(name: str, classes: list[Any], pos_label: object) -> None:
    """Raise if the positive class is unclear, or is none of these."""
    if pos_label is None:
        if _are_evident(classes):
            return
        raise InvalidLabelsError(
            f"must say which class of {name} is positive, unless the labels are 0/1, -1/1 or "
            f"booleans (got {listed(classes)}); say so as in ",
            setting("pos_label", classes[-1]),
            parameter="pos_label",
        )
    is_of_another_kind = isinstance(pos_label, str) != isinstance(classes[0], str)
    if len(classes) >= 2 or is_of_another_kind:
        raise InvalidLabelsError.absent_positive(name, pos_label, classes)


def _require_shared(found: Mapping[str, list[Any]]) -> None:
    """Raise if the truth has several classes, and no prediction is one of them."""
    (truth, classes), *others = found.items()
    for name, predicted in others:
        if len(classes) > 1 and set(classes).isdisjoint(predicted):
            got = f"{listed(predicted)} beside {listed(classes)}"
            raise InvalidLabelsError(
                f"must share a label with {truth} (got {got}); look for spaces, upper case or "
                "another coding",
                parameter=name,
            )


# The positive class.


def require_plain(pos_label: object) -> object:
    """Return a positive label as a plain Python value, or raise if it cannot be a label."""
    if isinstance(pos_label, np.ndarray) and pos_label.ndim == 0:
        pos_label = pos_label[()]
    if pos_label is None:
        return None
    if not is_hashable(pos_label) and not isinstance(pos_label, Decimal):
        raise InvalidLabelsError.unhashable("pos_label", pos_label)
    if is_missing(pos_label):
        raise InvalidLabelsError.missing_positive(pos_label)
    if isinstance(pos_label, np.generic) and pos_label.dtype.kind in "biufcSU":
        pos_label = pos_label.item()
    return _plain_number(pos_label)


def plain_label(label: Any) -> Any:
    """Return a label of numpy as Python's."""
    return label.item() if isinstance(label, np.generic) else label


def _plain_number(label: object) -> object:
    """Return a number as an int or a float if it equals one: those compare exactly."""
    if isinstance(label, bool) or not isinstance(label, int | float | Fraction | Decimal):
        return label
    for kind in (int, float):
        try:
            plain = kind(label)
        except (OverflowError, ValueError):  # infinite, or too large for a float
            continue
        if plain == label:
            return plain
    return label


def positive_mask(labels: Labels, pos_label: object = None, name: str = "y_true") -> Mask:
    """Return where a column of two classes is positive, or raise if it is not clear where."""
    column, positive = column_of(name, labels), require_plain(pos_label)
    require_complete(name, column, may_drop=False)
    if isinstance(column, np.ndarray) and positive is None and column.dtype.kind == "b":
        return column
    codes = _codes(column, positive)
    met = np.bincount(codes.codes, minlength=len(codes.labels)) > 0
    present = [codes.labels[place] for place in np.flatnonzero(met).tolist()]
    _require_two_classes({name: codes}, {name: present}, positive)
    wanted = EVIDENT_POSITIVE if positive is None else positive
    is_wanted = np.array([bool(label == wanted) for label in codes.labels])
    return np.asarray(is_wanted[codes.codes])


class FourCounts(NamedTuple):
    """How often truth and prediction are positive: both, only one of them, and neither."""

    tp: Any
    fp: Any
    fn: Any
    tn: Any


def four_counts(tp: Any, positives: Any, negatives: Any, predicted_positives: Any) -> FourCounts:
    """Compute the four counts from the true positives, by eqs. (B1) to (B4) of the paper.

    They are numbers of any type, or arrays.
    """
    fp, fn = predicted_positives - tp, positives - tp
    return FourCounts(tp, fp, fn, negatives - predicted_positives + tp)
