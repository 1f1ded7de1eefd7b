"""The columns of a call, side by side: models by name, and the group of each row."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from baserate.data.cells import coded_numbers
from baserate.data.columns import (
    Values,
    column_of,
    is_missing,
    missing_in,
    read,
    require_complete,
    text_of,
)
from baserate.data.numbers import read_numbers, read_scores
from baserate.data.weights import (
    Importance,
    Seen,
    observations,
    repeated,
    seen_rows,
)
from baserate.exceptions import (
    InvalidFrameError,
    InvalidLabelsError,
    InvalidPredictionsError,
    InvalidScoresError,
    MisalignedRowsError,
)
from baserate.formatting import shortened, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from baserate.core.observed import Rows
    from baserate.data.columns import Column, Labels, Mask
    from baserate.exceptions import BaserateError

T = TypeVar("T")
Key: TypeAlias = tuple[str, ...]
"""The names of the models that are taken together: none, one or two."""
DEFAULT_NAME = "model"
"""What a model is called that has no name."""


class Shown(NamedTuple):
    """The names of the truth and of each model in error messages."""

    truth: str
    models: dict[str, str]

    @classmethod
    def of(cls, models: Iterable[str]) -> Shown:
        """Return the names in a call with arrays."""
        return cls("y_true", {name: f"model {shown(name)}" for name in models})

    def labels(self, y_true: Labels, models: Mapping[str, Labels]) -> dict[str, Labels]:
        """Return all columns of labels, keyed by these names."""
        named = {self.models[name]: labels for name, labels in models.items()}
        return {self.truth: y_true} | named


class Content(NamedTuple):
    """What a column holds."""

    read: Callable[[str, Any], Column]  # reads a column under the name that errors use, or raises
    # What is raised if a value is missing, or if there are too many or too few.
    error: type[BaserateError]
    what: str = "label"  # what errors call one value


LABELS = Content(column_of, InvalidLabelsError)
SCORES = Content(read_scores, InvalidScoresError)
NUMBERS = Content(read_numbers, InvalidScoresError, "number")


class ReadColumns(NamedTuple):
    """The columns of a call as they were read."""

    # The truth, and what each model predicts.
    truth: Any
    models: dict[str, Any]
    groups: Groups | None  # the group of each row; None if there are none
    counts: Any = None  # how often each row was seen; None if once
    importance: Any = None  # how much each row matters; None if all matter alike
    dropped: int = 0  # how many observations were left out

    def chosen(self, rows: Any) -> ReadColumns:
        """Return some of the rows."""
        groups = self.groups
        return ReadColumns(
            self.truth[rows],
            {name: each[rows] for name, each in self.models.items()},
            None if groups is None else groups.chosen(rows),
            None if self.counts is None else self.counts[rows],
            None if self.importance is None else self.importance[rows],
            self.dropped,
        )

    def tables(self, keys: Sequence[Key], build: Callable[..., T]) -> dict[Key, dict[Any, T]]:
        """Build what was observed of each model or pair of them, as a whole and in each group.

        Parameters
        ----------
        keys
            The models that are taken together.
        build
            Takes the truth, the predictions, and how often each row was seen, None if once; or, if
            rows matter more or less, an `Importance`.
        """
        groups = rows_by_group(self.groups)

        def counted(rows: Any) -> Any:
            times = None if self.counts is None else self.counts[rows]
            return times if self.importance is None else Importance(self.importance[rows], times)

        return {
            key: {
                group: build(
                    self.truth[rows],
                    *(self.models[name][rows] for name in key),
                    counted(rows),
                )
                for group, rows in groups.items()
            }
            for key in keys
        }


def read_rows(
    y_true: Labels,
    models: Mapping[str, Any],
    asked: Rows,
    shown: Shown,
    *,
    truth: Content = LABELS,
    predictions: Content = LABELS,
    times: Any = None,
) -> ReadColumns:
    """Read the columns of a call, or raise.

    Parameters
    ----------
    y_true, models
        The truth, and the predictions of each model.
    asked
        The group of each row, its weight, and whether rows of which something is missing are left
        out; those of weight 0 are.
    shown
        The names for error messages.
    truth, predictions
        What the columns hold.
    times
        How often each row was seen, beside importance weights; once if it is left out.
    """
    require_aligned(shown.labels(y_true, models) | asked.aligned)
    seen = Seen(y_true, models, asked.by)
    if asked.weights is not None:
        seen = seen_rows(asked.weights, y_true, models, asked.by, times)
    read = truth.read(shown.truth, seen.y_true)
    columns = {
        name: predictions.read(shown.models[name], each) for name, each in seen.models.items()
    }
    for name, column in columns.items():
        require_equal_lengths({shown.truth: read, shown.models[name]: column}, predictions.error)
    groups = None if seen.by is None else Groups.of(seen.by, read.size)
    rows = ReadColumns(read, columns, groups, seen.counts, seen.importance)
    if asked.drop:
        keep = complete_rows(shown.labels(read, columns))
        if not keep.all():
            rows = rows.chosen(keep)._replace(dropped=observations(~keep, rows.counts))
    else:
        require_complete(shown.truth, read, may_drop=True, error=truth.error)
        for name, column in columns.items():
            require_complete(shown.models[name], column, may_drop=True, error=predictions.error)
    if not rows.truth.size:
        raise InvalidLabelsError(
            f"must hold at least one {truth.what} (got none)", parameter=shown.truth
        )
    return rows


def read_number_rows(
    y_true: Labels, models: Mapping[str, Any], asked: Rows, shown: Shown | None = None
) -> ReadColumns:
    """Read the truth and the predictions of each model, or raise; see `read_rows`.

    A frequency repeats its row; an importance says how much it matters.
    """
    shown = shown or Shown.of(models)
    rows = read_rows(y_true, models, asked, shown, truth=NUMBERS, predictions=NUMBERS)
    if rows.counts is None:
        return rows
    return rows.chosen(repeated(rows.counts))._replace(counts=None)


def complete_rows(columns: Mapping[str, Column]) -> Mask:
    """Return which observations have no missing value."""
    require_equal_lengths(columns)
    return np.asarray(~np.logical_or.reduce([missing_in(each) for each in columns.values()]))


def require_equal_lengths(
    columns: Mapping[str, Column], error: type[BaserateError] = InvalidLabelsError
) -> None:
    """Raise unless columns have the same length."""
    (first, size), *others = ((name, column.size) for name, column in columns.items())
    for other, length in others:
        if length != size:
            raise error(
                f"must have the same length (got {size} and {length})", parameter=(first, other)
            )


# Columns of pandas meet by position, so that their indexes must agree.


def require_aligned(columns: Mapping[str, Any]) -> None:
    """Raise unless all columns with an index have the same one, in the same order.

    They are keyed by the names that errors use. Arrays, lists and the columns of other libraries
    have no index, and are taken by position. Columns of different lengths pass: who compares them
    has a better error.
    """
    # A Series of pandas, or of a library that does as pandas does.
    indexed = [
        (name, column.index)
        for name, column in columns.items()
        if hasattr(column, "iloc") and not hasattr(column, "columns")
    ]
    for name, other in indexed[1:]:
        first, index = indexed[0]
        is_same = other is index or len(other) != len(index) or index.equals(other)
        pairs = () if is_same else zip(index.tolist(), other.tolist(), strict=True)
        # They may differ in their types only.
        place = next((at for at, pair in enumerate(pairs) if not _is_one_row(*pair)), None)
        if place is not None:
            # Only a mapping has several models; a single one may be the argument itself.
            is_mapping = sum(not each.isidentifier() for each in columns) > 1
            order, labels = (_written(each, is_mapping=is_mapping) for each in (first, name))
            raise _misaligned((first, index, order), (name, other, labels), place)


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
    return f"y_pred[{name.removeprefix('model ')}]" if is_mapping else "y_pred"


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


# Groups: customer segments, hospitals, years.

MISSING = "(missing)"
_HELD = {"by": "the group", "clusters": "the cluster"}
Group: TypeAlias = str | int | float | bool
"""The value of a group, as JSON can hold it."""


@dataclass(frozen=True)
class Groups:
    """The group of each observation."""

    names: tuple[Group, ...]  # the groups, in order
    codes: NDArray[np.intp]  # the index of each observation's group

    @classmethod
    def of(cls, by: Labels, length: int | None, parameter: str = "by") -> Groups:
        """Read a column of groups or clusters; missing values form their own group."""
        column = _column(by, parameter)
        if length is not None and column.size != length:
            kind = "groups" if parameter == "by" else parameter
            raise InvalidPredictionsError(
                f"must have the same length (got {column.size} {kind} and {length} labels)",
                parameter=(parameter, "y_true"),
            )
        if not isinstance(column, Values):
            values, codes = _sorted(column)
            return cls(tuple(map(plain_group, values)), codes)
        names = [plain_group(value) for value in column.present]
        found = ordered_groups(dict.fromkeys(names))
        places = {name: place for place, name in enumerate(found)}
        codes = np.array([places.get(plain_group(value), -1) for value in column.distinct])
        return cls(found, codes[column.codes])

    def chosen(self, rows: Any) -> Groups:
        """Return the groups of some of the observations."""
        codes, place = np.unique(self.codes[rows], return_inverse=True)
        return Groups(tuple(self.names[code] for code in codes), place)


def ordered_groups(names: Collection[Group]) -> tuple[Group, ...]:
    """Return groups in their natural order, or sorted by name; the missing group comes last."""
    known = [name for name in names if name != MISSING]
    try:
        ordered = sorted(known)
    except Exception:  # a user's object may raise anything
        ordered = sorted(known, key=text_of)
    return (*ordered, *([MISSING] if MISSING in names else []))


def plain_group(value: Any) -> Group:
    """Return a group as a JSON value."""
    if is_missing(value):
        return MISSING
    plain = value.item() if isinstance(value, np.generic) and value.dtype.kind in "biuf" else value
    if isinstance(plain, float) and math.isinf(plain):
        return str(plain)
    return plain if isinstance(plain, str | int | float | bool) else text_of(plain)


def _sorted(column: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the distinct numbers, ascending, and the place of each row's number."""
    found = None if column.dtype.kind == "f" else coded_numbers(column)
    if found is None:  # too many, or perhaps nan, which numpy sorts to the end
        return np.unique(column, return_inverse=True)
    values = column[found.firsts]
    order = np.argsort(values)
    return values[order], np.argsort(order)[found.codes]


