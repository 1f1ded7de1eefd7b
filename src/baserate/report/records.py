"""Convert reports and comparisons to plain data: dictionaries, JSON, CSV and data frames."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from baserate.core.measure import Direction
from baserate.exceptions import BaserateError, InvalidReportError
from baserate.formatting import shortened, shown
from baserate.records import (
    count,
    csv_text,
    data_frame,
    finite,
    json_of_records,
    refused,
    typed,
    unchanged,
)
from baserate.tasks import is_count, task_observed
from baserate.verdicts import difference, verdict
from baserate.verdicts.difference import Better, Difference, Pair
from baserate.verdicts.outcome import Outcome, Standard
from baserate.verdicts.verdict import Performance, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from baserate.data.groups import Group
    from baserate.report.collection import Report
    from baserate.report.comparison import Comparison

SCHEMA, COMPARISON_SCHEMA = "baserate.report/4", "baserate.comparison/3"
_FLAGS = ("beats", "informative", "exact")
_TEXTS = ("measure", "name", "reference", "remedy", "reason")
_PAIR = ("first", "second", "group")
_WITHOUT_REFERENCE = (Outcome.LEARNED, Outcome.REVERSED)
_OF_VERDICT = tuple(
    field.name
    for field in fields(Verdict)
    if field.name not in ("performance", "p_value", "counts")
)
_OF_DIFFERENCE = tuple(
    field.name for field in fields(Difference) if field.name not in ("pair", "counts")
)
# The columns of a data frame unless all are asked for.
_REPORT_COLUMNS = (
    "model", "group", "measure", "score", "low", "high", "baseline", "margin", "p_value", "outcome",
)  # fmt: skip
_COMPARISON_COLUMNS = (
    *_PAIR, "measure", "first_score", "second_score", "difference", "low", "high", "p_value",
    "outcome",
)  # fmt: skip


def report_dicts(report: Report) -> list[dict[str, Any]]:
    """Return a flat record per verdict."""
    counts = dict.fromkeys(_counts(report.performances))
    return [
        _names(each.performance) | counts | each.performance.table.flat | _verdict_record(each)
        for each in report
    ]


def comparison_dicts(comparison: Comparison) -> list[dict[str, Any]]:
    """Return a flat record per difference."""
    counts = dict.fromkeys(_counts(comparison.pairs))
    return [
        _pair_names(each.pair) | counts | each.pair.table.flat | _difference_record(each)
        for each in comparison
    ]


def _counts(observed: Iterable[Performance | Pair]) -> tuple[str, ...]:
    """Return the names of the counts that a flat record has; those of a task have the same."""
    tables: dict[str, Any] = {each.table.task: each.table for each in observed}
    return tuple(dict.fromkeys(name for table in tables.values() for name in table.flat))


def _report_columns(report: Report) -> tuple[str, ...]:
    return ("model", "group", "against", *_counts(report.performances), "p_value", *_OF_VERDICT)


def _comparison_columns(comparison: Comparison) -> tuple[str, ...]:
    return (*_PAIR, *_counts(comparison.pairs), *_OF_DIFFERENCE)


def report_csv(report: Report) -> str:
    """Return the flat records as CSV; undefined values are empty."""
    return csv_text(_report_columns(report), report_dicts(report))


def comparison_csv(comparison: Comparison) -> str:
    """Return the flat records as CSV; undefined values are empty."""
    return csv_text(_comparison_columns(comparison), comparison_dicts(comparison))


def report_frame(report: Report, backend: str, *, full: bool) -> Any:
    """Return a data frame with one row per verdict."""
    types = dict.fromkeys(_counts(report.performances), "Int64")
    types |= dict.fromkeys(_FLAGS, "Boolean") | dict.fromkeys(
        (*verdict.NUMBERS, "alpha"), "Float64"
    )
    columns = _report_columns(report) if full else _REPORT_COLUMNS
    return _frame(report_dicts(report), columns, types, backend)


def comparison_frame(comparison: Comparison, backend: str, *, full: bool) -> Any:
    """Return a data frame with one row per difference."""
    types = dict.fromkeys(_counts(comparison.pairs), "Int64") | {"exact": "Boolean"}
    types |= dict.fromkeys((*difference.NUMBERS, "alpha"), "Float64")
    columns = _comparison_columns(comparison) if full else _COMPARISON_COLUMNS
    return _frame(comparison_dicts(comparison), columns, types, backend)


def _frame(
    records: list[dict[str, Any]], names: Sequence[str], types: dict[str, str], backend: str
) -> Any:
    """Return a data frame; groups are text, next to the None of the whole test set."""
    columns = {name: [record[name] for record in records] for name in names}
    columns["group"] = [None if group is None else str(group) for group in columns["group"]]
    known = {name: kind for name, kind in types.items() if name in columns}
    return data_frame(columns, known, backend, "to_frame")


def report_json(report: Report) -> str:
    """Return the report as JSON, with each performance once."""
    head = _head(SCHEMA, report) | {"tries": report.standard.tries}
    return json_of_records(
        head,
        performances=map(_performance_record, report.performances),
        verdicts=(_names(each.performance) | _verdict_record(each) for each in report),
    )


def comparison_json(comparison: Comparison) -> str:
    """Return the comparison as JSON, with each pair once."""
    return json_of_records(
        _head(COMPARISON_SCHEMA, comparison),
        pairs=map(_pair_record, comparison.pairs),
        differences=(_pair_names(each.pair) | _difference_record(each) for each in comparison),
    )


def _head(schema: str, found: Report | Comparison) -> dict[str, Any]:
    return {
        "schema": schema,
        "by": found.by,
        "dropped": found.dropped,
        "alpha": found.standard.alpha,
        "adjust": found.standard.adjust,
    }


def report_of_json(text: str) -> tuple[tuple[Verdict, ...], str | None, int, Standard]:
    """Return the verdicts of a report, its grouping, how many rows were dropped, its standard."""

    def read(document: dict[str, Any]) -> tuple[Verdict, ...]:
        performances = {
            (record["model"], record["group"]): _performance(record)
            for record in document["performances"]
        }
        return tuple(_verdict(record, performances) for record in document["verdicts"])

    found: tuple[tuple[Verdict, ...], str | None, int, Standard]
    found = _read(text, SCHEMA, "report", read)
    return found


def comparison_of_json(text: str) -> tuple[tuple[Difference, ...], str | None, int, Standard]:
    """Return the differences of a comparison, its grouping, the dropped rows and its standard."""

    def read(document: dict[str, Any]) -> tuple[Difference, ...]:
        pairs = {
            tuple(record[name] for name in _PAIR): _pair(record) for record in document["pairs"]
        }
        return tuple(_difference(record, pairs) for record in document["differences"])

    found: tuple[tuple[Difference, ...], str | None, int, Standard]
    found = _read(text, COMPARISON_SCHEMA, "comparison", read)
    return found


def _read(text: str, schema: str, kind: str, read: Callable[[dict[str, Any]], Any]) -> Any:
    """Return what a document holds, or raise one error whatever is wrong with it."""
    try:
        document = json.loads(text, parse_constant=refused)
        _require_schema(document["schema"], schema, kind)
        found = read(document)
        by = document["by"] if document["by"] is None else typed(document["by"], str)
        tries = document["tries"] if kind == "report" else 1
        standard = Standard(document["alpha"], document["adjust"], tries)
        return found, by, count(document["dropped"]), standard
    except InvalidReportError:
        raise
    except (BaserateError, KeyError, TypeError, ValueError, RecursionError, OverflowError) as error:
        why = f"{type(error).__name__}: {shortened(error)}"
        raise InvalidReportError.not_json(why, kind) from None


def _require_schema(found: object, schema: str, kind: str) -> None:
    if found != schema:
        got = shown(found)
        raise InvalidReportError(f"a {kind} must have the schema {schema!r} (got {got})")


def _names(performance: Performance) -> dict[str, Any]:
    return {
        "model": performance.model,
        "group": performance.group,
        "against": performance.against,
    }


def _pair_names(pair: Pair) -> dict[str, Any]:
    return {name: getattr(pair, name) for name in _PAIR}


def _performance_record(performance: Performance) -> dict[str, Any]:
    table, p_value = performance.table, performance.p_value
    shared: dict[str, Any] = {"p_value": None if math.isnan(p_value) else p_value}
    if performance.clusters is not None:
        shared["clusters"] = performance.clusters
    return _names(performance) | {"task": table.task} | table.facts | shared


def _pair_record(pair: Pair) -> dict[str, Any]:
    clusters = {} if pair.clusters is None else {"clusters": pair.clusters}
    return _pair_names(pair) | {"task": pair.table.task} | pair.table.facts | clusters


def _verdict_record(found: Verdict) -> dict[str, Any]:
    record: dict[str, Any] = {"p_value": found.p_value}
    record |= {name: getattr(found, name) for name in _OF_VERDICT}
    return _plain(record, verdict.NUMBERS)


def _difference_record(found: Difference) -> dict[str, Any]:
    return _plain({name: getattr(found, name) for name in _OF_DIFFERENCE}, difference.NUMBERS)


def _plain(record: dict[str, Any], numbers: Sequence[str]) -> dict[str, Any]:
    """Write undefined numbers as None, and codes as texts."""
    for name in numbers:
        if math.isnan(record[name]):
            record[name] = None
    record["direction"], record["outcome"] = record["direction"].value, record["outcome"].value
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


def _numbers(record: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: math.nan if record[name] is None else finite(record[name]) for name in names}


def _verdict(
    record: dict[str, Any], performances: dict[tuple[str, Group | None], Performance]
) -> Verdict:
    performance = performances[record["model"], record["group"]]
    numbers = _numbers(record, verdict.NUMBERS)
    outcome = Outcome(record["outcome"])
    elsewhere = (Outcome.WORSE,) if performance.against is None else _WITHOUT_REFERENCE
    if outcome in elsewhere:
        raise ValueError(f"{outcome.value!r} does not fit what the model is judged against")
    return Verdict(
        performance=performance,
        direction=Direction(record["direction"]),
        outcome=outcome,
        **{name: typed(record[name], str) for name in _TEXTS},
        **{name: typed(record[name], bool) for name in _FLAGS},
        alpha=finite(record["alpha"]),
        counts=is_count(record["measure"]),
        **numbers,
    )


def _difference(record: dict[str, Any], pairs: dict[tuple[Any, ...], Pair]) -> Difference:
    return Difference(
        pair=pairs[record["first"], record["second"], record["group"]],
        direction=Direction(record["direction"]),
        outcome=Better(record["outcome"]),
        **{name: typed(record[name], str) for name in ("measure", "name", "reference", "reason")},
        exact=typed(record["exact"], bool),
        alpha=finite(record["alpha"]),
        counts=is_count(record["measure"]),
        **_numbers(record, difference.NUMBERS),
    )
