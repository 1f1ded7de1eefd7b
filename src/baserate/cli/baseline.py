"""`baserate baseline`: the scores that come for free on a test set."""

from __future__ import annotations

from operator import methodcaller
from typing import TYPE_CHECKING, Any

import click

from baserate.cli import options
from baserate.cli.target import planned, present

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.binary.base_rate import BaseRate

RENDERERS = {
    "table": methodcaller("text"),
    "json": methodcaller("json"),
    "csv": methodcaller("csv"),
    "markdown": methodcaller("markdown"),
}
_WAYS = "a test set must be given by --positives and --total, or by FILES and --truth"


@click.command(
    context_settings=options.HELP,
    short_help="Print the scores that come for free.",
    epilog=options.examples(
        "baserate baseline --positives 139 --total 303 -m F1 -m MCC",
        "baserate baseline preds.csv --truth y -m all --format json",
    ),
)
@options.files(required=False)
@click.option("--positives", type=int, metavar="P", help="How many observations are positive.")
@click.option("--total", type=int, metavar="M", help="How many observations there are.")
@options.truth(required=False)
@options.measures(required=False)
@options.POS_LABEL
@options.MISSING
@options.formats(RENDERERS)
@options.OUTPUT
@options.FORCE
def baseline(
    *,
    measures: tuple[str, ...],
    style: str | None,
    output: str | None,
    force: bool,
    **test_set: Any,
) -> None:
    """Print the scores that come for free, on a test set of two counts or of labels in FILES."""
    from baserate.cli.baselines_table import baselines_table

    chosen = planned(RENDERERS, style, output, test_set["files"], force=force)
    present(baselines_table(_base_rate(**test_set), measures), RENDERERS, chosen, output)


def _base_rate(
    *,
    files: tuple[str, ...],
    positives: int | None,
    total: int | None,
    truth: str | None,
    **labels: Any,
) -> BaseRate:
    """Return the test set, which must be given in exactly one of two ways."""
    from baserate.binary.base_rate import BaseRate

    counts = (positives, total)
    if files and truth and counts == (None, None):
        return _counted(files, truth, **labels)
    if positives is None or total is None or files or truth:
        raise click.UsageError(_WAYS, click.get_current_context())
    return BaseRate(positives=positives, total=total)


def _counted(files: Sequence[str], truth: str, pos_label: str | None, missing: str) -> BaseRate:
    from baserate.binary.base_rate import BaseRate
    from baserate.cli.columns import typed_label
    from baserate.cli.output import say
    from baserate.cli.source import opened
    from baserate.data.engines.frames import count_column
    from baserate.support.formatting import dropped_rows

    with opened(files) as relation:
        label = typed_label(relation, truth, pos_label)
        counts, dropped = count_column(relation, truth, pos_label=label, drop=missing == "drop")
    if dropped:
        say(dropped_rows(dropped))
    return BaseRate(positives=counts.tp, total=counts.tp + counts.tn)
