"""`baserate paper`: the paper's tables and figures, computed."""

from __future__ import annotations

import click

from baserate.cli.options import FORCE, HELP, examples
from baserate.cli.output import write


@click.command(
    context_settings=HELP,
    short_help="Compute the paper's tables and figures.",
    epilog=examples("baserate paper -o reproduction --splits 3 --seed 1"),
)
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    default="paper",
    show_default=True,
    type=click.Path(file_okay=False),
    help="Where to write.",
)
@click.option(
    "--splits",
    metavar="N",
    default=200,
    show_default=True,
    type=click.IntRange(min=1),
    help="On how many random splits the five models are judged.",
)
@click.option(
    "--seed",
    metavar="N",
    default=0,
    show_default=True,
    type=click.IntRange(0, 2**31),
    help="The seed of the first split; each next one has the next.",
)
@FORCE
def paper(*, output: str, splits: int, seed: int, force: bool) -> None:
    """Compute the paper's tables and figures, and write them as HTML, LaTeX and PNG."""
    from baserate.paper.files import write_paper

    write("\n".join(write_paper(output, splits, seed, force=force)))