def _column(by: Labels, parameter: str) -> Column:
    column = None if isinstance(by, str | bytes) else read(by)
    if column is None or len(column.shape) != 1:
        raise InvalidPredictionsError(
            f"must be a column with {_HELD[parameter]} of each observation (got {shown(by)})",
            parameter=parameter,
        )
    if isinstance(column, Values) or column.dtype.kind != "O":
        return column
    try:
        return Values.of_objects(column)
    except TypeError:  # not hashable: distinguish them by their text
        return Values.of(list(map(plain_group, column.tolist())))


def rows_by_group(groups: Groups | None) -> dict[Group | None, Any]:
    """Return the rows of the whole test set, and of each group."""
    found: dict[Group | None, Any] = {None: slice(None)}
    if groups is not None:
        order = np.argsort(groups.codes, kind="stable")
        ends = np.searchsorted(groups.codes[order], np.arange(len(groups.names) + 1))
        for name, start, end in zip(groups.names, ends[:-1], ends[1:], strict=True):
            found[name] = order[start:end]
    return found


def drops_missing(missing: Any) -> bool:
    """Return whether to drop missing labels, or raise if the option is unknown."""
    if not isinstance(missing, str) or missing not in ("error", "drop"):
        raise InvalidFrameError(
            f"must be 'error' or 'drop' (got {shown(missing)})", parameter="missing"
        )
    return missing == "drop"


