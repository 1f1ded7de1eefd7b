"""The one query that engines run: how often each distinct row occurs.

The engine groups rows that are alike and counts them, or adds up their frequencies. Only these
distinct rows leave it, and are then read as if they were arrays with frequencies. So whatever holds
for arrays, labels and errors alike, holds for engines.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.core.observed import Weights
from baserate.data.engines.frames import (
    as_frame,
    column_name,
    fetched,
    is_in_memory,
    require_columns,
    values_of,
)
from baserate.data.engines.texts import is_nan, label_of, typed_groups
from baserate.data.engines.weights import seen_frame
from baserate.data.files import is_text, reads_groups
from baserate.data.groups import plain_group
from baserate.data.rows import Shown

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import narwhals.stable.v2 as nw
    from numpy.typing import NDArray

    from baserate.data.engines.frames import Frame

# The name of the counts, unlike that of any key.
_ROWS = "rows"


class DistinctRows(NamedTuple):
    """Distinct rows, and how often each occurs.

    Parameters
    ----------
    columns
        The keys, and the smallest and largest of what is summarised, as ``name_low`` and
        ``name_high``.
    times
        How many observations each row stands for.
    is_whole
        Whether these are all; otherwise there are more than were asked for.
    """

    columns: dict[str, Any]
    times: NDArray[np.int64]
    is_whole: bool


def distinct_rows(
    frame: Frame,
    keys: Mapping[str, nw.Expr],
    most: int,
    *,
    ends: Mapping[str, nw.Expr] | None = None,
    sums: Collection[str] = (),
    weight: str | None = None,
) -> DistinctRows:
    """Count the rows that are alike, where they are.

    Parameters
    ----------
    frame
        The rows.
    keys
        By what rows are alike.
    most
        The most distinct rows that are fetched, and one more.
    ends
        Numbers or texts of which the smallest and the largest are fetched.
    sums
        Those of which the sum is fetched, too.
    weight
        The column of how often each row was seen, in whole numbers; None if once.
    """
    import narwhals.stable.v2 as nw

    ends = ends or {}
    weights = {} if weight is None else {"weight": nw.col(weight)}
    rows = frame.select(**keys, **ends, **weights)
    counts = nw.len() if weight is None else nw.col("weight").sum()
    found: Any = rows.group_by(*keys, drop_null_keys=False).agg(
        counts.alias(_ROWS),
        *(nw.col(name).min().alias(f"{name}_low") for name in ends),
        *(nw.col(name).max().alias(f"{name}_high") for name in ends),
        *(nw.col(name).sum().alias(f"{name}_sum") for name in sums),
    )
    columns = fetched(found.head(most + 1))
    times = np.array([int(each) for each in values_of(columns.pop(_ROWS))], dtype=np.int64)
    return DistinctRows(columns, times, times.size <= most)


@dataclass(frozen=True)
class Source:
    """The columns of a data frame that a call names.

    Parameters
    ----------
    native
        A data frame of any library that narwhals supports, eager or lazy.
    frame
        Its rows, or some of them.
    schema
        The types of its columns.
    truth
        The column of the truth.
    predictions
        The columns of predictions, keyed by model name.
    by
        The column of groups.
    weight
        The column of frequencies; None if every row was seen once.
    """

    native: Any
    frame: Frame
    schema: Mapping[str, Any]
    truth: str
    predictions: Mapping[str, str]
    by: str | None = None
    weight: str | None = None

    @classmethod
    def of(
        cls,
        native: Any,
        truth: str,
        predictions: Mapping[str, str] | None,
        by: str | None = None,
        weight: str | None = None,
    ) -> Source:
        """Return the columns that are named, or raise unless the frame has each of them.

        Without predictions, the truth is its own: a model that is always right.
        """
        frame = as_frame(native)
        named = [truth, *(predictions or {}).values()]
        schema = require_columns(frame, named, by, weight)
        models = {truth: truth} if predictions is None else predictions
        return cls(native, frame, schema, truth, models, by, weight)

    @property
    def labelled(self) -> list[str]:
        """The columns of the truth and the predictions."""
        return list(dict.fromkeys((self.truth, *self.predictions.values())))

    @property
    def shown(self) -> Shown:
        """What errors call the columns."""
        models = {model: column_name(name) for model, name in self.predictions.items()}
        return Shown(column_name(self.truth), models)

    @property
    def is_in_memory(self) -> bool:
        """Whether numpy reads the rows themselves."""
        return is_in_memory(self.frame)

    @property
    def is_text(self) -> bool:
        """Whether the columns have no types, only text."""
        return is_text(self.native)

    def is_read(self, name: str) -> bool:
        """Return whether the values of a column are read from text."""
        import narwhals.stable.v2 as nw

        return self.is_text and self.schema[name] == nw.String

    def of_models(self, models: Sequence[str]) -> Source:
        """Return the same for some models."""
        return replace(self, predictions={name: self.predictions[name] for name in models})

    def seen(self) -> Source:
        """Return the rows that were seen at all, or raise unless the frequencies are ones."""
        rows = seen_frame(self.frame, self.weight, self.schema, text=self.is_text)
        return replace(self, frame=rows)

    def in_memory(self) -> tuple[dict[str, Any], Weights | None]:
        """Return the columns and the frequencies of rows in memory."""
        names = [*self.labelled, *(each for each in (self.by, self.weight) if each is not None)]
        frame: Any = self.frame
        columns = {name: frame[name].to_native() for name in names}
        weight = self.weight
        return columns, None if weight is None else Weights(columns[weight], "frequency")

    # What rows are alike by.

    def missing(self, name: str) -> nw.Expr:
        """Flag missing values, including NaN."""
        import narwhals.stable.v2 as nw

        column = nw.col(name)
        if self.is_read(name):
            return column.is_null() | is_nan(column)
        is_float = self.schema[name].is_float()
        return column.is_null() | column.is_nan() if is_float else column.is_null()

    def label(self, name: str) -> nw.Expr:
        """Return the labels of a column; some engines would count categories by their codes."""
        import narwhals.stable.v2 as nw

        is_category = self.schema[name] in (nw.Categorical, nw.Enum)
        return nw.col(name).cast(nw.String()) if is_category else nw.col(name)

    def group(self) -> dict[str, nw.Expr]:
        """Return the groups, if there are any."""
        import narwhals.stable.v2 as nw

        return {} if self.by is None else {"group": nw.col(self.by)}

    # What comes back.

    def labels_of(self, name: str, column: Any) -> Any:
        """Return labels that came back; texts of files without types by their meaning."""
        if not self.is_read(name):
            return column
        texts = values_of(column)
        known = {text: label_of(text) for text in set(texts) if isinstance(text, str)}
        return [known.get(text, text) for text in texts]

    def groups_of(self, columns: Mapping[str, Any]) -> Any:
        """Return the groups that came back; texts by their meaning, if all have one."""
        if self.by is None:
            return None
        if not reads_groups(self.native, self.by):
            return columns["group"]
        groups = [plain_group(each) for each in values_of(columns["group"])]
        renamed = typed_groups(set(groups))
        found = np.empty(len(groups), dtype=object)  # in which 2 stays whole beside 1.5
        found[:] = [renamed.get(group, group) for group in groups]
        return found

    # Missing values.

    def count_missing(self) -> dict[str, int]:
        """Return how many values each column lacks."""
        names = self.labelled
        found = self._observations([self.missing(name) for name in names])
        return dict(zip(names, found, strict=True))

    def complete(self) -> tuple[Source, int]:
        """Return the rows that lack nothing, and how many observations the others are."""
        import narwhals.stable.v2 as nw

        lacks = nw.any_horizontal(*map(self.missing, self.labelled), ignore_nulls=False)
        (dropped,) = self._observations([lacks])
        return replace(self, frame=self.frame.filter(~lacks)), dropped

    def _observations(self, conditions: Sequence[nw.Expr]) -> list[int]:
        """Return in how many observations each condition holds, in one pass."""
        import narwhals.stable.v2 as nw

        one = nw.lit(1) if self.weight is None else nw.col(self.weight)
        # Engines disagree on the sum of booleans.
        flags = {
            f"key{place}": nw.when(each).then(one).otherwise(nw.lit(0))
            for place, each in enumerate(conditions)
        }
        found = fetched(self.frame.select(**flags).select(*(nw.col(key).sum() for key in flags)))
        return [int(values_of(found[key])[0] or 0) for key in flags]
