"""`baserate demo`: the paper's own experiment."""

from __future__ import annotations

import click

from baserate.cli.options import HELP, examples


@click.command(
    context_settings=HELP,
    short_help="Judge five models on real data.",
    epilog=examples("baserate demo"),
)
def demo() -> None:
    """Judge five models on the Cleveland Heart Disease data, and write report.html."""
    from baserate.demo import main

    main()
