"""Options and arguments that several commands share."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from baserate.cli.completers import column_names, measure_keys
from baserate.harmless import shell_word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]

HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def examples(*lines: str) -> str:
    """Return examples for the end of a help screen, one per line."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def formats(renderers: Iterable[str]) -> Decorator:
    """Return the option that chooses a renderer; the first is the default."""
    names = list(renderers)
    says = f"How it is written; {names[0]} by default, or what the name of the output says."
    return click.option("--format", "style", type=click.Choice(names), help=says)


def files(*, required: bool) -> Decorator:
    """Return the argument that names files of predictions."""
    return click.argument("files", nargs=-1, required=required, type=click.Path())


def truth(*, required: bool) -> Decorator:
    """Return the option that names the column of true labels."""
    return click.option(
        "--truth",
        required=required,
        metavar="COLUMN",
        shell_complete=column_names,
        help="The column of true labels, or of true numbers.",
    )


POS_LABEL = click.option(
    "--pos-label",
    metavar="LABEL",
    help="The positive class, one against all others; not needed if labels are 0/1, -1/1 or "
    "booleans, or of several classes.",
)
TASK = click.option(
    "--task",
    type=click.Choice(["binary", "multiclass", "regression"]),
    help="What is predicted; measures and labels say so by default.",
)
MISSING = click.option(
    "--missing",
    type=click.Choice(["error", "drop"]),
    default="error",
    help="What to do with rows in which a label is missing; an error by default.",
)
OUTPUT = click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False, writable=True),
    help="Write to a file: a new one, or an earlier report.",
)
FORCE = click.option(
    "--force", is_flag=True, help="Overwrite files that are no reports, but for the predictions."
)


class _Level(click.ParamType):  # type: ignore[type-arg]  # old releases of click have no argument
    """A number, or `none` for no level at all if that is allowed."""

    name = "level"

    def __init__(self, *, none: bool) -> None:
        self.none = none

    def convert(self, value: Any, *_: Any) -> float | None:
        """Return the level, or None."""
        if self.none and str(value).casefold() == "none":
            return None
        try:
            return float(value)
        except ValueError:
            from baserate.exceptions import InvalidProbabilityError

            kinds = "a number or none" if self.none else "a number"
            raise InvalidProbabilityError(
                f"must be {kinds} (got {value!r}); 5% is written 0.05", parameter="alpha"
            ) from None


def alpha(says: str, *, none: bool = False) -> Decorator:
    """Return the option that says the significance level of each claim, with or without `none`."""
    kind = _Level(none=none)
    return click.option("--alpha", type=kind, default=0.05, metavar="NUMBER", help=says)


ALPHA = alpha("The significance level of each claim; 0.05 by default.")
ADJUST = click.option(
    "--adjust",
    type=click.Choice(["holm", "bh"]),
    help="Adjust p-values for the many models and groups: by Holm, or Benjamini and Hochberg.",
)
TRIES = click.option(
    "--tries",
    type=int,
    default=1,
    metavar="NUMBER",
    help="How many attempts each score is the best of; 1 by default.",
)


def asked(measures: Sequence[str]) -> str | Sequence[str] | None:
    """Return the measures that were asked for; a single `all` is the word for all of them."""
    several = next((name for name in measures if "," in name), None)
    if several is not None:
        from baserate.exceptions import InvalidMeasureError

        often = " ".join(f"-m {shell_word(part.strip())}" for part in several.split(","))
        raise InvalidMeasureError(
            f"must name one measure (got {several!r}); repeat the option, as in {often}",
            parameter="measures",
        )
    return measures[0] if len(measures) == 1 else measures or None


def measures(*, required: bool) -> Decorator:
    """Return the option that names measures."""
    return click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        required=required,
        metavar="MEASURE",
        shell_complete=measure_keys,
        help="A measure by any of its names, once for each"
        + (
            "."
            if required
            else "; those that people report by default, and all of them with `-m all`."
        ),
    )


_MODEL = click.option(
    "--model",
    "models",
    multiple=True,
    metavar="COLUMN",
    shell_complete=column_names,
    help="A column of predicted labels or numbers, once for each model; found if it is clear.",
)
_SCORE = click.option(
    "--score",
    "scores",
    multiple=True,
    metavar="COLUMN",
    shell_complete=column_names,
    help="A column of scores or probabilities, higher for what is likelier positive, once for each "
    "model; in place of --model.",
)
_THRESHOLD = click.option(
    "--threshold",
    type=float,
    metavar="NUMBER",
    help="The lowest score that is predicted positive; with it, measures of labels are judged too.",
)
_REFERENCE = click.option(
    "--reference",
    metavar="COLUMN",
    shell_complete=column_names,
    help="The column of another model, such as the last value: models are judged against it, in "
    "place of what comes for free.",
)
_BY = click.option(
    "--by",
    metavar="COLUMN",
    shell_complete=column_names,
    help="The column of groups: each is judged by itself.",
)
_CLUSTERS = click.option(
    "--clusters",
    metavar="COLUMN",
    shell_complete=column_names,
    help="The column of clusters, such as patients with several rows: whole ones are drawn, tested "
    "and swapped.",
)
_WEIGHT = click.option(
    "--weight",
    metavar="COLUMN",
    shell_complete=column_names,
    help="The column that says how much each row counts; --weights says what it means.",
)
_WEIGHTS = click.option(
    "--weights",
    type=click.Choice(["frequency", "importance"]),
    help="Whether a weight is how often a row was seen, or how much one row matters.",
)


def predictions(*, measures_required: bool, reference: bool = True) -> Decorator:
    """Return all options of an evaluation of files; a comparison has no reference."""
    chosen = measures(required=measures_required)
    options = (
        files(required=True),
        truth(required=True),
        _MODEL,
        _SCORE,
        _THRESHOLD,
        *([_REFERENCE] if reference else []),
        _BY,
        _CLUSTERS,
        _WEIGHT,
        _WEIGHTS,
        chosen,
        TASK,
        POS_LABEL,
        MISSING,
    )
    # Decorators apply from the last one up; this order is the one in --help.
    return lambda command: reduce(lambda each, option: option(each), reversed(options), command)
