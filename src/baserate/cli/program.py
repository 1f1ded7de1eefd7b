"""The program: its commands and its error handling."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

import click

from baserate import __version__
from baserate.cli.baseline import baseline
from baserate.cli.chance import chance
from baserate.cli.check import check
from baserate.cli.compare import compare
from baserate.cli.completion import completion
from baserate.cli.demo import demo
from baserate.cli.ending import BAD_INPUT, CLOSED_PIPE, Terminated, exit_code, failed
from baserate.cli.evaluate import evaluate
from baserate.cli.measures import measures
from baserate.cli.options import HELP, examples
from baserate.cli.output import settle, write
from baserate.cli.plan import plan

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Program(click.Group):
    """A group of commands whose errors are one sentence each."""

    def main(self, args: Sequence[str] | None = None, **extra: Any) -> Any:  # type: ignore[override]
        """Run a command, and exit with its exit code."""
        sys.exit(exit_code(lambda: self.run(args, **extra)))

    def run(self, args: Sequence[str] | None = None, **extra: Any) -> int:
        """Run a command, and return its exit code."""
        try:
            return super().main(args, standalone_mode=False, **extra) or 0
        except click.Abort as error:
            raise error.__cause__ or KeyboardInterrupt from None
        except click.ClickException as error:
            return failed(_advised(error))
        except SystemExit as end:  # from a completion; its failure is not a failed verdict
            return BAD_INPUT if end.code else 0

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Parse the arguments, and handle --help and --version."""
        with _ends():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        with _ends():
            return super().invoke(ctx)


@contextlib.contextmanager
def _ends() -> Iterator[None]:
    """Keep our exit codes: click would exit with 1, or print an empty line."""
    try:
        yield
    except BrokenPipeError:  # the reader has seen enough: not an error
        settle()
        raise click.exceptions.Exit(CLOSED_PIPE) from None
    except Terminated as end:
        raise click.exceptions.Exit(end.code) from None


def _advised(error: click.ClickException) -> str:
    """Return an error about arguments, with where to find help."""
    sentence = " ".join(error.format_message().split())
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "baserate"
    return f"{sentence.rstrip('.?')}; see '{command} --help'."


@click.group(
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
    """Find out what a score is worth, next to the score that the base rate alone gives for free."""
    if context.invoked_subcommand is None:
        write(context.get_help())


for _command in (baseline, chance, evaluate, compare, check, plan, measures, demo, completion):
    program.add_command(_command)
