"""`baserate plan`: how many rows a test set needs."""

from __future__ import annotations

from operator import methodcaller
from typing import Any, NamedTuple

import click

from baserate.cli import options
from baserate.cli.completers import measure_keys
from baserate.cli.target import planned, present

RENDERERS = {"text": methodcaller("text"), "json": methodcaller("json")}
_SCHEMA = "baserate.plan/1"


class Answer(NamedTuple):
    """What was asked, and how many rows are needed."""

    measure: str
    known: dict[str, Any]
    rows: int

    def text(self) -> str:
        """Return one sentence."""
        known = self.known
        what = "clear the baseline" if known["second"] is None else "tell both models apart"
        return (
            f"About {self.rows:,} rows are needed to {what} by {self.measure}, with a power of "
            f"{100 * known['power']:.6g}%."
        )

    def json(self) -> str:
        """Return every number."""
        from baserate.support.serialising import json_text

        return json_text(
            {"schema": _SCHEMA, "measure": self.measure} | self.known | {"rows_needed": self.rows}
        )


@click.command(
    context_settings=options.HELP,
    short_help="Say how many rows a test set needs.",
    epilog=options.examples(
        "baserate plan F1 --base-rate 0.1 --score 0.5",
        "baserate plan AUC --base-rate 0.1 --score 0.8 --second 0.85 --agreement 0.5",
        "baserate plan accuracy --classes 5 --score 0.4",
        "baserate plan RMSE --score 0.2",
    ),
)
@click.argument("measure", shell_complete=measure_keys)
@click.option(
    "--score",
    type=float,
    required=True,
    metavar="NUMBER",
    help="The expected score; for measures of numbers, the expected R2.",
)
@click.option(
    "--base-rate", type=float, metavar="SHARE", help="The share of positives, of two classes."
)
@click.option("--classes", type=int, metavar="NUMBER", help="How many classes, if several.")
@click.option(
    "--second", type=float, metavar="NUMBER", help="The expected score of a second model."
)
@click.option(
    "--agreement",
    type=float,
    default=0.0,
    metavar="SHARE",
    help="How much alike both models are, from 0 (independent, the default) to 1.",
)
@options.ALPHA
@click.option(
    "--power",
    type=float,
    default=0.8,
    metavar="SHARE",
    help="How often the claim should be made; 0.8 by default.",
)
@options.formats(RENDERERS)
@options.OUTPUT
@options.FORCE
def plan(measure: str, *, style: str | None, output: str | None, force: bool, **known: Any) -> None:
    """Say how many rows a test set needs, so that a score clears the baseline.

    Of labels, as many are taken to be predicted positive as there are positives. Scores are taken
    to be normal among positives and among negatives, classes to be equally large, numbers to be
    normal.
    """
    from baserate.evaluation.rows_needed import rows_needed

    chosen = planned(RENDERERS, style, output, (), force=force)
    answer = Answer(measure, known, rows_needed(measure, **known))
    present(answer, RENDERERS, chosen, output)
