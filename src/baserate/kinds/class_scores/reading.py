"""Class scores are read: a column per class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.core.observed import JointObservations, Observations, pairs_of
from baserate.core.observed import Rows as Asked
from baserate.data.columns import Values, column_of, is_missing, missing_in, require_complete
from baserate.data.groups import Groups, rows_by_group
from baserate.data.label_counts import count_column
from baserate.data.labels import ordered
from baserate.data.rows import DEFAULT_NAME, named_models, observed_models, require_aligned
from baserate.data.weights import aligned_weights, frequencies, observations, seen_rows
from baserate.exceptions import InvalidPredictionsError, InvalidScoresError
from baserate.formatting import listed, setting, shown
from baserate.kinds.class_scores.observed import (
    ClassProbabilities,
    JointProbabilities,
    why_not_probabilities,
)
from baserate.observed.classes import ClassCounts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.data.columns import Column, Labels
    from baserate.data.groups import Group

    Ints = NDArray[np.int64]
    Floats = NDArray[Any]
    Require = Callable[[str, str, int], None]


_ONE_COLUMN = "one column"

# --- One table ------------------------------------------------------------------------------------


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
        frame = _eager_frame(scores)
        if frame is not None:
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


def _eager_frame(scores: Any) -> Any:
    """Return a data frame of polars, pyarrow or the like; None if it is something else."""
    import narwhals.stable.v2 as nw

    if isinstance(scores, list | tuple | np.ndarray):
        return None
    if not nw.dependencies.is_into_dataframe(scores):
        return None
    return nw.from_native(scores, eager_only=True)


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
    return np.array([[_float(each) for each in row] for row in rows])


def _float(value: Any) -> float:
    if isinstance(value, str | bytes):  # which float would read as a number
        raise TypeError("a text is not a score")
    return float("nan") if is_missing(value) else float(value)


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


# --- Rows beside the truth ------------------------------------------------------------------------


class Rows(NamedTuple):
    """The truth and the class scores of each model, row by row."""

    labels: tuple[Any, ...]
    truth: Ints
    given: dict[str, Floats]
    groups: dict[Group | None, Any]
    dropped: int
    counts: Ints | None = None

    def counted(self, *models: str) -> dict[Group | None, Any]:
        """Count the rows of one model, or of two, as a whole and in each group."""
        count: Any = ClassProbabilities.of_rows if len(models) == 1 else JointProbabilities.of_rows
        return {
            group: count(
                self.labels,
                self.truth[where],
                *(self.given[name][where] for name in models),
                None if self.counts is None else self.counts[where],
            )
            for group, where in self.groups.items()
        }


def read_rows(
    y_true: Labels,
    models: Mapping[str, Any],
    asked: Asked,
    require: Require | None = None,
    shown_as: Mapping[str, str] | None = None,
) -> Rows:
    """Read the truth and the class scores of some models, or raise.

    Parameters
    ----------
    y_true, models
        The true labels, and the scores of each model.
    asked
        The group of each row, its weight, and whether rows without a label or a score are dropped.
    require
        Raises if measures cannot score a table: by its name, why it is not probabilities, and how
        many columns it has.
    shown_as
        What errors call the scores of each model.
    """
    called = shown_as or {name: f"model {shown(name)}" for name in models}
    tables = {name: ScoreTable.of(called[name], each) for name, each in models.items()}
    indexes = {table.name: table.index for table in tables.values()}
    require_aligned({"y_true": y_true, **indexes, "by": asked.by} | aligned_weights(asked.weights))
    y_true, _, by, counts, _, seen = seen_rows(asked.weights, y_true, {}, asked.by)
    tables = {name: table.chosen(seen) for name, table in tables.items()}
    column = column_of("y_true", y_true)
    for table in tables.values():
        table.require_rows(column.size)
    groups = None if by is None else Groups.of(by, column.size)
    keep, dropped = _complete(column, list(tables.values()), drop=asked.drop), 0
    if keep is not None:
        column = column_of("y_true", column[keep])
        groups = None if groups is None else groups.chosen(keep)
        tables = {name: table.chosen(keep) for name, table in tables.items()}
        dropped, counts = observations(~keep, counts), None if counts is None else counts[keep]
    met = list(count_column("y_true", column))
    classes = {name: table.classes(met) for name, table in tables.items()}
    labels = tuple(ordered([*met, *(each for some in classes.values() for each in some)]))
    place = {label: number for number, label in enumerate(labels)}
    given = {}
    for name, table in tables.items():
        if require is not None:
            require(table.name, table.problem, table.values.shape[1])
        given[name] = table.placed([place[each] for each in classes[name]], len(labels))
    return Rows(labels, _codes(column, place), given, rows_by_group(groups), dropped, counts)


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


# --- Counts ---------------------------------------------------------------------------------------


def count_models(
    y_true: Labels | None, predictions: Any, asked: Asked, require: Require
) -> Observations:
    """Count the rows of every model, as a whole and in each group."""
    # A data frame is the scores of one model: its columns are classes.
    is_one = predictions is not None and not isinstance(predictions, Mapping)

    def read(tables: dict[str, Any]) -> tuple[dict[str, dict[Group | None, Any]], int]:
        rows = read_rows(y_true, tables, asked, require)
        return {name: rows.counted(name) for name in tables}, rows.dropped

    def require_counted(model: str, table: ClassProbabilities) -> None:
        require_test_set(model, table, y_true, asked.by)
        require(model, table.problem, len(table.labels))

    return observed_models(
        named_models({DEFAULT_NAME: predictions} if is_one else predictions),
        ClassProbabilities,
        y_true,
        words=("scores", "ClassProbabilities"),
        read=read,
        require=require_counted,
    )


def count_pairs(
    y_true: Labels, models: Mapping[str, Any], asked: Asked, require: Require
) -> JointObservations:
    """Count pairs of models on the same rows, as a whole and in each group."""
    rows = read_rows(y_true, models, asked, require)
    pairs = pairs_of(list(models), with_first=asked.with_first)
    return JointObservations({pair: rows.counted(*pair) for pair in pairs}, rows.dropped)


def count_rows(
    name: str,
    y_true: Labels,
    scores: Any,
    weights: NDArray[Any] | None = None,
    require: Require | None = None,
) -> ClassProbabilities:
    """Count the rows of one model, each as often as its weight says."""
    rows = read_rows(y_true, {name: scores}, Asked(), require, shown_as={name: name})
    seen = None if weights is None else frequencies(weights, rows.truth.size)
    return ClassProbabilities.of_rows(rows.labels, rows.truth, rows.given[name], seen)


def require_test_set(
    model: str, table: ClassProbabilities, y_true: Labels | None, by: Labels | None = None
) -> None:
    """Raise unless rows are counted on the same test set as the labels of other models."""
    if by is not None:
        raise InvalidPredictionsError(
            f"must come with scores ({model} is ClassProbabilities, which have no rows to group)",
            parameter="by",
        )
    if y_true is None:
        return
    truth, counted = ClassCounts.of(y_true), table.test_set.occurring
    first, second = (dict(zip(each.labels, each.counts, strict=True)) for each in (truth, counted))
    if first != second:
        raise InvalidPredictionsError(
            f"{model} must be counted on the labels of y_true, {truth} (got {counted})"
        )
