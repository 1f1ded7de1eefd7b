"""`baserate baseline`: the scores of the best guesses on a test set."""

from __future__ import annotations

import math
import textwrap
from operator import methodcaller
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from baserate.cli import options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.core.baseline import Baseline
    from baserate.core.measure import Measure
    from baserate.core.observed import TestSet
    from baserate.evaluation.asked import Asked
    from baserate.task import Task

RENDERERS = {
    "table": methodcaller("text"),
    "json": methodcaller("json"),
    "csv": methodcaller("csv"),
    "markdown": methodcaller("markdown"),
}
_HEADER = ("measure", "lowest  ", "highest  ", "best guess")
_WAYS = "a test set must be given by --positives and --total, by --counts, or by FILES and --truth"


class Row(NamedTuple):
    """The baseline of a measure, or the reason why it has none."""

    measure: Measure[Any]
    baseline: Baseline | None
    reason: str = ""

    @classmethod
    def of(cls, task: Task[Any], test_set: TestSet, measure: Measure[Any]) -> Row:
        """Return the baseline of a measure on a test set."""
        from baserate.exceptions import UndefinedMeasureError

        try:
            return cls(measure, task.baseline(test_set, measure))
        except UndefinedMeasureError as error:
            return cls(measure, None, str(error))

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of a table; a star marks the baseline to beat."""
        from baserate.formatting import UNDEFINED, number_format

        label = f"{self.measure.key} {self.measure.direction.arrow}"
        base = self.baseline
        if base is None:
            return label, f"{UNDEFINED}  ", f"{UNDEFINED}  ", UNDEFINED
        ends = (base.min.value, base.max.value)
        signs = " *" if self.measure.direction.value == "maximize" else "* "
        written = map(number_format(ends, counted=self.measure.counts), ends)
        low, high = (f"{number} {sign}" for number, sign in zip(written, signs, strict=True))
        return label, low, high, base.guess

    @property
    def record(self) -> dict[str, Any]:
        """The facts, named as in a report's JSON, with None if there is no baseline."""
        found = self.baseline
        return {
            "measure": self.measure.key,
            "name": self.measure.name,
            "direction": self.measure.direction.value,
            "baseline": found and found.value,
            "baseline_min": found and _known(found.min.value),
            "baseline_max": found and _known(found.max.value),
            "theta_star": found and _known(found.theta_star),
            "guesses": found and str(found.guesses),
            "reference": found and found.guess,
            "reason": self.reason,
        }


def _known(number: float) -> float | None:
    return None if math.isnan(number) else number


class Baselines(NamedTuple):
    """The baselines of one test set, for readers and for programs."""

    test_set: TestSet
    rows: tuple[Row, ...]

    @classmethod
    def of(cls, task: Task[Any], test_set: TestSet, measures: Sequence[Measure[Any]]) -> Baselines:
        """Return the baselines of measures on a test set; raise if none has one."""
        from baserate.exceptions import UndefinedMeasureError

        rows = tuple(Row.of(task, test_set, measure) for measure in measures)
        if all(row.baseline is None for row in rows):
            raise UndefinedMeasureError(rows[0].reason)
        return cls(test_set, rows)

    def text(self) -> str:
        """Return a table for a terminal."""
        from baserate.report.text import display_width

        lines = [_HEADER, *(row.cells for row in self.rows)]
        widths = [max(map(display_width, column)) for column in zip(*lines, strict=True)]
        table = []
        for cells in lines:
            blanks = [
                " " * (width - display_width(cell))
                for cell, width in zip(cells, widths, strict=True)
            ]
            name, low, high, guess = cells
            table.append(f"{name}{blanks[0]}  {blanks[1]}{low}  {blanks[2]}{high}  {guess}")
        notes = (textwrap.fill(row.reason, 100) for row in self.rows if row.reason)
        return "\n\n".join([self.test_set.described, "\n".join(table), self._legend, *notes])

    def markdown(self) -> str:
        """Return a table for Markdown."""
        from baserate.report.markup import escaped, line_of, markdown_lines

        header = [name.strip() for name in _HEADER]
        cells = [[escaped(cell) for cell in row.cells] for row in self.rows]
        table = markdown_lines(header, [True, False, False, True], cells)
        notes = [line_of(row.reason) for row in self.rows if row.reason]
        return "\n\n".join([line_of(self.test_set.described), table, self._legend, *notes]) + "\n"

    @property
    def _legend(self) -> str:
        from baserate.formatting import ARROWS

        return f"{ARROWS}   * the baseline to beat"

    def json(self) -> str:
        """Return everything as JSON, with every digit."""
        from baserate.records import json_text

        found = {"baselines": [row.record for row in self.rows]}
        return json_text({"schema": "baserate.baseline/3"} | self.test_set.facts | found)

    def csv(self) -> str:
        """Return one line per measure; empty values if there is no baseline."""
        from baserate.records import csv_text

        records = [row.record for row in self.rows]
        return csv_text(list(records[0]), records)


@click.command(
    context_settings=options.HELP,
    short_help="Print the scores of the best guesses.",
    epilog=options.examples(
        "baserate baseline --positives 139 --total 303 -m F1 -m MCC",
        "baserate baseline --positives 10 --total 100 -m AUC",
        "baserate baseline --counts a=70,b=20,c=10 -m 'macro F1'",
        "baserate baseline preds.csv --truth y -m all --format json",
    ),
)
@options.files(required=False)
@options.number("--positives", "How many observations are positive.", type=int, metavar="P")
@options.number("--total", "How many observations there are.", type=int, metavar="M")
@click.option(
    "--counts", metavar="CLASS=COUNT,…", help="How many observations there are of each class."
)
@options.truth(required=False)
@options.measures(required=False)
@options.POS_LABEL
@options.MISSING
@options.written(RENDERERS)
def baseline(*, measures: tuple[str, ...], **test_set: Any) -> Baselines:
    """Print the scores of the best guesses, on a test set of counts or of labels in FILES."""
    from baserate.cli.source import chosen_measures
    from baserate.evaluation.asked import Asked

    asked = Asked.of(None, chosen_measures(measures), None, test_set["pos_label"])
    task, found = _test_set(asked, **test_set)
    return Baselines.of(task, found, asked.of_task(task))


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
    from baserate.evaluation.asked import Asked
    from baserate.observed.base_rate import BaseRate
    from baserate.observed.classes import ClassCounts

    ways = (bool(files or truth), (positives, total) != (None, None), counts is not None)
    is_whole = bool(files) == bool(truth) and (positives is None) == (total is None)
    if sum(ways) != 1 or not is_whole:
        raise click.UsageError(_WAYS, click.get_current_context())
    if files and truth:
        return _counted(asked, files, truth, **labels)
    given: Any
    if counts is not None:
        given = ClassCounts(_class_counts(counts))
    else:
        assert positives is not None and total is not None  # noqa: S101, PT018
        given = BaseRate(positives=positives, total=total)
    return Asked.of(None, asked.measures, given).tasks.first, given


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
    from baserate.cli.console import say
    from baserate.cli.source import opened, typed_label
    from baserate.core.observed import Rows
    from baserate.evaluation.asked import answered
    from baserate.formatting import dropped_rows

    with opened(files) as relation:
        label = typed_label(relation, truth, pos_label)
        rows = Rows(pos_label=label, drop=missing == "drop", measures=asked.measures)
        task, (found, dropped) = answered(
            asked, lambda each: each.count_column(relation, truth, rows)
        )
    if dropped:
        say(dropped_rows(dropped))
    return task, found
