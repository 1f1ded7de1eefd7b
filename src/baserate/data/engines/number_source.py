"""Columns of numbers that stay where they are: sums, extremes and a sample leave them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.data.columns import is_missing
from baserate.data.engines.aggregation import flag
from baserate.data.engines.frames import engine_errors
from baserate.data.engines.overview import Ends, Overview, described
from baserate.data.engines.sampling import sampled
from baserate.data.engines.score_queries import array_of, columns_of, values_of
from baserate.data.engines.texts import typed_groups
from baserate.data.files import with_progress
from baserate.data.groups import ordered_groups, plain_group
from baserate.data.numbers import NUMBERS
from baserate.exceptions import InvalidFrameError, InvalidLabelsError, InvalidScoresError
from baserate.formatting import setting, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import narwhals.stable.v2 as nw
    from numpy.typing import NDArray

    from baserate.data.groups import Group

    Floats = NDArray[np.float64]

# The most groups that are asked for one by one.
MOST_GROUPS = 100


class Part(NamedTuple):
    """The rows of a group, or all rows."""

    group: Group | None
    source: NumberSource


@dataclass(frozen=True)
class NumberSource:
    """The numbers of some columns of an engine.

    Parameters
    ----------
    rows
        The rows: ``score0`` is the truth, ``score1`` and so on the predictions, ``group`` the
        group, and ``text0`` and so on what is no number, where numbers are read from text.
    names
        The name of each column, for errors.
    native
        The frame that they are of, which may know how far a query is.
    reads_groups
        Whether groups are read from text.
    total
        The number of rows; 0 if it is not known yet.
    ends
        What is known of each column, or about known; nothing if it is not known yet.
    """

    rows: nw.LazyFrame[Any]
    names: Sequence[str]
    native: Any
    reads_groups: bool = False
    total: int = 0
    ends: Sequence[Ends] = ()

    @property
    def columns(self) -> list[str]:
        """The columns of numbers."""
        return [f"score{place}" for place in range(len(self.names))]

    def counted(self, *, drop: bool) -> tuple[NumberSource, int]:
        """Return the same with its rows counted, and how many rows were dropped.

        Raises if a text is no number, or if nothing is left.
        """
        total = self._count()
        if not drop:
            return replace(self, total=total), 0
        kept = replace(self, rows=self.rows.filter(~self._lacks_any()))
        left = kept._count()  # noqa: SLF001
        if not left:
            raise InvalidLabelsError(
                "must hold at least one number (got none)", parameter=f"column {self.names[0]!r}"
            )
        return replace(kept if left < total else self, total=left), total - left

    def _count(self) -> int:
        """Return the number of rows, which files may know without being read."""
        import narwhals.stable.v2 as nw

        texts = [name for name in self.rows.collect_schema().names() if name.startswith("text")]
        asked = [nw.len().alias("total"), *(nw.col(name).min() for name in texts)]
        found = self._run(self.rows.select(*asked))
        for name in texts:
            strange = values_of(found[name])[0]
            if not is_missing(strange):
                column_name = f"column {shown(self.names[int(name.removeprefix('text'))])}"
                raise NUMBERS.error(column_name, f"text such as {shown(strange)}")
        return round(_number(found["total"]))

    def _lacks_any(self) -> nw.Expr:
        import narwhals.stable.v2 as nw

        return nw.any_horizontal(*map(_missing, self.columns), ignore_nulls=False)

    def near(self, sample: Sequence[Floats]) -> NumberSource:
        """Return the same with the ends of a sample, which are about those of all rows."""
        # Shares of numbers have a sum, however large they are.
        means = [(each / max(each.size, 1)).sum() for each in sample]
        ends = [
            Ends.of(each.min(), each.max(), mean)
            for each, mean in zip(sample, means, strict=True)
            if each.size
        ]
        return replace(self, ends=ends or [Ends(0.0, 0.0, 0.0)] * len(sample))

    def known(self) -> NumberSource:
        """Return the same with its ends known; raise if a number is missing or infinite."""
        import narwhals.stable.v2 as nw

        asked = {f"{name}_sum": nw.col(name) for name in self.columns}
        overview = Overview(self.sums(asked, with_ends=True), self.columns)
        if not overview.total:
            return replace(self, total=0)
        if not overview.is_complete:
            missing = self.sums({name: flag(_missing(name)) for name in self.columns})
            if any(missing.values()):
                raise _missing_numbers(dict(zip(self.names, missing.values(), strict=True)))
            raise overview.infinite(self.names)
        return replace(self, total=overview.total, ends=overview.ends())

    def sums(
        self,
        rows: Mapping[str, nw.Expr],
        largest: Iterable[str] = (),
        *,
        before: Mapping[str, nw.Expr] | None = None,
        after: Mapping[str, nw.Expr] | None = None,
        with_ends: bool = False,
    ) -> dict[str, float]:
        """Return the sums of some numbers of each row, in one pass.

        Parameters
        ----------
        rows
            The numbers.
        largest
            Those of which the largest is asked for, and not the sum.
        before
            Columns that these numbers are made of, each computed once.
        after
            More numbers, which are made of these.
        with_ends
            Whether the columns are described, too: see `Overview`.
        """
        import narwhals.stable.v2 as nw

        after, most = after or {}, set(largest)
        if not rows:
            return {}
        columns = self.columns if with_ends else []
        found = self.rows.with_columns(**before) if before else self.rows
        found = found.select(*columns, **rows)
        found = found.with_columns(**after) if after else found
        names = (*rows, *after)
        asked = [nw.col(name).max() if name in most else nw.col(name).sum() for name in names]
        asked += [each for name in columns for each in described(name)]
        asked += [nw.len().alias("total")] if with_ends else []
        answer = self._run(found.select(*asked))
        return {name: _number(each) for name, each in answer.items()}

    def between(self, number: nw.Expr, low: float, high: float) -> tuple[Floats, Floats]:
        """Return the distinct values of a number of each row within two ends, and how often.

        The ends may be infinite.
        """
        import narwhals.stable.v2 as nw

        value = nw.col("score")
        rows = self.rows.select(score=number)
        if math.isfinite(low):
            rows = rows.filter(value >= low)
        if math.isfinite(high):
            rows = rows.filter(value <= high)
        found = self._run(rows.group_by("score").agg(nw.len().alias("rows")))
        values, counts = array_of("score", found["score"]), array_of("rows", found["rows"])
        order = np.argsort(values)
        return values[order], counts[order].astype(float)

    def in_bins(
        self, number: nw.Expr, weight: nw.Expr | None, low: float, high: float, bins: int
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Return equally wide bins: both ends, how much weight they have, and how many rows."""
        import narwhals.stable.v2 as nw

        value = nw.col("score")
        weight = nw.lit(1.0) if weight is None else weight
        rows = self.rows.select(score=number, weight=weight)
        rows = rows.filter((value >= low) & (value <= high))
        place = ((value / 2 - low / 2) / (high / 2 - low / 2) * bins).floor()
        found = self._run(
            rows.with_columns(bin=place)
            .group_by("bin")
            .agg(
                nw.col("score").min().alias("score_low"),
                nw.col("score").max().alias("score_high"),
                nw.col("weight").sum().alias("score_sum"),
                nw.len().alias("score_rows"),
            )
        )
        order = np.argsort(array_of("score", found["score_low"]))
        lows, highs, sums, counts = (
            array_of("score", found[f"score_{name}"])[order] for name in _OF_BINS
        )
        return lows, highs, sums, counts

    def sample(self, rows: int) -> list[Floats]:
        """Return about so many random rows, column by column."""
        drawn = sampled(self.rows.select(*self.columns), min(rows / max(self.total, 1), 1.0))
        found = self._run(drawn)
        return [array_of(name, found[name]) for name in self.columns]

    def parts(self) -> Iterator[Part]:
        """Return the rows of each group, in order."""
        import narwhals.stable.v2 as nw

        found = self._run(
            self.rows.group_by("group", drop_null_keys=False).agg(nw.len().alias("rows"))
        )
        raw, kind = values_of(found["group"]), self.rows.collect_schema()["group"]
        names = [plain_group(each) for each in raw]
        renamed = typed_groups(set(names)) if self.reads_groups else {}
        names = [renamed.get(name, name) for name in names]
        if len(set(names)) > MOST_GROUPS:
            raise too_many_groups(len(set(names)))
        counts = array_of("rows", found["rows"])
        for name in ordered_groups(set(names)):
            places = [place for place, each in enumerate(names) if each == name]
            try:
                is_in = _is_any([raw[place] for place in places], kind)
            except ValueError:  # a list is no literal
                raise incomparable(name) from None
            kept = self.rows.filter(is_in)
            yield Part(name, replace(self, rows=kept, total=int(counts[places].sum())))

    def rows_in_memory(self) -> dict[str, Floats]:
        """Return all rows, column by column."""
        found = self._run(self.rows.select(*self.columns))
        return {name: array_of(name, found[name]) for name in self.columns}

    def _run(self, frame: nw.LazyFrame[Any]) -> dict[str, Any]:
        with engine_errors():
            return with_progress(self.native, lambda: columns_of(frame))


