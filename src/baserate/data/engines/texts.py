"""Read labels in files without types: the meaning of each text."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from baserate.data.classes import MOST_CLASSES, too_many
from baserate.data.engines.codes import Code, Coding
from baserate.data.groups import MISSING, plain_group
from baserate.data.labels import EVIDENT_POSITIVE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import duckdb
    import narwhals.stable.v2 as nw

    from baserate.data.engines.aggregation import Frame
    from baserate.data.groups import Group

# A number has no leading zeros: 007 is a name.
_NUMBER = re.compile(
    r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]{1,3})?", re.IGNORECASE
)
_NOT_A_NUMBER = re.compile(r"[+-]?nan", re.IGNORECASE)
_FLAGS = {"true": True, "false": False}
# Labels to look for in any file.
_EVIDENT = ("0", "1", "-1", "0.0", "1.0", "-1.0", "true", "false", "True", "False")
_EVIDENT_CODES = {EVIDENT_POSITIVE: Code.POSITIVE, 0: Code.NEGATIVE, -1: Code.MINUS_ONE}
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


@dataclass(frozen=True)
class TextCoding(Coding):
    """How to turn the texts of one column into codes.

    Parameters
    ----------
    column, dtype
        As in any coding.
    pos_label
        The positive class, as texts are read.
    found
        Texts found in the column.
    """

    found: frozenset[str] = frozenset()

    @property
    def known(self) -> list[Any]:
        """The labels found so far."""
        labels = dict.fromkeys(label_of(text) for text in sorted(self.found))
        return [label for label in labels if label is not None]

    def widened(self, frame: Frame) -> Coding:
        """Return a coding that knows some more texts; all of them if they may be many."""
        rest = frame.filter(~self._among(self._texts))
        if self.pos_label is None:
            (more,) = first_texts(rest, [self.column])
        else:
            more = _all_texts(rest, self.column)
        return replace(self, found=self.found | more)

    @property
    def is_possible(self) -> bool:
        """Whether the labels found so far can be two classes, or one class and the rest."""
        if self.pos_label is not None:
            return True
        codes = {self._code(label) for label in self.known}
        return len(self.known) <= 2 and Code.OTHER not in codes

    @property
    def has_others(self) -> bool:
        """Whether the engine must return labels that are not positive."""
        return False

    def classes(self, code: Code) -> tuple[Any, ...]:
        """Return the classes that a code stands for."""
        if self.pos_label is None or code is not Code.NEGATIVE:
            return super().classes(code)
        return tuple(label for label in self.known if label != self.pos_label)

    def key(self) -> nw.Expr:
        """Return the key of each label."""
        return self.coded()

    def coded(self) -> nw.Expr:
        """Return the code of each text; OTHER if it is unknown."""
        import narwhals.stable.v2 as nw

        rest = nw.when(self.missing()).then(nw.lit(int(Code.MISSING))).otherwise(int(Code.OTHER))
        for code in (Code.MINUS_ONE, Code.NEGATIVE, Code.POSITIVE):
            texts = self._spelling(code)
            if texts:
                rest = nw.when(self._among(texts)).then(nw.lit(int(code))).otherwise(rest)
        return rest

    def missing(self) -> nw.Expr:
        """Flag missing labels."""
        is_null = self._label.is_null()
        texts = self._spelling(Code.MISSING)
        return is_null | self._among(texts) if texts else is_null

    def _among(self, texts: Collection[str]) -> nw.Expr:
        return self._label.is_in(sorted(texts))

    @property
    def _texts(self) -> frozenset[str]:
        """The texts of known meaning."""
        if self.pos_label is None:
            return self.found | set(_EVIDENT)
        return self.found | {str(self.pos_label)}

    def _spelling(self, code: Code) -> list[str]:
        return [text for text in self._texts if self._code(label_of(text)) is code]

    def _code(self, label: Any) -> Code:
        if label is None:
            return Code.MISSING
        if self.pos_label is None:
            return _EVIDENT_CODES.get(label, Code.OTHER)
        return Code.POSITIVE if label == self.pos_label else Code.NEGATIVE


def text_codings(frame: Frame, columns: Sequence[str], pos_label: object) -> tuple[Coding, ...]:
    """Return the coding of each column; partition columns, as from year=2024, have types."""
    import narwhals.stable.v2 as nw

    schema = frame.collect_schema()
    texts = [name for name in dict.fromkeys(columns) if schema[name] == nw.String]
    found = dict(zip(texts, first_texts(frame, texts), strict=True)) if texts else {}
    return tuple(
        TextCoding(name, schema[name], pos_label, found[name])
        if name in found
        else Coding(name, schema[name], pos_label)
        for name in columns
    )


def first_texts(frame: Frame, columns: Sequence[str]) -> list[frozenset[str]]:
    """Return the texts in the first rows of some columns."""
    native: Any = frame.select(*dict.fromkeys(columns)).head(_FIRST_ROWS).unique().to_native()
    rows = native.fetchall()
    found = dict(zip(native.columns, zip(*rows, strict=True), strict=False))
    return [frozenset(found.get(name, ())) - {None} for name in columns]


def _all_texts(frame: Frame, column: str) -> frozenset[str]:
    """Return the texts of a column, or raise if they are too many to be labels."""
    rows: Any = frame.select(column).unique().head(MOST_CLASSES + 1).to_native()
    found = frozenset(text for (text,) in rows.fetchall())
    if len(found) > MOST_CLASSES:
        raise too_many(column, found)
    return found


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
