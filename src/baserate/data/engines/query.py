"""The one query that engines run: group rows that are alike, count them, and add up numbers.

Only these distinct rows leave an engine, and are then read as if they were arrays with frequencies.
So whatever holds for arrays, labels and errors alike, holds for engines.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np

from baserate.core.observed import Weights
from baserate.data.columns import column_of, is_missing, missing_in
from baserate.data.engines.frames import (
    as_frame,
    column_name,
    engine_errors,
    fetched,
    is_in_memory,
    is_nan,
    is_number,
    label_of,
    require_columns,
    typed_groups,
    values_of,
)
from baserate.data.files import is_text, reads_groups
from baserate.data.numbers import WEIGHTS
from baserate.data.rows import Shown, plain_group
from baserate.data.weights import observations, require_sum, seen_rows, weight_column
from baserate.exceptions import (
    InvalidLabelsError,
    InvalidScoresError,
    InvalidWeightsError,
    TooManyClassesError,
)
from baserate.formatting import setting, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from baserate.core.observed import Rows
    from baserate.data.engines.frames import Frame
    from baserate.data.numbers import Wanted
    from baserate.data.rows import Group
    from baserate.exceptions import BaserateError

    Expressions = Mapping[str, nw.Expr]

# An error names at most this many columns.
_MOST_NAMED = 12
# Beyond all sums of frequencies that are allowed, and still a whole number of 64 bits.
_HUGE = 1e18


class DistinctRows(NamedTuple):
    """Distinct rows, and how often each occurs."""

    columns: dict[str, Any]  # the keys, and name_low, name_high and name_sum of other numbers
    times: NDArray[np.int64]  # how many observations each row stands for
    is_whole: bool  # whether these are all; otherwise there are more than were asked for


def distinct_rows(
    frame: Frame,
    keys: Expressions,
    most: int,
    *,
    ends: Expressions | None = None,
    sums: Expressions | None = None,
    weight: str | None = None,
) -> DistinctRows:
    """Count the rows that are alike by some keys, where they are.

    At most so many distinct rows are fetched, and one more; with them the ends and the sums of
    other numbers or texts. A column of weights says how often each row was seen, if not once.
    """
    found: Any = _aggregated(frame, keys, ends or {}, sums or {}, weight)
    columns = fetched(found.head(most + 1))
    times = np.array([int(each) for each in values_of(columns.pop("rows"))], dtype=np.int64)
    return DistinctRows(columns, times, times.size <= most)


def totals(frame: Frame, sums: Expressions, ends: Expressions | None = None) -> dict[str, Any]:
    """Return the number of rows, the sums of numbers and the ends of others, in one pass."""
    found = fetched(_aggregated(frame, {}, ends or {}, sums, None))
    return {name: values_of(column)[0] for name, column in found.items()}


def _aggregated(
    frame: Frame, keys: Expressions, ends: Expressions, sums: Expressions, weight: str | None
) -> Any:

    weights = {} if weight is None else {"weight": nw.col(weight)}
    rows: Any = frame.select(**keys, **{**ends, **sums}, **weights)
    asked = [
        (nw.len() if weight is None else nw.col("weight").sum()).alias("rows"),
        *(nw.col(name).min().alias(f"{name}_low") for name in ends),
        *(nw.col(name).max().alias(f"{name}_high") for name in ends),
        *(nw.col(name).sum().alias(f"{name}_sum") for name in sums),
    ]
    return rows.group_by(*keys, drop_null_keys=False).agg(*asked) if keys else rows.select(*asked)


def flag(condition: nw.Expr, one: nw.Expr | None = None) -> nw.Expr:
    """Return 1 where a condition holds: engines disagree on the sum of booleans."""
    return nw.when(condition).then(nw.lit(1) if one is None else one).otherwise(nw.lit(0))


class Columns(NamedTuple):
    """Columns that are read by the rules of arrays."""

    truth: Any
    models: dict[str, Any]
    groups: Any
    weights: Weights | None


@dataclass(frozen=True)
class Source:
    """The columns of a data frame that a call names."""

    native: Any  # a data frame of any library that narwhals supports, eager or lazy
    frame: Frame  # its rows, or some of them
    schema: Mapping[str, Any]
    truth: str
    predictions: Mapping[str, str]  # the columns of predictions, keyed by model name
    rows: Rows  # the columns of groups and weights, and what is done with missing values

    @classmethod
    def of(cls, native: Any, truth: str, predictions: Mapping[str, str], rows: Rows) -> Source:
        """Return the columns that are named, or raise unless the frame has each of them."""
        frame, weight = as_frame(native), weight_column(rows.weights)
        schema = require_columns(frame, [truth, *predictions.values()], rows.by, weight)
        return cls(native, frame, schema, truth, predictions, rows)

    @property
    def labelled(self) -> list[str]:
        """The columns of the truth and the predictions."""
        return [self.truth, *self.predictions.values()]

    @property
    def weight(self) -> str | None:
        """The column of weights; None if all rows count alike."""
        return None if self.rows.weights is None else self.rows.weights.values

    @property
    def is_weighed(self) -> bool:
        """Whether weights say how much rows matter, and not how often they were seen."""
        return self.rows.weights is not None and self.rows.weights.kind == "importance"

    @property
    def shown(self) -> Shown:
        """What errors call the columns."""
        models = {model: column_name(name) for model, name in self.predictions.items()}
        return Shown(column_name(self.truth), models)

    @property
    def pos_label(self) -> object:
        """The positive class, as labels of the frame are read."""
        given = self.rows.pos_label
        if not (is_text(self.native) and isinstance(given, str)):
            return given
        label = label_of(given)
        if label is None:
            raise InvalidLabelsError.missing_positive(given)
        return label

    @property
    def is_in_memory(self) -> bool:
        """Whether numpy reads the rows themselves."""
        return is_in_memory(self.frame)

    def in_memory(self) -> Columns:
        """Return the columns of rows in memory."""

        def column(name: str | None) -> Any:
            frame: Any = self.frame
            return None if name is None else frame[name].to_native()

        models = {model: column(name) for model, name in self.predictions.items()}
        weights = self.rows.weights
        if weights is not None:
            weights = weights._replace(values=column(self.weight))
        return Columns(column(self.truth), models, column(self.rows.by), weights)

    def of_models(self, models: Sequence[str]) -> Source:
        """Return the same for some models."""
        return replace(self, predictions={name: self.predictions[name] for name in models})

    # What rows are alike by, and what comes back.

    def is_read(self, name: str) -> bool:
        """Return whether the values of a column are read from text."""
        return is_text(self.native) and bool(self.schema[name] == nw.String)

    def label(self, name: str) -> nw.Expr:
        """Return the labels of a column; some engines would count categories by their codes."""
        is_category = self.schema[name] in (nw.Categorical, nw.Enum)
        return nw.col(name).cast(nw.String()) if is_category else nw.col(name)

    def labels_of(self, name: str, column: Any) -> Any:
        """Return labels that came back; texts of files without types by their meaning."""
        if not self.is_read(name):
            return column
        texts = values_of(column)
        known = {text: label_of(text) for text in set(texts) if isinstance(text, str)}
        return [known.get(text, text) for text in texts]

    def group(self) -> dict[str, nw.Expr]:
        """Return the groups, if there are any."""
        return {} if self.rows.by is None else {"group": nw.col(self.rows.by)}

    def groups_of(self, columns: Mapping[str, Any]) -> Any:
        """Return the names of the groups that came back; None if there are none."""
        if self.rows.by is None:
            return None
        named = group_names(self.native, self.rows.by, values_of(columns["group"]))
        found = np.empty(len(named), dtype=object)  # in which 2 stays whole beside 1.5
        found[:] = named
        return found

    def columns_of(self, found: DistinctRows, models: dict[str, Any]) -> Columns:
        """Return distinct rows that came back, with how often each occurs."""
        truth = self.labels_of(self.truth, found.columns["truth"])
        weights = Weights(found.times, "frequency") if found.times.size else None
        return Columns(truth, models, self.groups_of(found.columns), weights)

    def numbers(self, names: Sequence[str], wanted: Wanted) -> dict[str, nw.Expr]:
        """Return numbers as score0 and so on; as text0 what is text, and no number.

        Raises if a column has neither numbers nor texts that may be read as such.
        """
        found: dict[str, nw.Expr] = {}
        for place, name in enumerate(names):
            column, kind = nw.col(name), self.schema[name]
            if self.is_read(name):
                is_strange = ~is_number(column) & ~self.missing(name)
                found[f"text{place}"] = nw.when(is_strange).then(column)
                number = nw.when(is_number(column)).then(column.str.strip_chars())
                column = number.cast(nw.Float64())
            elif not (kind.is_numeric() or kind == nw.Boolean):
                raise wanted.error(column_name(name), f"a column of type {kind}")
            found[f"score{place}"] = column
        return found

    def may_be_numbers(self, name: str) -> bool:
        """Return whether a column may have numbers that are not whole."""
        return self.is_read(name) or bool(self.schema[name].is_float())

    def first(self, most: int) -> dict[str, Any]:
        """Return the first rows of the truth and the predictions."""
        rows: Any = self.frame.select(*self.labelled).head(most)
        return {name: self.labels_of(name, each) for name, each in fetched(rows).items()}

    # Missing values.

    def missing(self, name: str) -> nw.Expr:
        """Flag missing values, including NaN."""
        column = nw.col(name)
        if self.is_read(name):
            return column.is_null() | is_nan(column)
        is_float = self.schema[name].is_float()
        return column.is_null() | column.is_nan() if is_float else column.is_null()

    @contextlib.contextmanager
    def naming_gaps(self, what: str, error: type[BaserateError]) -> Iterator[None]:
        """Say which columns lack values, if they raise an error when they are read."""
        try:
            yield
        except TooManyClassesError:  # of labels of which none is missing
            raise
        except (InvalidLabelsError, InvalidScoresError):
            self.require_complete(what, error)
            raise

    def require_complete(self, what: str, error: type[BaserateError]) -> None:
        """Raise if values are missing, and must not be."""
        if self.rows.drop:
            return
        names = self.labelled
        if self.is_in_memory:
            truth, models, _, weights = self.in_memory()
            columns = {self.predictions[model]: each for model, each in models.items()}
            seen = seen_rows(weights, truth, {self.truth: truth, **columns})
            flags = (missing_in(column_of(name, seen.models[name])) for name in names)
            found = [observations(each, seen.counts) for each in flags]
        else:
            found = self._observations([self.missing(name) for name in names])
        lacking = [f"{n:,} in {shown(name)}" for name, n in zip(names, found, strict=True) if n]
        if lacking:
            more = ", …" if len(lacking) > _MOST_NAMED else ""
            raise error(
                f"{what} must not be missing (got {', '.join(lacking[:_MOST_NAMED])}{more}); fill "
                "them, or leave those rows out with ",
                setting("missing", "drop"),
            ) from None

    def complete(self) -> tuple[Source, int]:
        """Return the rows that lack nothing, and how many observations the others are."""
        lacks = nw.any_horizontal(*map(self.missing, self.labelled), ignore_nulls=False)
        (dropped,) = self._observations([lacks])
        return replace(self, frame=self.frame.filter(~lacks)), dropped

    def _observations(self, conditions: Sequence[nw.Expr]) -> list[int]:
        """Return in how many observations each condition holds, in one pass."""
        one = None if self.weight is None or self.is_weighed else nw.col(self.weight)
        flags = {f"key{place}": flag(each, one) for place, each in enumerate(conditions)}
        found = totals(self.frame, flags)
        return [int(found[f"{key}_sum"] or 0) for key in flags]

    # Frequencies.

    def seen(self) -> Source:
        """Return the rows that were seen at all, or raise unless frequencies are whole numbers."""
        if self.weight is None:
            return self
        # Floats are exact up to the largest test set.
        number = self.numbers([self.weight], WEIGHTS)["score0"].cast(nw.Float64())
        # Some engines make a whole number of what they round, and know no very large one.
        size = nw.when((number >= 0) & (number < _HUGE)).then(number)
        is_whole = nw.when(~size.is_null()).then(size.floor() == size)
        is_good = is_whole.otherwise(nw.lit(value=False))
        good = nw.when(is_good).then(number).otherwise(nw.lit(0.0))
        found = totals(self.frame, {"total": good, "bad": flag(~is_good)})
        if found["bad_sum"]:
            bad = fetched(self.frame.filter(~is_good).select(self.weight).head(1))
            (value,) = values_of(bad[self.weight])
            got = "a missing value" if is_missing(value) else shown(value)
            raise InvalidWeightsError.of_bad_value(
                f"{got} in column {shown(self.weight)}", "sample_weight", whole=True
            )
        if found["rows"]:  # otherwise an error about labels says so
            if not found["total_sum"]:
                raise InvalidWeightsError("must not all be zero", parameter="sample_weight")
            require_sum(float(found["total_sum"]))
        rows = self.frame.with_columns(good.cast(nw.Int64()).alias(self.weight))
        return replace(self, frame=rows.filter(nw.col(self.weight) > 0))


def first_rows(
    native: Any, truth: str, predictions: Mapping[str, str], rows: Rows
) -> tuple[Any, list[Any]]:
    """Return the columns that tell what kind of prediction it is: nothing if their types do.

    They are whole if they are in memory, and otherwise their first rows.
    """
    with engine_errors():
        source = Source.of(native, truth, predictions, rows)
        if source.is_in_memory:
            columns = source.in_memory()
            return columns.truth, list(columns.models.values())
        if not any(map(source.may_be_numbers, source.labelled)):
            return [], []
        y_true, *models = source.first(1_000).values()
        return y_true, models


def group_names(native: Any, by: str, values: Iterable[Any]) -> list[Group]:
    """Return the names of groups that came back; texts by their meaning, if all have one."""
    groups = [plain_group(each) for each in values]
    renamed = typed_groups(set(groups)) if reads_groups(native, by) else {}
    return [renamed.get(group, group) for group in groups]


def require_no_text(names: Sequence[str], columns: Mapping[str, Any], wanted: Wanted) -> None:
    """Raise if a text of `Source.numbers` came back, which is no number."""
    for key, column in columns.items():
        if key.startswith("text"):
            texts = (each for each in values_of(column) if isinstance(each, str))
            text = next(texts, None)
            if text is not None:
                name = names[int(key.removeprefix("text").partition("_")[0])]
                raise wanted.error(column_name(name), f"text such as {shown(text)}")
