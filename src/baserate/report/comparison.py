"""The comparison: a frozen collection of differences, to query and to write."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from baserate.exceptions import NotInReportError
from baserate.formatting import shown
from baserate.report import records
from baserate.report.looking import Collected, absent, looked_up
from baserate.verdicts.verdict import Standard

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from baserate.data.groups import Group
    from baserate.plots.strips import ComparisonDisplay
    from baserate.report.document import Document
    from baserate.verdicts.verdict import Difference, Pair


@dataclass(frozen=True, repr=False)
class Comparison(Collected["Difference"]):
    """Whether models are better than one another: one difference per pair, group and measure.

    It shows as sentences in a terminal and as HTML in a notebook. Iterate over its differences;
    take a part, which is a comparison again (``comparison["tree", "forest"]``,
    ``comparison.measure("F1")``, ``comparison.group("north")``); or take one difference
    (``comparison["tree", "forest", "F1"]``).

    Parameters
    ----------
    differences
        The differences: pair by pair, the whole test set first and then its groups.
    by
        The name of the grouping, if it has one.
    dropped
        How many observations were dropped because of a missing value.
    standard
        The evidence that a claim needed: alpha and the adjustment.

    Examples
    --------
    >>> import baserate as br
    >>> y_true = [1] * 20 + [0] * 20
    >>> tree, forest = [1] * 10 + [0] * 30, [1] * 18 + [0] * 22
    >>> comparison = br.compare(y_true, {"tree": tree, "forest": forest}, ["ACC", "PPV"])
    >>> print(comparison)
    ~ forest is better than tree by accuracy.
      Accuracy 0.950 and 0.750, a difference of +0.200 (95% interval 0.045 to 0.356;
      p = 0.008).
      40 observations, 20 positive (50.0%).
    <BLANKLINE>
                                        Best
                      forest     tree  guess  Difference     95% interval  p-value
    Accuracy         ✓ 0.950  ✗ 0.750  0.500      +0.200   0.045 to 0.356    0.008
    Precision (PPV)  ~ 1.000  ~ 1.000  0.500       0.000  -0.183 to 0.317     1.00
    <BLANKLINE>
    ✓ better   ~ no difference shown   ✗ worse   (more: to_html)
    """

    differences: tuple[Difference, ...]
    by: str | None = None
    dropped: int = 0
    standard: Standard = field(default_factory=Standard)

    form = records.COMPARISON
    indexed = ("measure", "group")

    @overload
    def __getitem__(self, key: tuple[str, str]) -> Comparison: ...
    @overload
    def __getitem__(
        self, key: tuple[str, str, str] | tuple[str, str, str, Group]
    ) -> Difference: ...
    def __getitem__(self, key: tuple[Any, ...]) -> Comparison | Difference:
        if not isinstance(key, tuple) or len(key) not in (2, 3, 4):
            raise NotInReportError(
                "a comparison is asked for a pair, comparison['tree', 'forest'], or for a "
                "difference, comparison['tree', 'forest', 'F1'] or comparison['tree', 'forest', "
                f"'F1', group] (got {shown(key)})"
            )
        first, second, *rest = key
        part = looked_up(self._index, (first, second))
        if part is None:
            raise absent("pair", (first, second), self._index, "comparison")
        if not rest:
            return self._of(part.values())
        measure, group = (*rest, None)[:2]
        found = looked_up(part, (self._measure_key(measure), group))
        if found is None:  # report what is missing: the measure or the group
            self.measure(measure)
            raise absent("group", group, self.groups, "comparison")
        return found

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The two models of each comparison, as a whole and in each group."""
        return tuple(dict.fromkeys(each.pair for each in self))

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models."""
        return tuple(dict.fromkeys(name for each in self for name in (each.first, each.second)))

    def plot(self, *, ax: Axes | None = None) -> ComparisonDisplay:
        """Draw each difference with its interval, beside zero.

        Parameters
        ----------
        ax
            Where to draw; by default a new figure with room for all rows.

        Returns
        -------
        ComparisonDisplay
            With the axes, ``ax_``, and the ``figure_``.
        """
        from baserate.plots.strips import ComparisonDisplay

        return ComparisonDisplay(self).plot(ax)

    def document(self) -> Document:
        """Return all that is said of it, which renderers format."""
        from baserate.report.comparison_document import comparison_document

        return comparison_document(self)

    @cached_property
    def _index(self) -> dict[tuple[str, str], dict[tuple[str, Group | None], Difference]]:
        """The differences of each pair, keyed by measure and group."""
        index: dict[tuple[str, str], dict[tuple[str, Group | None], Difference]] = {}
        for each in self:
            of_pair = index.setdefault((each.first, each.second), {})
            of_pair.setdefault((each.measure, each.group), each)
        return index
