"""Read labels and weights of any data frame or engine; rows that are alike are counted there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.data.engines.frames import as_frame, engine_errors, is_in_memory, require_columns
from baserate.data.engines.numbers import MOST_ROWS
from baserate.data.engines.score_queries import columns_of, values_of
from baserate.data.engines.texts import label_of, typed_groups
from baserate.data.files import is_text, reads_groups, with_progress
from baserate.data.groups import plain_group
from baserate.exceptions import InvalidFrameError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_TIMES = "baserate_times"


class FrameRows(NamedTuple):
    """Columns of a frame, and how many observations each row stands for.

    Parameters
    ----------
    truth, models, weights, by
        The columns; those of models by the names of the models.
    times
        How many observations each row stands for; None if it is one each.
    """

    truth: Any
    models: dict[str, Any]
    weights: Any
    by: Any
    times: Any


def read_weighted_frame(
    native: Any, truth: str, columns: Mapping[str, str], weights: str, by: str | None
) -> FrameRows:
    """Return the columns that are asked for, or raise if there are too many different rows.

    Parameters
    ----------
    native
        A data frame of any library that narwhals supports, eager or lazy.
    truth, columns, weights, by
        The names of the columns; those of predictions by the names of the models.
    """
    names = list(dict.fromkeys([truth, *columns.values(), weights, *([by] if by else [])]))
    with engine_errors():
        frame: Any = as_frame(native)
        require_columns(frame, names)
        if is_in_memory(frame):
            found = {name: frame[name].to_native() for name in names}
            times = None
        else:
            found = with_progress(native, lambda: _grouped(frame, names))
            times = np.array(values_of(found.pop(_TIMES)), dtype=np.int64)
            found = {name: values_of(each) for name, each in found.items()}
            if is_text(native):
                found |= {name: _meant(found[name]) for name in names if name != by}
    groups = None if by is None else found[by]
    if groups is not None and times is not None:
        groups = _groups(groups, read=reads_groups(native, by))
    models = {model: found[name] for model, name in columns.items()}
    return FrameRows(found[truth], models, found[weights], groups, times)


def _grouped(frame: Any, names: Sequence[str]) -> dict[str, Any]:
    """Count rows that are alike, where they are."""
    import narwhals.stable.v2 as nw

    found = columns_of(frame.group_by(*names).agg(nw.len().alias(_TIMES)).head(MOST_ROWS + 1))
    if len(values_of(found[_TIMES])) > MOST_ROWS:
        raise InvalidFrameError(
            f"must have at most {MOST_ROWS:,} different rows of labels and weights (got more), "
            "since these leave the engine: evaluate a random sample of the rows",
            parameter="sample_weight",
        )
    return found


def _meant(texts: list[Any]) -> list[Any]:
    """Return the meaning of texts: numbers and booleans, if they are some."""
    known = {text: label_of(text) for text in set(texts) if isinstance(text, str)}
    return [known.get(text, text) for text in texts]


def _groups(values: list[Any], *, read: bool) -> list[Any]:
    groups = [plain_group(each) for each in values]
    renamed = typed_groups(set(groups)) if read else {}
    return [renamed.get(group, group) for group in groups]
