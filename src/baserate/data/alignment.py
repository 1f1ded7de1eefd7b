"""Columns of pandas meet by position, so that their indexes must agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from baserate.data.vectors import is_missing
from baserate.exceptions import MisalignedRowsError
from baserate.formatting import shown

if TYPE_CHECKING:
    from collections.abc import Mapping


def require_aligned(columns: Mapping[str, Any]) -> None:
    """Raise unless all columns with an index have the same one, in the same order.

    Arrays, lists and the columns of other libraries have none, and are taken by position. Columns
    of different lengths pass: who compares them has a better error.

    Parameters
    ----------
    columns
        The columns, keyed by the names that errors use.
    """
    indexed = [(name, column.index) for name, column in columns.items() if _has_index(column)]
    if len(indexed) < 2:
        return
    (first, index), *others = indexed
    for name, other in others:
        is_same = other is index or len(other) != len(index) or index.equals(other)
        place = None if is_same else _first_difference(index, other)
        if place is not None:
            # Only a mapping has several models; a single one may be the argument itself.
            is_mapping = sum(not each.isidentifier() for each in columns) > 1
            order, labels = (_written(each, is_mapping=is_mapping) for each in (first, name))
            raise _misaligned((first, index, order), (name, other, labels), place)


def _has_index(column: Any) -> bool:
    """Return whether this is a Series of pandas or of a library that does as pandas does."""
    return hasattr(column, "iloc") and not hasattr(column, "columns")


def _first_difference(index: Any, other: Any) -> int | None:
    """Return where two indexes differ first; None if they differ in their types only."""
    pairs = zip(index.tolist(), other.tolist(), strict=True)
    return next((place for place, pair in enumerate(pairs) if not _is_one_row(*pair)), None)


def _is_one_row(name: Any, other: Any) -> bool:
    if isinstance(name, tuple) and isinstance(other, tuple):  # an index of several levels
        return len(name) == len(other) and all(map(_is_one_row, name, other))
    if is_missing(name) or is_missing(other):
        return is_missing(name) and is_missing(other)
    return bool(name == other)


def _written(name: str, *, is_mapping: bool) -> str:
    """Return how a caller writes a column; a model is one of the predictions, or all of them."""
    if name.isidentifier():
        return name
    return f"predictions[{name.removeprefix('model ')}]" if is_mapping else "predictions"


def _misaligned(
    left: tuple[str, Any, str], right: tuple[str, Any, str], place: int
) -> MisalignedRowsError:
    (first, index, order), (name, other, labels) = left, right
    got = " and ".join(shown(each[place : place + 1].tolist()[0]) for each in (index, other))
    is_permuted = index.is_unique and other.is_unique and bool(index.isin(other).all())
    advice = (
        f"to match them by index, pass {labels}.loc[{order}.index], or by position, "
        f"{labels}.to_numpy()"
        if is_permuted
        else f"if they are in the same order, pass {labels}.to_numpy()"
    )
    return MisalignedRowsError(
        f"must have the same index in the same order (got {got} at position {place}): "
        f"rows are compared by position; {advice}",
        parameter=(first, name),
    )
