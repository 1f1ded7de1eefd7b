"""The groups of a report: for each model one table, groups down, measures across, worst first."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from baserate.formatting import number_format, printable
from baserate.report.p_values import PValue, title
from baserate.verdicts.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.report.collection import Report
    from baserate.verdicts.verdict import Performance, Verdict


@dataclass(frozen=True)
class GroupRow:
    """One group of a model.

    Parameters
    ----------
    performance
        The model's performance on the group.
    verdicts
        The verdict of each measure of the matrix; None if there is none.
    is_too_small
        Whether even a prediction without errors would be no evidence there.
    """

    performance: Performance
    verdicts: tuple[Verdict | None, ...]
    is_too_small: bool

    @property
    def p_value(self) -> PValue:
        """The p-value that measures share, or that of the first one."""
        found = [verdict for verdict in self.verdicts if verdict is not None]
        shared = [verdict for verdict in found if verdict.shares_p_value]
        return PValue.of(next(iter(shared or found), None))

    @property
    def share(self) -> str:
        """What there is to say of the group in one cell, such as how many are positive."""
        return self.performance.table.test_set.share[1]

    @property
    def badness(self) -> tuple[int, int, int, int, float]:
        """What sorts the worst groups to the top, and those that cannot show anything last."""
        found = [verdict for verdict in self.verdicts if verdict is not None]
        backwards = sum(v.outcome in (Outcome.REVERSED, Outcome.WORSE) for v in found)
        failing = sum(verdict.fails for verdict in found)
        unsure = sum(verdict.outcome is Outcome.UNSURE for verdict in found)
        p_value = 0.0 if math.isnan(self.p_value.value) else self.p_value.value
        return int(self.is_too_small), -backwards, -failing, -unsure, -p_value


@dataclass(frozen=True)
class Matrix:
    """The groups of one model, worst first.

    Parameters
    ----------
    model
        The model's name.
    measures
        A verdict of each measure, for its name and direction.
    rows
        The groups.
    """

    model: str
    measures: tuple[Verdict, ...]
    rows: tuple[GroupRow, ...]

    def title(self, by: str | None) -> str:
        """Name the model and the groups."""
        return f"{printable(self.model)} by {printable(by or 'group')}, worst first"

    @property
    def share_title(self) -> str:
        """The title of the column of shares."""
        return self.rows[0].performance.table.test_set.share[0]

    @property
    def p_title(self) -> str:
        """The title of the column of p-values: whose they are."""
        shared = [verdict.measure for verdict in self.measures if verdict.shares_p_value]
        chosen = shared or [verdict.measure for verdict in self.measures[:1]]
        return title(chosen, of_all=len(chosen) == len(self.measures))

    @property
    def labels(self) -> tuple[str, ...]:
        """The measures and their directions."""
        return tuple(f"{printable(v.measure)} {v.direction.arrow}" for v in self.measures)

    def scores(self, row: GroupRow) -> tuple[str, ...]:
        """Return the scores of a group, formatted; empty if there is none."""
        cells = zip(row.verdicts, self.formats, strict=True)
        return tuple("" if each is None else write(shown_score(each)) for each, write in cells)

    @cached_property
    def formats(self) -> tuple[Callable[[float], str], ...]:
        """The format of each measure's scores."""
        return tuple(map(self._format, range(len(self.measures))))

    def _format(self, place: int) -> Callable[[float], str]:
        found = (row.verdicts[place] for row in self.rows)
        scores = [shown_score(verdict) for verdict in found if verdict is not None]
        return number_format(scores, counted=self.measures[place].counts)


def shown_score(verdict: Verdict) -> float:
    """Return the score, or the baseline if they differ by rounding only: a tie looks like one."""
    return verdict.baseline if verdict.margin == 0 else verdict.score


def matrices(report: Report) -> tuple[Matrix, ...]:
    """Return the groups of each model."""
    too_small = frozenset(report.too_small)
    of_model: dict[str, list[Verdict]] = {}
    for verdict in report:
        if verdict.group is not None:
            of_model.setdefault(verdict.model, []).append(verdict)
    return tuple(_matrix(model, found, too_small) for model, found in of_model.items())


def _matrix(model: str, found: list[Verdict], too_small: frozenset[Performance]) -> Matrix:
    # Measures that show nothing come last, as elsewhere.
    tell = {verdict.measure for verdict in found if verdict.informative}
    first = {verdict.measure: verdict for verdict in reversed(found)}
    order = dict.fromkeys(verdict.measure for verdict in found)
    measures = sorted(order, key=lambda measure: measure not in tell)
    by_group: dict[Performance, dict[str, Verdict]] = {}
    for verdict in found:
        by_group.setdefault(verdict.performance, {})[verdict.measure] = verdict
    rows = [
        GroupRow(performance, tuple(map(verdicts.get, measures)), performance in too_small)
        for performance, verdicts in by_group.items()
    ]
    rows.sort(key=lambda row: row.badness)
    return Matrix(model, tuple(first[measure] for measure in measures), tuple(rows))
