"""Two classes, read from whatever a user's labels come in."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from baserate.counting import LabelCounts, count_positives
from baserate.exceptions import InvalidLabelsError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.counting import Mask

Labels: TypeAlias = Any
"""A list, an array or a column of labels: numpy, pandas, polars, pyarrow, …"""

# The pairs of labels whose positive class nobody doubts, booleans being 0 and 1.
EVIDENT_POSITIVE = 1
_EVIDENT_NEGATIVES = (0, -1)


def count_labels(named_labels: dict[str, Labels], pos_label: object = None) -> LabelCounts:
    """Count the positive labels of one or two columns, whose classes are those of both together.

    Parameters
    ----------
    named_labels
        Equally long columns of labels, by the names that an error should use.
    pos_label
        The positive class. It may be left out when the labels are 0/1, -1/1 or booleans.
    """
    pos_label = require_plain(pos_label)
    vectors = {name: _vector(name, labels) for name, labels in named_labels.items()}
    _require_equal_lengths(vectors)
    return _counted_at_once(list(vectors.values()), pos_label) or _counted_closely(
        vectors, pos_label
    )


def require_plain(pos_label: object) -> object:
    """Return a positive label as a value of Python's own, or raise if it is a missing one."""
    if pos_label is not None and is_missing(pos_label):
        raise InvalidLabelsError.missing_positive(pos_label)
    if isinstance(pos_label, np.generic) and pos_label.dtype.kind in "biufU":
        return pos_label.item()
    return pos_label


def complete_rows(named_labels: dict[str, Labels]) -> tuple[dict[str, Labels], Mask]:
    """Return the labels of the observations that have all of them, and which those are."""
    vectors = {
        name: _vector(name, labels.tolist() if isinstance(labels, np.ma.MaskedArray) else labels)
        for name, labels in named_labels.items()
    }
    _require_equal_lengths(vectors)
    keep = ~np.logical_or.reduce([_missing(vector) for vector in vectors.values()])
    return {name: vector[keep] for name, vector in vectors.items()}, keep


def positive_masks(named_labels: dict[str, Labels], pos_label: object = None) -> list[Mask]:
    """Return where each column is positive, for labels that `count_labels` has accepted."""
    positive = EVIDENT_POSITIVE if pos_label is None else pos_label
    columns = (_vector(name, labels) for name, labels in named_labels.items())
    return [np.asarray(column == positive, dtype=bool) for column in columns]


def _counted_at_once(columns: list[NDArray[Any]], pos_label: object) -> LabelCounts | None:
    """Count numbers in one pass; None if they are no numbers, or not plainly two classes."""
    is_plain = pos_label is None or isinstance(pos_label, numbers.Real | np.bool_)
    if not is_plain or any(column.dtype.kind not in "biuf" for column in columns):
        return None
    if pos_label is None:
        return count_positives(columns, EVIDENT_POSITIVE, _EVIDENT_NEGATIVES)
    try:
        return count_positives(columns, pos_label)
    except OverflowError:  # no float is as large as that label
        return None


def _counted_closely(vectors: dict[str, NDArray[Any]], pos_label: object) -> LabelCounts:
    """Count labels that are no numbers, or raise what is wrong with them."""
    for name, vector in vectors.items():
        _require_complete(name, vector)
    classes = _merged([_classes(name, vector) for name, vector in vectors.items()])
    if len(classes) > 2:
        raise _third_class(vectors, classes)
    positive = require_positive_class(" and ".join(vectors), classes, pos_label)
    masks = [np.asarray(vector == positive) for vector in vectors.values()]
    first, last, both = (
        int(np.count_nonzero(mask)) for mask in (masks[0], masks[-1], masks[0] & masks[-1])
    )
    negative = next((label for label in classes if label != positive), None)
    return LabelCounts(masks[0].size, first, last, both, negative)


