"""`baserate completion`: the script that makes a shell complete commands."""

from __future__ import annotations

import click

from baserate.cli.options import HELP, examples
from baserate.cli.output import write


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
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes commands, options, measures and columns in a shell."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101 -- click knows all choices
    root = context.find_root()
    write(kind(root.command, {}, "baserate", "_BASERATE_COMPLETE").source())
