"""How much each row counts: a frequency repeats a row, an importance does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from baserate.arguments import MOST_OBSERVATIONS
from baserate.core.observed import Weights
from baserate.data.columns import NUMBERS, read
from baserate.data.numbers import WEIGHTS, number_array
from baserate.exceptions import InvalidWeightsError
from baserate.formatting import Term, setting, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from baserate.data.columns import Mask

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

Kind: TypeAlias = Literal["frequency", "importance"]
"""What a weight may say of its row: how often it was seen, or how much it matters."""
KINDS = ("frequency", "importance")
_NAME = "sample_weight"
MOST_REPEATED = 10**7
"""The most rows that are repeated, where a task keeps every row."""


# The arguments of a call.


def require_weights(sample_weight: Any, kind: Any) -> Weights | None:
    """Return the weights of a call, or raise unless it says which kind they are."""
    if sample_weight is None and kind is None:
        return None
    if require_kind(kind) is None:
        raise InvalidWeightsError(
            "must say what ",
            Term("sample_weight", "sample_weight"),
            " means: ",
            setting("weights", "frequency"),
            " if 3 stands for three equal rows, which then count as three observations; ",
            setting("weights", "importance"),
            " if it makes one observation matter three times as much",
            parameter="weights",
        )
    if sample_weight is None:
        raise InvalidWeightsError(
            "must come with ",
            Term("sample_weight", "sample_weight"),
            f", the weight of each row (got {shown(kind)} alone)",
            parameter="weights",
        )
    return Weights(sample_weight, kind)


def require_kind(kind: Any) -> Kind | None:
    """Return which kind of weights a call says it has, or raise if there is no such kind."""
    if kind is not None and not (isinstance(kind, str) and kind in KINDS):
        raise InvalidWeightsError(
            f"must be 'frequency' or 'importance' (got {shown(kind)})", parameter="weights"
        )
    return kind  # type: ignore[return-value]


def weight_column(weights: Weights | None) -> str | None:
    """Return the name of the column of weights, or raise if it is no name; None without weights."""
    column = None if weights is None else weights.values
    if weights is not None and not isinstance(column, str):
        raise InvalidWeightsError(
            f"must be the name of a column when truth is one (got {shown(column)})",
            parameter=_NAME,
        )
    return column


# The rows of a call.


class Importance(NamedTuple):
    """How much each row matters, and how often it was seen."""

    weights: Floats
    times: Ints | None = None  # None if once


class Seen(NamedTuple):
    """The rows that count at all."""

    # Their columns.
    y_true: Any
    models: Mapping[str, Any]
    by: Any
    counts: Any = None  # how often each of them was seen; None if once
    importance: Any = None  # how much each of them matters; None if all matter alike
    rows: Mask | None = None  # which rows of the call they are; None for all


def seen_rows(
    weights: Weights | None,
    y_true: Any,
    models: Mapping[str, Any],
    by: Any = None,
    times: Any = None,
) -> Seen:
    """Return the rows that count at all, and how much: rows of weight 0 do not exist."""
    size = None if weights is None else _size(y_true)
    if weights is None or size is None:  # what is no column has an error of its own
        return Seen(y_true, models, by)
    is_frequency = weights.kind == "frequency"
    reader: Any = frequencies if is_frequency else importance_weights
    found: NDArray[Any] = reader(weights.values, size)
    rows: Mask = found > 0
    seen = Seen(y_true, models, by, *((found,) if is_frequency else (times, found)))
    # Columns of other lengths have an error of their own.
    if rows.all() or any(_size(each) not in (None, size) for each in (by, *models.values())):
        return seen
    columns = {name: _chosen(each, rows) for name, each in models.items()}
    others = [None if each is None else each[rows] for each in seen[3:5]]
    return Seen(_chosen(y_true, rows), columns, _chosen(by, rows), others[0], others[1], rows)


def _chosen(column: Any, rows: Mask) -> Any:
    found = None if column is None else read(column)
    return column if found is None else found[rows]


def _size(column: Any) -> int | None:
    """Return the length of a column; None if it has none."""
    if column is None or isinstance(column, str):
        return None
    shape = getattr(column, "shape", None)
    if isinstance(shape, tuple):
        return int(shape[0]) if shape else None
    return len(column) if hasattr(column, "__len__") else None


def observations(rows: Mask, counts: Ints | None) -> int:
    """Return how many observations some rows are."""
    return int(np.count_nonzero(rows) if counts is None else counts[rows].sum())


def repeated(counts: Ints) -> Ints:
    """Return the place of each row as often as it was seen, or raise if there are very many."""
    total = int(counts.sum())
    if total > MOST_REPEATED:
        raise InvalidWeightsError(
            f"must add up to at most {MOST_REPEATED:,} where every row is kept (got {total:,}); "
            "take a random sample, or, if a weight says how much its row matters, set ",
            setting("weights", "importance"),
            parameter=_NAME,
        )
    return np.repeat(np.arange(counts.size), counts)


# Columns of weights.


def frequencies(values: Any, total: int) -> Ints:
    """Return how often each of so many rows was seen, or raise unless these are whole numbers."""
    numbers = _numbers(values, total)
    are_whole: Mask = numbers >= 0
    if numbers.dtype.kind == "f":
        with np.errstate(invalid="ignore"):  # infinity has no remainder
            are_whole &= numbers % 1 == 0
    _require_each(numbers, are_whole, whole=True)
    with np.errstate(over="ignore"):
        require_sum(numbers.sum(dtype=float))
    return numbers.astype(np.int64)


def importance_weights(values: Any, total: int) -> Floats:
    """Return how much each of so many rows matters, or raise unless these are finite, and ≥ 0."""
    numbers = _numbers(values, total).astype(float)
    _require_each(numbers, np.isfinite(numbers) & (numbers >= 0), whole=False)
    with np.errstate(over="ignore"):
        total_weight = numbers.sum()
    if not np.isfinite(total_weight):
        raise InvalidWeightsError("must have a finite sum", parameter=_NAME)
    return numbers


def require_sum(total: float) -> None:
    """Raise if frequencies add up to more observations than a test set may have."""
    if total > MOST_OBSERVATIONS:
        raise InvalidWeightsError(
            f"must add up to at most {MOST_OBSERVATIONS:,} (got {total:.6g})", parameter=_NAME
        )


def _numbers(values: Any, total: int) -> NDArray[Any]:
    """Return a column of numbers, one per row, or raise."""
    if isinstance(values, str):
        raise InvalidWeightsError(
            f"must be a column of numbers (got the text {shown(values)}); to name a column of a "
            "data frame, name the column of the truth too, with truth",
            parameter=_NAME,
        )
    try:
        found = number_array(_NAME, values, WEIGHTS)
    except ValueError:
        found = np.empty(0, dtype=object)
    if found.dtype.kind not in NUMBERS or found.ndim != 1:
        raise InvalidWeightsError(
            f"must be one column of numbers (got {sample_of(values)})", parameter=_NAME
        )
    if found.size != total:
        raise InvalidWeightsError(
            f"must have a number for each of {total:,} observations (got {found.size:,})",
            parameter=_NAME,
        )
    return found


def sample_of(values: Any) -> str:
    """Write what is no column of numbers: the first text in it, if there is one."""
    is_column = isinstance(values, list | tuple) or getattr(values, "ndim", 0) == 1
    texts = (each for each in (values if is_column else ()) if isinstance(each, str))
    text = next(texts, None)
    return shown(values) if text is None else f"text such as {shown(text)}"


def _require_each(numbers: NDArray[Any], are_good: Mask, *, whole: bool) -> None:
    """Raise if a weight is not allowed, and name the first one, or if all are 0."""
    if not are_good.all():
        place = int(are_good.argmin())
        raise InvalidWeightsError.of_bad_value(
            f"{numbers[place].item()!r} at position {place}", _NAME, whole=whole
        )
    if not numbers.any():
        raise InvalidWeightsError("must not all be zero", parameter=_NAME)
