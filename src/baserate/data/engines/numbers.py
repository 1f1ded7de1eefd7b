"""Read columns of numbers of any data frame or engine.

The columns that are asked for leave the engine if there are not too many rows. Otherwise the
numbers stay where they are: sums, counts of distinct numbers and a random sample leave it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.data.columns import is_missing
from baserate.data.engines.bins import Scale
from baserate.data.engines.distinct import Source, distinct_rows
from baserate.data.engines.frames import column_name, engine_errors, fetched, values_of
from baserate.data.engines.labels import named_counts
from baserate.data.engines.sampling import sampled
from baserate.data.engines.texts import is_number, number_of, require_types, typed_groups
from baserate.data.files import reads_groups, with_progress
from baserate.data.groups import ordered_groups, plain_group
from baserate.data.number_rows import read_number_rows
from baserate.data.numbers import LARGEST, NUMBERS, number_array, what_numbers
from baserate.exceptions import InvalidFrameError, InvalidLabelsError, InvalidScoresError
from baserate.formatting import setting, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import narwhals.stable.v2 as nw
    from numpy.typing import NDArray

    from baserate.core.observed import Rows
    from baserate.data.groups import Group
    from baserate.data.rows import Columns

    Floats = NDArray[np.float64]

# The most groups that are asked for one by one.
MOST_GROUPS = 100
# The most distinct numbers that leave an engine; more of them are put in bins.
MOST_VALUES = 10**6


def read_frame_numbers(
    native: Any, truth: str, predictions: Mapping[str, str], asked: Rows, most: int
) -> Columns | NumberSource:
    """Read the truth and the predictions of every model of a frame.

    Parameters
    ----------
    native
        A data frame of any library that narwhals supports, eager or lazy.
    truth, predictions
        The column of true numbers, and those of predictions, keyed by model name.
    asked
        The columns of groups and of weights, and whether to drop rows with a missing number.
    most
        The most rows that leave an engine; the numbers of more rows stay where they are.
    """
    by, weights = asked.by, asked.weights
    with engine_errors():
        weight = None if weights is None else weights.values
        source = Source.of(native, truth, predictions, by, weight)
        numbers = [*source.labelled, *([] if weight is None else [weight])]
        if source.is_in_memory:
            columns, _ = source.in_memory()
        else:
            require_types(source.schema, numbers, is_text=source.is_text, wanted=NUMBERS)
            staying = NumberSource(_selected(source, numbers), numbers, native, source.by)
            read = staying.columns(most)
            if read is None:
                return staying
            columns = read
    models = {model: columns[name] for model, name in predictions.items()}
    if weights is not None:
        weights = weights._replace(values=columns[weights.values])
    rows = asked._replace(by=None if by is None else columns[by], weights=weights)
    return read_number_rows(columns[truth], models, rows, source.shown)


def _selected(source: Source, numbers: Sequence[str]) -> Any:
    """Return the rows with numbers, groups, and what is text and no number."""
    import narwhals.stable.v2 as nw

    columns = source.group()
    for place, name in enumerate(numbers):
        column, is_read = nw.col(name), source.is_read(name)
        columns[f"score{place}"] = number_of(column, is_read=is_read)
        if is_read:
            is_strange = ~is_number(column) & ~source.missing(name)
            columns[f"text{place}"] = nw.when(is_strange).then(column)
    return source.frame.select(**columns)


class Ends(NamedTuple):
    """The lowest and the highest number of a column, and the mean."""

    low: float
    high: float
    mean: float


class Part(NamedTuple):
    """The rows of a group."""

    group: Group | None
    source: NumberSource


@dataclass(frozen=True)
class NumberSource:
    """Columns of numbers of an engine.

    Parameters
    ----------
    rows
        The rows: ``score0`` is the truth, ``score1`` and so on the predictions, ``group`` the
        group, and ``text0`` and so on what is no number, where numbers are read from text.
    names
        The name of each column, for errors.
    native
        The frame that they are of, which may know how far a query is.
    by
        The name of the column of groups.
    total
        The number of rows; 0 if it is not known yet.
    ends
        The ends of each column; nothing if they are not known yet.
    """

    rows: Any
    names: Sequence[str]
    native: Any
    by: str | None = None
    total: int = 0
    ends: Sequence[Ends] = ()

    @property
    def keys(self) -> list[str]:
        """The columns of numbers."""
        return [f"score{place}" for place in range(len(self.names))]

    def columns(self, most: int) -> dict[str, Any] | None:
        """Fetch all columns, or raise if they have something else than numbers.

        None if there are more than so many rows.
        """
        found = self._run(self.rows.head(most + 1))
        numbers = {
            name: _numbers(found[key]) for key, name in zip(self.keys, self.names, strict=True)
        }
        if numbers[self.names[0]].size > most:
            return None
        for name, column in found.items():
            if name.startswith("text"):
                self._require_number(name, next(filter(None, values_of(column)), None))
        return numbers if self.by is None else numbers | {self.by: self._groups(found["group"])}

    def _require_number(self, key: str, text: Any) -> None:
        """Raise if there is a text that is no number."""
        if not is_missing(text):
            name = self.names[int(key.removeprefix("text"))]
            raise NUMBERS.error(column_name(name), f"text such as {shown(text)}")

    def _groups(self, column: Any) -> list[Any]:
        groups = [plain_group(each) for each in values_of(column)]
        renamed = typed_groups(set(groups)) if reads_groups(self.native, self.by) else {}
        return [renamed.get(group, group) for group in groups]

    def known(self, *, drop: bool) -> tuple[NumberSource, int]:
        """Return the same with its rows counted and its ends known, and how many were dropped.

        Raises if a number is missing and must not be, or is infinite, or if nothing is left.
        """
        import narwhals.stable.v2 as nw

        lacks = [nw.col(key).is_null() | nw.col(key).is_nan() for key in self.keys]
        any_lacks = nw.any_horizontal(*lacks, ignore_nulls=False)
        columns: dict[str, Any] = {"dropped": _flag(any_lacks)}
        asked: list[Any] = [nw.len().alias("total"), nw.col("dropped").sum()]
        for key, is_missing_here in zip(self.keys, lacks, strict=True):
            columns |= {key: nw.when(~is_missing_here).then(nw.col(key))}
            columns |= {f"{key}_missing": _flag(is_missing_here)}
            asked += [nw.col(f"{key}_missing").sum(), nw.col(key).sum().alias(f"{key}_sum")]
            asked += [nw.col(key).min().alias(f"{key}_low"), nw.col(key).max().alias(f"{key}_high")]
        texts = [name for name in self.rows.collect_schema().names() if name.startswith("text")]
        answer = self._run(
            self.rows.select(*texts, **columns).select(
                *asked, *(nw.col(name).min() for name in texts)
            )
        )
        found = {name: values_of(column)[0] for name, column in answer.items()}
        for name in texts:
            self._require_number(name, found[name])
        total, dropped = int(found["total"]), int(found["dropped"] or 0)
        if dropped == total:
            raise InvalidLabelsError(
                "must hold at least one number (got none)", parameter=column_name(self.names[0])
            )
        self._require_finite(found)
        if dropped and not drop:
            counts = [int(found[f"{key}_missing"]) for key in self.keys]
            raise _missing_numbers(dict(zip(self.names, counts, strict=True)))
        if dropped:
            kept = replace(self, rows=self.rows.filter(~any_lacks))
            return kept.known(drop=False)[0], dropped
        ends = []
        for key in self.keys:
            low, high, above = (float(found[f"{key}_{each}"]) for each in ("low", "high", "sum"))
            ends.append(Ends(low + 0.0, high + 0.0, min(max(above / total, low), high) + 0.0))
        return replace(self, total=total, ends=ends), 0

    def _require_finite(self, found: Mapping[str, Any]) -> None:
        for key, name in zip(self.keys, self.names, strict=True):
            for number in (found[f"{key}_low"], found[f"{key}_high"]):
                if number is not None and not abs(number) <= LARGEST:
                    raise InvalidScoresError(
                        f"must be {what_numbers(number)} (got {number})",
                        parameter=column_name(name),
                    )

    def sums(
        self, numbers: Mapping[str, nw.Expr], largest: Mapping[str, nw.Expr]
    ) -> dict[str, float]:
        """Return the sums of some numbers of each row, and the largest of others, in one pass."""
        import narwhals.stable.v2 as nw

        if not (numbers or largest):
            return {}
        rows = self.rows.select(**numbers, **largest)
        asked = [nw.col(name).sum() for name in numbers] + [nw.col(name).max() for name in largest]
        answer = self._run(rows.select(*asked))
        found = {name: values_of(column)[0] for name, column in answer.items()}
        return {name: math.nan if each is None else float(each) for name, each in found.items()}

    def counted(self, number: nw.Expr, sample: Floats) -> tuple[Floats, Floats]:
        """Return the distinct values of a number of each row, ascending, and how often they occur.

        If there are very many, they are the means of narrow bins; the lowest and the highest are
        exact.

        Parameters
        ----------
        number
            The number.
        sample
            Some of its values.
        """
        # So many of a sample tell that the rest are different, too.
        are_many = self.total > MOST_VALUES and 2 * np.unique(sample).size > sample.size
        scale = Scale.of(sample, MOST_VALUES) if are_many else None
        while True:
            keys = {"value": number} if scale is None else scale.keys(number)
            bins: Any = {} if scale is None else {"score": number}
            query = partial(distinct_rows, self.rows, keys, 4 * MOST_VALUES, ends=bins, sums=bins)
            with engine_errors():
                found = with_progress(self.native, query)
            if found.is_whole:
                break
            scale = Scale.of(sample, MOST_VALUES) if scale is None else scale.coarser()
        times = found.times.astype(float)
        if scale is None:
            values = _numbers(found.columns["value"])
            order = np.argsort(values)
            return values[order], times[order]
        low, high, total = (
            _numbers(found.columns[f"score_{end}"]) for end in ("low", "high", "sum")
        )
        order = np.argsort(low)
        means = np.clip(total / times, low, high)[order]
        means[0], means[-1] = low.min(), high.max()
        return means, times[order]

    def sample(self, rows: int) -> list[Floats]:
        """Return about so many random rows, column by column."""
        drawn = sampled(self.rows.select(*self.keys), min(rows / max(self.total, 1), 1.0))
        found = self._run(drawn)
        return [_numbers(found[key]) for key in self.keys]

    def parts(self) -> Iterator[Part]:
        """Return the rows of each group, in order."""
        import narwhals.stable.v2 as nw

        with engine_errors():
            found = distinct_rows(self.rows, {"group": nw.col("group")}, 10**6)
        raw = values_of(found.columns["group"])
        names = self._groups(raw)
        if len(set(names)) > MOST_GROUPS:
            raise InvalidFrameError(
                f"measures of numbers must have at most {MOST_GROUPS} groups in a lazy frame or in "
                f"files with so many rows (got {len(set(names)):,}): evaluate a random sample of "
                "the rows, or some groups"
            )
        for name in ordered_groups(set(names)):
            places = [place for place, each in enumerate(names) if each == name]
            rows = self.rows.filter(self._is_any([raw[place] for place in places], name))
            yield Part(name, replace(self, rows=rows, total=int(found.times[places].sum())))

    def _is_any(self, values: Sequence[Any], name: Any) -> nw.Expr:
        """Return whether a group is one of some values, of which some may be missing."""
        import narwhals.stable.v2 as nw

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

    def _run(self, frame: Any) -> dict[str, Any]:
        with engine_errors():
            return with_progress(self.native, lambda: fetched(frame))


def _numbers(column: Any) -> Floats:
    return number_array("column", column, NUMBERS).astype(float)


def _flag(condition: nw.Expr) -> nw.Expr:
    """Return 1 where a condition holds: engines disagree on the sum of booleans."""
    import narwhals.stable.v2 as nw

    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0))


def _missing_numbers(counts: Mapping[str, int]) -> InvalidScoresError:
    return InvalidScoresError(
        f"numbers must not be missing (got {named_counts(counts)}); fill them, or leave those rows "
        "out with ",
        setting("missing", "drop"),
    )


def incomparable(group: Any) -> InvalidFrameError:
    """Return the error about a group whose rows are not found again by its value."""
    return InvalidFrameError(
        f"groups must be values that an engine can compare (got {shown(group)}); cast the "
        "column to numbers or text",
        parameter="by",
    )
