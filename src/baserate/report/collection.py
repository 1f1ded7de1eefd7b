"""The report: a frozen collection of verdicts, to query and to write."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from baserate.exceptions import NotInReportError
from baserate.formatting import shown
from baserate.report import records
from baserate.report.looking import Collected, absent, looked_up
from baserate.verdicts.reach import shows_nothing
from baserate.verdicts.verdict import Outcome, Standard

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    from baserate.data.groups import Group
    from baserate.plots.strips import ReportDisplay
    from baserate.report.document import Document
    from baserate.verdicts.verdict import Performance, Verdict


@dataclass(frozen=True, repr=False)
class Report(Collected["Verdict"]):
    """What the scores of one or more models are worth: one verdict per model, group and measure.

    It shows as a table in a terminal and as HTML in a notebook. Iterate over its verdicts; take a
    part, which is a report again (``report["tree"]``, ``report.measure("F1")``,
    ``report.group("north")``, ``report.failures``); or take one verdict (``report["tree", "F1"]``).

    Parameters
    ----------
    verdicts
        The verdicts: model by model, the whole test set first and then its groups.
    by
        The name of the grouping, if it has one.
    dropped
        How many observations were dropped because of a missing value.
    standard
        The evidence that a claim needed: alpha, the adjustment and the number of tries.

    Examples
    --------
    >>> import baserate as br
    >>> tables = {"tree": br.Confusion(tp=9, fp=4, fn=7, tn=11), "knn": br.Confusion(fn=16, tn=15)}
    >>> report = br.evaluate(None, tables, ["F1", "ACC", "MCC"])
    >>> print(report)
    ~ Neither model clearly beats guessing; tree is ahead, but these 31 rows cannot
      show it.
      31 observations, 16 positive (51.6%). A guess is a prediction that never looks
      at its input.
    <BLANKLINE>
                     F1  Accuracy      MCC  p-value
    best guess    0.681     0.516    0.000
    tree        ✗ 0.621   ~ 0.645  ~ 0.300     0.10
    knn             ✗ –   ✗ 0.484      ✗ –     1.00
    <BLANKLINE>
    F1                        best guess          perfect   margin, interval
    tree                  ━━━━━✗━━━│━━━━━━━━━━━         ┊  -0.060 (-0.326 to 0.164)
    <BLANKLINE>
    ✗ tree, F1: no better than guessing (p = 0.10).
    ✗ knn: predicts no positives.
    ~ tree, accuracy and MCC: ahead, but the intervals include 0. About 180 more
      rows would settle it, if the margin stays as it is.
    · Best guesses: everyone positive (F1 and accuracy), any guess (MCC).
    · Each of 4 claims is tested at the 5% level; adjust="holm" would adjust for
      their number.
    <BLANKLINE>
    ✓ beats guessing   ~ unsure   ✗ no better   (more: to_html)
    """

    verdicts: tuple[Verdict, ...]
    by: str | None = None
    dropped: int = 0
    standard: Standard = field(default_factory=Standard)

    form = records.REPORT
    indexed = ("model", "measure", "group")

    @overload
    def __getitem__(self, key: str) -> Report: ...
    @overload
    def __getitem__(self, key: tuple[str, str] | tuple[str, str, Group]) -> Verdict: ...
    def __getitem__(self, key: str | tuple[Any, ...]) -> Report | Verdict:
        if isinstance(key, str):
            return self._part("model", key)
        if not isinstance(key, tuple) or len(key) not in (2, 3):
            raise NotInReportError(
                "a report is asked for a model, report['tree'], or for a verdict, "
                f"report['tree', 'F1'] or report['tree', 'F1', group] (got {shown(key)})"
            )
        model, measure, group = (*key, None)[:3]
        measure = self._measure_key(measure)
        found = looked_up(self._index, (model, measure, group))
        if found is None:  # report what is missing: the model, the measure or the group
            self[model].measure(measure)
            raise absent("group", group, self.groups)
        return found

    @property
    def failures(self) -> Report:
        """The verdicts that are no better than the baseline, and could have been."""
        return self._where(lambda verdict: verdict.fails)

    @property
    def findings(self) -> Report:
        """The verdicts on groups that fail although the model beats the baseline overall.

        Groups that are too small to show anything are left out.
        """
        cleared = {(v.model, v.measure) for v in self.overall if v.outcome is Outcome.CLEARS}
        small = frozenset(self.too_small)
        return self._where(
            lambda verdict: (
                verdict.group is not None
                and verdict.fails
                and verdict.performance not in small
                and (verdict.model, verdict.measure) in cleared
            )
        )

    @cached_property
    def too_small(self) -> tuple[Performance, ...]:
        """The performances where even a prediction without errors would be no evidence."""
        return tuple(
            performance
            for performance in self.performances
            if shows_nothing(performance, self.standard)
        )

    @property
    def performances(self) -> tuple[Performance, ...]:
        """The performance of each model, as a whole and in each group."""
        return tuple(self.by_performance)

    @cached_property
    def by_performance(self) -> dict[Performance, list[Verdict]]:
        """The verdicts on each performance."""
        found: dict[Performance, list[Verdict]] = {}
        for verdict in self.verdicts:
            found.setdefault(verdict.performance, []).append(verdict)
        return found

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models."""
        return tuple(self._parts["model"])

    def plot(self, *, ax: Axes | None = None) -> ReportDisplay:
        """Draw how far scores are from the best guess: a strip for each model and measure.

        Parameters
        ----------
        ax
            Where to draw; by default a new figure with room for all strips.

        Returns
        -------
        baserate.plots.ReportDisplay
            With the axes, ``ax_``, and the ``figure_``.
        """
        from baserate.plots.strips import ReportDisplay

        return ReportDisplay.from_report(self, ax=ax)

    def document(self) -> Document:
        """Return all that is said of it, which renderers format."""
        from baserate.report.verdict_document import report_document

        return report_document(self)

    def _where(self, condition: Callable[[Verdict], bool]) -> Report:
        return self._of(filter(condition, self.verdicts))

    @cached_property
    def _index(self) -> dict[tuple[str, str, Group | None], Verdict]:
        """Each verdict, keyed by model, measure and group; the first one of duplicates."""
        return {(v.model, v.measure, v.group): v for v in reversed(self.verdicts)}
