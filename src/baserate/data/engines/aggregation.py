"""The one aggregation that an engine runs, and the counts that come back."""

from __future__ import annotations

import abc
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from baserate.arguments import whole_number
from baserate.data.columns import is_missing
from baserate.data.engines.codes import Code, Coding
from baserate.data.groups import plain_group
from baserate.data.labels import (
    look_like_numbers,
    plain_label,
    require_alike,
    require_one_kind,
    require_positive_class,
    require_shared,
)
from baserate.exceptions import InvalidFrameError, InvalidLabelsError, TooManyClassesError
from baserate.formatting import listed, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import narwhals.stable.v2 as nw

    from baserate.data.groups import Group

    Frame: TypeAlias = nw.DataFrame[Any] | nw.LazyFrame[Any]

WEIGHT = "weight"
"""The column of a query that says how often each row was seen."""
# The most distinct labels that an error shows.
_MOST_SHOWN = 6


@dataclass
class Tally:
    """The counts that came back, added up.

    Parameters
    ----------
    missing
        The number of missing labels per column.
    seen
        The codes that occur in each column.
    others
        Labels of each column that are not positive, if the positive class is given.
    cells
        How often a group, a model and two codes occur together, in rows without a missing label.
    both
        How often two models are positive in a group, with which code of the truth.
    dropped
        The number of rows with a missing label.
    """

    missing: list[int]
    seen: list[set[Code]]
    others: list[set[Any]]
    cells: Counter[tuple[Group | None, int, Code, Code]] = field(default_factory=Counter)
    both: Counter[tuple[Group | None, tuple[int, int], Code]] = field(default_factory=Counter)
    dropped: int = 0

    @classmethod
    def empty(cls, columns: int) -> Tally:
        """Return a tally of no rows."""
        seen: list[set[Code]] = [set() for _ in range(columns)]
        return cls([0] * columns, seen, [set() for _ in range(columns)])

    def rename(self, names: Mapping[Group, Group]) -> None:
        """Rename groups, and merge those with the same new name."""
        self.cells = _renamed(self.cells, names)
        self.both = _renamed(self.both, names)

    def see(self, column: int, code: Code, count: int) -> None:
        """Count a label of a column."""
        if count:
            self.seen[column].add(code)
            self.missing[column] += count * (code is Code.MISSING)


def _renamed(counts: Counter[Any], names: Mapping[Group, Group]) -> Counter[Any]:
    """Return counts whose keys begin with a group, under new names."""
    renamed: Counter[Any] = Counter()
    for (group, *rest), count in counts.items():
        known = group if group is None else names.get(group, group)
        renamed[known, *rest] += count
    return renamed


