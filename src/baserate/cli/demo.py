"""`baserate demo`: the paper's experiment."""

from __future__ import annotations

import click

from baserate.cli.options import FORCE, HELP, examples
from baserate.cli.output import show


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
