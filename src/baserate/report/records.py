"""Convert reports and comparisons to plain data: dictionaries, JSON, CSV and data frames."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple

from baserate.core.measure import Direction
from baserate.exceptions import BaserateError, InvalidReportError, MissingFileError
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
from baserate.task import is_count, task_observed
from baserate.verdicts.verdict import (
    DIFFERENCE_NUMBERS,
    VERDICT_NUMBERS,
    Better,
    Difference,
    Outcome,
    Pair,
    Performance,
    Significance,
    Verdict,
)

if TYPE_CHECKING:
    from pathlib import Path

    from baserate.report.collection import Collected

_FLAGS = ("beats", "informative", "exact")
_WITHOUT_REFERENCE = (Outcome.LEARNED, Outcome.REVERSED)


class Form(NamedTuple):
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


def holders(found: Collected[Any]) -> list[Any]:
    """Return each performance, or pair, once."""
    return list(dict.fromkeys(getattr(item, found.form.holder) for item in found))


def _counts(found: Collected[Any]) -> tuple[str, ...]:
    """Return the names of the counts that a flat record has; those of a task have the same."""
    tables: dict[str, Any] = {each.table.task: each.table for each in holders(found)}
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
        "alpha": found.significance.alpha,
        "adjust": found.significance.adjust,
    } | ({"tries": found.significance.tries} if form is REPORT else {})
    items = (form.named(getattr(item, form.holder)) | form.record(item) for item in found)
    lists = {form.holders: map(_holder_record, holders(found)), form.items: items}
    return json_of_records(head, **lists)


def _holder_record(holder: Performance | Pair) -> dict[str, Any]:
    form = REPORT if isinstance(holder, Performance) else COMPARISON
    record = form.named(holder) | {"task": holder.table.task} | holder.table.facts
    if isinstance(holder, Performance):
        record["p_value"] = None if math.isnan(holder.p_value) else holder.p_value
    return record | ({} if holder.clusters is None else {"clusters": holder.clusters})


def of_json(
    form: Form, source: str | Path
) -> tuple[tuple[Any, ...], str | None, int, Significance]:
    """Return the items, the grouping, how many rows were dropped, and the significance.

    One error is raised, whatever is wrong with the text, or with the file that has it.
    """
    text = source if isinstance(source, str) else _read(source, form.noun)
    keys = ("model", "group") if form is REPORT else form.names
    to_holder: Any = _performance if form is REPORT else _pair
    try:
        document = json.loads(text, parse_constant=refused)
        if document["schema"] != form.schema:
            must = f"a {form.noun} must have the schema {form.schema!r}"
            raise InvalidReportError(f"{must} (got {shown(document['schema'])})")  # noqa: TRY301
        holders = {
            tuple(record[key] for key in keys): to_holder(record)
            for record in document[form.holders]
        }
        items = tuple(
            _item(form, record, holders[tuple(record[key] for key in keys)])
            for record in document[form.items]
        )
        by = document["by"] if document["by"] is None else typed(document["by"], str)
        tries = document["tries"] if form is REPORT else 1
        significance = Significance(document["alpha"], document["adjust"], tries)
        return items, by, count(document["dropped"]), significance
    except InvalidReportError:
        raise
    except (BaserateError, KeyError, TypeError, ValueError, RecursionError, OverflowError) as error:
        why = f"{type(error).__name__}: {shortened(error)}"
        raise _not_json(why, form.noun) from None


def _read(path: Path, noun: str) -> str:
    if not hasattr(path, "read_text"):
        raise _not_json(f"got a value of type {type(path).__name__}", noun)
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise MissingFileError(f"there is no file {str(path)!r} with a {noun}") from None
    except (OSError, ValueError) as error:
        raise _not_json(error, noun) from None


def _not_json(why: object, noun: str) -> InvalidReportError:
    return InvalidReportError(
        f"a {noun} must be the JSON that {noun.title()}.to_json writes ({why}); to read a file, "
        "pass a pathlib.Path"
    )


def _group(record: dict[str, Any]) -> Any:
    group = record["group"]
    return None if group is None else typed(group, str, int, float, bool)


def _clusters(record: dict[str, Any]) -> int | None:
    return count(record["clusters"]) if "clusters" in record else None


def _performance(record: dict[str, Any]) -> Performance:
    against = record.get("against")
    table = unchanged(task_observed(record["task"]).observed(record), record)
    table.test_set, table.flat  # noqa: B018 - too many observations are an error now, not later
    return Performance(
        model=typed(record["model"], str),
        group=_group(record),
        table=table,
        p_value=math.nan if record["p_value"] is None else finite(record["p_value"]),
        against=None if against is None else typed(against, str),
        clusters=_clusters(record),
    )


def _pair(record: dict[str, Any]) -> Pair:
    table = unchanged(task_observed(record["task"]).joint(record), record)
    # Too many observations are an error now, not later.
    if not 0 <= table.disagreements <= table.second.test_set.total <= table.first.test_set.total:
        raise ValueError("the models differ on more observations than there are")
    return Pair(
        first=typed(record["first"], str),
        second=typed(record["second"], str),
        group=_group(record),
        table=table,
        clusters=_clusters(record),
    )


def _item(form: Form, record: dict[str, Any], holder: Any) -> Any:
    """Return a verdict, or a difference."""
    is_report = form is REPORT
    outcome: Any = Outcome(record["outcome"]) if is_report else Better(record["outcome"])
    if is_report:
        elsewhere = (Outcome.WORSE,) if holder.against is None else _WITHOUT_REFERENCE
        if outcome in elsewhere:
            raise ValueError(f"{outcome.value!r} does not fit what the model is judged against")
    texts = ("measure", "name", "reference", "reason", *(("remedy",) if is_report else ()))
    flags = _FLAGS if is_report else ("exact",)
    numbers = {name: record[name] for name in form.numbers}
    return form.item(
        **{form.holder: holder},
        direction=Direction(record["direction"]),
        outcome=outcome,
        **{name: typed(record[name], str) for name in texts},
        **{name: typed(record[name], bool) for name in flags},
        alpha=finite(record["alpha"]),
        counts=is_count(record["measure"]),
        **{name: math.nan if each is None else finite(each) for name, each in numbers.items()},
    )
