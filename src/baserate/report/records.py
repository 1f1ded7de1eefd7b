"""Convert a report to plain data: dictionaries, JSON, CSV and data frames."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from baserate.core.direction import Direction
from baserate.exceptions import BaserateError, InvalidReportError
from baserate.exceptions.base import shortened, shown
from baserate.support.data_frames import data_frame
from baserate.support.reading import count, finite, refused, typed, unchanged
from baserate.support.serialising import csv_text, json_of_records
from baserate.tasks import is_count, task_observed
from baserate.verdicts.outcome import Outcome
from baserate.verdicts.standard import Standard
from baserate.verdicts.verdict import NUMBERS, Performance, Verdict

if TYPE_CHECKING:
    from baserate.data.groups import Group
    from baserate.report.collection import Report

SCHEMA = "baserate.report/4"
FLAGS = ("beats", "informative", "exact")
TEXTS = ("measure", "name", "reference", "remedy", "reason")
_WITHOUT_REFERENCE = (Outcome.LEARNED, Outcome.REVERSED)
_ELSEWHERE = ("performance", "p_value", "counts")
_OF_VERDICT = tuple(field.name for field in fields(Verdict) if field.name not in _ELSEWHERE)


def to_dicts(report: Report) -> list[dict[str, Any]]:
    """Return a flat record per verdict."""
    counts = dict.fromkeys(_counts(report))
    return [
        _names(verdict.performance)
        | counts
        | verdict.performance.table.flat
        | _verdict_record(verdict)
        for verdict in report
    ]


def _counts(report: Report) -> tuple[str, ...]:
    """Return the names of the counts that a flat record has; those of a task have the same."""
    tables = {each.table.task: each.table for each in report.performances}
    return tuple(dict.fromkeys(name for table in tables.values() for name in table.flat))


def _columns(report: Report) -> tuple[str, ...]:
    return ("model", "group", "against", *_counts(report), "p_value", *_OF_VERDICT)


def to_json(report: Report) -> str:
    """Return the report as JSON, with each performance once."""
    return json_of_records(
        {
            "schema": SCHEMA,
            "by": report.by,
            "dropped": report.dropped,
            "alpha": report.standard.alpha,
            "adjust": report.standard.adjust,
            "tries": report.standard.tries,
        },
        performances=map(_performance_record, report.performances),
        verdicts=(_names(verdict.performance) | _verdict_record(verdict) for verdict in report),
    )


def to_csv(report: Report) -> str:
    """Return the flat records as CSV; undefined values are empty."""
    return csv_text(_columns(report), to_dicts(report))


def from_json(text: str) -> tuple[tuple[Verdict, ...], str | None, int, Standard]:
    """Return the verdicts of a report, its grouping, how many rows were dropped, its standard."""
    try:
        document = json.loads(text, parse_constant=refused)
        _require_schema(document["schema"])
        performances = {
            (record["model"], record["group"]): _performance(record)
            for record in document["performances"]
        }
        verdicts = tuple(_verdict(record, performances) for record in document["verdicts"])
        by = document["by"] if document["by"] is None else typed(document["by"], str)
        standard = Standard(*(document[name] for name in ("alpha", "adjust", "tries")))
        return verdicts, by, count(document["dropped"]), standard
    except InvalidReportError:
        raise
    except (BaserateError, KeyError, TypeError, ValueError, RecursionError, OverflowError) as error:
        raise InvalidReportError.not_json(f"{type(error).__name__}: {shortened(error)}") from None


def _require_schema(schema: object) -> None:
    if schema != SCHEMA:
        raise InvalidReportError(f"a report must have the schema {SCHEMA!r} (got {shown(schema)})")


def to_frame(report: Report, backend: str) -> Any:
    """Return a data frame with one row per verdict.

    Groups are text, so that their column has one type next to the None of the whole test set.
    """
    records = to_dicts(report)
    columns = {name: [record[name] for record in records] for name in _columns(report)}
    columns["group"] = [None if group is None else str(group) for group in columns["group"]]
    types = dict.fromkeys(_counts(report), "Int64") | dict.fromkeys(FLAGS, "Boolean")
    numbers = dict.fromkeys((*NUMBERS, "alpha"), "Float64")
    return data_frame(columns, types | numbers, backend, "to_frame")


def _names(performance: Performance) -> dict[str, Any]:
    return {
        "model": performance.model,
        "group": performance.group,
        "against": performance.against,
    }


def _performance_record(performance: Performance) -> dict[str, Any]:
    table, p_value = performance.table, performance.p_value
    shared: dict[str, Any] = {"p_value": None if math.isnan(p_value) else p_value}
    if performance.clusters is not None:
        shared["clusters"] = performance.clusters
    return _names(performance) | {"task": table.task} | table.facts | shared


def _verdict_record(verdict: Verdict) -> dict[str, Any]:
    record: dict[str, Any] = {"p_value": verdict.p_value}
    record |= {name: getattr(verdict, name) for name in _OF_VERDICT}
    for name in NUMBERS:
        if math.isnan(record[name]):
            record[name] = None
    record["direction"], record["outcome"] = verdict.direction.value, verdict.outcome.value
    return record


def _performance(record: dict[str, Any]) -> Performance:
    group, against = record["group"], record.get("against")
    table = unchanged(task_observed(record["task"]).observed(record), record)
    table.test_set, table.flat  # noqa: B018 - too many observations are an error now, not later
    return Performance(
        model=typed(record["model"], str),
        group=None if group is None else typed(group, str, int, float, bool),
        table=table,
        p_value=math.nan if record["p_value"] is None else finite(record["p_value"]),
        against=None if against is None else typed(against, str),
        clusters=count(record["clusters"]) if "clusters" in record else None,
    )


def _verdict(
    record: dict[str, Any], performances: dict[tuple[str, Group | None], Performance]
) -> Verdict:
    performance = performances[record["model"], record["group"]]
    numbers: dict[str, Any] = {
        name: math.nan if record[name] is None else finite(record[name]) for name in NUMBERS
    }
    outcome = Outcome(record["outcome"])
    elsewhere = (Outcome.WORSE,) if performance.against is None else _WITHOUT_REFERENCE
    if outcome in elsewhere:
        raise ValueError(f"{outcome.value!r} does not fit what the model is judged against")
    return Verdict(
        performance=performance,
        direction=Direction(record["direction"]),
        outcome=outcome,
        **{name: typed(record[name], str) for name in TEXTS},
        **{name: typed(record[name], bool) for name in FLAGS},
        alpha=finite(record["alpha"]),
        counts=is_count(record["measure"]),
        **numbers,
    )
