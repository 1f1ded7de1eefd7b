"""Tables of scores beside the truth: their rows, and the class of each of their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.data.columns import Values, missing_in, require_complete
from baserate.exceptions import InvalidScoresError
from baserate.formatting import listed, setting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from baserate.data.columns import Column
    from baserate.multiclass.top_k.scores import ScoreTable

    Ints = NDArray[np.int64]


def require_rows(table: ScoreTable, size: int) -> None:
    """Raise unless there is a row of scores per label."""
    if len(table.values) != size:
        raise InvalidScoresError(
            f"must have a row per label of y_true (got {len(table.values):,} rows and {size:,} "
            "labels)",
            parameter=table.name,
        )


def complete_rows(
    column: Column, tables: Sequence[ScoreTable], *, drop: bool
) -> NDArray[np.bool_] | None:
    """Return which rows to keep, or None for all; raise if rows must not be left out."""
    missing = {"y_true": missing_in(column)} | {each.name: each.is_missing for each in tables}
    is_missing = np.logical_or.reduce(list(missing.values()))
    if not is_missing.any():
        return None
    if not drop:
        require_complete("y_true", column, may_drop=True)
        name, rows = next((name, rows) for name, rows in missing.items() if rows.any())
        raise InvalidScoresError(
            f"must not have missing scores (they are in {np.count_nonzero(rows):,} of "
            f"{rows.size:,} rows, the first at position {rows.argmax()}); fill them, or leave "
            "those rows out with ",
            setting("missing", "drop"),
            parameter=name,
        )
    return np.asarray(~is_missing)


def classes_of(table: ScoreTable, met: Sequence[Any]) -> tuple[Any, ...]:
    """Return the class of each column of scores, or raise."""
    size = table.values.shape[1]
    named = None if table.columns is None else _named(table, table.columns, met)
    if named is not None:
        return named
    if size != len(met):
        raise InvalidScoresError(
            f"must have a column per class, in their order (got {size:,} columns for the "
            f"{len(met):,} classes {listed(met)} of y_true); if some classes never occur, pass a "
            "data frame whose columns are the classes",
            parameter=table.name,
        )
    return tuple(met)


def _named(
    table: ScoreTable, columns: tuple[Any, ...], met: Sequence[Any]
) -> tuple[Any, ...] | None:
    """Return the classes that columns are named after; None if they are only numbered."""
    if len(set(columns)) != len(columns):
        raise InvalidScoresError(
            f"must have a column per class, each once (got {listed(columns)})",
            parameter=table.name,
        )
    known = set(columns)
    if known.issuperset(met):
        return tuple(columns)
    # The names of columns are texts in most libraries, whatever the labels are.
    by_text = {str(label): label for label in met}
    if all(isinstance(each, str) for each in columns) and known.issuperset(by_text):
        return tuple(by_text.get(each, each) for each in columns)
    if list(columns) == list(range(len(columns))):
        return None
    absent = [label for label in met if label not in known]
    raise InvalidScoresError(
        f"must have a column for each class of y_true (got the columns {listed(columns)}, and none "
        f"for {listed(absent)})",
        parameter=table.name,
    )


def codes_of(column: Column, place: Mapping[Any, int]) -> Ints:
    """Return the place of each row's class."""
    if isinstance(column, Values):
        places = np.array([place.get(each, -1) for each in column.distinct], dtype=np.int64)
        return np.asarray(places[column.codes])
    values, codes = np.unique(column, return_inverse=True)
    return np.array([place[each] for each in values.tolist()], dtype=np.int64)[codes]
