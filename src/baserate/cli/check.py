"""`baserate check`: a gate for a pipeline."""

from __future__ import annotations

from operator import methodcaller
from typing import TYPE_CHECKING, Any

import click

from baserate.cli import github, junit, options
from baserate.cli.ending import FAILED
from baserate.cli.output import show
from baserate.cli.target import planned, present

if TYPE_CHECKING:
    from collections.abc import Callable

RENDERERS: dict[str, Callable[[Any], str]] = {
    "text": methodcaller("text"),
    "json": methodcaller("json"),
    "junit": junit.render,
    "github": github.render,
}


@click.command(
    context_settings=options.HELP,
    epilog=options.examples(
        "baserate check preds.csv --truth y --model tree -m F1 --margin 0.05",
        "baserate check preds.csv --truth y --model tree -m F1 --by hospital --format github",
        "baserate check preds.csv --truth y --model tree -m F1 --format junit -o baserate.xml",
        "baserate check preds.csv --truth y --score forest -m AUC --margin 0.1",
        "baserate check preds.csv --truth sales --model forest --reference last_value -m MAE",
    ),
)
@options.predictions(measures_required=True)
@click.option(
    "--margin",
    type=float,
    default=0.0,
    metavar="NUMBER",
    help="How much better than the baseline a model must be, in the measure's direction; 0 by "
    "default.",
)
@options.alpha(
    "How often a model may pass by chance; 0.05 by default. With `none`, any score that is better "
    "than the baseline passes.",
    none=True,
)
@options.ADJUST
@options.TRIES
@options.formats(RENDERERS)
@options.OUTPUT
@options.FORCE
def check(
    *,
    margin: float,
    alpha: float | None,
    style: str | None,
    output: str | None,
    force: bool,
    **question: Any,
) -> None:
    """Check that there is evidence that models beat the baseline, or a reference.

    The exit code is 0 if every verdict passes, 1 if one fails, and 2 if the input is bad. A group
    that cannot be judged, such as one with a single class, does not fail. FILES are as in
    `baserate evaluate`.
    """
    from baserate.cli.rulings import Rulings
    from baserate.cli.source import evaluated
    from baserate.core.confidence import ALPHA
    from baserate.evaluation.gate import Gate

    chosen = planned(RENDERERS, style, output, question["files"], force=force)
    gate = Gate(margin, alpha)
    question["alpha"] = ALPHA if alpha is None else alpha
    rulings = Rulings.of(gate, evaluated(**question))
    present(rulings, RENDERERS, chosen, output)
    if output is not None:
        show(rulings.text())
    click.get_current_context().exit(FAILED if rulings.failed else 0)
