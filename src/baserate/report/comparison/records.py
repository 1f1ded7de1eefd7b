"""Convert a comparison to plain data: dictionaries, JSON, CSV and data frames."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from baserate.core.direction import Direction
from baserate.exceptions import BaserateError, InvalidReportError
from baserate.support.data_frames import data_frame
from baserate.support.reading import count, finite, refused, typed, unchanged
from baserate.support.serialising import csv_text, json_of_records
from baserate.tasks import is_count, task_observed
from baserate.verdicts.difference import NUMBERS, Better, Difference, Pair
from baserate.verdicts.standard import Standard

if TYPE_CHECKING:
    from baserate.data.groups import Group
    from baserate.report.comparison.collection import Comparison

SCHEMA = "baserate.comparison/3"
_PAIR = ("first", "second", "group")
_ELSEWHERE = ("pair", "counts")
_OF_DIFFERENCE = tuple(field.name for field in fields(Difference) if field.name not in _ELSEWHERE)


def to_dicts(comparison: Comparison) -> list[dict[str, Any]]:
    """Return a flat record per difference."""
    counts = dict.fromkeys(_counts(comparison))
    return [
        _names(each.pair) | counts | each.pair.table.flat | _difference_record(each)
        for each in comparison
    ]


def _counts(comparison: Comparison) -> tuple[str, ...]:
    """Return the names of the counts that a flat record has; those of a task have the same."""
    tables = {each.table.task: each.table for each in comparison.pairs}
    return tuple(dict.fromkeys(name for table in tables.values() for name in table.flat))


def _columns(comparison: Comparison) -> tuple[str, ...]:
    return (*_PAIR, *_counts(comparison), *_OF_DIFFERENCE)


def _names(pair: Pair) -> dict[str, Any]:
    return {name: getattr(pair, name) for name in _PAIR}


def to_json(comparison: Comparison) -> str:
    """Return the comparison as JSON, with each pair once."""
    return json_of_records(
        {
            "schema": SCHEMA,
            "by": comparison.by,
            "dropped": comparison.dropped,
            "alpha": comparison.standard.alpha,
            "adjust": comparison.standard.adjust,
        },
        pairs=map(_pair_record, comparison.pairs),
        differences=(_names(each.pair) | _difference_record(each) for each in comparison),
    )


def to_csv(comparison: Comparison) -> str:
    """Return the flat records as CSV; undefined values are empty."""
    return csv_text(_columns(comparison), to_dicts(comparison))


def to_frame(comparison: Comparison, backend: str) -> Any:
    """Return a data frame with one row per difference; groups are text, as in a report."""
    records = to_dicts(comparison)
    columns = {name: [record[name] for record in records] for name in _columns(comparison)}
    columns["group"] = [None if group is None else str(group) for group in columns["group"]]
    types = dict.fromkeys(_counts(comparison), "Int64") | {"exact": "Boolean"}
    numbers = dict.fromkeys((*NUMBERS, "alpha"), "Float64")
    return data_frame(columns, types | numbers, backend, "to_frame")


def from_json(text: str) -> tuple[tuple[Difference, ...], str | None, int, Standard]:
    """Return the differences of a comparison, its grouping, the dropped rows and its standard."""
    try:
        document = json.loads(text, parse_constant=refused)
        _require_schema(document["schema"])
        pairs = {
            tuple(record[name] for name in _PAIR): _pair(record) for record in document["pairs"]
        }
        differences = tuple(_difference(record, pairs) for record in document["differences"])
        by = document["by"] if document["by"] is None else typed(document["by"], str)
        standard = Standard(document["alpha"], document["adjust"])
        return differences, by, count(document["dropped"]), standard
    except InvalidReportError:
        raise
    except (BaserateError, KeyError, TypeError, ValueError, RecursionError, OverflowError) as error:
        why = f"{type(error).__name__}: {error}"
        raise InvalidReportError.not_json(why, "comparison") from None


def _require_schema(schema: object) -> None:
    if schema != SCHEMA:
        raise InvalidReportError(f"a comparison must have the schema {SCHEMA!r} (got {schema!r})")


def _pair_record(pair: Pair) -> dict[str, Any]:
    clusters = {} if pair.clusters is None else {"clusters": pair.clusters}
    return _names(pair) | {"task": pair.table.task} | pair.table.facts | clusters


def _difference_record(difference: Difference) -> dict[str, Any]:
    record = {name: getattr(difference, name) for name in _OF_DIFFERENCE}
    for name in NUMBERS:
        if math.isnan(record[name]):
            record[name] = None
    record["direction"] = difference.direction.value
    record["outcome"] = difference.outcome.value
    return record


def _pair(record: dict[str, Any]) -> Pair:
    group = record["group"]
    table = unchanged(task_observed(record["task"]).joint(record), record)
    # Too many observations are an error now, not later.
    if not 0 <= table.disagreements <= table.second.test_set.total <= table.first.test_set.total:
        raise ValueError("the models differ on more observations than there are")
    return Pair(
        first=typed(record["first"], str),
        second=typed(record["second"], str),
        group=None if group is None else typed(group, str, int, float, bool),
        table=table,
        clusters=count(record["clusters"]) if "clusters" in record else None,
    )


def _difference(
    record: dict[str, Any], pairs: dict[tuple[str, str, Group | None], Pair]
) -> Difference:
    numbers: dict[str, Any] = {
        name: math.nan if record[name] is None else finite(record[name]) for name in NUMBERS
    }
    return Difference(
        pair=pairs[record["first"], record["second"], record["group"]],
        direction=Direction(record["direction"]),
        outcome=Better(record["outcome"]),
        **{name: typed(record[name], str) for name in ("measure", "name", "reason")},
        exact=typed(record["exact"], bool),
        alpha=finite(record["alpha"]),
        counts=is_count(record["measure"]),
        **numbers,
    )
