"""The program: its commands, and how it runs one."""

from __future__ import annotations

import os
import sys
from collections import Counter
from operator import itemgetter, methodcaller
from typing import TYPE_CHECKING, Any

import click

from baserate import __version__
from baserate.cli import options
from baserate.cli.check import check
from baserate.cli.console import BAD_INPUT, exit_code, failed, show, write
from baserate.cli.measures import baseline, measures
from baserate.cli.options import FORCE, HELP, examples
from baserate.records import json_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from baserate.report import Comparison, Report

_COMPLETE = "_BASERATE_COMPLETE"


class Program(click.Group):
    """A group of commands whose errors are one sentence each, with exit codes of their own."""

    def main(self, args: Sequence[str] | None = None, **extra: Any) -> Any:  # type: ignore[override]
        """Run a command, and exit with its exit code."""
        sys.exit(exit_code(lambda: self.run(args, **extra)))

    def run(
        self, args: Sequence[str] | None = None, prog_name: str = "baserate", **extra: Any
    ) -> int:
        """Run a command, and return its exit code; click would exit with 1 if a pipe closes."""
        if asked := os.environ.get(_COMPLETE):
            from click.shell_completion import shell_complete

            # A completion that fails is not a failed verdict.
            return BAD_INPUT * shell_complete(self, extra, prog_name, _COMPLETE, asked)
        typed = sys.argv[1:] if args is None else list(args)
        try:
            with self.make_context(prog_name, typed, **extra) as context:
                self.invoke(context)
        except click.exceptions.Exit as end:
            return end.exit_code
        except click.ClickException as error:
            return failed(_advised(error))
        return 0


def _advised(error: click.ClickException) -> str:
    """Return an error about arguments, with where to find help."""
    sentence = " ".join(error.format_message().split())
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "baserate"
    return f"{sentence.rstrip('.?')}; see '{command} --help'."


@click.group(
    "baserate",
    cls=Program,
    context_settings=HELP,
    invoke_without_command=True,
    epilog=examples(
        "baserate baseline --positives 139 --total 303 -m F1",
        "baserate evaluate preds.parquet --truth y --model tree --by hospital",
        "baserate compare preds.parquet --truth y --model tree --model knn -m F1",
        "baserate check preds.csv --truth y --model tree -m F1 --margin 0.05",
    ),
)
@click.version_option(__version__, prog_name="baserate", message="%(prog)s %(version)s")
@click.pass_context
def program(context: click.Context) -> None:
    """Find out what a score is worth, next to the score of the best guess."""
    if context.invoked_subcommand is None:
        write(context.get_help())


@click.command(
    context_settings=HELP,
    short_help="Judge five models on real data.",
    epilog=examples("baserate demo"),
)
@FORCE
def demo(*, force: bool) -> None:
    """Judge five models on the Cleveland Heart Disease data, and write report.html."""
    from baserate.demo import main

    main(show, force=force)


