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
from baserate.data.engines.frames import as_frame, require_columns
from baserate.data.files import is_text, scan
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
    from collections.abc import Iterator, Mapping, Sequence

    import duckdb

    from baserate.report import Comparison, Report

# The most columns that an error offers as models.
_MOST_CHOICES = 12


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

    Without names of models, there must be as many other columns as are wanted.
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
            others = (truth, *(options.get(name) for name in ("by", "reference", "clusters")))
            found = _models(relation, [name for name in others if name], weight, wanted)
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
    relation: duckdb.DuckDBPyRelation, taken: Sequence[str], weight: str | None, wanted: int
) -> list[str]:
    """Return the columns that are left, and say so; raise unless they are as many as are wanted."""
    require_columns(as_frame(relation), taken, weight=weight)
    found = [name for name in relation.columns if name not in (*taken, weight)]
    if len(found) != wanted:
        what = "the model" if wanted == 1 else "the models to compare"
        has = f"{len(found)} other columns" if len(found) != 1 else "1 other column"
        asked = [f"--model {shell_word(name)}" for name in found[:_MOST_CHOICES]]
        dots = ", …" if len(found) > _MOST_CHOICES else ""
        choice = f"; choose among {', '.join(asked)}{dots}, or name scores with --score"
        raise InvalidFrameError(
            f"must name {what} (got none, and there are {has}){choice if asked else ''}",
            parameter="model",
        )
    names = " and ".join(map(repr, found))
    say(f"The {'model is column' if wanted == 1 else 'models are the columns'} {names}.")
    return found


def typed_label(relation: duckdb.DuckDBPyRelation, column: str, text: str | None) -> object:
    """Return a label in the type of its column: a number, a boolean or text."""
    import narwhals.stable.v2 as nw

    dtype = as_frame(relation).collect_schema().get(column)
    is_boolean = isinstance(dtype, nw.Boolean)
    if text is None or dtype is None or is_text(relation) or not (is_boolean or dtype.is_numeric()):
        return text
    label: float | bool | None = None
    if is_boolean:
        # What DuckDB reads as a boolean: yes, t and 1 as well as true. All rows are fetched, as a
        # result that is not read to its end keeps the connection busy.
        import duckdb

        ((label,),) = duckdb.execute("SELECT TRY_CAST(? AS BOOLEAN)", [text]).fetchall()
    else:
        for number in (float, int):
            with contextlib.suppress(ValueError):
                label = number(text)
    if label is None:
        raise InvalidLabelsError(
            f"must be a {'boolean' if is_boolean else 'number'}, as the labels of {column!r} are "
            f"(got {text!r})",
            parameter="pos_label",
        )
    return label