def _vector(name: str, labels: Labels) -> NDArray[Any]:
    if isinstance(labels, np.ma.MaskedArray) and np.ma.is_masked(labels):
        mask = np.ma.getmaskarray(labels)
        raise InvalidLabelsError.missing(name, int(mask.sum()), int(mask.argmax()))
    try:
        vector = np.asarray(labels)
    except ValueError:
        raise InvalidLabelsError.ragged(name) from None
    if vector.dtype.kind in "US" and not isinstance(labels, np.ndarray):
        # numpy writes 1, None and nan as text beside a string: read the labels as they are.
        vector = np.asarray(labels, dtype=object)
    if vector.ndim != 1:
        raise InvalidLabelsError.not_a_vector(name, vector.shape)
    if vector.size == 0:
        raise InvalidLabelsError.empty(name)
    return vector


def _require_complete(name: str, vector: NDArray[Any]) -> None:
    missing = _missing(vector)
    if missing.any():
        count, first = int(np.count_nonzero(missing)), int(missing.argmax())
        raise InvalidLabelsError.missing(name, count, first)


def _missing(vector: NDArray[Any]) -> Mask:
    if vector.dtype.kind == "O":
        return np.fromiter(map(is_missing, vector), dtype=bool, count=vector.size)
    if vector.dtype.kind in "fcmM":
        return np.asarray(np.isnan(vector))
    return np.zeros(vector.size, dtype=bool)


def is_missing(value: object) -> bool:
    """Tell None, nan, NaT and pandas.NA, without importing pandas."""
    try:
        return value is None or bool(value != value)  # noqa: PLR0124
    except (TypeError, ValueError):
        # pandas.NA refuses to be a bool; an array among the labels does too.
        return np.ndim(value) == 0  # type: ignore[arg-type]


def _classes(name: str, vector: NDArray[Any]) -> list[Any]:
    """Return the distinct labels, ascending where they have an order; a third is enough."""
    if vector.dtype.kind in "biuf":
        low, high = vector.min(), vector.max()
        between = vector[(vector != low) & (vector != high)][:1]
        found = dict.fromkeys([low.item(), *between.tolist(), high.item()])
    else:
        try:
            found = dict.fromkeys(vector.tolist())
        except TypeError:
            culprit = next(label for label in vector if not _is_hashable(label))
            raise InvalidLabelsError.unhashable(name, culprit) from None
    if len(found) > 2:
        raise _third_class({name: vector}, _ordered(found))
    return _ordered(found)


def _third_class(vectors: dict[str, NDArray[Any]], classes: list[Any]) -> InvalidLabelsError:
    """Return an error that points to the first label of a third class."""
    first: dict[Any, str] = {}
    for name, vector in vectors.items():
        for position, label in enumerate(vector.tolist()):
            if label not in first:  # a million sentences would take a second
                first[label] = f"{label!r} at position {position} of {name}"
    offender = list(first.values())[2]
    return InvalidLabelsError.too_many_classes(" and ".join(vectors), classes, offender)


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _ordered(classes: dict[Any, None]) -> list[Any]:
    try:
        return sorted(classes)
    except TypeError:
        return list(classes)


def _merged(columns: list[list[Any]]) -> list[Any]:
    return _ordered(dict.fromkeys(label for column in columns for label in column))


def require_positive_class(name: str, classes: list[Any], pos_label: object) -> object:
    """Return the positive one of at most two classes, or raise if it is not known."""
    if pos_label is None:
        if any(set(classes) <= {EVIDENT_POSITIVE, other} for other in _EVIDENT_NEGATIVES):
            return EVIDENT_POSITIVE
        raise InvalidLabelsError.unknown_positive(name, classes)
    is_of_another_kind = isinstance(pos_label, str) != isinstance(classes[0], str)
    if pos_label not in classes and (len(classes) == 2 or is_of_another_kind):
        raise InvalidLabelsError.absent_positive(name, pos_label, classes)
    return pos_label


def _require_equal_lengths(vectors: dict[str, NDArray[Any]]) -> None:
    sizes = [(name, vector.size) for name, vector in vectors.items()]
    for other in sizes[1:]:
        if other[1] != sizes[0][1]:
            raise InvalidLabelsError.unequal_lengths(sizes[0], other)
