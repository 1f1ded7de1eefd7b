"""Strips: how far scores are from the best guess, and models from each other."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.evaluation.compare import compare
from baserate.exceptions import InvalidReportError
from baserate.formatting import confidence, number_format, p_equals
from baserate.plots.axes import legend, literal, points, short_name
from baserate.plots.display import Display, DisplayOfReport
from baserate.verdicts.difference import Better
from baserate.verdicts.outcome import Outcome
from baserate.verdicts.wording import group_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

    from baserate.report import Report
    from baserate.report.comparison import Comparison
    from baserate.verdicts.difference import Difference
    from baserate.verdicts.verdict import Verdict

# Where the best guess and a perfect score are on a strip, from 0 to 1.
_GUESS, _PERFECT = 0.3, 0.97
# At most so many columns side by side; the rows that stand above and below a block of them.
_ACROSS, _ABOVE, _BELOW = 6, 0.9, 1.3
# Inches of a letter, of a strip among several and alone, of gaps, and of what is above all.
_LETTER, _STRIP, _ALONE, _GAP, _LEGEND = 0.076, 1.1, 2.6, 0.12, 0.5
# The smallest and the largest font, in points.
_FONT = (4, 9)
_INK, _SOFT, _ZONE = "#14181f", "#4f5966", "#e9ecf0"
# The colour and the marker of what is better, unsure, and no better: never colour alone.
_STYLES = (("#00766a", "o"), ("#8a5600", "o"), ("#b3261e", "X"))
_BETTER, _UNSURE, _NO_BETTER = range(3)


class _Cell(NamedTuple):
    """A score: its text, its style, and where its interval ends, with the score between."""

    text: str
    style: int
    low: float
    place: float
    high: float


class _Column(NamedTuple):
    """What stands above a column of strips, where its line is, and what stands below."""

    label: str
    line: float
    marks: Sequence[tuple[float, str]]


@dataclass(frozen=True)
class _Strips:
    """A table of strips, in blocks of a few columns; lengths are in inches, heights in rows."""

    rows: Sequence[str]
    columns: Sequence[_Column]
    cells: Sequence[Sequence[_Cell | None]]
    legend: tuple[str, str, str]
    title: str

    @cached_property
    def texts(self) -> list[list[str]]:
        """The lines of the text in each cell."""
        return [cell.text.splitlines() for row in self.cells for cell in row if cell is not None]

    @cached_property
    def number(self) -> float:
        """The width of the texts in the cells."""
        return _LETTER * max(len(line) for lines in self.texts for line in lines)

    @property
    def strip(self) -> float:
        """The width of a strip."""
        return _ALONE if len(self.columns) == 1 else _STRIP

    @property
    def blocks(self) -> int:
        """How many blocks of columns there are."""
        return math.ceil(len(self.columns) / _ACROSS)

    @property
    def block(self) -> float:
        """The height of a block."""
        return len(self.rows) + _ABOVE + _BELOW

    @property
    def width(self) -> float:
        """The width of a block."""
        return min(len(self.columns), _ACROSS) * (self.number + self.strip + 2 * _GAP)

    @property
    def size(self) -> tuple[float, float]:
        """The size of a figure with room for all."""
        row = 0.17 + 0.13 * max(map(len, self.texts))
        names = _LETTER * max(map(len, self.rows))
        return names + self.width, _LEGEND + self.blocks * self.block * row

    def corner(self, column: int) -> tuple[float, float]:
        """Return where the first strip of a column begins."""
        block, place = divmod(column, _ACROSS)
        left = place * (self.number + self.strip + 2 * _GAP) + self.number + _GAP
        return left, block * self.block + _ABOVE

    def at(self, x: float, place: float) -> float:
        """Return where a place on a strip is."""
        return x + self.strip * min(max(place, 0.0), 1.0)


class _StripsDisplay(Display):
    texts_: list[Text]
    lines_: list[Line2D]
    intervals_: LineCollection

    @property
    @abstractmethod
    def _strips(self) -> _Strips: ...

    @property
    def _size(self) -> tuple[float, float]:
        return self._strips.size

    def _draw(self) -> None:
        ax, strips = self.ax_, self._strips
        room = zip(points(ax), strips.size, strict=True)
        font = float(np.clip(_FONT[1] * min(have / (72 * need) for have, need in room), *_FONT))
        for column, each in enumerate(strips.columns):
            self._plot_column(*strips.corner(column), each, strips, font)
        placed = [
            (x, y + row + 0.5, cell)
            for row, cells in enumerate(strips.cells)
            for (x, y), cell in zip(map(strips.corner, range(len(cells))), cells, strict=True)
            if cell is not None
        ]
        self.texts_ = [
            ax.text(x - _GAP / 2, y, cell.text, ha="right", va="center", fontsize=font)
            for x, y, cell in placed
        ]
        self.intervals_ = ax.hlines(
            [y for _, y, _ in placed],
            [strips.at(x, cell.low) for x, _, cell in placed],
            [strips.at(x, cell.high) for x, _, cell in placed],
            colors=[_STYLES[cell.style][0] for *_, cell in placed],
            alpha=0.45,
            linewidth=0.4 * font,
            zorder=2,
        )
        self.lines_ = []
        for style, (colour, marker) in enumerate(_STYLES):
            of_style = [
                (strips.at(x, cell.place), y)
                for x, y, cell in placed
                if cell.style == style and not math.isnan(cell.place)
            ]
            if of_style:
                self.lines_ += ax.plot(
                    *zip(*of_style, strict=True),
                    marker,
                    color=colour,
                    markerfacecolor="white" if style == _UNSURE else colour,
                    markersize=0.7 * font,
                    label=strips.legend[style],
                    zorder=3,
                )
        tops = [strips.corner(block * _ACROSS)[1] + 0.5 for block in range(strips.blocks)]
        places = [top + row for top in tops for row in range(len(strips.rows))]
        ax.set_yticks(places, [*strips.rows] * strips.blocks, fontsize=font)
        ax.set_xticks([])
        ax.tick_params(length=0)
        ax.set(xlim=(0, strips.width), ylim=(strips.blocks * strips.block, 0))
        ax.spines[:].set_visible(False)
        legend(ax, title=strips.title)

    def _plot_column(
        self, x: float, y: float, column: _Column, strips: _Strips, font: float
    ) -> None:
        """Draw what is behind the scores: the zone of guesses, its line, and what they mean."""
        ax, line, rows = self.ax_, strips.at(x, column.line), len(strips.rows)
        ax.fill_between([x, line], y, y + rows, color=_ZONE, linewidth=0, zorder=0)
        ax.hlines(y + np.arange(rows) + 0.5, x, x + strips.strip, colors=_ZONE, linewidth=0.8)
        ax.vlines(line, y, y + rows, colors=_INK, linewidth=1.2, zorder=1)
        ax.text(x, y - 0.2, column.label, fontsize=font, weight="bold", va="bottom")
        for place, text in column.marks:
            at = strips.at(x, place), y + rows + 0.1
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
    >>> tables = {"tree": br.Confusion(tp=9, fp=4, fn=7, tn=11), "knn": br.Confusion(fn=16, tn=15)}
    >>> display = br.evaluate(None, tables, ["F1", "ACC", "MCC"]).plot()
    >>> [text.get_text() for text in display.texts_]
    ['0.621', '0.645', '0.300', '–', '0.484', '–']
    """

    report: Report

    @classmethod
    def _of(cls, report: Report, measure: Any) -> Self:  # noqa: ARG003
        return cls(report)

    def frame(self, backend: str = "pandas") -> Any:
        """Return the verdicts as a data frame; see `Report.to_frame`."""
        return self.report.to_frame(backend)

    @property
    def _strips(self) -> _Strips:
        shown = [each for each in self.report if each.informative]
        if not shown:
            raise InvalidReportError("a report must have an informative measure to draw (got none)")
        table = _table(shown, lambda verdict: (verdict.model, verdict.group))
        rows = [_row_name(*key, self.report.by) for key in table.rows]
        columns = [_score_column(verdicts) for verdicts in table.columns]
        cells = [[each and _score_cell(each) for each in row] for row in table.cells]
        beaten = shown[0].performance.against or "the best guess"
        words = f"beats {beaten}", "unsure: the bar crosses the line", f"no better than {beaten}"
        title = f"bar: {confidence(self.report.alpha)} confidence interval of the margin"
        if len(rows) == 1:  # a row for each measure
            marks = [(_GUESS, beaten.removeprefix("the ")), (_PERFECT, "perfect")]
            (columns, rows) = (
                [_Column(rows[0], _GUESS, marks)],
                [f"{label} (best guess {below[0][1].split()[0]})" for label, _, below in columns],
            )
            cells = [[cell] for cell in cells[0]]
        return _Strips(rows, columns, cells, words, title)


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
        The differences with their p-values, their marks (one line for each kind of outcome), and
        the bars.

    Examples
    --------
    >>> import baserate as br
    >>> y_true = [1] * 20 + [0] * 20
    >>> models = {"tree": [1] * 10 + [0] * 30, "forest": [1] * 18 + [0] * 22}
    >>> display = br.compare(y_true, models, "ACC").plot()
    >>> print(display.texts_[0].get_text())
    −0.200
    p = 0.008
    """

    comparison: Comparison

    @classmethod
    def _computed(cls, y_true: Any, y_pred: Any, measure: Any, name: Any, **options: Any) -> Self:  # noqa: ARG003
        return cls(compare(y_true, y_pred, measure, **options))

    def frame(self, backend: str = "pandas") -> Any:
        """Return the differences as a data frame; see `Comparison.to_frame`."""
        return self.comparison.to_frame(backend)

    @property
    def _strips(self) -> _Strips:
        shown = [each for each in self.comparison if not math.isnan(each.difference)]
        if not shown:
            raise InvalidReportError("a comparison must have a difference to draw (got none)")
        table = _table(shown, lambda each: (f"{each.first} − {each.second}", each.group))
        ends = [_ends(differences) for differences in table.columns]
        cells = [
            [each and _difference_cell(each, *end) for each, end in zip(row, ends, strict=True)]
            for row in table.cells
        ]
        columns = [
            _Column(_label(found[0]), _share(0, *end), [(_share(0, *end), "0\nno difference")])
            for found, end in zip(table.columns, ends, strict=True)
        ]
        rows = [_row_name(*key, self.comparison.by) for key in table.rows]
        p = "p" if self.comparison.standard.adjust is None else "adjusted p"
        title = f"difference, {p}, {confidence(self.comparison.alpha)} confidence interval"
        words = "the first is better", "too close to call", "the second is better"
        return _Strips(rows, columns, cells, words, title)


class _Table(NamedTuple):
    """Verdicts or differences in rows, and by measure in columns."""

    rows: Sequence[tuple[str, Any]]
    columns: Sequence[Sequence[Any]]
    cells: Sequence[Sequence[Any]]


def _table(found: Sequence[Any], key: Callable[[Any], tuple[str, Any]]) -> _Table:
    places = {(key(each), each.measure): each for each in found}
    rows = list(dict.fromkeys(row for row, _ in places))
    measures = list(dict.fromkeys(measure for _, measure in places))
    columns = [[each for each in found if each.measure == measure] for measure in measures]
    return _Table(rows, columns, [[places.get((row, each)) for each in measures] for row in rows])


def _row_name(name: str, group: Any, by: str | None) -> str:
    beside = "" if group is None else f", {literal(group_name(group, by))}"
    return f"{short_name(name)}{beside}"


def _label(found: Verdict | Difference) -> str:
    return f"{short_name(found.measure)} {found.direction.arrow}"


def _score_column(verdicts: Sequence[Verdict]) -> _Column:
    """Return the column of a measure; groups may have best guesses of their own."""
    first = verdicts[0]
    write = number_format([first.baseline, first.perfect], counted=first.counts)
    baselines, perfect = ({each.baseline for each in verdicts}, {each.perfect for each in verdicts})
    words = "best guess" if first.performance.against is None else first.performance.against
    marks = [
        (_GUESS, f"{write(first.baseline) if len(baselines) == 1 else ''}\n{short_name(words)}"),
        (_PERFECT, f"{write(first.perfect) if len(perfect) == 1 else ''}\nperfect"),
    ]
    return _Column(_label(first), _GUESS, marks)


def _score_cell(verdict: Verdict) -> _Cell:
    """Return the strip of a score, on which margins are shares of the way to a perfect one."""
    write = number_format([verdict.score, verdict.baseline], counted=verdict.counts)
    way = (abs(verdict.perfect - verdict.baseline) or 1.0) / (_PERFECT - _GUESS)
    margins = verdict.margin_low, verdict.margin, verdict.margin_high
    better = _UNSURE if verdict.outcome is Outcome.UNSURE else _BETTER
    style = _NO_BETTER if verdict.fails else better
    return _Cell(write(verdict.score), style, *(_GUESS + margin / way for margin in margins))


def _ends(differences: Sequence[Difference]) -> tuple[float, float]:
    """Return the ends of a strip of differences: all intervals and zero are within."""
    found = [0.0, *(end for each in differences for end in (each.low, each.high, each.difference))]
    known = [each for each in found if math.isfinite(each)]
    low, high = min(known), max(known)
    room = 0.04 * (high - low) or 1.0
    return low - room, high + room


def _share(value: float, low: float, high: float) -> float:
    return (value - low) / (high - low)


def _difference_cell(difference: Difference, *ends: float) -> _Cell:
    write = number_format([difference.difference], counted=difference.counts)
    sign = "−" if difference.difference < 0 else "+"
    p = p_equals(difference.p_adjusted, exact=difference.exact, floor=difference.p_floor)
    style = {Better.FIRST: _BETTER, Better.SECOND: _NO_BETTER}.get(difference.outcome, _UNSURE)
    places = difference.low, difference.difference, difference.high
    text = f"{sign}{write(abs(difference.difference))}\n{p}"
    return _Cell(text, style, *(_share(each, *ends) for each in places))
