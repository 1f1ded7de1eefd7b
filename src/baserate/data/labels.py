"""Count labels of two classes, or of one class and the rest."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.data.cells import PIECE
from baserate.data.columns import (
    Values,
    column_of,
    is_fraction,
    is_hashable,
    is_missing,
    require_complete,
    text_of,
)
from baserate.data.rows import require_aligned, require_equal_lengths
from baserate.exceptions import InvalidLabelsError, TooManyClassesError
from baserate.formatting import listed, setting, shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from baserate.data.columns import Column, Labels, Mask

# The pairs of labels whose positive class is obvious; booleans are 0 and 1.
EVIDENT_POSITIVE = 1
_EVIDENT_NEGATIVES = (0, -1)
# So many classes does an error list.
_MOST_LISTED = 5
# A truth of numbers that are farther apart is no coding of classes, most likely.
_FAR_APART = 20


class LabelCounts(NamedTuple):
    """The numbers of labels, and of positives in the first column, the last column and both.

    `negative` is the other class; None if it does not occur, or if it is the rest of many.
    """

    total: int
    first: int
    last: int
    both: int
    negative: Any = None

    @property
    def cells(self) -> FourCounts:
        """The four counts, with the first column as truth and the last as prediction."""
        return four_counts(self.both, self.first, self.total - self.first, self.last)


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


def count_labels(
    named_labels: dict[str, Labels],
    pos_label: object = None,
    *,
    may_drop: bool = False,
) -> LabelCounts:
    """Count the positive labels of one or two columns.

    They share two classes. If the positive class is given, all other classes are one: the rest.

    Parameters
    ----------
    named_labels
        Columns of labels of equal length, keyed by the names that errors use.
    pos_label
        The positive class. It may be left out when the labels are 0/1, -1/1 or booleans.
    may_drop
        Whether the caller can leave out missing labels, which an error then says.
    """
    pos_label = require_plain(pos_label)
    require_aligned(named_labels)
    columns = {name: column_of(name, labels) for name, labels in named_labels.items()}
    require_equal_lengths(columns)
    counts = _counted_at_once(list(columns.values()), pos_label)
    counts = counts or _counted_closely(columns, pos_label, may_drop=may_drop)
    if pos_label is not None and counts.first and not counts.last:
        _require_shared(columns)
    return counts


def _counted_at_once(columns: Sequence[Column], pos_label: object) -> LabelCounts | None:
    """Count numbers in one read of each column; None if they are not clearly two classes.

    Integers may have any number of classes beside one that is given. Where there are floats, there
    may be one other: nan and scores are not classes. No array as long as a column is allocated.
    """
    positive: Any = EVIDENT_POSITIVE if pos_label is None else pos_label
    numbers = [column for column in columns if not isinstance(column, Values)]
    if len(numbers) < len(columns) or not all(_can_hold(each.dtype, positive) for each in numbers):
        return None
    may_be_many = pos_label is not None and all(each.dtype.kind in "biu" for each in numbers)
    both, counts, negatives = 0, [0] * len(numbers), set[Any]()
    for start in range(0, numbers[0].size, PIECE):
        masks = []
        for place, column in enumerate(numbers):
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
    found = LabelCounts(numbers[0].size, counts[0], counts[-1], both)
    if pos_label is None:
        is_evident = all(negative in _EVIDENT_NEGATIVES for negative in negatives)
        return found._replace(negative=next(iter(negatives), None)) if is_evident else None
    # Without any positive label, it is not clear that it is a class of these columns.
    return found if found.first + found.last else None


def _counted_closely(
    columns: dict[str, Column], pos_label: object, *, may_drop: bool
) -> LabelCounts:
    """Count non-numeric labels, or raise."""
    for name, column in columns.items():
        require_complete(name, column, may_drop=may_drop)
    found: dict[str, list[Any]] = {}
    for name, column in columns.items():
        found[name] = _classes(column)
        if len(found[name]) > 2 and pos_label is None:
            raise _third_class({name: column}, found[name], is_truth=len(found) == 1)
    require_one_kind(found)
    classes = ordered(label for labels in found.values() for label in labels)
    if len(classes) > 2 and pos_label is None:
        raise _third_class(columns, classes)
    if len(classes) > 2:
        require_alike({name: found[name] + _fractions(columns[name]) for name in columns})
    positive = EVIDENT_POSITIVE if pos_label is None else pos_label
    masks = [_where(column, positive) for column in columns.values()]
    if pos_label is None or not any(mask.any() for mask in masks):
        _require_positive_class(" and ".join(columns), classes, pos_label)
    first, last, both = (
        int(np.count_nonzero(mask)) for mask in (masks[0], masks[-1], masks[0] & masks[-1])
    )
    negatives = (label for label in classes if label != positive and pos_label is None)
    return LabelCounts(masks[0].size, first, last, both, next(negatives, None))


def _classes(column: Column) -> list[Any]:
    """Return the distinct labels, ascending if they have an order; of numbers at most three."""
    if isinstance(column, Values):
        return ordered(column.present)
    low, high = column.min(), column.max()
    is_between = (column != low) & (column != high)
    place = is_between.argmax()
    between = column[place : place + 1] if is_between[place] else column[:0]
    return ordered([low.item(), *between.tolist(), high.item()])


def _third_class(
    columns: dict[str, Column], classes: list[Any], *, is_truth: bool = False
) -> TooManyClassesError:
    """Return an error that points to the first label of a third class.

    A column that has more than two classes by itself is alone. Of numbers, `classes` are at most
    three.
    """
    first: dict[Any, str] = {}
    for name, column in columns.items():
        codes = column.codes if isinstance(column, Values) else column
        for place in _first_places(codes):
            code = codes[place].item()
            label = column.distinct[code] if isinstance(column, Values) else code
            first.setdefault(label, f"{shown(label)} at position {place} of {name}")
    # Of many numbers only three classes are known, and a fraction may be none of these.
    fractions = (each for column in columns.values() for each in _fractions(column))
    third, fraction = list(first)[2], next(fractions, None)
    known = classes if fraction is None else [*classes, fraction]
    return TooManyClassesError.named(
        " and ".join(columns),
        classes if third in classes[:_MOST_LISTED] else ordered([*first][:3]),
        first[third],
        fraction,
        in_truth=is_truth,
        are_numbers=look_like_numbers(known),
    )


def look_like_numbers(labels: Collection[Any]) -> bool:
    """Return whether labels are numbers that are far apart, or not whole, as classes rarely are."""
    if not all(isinstance(label, int | float) for label in labels):
        return False
    return any(map(is_fraction, labels)) or float(max(labels)) - float(min(labels)) > _FAR_APART


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


def _fractions(column: Column) -> list[Any]:
    """Return some numbers that are not whole; values are all known."""
    if isinstance(column, Values) or column.dtype.kind != "f":
        return []
    found: list[Any] = column[np.floor(column) != column][:3].tolist()
    return found


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
        if any(set(classes) <= {EVIDENT_POSITIVE, other} for other in _EVIDENT_NEGATIVES):
            return
        raise InvalidLabelsError(
            f"must say which class of {name} is positive, unless the labels are 0/1, -1/1 or "
            f"booleans (got {listed(classes)}); say so as in ",
            setting("pos_label", classes[-1]),
            parameter="pos_label",
        )
    is_of_another_kind = isinstance(pos_label, str) != isinstance(classes[0], str)
    if pos_label not in classes and (len(classes) >= 2 or is_of_another_kind):
        raise InvalidLabelsError.absent_positive(name, pos_label, classes)


def _require_shared(columns: dict[str, Column]) -> None:
    """Raise if the truth has several classes, and no prediction is one of them."""
    found = {
        name: each.present if isinstance(each, Values) else np.unique(each).tolist()
        for name, each in columns.items()
    }
    (truth, classes), *others = found.items()
    for name, predicted in others:
        if len(classes) > 1 and set(classes).isdisjoint(predicted):
            got = f"{listed(predicted)} beside {listed(classes)}"
            raise InvalidLabelsError(
                f"must share a label with {truth} (got {got}); look for spaces, upper case or "
                "another coding",
                parameter=name,
            )


def agreed_negative(what: str, first: Any, second: Any) -> Any:
    """Return the negative class of two batches or models, or raise if they differ."""
    if first is None or second is None:
        return second if first is None else first
    if first != second:
        raise InvalidLabelsError(
            f"all {what} must have the same two classes "
            f"(got {shown(first)} and {shown(second)} beside the positive one)"
        )
    return first


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
    """Return where a column is positive, whose labels `count_labels` has accepted."""
    positive = EVIDENT_POSITIVE if pos_label is None else require_plain(pos_label)
    return _where(column_of(name, labels), positive)


def _where(column: Column, positive: object) -> Mask:
    """Return where a column is positive."""
    if isinstance(column, Values):
        return column.where(lambda label: label == positive)
    is_possible = _can_hold(column.dtype, positive)
    return column == positive if is_possible else np.zeros(column.size, dtype=bool)


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