@click.command(
    context_settings=HELP,
    short_help="Print the completion script of a shell.",
    epilog=examples(
        'eval "$(baserate completion bash)"    # in ~/.bashrc',
        'eval "$(baserate completion zsh)"     # in ~/.zshrc',
        "baserate completion fish | source     # in ~/.config/fish/config.fish",
    ),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that completes commands, options, measures and columns in a shell."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101 -- click knows all choices
    write(kind(program, {}, "baserate", _COMPLETE).source())


REPORTS: dict[str, Callable[[Any], str]] = {
    # A command has no use for the name of a method.
    "table": lambda found: str(found).replace("(more: to_html)", "(more: --format html)"),
    "json": methodcaller("to_json"),
    "markdown": methodcaller("to_markdown"),
    "latex": methodcaller("to_latex"),
    "html": methodcaller("to_html"),
    "csv": methodcaller("to_csv"),
}


@click.command(
    context_settings=HELP,
    epilog=examples(
        "baserate evaluate preds.parquet --truth y --model tree --model knn --by hospital",
        "baserate evaluate preds.csv --truth y --model tree -m all -o report.html",
        "baserate evaluate preds.csv --truth y --score forest --threshold 0.5 -m AUC -m F1",
        "baserate evaluate preds.csv --truth price --model forest -m RMSE -m MAE",
        "baserate evaluate preds.csv --truth price --model forest --reference last_price -m MAE",
        "cat preds.csv | baserate evaluate - --truth y --model tree",
    ),
)
@options.predictions(measures_required=False)
@options.ALPHA
@options.ADJUST
@options.TRIES
@options.written(REPORTS)
def evaluate(**question: Any) -> Report:
    """Say what the scores of models are worth.

    Columns are of predicted labels or numbers (--model), or of scores such as probabilities
    (--score).
    FILES are CSV, TSV, Parquet, JSON lines or Arrow files, patterns or folders of them; - reads
    CSV from a pipe.
    """
    from baserate.cli.source import evaluated

    return evaluated(**question)


@click.command(
    context_settings=HELP,
    epilog=examples(
        "baserate compare preds.parquet --truth y --model tree --model knn -m F1",
        "baserate compare preds.csv --truth y --model tree --model knn --by hospital --adjust holm",
        "baserate compare preds.csv --truth y --model tree --model knn -o comparison.html",
        "baserate compare preds.csv --truth y --score forest --score boosting -m AUC",
    ),
)
@options.predictions(measures_required=False, reference=False)
@options.ALPHA
@options.ADJUST
@options.written(REPORTS)
def compare(**question: Any) -> Comparison:
    """Say whether one model is better than another.

    Every pair of models is compared on the same rows: the difference of their scores, its
    interval, and the p-value of swapping their answers. FILES are as in `baserate evaluate`.
    """
    from baserate.cli.source import compared

    return compared(**question)


# A sentence, and every number for programs.
_ANSWERS: dict[str, Callable[[Any], str]] = {
    "text": itemgetter(0),
    "json": lambda answer: json_text(answer[1]),
}


@click.command(
    context_settings=HELP,
    short_help="Say how many rows a test set needs.",
    epilog=examples(
        "baserate plan F1 --base-rate 0.1 --score 0.5",
        "baserate plan AUC --base-rate 0.1 --score 0.8 --second 0.85 --agreement 0.5",
        "baserate plan accuracy --classes 5 --score 0.4",
        "baserate plan RMSE --score 0.2",
    ),
)
@click.argument("measure", shell_complete=options.measure_keys)
@options.number(
    "--score", "The expected score; for measures of numbers, the expected R2.", required=True
)
@options.number("--base-rate", "The share of positives, of two classes.", metavar="SHARE")
@options.number("--classes", "How many classes, if several.", type=int)
@options.number("--second", "The expected score of a second model.")
@options.number(
    "--agreement",
    "How much alike both models are, from 0 (independent, the default) to 1.",
    metavar="SHARE",
    default=0.0,
)
@options.ALPHA
@options.number(
    "--power", "How often the claim should be made; 0.8 by default.", metavar="SHARE", default=0.8
)
@options.written(_ANSWERS)
def plan(measure: str, **known: Any) -> tuple[str, dict[str, Any]]:
    """Say how many rows a test set needs, so that a score clears the baseline.

    Of labels, as many are taken to be predicted positive as there are positives. Scores are taken
    to be normal among positives and among negatives, classes to be equally large, numbers to be
    normal.
    """
    from baserate.evaluation.rows_needed import rows_needed

    rows = rows_needed(measure, **known)
    what = "clear the baseline" if known["second"] is None else "tell both models apart"
    said = (
        f"About {rows:,} rows are needed to {what} by {measure}, with a power of "
        f"{100 * known['power']:.6g}%."
    )
    asked = {"schema": "baserate.plan/1", "measure": measure} | known
    return said, asked | {"rows_needed": rows}


@click.command(
    context_settings=HELP,
    short_help="Print what guessing scores on a multiple-choice test.",
    epilog=examples(
        "baserate chance --options 4 --questions 198 --tries 20",
        "baserate chance --options 4 --questions 150 --options 5 --questions 48 --score 0.31",
    ),
)
@options.number(
    "--options",
    "How many options a question has; once for each kind of question.",
    type=int,
    multiple=True,
    required=True,
)
@options.number(
    "--questions",
    "How many questions have that many options; once for each kind.",
    type=int,
    multiple=True,
    required=True,
)
@options.TRIES
@options.number("--score", "An accuracy to compare with guessing.")
@options.written(_ANSWERS)
def chance(
    *, options: tuple[int, ...], questions: tuple[int, ...], tries: int, score: float | None
) -> tuple[str, dict[str, Any]]:
    """Print what guessing scores on a multiple-choice test, and what the best of many scores."""
    from baserate import multiple_choice
    from baserate.formatting import p_equals

    if len(options) != len(questions):
        raise click.UsageError(
            "--options and --questions must be given equally often, one for each kind of question",
            click.get_current_context(),
        )
    counted: Counter[int] = Counter()
    for kind, count in zip(options, questions, strict=True):
        counted[kind] += count
    guesses = multiple_choice.chance(counted, tries=tries)
    low, high = guesses.interval()
    record = {
        "schema": "baserate.chance/2",
        "questions": guesses.total,
        "tries": guesses.tries,
        "mean": guesses.mean(),
        "std": guesses.std(),
        "low": low,
        "high": high,
        "score": score,
        "p_value": None if score is None else guesses.p_value(score),
    }
    if score is None:
        return str(guesses), record
    p = p_equals(guesses.p_value(score))
    return f"{guesses} A score of {score:.6g} is reached by guessing with {p}.", record


for _command in (baseline, chance, evaluate, compare, check, plan, measures, demo, completion):
    program.add_command(_command)
