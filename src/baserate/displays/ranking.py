"""Plot the ROC and the precision-recall curves of models, beside what comes for free."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import cycle
from typing import TYPE_CHECKING, Any

from baserate.displays.estimators import predictions_of
from baserate.displays.style import DRAWS, MODELS, tidy
from baserate.evaluation.evaluate import evaluate
from baserate.exceptions import InvalidPredictionsError, InvalidReportError
from baserate.report.curves import curve_figures
from baserate.report.panels import panels
from baserate.support.data_frames import data_frame
from baserate.support.formatting import number_format
from baserate.support.plotting import BASELINE, pair_of_axes, short_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from baserate.data.labels import Labels
    from baserate.report import Report
    from baserate.report.curves import CurveFigure

# More models than colours are told apart by their lines.
_STYLES = ("-", "--", "-.", ":")
_MEASURE = "AUC"
# Inches of the figure without its legend, and of a line of that.
_WIDTH, _HEIGHT, _LINE = 9.0, 4.9, 0.24


@dataclass(eq=False, repr=False)
class RankingDisplay:
    """The ROC and the precision-recall curves of models, beside what a random ranking expects.

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
    axes_, figure_
        The two axes, and the figure that they are in.
    lines_
        The curve of each model, in both axes.
    free_
        The lines that come for free, in both axes; the one to beat first.

    Examples
    --------
    >>> display = RankingDisplay.from_predictions([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6])
    >>> [line.get_label() for line in display.lines_[1]]
    ['model: AP 0.917']
    >>> [line.get_label() for line in display.free_[1]]
    ['a random ranking: AP 0.645', 'the same score for everyone: AP 0.500']
    """

    figures: tuple[CurveFigure, ...]
    axes_: tuple[Axes, Axes] = field(init=False)
    figure_: Figure = field(init=False)
    lines_: list[list[Line2D]] = field(init=False)
    free_: list[list[Line2D]] = field(init=False)

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels | None,
        predictions: Any,
        *,
        pos_label: object = None,
        ax: Sequence[Axes] | None = None,
    ) -> Self:
        """Draw the curves of one or more models.

        Parameters
        ----------
        y_true
            The true labels, of two classes; None if all models are `Scores`.
        predictions
            The scores of one model, or a mapping from model names to scores.
        pos_label
            The positive class.
        ax
            Two axes to draw in; by default a new figure with both.
        """
        report = evaluate(y_true, predictions, _MEASURE, pos_label=pos_label)
        return cls.from_report(report, ax=ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Labels,
        *,
        name: str | None = None,
        pos_label: object = None,
        ax: Sequence[Axes] | None = None,
    ) -> Self:
        """Draw the curves of one or more fitted estimators: probabilities or decision functions.

        Parameters
        ----------
        estimator
            A fitted classifier, or a mapping from names to fitted classifiers.
        X, y
            The test set.
        name
            The name of the model; its class name by default.
        pos_label
            The positive class; by default the last of the estimator's classes, if there are two.
        ax
            Two axes to draw in; by default a new figure with both.
        """
        predictions, positive = predictions_of(estimator, X, name, pos_label, [_MEASURE])
        return cls.from_predictions(y, predictions, pos_label=positive, ax=ax)

    @classmethod
    def from_report(cls, report: Report, *, ax: Sequence[Axes] | None = None) -> Self:
        """Draw the curves of the models of a report, on the whole test set.

        Parameters
        ----------
        report
            The result of `evaluate` for scores, or a part of it.
        ax
            Two axes to draw in; by default a new figure with both.
        """
        found = panels(report.overall or report)
        if not found:
            raise InvalidReportError.empty()
        if len(found) > 1:
            raise InvalidPredictionsError.several_test_sets(len(found))
        figures = curve_figures(found[0], most=None)
        if len(figures) != 2:  # labels have none, and numbers have one
            raise InvalidReportError(
                "must be of scores, with positives and negatives among them, to have curves "
                f"(got {found[0].title(report.by)})",
                parameter="report",
            )
        return cls(figures).plot(ax)

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
            axes.set(xlabel=figure.first.x, ylabel=figure.first.y, aspect="equal")
            tidy(axes)
            axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
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


def _all_lines(figure: CurveFigure) -> Iterator[tuple[str, Any]]:
    """Yield the lines that come for free, then the models'."""
    yield from ((line.label, line.points) for line in figure.free)
    yield from figure.lines


def _plot_free(ax: Axes, figure: CurveFigure) -> list[Line2D]:
    styles = zip(figure.free, cycle(("-", "--")), cycle((BASELINE, DRAWS)))
    return [
        _plot(ax, line, f"{line.label}: {_score(figure, line.area)}", style=style, colour=colour)
        for line, style, colour in styles
    ]


def _plot_models(ax: Axes, figure: CurveFigure) -> list[Line2D]:
    styles = [(colour, style) for style in _STYLES for colour in MODELS]
    return [
        _plot(
            ax,
            curve,
            f"{short_name(model)}: {_score(figure, curve.area)}",
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
    return f"{figure.first.measure} {number_format([area])(area)}"


def _plot(ax: Axes, line: Any, label: str, *, style: str, colour: str) -> Line2D:
    x, y = zip(*line.points, strict=True)
    width = 1.2 if colour in (BASELINE, DRAWS) else 1.8
    (drawn,) = ax.plot(x, y, style, color=colour, linewidth=width, label=label)
    return drawn
