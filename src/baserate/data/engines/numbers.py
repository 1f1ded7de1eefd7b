"""Read columns of numbers of any data frame or engine.

The columns that are asked for leave the engine if there are not too many rows. Otherwise the
numbers stay where they are: sums, counts of distinct numbers and a random sample leave it.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from baserate.data.engines.frames import column_name, engine_errors, fetched, values_of
from baserate.data.engines.query import (
    Columns,
    Source,
    distinct_rows,
    flag,
    require_no_text,
    totals,
)
from baserate.data.engines.scores import Scale
from baserate.data.files import with_progress
from baserate.data.numbers import LARGEST, NUMBERS, number_array, what_numbers
from baserate.data.rows import ordered_groups, plain_group, read_number_rows
from baserate.exceptions import InvalidFrameError, InvalidLabelsError, InvalidScoresError
from baserate.formatting import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from baserate.core.observed import Rows
    from baserate.data.rows import Group, ReadColumns

    Floats = NDArray[np.float64]

# The most groups that are asked for one by one.
MOST_GROUPS = 100
# The most distinct numbers that leave an engine; more of them are put in bins.
MOST_VALUES = 10**6


def read_frame_numbers(
    native: Any, truth: str, predictions: Mapping[str, str], rows: Rows, most: int
) -> ReadColumns | NumberSource:
    """Read the truth and the predictions of every model of a frame.

    At most this many rows leave an engine; the numbers of more rows stay where they are.
    """
    with engine_errors():
        source = Source.of(native, truth, predictions, rows)
        columns = source.in_memory() if source.is_in_memory else None
        if columns is None:
            names = [*source.labelled, *([] if source.weight is None else [source.weight])]
            numbers = source.numbers(names, NUMBERS)
            for key in numbers:
                if key.startswith("score"):
                    numbers[key] = numbers[key].cast(nw.Float64())
            selected: Any = source.frame.select(**source.group(), **numbers)
            staying = NumberSource(source, selected, names)
            columns = staying.columns(most)
            if columns is None:
                return staying
    asked = rows._replace(by=columns.groups, weights=columns.weights)
    return read_number_rows(columns.truth, columns.models, asked, source.shown)


class Ends(NamedTuple):
    """The lowest and the highest number of a column, and the mean."""

    low: float
    high: float
    mean: float


@dataclass(frozen=True)
class NumberSource:
    """Columns of numbers of an engine."""

    source: Source  # the columns that a call names
    # The rows: score0 is the truth, score1 and so on the predictions, group the group, and text0
    # and so on what is no number, where numbers are read from text.
    rows: Any
    names: Sequence[str]  # the name of each column, for errors
    total: int = 0  # the number of rows; 0 if it is not known yet
    ends: Sequence[Ends] = ()  # the ends of each column; nothing if they are not known yet

    @property
    def keys(self) -> list[str]:
        """The columns of numbers."""
        return [f"score{place}" for place in range(len(self.names))]

    def columns(self, most: int) -> Columns | None:
        """Fetch all columns, or raise if they have something else than numbers.

        None if there are more than this many rows.
        """
        found = self._run(partial(fetched, self.rows.head(most + 1)))
        numbers = [_numbers(found[key]) for key in self.keys]
        named, truth = dict(zip(self.names, numbers, strict=True)), numbers[0]
        if truth.size > most:
            return None
        require_no_text(self.names, found, NUMBERS)
        models = {model: named[name] for model, name in self.source.predictions.items()}
        weights = self.source.rows.weights
        weights = None if weights is None else weights._replace(values=named[weights.values])
        return Columns(truth, models, self.source.groups_of(found), weights)

    def known(self) -> tuple[NumberSource, int]:
        """Return the same with its rows counted and its ends known, and how many were dropped.

        Raises if a number is missing and must not be, or is infinite, or if nothing is left.
        """
        lacks = {key: nw.col(key).is_null() | nw.col(key).is_nan() for key in self.keys}
        lacks_any = nw.any_horizontal(*lacks.values(), ignore_nulls=False)
        numbers = {key: nw.when(~each).then(nw.col(key)) for key, each in lacks.items()}
        every = self.rows.collect_schema().names()
        texts = {name: nw.col(name) for name in every if name.startswith("text")}
        sums = {"dropped": flag(lacks_any), **numbers}
        found = self._run(partial(totals, self.rows, sums, {**numbers, **texts}))
        require_no_text(self.names, {name: [found[f"{name}_low"]] for name in texts}, NUMBERS)
        total, dropped = int(found["rows"]), int(found["dropped_sum"] or 0)
        if dropped == total:
            raise InvalidLabelsError(
                "must hold at least one number (got none)", parameter=column_name(self.names[0])
            )
        for key, name in zip(self.keys, self.names, strict=True):
            for number in (found[f"{key}_low"], found[f"{key}_high"]):
                if number is not None and not abs(number) <= LARGEST:
                    raise InvalidScoresError(
                        f"must be {what_numbers(number)} (got {number})",
                        parameter=column_name(name),
                    )
        if dropped:
            self._run(partial(self.source.require_complete, "numbers", InvalidScoresError))
            kept = replace(self, rows=self.rows.filter(~lacks_any))
            return kept.known()[0], dropped
        ends = []
        for key in self.keys:
            low, high, above = (found[f"{key}_{each}"] for each in ("low", "high", "sum"))
            ends.append(Ends(low + 0.0, high + 0.0, min(max(above / total, low), high) + 0.0))
        return replace(self, total=total, ends=ends), 0

    def sums(
        self, numbers: Mapping[str, nw.Expr], largest: Mapping[str, nw.Expr]
    ) -> dict[str, float]:
        """Return the sums of some numbers of each row, and the largest of others, in one pass."""
        if not (numbers or largest):
            return {}
        found = self._run(partial(totals, self.rows, numbers, largest))
        asked = {name: found[f"{name}_sum"] for name in numbers}
        asked |= {name: found[f"{name}_high"] for name in largest}
        return {name: math.nan if each is None else float(each) for name, each in asked.items()}

    def counted(self, number: nw.Expr, sample: Floats) -> tuple[Floats, Floats]:
        """Return the distinct values of a number of each row, ascending, and how often they occur.

        If there are very many, they are the means of narrow bins; the lowest and the highest are
        exact. Some of its values tell how wide bins are.
        """
        most, asked = 4 * MOST_VALUES, {"value": number}
        # This many of a sample tell that the rest are different, too.
        if self.total <= MOST_VALUES or 2 * np.unique(sample).size <= sample.size:
            found = self._run(partial(distinct_rows, self.rows, asked, most))
            if found.is_whole:
                values = _numbers(found.columns["value"])
                order = np.argsort(values)
                return values[order], found.times[order].astype(float)
        scale = Scale.of(sample, MOST_VALUES)
        found = self._run(partial(scale.counted, self.rows, {}, asked, most, sums=asked))
        low, high, total = (
            _numbers(found.columns[f"value_{end}"]) for end in ("low", "high", "sum")
        )
        order = np.argsort(low)
        means = np.clip(total / found.times, low, high)[order]
        means[0], means[-1] = low.min(), high.max()
        return means, found.times[order].astype(float)

    def sample(self, rows: int) -> list[Floats]:
        """Return about this many random rows, column by column."""
        drawn = sampled(self.rows.select(*self.keys), min(rows / max(self.total, 1), 1.0))
        found = self._run(partial(fetched, drawn))
        return [_numbers(found[key]) for key in self.keys]

    def parts(self) -> Iterator[tuple[Group, NumberSource]]:
        """Return the rows of each group, in order."""
        keys = {"group": nw.col("group")}
        found = self._run(partial(distinct_rows, self.rows, keys, 10**6))
        raw, names = values_of(found.columns["group"]), self.source.groups_of(found.columns)
        if len(set(names)) > MOST_GROUPS:
            raise InvalidFrameError(
                f"measures of numbers must have at most {MOST_GROUPS} groups in a lazy frame or in "
                f"files with so many rows (got {len(set(names)):,}): evaluate a random sample of "
                "the rows, or some groups"
            )
        for name in ordered_groups(set(names)):
            places = np.flatnonzero(names == name)
            rows = self.rows.filter(self._is_any([raw[place] for place in places], name))
            yield name, replace(self, rows=rows, total=int(found.times[places].sum()))

    def _is_any(self, values: Sequence[Any], name: Any) -> nw.Expr:
        """Return whether a group is one of some values, of which some may be missing."""
        group = nw.col("group")
        known = [each for each in values if plain_group(each) != plain_group(None)]
        try:
            found = [group == nw.lit(each) for each in known]
        except ValueError:  # a list is no literal
            raise incomparable(name) from None
        if len(known) < len(values):
            is_float = self.rows.collect_schema()["group"].is_float()
            found += [group.is_null(), *([group.is_nan()] if is_float else [])]
        return nw.any_horizontal(*found, ignore_nulls=True)

    def _run(self, query: Callable[[], Any]) -> Any:
        with engine_errors():
            return with_progress(self.source.native, query)


def _numbers(column: Any) -> Floats:
    return number_array("column", column, NUMBERS).astype(float)


def incomparable(group: Any) -> InvalidFrameError:
    """Return the error about a group whose rows are not found again by its value."""
    return InvalidFrameError(
        f"groups must be values that an engine can compare (got {shown(group)}); cast the "
        "column to numbers or text",
        parameter="by",
    )


# A random sample, the same every time where the engine allows it. DuckDB and polars know the place
# of a row, and its hash decides. Dask, Spark and Ibis draw with a seed, for each partition: with
# the same partitions the sample is the same. SQLFrame has no seed. A hash of the values would be
# the same everywhere, but equal rows would be drawn together.

_SEED = 40
# Hashes are compared modulo this.
_PARTS = 10**9
_PLACE = "baserate_place"


def sampled(frame: nw.LazyFrame[Any], share: float) -> nw.LazyFrame[Any]:
    """Return a random sample of the rows, each drawn with the same probability."""
    if share >= 1:
        return frame
    native: Any = frame.to_native()
    match frame.implementation.name:
        case "DUCKDB":
            # The places of rows are numbered as they stream by, in their order.
            placed = native.project(f"*, row_number() OVER () AS {_PLACE}")
            # A remainder of hashes would take as long as reading the rows.
            drawn = placed.filter(f"hash({_PLACE}) < {round(share * 2**64)}::UBIGINT")
            drawn = drawn.project(f"* EXCLUDE ({_PLACE})")
        case "POLARS":
            import polars as pl

            is_drawn = pl.col(_PLACE).hash(_SEED) % _PARTS < round(share * _PARTS)
            drawn = native.with_row_index(_PLACE).filter(is_drawn).drop(_PLACE)
        case "DASK":
            drawn = native.sample(frac=share, random_state=_SEED)
        case "SQLFRAME":
            from sqlframe.base import functions

            drawn = native.where(functions.rand() < share)
        case _:
            drawn = native.sample(share, seed=_SEED)
    found: nw.LazyFrame[Any] = nw.from_native(drawn)
    return found


# A loss is declared once, as a function of arrays. Given columns of an engine in their place, it
# returns the expression of the same loss.

# Whole powers up to this are products.
_MOST_FACTORS = 8


def expression_of(function: Any, *columns: Any) -> Any:
    """Return a function of columns as an expression; None if engines cannot evaluate it.

    Examples
    --------
    >>> import narwhals.stable.v2 as nw, polars as pl
    >>> error = expression_of(lambda y, z: np.abs(y - z), nw.col("y"), nw.col("z"))
    >>> frame = nw.from_native(pl.DataFrame({"y": [1.0, 2.0], "z": [4.0, 2.0]}))
    >>> frame.select(error=error)["error"].to_list()
    [3.0, 0.0]
    >>> expression_of(np.sort, nw.col("y")) is None
    True
    """
    try:
        return _expression(function(*map(_Column, columns)))
    except Exception:  # a function may do anything with what it takes for an array
        return None


class _Column(NDArrayOperatorsMixin):
    """A column of an engine, in the place of an array."""

    def __init__(self, expression: Any) -> None:
        self.expression = expression

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        rule = _RULES.get(ufunc.__name__)
        if rule is None or method != "__call__" or options:
            return NotImplemented
        return _Column(rule(*map(_expression, inputs)))

    def __array_function__(self, function: Any, _: object, given: Any, options: Any) -> Any:
        if function is not np.where or options or len(given) != 3:
            return NotImplemented
        return _Column(_where(*map(_expression, given)))


def _expression(value: Any) -> Any:
    """Return the expression of a column, or a number."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, _Column):
        return value.expression
    return float(value)


