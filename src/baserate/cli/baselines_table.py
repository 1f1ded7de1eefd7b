"""Render the baselines of a test set, for readers and for programs."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from baserate.cli.table import Table
from baserate.core.direction import Direction
from baserate.exceptions import UndefinedMeasureError
from baserate.support.formatting import ARROWS, UNDEFINED, number_format
from baserate.support.serialising import csv_text, json_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.core.measure import AnyMeasure
    from baserate.core.task import TestSet, Yardstick
    from baserate.task import Task

_SCHEMA = "baserate.baseline/2"
_LEGEND = f"{ARROWS}   * the baseline to beat"


@dataclass(frozen=True)
class BaselineRow:
    """What a measure gives away, or why it has no baseline.

    Parameters
    ----------
    measure
        The measure.
    yardstick
        Its baseline on the test set.
    reason
        Why there is no baseline; empty if there is one.
    """

    measure: AnyMeasure[Any]
    yardstick: Yardstick | None
    reason: str = ""

    @classmethod
    def of(cls, task: Task[Any], test_set: TestSet, measure: AnyMeasure[Any]) -> BaselineRow:
        """Return what a measure gives away on a test set."""
        try:
            return cls(measure, task.yardstick(test_set, measure))
        except UndefinedMeasureError as error:
            return cls(measure, None, str(error))

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of a table; a star marks the baseline to beat."""
        label = f"{self.measure.key} {self.measure.direction.arrow}"
        if self.yardstick is None:
            return label, f"{UNDEFINED}  ", f"{UNDEFINED}  ", UNDEFINED
        base = self.yardstick.base
        ends = (base.min.value, base.max.value)
        signs = " *" if self.measure.direction is Direction.MAXIMIZE else "* "
        written = map(number_format(ends, counted=self.measure.counts), ends)
        low, high = (f"{number} {sign}" for number, sign in zip(written, signs, strict=True))
        return label, low, high, str(base.best.decks) or self.yardstick.reference

    @property
    def record(self) -> dict[str, Any]:
        """The facts, named as in a report's JSON, with None if there is no baseline."""
        names = {
            "measure": self.measure.key,
            "name": self.measure.name,
            "direction": self.measure.direction.value,
        }
        return names | _numbers(self.yardstick) | {"reason": self.reason}


def _numbers(yardstick: Yardstick | None) -> dict[str, Any]:
    """Return the numbers of a baseline, with None if there is none."""
    base = yardstick and yardstick.base
    theta_star = math.nan if yardstick is None else yardstick.theta_star
    return {
        "baseline": base and base.best.value,
        "baseline_min": base and _known(base.min.value),
        "baseline_max": base and _known(base.max.value),
        "theta_star": _known(theta_star),
        "decks": base and str(base.best.decks),
        "reference": yardstick and yardstick.reference,
    }


def _known(number: float) -> float | None:
    return None if math.isnan(number) else number


@dataclass(frozen=True)
class BaselinesTable:
    """The baselines of one test set.

    Parameters
    ----------
    test_set
        The test set.
    decks
        What the best predictions are called that ignore their input.
    scores
        A row per measure.
    """

    test_set: TestSet
    decks: str
    scores: tuple[BaselineRow, ...]

    def text(self) -> str:
        """Return a table for a terminal."""
        notes = (textwrap.fill(reason, 100) for reason in self._reasons())
        return "\n\n".join([self.test_set.described, self._table().text(), _LEGEND, *notes])

    def markdown(self) -> str:
        """Return a table for Markdown."""
        from baserate.report.markdown import line_of

        reasons = map(line_of, self._reasons())
        blocks = [line_of(self.test_set.described), self._table().markdown(), _LEGEND, *reasons]
        return "\n\n".join(blocks) + "\n"

    def _reasons(self) -> list[str]:
        """Return why some measures have no baseline."""
        return [score.reason for score in self.scores if score.yardstick is None]

    def _table(self) -> Table:
        header = ("measure", "lowest  ", "highest  ", f"best {self.decks}")
        return Table(header, tuple(score.cells for score in self.scores), numbers=(1, 2))

    def json(self) -> str:
        """Return everything as JSON, with every digit."""
        baselines = [score.record for score in self.scores]
        document = {"schema": _SCHEMA} | self.test_set.facts | {"baselines": baselines}
        return json_text(document)

    def csv(self) -> str:
        """Return one line per measure; empty values if there is no baseline."""
        records = [score.record for score in self.scores]
        return csv_text(list(records[0]), records)


def baselines_table(
    task: Task[Any], test_set: TestSet, measures: Sequence[AnyMeasure[Any]]
) -> BaselinesTable:
    """Return the baselines of measures on a test set; raise if none has one."""
    scores = tuple(BaselineRow.of(task, test_set, measure) for measure in measures)
    if all(score.yardstick is None for score in scores):
        raise UndefinedMeasureError(scores[0].reason)
    return BaselinesTable(test_set, task.decks, scores)
