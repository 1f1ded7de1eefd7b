"""Strips: how far scores are from the best guess, and models from each other."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from baserate.evaluation.evaluate import compare
from baserate.exceptions import InvalidReportError
from baserate.formatting import confidence
from baserate.plots.display import Display, DisplayOfReport, legend, literal, points, short_name
from baserate.report import Comparison, Report
from baserate.report.document import GUESS_AT, PERFECT_AT
from baserate.verdicts.verdict import Significance, Verdict

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

    from baserate.report.document import Cell, Column, Document, Table
    from baserate.verdicts.verdict import Difference

# The rows that stand above and below a block of columns.
_ABOVE, _BELOW = 0.9, 1.3
# Inches of a letter, of a strip among several and alone, of gaps, and of what is above all.
_LETTER, _STRIP, _ALONE, _GAP, _LEGEND = 0.076, 1.1, 2.6, 0.12, 0.5
# Inches of a row, and the smallest and the largest font in points.
_ROW, _FONT = 0.3, (4, 9)
_INK, _SOFT, _ZONE = "#14181f", "#4f5966", "#e9ecf0"
# The colour and the marker of each mark: never colour alone.
_STYLES = {"✓": ("#00766a", "o"), "~": ("#8a5600", "o"), "✗": ("#b3261e", "X")}


class _Layout(NamedTuple):
    """Tables of strips, one below another; lengths are in inches, heights in rows."""

    tables: tuple[Table, ...]
    # The name of each row, with that of its table if it has a title; and where each table begins.
    names: list[str]
    tops: list[float]
    # The most strips side by side; the width of their numbers, of a strip, and of all of them.
    across: int
    number: float
    strip: float
    width: float
    height: float

    @classmethod
    def of(cls, tables: tuple[Table, ...]) -> _Layout:
        names, tops, height, longest = [], [], 0.0, 0
        for table in tables:
            whose = f", {table.title}" if table.title else ""
            for name, *cells in (row.cells for row in table.rows):
                beside = f" ({name.small})" if name.small else ""
                names.append(f"{short_name(f'{name.text}{whose}')}{literal(beside)}")
                longest = max(longest, *(len(cell.text) for cell in cells))
            tops.append(height + _ABOVE)
            height += len(table.rows) + _ABOVE + _BELOW
        across = max(len(table.columns) for table in tables) - 1
        number, strip = _LETTER * longest, _ALONE if across == 1 else _STRIP
        width = across * (number + strip + 2 * _GAP)
        return cls(tables, names, tops, across, number, strip, width, height)

    @property
    def size(self) -> tuple[float, float]:
        """The size of a figure with room for all."""
        names = _LETTER * max(map(len, self.names))
        return names + self.width, _LEGEND + self.height * _ROW

    def at(self, x: float, percent: float) -> float:
        """Return where a place on a strip is."""
        return x + self.strip * percent / 100


class _StripsDisplay(Display):
    texts_: list[Text]
    lines_: list[Line2D]
    intervals_: LineCollection
    # What the bar is the confidence interval of.
    _interval_of: ClassVar[str]

    @property
    @abstractmethod
    def _shown(self) -> Any:
        """The report or the comparison."""

    def frame(self, backend: str = "pandas") -> Any:
        """Return the verdicts or differences as a data frame; see `Report.to_frame`."""
        return self._shown.to_frame(backend)

    @cached_property
    def _document(self) -> Document:
        document: Document = self._shown.document()
        cells = [cell for table in document.strips for row in table.rows for cell in row.cells]
        if document.kind == "difference" and not any(cell.strip for cell in cells):
            raise InvalidReportError("a comparison must have a difference to draw (got none)")
        if not document.strips:
            raise InvalidReportError("a report must have an informative measure to draw (got none)")
        return document

    @cached_property
    def _layout(self) -> _Layout:
        return _Layout.of(self._document.strips)

    @property
    def _size(self) -> tuple[float, float]:
        return self._layout.size

    def _draw(self) -> None:
        ax, layout = self.ax_, self._layout
        room = zip(points(ax), layout.size, strict=True)
        font = float(np.clip(_FONT[1] * min(have / (72 * need) for have, need in room), *_FONT))
        placed: list[tuple[float, float, Cell]] = []
        for table, top in zip(layout.tables, layout.tops, strict=True):
            for place, column in enumerate(table.columns[1:]):
                x = layout.number + _GAP + place * layout.width / layout.across
                self._plot_column(x, top, column, len(table.rows), font)
                cells = [row.cells[place + 1] for row in table.rows]
                placed += [(x, top + at + 0.5, cell) for at, cell in enumerate(cells) if cell.text]
        self.texts_ = [
            ax.text(x - _GAP / 2, y, literal(cell.text.replace("-", "−")), ha="right", va="center",
                    fontsize=font)
            for x, y, cell in placed
        ]  # fmt: skip
        drawn = [(x, y, cell.mark, cell.strip) for x, y, cell in placed if cell.strip]
        bars = [(x, y, mark, strip) for x, y, mark, strip in drawn if not math.isnan(strip.low)]
        self.intervals_ = ax.hlines(
            [y for _, y, *_ in bars],
            [layout.at(x, strip.low) for x, *_, strip in bars],
            [layout.at(x, strip.high) for x, *_, strip in bars],
            colors=[_STYLES[mark][0] for *_, mark, _ in bars],
            alpha=0.45,
            linewidth=0.4 * font,
            zorder=2,
        )
        self.lines_ = []
        for sign, words, _ in self._document.key:
            colour, marker = _STYLES[sign]
            dots = [(layout.at(x, strip.at), y) for x, y, mark, strip in drawn if mark == sign]
            if dots:
                self.lines_ += ax.plot(
                    *zip(*dots, strict=True),
                    marker,
                    color=colour,
                    markerfacecolor="white" if sign == "~" else colour,
                    markersize=0.7 * font,
                    label=literal(words),
                    zorder=3,
                )
        rows = [top + at + 0.5 for top, table in zip(layout.tops, layout.tables, strict=True)
                for at in range(len(table.rows))]  # fmt: skip
        ax.set_yticks(rows, layout.names, fontsize=font)
        ax.set_xticks([])
        ax.tick_params(length=0)
        ax.set(xlim=(0, layout.width), ylim=(layout.height, 0))
        ax.spines[:].set_visible(False)
        level = confidence(self._shown.alpha)
        legend(ax, title=f"bar: {level} CI of the {self._interval_of}")

    def _plot_column(self, x: float, y: float, column: Column, rows: int, font: float) -> None:
        """Draw what is behind the scores: the zone of guesses, its line, and what they mean."""
        ax, layout = self.ax_, self._layout
        line = layout.at(x, GUESS_AT)
        ax.fill_between([x, line], y, y + rows, color=_ZONE, linewidth=0, zorder=0)
        ax.hlines(y + np.arange(rows) + 0.5, x, x + layout.strip, colors=_ZONE, linewidth=0.8)
        ax.vlines(line, y, y + rows, colors=_INK, linewidth=1.2, zorder=1)
        title = short_name(column.title) if layout.across > 1 else ""
        ax.text(x, y - 0.2, title, fontsize=font, weight="bold", va="bottom")
        numbers = column.ends or ("", "")
        for percent, number, word in zip(
            (GUESS_AT, PERFECT_AT), numbers, self._document.ends, strict=True
        ):
            text = literal(f"{number}\n{short_name(word)}".lstrip("\n"))
            at = layout.at(x, percent), y + rows + 0.1
            ax.text(*at, text, fontsize=0.8 * font, color=_SOFT, ha="center", va="top")


@dataclass(eq=False, repr=False)
class ReportDisplay(_StripsDisplay, DisplayOfReport):
    """How far scores are from the best guess, and how far from perfect: a strip per score.

    Every strip has the best guess and a perfect score at the same places. The dot is the score, and
    the bar is the confidence interval of its margin over the best guess: does it cross the line? A
    row is a model and a column is a measure; of a single model, every measure is a row. Make it
    with ``report.plot()``, `from_estimator` or `from_predictions`.

    Parameters
    ----------
    report
        The result of `evaluate`.

    Attributes
    ----------
    texts_, lines_, intervals_
        The scores, their marks (one line for each kind of outcome), and the bars.

    Examples
    --------
    >>> import baserate as br
    >>> tree, knn = br.ConfusionMatrix(tp=9, fp=4, fn=7, tn=11), br.ConfusionMatrix(fn=16, tn=15)
    >>> tables = {"tree": tree, "knn": knn}
    >>> display = br.evaluate(None, tables, ["F1", "ACC", "MCC"]).plot()
    >>> [text.get_text() for text in display.texts_]
    ['0.621', '–', '0.645', '0.484', '0.300', '–']
    """

    report: Report

    _interval_of = "margin"

    @classmethod
    def _of(cls, report: Report, measure: Any) -> Self:  # noqa: ARG003
        return cls(report)

    @property
    def _shown(self) -> Report:
        return self.report


@dataclass(eq=False, repr=False)
class ComparisonDisplay(_StripsDisplay):
    """How far models are apart: a dot and a confidence interval for each difference.

    A row is two models and a column is a measure. Make it with ``comparison.plot()``,
    `from_estimator` or `from_predictions`.

    Parameters
    ----------
    comparison
        The result of `compare`. The whole test set and every group are drawn.

    Attributes
    ----------
    texts_, lines_, intervals_
        The differences, their marks (one line for each kind of outcome), and the bars.

    Examples
    --------
    >>> import baserate as br
    >>> y_true = [1] * 20 + [0] * 20
    >>> models = {"tree": [1] * 10 + [0] * 30, "forest": [1] * 18 + [0] * 22}
    >>> display = br.compare(y_true, models, "ACC").plot()
    >>> print(display.texts_[0].get_text())
    +0.200
    """

    comparison: Comparison
    _interval_of = "difference"

    @classmethod
    def _computed(cls, y_true: Any, y_pred: Any, measure: Any, name: Any, **options: Any) -> Self:  # noqa: ARG003
        return cls(compare(y_true, y_pred, measure, **options))

    @property
    def _shown(self) -> Comparison:
        return self.comparison


def display_of_one(
    judged: Verdict | Difference, ax: Axes | None = None
) -> ReportDisplay | ComparisonDisplay:
    """Draw a verdict or a difference alone."""
    level = Significance(judged.alpha)
    if isinstance(judged, Verdict):
        return Report((judged,), significance=level).plot(ax=ax)
    return Comparison((judged,), significance=level).plot(ax=ax)
