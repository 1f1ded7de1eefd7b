"""Read columns of numbers of any data frame or engine.

The columns that are asked for leave the engine, and no others, if there are not too many rows.
Otherwise the numbers stay where they are, and only sums and a sample leave it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from baserate.data.engines.frames import as_frame, engine_errors, is_in_memory, require_columns
from baserate.data.engines.number_source import NumberSource
from baserate.data.engines.score_queries import (
    ScoreQuery,
    array_of,
    columns_of,
    require_types,
    values_of,
)
from baserate.data.engines.texts import typed_groups
from baserate.data.files import is_text, reads_groups, with_progress
from baserate.data.groups import plain_group
from baserate.data.number_rows import NumberRows, read_number_rows
from baserate.data.numbers import NUMBERS
from baserate.data.rows import Shown
from baserate.formatting import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from baserate.core.task import Weights

MOST_ROWS = 10**6
"""The most rows that leave an engine, if sums are enough."""


def read_frame_numbers(
    native: Any,
    truth: str,
    predictions: Mapping[str, str],
    *,
    by: str | None = None,
    drop: bool = False,
    most: int = MOST_ROWS,
    weights: Weights | None = None,
) -> NumberRows | NumberSource:
    """Read the truth and the predictions of every model of a frame.

    Parameters
    ----------
    native
        A data frame of any library that narwhals supports, eager or lazy.
    truth
        The column of true numbers.
    predictions
        The columns of predictions, keyed by model name.
    by
        The column of groups.
    drop
        Whether to drop rows with a missing number.
    most
        The most rows that leave an engine; the numbers of more rows stay where they are.
    weights
        The column of weights, and their kind.
    """
    numbers, groups = [truth, *predictions.values()], [] if by is None else [by]
    if weights is not None:
        numbers.append(weights.values)
    with engine_errors():
        frame: Any = as_frame(native)
        schema = require_columns(frame, [*numbers, *groups])
        if is_in_memory(frame):
            columns = {name: frame[name].to_native() for name in (*numbers, *groups)}
        else:
            require_types(schema, numbers, is_text=is_text(native), wanted=NUMBERS)
            named = reads_groups(native, by)
            options: Any = {"is_text": is_text(native), "reads_groups": named}
            query = NumberQuery(frame, (), by, schema=schema, counted=numbers, **options)
            found = with_progress(native, partial(query.columns, most))
            if found is None:
                return NumberSource(query.selected(), numbers, native, named)
            columns = found
    models = {model: columns[name] for model, name in predictions.items()}
    names = Shown(_shown(truth), {model: _shown(name) for model, name in predictions.items()})
    groups_of_rows = None if by is None else columns[by]
    if weights is not None:
        weights = weights._replace(values=columns[weights.values])
    return read_number_rows(
        columns[truth], models, groups_of_rows, drop=drop, shown=names, weights=weights
    )


def _shown(column: str) -> str:
    return f"column {shown(column)}"


class NumberQuery(ScoreQuery):
    """The numbers of some columns, row by row, beside the groups."""

    def selected(self) -> Any:
        """Return the rows with these columns alone."""
        return self.frame.select(**self._group(), **self._numbers(), **self._texts())

    def columns(self, most: int) -> dict[str, Any] | None:
        """Fetch the columns, or raise if they have something else than numbers.

        None if there are more than so many rows.
        """
        found = columns_of(self.selected().head(most + 1))
        numbers = {
            name: array_of(f"score{place}", found[f"score{place}"])
            for place, name in enumerate(self.counted)
        }
        if numbers[self.counted[0]].size > most:
            return None
        self._require_only_numbers(found)
        return numbers if self.by is None else numbers | {self.by: self._groups(found["group"])}

    def _numbers(self) -> dict[str, Any]:
        return {f"score{place}": self._score(name) for place, name in enumerate(self.counted)}

    def _texts(self) -> dict[str, Any]:
        """Return what is text and no number, where numbers are read from text."""
        named = enumerate(self.counted)
        return {f"text{place}": self._strange(name) for place, name in named if self._is_read(name)}

    def _require_only_numbers(self, found: Mapping[str, Any]) -> None:
        for place, name in enumerate(self.counted):
            texts = values_of(found[f"text{place}"]) if f"text{place}" in found else []
            strange = next((text for text in texts if text is not None), None)
            if strange is not None:
                got = f"text such as {shown(strange)}"
                raise NUMBERS.error(_shown(name), got)

    def _groups(self, column: Any) -> list[Any]:
        groups = [plain_group(each) for each in values_of(column)]
        renamed = typed_groups(set(groups)) if self.reads_groups else {}
        return [renamed.get(group, group) for group in groups]
