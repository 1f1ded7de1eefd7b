"""Tables of class scores beside the truth: a row per observation, a column per class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.data.columns import Values, column_of, is_missing, missing_in, require_complete
from baserate.data.labels import count_column, ordered
from baserate.data.rows import Groups, ReadColumns, require_aligned
from baserate.data.weights import observations, seen_rows
from baserate.exceptions import InvalidScoresError
from baserate.formatting import listed, setting, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from baserate.core.observed import Rows as Asked
    from baserate.data.columns import Column, Labels

    Ints = NDArray[np.int64]
    Floats = NDArray[Any]


_ONE_COLUMN = "one column"


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """The class scores of a model."""

    name: str
    columns: tuple[Any, ...] | None
    values: NDArray[Any]
    index: Any = None

    @classmethod
    def of(cls, name: str, scores: Any) -> ScoreTable:
        """Read a table of scores: an array, a list of rows or a data frame."""
        if hasattr(scores, "iloc") and hasattr(scores, "columns"):
            columns = tuple(scores.columns)
            index = scores.iloc[:, 0] if columns else None
            return cls(name, columns, _numbers(name, scores), index)
        if not isinstance(scores, list | tuple | np.ndarray):
            import narwhals.stable.v2 as nw

            if nw.dependencies.is_into_dataframe(scores):  # of polars, pyarrow or the like
                frame = nw.from_native(scores, eager_only=True)
                return cls(name, tuple(frame.columns), _numbers(name, frame.to_numpy()))
        return cls(name, None, _numbers(name, scores))

    def chosen(self, rows: NDArray[np.bool_] | None) -> ScoreTable:
        """Return some of the rows, without their index; all of them for None."""
        if rows is None or len(self.values) != rows.size:  # which has an error of its own
            return self
        return replace(self, values=self.values[rows], index=None)

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        """Which rows lack a score."""
        if self.values.dtype.kind != "f":
            return np.zeros(len(self.values), dtype=bool)
        return np.asarray(np.isnan(self.values).any(axis=1))

    @cached_property
    def floats(self) -> Floats:
        """The scores as floats, with one zero only."""
        is_float = self.values.dtype.kind == "f" and self.values.itemsize <= 8
        rows = self.values if is_float else self.values.astype(float)
        return np.asarray(rows + rows.dtype.type(0))

    @cached_property
    def problem(self) -> str:
        """Why the rows are not probabilities; empty if they are."""
        return why_not_probabilities(self.floats)

    def require_rows(self, size: int) -> None:
        """Raise unless there is a row of scores per label."""
        rows, columns = self.values.shape
        models = "; pass several models as a mapping, such as {'tree': …, 'forest': …}"
        if rows != size:
            raise InvalidScoresError(
                f"must have a row per label of y_true (got {rows:,} rows and {size:,} labels)"
                f"{models if columns == size else ''}",
                parameter=self.name,
            )

    def classes(self, met: Sequence[Any]) -> tuple[Any, ...]:
        """Return the class of each column, or raise."""
        size = self.values.shape[1]
        named = None if self.columns is None else self._named(self.columns, met)
        if named is None and size != len(met):
            raise InvalidScoresError(
                f"must have a column per class, in their order (got {size:,} columns for the "
                f"{len(met):,} classes {listed(met)} of y_true); if some classes never occur, pass "
                "a data frame whose columns are the classes",
                parameter=self.name,
            )
        return tuple(met) if named is None else named

    def _named(self, columns: tuple[Any, ...], met: Sequence[Any]) -> tuple[Any, ...] | None:
        """Return the classes that columns are named after; None if they are only numbered."""
        known = set(columns)
        if len(known) != len(columns):
            raise InvalidScoresError(
                f"must have a column per class, each once (got {listed(columns)})",
                parameter=self.name,
            )
        if known.issuperset(met):
            return columns
        # The names of columns are texts in most libraries, whatever the labels are.
        by_text = {str(label): label for label in met}
        if all(isinstance(each, str) for each in columns) and known.issuperset(by_text):
            return tuple(by_text.get(each, each) for each in columns)
        if list(columns) == list(range(len(columns))):
            return None
        absent = [label for label in met if label not in known]
        raise InvalidScoresError(
            f"must have a column for each class of y_true (got the columns {listed(columns)}, and "
            f"none for {listed(absent)})",
            parameter=self.name,
        )

    def placed(self, places: Sequence[int], classes: int) -> Floats:
        """Return the scores of all classes; of those without a column, the lowest one."""
        if list(places) == list(range(classes)):
            return self.floats
        lowest = -np.inf if self.problem else 0.0
        found = np.full((len(self.floats), classes), lowest, dtype=self.floats.dtype)
        found[:, places] = self.floats
        return found


def _numbers(name: str, scores: Any) -> NDArray[Any]:
    """Return scores as an array of numbers with two dimensions, or raise."""
    try:
        array = _array(scores)
    except Exception:  # a library may raise anything
        raise _not_scores(name, f"a {type(scores).__name__} of other values") from None
    if array.ndim != 2:
        got = _ONE_COLUMN if array.ndim == 1 else f"{array.ndim} dimensions"
        raise _not_scores(name, got if array.ndim else shown(scores))
    if array.dtype.kind not in "biuf":
        raise _not_scores(name, f"an array of type {array.dtype}")
    if not array.size:
        raise _not_scores(name, f"the shape {array.shape}")
    return array


def _array(scores: Any) -> NDArray[Any]:
    if isinstance(scores, np.ma.MaskedArray):
        return np.ma.filled(scores.astype(float), np.nan)
    array = np.asarray(scores)
    if array.dtype.kind != "O":
        return array
    # Missing values of pandas are objects: to_numpy would have to be told of each library's own.
    rows = array.tolist() if array.ndim == 2 else list(array)
    if any(isinstance(each, str | bytes) for row in rows for each in row):
        raise TypeError("a text is not a score")  # which float would read as a number
    return np.array([[np.nan if is_missing(each) else float(each) for each in row] for row in rows])


def _not_scores(name: str, got: str) -> InvalidScoresError:
    advice: tuple[Any, ...] = ()
    if got == _ONE_COLUMN:
        labels = "; one column of two classes has measures of labels, too, with "
        advice = (labels, setting("threshold", 0.5))
    return InvalidScoresError(
        f"must be a table of numbers (got {got}): top-k accuracy takes scores, and log loss "
        "probabilities, with a row per observation and a column per class",
        *advice,
        parameter=name,
    )


class ScoreRows(NamedTuple):
    """The truth and the class scores of each model, row by row."""

    labels: tuple[Any, ...]  # all classes, in order
    columns: ReadColumns  # the place of the true class, and the scores of all classes
    tables: dict[str, ScoreTable]


def read_score_tables(
    y_true: Labels, models: Mapping[str, Any], asked: Asked, names: Mapping[str, str] | None = None
) -> ScoreRows:
    """Read the truth and the class scores of some models, or raise; errors may name them."""
    called = names or {name: f"model {shown(name)}" for name in models}
    tables = {name: ScoreTable.of(called[name], each) for name, each in models.items()}
    indexes = {table.name: table.index for table in tables.values()}
    require_aligned({"y_true": y_true, **indexes} | asked.aligned)
    seen = seen_rows(asked.weights, y_true, {}, asked.by)
    tables = {name: table.chosen(seen.rows) for name, table in tables.items()}
    truth = column_of("y_true", seen.y_true)
    for table in tables.values():
        table.require_rows(truth.size)
    groups = None if seen.by is None else Groups.of(seen.by, truth.size)
    rows = ReadColumns(truth, {}, groups, seen.counts, seen.importance)
    keep = _complete(truth, list(tables.values()), drop=asked.drop)
    if keep is not None:
        rows = rows.chosen(keep)._replace(dropped=observations(~keep, seen.counts))
        truth = column_of("y_true", rows.truth)
        tables = {name: table.chosen(keep) for name, table in tables.items()}
    met = list(count_column("y_true", truth))
    classes = {name: table.classes(met) for name, table in tables.items()}
    labels = tuple(ordered([*met, *(each for some in classes.values() for each in some)]))
    place = {label: number for number, label in enumerate(labels)}
    given = {
        name: table.placed([place[each] for each in classes[name]], len(labels))
        for name, table in tables.items()
    }
    return ScoreRows(labels, rows._replace(truth=_codes(truth, place), models=given), tables)


def _complete(
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


def _codes(column: Column, place: Mapping[Any, int]) -> Ints:
    """Return the place of each row's class."""
    if isinstance(column, Values):
        places = np.array([place.get(each, -1) for each in column.distinct], dtype=np.int64)
        return np.asarray(places[column.codes])
    values, codes = np.unique(column, return_inverse=True)
    return np.array([place[each] for each in values.tolist()], dtype=np.int64)[codes]


def why_not_probabilities(rows: Floats) -> str:
    """Say why rows are not probabilities; empty if they are.

    Sums may be off by rounding: by as much as scikit-learn accepts without a warning.
    """
    lowest, highest = float(rows.min()), float(rows.max())
    if not (lowest >= 0 and highest <= 1):
        got = lowest if lowest < 0 else highest
        return (
            f"must be probabilities from 0 to 1 (got {shown(got)}); accuracy, AUC and top-k "
            "accuracy take any numbers"
        )
    sums = rows.sum(axis=1, dtype=float)
    off = np.abs(sums - 1)
    if off.max() <= 1e-8 + np.sqrt(np.finfo(rows.dtype).eps):
        return ""
    row = int(off.argmax())
    return (
        f"must be rows of probabilities that sum to 1 (got a sum of {sums[row]:.6g} in the row at "
        f"position {row}); divide each row by its sum, if that is what is meant"
    )