_OF_BINS = ("low", "high", "sum", "rows")


def _missing(name: str) -> nw.Expr:
    import narwhals.stable.v2 as nw

    return nw.col(name).is_null() | nw.col(name).is_nan()


def _is_any(values: Sequence[Any], kind: Any) -> nw.Expr:
    """Return whether a group is one of some values, of which some may be missing."""
    import narwhals.stable.v2 as nw

    group = nw.col("group")
    known = [each for each in values if plain_group(each) != plain_group(None)]
    found = [group == nw.lit(each) for each in known]
    if len(known) < len(values):
        found += [group.is_null(), *([group.is_nan()] if kind.is_float() else [])]
    return nw.any_horizontal(*found, ignore_nulls=True)


def _number(column: Any) -> float:
    """Return the one number of a column; nan if there is none."""
    (value,) = values_of(column)
    return math.nan if value is None else float(value)


def _missing_numbers(counts: Mapping[str, float]) -> InvalidScoresError:
    missing = ", ".join(
        f"{round(count):,} in {shown(name)}" for name, count in counts.items() if count
    )
    return InvalidScoresError(
        f"numbers must not be missing (got {missing}); fill them, or leave those rows out with ",
        setting("missing", "drop"),
    )


def too_many_groups(groups: int) -> InvalidFrameError:
    """Return the error about more groups than are asked for one by one."""
    return InvalidFrameError(
        f"measures of numbers must have at most {MOST_GROUPS} groups in a lazy frame or in files "
        f"with so many rows (got {groups:,}): evaluate a random sample of the rows, or some groups"
    )


def incomparable(group: Any) -> InvalidFrameError:
    """Return the error about a group whose rows are not found again by its value."""
    return InvalidFrameError(
        f"groups must be values that an engine can compare (got {shown(group)}); cast the "
        "column to numbers or text",
        parameter="by",
    )
