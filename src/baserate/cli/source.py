"""The source of predictions: files or a pipe, and the columns in them that a user means."""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from baserate.cli.console import PIPE, say
from baserate.data.engines.frames import (
    as_frame,
    engine_errors,
    fetched,
    label_of,
    require_columns,
    values_of,
)
from baserate.data.files import is_text, scan, with_progress
from baserate.evaluation.asked import Asked
from baserate.evaluation.evaluate import compare, evaluate
from baserate.exceptions import (
    InvalidFileError,
    InvalidFrameError,
    InvalidLabelsError,
    InvalidMeasureError,
)
from baserate.formatting import listed, setting, shell_word
from baserate.kinds.scores import SCORES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import duckdb

    from baserate.report import Comparison, Report

# The type in which labels of each kind are compared: 1, 1.0 and true are the same label.
_COMPARED_AS = {"number": "DOUBLE", "boolean": "DOUBLE", "text": "VARCHAR"}
# The number of rows to search for labels before all rows are read.
_FIRST_ROWS = 10_000


@contextlib.contextmanager
def opened(files: Sequence[str]) -> Iterator[duckdb.DuckDBPyRelation]:
    """Open files of predictions, or CSV from a pipe."""
    if PIPE not in files:
        yield scan(files)
        return
    if len(files) > 1:
        raise InvalidFileError("'-' must be the only file (got others beside it)")
    with tempfile.TemporaryDirectory(prefix="baserate-") as folder:
        yield scan(_piped(Path(folder)))


def _piped(folder: Path) -> Path:
    """Copy a pipe to a file: its header and quotes are checked before its rows are read."""
    if sys.stdin is None or sys.stdin.isatty():
        raise InvalidFileError(
            "'-' must have CSV to read (got a terminal); use it as in "
            "'cat preds.csv | baserate evaluate - --truth y'"
        )
    path = folder / "pipe.csv"
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    if path.stat().st_size == 0:
        raise InvalidFileError(
            "'-' must have CSV to read (got nothing); look at what comes before the pipe"
        )
    return path


def evaluated(**question: Any) -> Report:
    """Evaluate columns of files, with names and labels as typed in a shell."""
    with _columns(1, **question) as (relation, models, options):
        return evaluate(relation, models, **options)


def compared(**question: Any) -> Comparison:
    """Compare columns of files, with names and labels as typed in a shell."""
    with _columns(2, **question) as (relation, models, options):
        return compare(relation, models, **options)


@contextlib.contextmanager
def _columns(
    wanted: int,
    *,
    files: Sequence[str],
    truth: str,
    models: Sequence[str],
    scores: Sequence[str],
    measures: Sequence[str],
    pos_label: str | None,
    weight: str | None,
    **options: Any,
) -> Iterator[tuple[Any, list[str], dict[str, Any]]]:
    """Open files; also return the columns of the models and the options of the library.

    Without names, there must be as many columns that can be models as are wanted.
    """
    chosen = chosen_measures(measures)
    options["task"] = _task(scores, models, options)
    if scores and options["threshold"] is None:
        _require_scored(measures)
    with opened(files) as relation:
        for option, columns in (("model", models), ("score", scores)):
            for name in columns:
                if name not in relation.columns:
                    _require_one(name, f"--{option}", "column", option)
        found = list(models or scores)
        if not found:
            # It may be clear, without a look at the columns, that numbers are predicted.
            tasks = Asked.of(options["task"], chosen).tasks()
            of_numbers = all(each.takes_numbers for each in tasks)
            others = [truth, *(options.get(name) for name in ("by", "reference", "clusters"))]
            found = _models(relation, others, weight, wanted, of_numbers=of_numbers)
        label = typed_label(relation, truth, pos_label)
        named = {"measures": chosen, "truth": truth, "pos_label": label, "sample_weight": weight}
        yield relation, found, options | named


def chosen_measures(measures: Sequence[str]) -> str | Sequence[str] | None:
    """Return the measures that were asked for; a single `all` is the word for all of them."""
    for name in measures:
        _require_one(name, "-m", "measure", "measures")
    return measures[0] if len(measures) == 1 else measures or None


def _require_one(name: str, option: str, what: str, parameter: str) -> None:
    """Raise if several columns or measures are named at once, with commas between them."""
    if "," in name:
        often = " ".join(f"{option} {shell_word(part.strip())}" for part in name.split(","))
        kind = InvalidMeasureError if what == "measure" else InvalidFrameError
        raise kind(
            f"must name one {what} (got {name!r}); repeat the option, as in {often}",
            parameter=parameter,
        )


def _task(scores: Sequence[str], models: Sequence[str], options: Mapping[str, Any]) -> Any:
    """Return the task, which columns of scores tell, or raise if labels are asked for as well."""
    if scores and (models or options["task"]):
        raise click.UsageError(
            "--score must come without --model and --task: scores and labels are judged in "
            "separate runs, and --threshold judges the labels of scores too",
            click.get_current_context(),
        )
    return SCORES.name if scores else options["task"]


def _require_scored(measures: Sequence[str]) -> None:
    """Raise if a measure is of labels, which scores have only at a threshold."""
    others = [name for name in measures if SCORES.named(name) is None]
    of_labels = [name for name in others if SCORES.at(0.5).named(name) is not None]
    if of_labels:
        raise InvalidMeasureError(
            f"must be of scores (got {listed(of_labels)}, of labels); scores have labels with ",
            setting("threshold", 0.5),
            parameter="measures",
        )


