"""What models predict, beside the best guess: rankings, residuals and the confusion matrix."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from baserate.core.observed import Grid
from baserate.data.rows import DEFAULT_NAME
from baserate.exceptions import InvalidPredictionsError, InvalidReportError
from baserate.formatting import number_format, shown
from baserate.observed.classes import ConfusionMatrix
from baserate.observed.two_classes import Confusion
from baserate.plots.display import (
    BAND_ALPHA,
    BASELINE,
    CHANCE,
    LETTER,
    MODELS,
    DisplayOfReport,
    points,
    pyplot,
    require_one_model,
    short_name,
    tidy,
)
from baserate.report.digest import panels
from baserate.report.document import REST, HeatMap, curve_figures
from baserate.sklearn.responses import name_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

    from baserate.report import Report
    from baserate.report.document import CurveFigure, HeatCell

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
        drawn = list(zip(self.axes_, self.figures, strict=True))
        self.guesses_ = [_plot_guesses(ax, figure) for ax, figure in drawn]
        self.lines_ = [_plot_models(ax, figure) for ax, figure in drawn]
        for (ax, figure), models, guesses in zip(drawn, self.lines_, self.guesses_, strict=True):
            ax.set(xlabel=figure.first.x, ylabel=figure.first.y)
            tidy(ax)
            ax.set(xlim=_beyond(*figure.first.x_ends), ylim=_beyond(0.0, figure.y_end))
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


def _beyond(low: float, high: float) -> tuple[float, float]:
    """Return limits a little beyond the ends of an axis, so that lines at its ends are seen."""
    room = 0.02 * (high - low)
    return low - room, high + room


def _plot_guesses(ax: Axes, figure: CurveFigure) -> list[Line2D]:
    if not figure.first.measure:  # a histogram
        x, y = zip(*figure.free[0].points, strict=True)
        ax.fill_between(x, y, color=CHANCE, alpha=BAND_ALPHA, linewidth=0)
    return [
        _plot(ax, line, line.label + _score(figure, line.area), *style, width=1.2)
        for line, style in zip(figure.free, cycle(((BASELINE, "-"), (CHANCE, "--"))))
    ]


def _plot_models(ax: Axes, figure: CurveFigure) -> list[Line2D]:
    return [
        _plot(ax, curve, short_name(model) + _score(figure, curve.area), *style, width=1.8)
        for model, curve, style in zip(figure.models, figure.curves, cycle(_STYLES))
    ]


def _score(figure: CurveFigure, area: float) -> str:
    """Write the score that an area is, after the name of its line."""
    measure = figure.first.measure
    return f": {measure} {number_format([area])(area)}" if measure else ""


def _plot(ax: Axes, line: Any, label: str, colour: str, style: str, *, width: float) -> Line2D:
    x, y = zip(*line.points, strict=True)
    (drawn,) = ax.plot(x, y, style, color=colour, linewidth=width, label=label)
    return drawn


# Orange for wrong, purple for right: distinguishable with any colour vision; and the ends of the
# scale, beyond the range of shares, so that colours stay pale under black numbers.
_COLOURS, _PALE, _NO_COLOUR = "PuOr", 1.7, "#dddddd"
# The smallest and the largest font in points, the smallest for counts, and the width of a bold
# digit relative to its size.
_FONT, _READABLE, _DIGIT = (4, 10), 5, 0.72
# Inches of a cell, of what stands around the cells, and the smallest and largest side of them.
_CELL, _AROUND, _SIDE = 0.5, (1.6, 1.5), (2.0, 8.0)
# The longest name of a class beside the cells.
_MOST_LETTERS = 16
_LEGEND = ("purple: right   orange: wrong", "darker: more of the true class")


@dataclass(eq=False, repr=False)
class MatrixDisplay(DisplayOfReport):
    """The confusion matrix of one model: a row per true class, a column per predicted one.

    A cell's colour is its share of the true class: purple where the prediction is right, orange
    where it is wrong. Counts are written in the cells while they fit. Of more than 20 classes the
    rarest are put together. Make it with `from_estimator`, `from_predictions` or `from_report`.

    Parameters
    ----------
    heat_map
        The cells.
    name
        The model's name; the title, unless it is left out.

    Attributes
    ----------
    cells_, texts_
        The coloured cells, and the counts written in them; none if they do not fit.

    Examples
    --------
    >>> import baserate as br
    >>> display = MatrixDisplay.from_predictions(["a", "b", "b", "c"], ["a", "b", "a", "c"])
    >>> [text.get_text() for text in display.texts_]
    ['1', '·', '·', '1', '1', '·', '·', '·', '1']
    >>> display.frame()["share"].tolist()
    [1.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 0.0, 1.0]
    """

    heat_map: HeatMap
    name: str = ""
    _types: ClassVar[Mapping[str, str]] = {"count": "Int64", "share": "Float64"}

    @classmethod
    def _computed(cls, y_true: Any, y_pred: Any, measure: Any, name: Any, **options: Any) -> Self:  # noqa: ARG003
        is_table = isinstance(y_pred, ConfusionMatrix | Confusion)
        table = y_pred if is_table else ConfusionMatrix.of(y_true, y_pred)
        return cls(HeatMap.of(_grid(table)), name or "")

    @classmethod
    def _responses(cls, estimator: Any, rows: Any, measure: Any, **asked: Any) -> tuple[Any, Any]:  # noqa: ARG003
        return estimator.predict(rows), {"name": name_of(estimator, asked["name"])}

    @classmethod
    def _of(cls, report: Report, measure: Any) -> Self:  # noqa: ARG003
        require_one_model(report)
        (performance,) = report.performances
        name = "" if performance.model == DEFAULT_NAME else performance.model
        return cls(HeatMap.of(_grid(performance.table)), name)

    @property
    def _size(self) -> tuple[float, float]:
        side = float(np.clip(self._classes * _CELL, *_SIDE))
        return side + _AROUND[0], side + _AROUND[1]

    @property
    def _cells(self) -> Sequence[HeatCell]:
        """All cells, row by row."""
        return [cell for row in self.heat_map.rows for cell in row]

    @property
    def _classes(self) -> int:
        return len(self.heat_map.labels)

    def _draw(self) -> None:
        self.cells_ = self._plot_cells()
        self._plot_labels()
        figure = self.figure_.figure
        engine = figure.get_layout_engine()
        if engine is not None:  # labels take their share of the figure
            engine.execute(figure)
        side = min(points(self.ax_)) / self._classes
        self._fit_labels(side)
        self.texts_ = self._plot_counts(side)

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        labels, cells = self.heat_map.labels, self._cells
        return {
            "truth": [label for label in labels for _ in labels],
            "prediction": [*labels] * len(labels),
            "count": [cell.count for cell in cells],
            "share": [cell.share for cell in cells],
        }

    def _plot_cells(self) -> QuadMesh:
        from matplotlib import colormaps

        rows, edges = self.heat_map.rows, np.arange(self._classes + 1)
        colours = np.array(
            [[cell.share if cell.is_right else -cell.share for cell in row] for row in rows]
        )
        if self.heat_map.left_out:  # classes put together may be right or wrong among themselves
            colours[-1, -1] = np.nan
        return self.ax_.pcolormesh(
            edges,
            edges,
            np.ma.masked_invalid(colours),
            cmap=colormaps[_COLOURS].with_extremes(bad=_NO_COLOUR),
            vmin=-_PALE,
            vmax=_PALE,
            edgecolors="white",
            linewidth=1 if self._classes <= 12 else 0.5,
        )

    def _plot_counts(self, side: float) -> list[Text]:
        """Write the counts in the cells, if they fit in all of them."""
        written = [f"{cell.count:,}" if cell.count else "·" for cell in self._cells]
        size = min(0.5 * side, 0.95 * side / (_DIGIT * max(map(len, written))), _FONT[1])
        if size < _READABLE:
            return []
        return [
            self.ax_.text(
                place % self._classes + 0.5,
                place // self._classes + 0.5,
                text,
                ha="center",
                va="center",
                fontsize=size,
                weight="bold" if cell.is_right else "normal",
            )
            for place, (text, cell) in enumerate(zip(written, self._cells, strict=True))
        ]

    def _plot_labels(self) -> None:
        ax, classes, left_out = self.ax_, self._classes, self.heat_map.left_out
        names = [short_name(label, _MOST_LETTERS) for label in self.heat_map.labels]
        room = min(points(ax)) / classes
        is_narrow = LETTER * _FONT[1] * max(map(len, names)) > room
        places = np.arange(classes) + 0.5
        ax.set_xticks(places, names, fontsize=_font(room), rotation=90 if is_narrow else 0)
        ax.set_yticks(places, names, fontsize=_font(room))
        ax.tick_params(length=0)
        ax.set(xlim=(0, classes), ylim=(classes, 0), aspect="equal", ylabel="true class")
        ax.spines[:].set_visible(False)
        together = [f"{REST}: {left_out:,} rarer classes"] if left_out else []
        ax.set_xlabel("\n".join(["predicted class", *_LEGEND, *together]))
        ax.set_title(short_name(self.name))

    def _fit_labels(self, side: float) -> None:
        """Make labels as small as the cells are."""
        ax = self.ax_
        for label in (*ax.get_xticklabels(), *ax.get_yticklabels()):
            label.set_fontsize(_font(side))
        longest = max(map(len, ax.get_xlabel().splitlines()))
        fitting = side * self._classes / (LETTER * longest)
        for axis in (ax.xaxis, ax.yaxis):
            axis.label.set_fontsize(min(float(axis.label.get_fontsize()), max(fitting, _FONT[0])))


def _grid(table: Any) -> Grid:
    """Return a table as a square of counts, also that of two classes, which has four."""
    if table.grid is not None:
        return Grid(*table.grid)
    counts = table.flat
    if "tp" not in counts:
        raise InvalidReportError(
            f"must be of labels to show a matrix (got {type(table).__name__}); evaluate scores "
            "with a threshold",
            parameter="report",
        )
    tp, fp, fn, tn = (counts[name] for name in ("tp", "fp", "fn", "tn"))
    return Grid(("negative", "positive"), [[tn, fp], [fn, tp]])


def _font(side: float) -> float:
    """Return the size of the names of classes beside cells of a side, both in points."""
    return float(np.clip(0.8 * side, *_FONT))
