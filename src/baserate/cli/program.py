"""The program: its commands, and how it runs one."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from baserate import __version__
from baserate.cli.baseline import baseline
from baserate.cli.check import check
from baserate.cli.console import BAD_INPUT, exit_code, failed, show, write
from baserate.cli.evaluate import compare, evaluate
from baserate.cli.measures import measures
from baserate.cli.options import FORCE, HELP, examples
from baserate.cli.planning import chance, plan

if TYPE_CHECKING:
    from collections.abc import Sequence

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


for _command in (baseline, chance, evaluate, compare, check, plan, measures, demo, completion):
    program.add_command(_command)
