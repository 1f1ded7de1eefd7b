"""The report as the paper's figure: models next to both baselines, with failures marked."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from baserate.core.direction import Direction
from baserate.exceptions import InvalidPredictionsError, InvalidReportError
from baserate.harmless import printable
from baserate.report.panels import panels, shown_score
from baserate.support.formatting import in_words, number_format, p_equals
from baserate.support.plotting import BASELINE, axes_of, literal, points, short_name
from baserate.verdicts.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection, QuadMesh
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle
    from matplotlib.text import Text
    from numpy.typing import NDArray

    from baserate.report.collection import Report
    from baserate.verdicts.verdict import Performance, Verdict

    _Place = tuple[tuple[int, int], Verdict]

# Orange below the baseline, purple above: distinguishable with any colour vision.
_COLOURS = "PuOr"
# Beyond the range of scores, so that colours stay pale under black numbers.
_PALE = 1.6
_NO_COLOUR = "#eeeeee"
# The smallest and the largest font in points, the smallest for upright words, and the width of a
# letter relative to its size.
_FONT, _READABLE, _LETTER = (4, 10), 6, 0.62
# How many letters are between two headers.
_GAP = 2
# Inches of a cell, and of what stands around the cells.
_CELL, _AROUND = (0.95, 0.32), (1.2, 1.5)
# Where the number and the bar are in the height of a cell, and how far the bar may reach.
_NUMBER, _BAR, _REACH = 0.4, 0.84, 0.42
_LEGEND = (
    "bold: the {to_beat} to beat   {boxes}\n"
    "orange to purple: {rescaled}\n"
    "bar: its interval, with the {to_beat} in the middle of the cell{p}"
)


@dataclass(frozen=True)
class _PValue:
    """A p-value, whether it is exact, and the smallest that its method can tell."""

    value: float
    exact: bool = True
    floor: float | None = None

    @classmethod
    def of(cls, verdict: Verdict | None) -> _PValue:
        """Return the p-value of a verdict; none if there is no verdict."""
        if verdict is None:
            return cls(math.nan)
        return cls(verdict.p_adjusted, verdict.exact, verdict.p_floor)


@dataclass(frozen=True)
class _Row:
    """One measure: its baselines, and the verdict on each model.

    Parameters
    ----------
    verdicts
        The verdicts in the order of the panel's performances; None if there is none.
    """

    verdicts: tuple[Verdict | None, ...]

    @property
    def first(self) -> Verdict:
        """One of the verdicts, for the facts they share: the measure and its baselines."""
        return next(verdict for verdict in self.verdicts if verdict is not None)

    @property
    def label(self) -> str:
        """The measure and its direction."""
        return f"{printable(self.first.measure)} {self.first.direction.arrow}"

    @property
    def is_maximized(self) -> bool:
        """Whether the highest baseline is the one to beat; otherwise the lowest is."""
        return self.first.direction is Direction.MAXIMIZE

    @property
    def p_values(self) -> tuple[_PValue, ...]:
        """The p-value of each verdict; nan where there is none."""
        return tuple(map(_PValue.of, self.verdicts))

    @property
    def shares_p_values(self) -> bool:
        """Whether every p-value is that of the performance."""
        return all(verdict is None or verdict.shares_p_value for verdict in self.verdicts)

    @property
    def is_against(self) -> bool:
        """Whether scores are judged against another model."""
        return self.first.performance.against is not None

    @cached_property
    def marks(self) -> tuple[str, str]:
        """The lowest and the highest baseline; or the best and another model's score, formatted."""
        if self.is_against:
            return self.write(self.first.free), self.baseline
        return self.write(self.first.baseline_min), self.write(self.first.baseline_max)

    @property
    def to_beat(self) -> int:
        """Which of these is to be beaten."""
        return int(self.is_against or self.is_maximized)

    @property
    def baseline(self) -> str:
        """What is to be beaten, formatted."""
        return self.write(self.first.baseline)

    @cached_property
    def scores(self) -> tuple[str, ...]:
        """The scores, formatted; empty if there is none."""
        return tuple("" if v is None else self.write(shown_score(v)) for v in self.verdicts)

    @cached_property
    def write(self) -> Callable[[float], str]:
        """The format of the measure's numbers: counts have no decimals."""
        return number_format(self._numbers, counted=self.first.counts)

    @property
    def _numbers(self) -> tuple[float, ...]:
        scores = (verdict.score for verdict in self.verdicts if verdict is not None)
        first = self.first
        return (first.baseline_min, first.baseline_max, first.baseline, *scores)