def _models(
    relation: duckdb.DuckDBPyRelation,
    others: Sequence[str | None],
    weight: str | None,
    wanted: int,
    *,
    of_numbers: bool,
) -> list[str]:
    """Return the columns that can be models', and say so; raise if it is not clear.

    The truth is the first of the others.
    """
    taken = [name for name in others if name is not None]
    require_columns(as_frame(relation), taken, weight=weight)
    find = _number_columns if of_numbers else _label_columns
    found = [name for name in find(relation, taken) if name != weight]
    if len(found) == wanted:
        names = " and ".join(map(repr, found))
        say(
            f"The model is column {names}."
            if wanted == 1
            else f"The models are the columns {names}."
        )
        return found
    what = "the model" if wanted == 1 else "the models to compare"
    held = "numbers" if of_numbers else f"only labels of {taken[0]!r}"
    has = f"{len(found)} other columns have" if len(found) != 1 else "1 other column has"
    advice = "" if of_numbers else "; --score names columns of scores"
    if found:
        advice = f"; choose among {', '.join(f'--model {shell_word(name)}' for name in found)}"
    raise InvalidFrameError(
        f"must name {what} (got none, and {has} {held}){advice}", parameter="model"
    )


def _number_columns(relation: duckdb.DuckDBPyRelation, taken: Sequence[str]) -> list[str]:
    """Return the columns of numbers; of texts, those whose first rows are all numbers."""
    kinds = {name: kind for name, kind in _kinds(relation).items() if name not in taken}
    texts = [name for name, kind in kinds.items() if kind == "text" and is_text(relation)]
    if texts:
        with engine_errors():
            found = zip(texts, _first_texts(relation, texts), strict=True)
            kinds |= {name: "number" if _are_numbers(each) else "text" for name, each in found}
    return [name for name, kind in kinds.items() if kind == "number"]


def _are_numbers(texts: Iterable[str]) -> bool:
    """Return whether texts all mean numbers, and there is one."""
    labels = _labels(texts)
    return bool(labels) and not any(isinstance(label, str | bool) for label in labels)


def _label_columns(relation: duckdb.DuckDBPyRelation, taken: Sequence[str]) -> list[str]:
    """Return the columns whose labels all occur in the truth, which is the first that is taken."""
    truth = taken[0]
    types = {name: _COMPARED_AS.get(kind) for name, kind in _kinds(relation).items()}
    type_ = types[truth]
    names = [name for name in types if name not in taken and types[name] == type_]
    if type_ is None or not names:
        return []
    with engine_errors():
        if is_text(relation):
            return with_progress(relation, lambda: columns_of_labels(relation, truth, names))
        answer: Any = relation.query("source", _question(truth, names, type_))
        (row,) = with_progress(relation, answer.fetchall)
    return [name for name, is_label in zip(names, row, strict=True) if is_label]


def _first_texts(relation: duckdb.DuckDBPyRelation, columns: Sequence[str]) -> list[frozenset[str]]:
    """Return the texts in the first rows of some columns."""
    rows: Any = as_frame(relation).select(*dict.fromkeys(columns)).head(_FIRST_ROWS).unique()
    found = fetched(rows)
    return [frozenset(values_of(found[name])) - {None} for name in columns]


def columns_of_labels(
    relation: duckdb.DuckDBPyRelation, truth: str, names: Sequence[str]
) -> list[str]:
    """Return the text columns that have labels, all of which occur in the truth."""
    columns = (truth, *names)
    found = dict(zip(columns, map(set, _first_texts(relation, columns)), strict=True))
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


def _question(truth: str, names: Sequence[str], type_: str) -> str:
    """Return the query for the columns whose labels all occur in the truth.

    The smallest and the largest label give both classes, so no list of labels grows.
    """

    def label(column: str) -> str:
        quoted = column.replace('"', '""')
        return f'CAST(source."{quoted}" AS {type_})'

    tests = (f"bool_and({label(name)} IN (ends.low, ends.high))" for name in names)
    ends = f"SELECT min({label(truth)}) AS low, max({label(truth)}) AS high FROM source"  # noqa: S608
    return f"WITH ends AS ({ends}) SELECT {', '.join(tests)} FROM source, ends"  # noqa: S608


def typed_label(relation: duckdb.DuckDBPyRelation, column: str, text: str | None) -> object:
    """Return a label in the type of its column: a number, a boolean or text."""
    kind = _kinds(relation).get(column)
    if text is None or is_text(relation) or kind not in _COMPARED_AS or kind == "text":
        return text
    label: float | bool | None = None
    if kind == "number":
        for number in (float, int):
            with contextlib.suppress(ValueError):
                label = number(text)
    else:
        # What DuckDB reads as a boolean: yes, t and 1 as well as true. All rows are fetched, as a
        # result that is not read to its end keeps the connection busy.
        import duckdb

        ((label,),) = duckdb.execute("SELECT TRY_CAST(? AS BOOLEAN)", [text]).fetchall()
    if label is None:
        raise InvalidLabelsError(
            f"must be a {kind}, as the labels of {column!r} are (got {text!r})",
            parameter="pos_label",
        )
    return label


def _kinds(relation: duckdb.DuckDBPyRelation) -> dict[str, str]:
    """Return the kind of labels in each column; columns without labels are left out."""
    import narwhals.stable.v2 as nw

    kinds = {nw.Boolean: "boolean", nw.String: "text", nw.Enum: "text"}
    schema = as_frame(relation).collect_schema()
    return {
        name: "number" if dtype.is_numeric() else kinds.get(type(dtype), "")
        for name, dtype in schema.items()
    }
