"""Read labels and numbers in files without types: the meaning of each text."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from baserate.data.engines.frames import fetched, values_of
from baserate.data.groups import MISSING, plain_group

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import duckdb
    import narwhals.stable.v2 as nw

    from baserate.data.engines.frames import Frame
    from baserate.data.groups import Group

# A number has no leading zeros: 007 is a name.
_NUMBER = re.compile(
    r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]{1,3})?", re.IGNORECASE
)
_NOT_A_NUMBER = re.compile(r"[+-]?nan", re.IGNORECASE)
# Any float of an engine can be read from such a text.
_FLOAT = r"(?i)^\s*[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|inf|infinity)\s*$"
_FLAGS = {"true": True, "false": False}
# The number of rows to search for labels before all rows are read.
_FIRST_ROWS = 10_000


def label_of(text: str) -> Any:
    """Return the meaning of a text: a number, a boolean, the text itself, or None for nan."""
    plain = text.strip()
    if _NUMBER.fullmatch(plain):
        return _number(Decimal(plain))
    if _NOT_A_NUMBER.fullmatch(plain):
        return None
    return _FLAGS.get(plain.lower(), text)


def are_numbers(texts: Iterable[str]) -> bool:
    """Return whether texts all mean numbers, and there is one."""
    labels = {label_of(text) for text in texts} - {None}
    return bool(labels) and not any(isinstance(label, str | bool) for label in labels)


def is_nan(label: nw.Expr) -> nw.Expr:
    """Flag texts that mean nan, where the rows are; a missing text is not flagged."""
    import narwhals.stable.v2 as nw

    is_nan = label.str.strip_chars().str.to_lowercase().is_in(["nan", "+nan", "-nan"])
    return nw.when(~label.is_null()).then(is_nan).otherwise(nw.lit(value=False))


def is_number(text: nw.Expr) -> nw.Expr:
    """Flag texts that are numbers, where the rows are."""
    return text.str.contains(_FLOAT)


def _number(number: Decimal) -> Any:
    """Return a Python number; keep the decimal if a float would round it to a whole number."""
    if number == number.to_integral_value():
        return int(number)
    return number if float(number).is_integer() else float(number)


def typed_groups(names: Iterable[Group]) -> dict[Group, Group]:
    """Return the meaning of group names, if all are numbers or all are booleans."""
    read = {name: label_of(name) for name in names if isinstance(name, str) and name != MISSING}
    kinds = {isinstance(label, bool) for label in read.values()}
    if len(kinds) > 1 or any(isinstance(label, str) for label in read.values()):
        return {}
    return {name: plain_group(label) for name, label in read.items()}


def first_texts(frame: Frame, columns: Sequence[str]) -> list[frozenset[str]]:
    """Return the texts in the first rows of some columns."""
    rows: Any = frame.select(*dict.fromkeys(columns)).head(_FIRST_ROWS).unique()
    found = fetched(rows)
    return [frozenset(values_of(found[name])) - {None} for name in columns]


def columns_of_labels(
    relation: duckdb.DuckDBPyRelation, frame: Frame, truth: str, names: Sequence[str]
) -> list[str]:
    """Return the text columns that have labels, all of which occur in the truth."""
    columns = (truth, *names)
    found = dict(zip(columns, map(set, first_texts(frame, columns)), strict=True))
    while True:
        kept = {name: texts for name, texts in found.items() if len(_labels(texts)) <= 2}
        if truth not in kept:
            return []
        more = _unknown(relation, kept)
        if not more:
            break
        for name, text in more.items():
            found[name].add(text)
    known = _labels(kept[truth])
    return [name for name in names if name in kept and set() < _labels(kept[name]) <= known]


def _labels(texts: Iterable[str]) -> set[Any]:
    return {label_of(text) for text in texts} - {None}


def _unknown(
    relation: duckdb.DuckDBPyRelation, known: Mapping[str, Iterable[str]]
) -> dict[str, str]:
    """Return one unknown text of each column that has any, in one query."""
    wanted = ", ".join(_another(name, texts) for name, texts in known.items())
    answer: Any = relation.aggregate(wanted).fetchall()
    found = zip(known, answer[0], strict=True)
    return {name: text for name, text in found if text is not None}


def _another(column: str, texts: Iterable[str]) -> str:
    quoted = '"' + column.replace('"', '""') + '"'
    known = ", ".join("'" + text.replace("'", "''") + "'" for text in texts)
    return f"any_value({quoted})" + (f" FILTER ({quoted} NOT IN ({known}))" if known else "")