def _where(condition: Any, one: Any, other: Any) -> Any:

    one, other = (nw.lit(each) if isinstance(each, float) else each for each in (one, other))
    return nw.when(condition).then(one).otherwise(other)


# An engine may evaluate a branch in rows where it is not asked for, and raise. So quotients,
# logarithms and powers are only of numbers that have one.


def _quotient(one: Any, other: Any) -> Any:
    return one / (other if isinstance(other, float) else _where(other != 0, other, 1.0))


def _log(number: Any) -> Any:
    return _where(number > 0, number, 1.0).log()


def _log1p(number: Any) -> Any:
    """Return log(1 + x), also of numbers near 0, of which 1 + x loses digits (Kahan)."""
    above = number + 1.0
    rounded = _where(above > 0, above, 2.0)
    step = _where(rounded == 1.0, number * 0.0 + 1.0, rounded - 1.0)
    return _where(rounded == 1.0, number, rounded.log() * (number / step))


def _power(base: Any, exponent: float) -> Any:
    if exponent in range(1, _MOST_FACTORS + 1):
        return reduce(operator.mul, [base] * int(exponent))
    # SQLFrame takes powers of products, but not of conditions.
    positive = _where(base > 0, base, 1.0) * 1.0
    return _where(base > 0, positive**exponent, 0.0)


_RULES: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": _quotient,
    "negative": lambda x: x * -1.0,
    "absolute": lambda x: x.abs(),
    "square": lambda x: x * x,
    "power": _power,
    "log": _log,
    "log1p": _log1p,
    "exp": lambda x: x.exp(),
    "maximum": lambda x, y: _where(x > y, x, y),
    "minimum": lambda x, y: _where(x < y, x, y),
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "less": operator.lt,
    "less_equal": operator.le,
    "equal": operator.eq,
    "not_equal": operator.ne,
}
