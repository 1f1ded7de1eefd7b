"""The source of predictions: files or a pipe."""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baserate.cli.columns import model_column, model_columns, require_repeated, typed_label
from baserate.cli.options import asked
from baserate.cli.target import PIPE
from baserate.data.files import scan
from baserate.evaluation.choice import Asked
from baserate.evaluation.compare import compare
from baserate.evaluation.evaluate import evaluate
from baserate.exceptions import InvalidFileError, InvalidMeasureError, InvalidScoresError
from baserate.exceptions.base import listed, setting
from baserate.scores.task import SCORES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import duckdb

    from baserate.report import Report
    from baserate.report.comparison import Comparison


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


def _of_scores(
    models: Sequence[str],
    scores: Sequence[str],
    measures: Sequence[str],
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the task that columns of scores are of, or raise if they are mixed with labels."""
    if not scores:
        if options["threshold"] is not None:
            raise InvalidScoresError(
                "must come with --score (got no column of scores): labels have been cut already",
                parameter="threshold",
            )
        return {}
    if models:
        raise InvalidScoresError(
            "must not come with --model: scores and labels are judged in separate runs; "
            "--threshold judges the labels of scores too",
            parameter="score",
        )
    if options["task"] is not None:
        raise InvalidScoresError(
            f"must be left out with --score (got {options['task']!r}), which is of scores",
            parameter="task",
        )
    if options["threshold"] is None:
        _require_measures_of_scores(measures)
    return {"task": SCORES.name}


def _require_measures_of_scores(measures: Sequence[str]) -> None:
    """Raise if a measure is of labels, which scores have only at a threshold."""
    of_labels = [
        name
        for name in measures
        if SCORES.named(name) is None and SCORES.at(0.5).named(name) is not None
    ]
    if of_labels:
        raise InvalidMeasureError(
            f"must be of scores (got {listed(of_labels)}, of labels); scores have labels with ",
            setting("threshold", 0.5),
            parameter="measures",
        )


def _named(
    relation: duckdb.DuckDBPyRelation, models: Sequence[str], scores: Sequence[str]
) -> list[str]:
    """Return the columns that are named, each by an option of its own."""
    require_repeated(relation, "model", models)
    require_repeated(relation, "score", scores)
    return list(models or scores)


def _of_numbers(task: str | None, measures: Any) -> bool:
    """Return whether it is clear, without a look at the columns, that numbers are predicted."""
    return all(each.takes_numbers for each in Asked.of(task, measures).tasks)


def evaluated(
    *,
    files: Sequence[str],
    truth: str,
    models: Sequence[str],
    scores: Sequence[str],
    measures: Sequence[str],
    by: str | None,
    pos_label: str | None,
    reference: str | None = None,
    weight: str | None = None,
    **options: Any,
) -> Report:
    """Evaluate columns of files, with names and labels as typed in a shell."""
    chosen = asked(measures)
    options |= _of_scores(models, scores, measures, options)
    with opened(files) as relation:
        found = _named(relation, models, scores) or [
            model_column(
                relation,
                truth,
                by,
                weight,
                others=(reference, options["clusters"]),
                of_numbers=_of_numbers(options["task"], chosen),
            )
        ]
        return evaluate(
            relation,
            found,
            chosen,
            truth=truth,
            by=by,
            pos_label=typed_label(relation, truth, pos_label),
            reference=reference,
            sample_weight=weight,
            **options,
        )


def compared(
    *,
    files: Sequence[str],
    truth: str,
    models: Sequence[str],
    scores: Sequence[str],
    measures: Sequence[str],
    by: str | None,
    pos_label: str | None,
    weight: str | None = None,
    **options: Any,
) -> Comparison:
    """Compare columns of files, with names and labels as typed in a shell."""
    chosen = asked(measures)
    options |= _of_scores(models, scores, measures, options)
    with opened(files) as relation:
        found = _named(relation, models, scores) or model_columns(
            relation,
            truth,
            by,
            weight,
            clusters=options["clusters"],
            of_numbers=_of_numbers(options["task"], chosen),
        )
        return compare(
            relation,
            found,
            chosen,
            truth=truth,
            by=by,
            pos_label=typed_label(relation, truth, pos_label),
            sample_weight=weight,
            **options,
        )
