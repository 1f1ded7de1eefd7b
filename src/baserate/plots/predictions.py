"""What models predict, beside the best guess: rankings and residuals."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any, ClassVar

from baserate.exceptions import InvalidPredictionsError, InvalidReportError
from baserate.formatting import number_format, shown
from baserate.plots.display import (
    BAND_ALPHA,
    BASELINE,
    CHANCE,
    MODELS,
    DisplayOfReport,
    pyplot,
    short_name,
    tidy,
)
from baserate.report.digest import panels
from baserate.report.document import curve_figures

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from baserate.report import Report
    from baserate.report.document import CurveFigure

# More models than colours are told apart by their lines.
_STYLES = [(colour, style) for style in ("-", "--", "-.", ":") for colour in MODELS]
# Inches of the figure without its legend, and of a line of that.
_WIDTH, _HEIGHT, _LINE = 9.0, 4.9, 0.24


@dataclass(eq=False, repr=False)
class _CurvesDisplay(DisplayOfReport):
    """Two pictures of curves, side by side."""

    figures: tuple[CurveFigure, ...]
    _types: ClassVar[Mapping[str, str]] = {"x": "Float64", "y": "Float64"}
    # The measures that are areas of the curves, and what a report must be of to have them.
    _areas: ClassVar[tuple[str, str]]
    _wanted: ClassVar[str]

    @classmethod
    def _of(cls, report: Report, measure: Any) -> Self:  # noqa: ARG003
        found = panels(report)
        if len(found) > 1:
            raise InvalidPredictionsError.several_test_sets(len(found))
        figures = curve_figures(found[0], most=None)
        if tuple(figure.first.measure for figure in figures) != cls._areas:
            raise InvalidReportError(
                f"must be of {cls._wanted}, to have curves (got {found[0].title(report.by)})",
                parameter="report",
            )
        return cls(figures)

    def plot(self, ax: Sequence[Axes] | None = None) -> Self:  # type: ignore[override]
        """Draw the picture.

        Parameters
        ----------
        ax
            Two axes to draw in; by default a new figure with both.
        """
        most = max(len(figure.models) + len(figure.free) for figure in self.figures)
        if ax is None:
            size = _WIDTH, _HEIGHT + most * _LINE
            _, ax = pyplot().subplots(1, 2, figsize=size, layout="constrained")
        try:
            left, right = ax
        except (TypeError, ValueError):
            raise InvalidReportError(
                f"must be two axes, one for each curve (got {shown(ax)})", parameter="ax"
            ) from None
        self.axes_ = left, right
        return super().plot(left)

    def _draw(self) -> None:
        self.guesses_, self.lines_ = [], []
        for ax, figure in zip(self.axes_, self.figures, strict=True):
            first = figure.first
            if not first.measure:  # a histogram
                x, y = zip(*figure.free[0].points, strict=True)
                ax.fill_between(x, y, color=CHANCE, alpha=BAND_ALPHA, linewidth=0)
            free = ((line.label, line) for line in figure.free)
            guesses = _plot(ax, first.measure, free, ((BASELINE, "-"), (CHANCE, "--")), 1.2)
            curves = zip(map(short_name, figure.models), figure.curves, strict=True)
            models = _plot(ax, first.measure, curves, _STYLES, 1.8)
            self.guesses_.append(guesses)
            self.lines_.append(models)
            ax.set(xlabel=first.x, ylabel=first.y)
            tidy(ax)
            # A little beyond the ends of the axes, so that lines there are seen.
            for axis, (low, high) in (("xlim", first.x_ends), ("ylim", (0.0, figure.y_end))):
                room = 0.02 * (high - low)
                ax.set(**{axis: (low - room, high + room)})
            ax.set_box_aspect(1)
            ax.legend(  # below, a line for each: names and scores are long
                handles=[*models, *guesses],
                loc="upper left",
                bbox_to_anchor=(0, -0.14),
                fontsize="small",
                frameon=False,
                borderaxespad=0,
            )

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        rows = [
            (figure.first.name, name, *point)
            for figure in self.figures
            for name, points in (
                *((each.label, each.points) for each in figure.free),
                *figure.lines,
            )
            for point in points
        ]
        names = ("curve", "what", "x", "y")
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


@dataclass(eq=False, repr=False)
class RankingDisplay(_CurvesDisplay):
    """The ROC and the precision-recall curves of models, beside those of a random ranking.

    The line to beat on the right is the mean of the precision-recall curves of all rankings. The
    area below it is the baseline of average precision, which is more than the prevalence if
    positives are few.

    Make it with `from_estimator`, `from_predictions` or `from_report`.

    Parameters
    ----------
    figures
        The curves of all models, one figure of each kind.

    Attributes
    ----------
    axes_
        The two axes.
    lines_, guesses_
        The curves of models, and of guesses, the one to beat first; in both axes.

    Examples
    --------
    >>> display = RankingDisplay.from_predictions([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6])
    >>> [line.get_label() for line in display.lines_[1]]
    ['model: AP 0.917']
    >>> [line.get_label() for line in display.guesses_[1]]
    ['a random ranking: AP 0.645', 'the same score for everyone: AP 0.500']
    """

    _measure = "AUC"
    _areas = ("AUC", "AP")
    _wanted = "scores, with positives and negatives among them"


@dataclass(eq=False, repr=False)
class ResidualDisplay(_CurvesDisplay):
    """How far the predictions of models are off, beside the best constant.

    On the left is a histogram of truth minus prediction: narrow is good, and off to one side is
    biased. On the right is the share of rows that are off by at most so much: higher is better. The
    mean absolute error is the area above a curve, so that the best constant is the median. Axes end
    where the constant is hardly ever further off; the outermost steps of the histogram hold the
    rest.

    Make it with `from_estimator`, `from_predictions` or `from_report`.

    Parameters
    ----------
    figures
        The curves of all models, one figure of each kind.

    Attributes
    ----------
    axes_
        The two axes.
    lines_, guesses_
        The curves of models, and of the constant; in both axes.

    Examples
    --------
    >>> display = ResidualDisplay.from_predictions([1.0, 2, 4, 8.5], [1.0, 3, 4, 7])
    >>> [line.get_label() for line in (*display.lines_[1], *display.guesses_[1])]
    ['model: MAE 0.625', 'always 3: MAE 2.375']
    """

    _measure = "MAE"
    _areas = ("", "MAE")
    _wanted = "numbers, of which not all true ones are the same"


def _plot(
    ax: Axes, measure: str, lines: Iterable[tuple[str, Any]], styles: Iterable[Any], width: float
) -> list[Line2D]:
    """Draw lines, each with its name and the score that its area is."""
    drawn: list[Line2D] = []
    for (name, line), (colour, style) in zip(lines, cycle(styles), strict=False):
        score = f": {measure} {number_format([line.area])(line.area)}" if measure else ""
        x, y = zip(*line.points, strict=True)
        drawn += ax.plot(x, y, style, color=colour, linewidth=width, label=name + score)
    return drawn
