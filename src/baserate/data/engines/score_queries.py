"""The aggregation that counts scores: how many positives and negatives have each of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.data.columns import is_missing
from baserate.data.engines.aggregation import Query, Tally, flag
from baserate.data.engines.codes import Code
from baserate.data.engines.texts import is_nan
from baserate.data.groups import plain_group
from baserate.data.labels import plain_label
from baserate.data.numbers import SCORES, Wanted
from baserate.exceptions import InvalidFrameError
from baserate.formatting import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import narwhals.stable.v2 as nw
    from numpy.typing import NDArray

    from baserate.data.engines.aggregation import Frame
    from baserate.data.engines.score_scale import Scale

NUMBER = r"(?i)^\s*[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|inf|infinity)\s*$"
"""A text that is a number; a float of any engine can be read from it."""
# A number with a decimal point or an exponent.
_FLOAT = r"[0-9]\.|\.[0-9]|[0-9][eE]"


class Answer(NamedTuple):
    """What an engine found, as columns: a row per group and distinct score, or bin.

    Parameters
    ----------
    columns
        The columns by name: ``rows``, ``positive``, ``lacks``, ``low0``, ``high0`` and so on.
    groups
        The group of each row; nothing if there are none.
    names
        The columns of scores that were counted.
    missing
        How many labels are missing, and how many scores of each of these columns.
    dropped
        How many rows lack a label or a score of any model.
    """

    columns: dict[str, NDArray[Any]]
    groups: list[Any]
    names: Sequence[str]
    missing: list[int]
    dropped: int


class Crowd(NamedTuple):
    """How many groups there are, and some of very many scores."""

    groups: int
    sample: NDArray[Any]


@dataclass(frozen=True)
class ScoreQuery(Query):
    """Count the scores of one model or of two, in one aggregation.

    Parameters
    ----------
    frame, codings, by, pairs
        As in any query; the only coding is that of the truth.
    schema
        The types of all columns.
    scores
        The columns of scores: a row that lacks one of them is left out everywhere.
    counted
        Which of them are counted here.
    is_text
        Whether the frame has no types, only text.
    reads_groups
        Whether groups are read from text.
    most
        The most rows that come back.
    scale
        How scores are put in bins; None if every distinct one is counted.
    """

    schema: Mapping[str, Any] = None  # type: ignore[assignment]
    scores: Sequence[str] = ()
    counted: Sequence[str] = ()
    is_text: bool = False
    reads_groups: bool = False
    most: int = 0
    scale: Scale | None = None

    def answer(self) -> Answer | Crowd:
        """Run the query; return only some scores if they are more than should come back."""
        if not all(coding.is_possible for coding in self.codings):
            raise self._class_error()
        columns, groups = _fetched(self.grouped(), has_groups=self.by is not None)
        self._require_numbers(columns)
        if columns["rows"].size > self.most:
            found = columns["low0"]
            return Crowd(len(set(groups)), found[np.isfinite(found)])
        tally = self._tally(columns)
        wider = self._widened(tally)
        if wider != tuple(self.codings):
            return replace(self, codings=wider).answer()
        self._require_classes(tally)
        lacks = columns["lacks"] > 0
        missing = [int(columns[name].sum()) for name in ("codeMISSING", *self._named("missing"))]
        dropped = int(columns["rows"][lacks].sum())
        return Answer(columns, groups, self.counted, missing, dropped)

    def grouped(self) -> Frame:
        """Group by scores or by bins, and count the labels."""
        import narwhals.stable.v2 as nw

        rows, extra = self._rows()
        one = self._one()
        codes = {f"code{code.name}": flag(nw.col("truth") == int(code), one) for code in Code}
        missing = self._named("missing")
        keys = [*self._group(), "lacks"]
        is_known = nw.col("lacks") == 0
        known = {name: nw.when(is_known).then(nw.col(name)) for name in self._named("score")}
        coded = rows.select(*keys, *extra, *missing, *self._weight(), **known, **codes)
        ends = list(extra)
        if self.scale is None:
            keys += known
        else:
            bins = self.scale.keys(nw.col("score0"))
            coded, keys, ends = coded.with_columns(**bins), [*keys, *bins], [*ends, *known]
        found: Frame = coded.group_by(*keys, drop_null_keys=False).agg(
            self._seen(),
            *(nw.col(name).sum() for name in (*missing, *codes)),
            *(end for name in ends for end in _ends(name)),
        )
        return found.head(self.most + 1)

    def _rows(self) -> tuple[Frame, list[str]]:
        """Return the rows as they are counted, and the columns of which only the ends matter."""
        import narwhals.stable.v2 as nw

        lacks = nw.any_horizontal(
            self.codings[0].missing(), *map(self._missing, self.scores), ignore_nulls=False
        )
        strange = {
            f"text{place}": self._strange(name)
            for place, name in enumerate(self.counted)
            if self._is_read(name)
        }
        extra = strange | self._others()
        scores = dict(zip(self._named("score"), map(self._score, self.counted), strict=True))
        one = None if self.weight is None else nw.col(self.weight)
        flags = (flag(self._missing(name), one) for name in self.counted)
        missing = dict(zip(self._named("missing"), flags, strict=True))
        keys = self._group() | {"lacks": flag(lacks), "truth": self.codings[0].coded()}
        return self.frame.select(**keys, **extra, **scores, **missing, **self._weight()), list(
            extra
        )

    def _named(self, what: str) -> list[str]:
        return [f"{what}{place}" for place in range(len(self.counted))]

    def _add(self, tally: Tally, record: Mapping[str, Any]) -> None:
        raise NotImplementedError  # pragma: no cover (columns are added up, not records)

    def _tally(self, columns: Mapping[str, NDArray[Any]]) -> Tally:
        tally = Tally.empty(1)
        for code in Code:
            tally.see(0, code, int(columns[f"code{code.name}"].sum()))
        for name, column in columns.items():
            if name.startswith("other"):
                tally.others[0] |= {
                    plain_label(each) for each in column.tolist() if not is_missing(each)
                }
        return tally

    def _is_read(self, name: str) -> bool:
        """Return whether scores are read from text."""
        import narwhals.stable.v2 as nw

        return self.is_text and self.schema[name] == nw.String

    def is_whole(self, name: str) -> bool:
        """Return whether a column is of whole numbers or booleans, not of floats."""
        import narwhals.stable.v2 as nw

        if not self._is_read(name):
            kind = self.schema[name]
            return bool(kind.is_integer() or kind == nw.Boolean)
        floats = self.frame.filter(nw.col(name).str.contains(_FLOAT)).select(name).head(1)
        return not len(values_of(columns_of(floats)[name]))

    def whole(self, name: str) -> Callable[[float], int]:
        """Return what makes a label of a number that was read from such a column."""
        import narwhals.stable.v2 as nw

        return bool if self.schema[name] == nw.Boolean else int

    def _score(self, name: str) -> nw.Expr:
        import narwhals.stable.v2 as nw

        if not self._is_read(name):
            return nw.col(name).cast(nw.Float64())
        text = nw.when(self._is_number(name)).then(nw.col(name).str.strip_chars())
        return text.cast(nw.Float64())

    @staticmethod
    def _is_number(name: str) -> nw.Expr:
        import narwhals.stable.v2 as nw

        return nw.col(name).str.contains(NUMBER)

    def _strange(self, name: str) -> nw.Expr:
        """Return the texts that are neither numbers nor missing."""
        import narwhals.stable.v2 as nw

        return nw.when(~self._is_number(name) & ~self._missing(name)).then(nw.col(name))

    def _missing(self, name: str) -> nw.Expr:
        import narwhals.stable.v2 as nw

        column = nw.col(name)
        if self._is_read(name):
            return column.is_null() | is_nan(column)
        is_float = self.schema[name].is_float()
        return column.is_null() | column.is_nan() if is_float else column.is_null()

    def _require_numbers(self, columns: Mapping[str, NDArray[Any]]) -> None:
        for place, name in enumerate(self.counted):
            texts = columns.get(f"text{place}_0")
            found = [] if texts is None else [each for each in texts.tolist() if each is not None]
            if found:
                raise SCORES.error(f"column {shown(name)}", f"text such as {shown(found[0])}")


def require_types(
    schema: Mapping[str, Any], columns: Sequence[str], *, is_text: bool, wanted: Wanted = SCORES
) -> None:
    """Raise unless columns have numbers, or texts that may be read as such."""
    import narwhals.stable.v2 as nw

    for name in columns:
        kind = schema[name]
        is_read = is_text and kind == nw.String
        if not (is_read or kind.is_numeric() or kind == nw.Boolean):
            raise wanted.error(f"column {shown(name)}", f"a column of type {kind}")


def too_many_pairs(most: int) -> InvalidFrameError:
    """Return the error about more pairs of scores than should leave an engine."""
    return InvalidFrameError(
        f"two models must have at most {most:,} distinct pairs of scores to be compared where the "
        "rows are (got more): round the scores, to three digits perhaps, or compare a random "
        "sample of the rows in memory"
    )


def _ends(name: str) -> list[nw.Expr]:
    """Return the smallest and the largest value of a column."""
    import narwhals.stable.v2 as nw

    return [nw.col(name).min().alias(f"{name}_0"), nw.col(name).max().alias(f"{name}_1")]


def _fetched(frame: Frame, *, has_groups: bool) -> tuple[dict[str, NDArray[Any]], list[Any]]:
    """Run the query, and return its columns as arrays, and the groups as Python values."""
    found = columns_of(frame)
    groups = [plain_group(each) for each in values_of(found.pop("group"))] if has_groups else []
    columns = {name: array_of(name, column) for name, column in found.items()}
    for place in range(2):
        if f"score{place}" in columns:
            scores = columns.pop(f"score{place}")
            columns[f"low{place}"] = columns[f"high{place}"] = scores
    if "score0_0" in columns:
        columns["low0"], columns["high0"] = columns.pop("score0_0"), columns.pop("score0_1")
    columns["positive"] = columns["codePOSITIVE"]
    return columns, groups


def columns_of(frame: Frame) -> dict[str, Any]:
    """Run a query, and return its columns: arrays, or those of a library."""
    import narwhals.stable.v2 as nw

    if frame.implementation.is_duckdb():  # it returns arrays without another library
        native: Any = frame.to_native()
        found: dict[str, Any] = native.fetchnumpy()
        return found
    eager = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    return {name: eager[name] for name in eager.columns}


def values_of(column: Any) -> list[Any]:
    """Return Python values, None if missing."""
    found: list[Any] = column.to_list() if hasattr(column, "to_list") else column.tolist()
    return found


def array_of(name: str, column: Any) -> NDArray[Any]:
    """Return numbers as floats or whole numbers, and labels as objects."""
    if name.startswith(("text", "other")):
        values = values_of(column)
        found = np.empty(len(values), dtype=object)
        found[:] = values
        return found
    array: Any = column if isinstance(column, np.ndarray) else column.to_numpy()
    if isinstance(array, np.ma.MaskedArray):
        array = array.filled(np.nan) if array.dtype.kind == "f" else array.filled(0)
    if name.startswith("score"):
        return np.asarray(array, dtype=float)
    return np.asarray(array, dtype=float).astype(np.int64) if name != "bin" else np.asarray(array)
