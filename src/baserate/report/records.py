"""A report as plain data: dictionaries, JSON and data frames."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from baserate.confusion import Confusion
from baserate.exceptions import InvalidReportError, MissingDependencyError
from baserate.measures.record import Direction
from baserate.outcome import Outcome
from baserate.verdict import Performance, Verdict

if TYPE_CHECKING:
    from baserate.report.collection import Report
    from baserate.verdict import Group

SCHEMA = "baserate.report/1"
# The numbers of a verdict that may be undefined.
FLOATS = (
    "score", "baseline", "baseline_min", "baseline_max", "theta_star", "perfect", "margin",
    "luck_low", "luck_high", "rescaled", "dutch_scaler",
)  # fmt: skip
FLAGS = ("beats", "informative")
COUNTS = ("tp", "fp", "fn", "tn")


def to_dicts(report: Report) -> list[dict[str, Any]]:
    """Return a flat record of each verdict."""
    return [
        _performance_record(verdict.performance) | _verdict_record(verdict) for verdict in report
    ]


def to_json(report: Report) -> str:
    """Return the report as JSON, each performance once."""
    document = {
        "schema": SCHEMA,
        "by": report.by,
        "performances": [_performance_record(each) for each in report.performances],
        "verdicts": [
            {"model": verdict.model, "group": verdict.group} | _verdict_record(verdict)
            for verdict in report
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def from_json(text: str) -> tuple[tuple[Verdict, ...], str | None]:
    """Return the verdicts of a report, and what its groups are."""
    try:
        document = json.loads(text)
        if document["schema"] != SCHEMA:
            raise InvalidReportError.schema(document["schema"], SCHEMA)
        performances = {
            (record["model"], record["group"]): _performance(record)
            for record in document["performances"]
        }
        verdicts = tuple(_verdict(record, performances) for record in document["verdicts"])
        return verdicts, document["by"]
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, InvalidReportError):
            raise
        raise InvalidReportError.not_json(f"{type(error).__name__}: {error}") from None


def to_frame(report: Report, backend: str) -> Any:
    """Return a data frame with a row for each verdict.

    Groups are text, so that the column has a type beside the None of the whole test set.
    """
    import narwhals.stable.v2 as nw

    records = to_dicts(report)
    types = dict.fromkeys(COUNTS, nw.Int64()) | dict.fromkeys(FLAGS, nw.Boolean())
    numbers = dict.fromkeys((*FLOATS, "p_value"), nw.Float64())
    names = ("model", "group", *COUNTS, "p_value", *_verdict_names())
    schema = {name: (types | numbers).get(name, nw.String()) for name in names}
    columns = {name: [record[name] for record in records] for name in names}
    columns["group"] = [None if group is None else str(group) for group in columns["group"]]
    try:
        return nw.from_dict(columns, schema, backend=backend).to_native()  # type: ignore[arg-type]
    except ModuleNotFoundError as error:
        raise MissingDependencyError.package(error.name or backend, "to_frame") from None


def _performance_record(performance: Performance) -> dict[str, Any]:
    return {
        "model": performance.model,
        "group": performance.group,
        **asdict(performance.table),
        "p_value": performance.p_value,
    }


def _verdict_record(verdict: Verdict) -> dict[str, Any]:
    record = {name: getattr(verdict, name) for name in _verdict_names()}
    undefined = {name: None for name in FLOATS if math.isnan(record[name])}
    plain = {"direction": verdict.direction.value, "outcome": verdict.outcome.value}
    return record | undefined | plain


def _verdict_names() -> tuple[str, ...]:
    return tuple(field.name for field in fields(Verdict) if field.name != "performance")


def _performance(record: dict[str, Any]) -> Performance:
    return Performance(
        model=record["model"],
        group=record["group"],
        table=Confusion(**{name: record[name] for name in COUNTS}),
        p_value=record["p_value"],
    )


def _verdict(
    record: dict[str, Any], performances: dict[tuple[str, Group | None], Performance]
) -> Verdict:
    facts = dict(record)
    performance = performances[facts.pop("model"), facts.pop("group")]
    numbers = {name: math.nan for name in FLOATS if facts[name] is None}
    names = {
        "direction": Direction(facts["direction"]),
        "outcome": Outcome(facts["outcome"]),
    }
    return Verdict(performance=performance, **(facts | numbers | names))