@dataclass(frozen=True)
class Query(abc.ABC):
    """The one aggregation, in one of two forms.

    Parameters
    ----------
    frame
        The rows.
    codings
        How the labels of each column become codes, the truth first.
    by
        The column of groups.
    pairs
        The models to count together, by their places.
    weight
        The column of how often each row was seen; None if once.
    """

    frame: Frame
    codings: Sequence[Coding]
    by: str | None
    pairs: Sequence[tuple[int, int]] = ()
    weight: str | None = None

    @abc.abstractmethod
    def grouped(self) -> Frame:
        """Return the query for the engine."""

    @abc.abstractmethod
    def _add(self, tally: Tally, record: Mapping[str, Any]) -> None:
        """Add one row of the result."""

    def run(self) -> Tally:
        """Run the query, and add up its result."""
        if not all(coding.is_possible for coding in self.codings):
            raise self._class_error()
        tally = Tally.empty(len(self.codings))
        for record in collected(self.grouped()):
            for place, others in enumerate(tally.others):
                ends = (record[name] for name in record if name.startswith(f"other{place}_"))
                others |= {plain_label(end) for end in ends if not is_missing(end)}
            self._add(tally, record)
        wider = self._widened(tally)
        if wider != tuple(self.codings):
            return replace(self, codings=wider).run()
        self._require_classes(tally)
        return tally

    def _widened(self, tally: Tally) -> tuple[Coding, ...]:
        """Return codings that also know labels which were OTHER before."""
        return tuple(
            coding.widened(self.frame) if Code.OTHER in codes else coding
            for coding, codes in zip(self.codings, tally.seen, strict=True)
        )

    def _keys(self) -> dict[str, nw.Expr]:
        return {f"key{place}": coding.key() for place, coding in enumerate(self.codings)}

    def _others(self) -> dict[str, nw.Expr]:
        """Return the labels that are not positive, if they may be of several classes."""
        named = [(place, each) for place, each in enumerate(self.codings) if each.has_others]
        others = {f"other{place}_label": each.other() for place, each in named}
        fractions = ((place, each) for place, each in named if each.dtype.is_float())
        return others | {f"other{place}_part": each.fraction() for place, each in fractions}

    def _group(self) -> dict[str, nw.Expr]:
        import narwhals.stable.v2 as nw

        return {} if self.by is None else {"group": nw.col(self.by)}

    def _weight(self) -> dict[str, nw.Expr]:
        import narwhals.stable.v2 as nw

        return {} if self.weight is None else {WEIGHT: nw.col(self.weight)}

    def _one(self) -> nw.Expr | None:
        """Return as how many observations a row counts, among the columns of `_weight`."""
        import narwhals.stable.v2 as nw

        return None if self.weight is None else nw.col(WEIGHT)

    def _seen(self) -> nw.Expr:
        return observations_seen(is_weighed=self.weight is not None)

    def _group_of(self, record: Mapping[str, Any]) -> Group | None:
        return None if self.by is None else plain_group(record["group"])

    def _require_classes(self, tally: Tally) -> None:
        """Raise unless it is clear which class is positive, and what the others are."""
        found = {
            coding.column: [*others, *(label for code in codes for label in coding.classes(code))]
            for coding, codes, others in zip(self.codings, tally.seen, tally.others, strict=True)
        }
        classes = dict.fromkeys(label for labels in found.values() for label in labels)
        pos_label = self.codings[0].pos_label
        is_crowded = len(classes) > 2
        if (is_crowded and pos_label is None) or any(Code.OTHER in codes for codes in tally.seen):
            raise self._class_error()
        if any(pos_label in others for others in tally.others):
            raise self._not_comparable(classes)  # the engine does not compare as Python does
        if classes:
            require_positive_class(self._names, list(classes), pos_label)
        if is_crowded:
            require_alike({name: labels for name, labels in found.items() if labels})
            self._require_shared(tally, found)

    def _require_shared(self, tally: Tally, found: Mapping[str, Sequence[Any]]) -> None:
        """Raise if the truth has several classes, and no prediction of a model is one of them.

        Only some labels are known of each column. A model whose known labels are all strange to the
        truth is rare, so that all labels are read for it.
        """
        truth = self.codings[0].column
        for coding, codes in zip(self.codings[1:], tally.seen[1:], strict=True):
            labels, name = found[coding.column], coding.column
            if Code.POSITIVE not in codes and set(found[truth]).isdisjoint(labels) and labels:
                every = (self._distinct(each, most=None) for each in (truth, name))
                require_shared(truth, next(every), f"column {shown(name)}", next(every))

    def _class_error(self) -> Exception:
        """Return the error about the classes, after reading the labels themselves."""
        first: dict[Any, str] = {}
        found: dict[str, list[Any]] = {}
        for coding in self.codings:
            labels = self._distinct(coding.column) if coding.known is None else coding.known
            found[coding.column] = labels
            for label in labels:
                first.setdefault(label, f"{shown(label)} in column {shown(coding.column)}")
            if len(first) > 2:  # enough for the error; each column costs a query
                break
        pos_label = self.codings[0].pos_label
        if not first:
            name = self.codings[0].column
            return InvalidLabelsError(f"{name} must hold at least one label (got none)")
        try:
            require_one_kind({name: labels for name, labels in found.items() if labels})
            if len(first) <= 2 or pos_label is not None:
                require_positive_class(self._names, list(first), pos_label)
        except InvalidLabelsError as error:
            return error
        if len(first) > 2 and pos_label is None:
            are_numbers = len(found) == 1 and look_like_numbers(first)
            offender = list(first.values())[2]
            return TooManyClassesError.named(self._names, first, offender, are_numbers=are_numbers)
        return self._not_comparable(first)

    def _not_comparable(self, classes: Iterable[Any]) -> InvalidFrameError:
        return InvalidFrameError(
            f"{self._names} must hold labels that can be compared (got {listed(classes)}); "
            "cast the columns to numbers or text"
        )

    def _distinct(self, column: str, most: int | None = _MOST_SHOWN) -> list[Any]:
        every = self.frame.select(column).unique()
        labels = every if most is None else every.head(most)
        found = (record[column] for record in collected(labels))
        return sorted((plain_label(label) for label in found if not is_missing(label)), key=str)

    @property
    def _names(self) -> str:
        return " and ".join(dict.fromkeys(coding.column for coding in self.codings))


