"""Draw differences between models with their intervals, beside zero."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.exceptions import InvalidReportError
from baserate.support.formatting import confidence, p_equals
from baserate.support.plotting import BASELINE, axes_of, literal, short_name
from baserate.verdicts.wording import group_name

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

    from baserate.report.comparison import Comparison
    from baserate.verdicts.difference import Difference

# With evidence and without, in colours that are distinguishable with any colour vision.
EVIDENCE, NO_EVIDENCE = "#0072B2", "#7f7f7f"
# Inches of a row, of what stands above and below all rows, and of the width.
_ROW, _AROUND, _WIDTH = 0.34, 1.3, 7.5


@dataclass(eq=False, repr=False)
class DrawnComparison:
    """How far models are apart: a dot and an interval for each difference, and a line at zero.

    A coloured dot is a difference for which there is evidence. Make it with ``comparison.plot()``;
    `baserate.DifferenceDisplay` is the same, and takes predictions and estimators too.

    Parameters
    ----------
    comparison
        The result of `compare`. The display shows the whole test set and every group.

    Attributes
    ----------
    ax_, figure_
        Where the display was drawn.
    dots_, intervals_, zero_, texts_
        The differences, their intervals, the line at zero, and the p-values on the right.
    """

    comparison: Comparison
    ax_: Axes = field(init=False)
    figure_: Figure = field(init=False)
    dots_: list[Line2D] = field(init=False)
    intervals_: LineCollection = field(init=False)
    zero_: Line2D = field(init=False)
    texts_: list[Text] = field(init=False)

    @classmethod
    def from_comparison(cls, comparison: Comparison, *, ax: Axes | None = None) -> Self:
        """Draw a comparison.

        Parameters
        ----------
        comparison
            The result of `compare`.
        ax
            Where to draw; by default a new figure with room for all rows.
        """
        return cls(comparison).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax
            Where to draw; by default a new figure with room for all rows.
        """
        shown = [each for each in self.comparison if not math.isnan(each.difference)]
        if not shown:
            raise InvalidReportError("a comparison must have a difference to draw (got none)")
        self.ax_ = ax = axes_of(ax, (_WIDTH, _AROUND + _ROW * len(shown)))
        self.figure_ = ax.figure  # type: ignore[assignment]
        rows = np.arange(len(shown))
        colours = [_colour(each) for each in shown]
        self.zero_ = ax.axvline(0, color=BASELINE, linewidth=1, zorder=1)
        ends = [(each.low, each.high) for each in shown]
        low, high = zip(*ends, strict=True)
        self.intervals_ = ax.hlines(rows, low, high, colors=colours, linewidth=2, zorder=2)
        self.dots_ = [
            ax.plot(each.difference, row, "o", color=colour, zorder=3)[0]
            for row, each, colour in zip(rows, shown, colours, strict=True)
        ]
        self.texts_ = [self._text(row, each) for row, each in enumerate(shown)]
        self._label(rows.tolist(), shown)
        return self

    def frame(self, backend: str = "pandas") -> Any:
        """Return the differences as a data frame.

        Parameters
        ----------
        backend
            ``"pandas"``, ``"polars"``, ``"pyarrow"`` or another library that narwhals supports.
        """
        return self.comparison.to_frame(backend)

    def _text(self, row: int, difference: Difference) -> Text:
        return self.ax_.annotate(
            p_equals(difference.p_adjusted, exact=difference.exact, floor=difference.p_floor),
            (1.02, row),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize="small",
            annotation_clip=False,
        )

    def _label(self, rows: Sequence[int], shown: Sequence[Difference]) -> None:
        ax, by = self.ax_, self.comparison.by
        ax.set_yticks(rows, [_name(each, by) for each in shown])
        ax.set_ylim(len(rows) - 0.5, -0.5)
        p = "p" if self.comparison.standard.adjust is None else "adjusted p"
        ends = f"{confidence(self.comparison.alpha)} intervals, {p} on the right"
        ax.set_xlabel(f"difference of scores\n{ends}")
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(alpha=0.3, linewidth=0.5, axis="x")
        ax.set_axisbelow(True)


def _colour(difference: Difference) -> str:
    return NO_EVIDENCE if difference.winner is None else EVIDENCE


def _name(difference: Difference, by: str | None) -> str:
    models = f"{short_name(difference.first)} − {short_name(difference.second)}"
    group = "" if difference.group is None else f", {literal(group_name(difference.group, by))}"
    return f"{models}{group}: {short_name(difference.measure)} {difference.direction.arrow}"
