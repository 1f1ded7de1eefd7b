"""Render the baselines of a test set, for readers and for programs."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from baserate.binary.measures import Direction, Measure
from baserate.binary.measures.catalogue import chosen_measures, is_count
from baserate.binary.optimum.baseline import Baseline, baseline
from baserate.cli.options import asked
from baserate.cli.table import Table
from baserate.exceptions import UndefinedMeasureError
from baserate.support.formatting import ARROWS, UNDEFINED, number_format
from baserate.support.serialising import csv_text, json_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.binary.base_rate import BaseRate

_SCHEMA = "baserate.baseline/1"
_HEADER = ("measure", "lowest  ", "highest  ", "best draws θ*")
_LEGEND = f"{ARROWS}   * the baseline to beat"


@dataclass(frozen=True)
class BaselineRow:
    """What a measure gives away, or why it has no baseline.

    Parameters
    ----------
    measure
        The measure.
    base
        Its baseline on the test set.
    reason
        Why there is no baseline; empty if there is one.
    """

    measure: Measure
    base: Baseline | None
    reason: str = ""

    @classmethod
    def of(cls, rate: BaseRate, measure: Measure) -> BaselineRow:
        """Return what a measure gives away on a test set."""
        try:
            return cls(measure, baseline(rate, measure))
        except UndefinedMeasureError as error:
            return cls(measure, None, str(error))

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of a table; a star marks the baseline to beat."""
        label = f"{self.measure.key} {self.measure.direction.arrow}"
        if self.base is None:
            return label, f"{UNDEFINED}  ", f"{UNDEFINED}  ", UNDEFINED
        ends = (self.base.min.value, self.base.max.value)
        signs = " *" if self.measure.direction is Direction.MAXIMIZE else "* "
        written = map(number_format(ends, counted=is_count(self.measure.key)), ends)
        low, high = (f"{number} {sign}" for number, sign in zip(written, signs, strict=True))
        return label, low, high, str(self.base.best.theta_stars)

    @property
    def record(self) -> dict[str, Any]:
        """The facts, named as in a report's JSON, with None if there is no baseline."""
        base = self.base
        return {
            "measure": self.measure.key,
            "name": self.measure.name,
            "direction": self.measure.direction.value,
            "baseline": base and base.best.value,
            "baseline_min": base and base.min.value,
            "baseline_max": base and base.max.value,
            "theta_star": base and next(iter(base.best.theta_stars)),
            "theta_stars": base and str(base.best.theta_stars),
            "reason": self.reason,
        }


@dataclass(frozen=True)
class BaselinesTable:
    """The baselines of one test set."""

    rate: BaseRate
    scores: tuple[BaselineRow, ...]

    def text(self) -> str:
        """Return a table for a terminal."""
        notes = (textwrap.fill(reason, 100) for reason in self._reasons())
        return "\n\n".join([self.rate.described, self._table().text(), _LEGEND, *notes])

    def markdown(self) -> str:
        """Return a table for Markdown."""
        blocks = [self.rate.described, self._table().markdown(), _LEGEND, *self._reasons()]
        return "\n\n".join(blocks) + "\n"

    def _reasons(self) -> list[str]:
        """Return why some measures have no baseline."""
        return [score.reason for score in self.scores if score.base is None]

    def _table(self) -> Table:
        return Table(_HEADER, tuple(score.cells for score in self.scores), numbers=(1, 2))

    def json(self) -> str:
        """Return everything as JSON, with every digit."""
        counts = {"positives": self.rate.positives, "total": self.rate.total}
        baselines = [score.record for score in self.scores]
        document = {"schema": _SCHEMA} | counts | {"baselines": baselines}
        return json_text(document)

    def csv(self) -> str:
        """Return one line per measure; empty values if there is no baseline."""
        records = [score.record for score in self.scores]
        return csv_text(list(records[0]), records)


def baselines_table(rate: BaseRate, names: Sequence[str]) -> BaselinesTable:
    """Return the baselines of measures, or of those that people report; raise if none has one."""
    measures = chosen_measures(asked(names))
    scores = tuple(BaselineRow.of(rate, measure) for measure in measures)
    if all(score.base is None for score in scores):
        raise UndefinedMeasureError(scores[0].reason)
    return BaselinesTable(rate, scores)
