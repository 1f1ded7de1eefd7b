"""Convert reports and comparisons to plain data: dictionaries, JSON, CSV and data frames."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, fields
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
from baserate.verdicts.verdict import (
    DIFFERENCE_NUMBERS,
    VERDICT_NUMBERS,
    Better,
    Difference,
    Outcome,
    Pair,
    Performance,
    Standard,
    Verdict,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.report.looking import Collected

_FLAGS = ("beats", "informative", "exact")
_TEXTS = ("measure", "name", "reference", "remedy", "reason")
_WITHOUT_REFERENCE = (Outcome.LEARNED, Outcome.REVERSED)


@dataclass(frozen=True)
class Form:
    """How reports, or comparisons, are written: their items, and what several items share."""

    noun: str
    schema: str
    item: Any
    items: str
    holder: str
    holders: str
    names: tuple[str, ...]
    numbers: tuple[str, ...]
    # The columns of a data frame unless all are asked for.
    columns: tuple[str, ...]
    first: tuple[str, ...] = ()

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the facts of an item."""
        others = (self.holder, "counts", *self.first)
        return (*self.first, *(f.name for f in fields(self.item) if f.name not in others))

    def require_schema(self, found: object) -> None:
        """Raise if a document has another schema."""
        if found != self.schema:
            must = f"a {self.noun} must have the schema {self.schema!r}"
            raise InvalidReportError(f"{must} (got {shown(found)})")

    def named(self, holder: Any) -> dict[str, Any]:
        """Return what tells a model, or a pair, from others."""
        return {name: getattr(holder, name) for name in self.names}

    def record(self, item: Any) -> dict[str, Any]:
        """Return the facts of an item: undefined numbers as None, and codes as texts."""
        record = {name: getattr(item, name) for name in self.fields}
        for name in self.numbers:
            if math.isnan(record[name]):
                record[name] = None
        record["direction"], record["outcome"] = record["direction"].value, record["outcome"].value
        return record


REPORT = Form(
    "report", "baserate.report/4", Verdict, "verdicts", "performance", "performances",
    ("model", "group", "against"), VERDICT_NUMBERS,
    ("model", "group", "measure", "score", "low", "high", "baseline", "margin", "p_value",
     "outcome"),
    first=("p_value",),
)  # fmt: skip
COMPARISON = Form(
    "comparison", "baserate.comparison/3", Difference, "differences", "pair", "pairs",
    ("first", "second", "group"), DIFFERENCE_NUMBERS,
    ("first", "second", "group", "measure", "first_score", "second_score", "difference", "low",
     "high", "p_value", "outcome"),
)  # fmt: skip


def _holders(found: Collected[Any]) -> list[Any]:
    """Return each performance, or pair, once."""
    return list(dict.fromkeys(getattr(item, found.form.holder) for item in found))


def _counts(found: Collected[Any]) -> tuple[str, ...]:
    """Return the names of the counts that a flat record has; those of a task have the same."""
    tables: dict[str, Any] = {each.table.task: each.table for each in _holders(found)}
    return tuple(dict.fromkeys(name for table in tables.values() for name in table.flat))


def dicts(found: Collected[Any]) -> list[dict[str, Any]]:
    """Return a flat record per item."""
    form, counts = found.form, dict.fromkeys(_counts(found))
    held = ((getattr(item, form.holder), item) for item in found)
    return [form.named(of) | counts | of.table.flat | form.record(item) for of, item in held]


def _columns(found: Collected[Any]) -> tuple[str, ...]:
    return (*found.form.names, *_counts(found), *found.form.fields)


def csv(found: Collected[Any]) -> str:
    """Return the flat records as CSV; undefined values are empty."""
    return csv_text(_columns(found), dicts(found))


def frame(found: Collected[Any], backend: str, *, full: bool) -> Any:
    """Return a data frame; groups are text, next to the None of the whole test set."""
    names = _columns(found) if full else found.form.columns
    types = dict.fromkeys(_counts(found), "Int64") | dict.fromkeys(_FLAGS, "Boolean")
    types |= dict.fromkeys((*found.form.numbers, "alpha"), "Float64")
    records = dicts(found)
    columns = {name: [record[name] for record in records] for name in names}
    columns["group"] = [None if group is None else str(group) for group in columns["group"]]
    known = {name: kind for name, kind in types.items() if name in columns}
    return data_frame(columns, known, backend, "to_frame")


def as_json(found: Any) -> str:
    """Return all as JSON, with each performance or pair once."""
    form: Form = found.form
    head = {
        "schema": form.schema,
        "by": found.by,
        "dropped": found.dropped,
        "alpha": found.standard.alpha,
        "adjust": found.standard.adjust,
    } | ({"tries": found.standard.tries} if form is REPORT else {})
    items = (form.named(getattr(item, form.holder)) | form.record(item) for item in found)
    lists = {form.holders: map(_holder_record, _holders(found)), form.items: items}
    return json_of_records(head, **lists)


def _holder_record(holder: Performance | Pair) -> dict[str, Any]:
    form = REPORT if isinstance(holder, Performance) else COMPARISON
    record = form.named(holder) | {"task": holder.table.task} | holder.table.facts
    if isinstance(holder, Performance):
        record["p_value"] = None if math.isnan(holder.p_value) else holder.p_value
    return record | ({} if holder.clusters is None else {"clusters": holder.clusters})


def of_json(form: Form, text: str) -> tuple[tuple[Any, ...], str | None, int, Standard]:
    """Return the items, the grouping, how many rows were dropped, and the standard.

    One error is raised, whatever is wrong with the text.
    """
    keys = ("model", "group") if form is REPORT else form.names
    to_holder: Any = _performance if form is REPORT else _pair
    to_item: Any = _verdict if form is REPORT else _difference
    try:
        document = json.loads(text, parse_constant=refused)
        form.require_schema(document["schema"])
        holders = {
            tuple(record[key] for key in keys): to_holder(record)
            for record in document[form.holders]
        }
        items = tuple(
            to_item(record, holders[tuple(record[key] for key in keys)])
            for record in document[form.items]
        )
        by = document["by"] if document["by"] is None else typed(document["by"], str)
        tries = document["tries"] if form is REPORT else 1
        standard = Standard(document["alpha"], document["adjust"], tries)
        return items, by, count(document["dropped"]), standard
    except InvalidReportError:
        raise
    except (BaserateError, KeyError, TypeError, ValueError, RecursionError, OverflowError) as error:
        why = f"{type(error).__name__}: {shortened(error)}"
        raise InvalidReportError.not_json(why, form.noun) from None


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


def _verdict(record: dict[str, Any], performance: Performance) -> Verdict:
    numbers = _numbers(record, VERDICT_NUMBERS)
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


def _difference(record: dict[str, Any], pair: Pair) -> Difference:
    return Difference(
        pair=pair,
        direction=Direction(record["direction"]),
        outcome=Better(record["outcome"]),
        **{name: typed(record[name], str) for name in ("measure", "name", "reference", "reason")},
        exact=typed(record["exact"], bool),
        alpha=finite(record["alpha"]),
        counts=is_count(record["measure"]),
        **_numbers(record, DIFFERENCE_NUMBERS),
    )
