"""Find the columns a user means, and the type of their labels."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from baserate.cli.output import say
from baserate.data.engines.frames import as_frame, engine_errors, require_columns
from baserate.data.engines.texts import are_numbers, columns_of_labels, first_texts
from baserate.data.files import is_text, with_progress
from baserate.exceptions import InvalidFrameError, InvalidLabelsError
from baserate.harmless import shell_word

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import duckdb

# The type in which labels of each kind are compared: 1, 1.0 and true are the same label.
_COMPARED_AS = {"number": "DOUBLE", "boolean": "DOUBLE", "text": "VARCHAR"}


def typed_label(relation: duckdb.DuckDBPyRelation, column: str, text: str | None) -> object:
    """Return a label in the type of its column: a number, a boolean or text."""
    kind = _kinds(relation).get(column)
    if text is None or is_text(relation) or kind not in _COMPARED_AS or kind == "text":
        return text
    label = _number(text) if kind == "number" else _boolean(text)
    if label is None:
        raise InvalidLabelsError(
            f"must be a {kind}, as the labels of {column!r} are (got {text!r})",
            parameter="pos_label",
        )
    return label


def _number(text: str) -> float | None:
    for number in (int, float):
        with contextlib.suppress(ValueError):
            return number(text)
    return None


def _boolean(text: str) -> bool | None:
    """Return what DuckDB reads as a boolean: yes, t and 1 as well as true."""
    import duckdb

    # All rows, as a result that is not read to its end keeps the connection busy.
    ((found,),) = duckdb.execute("SELECT TRY_CAST(? AS BOOLEAN)", [text]).fetchall()
    return None if found is None else bool(found)


def _kinds(relation: duckdb.DuckDBPyRelation) -> dict[str, str]:
    """Return the kind of labels in each column; columns without labels are left out."""
    import narwhals.stable.v2 as nw

    kinds = {nw.Boolean: "boolean", nw.String: "text", nw.Enum: "text"}
    schema = as_frame(relation).collect_schema()
    return {
        name: "number" if dtype.is_numeric() else kinds.get(type(dtype), "")
        for name, dtype in schema.items()
    }


def require_repeated(
    relation: duckdb.DuckDBPyRelation, option: str, columns: Sequence[str]
) -> None:
    """Raise if several columns are named at once, with commas between them."""
    for name in columns:
        parts = [part.strip() for part in name.split(",")]
        if len(parts) > 1 and name not in relation.columns:
            often = " ".join(f"--{option} {shell_word(part)}" for part in parts)
            raise InvalidFrameError(
                f"must name one column (got {name!r}); repeat the option, as in {often}",
                parameter=option,
            )


def model_column(
    relation: duckdb.DuckDBPyRelation,
    truth: str,
    by: str | None,
    weight: str | None = None,
    *,
    others: Collection[str | None] = (),
    of_numbers: bool = False,
) -> str:
    """Return the only column that can be a model's, and say so; raise if it is not clear."""
    known = [name for name in others if name is not None]
    require_columns(as_frame(relation), [truth, *known], by, weight)
    find = _number_columns if of_numbers else _label_columns
    found = [name for name in find(relation, truth, by, weight) if name not in others]
    if not found:
        why = (
            "numbers (got none, and no other column has numbers)"
            if of_numbers
            else f"labels (got none, and no other column has only labels of {truth!r}); --score "
            "names columns of scores"
        )
        raise InvalidFrameError(f"must name a column of predicted {why}", parameter="model")
    if len(found) > 1:
        choices = ", ".join(f"--model {shell_word(name)}" for name in found)
        raise InvalidFrameError(
            f"must say which columns are models (got none); choose among {choices}",
            parameter="model",
        )
    say(f"The model is column {found[0]!r}.")
    return found[0]


def model_columns(
    relation: duckdb.DuckDBPyRelation,
    truth: str,
    by: str | None,
    weight: str | None = None,
    *,
    clusters: str | None = None,
    of_numbers: bool = False,
) -> list[str]:
    """Return the two columns that can be models', and say so; raise if it is not clear."""
    require_columns(as_frame(relation), [truth], by, weight)
    find = _number_columns if of_numbers else _label_columns
    found = [name for name in find(relation, truth, by, weight) if name != clusters]
    if len(found) != 2:
        choices = ", ".join(f"--model {shell_word(name)}" for name in found)
        among = f"; choose among {choices}" if found else ""
        held = "numbers" if of_numbers else f"only labels of {truth!r}"
        raise InvalidFrameError(
            f"must name the models to compare (got none, and {len(found)} columns have {held})"
            f"{among}",
            parameter="model",
        )
    say(f"The models are the columns {found[0]!r} and {found[1]!r}.")
    return found


def _number_columns(
    relation: duckdb.DuckDBPyRelation, truth: str, by: str | None, weight: str | None
) -> list[str]:
    """Return the columns of numbers; of texts, those whose first rows are all numbers."""
    kinds = {
        name: kind for name, kind in _kinds(relation).items() if name not in (truth, by, weight)
    }
    texts = [name for name, kind in kinds.items() if kind == "text" and is_text(relation)]
    if texts:
        with engine_errors():
            found = zip(texts, first_texts(as_frame(relation), texts), strict=True)
            kinds |= {name: "number" if are_numbers(each) else "text" for name, each in found}
    return [name for name, kind in kinds.items() if kind == "number"]


def _label_columns(
    relation: duckdb.DuckDBPyRelation, truth: str, by: str | None, weight: str | None
) -> list[str]:
    """Return the columns whose labels all occur in the truth."""
    types = {name: _COMPARED_AS.get(kind) for name, kind in _kinds(relation).items()}
    type_ = types[truth]
    names = [name for name in types if name not in (truth, by, weight) and types[name] == type_]
    if type_ is None or not names:
        return []
    with engine_errors():
        if is_text(relation):
            frame = as_frame(relation)
            return with_progress(relation, lambda: columns_of_labels(relation, frame, truth, names))
        answer: Any = relation.query("source", _question(truth, names, type_))
        (row,) = with_progress(relation, answer.fetchall)
    return [name for name, is_label in zip(names, row, strict=True) if is_label]


def _question(truth: str, names: Sequence[str], type_: str) -> str:
    """Return the query for the columns whose labels all occur in the truth.

    The smallest and the largest label give both classes, so no list of labels grows.
    """
    label = _label(truth, type_)
    tests = (f"bool_and({_label(name, type_)} IN (ends.low, ends.high))" for name in names)
    ends = f"SELECT min({label}) AS low, max({label}) AS high FROM source"  # noqa: S608
    return f"WITH ends AS ({ends}) SELECT {', '.join(tests)} FROM source, ends"  # noqa: S608


def _label(column: str, type_: str) -> str:
    quoted = column.replace('"', '""')
    return f'CAST(source."{quoted}" AS {type_})'