@dataclass(frozen=True)
class _Panel:
    """The rows of the figure."""

    performances: tuple[Performance, ...]
    rows: tuple[_Row, ...]

    @cached_property
    def p_values(self) -> tuple[tuple[str, bool, tuple[_PValue, ...]], ...]:
        """The measures that share p-values, whether that is all of them, and the p-values."""
        sharing = [row for row in self.rows if row.shares_p_values]
        alike: dict[tuple[str, ...], list[_Row]] = {}
        for row in self.rows:
            if not row.shares_p_values:
                alike.setdefault(tuple(f"{p.value:.6g}" for p in row.p_values), []).append(row)
        found = [*([sharing] if sharing else []), *alike.values()]
        return tuple(
            (_title(rows, of_all=len(found) == 1), len(found) == 1, rows[0].p_values)
            for rows in found
        )


def _title(rows: Sequence[_Row], *, of_all: bool) -> str:
    named = [printable(row.first.measure) for row in rows]
    whole = in_words(named)
    if len(named) > 1 and len(whole) > 20:
        whole = f"{named[0]} and {len(named) - 1} more"
    return "p-value" if of_all else f"p-value of {whole}"


@dataclass(eq=False, repr=False)
class ReportDisplay:
    """Models and measures with both baselines, and boxes around failures, as in the paper.

    A cell's colour is its rescaled score: orange below the baseline, purple above. The baseline to
    beat is bold. Make it with ``report.plot()``; `baserate.ComparisonDisplay` is the same, and
    takes predictions and estimators too.

    Parameters
    ----------
    report
        The result of `evaluate`. The display shows the whole test set.

    Attributes
    ----------
    ax_, figure_
        Where the display was drawn.
    cells_, texts_, boxes_
        The coloured cells, their numbers, and the boxes around the cells that fail.
    unsure_
        The dashed boxes around scores that are better than the baseline, but not surely.
    marks_, intervals_
        The rescaled score in each cell and the interval of its margin, from the worst draw at the
        left over the baseline in the middle to perfection.
    """

    report: Report
    ax_: Axes = field(init=False)
    figure_: Figure = field(init=False)
    cells_: QuadMesh = field(init=False)
    texts_: list[Text] = field(init=False)
    boxes_: list[Rectangle] = field(init=False)
    unsure_: list[Rectangle] = field(init=False)
    marks_: Line2D = field(init=False)
    intervals_: LineCollection = field(init=False)

    @classmethod
    def from_report(cls, report: Report, *, ax: Axes | None = None) -> Self:
        """Draw the verdicts of a report.

        Parameters
        ----------
        report
            The result of `evaluate`, or a part of it.
        ax
            Where to draw; by default a new figure with room for all cells.
        """
        return cls(report).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax
            Where to draw; by default a new figure with room for all cells.
        """
        panel = _only_panel(self.report.overall or self.report)
        self.ax_ = ax = axes_of(ax, _size(panel))
        self.figure_ = ax.figure  # type: ignore[assignment]
        self.cells_ = self._plot_cells(panel)
        size = self._font_size(panel)
        self.texts_ = [self._text(*cell, size) for cell in _texts(panel)]
        places = _places(panel)
        self.boxes_ = [self._box(*place, "-") for place, verdict in places if verdict.fails]
        unsure = [place for place, verdict in places if verdict.outcome is Outcome.UNSURE]
        self.unsure_ = [self._box(*place, "--") for place in unsure]
        self.marks_, self.intervals_ = self._plot_intervals(places)
        self._plot_labels(panel, size)
        return self

    def frame(self, backend: str = "pandas") -> Any:
        """Return the verdicts as a data frame.

        Parameters
        ----------
        backend
            ``"pandas"``, ``"polars"``, ``"pyarrow"`` or another library that narwhals supports.
        """
        return self.report.to_frame(backend)

    def _plot_cells(self, panel: _Panel) -> QuadMesh:
        from matplotlib import colormaps

        columns = np.arange(len(panel.performances) + 1) + 2  # after the two baselines
        return self.ax_.pcolormesh(
            columns,
            np.arange(len(panel.rows) + 1),
            np.ma.masked_invalid(_rescaled(panel)),
            cmap=colormaps[_COLOURS].with_extremes(bad=_NO_COLOUR),
            vmin=-_PALE,
            vmax=_PALE,
            edgecolors="white",
            linewidth=1,
        )

    def _font_size(self, panel: _Panel) -> float:
        """Return the font size at which the longest number fits in a cell."""
        width, height = points(self.ax_)
        longest = max(len(text) for _, _, text, _ in _texts(panel))
        across = width / (len(panel.performances) + 2) / (_LETTER * longest)
        return float(np.clip(min(0.5 * height / len(panel.rows), across), *_FONT))

    def _text(self, column: int, row: int, text: str, weight: str, size: float) -> Text:
        return self.ax_.text(
            column + 0.5,
            row + _NUMBER,
            text,
            ha="center",
            va="center",
            fontsize=size,
            weight=weight,
        )

    def _box(self, column: int, row: int, line: Literal["-", "--"]) -> Rectangle:
        from matplotlib.patches import Rectangle

        box = Rectangle((column + 0.04, row + 0.06), 0.92, 0.88, fill=False, edgecolor=BASELINE)
        box.set_linestyle(line)
        self.ax_.add_patch(box)
        return box

    def _plot_intervals(self, places: list[_Place]) -> tuple[Line2D, LineCollection]:
        """Plot the rescaled score and its interval in the lower part of each cell."""
        found = [(place, _interval(verdict)) for place, verdict in places if verdict.informative]
        rows = [row + _BAR for (_, row), _ in found]
        ends = np.array([interval for _, interval in found]).reshape(-1, 3)
        low, score, high = np.array([column + 0.5 for (column, _), _ in found]) + _REACH * ends.T
        (marks,) = self.ax_.plot(score, rows, "|", color=BASELINE, markersize=5)
        return marks, self.ax_.hlines(rows, low, high, colors=BASELINE, linewidth=0.8)

    def _plot_labels(self, panel: _Panel, size: float) -> None:
        ax, models = self.ax_, panel.performances
        headers = [*map(_folded, _plot_marks(panel)), *map(_header, models, _chances(panel))]
        longest = max(len(line) for header in headers for line in header.splitlines())
        fitting = points(ax)[0] / len(headers) / (_LETTER * (longest + _GAP))
        is_narrow = fitting < min(size, _READABLE)
        ax.set_xticks(
            np.arange(len(headers)) + 0.5,
            [header.replace("\n", " ") for header in headers] if is_narrow else headers,
            fontsize=size if is_narrow else min(size, fitting),
            rotation=90 if is_narrow else 0,
        )
        ax.set_yticks(
            np.arange(len(panel.rows)) + _NUMBER,
            [literal(row.label) for row in panel.rows],
            fontsize=size,
        )
        ax.tick_params(length=0, top=False, labeltop=True, labelbottom=False)
        ax.set(xlim=(0, len(models) + 2), ylim=(len(panel.rows), 0))
        ax.spines[:].set_visible(False)
        is_against = panel.performances[0].against is not None
        legend = _LEGEND.format(
            to_beat="reference" if is_against else "baseline",
            boxes="boxed: no better, dashed: not significantly",
            p=_whose(panel),
            rescaled="skill score: 0 as good as the reference, 1 perfect"
            if is_against
            else "rescaled score from −1 to 1",
        )
        widest = max(map(len, legend.splitlines()))
        ax.set_xlabel(legend, fontsize=min(size, points(ax)[0] / (_LETTER * widest)))


def _only_panel(report: Report) -> _Panel:
    found = panels(report)
    if not found:
        raise InvalidReportError.empty()
    if len(found) > 1:
        raise InvalidPredictionsError.several_test_sets(len(found))
    return _Panel(found[0].performances, tuple(map(_Row, found[0].rows)))


def _header(performance: Performance, chance: _PValue | None) -> str:
    """Return the name of a model, with its p-value below if it has one."""
    name = _folded(performance.model)
    if chance is None:
        return name
    return f"{name}\n{p_equals(chance.value, exact=chance.exact, floor=chance.floor)}"


def _plot_marks(panel: _Panel) -> tuple[str, str]:
    against = panel.performances[0].against
    return ("lowest baseline", "highest baseline") if against is None else ("baseline", against)


def _folded(name: str) -> str:
    return textwrap.fill(short_name(name), 12, break_long_words=False)


def _chances(panel: _Panel) -> Sequence[_PValue | None]:
    """Return the p-value of each model, if its measures have one; None if they have several."""
    if any(row.shares_p_values for row in panel.rows):
        exact = panel.p_values[0][2]
        return [
            _PValue(each.p_value, found.exact, found.floor)
            for each, found in zip(panel.performances, exact, strict=True)
        ]
    if len(panel.p_values) == 1:
        return panel.p_values[0][2]
    return [None] * len(panel.performances)


def _whose(panel: _Panel) -> str:
    """Say whose p-values are shown, if there are others."""
    is_one = len(panel.p_values) == 1 or not any(row.shares_p_values for row in panel.rows)
    return "" if is_one else f"\np: {literal(panel.p_values[0][0])}"


def _size(panel: _Panel) -> tuple[float, float]:
    """Return the size of a figure with room for all cells."""
    columns, rows = len(panel.performances) + 2, len(panel.rows)
    return _AROUND[0] + columns * _CELL[0], _AROUND[1] + rows * _CELL[1]


def _rescaled(panel: _Panel) -> NDArray[np.float64]:
    """Return the value that colours each cell; nan if the measure has no verdict."""
    return np.array([[_colour(verdict) for verdict in row.verdicts] for row in panel.rows])


def _colour(verdict: Verdict | None) -> float:
    can_tell = verdict is not None and (verdict.beats or verdict.fails)
    return max(verdict.rescaled, -1.0) if verdict is not None and can_tell else math.nan


def _texts(panel: _Panel) -> Iterator[tuple[int, int, str, str]]:
    """Yield the column, the row, the text and the weight of each number."""
    for place, row in enumerate(panel.rows):
        for column, text in enumerate((*row.marks, *row.scores)):
            yield column, place, text, "bold" if column == row.to_beat else "normal"


def _places(panel: _Panel) -> list[_Place]:
    """Return the column and the row of each verdict."""
    return [
        ((column + 2, place), verdict)
        for place, row in enumerate(panel.rows)
        for column, verdict in enumerate(row.verdicts)
        if verdict is not None
    ]


def _interval(verdict: Verdict) -> tuple[float, float, float]:
    """Return the interval of the margin around the score, all of them rescaled."""
    limits = map(verdict.scale.rescaled_margin, (verdict.margin_low, verdict.margin_high))
    low, high = (max(limit, -1.0) for limit in limits)  # a skill score has no lower end
    return low, max(verdict.rescaled, -1.0), high
