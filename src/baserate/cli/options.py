"""Options that several commands share, and what a shell offers for them on Tab."""

from __future__ import annotations

import re
from functools import reduce, wraps
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from baserate.cli.console import planned, present

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]

HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
# A shell puts the offered word on the command line, where it would interpret $(…), ;, * and line
# ends: offer only names that need no quotes. A comma separates fields in fish.
_TYPEABLE = re.compile(r"[\w@%+=:./-]+")


def examples(*lines: str) -> str:
    """Return examples for the end of a help screen, one per line."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def measure_keys(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Offer the keys of the measures, or a name that needs no quotes."""
    from baserate.task import TASKS

    measures = (measure for task in TASKS.values() for measure in task.chosen("all"))
    names = (next(_typeable((each.key, *each.aliases)), "") for each in measures)
    # Names that differ in their case are the same to the program.
    offered = {name.casefold(): name for name in reversed(list(filter(None, names)))}
    typed = incomplete.casefold()
    return [name for name in reversed(offered.values()) if name.casefold().startswith(typed)]


def column_names(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Offer the columns of the files typed so far."""
    from baserate.data.files import scan

    # If the line ends inside an option, click leaves the files among the other arguments.
    files = context.params.get("files") or context.args
    try:
        columns = scan(files).columns
    except Exception:  # a completion must not print errors
        return []
    return [column for column in _typeable(columns) if column.startswith(incomplete)]


def _typeable(names: Iterable[str]) -> Iterator[str]:
    """Return the names that a shell takes as they are."""
    return filter(_TYPEABLE.fullmatch, names)


def _column(name: str, *more: str, says: str, **facts: Any) -> Decorator:
    """Return an option that names a column."""
    return click.option(
        name, *more, metavar="COLUMN", shell_complete=column_names, help=says, **facts
    )


def number(name: str, says: str, *, metavar: str = "NUMBER", **facts: Any) -> Decorator:
    """Return an option that is a number, a float unless another type is given."""
    return click.option(name, metavar=metavar, help=says, **{"type": float} | facts)


def files(*, required: bool) -> Decorator:
    """Return the argument that names files of predictions."""
    return click.argument("files", nargs=-1, required=required, type=click.Path())


def truth(*, required: bool) -> Decorator:
    """Return the option that names the column of true labels."""
    return _column(
        "--truth", required=required, says="The column of true labels, or of true numbers."
    )


def measures(*, required: bool) -> Decorator:
    """Return the option that names measures."""
    default = "; those that people report by default, and all of them with `-m all`"
    return click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        required=required,
        metavar="MEASURE",
        shell_complete=measure_keys,
        help=f"A measure by any of its names, once for each{'' if required else default}.",
    )


POS_LABEL = click.option(
    "--pos-label",
    metavar="LABEL",
    help="The positive class, one against all others; not needed if labels are 0/1, -1/1 or "
    "booleans, or of several classes.",
)
MISSING = click.option(
    "--missing",
    type=click.Choice(["error", "drop"]),
    default="error",
    help="What to do with rows in which a label is missing; an error by default.",
)
FORCE = click.option("--force", is_flag=True, help="Overwrite existing files (never the input).")
ALPHA = number("--alpha", "Significance level; 0.05 by default.", default=0.05)
ADJUST = click.option(
    "--adjust",
    type=click.Choice(["holm", "bh"]),
    help="Adjust p-values for the many models and groups: by Holm, or Benjamini and Hochberg.",
)
TRIES = number(
    "--tries", "How many attempts each score is the best of; 1 by default.", type=int, default=1
)
_REFERENCE = _column(
    "--reference",
    says="The column of another model, such as the last value: models are judged against it, in "
    "place of the best guess.",
)


def predictions(*, measures_required: bool, reference: bool = True) -> Decorator:
    """Return all options of an evaluation of files; a comparison has no reference."""
    return together(
        files(required=True),
        truth(required=True),
        _column(
            "--model",
            "models",
            multiple=True,
            says="A column of predicted labels or numbers, once for each model; not needed if no "
            "other column is left.",
        ),
        _column(
            "--score",
            "scores",
            multiple=True,
            says="A column of scores or probabilities, higher for what is likelier positive, once "
            "for each model; in place of --model.",
        ),
        number(
            "--threshold",
            "The lowest score that is predicted positive; with it, measures of labels are judged "
            "too.",
        ),
        *([_REFERENCE] if reference else []),
        _column("--by", says="The column of groups: each is judged by itself."),
        _column(
            "--clusters",
            says="The column of clusters, such as patients with several rows: whole ones are "
            "drawn, tested and swapped.",
        ),
        _column(
            "--weight",
            says="The column that says how much each row counts; --weights says what it means.",
        ),
        click.option(
            "--weights",
            type=click.Choice(["frequency", "importance"]),
            help="Whether a weight is how often a row was seen, or how much one row matters.",
        ),
        measures(required=measures_required),
        click.option(
            "--task",
            type=click.Choice(["binary", "multiclass", "regression"]),
            help="What is predicted; measures and labels say so by default.",
        ),
        POS_LABEL,
        MISSING,
    )


def output(renderers: Mapping[str, object]) -> Decorator:
    """Return the options that say where a result is written, and in which format."""
    names = list(renderers)
    return together(
        click.option(
            "--format",
            "style",
            type=click.Choice(names),
            help=f"How it is written; {names[0]} by default, or what the name of the output says.",
        ),
        click.option(
            "-o",
            "--output",
            metavar="FILE",
            type=click.Path(dir_okay=False, writable=True),
            help="Write to a file: a new one, or an earlier report.",
        ),
        FORCE,
    )


def written(renderers: Mapping[str, Callable[[Any], str]]) -> Decorator:
    """Let a command return a result, which is written in the format and to the file asked for."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def run(*, style: str | None, output: str | None, force: bool, **question: Any) -> None:
            files = question.get("files", ())
            chosen = planned(renderers, style, output, files, force=force)
            present(command(**question), renderers, chosen, output)

        return output(renderers)(run)

    return decorate


def together(*options: Decorator) -> Decorator:
    """Return several options as one decorator, in the order in which --help shows them."""
    # Decorators apply from the last one up.
    return lambda command: reduce(lambda each, option: option(each), reversed(options), command)
