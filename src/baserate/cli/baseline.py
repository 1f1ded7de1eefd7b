"""`baserate baseline`: the scores that come for free on a test set."""

from __future__ import annotations

from operator import methodcaller
from typing import TYPE_CHECKING, Any

import click

from baserate.cli import options
from baserate.cli.target import planned, present

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.core.task import TestSet
    from baserate.evaluation.choice import Asked
    from baserate.task import Task

RENDERERS = {
    "table": methodcaller("text"),
    "json": methodcaller("json"),
    "csv": methodcaller("csv"),
    "markdown": methodcaller("markdown"),
}
_WAYS = "a test set must be given by --positives and --total, by --counts, or by FILES and --truth"


@click.command(
    context_settings=options.HELP,
    short_help="Print the scores that come for free.",
    epilog=options.examples(
        "baserate baseline --positives 139 --total 303 -m F1 -m MCC",
        "baserate baseline --positives 10 --total 100 -m AUC",
        "baserate baseline --counts a=70,b=20,c=10 -m 'macro F1'",
        "baserate baseline preds.csv --truth y -m all --format json",
    ),
)
@options.files(required=False)
@click.option("--positives", type=int, metavar="P", help="How many observations are positive.")
@click.option("--total", type=int, metavar="M", help="How many observations there are.")
@click.option(
    "--counts", metavar="CLASS=COUNT,…", help="How many observations there are of each class."
)
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
    """Print the scores that come for free, on a test set of counts or of labels in FILES."""
    from baserate.cli.baselines_table import baselines_table
    from baserate.evaluation.choice import Asked

    chosen = planned(RENDERERS, style, output, test_set["files"], force=force)
    asked = Asked.of(None, options.asked(measures), None, test_set["pos_label"])
    task, found = _test_set(asked, **test_set)
    table = baselines_table(task, found, asked.of_task(task))
    present(table, RENDERERS, chosen, output)


def _test_set(
    asked: Asked,
    *,
    files: tuple[str, ...],
    positives: int | None,
    total: int | None,
    counts: str | None,
    truth: str | None,
    **labels: Any,
) -> tuple[Task[Any], TestSet]:
    """Return the test set, which must be given in exactly one of three ways, and its task."""
    from baserate.binary.base_rate import BaseRate
    from baserate.evaluation.choice import Asked
    from baserate.multiclass.class_counts import ClassCounts

    ways = (bool(files or truth), (positives, total) != (None, None), counts is not None)
    is_whole = bool(files) == bool(truth) and (positives is None) == (total is None)
    if sum(ways) != 1 or not is_whole:
        raise click.UsageError(_WAYS, click.get_current_context())
    if files and truth:
        return _counted(asked, files, truth, **labels)
    given: TestSet
    if counts is not None:
        given = ClassCounts(_class_counts(counts))
    else:
        assert positives is not None and total is not None  # noqa: S101, PT018
        given = BaseRate(positives=positives, total=total)
    return Asked.of(None, asked.measures, given).tasks[0], given


def _class_counts(text: str) -> dict[str, Any]:
    """Return counts as typed in a shell: a=70,b=20,c=10."""
    from baserate.exceptions import InvalidCountError

    found = dict(part.rpartition("=")[::2] for part in text.split(","))
    if len(found) < len(text.split(",")) or not all(
        label and count.strip().isdigit() for label, count in found.items()
    ):
        raise InvalidCountError(
            f"must be a count for each class, such as a=70,b=20,c=10 (got {text!r})",
            parameter="counts",
        )
    return {label: int(count) for label, count in found.items()}


def _counted(
    asked: Asked, files: Sequence[str], truth: str, pos_label: str | None, missing: str
) -> tuple[Task[Any], TestSet]:
    from baserate.cli.columns import typed_label
    from baserate.cli.output import say
    from baserate.cli.source import opened
    from baserate.core.task import Rows
    from baserate.evaluation.choice import answered
    from baserate.support.formatting import dropped_rows

    with opened(files) as relation:
        label = typed_label(relation, truth, pos_label)
        rows = Rows(pos_label=label, drop=missing == "drop", measures=asked.measures)
        task, (found, dropped) = answered(
            asked,
            lambda each: each.count_column(relation, truth, rows),
        )
    if dropped:
        say(dropped_rows(dropped))
    return task, found
