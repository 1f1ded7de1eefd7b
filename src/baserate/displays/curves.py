"""What displays share that draw two kinds of curves, beside what comes for free."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import cycle
from typing import TYPE_CHECKING, Any

from baserate.displays.style import BAND_ALPHA, DRAWS, MODELS, tidy
from baserate.exceptions import InvalidPredictionsError, InvalidReportError
from baserate.formatting import number_format
from baserate.records import data_frame
from baserate.report.curves import curve_figures
from baserate.report.panels import panels
from baserate.support.plotting import BASELINE, pair_of_axes, short_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from baserate.report import Report
    from baserate.report.curves import CurveFigure

# More models than colours are told apart by their lines.
_STYLES = ("-", "--", "-.", ":")
# Inches of the figure without its legend, and of a line of that.
_WIDTH, _HEIGHT, _LINE = 9.0, 4.9, 0.24


@dataclass(eq=False, repr=False)
class CurvesDisplay:
    """Two pictures of curves, side by side.

    Parameters
    ----------
    figures
        The curves of all models, one figure of each kind.
    """

    figures: tuple[CurveFigure, ...]
    axes_: tuple[Axes, Axes] = field(init=False)
    figure_: Figure = field(init=False)
    lines_: list[list[Line2D]] = field(init=False)
    free_: list[list[Line2D]] = field(init=False)

    def plot(self, ax: Sequence[Axes] | None = None) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax
            Two axes to draw in; by default a new figure with both.
        """
        most = max(len(figure.models) + len(figure.free) for figure in self.figures)
        self.axes_ = pair_of_axes(ax, (_WIDTH, _HEIGHT + most * _LINE))
        self.figure_ = self.axes_[0].figure  # type: ignore[assignment]
        drawn = list(zip(self.axes_, self.figures, strict=True))
        self.free_ = [_plot_free(ax, figure) for ax, figure in drawn]
        self.lines_ = [_plot_models(ax, figure) for ax, figure in drawn]
        for place, (axes, figure) in enumerate(drawn):
            axes.set(xlabel=figure.first.x, ylabel=figure.first.y)
            tidy(axes)
            axes.set(xlim=_beyond(*figure.first.x_ends), ylim=_beyond(0.0, figure.y_end))
            axes.set_box_aspect(1)
            _legend(axes, self.lines_[place] + self.free_[place])
        return self

    def frame(self, backend: str = "pandas") -> Any:
        """Return the corners of all lines as a data frame.

        Parameters
        ----------
        backend
            ``"pandas"``, ``"polars"``, ``"pyarrow"`` or another library that narwhals supports.
        """
        rows = [
            (figure.first.name, name, *point)
            for figure in self.figures
            for name, points in _all_lines(figure)
            for point in points
        ]
        names = ("curve", "what", "x", "y")
        columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
        return data_frame(columns, {"x": "Float64", "y": "Float64"}, backend, "frame")


def figures_of(report: Report, measures: Sequence[str], wanted: str) -> tuple[CurveFigure, ...]:
    """Return the pictures of the models of a report, or raise if it has no such.

    Parameters
    ----------
    report
        The report.
    measures
        The measures that are areas of the curves, in this order.
    wanted
        What a report must be of to have them.
    """
    found = panels(report.overall or report)
    if not found:
        raise InvalidReportError.empty()
    if len(found) > 1:
        raise InvalidPredictionsError.several_test_sets(len(found))
    figures = curve_figures(found[0], most=None)
    if [figure.first.measure for figure in figures] != [*measures]:
        raise InvalidReportError(
            f"must be of {wanted}, to have curves (got {found[0].title(report.by)})",
            parameter="report",
        )
    return figures


def _beyond(low: float, high: float) -> tuple[float, float]:
    """Return limits a little beyond the ends of an axis, so that lines at its ends are seen."""
    room = 0.02 * (high - low)
    return low - room, high + room


def _all_lines(figure: CurveFigure) -> Iterator[tuple[str, Any]]:
    """Yield the lines that come for free, then the models'."""
    yield from ((line.label, line.points) for line in figure.free)
    yield from figure.lines


def _plot_free(ax: Axes, figure: CurveFigure) -> list[Line2D]:
    if not figure.first.measure:  # a histogram
        x, y = zip(*figure.free[0].points, strict=True)
        ax.fill_between(x, y, color=DRAWS, alpha=BAND_ALPHA, linewidth=0)
    styles = zip(figure.free, cycle(("-", "--")), cycle((BASELINE, DRAWS)))
    return [
        _plot(ax, line, line.label + _score(figure, line.area), style=style, colour=colour)
        for line, style, colour in styles
    ]


def _plot_models(ax: Axes, figure: CurveFigure) -> list[Line2D]:
    styles = [(colour, style) for style in _STYLES for colour in MODELS]
    return [
        _plot(
            ax,
            curve,
            short_name(model) + _score(figure, curve.area),
            style=style,
            colour=colour,
        )
        for model, curve, (colour, style) in zip(figure.models, figure.curves, cycle(styles))
    ]


def _legend(ax: Axes, lines: list[Line2D]) -> None:
    """Put the legend below, a line for each: names and scores are long."""
    ax.legend(
        handles=lines,
        loc="upper left",
        bbox_to_anchor=(0, -0.14),
        fontsize="small",
        frameon=False,
        borderaxespad=0,
    )


def _score(figure: CurveFigure, area: float) -> str:
    """Write the score that an area is, after the name of its line."""
    measure = figure.first.measure
    return f": {measure} {number_format([area])(area)}" if measure else ""


def _plot(ax: Axes, line: Any, label: str, *, style: str, colour: str) -> Line2D:
    x, y = zip(*line.points, strict=True)
    width = 1.2 if colour in (BASELINE, DRAWS) else 1.8
    (drawn,) = ax.plot(x, y, style, color=colour, linewidth=width, label=label)
    return drawn