# Models by name.


def named_columns(predictions: Any) -> dict[str, str]:
    """Return the column names of the models, keyed by model name."""
    if isinstance(predictions, str):
        predictions = [predictions]
    if isinstance(predictions, list | tuple):
        named = [(name, name) for name in predictions]
    else:
        named = list(predictions.items()) if isinstance(predictions, Mapping) else [(None, None)]
    if not all(isinstance(column, str) for _, column in named):
        raise InvalidFrameError(
            "must be the names of columns when truth is one, such as "
            f"y_pred=['tree', 'knn'] (got {shown(predictions)})",
            parameter="y_pred",
        )
    return _unique(named)


def named_models(predictions: Any) -> dict[str, Any]:
    """Return the predictions of the models, keyed by name."""
    return _unique([] if predictions is None else _named(predictions))


def _named(predictions: Any) -> Iterable[tuple[object, Any]]:
    """Return each model with its name: items of a mapping, columns of a frame, or one column."""
    if isinstance(predictions, Mapping):
        return predictions.items()
    if isinstance(predictions, list | tuple | np.ndarray):
        return [(DEFAULT_NAME, predictions)]
    import narwhals.stable.v2 as nw

    if hasattr(predictions, "iloc") and hasattr(predictions, "columns"):
        # Pandas columns may have any names, even duplicates: take them by position.
        places = enumerate(predictions.columns)
        return [(name, predictions.iloc[:, place]) for place, name in places]
    if nw.dependencies.is_into_dataframe(predictions):
        try:
            frame = nw.from_native(predictions, eager_only=True)
            return [(name, frame[name].to_native()) for name in frame.columns]
        except nw.exceptions.DuplicateError as error:
            raise InvalidPredictionsError(
                f"every model must have its own name (got {shortened(error)})"
            ) from None
    name = getattr(predictions, "name", None)
    return [(name if isinstance(name, str) and name else DEFAULT_NAME, predictions)]


def _unique(named: Iterable[tuple[object, Any]]) -> dict[str, Any]:
    models: dict[str, Any] = {}
    for given, labels in named:
        name = text_of(given)
        if name in models:
            raise InvalidPredictionsError(
                f"every model must have its own name (got {shown(name)} twice)"
            )
        models[name] = labels
    if not models:
        raise InvalidPredictionsError.none()
    return models
