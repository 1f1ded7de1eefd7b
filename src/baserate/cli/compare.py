"""`baserate compare`: whether one model is better than another."""

from __future__ import annotations

from typing import Any

import click

from baserate.cli import options
from baserate.cli.evaluate import RENDERERS
from baserate.cli.target import planned, present


@click.command(
    context_settings=options.HELP,
    epilog=options.examples(
        "baserate compare preds.parquet --truth y --model tree --model knn -m F1",
        "baserate compare preds.csv --truth y --model tree --model knn --by hospital --adjust holm",
        "baserate compare preds.csv --truth y --model tree --model knn -o comparison.html",
        "baserate compare preds.csv --truth y --score forest --score boosting -m AUC",
    ),
)
@options.predictions(measures_required=False, reference=False)
@options.alpha("The significance level of each claim; 0.05 by default.")
@options.ADJUST
@options.formats(RENDERERS)
@options.OUTPUT
@options.FORCE
def compare(*, style: str | None, output: str | None, force: bool, **question: Any) -> None:
    """Say whether one model is better than another.

    Every pair of models is compared on the same rows: the difference of their scores, its
    interval, and the p-value of swapping their answers. FILES are as in `baserate evaluate`.
    """
    from baserate.cli.source import compared

    chosen = planned(RENDERERS, style, output, question["files"], force=force)
    present(compared(**question), RENDERERS, chosen, output)
