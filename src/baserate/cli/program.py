"""The program: its commands, and what becomes of errors."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from baserate import __version__
from baserate.cli.baseline import baseline
from baserate.cli.check import check
from baserate.cli.completion import completion
from baserate.cli.demo import demo
from baserate.cli.evaluate import evaluate
from baserate.cli.measures import measures
from baserate.cli.options import HELP, examples
from baserate.cli.paper import paper
from baserate.cli.phrases import in_options
from baserate.exceptions import BaserateError

if TYPE_CHECKING:
    from collections.abc import Sequence

BAD_INPUT = 2
INTERRUPTED = 130
# What a shell makes of a program whose reader went away: 128 + SIGPIPE.
CLOSED_PIPE = 141


class Program(click.Group):
    """A group of commands whose errors are one sentence."""

    def main(self, args: Sequence[str] | None = None, **extra: Any) -> Any:  # type: ignore[override]
        """Run a command, and exit with its code."""
        try:
            code = super().main(args, standalone_mode=False, **extra)
        except click.Abort:
            sys.exit(INTERRUPTED)
        except click.UsageError as error:
            _fail(_advised(error))
        except BaserateError as error:
            _fail(in_options(str(error)))
        except OSError as error:
            _fail(str(error))
        sys.exit(code)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; a reader that has seen enough is no error."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # Python flushes once more when it ends, and would complain then.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise click.exceptions.Exit(CLOSED_PIPE) from None


def _fail(sentence: str) -> None:
    click.echo(f"Error: {sentence}", err=True)
    sys.exit(BAD_INPUT)


def _advised(error: click.UsageError) -> str:
    """Return an error of the arguments, with where to look."""
    sentence = " ".join(error.format_message().split())
    command = error.ctx.command_path if error.ctx else "baserate"
    return f"{sentence.rstrip('.?')}; see '{command} --help'."


@click.group(
    cls=Program,
    context_settings=HELP,
    invoke_without_command=True,
    epilog=examples(
        "baserate baseline --positives 139 --total 303 -m F1",
        "baserate evaluate preds.parquet --truth y --model tree --by hospital",
        "baserate check preds.csv --truth y --model tree -m F1 --margin 0.05",
    ),
)
@click.version_option(__version__, prog_name="baserate", message="%(prog)s %(version)s")
@click.pass_context
def program(context: click.Context) -> None:
    """Tell what a score is worth: the score that comes for free, knowing only the base rate."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for _command in (baseline, evaluate, check, measures, demo, paper, completion):
    program.add_command(_command)