class Combinations(Query):
    """How often each combination of group, truth and predictions occurs."""

    def grouped(self) -> Frame:
        """Group by all columns, and count."""
        keys = self._keys() | self._group()
        coded = self.frame.select(**keys, **self._others(), **self._weight())
        return coded.group_by(*keys, drop_null_keys=False).agg(self._seen(), *_ends(self._others()))

    def _add(self, tally: Tally, record: Mapping[str, Any]) -> None:
        count, group = whole_number("rows", record["rows"]), self._group_of(record)
        keys = (record[f"key{place}"] for place in range(len(self.codings)))
        codes = [coding.code(key) for coding, key in zip(self.codings, keys, strict=True)]
        for column, code in enumerate(codes):
            tally.see(column, code, count)
        if Code.MISSING in codes:
            tally.dropped += count
            return
        for model, code in enumerate(codes[1:]):
            tally.cells[group, model, codes[0], code] += count
        for one, other in self.pairs:
            if codes[one + 1] is codes[other + 1] is Code.POSITIVE:
                tally.both[group, (one, other), codes[0]] += count


class Columns(Query):
    """How often each label occurs in each column, by group and truth; used for many models."""

    def grouped(self) -> Frame:
        """Group by the truth and by whether a label is missing, and count the labels."""
        import narwhals.stable.v2 as nw

        keys = self._group() | {"truth": self.codings[0].coded()}
        lacks = nw.any_horizontal(*(each.missing() for each in self.codings), ignore_nulls=False)
        keys |= {"lacks": flag(lacks)}
        predicted = {f"key{place}": each.coded() for place, each in self._predicted()}
        coded = self.frame.select(**keys, **predicted, **self._others(), **self._weight())
        one = self._one()
        flags = {
            name + code.name: flag(nw.col(name) == int(code), one)
            for name in predicted
            for code in Code
        }
        flags |= {_both(pair): flag(_are_positive(pair), one) for pair in self.pairs}
        flagged = coded.select(*keys, *self._others(), *self._weight(), **flags)
        return flagged.group_by(*keys, drop_null_keys=False).agg(
            self._seen(), *(nw.col(name).sum() for name in flags), *_ends(self._others())
        )

    def _predicted(self) -> Iterator[tuple[int, Coding]]:
        return ((place, each) for place, each in enumerate(self.codings) if place)

    def _add(self, tally: Tally, record: Mapping[str, Any]) -> None:
        truth, group = Code(int(record["truth"])), self._group_of(record)
        rows = whole_number("rows", record["rows"])
        tally.see(0, truth, rows)
        tally.dropped += rows * int(record["lacks"])
        for column, _ in self._predicted():
            for code in Code:
                count = whole_number("rows", record[f"key{column}{code.name}"])
                tally.see(column, code, count)
                if count and not record["lacks"]:
                    tally.cells[group, column - 1, truth, code] += count
        if not record["lacks"]:
            for pair in self.pairs:
                tally.both[group, pair, truth] += whole_number("rows", record[_both(pair)])


def _both(pair: tuple[int, int]) -> str:
    return "both{}_{}".format(*pair)


def _are_positive(pair: tuple[int, int]) -> nw.Expr:
    import narwhals.stable.v2 as nw

    one, other = (nw.col(f"key{place + 1}") == int(Code.POSITIVE) for place in pair)
    return one & other


def flag(condition: nw.Expr, one: nw.Expr | None = None) -> nw.Expr:
    """Return 1 where a condition holds: engines disagree on the sum of booleans.

    Parameters
    ----------
    condition
        The condition.
    one
        What to return in place of 1.
    """
    import narwhals.stable.v2 as nw

    return nw.when(condition).then(nw.lit(1) if one is None else one).otherwise(nw.lit(0))


def observations_seen(*, is_weighed: bool) -> nw.Expr:
    """Return the number of observations: of rows, or as often as these were seen."""
    import narwhals.stable.v2 as nw

    return (nw.col(WEIGHT).sum() if is_weighed else nw.len()).alias("rows")


def _ends(others: Iterable[str]) -> list[nw.Expr]:
    """Return the smallest and the largest label that is not positive."""
    import narwhals.stable.v2 as nw

    return [
        end.alias(f"{name}_{number}")
        for name in others
        for number, end in enumerate((nw.col(name).min(), nw.col(name).max()))
    ]


def collected(frame: Frame) -> list[dict[str, Any]]:
    """Run the query, and return its rows as records."""
    import narwhals.stable.v2 as nw

    if frame.implementation.is_duckdb():  # it returns rows without another library
        native: Any = frame.to_native()
        names = native.columns
        return [dict(zip(names, row, strict=True)) for row in native.fetchall()]
    eager = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    return list(eager.iter_rows(named=True))
