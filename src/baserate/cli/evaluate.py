"""`baserate evaluate`: what scores are worth."""

from __future__ import annotations

from operator import methodcaller
from typing import TYPE_CHECKING, Any

import click

from baserate.cli import options
from baserate.cli.target import planned, present

if TYPE_CHECKING:
    from collections.abc import Callable


RENDERERS: dict[str, Callable[[Any], str]] = {
    "table": str,
    "json": methodcaller("to_json"),
    "markdown": methodcaller("to_markdown"),
    "latex": methodcaller("to_latex"),
    "html": methodcaller("to_html"),
    "csv": methodcaller("to_csv"),
}


@click.command(
    context_settings=options.HELP,
    epilog=options.examples(
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
@options.formats(RENDERERS)
@options.OUTPUT
@options.FORCE
def evaluate(*, style: str | None, output: str | None, force: bool, **question: Any) -> None:
    """Say what the scores of models are worth.

    Columns are of predicted labels or numbers (--model), or of scores such as probabilities
    (--score).
    FILES are CSV, TSV, Parquet, JSON lines or Arrow files, patterns or folders of them; - reads
    CSV from a pipe.
    """
    from baserate.cli.source import evaluated

    chosen = planned(RENDERERS, style, output, question["files"], force=force)
    present(evaluated(**question), RENDERERS, chosen, output)
