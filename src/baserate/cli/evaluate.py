"""`baserate evaluate` and `baserate compare`: what scores are worth, and which model is better."""

from __future__ import annotations

from operator import methodcaller
from typing import TYPE_CHECKING, Any

import click

from baserate.cli import options

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.report import Comparison, Report


def _table(report: Report | Comparison) -> str:
    """Return the text of a report, which names the method that a command has no use for."""
    return str(report).replace("(more: to_html)", "(more: --format html)")


RENDERERS: dict[str, Callable[[Any], str]] = {
    "table": _table,
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
@options.written(RENDERERS)
def evaluate(**question: Any) -> Report:
    """Say what the scores of models are worth.

    Columns are of predicted labels or numbers (--model), or of scores such as probabilities
    (--score).
    FILES are CSV, TSV, Parquet, JSON lines or Arrow files, patterns or folders of them; - reads
    CSV from a pipe.
    """
    from baserate.cli.source import evaluated

    return evaluated(**question)


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
@options.ALPHA
@options.ADJUST
@options.written(RENDERERS)
def compare(**question: Any) -> Comparison:
    """Say whether one model is better than another.

    Every pair of models is compared on the same rows: the difference of their scores, its
    interval, and the p-value of swapping their answers. FILES are as in `baserate evaluate`.
    """
    from baserate.cli.source import compared

    return compared(**question)
