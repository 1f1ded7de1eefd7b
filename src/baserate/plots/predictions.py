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
from baserate.observed.labels import ConfusionMatrix
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
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

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
        is_table = isinstance(y_pred, ConfusionMatrix)
        table = y_pred if is_table else ConfusionMatrix.of_classes(y_true, y_pred)
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
        side = float(np.clip(len(self.heat_map.labels) * _CELL, *_SIDE))
        return side + _AROUND[0], side + _AROUND[1]

    def _draw(self) -> None:
        from matplotlib import colormaps

        ax, classes, rows = self.ax_, len(self.heat_map.labels), self.heat_map.rows
        shares = [[cell.share if cell.is_right else -cell.share for cell in row] for row in rows]
        colours = np.array(shares)
        if self.heat_map.left_out:  # classes put together may be right or wrong among themselves
            colours[-1, -1] = np.nan
        edges = np.arange(classes + 1)
        self.cells_: QuadMesh = ax.pcolormesh(
            edges,
            edges,
            np.ma.masked_invalid(colours),
            cmap=colormaps[_COLOURS].with_extremes(bad=_NO_COLOUR),
            vmin=-_PALE,
            vmax=_PALE,
            edgecolors="white",
            linewidth=1 if classes <= 12 else 0.5,
        )
        self._plot_labels(min(points(ax)) / classes)
        figure = self.figure_.figure
        engine = figure.get_layout_engine()
        if engine is not None:  # labels take their share of the figure
            engine.execute(figure)
        side = min(points(ax)) / classes
        # Labels are as small as the cells.
        for label in (*ax.get_xticklabels(), *ax.get_yticklabels()):
            label.set_fontsize(_font(side))
        longest = max(map(len, ax.get_xlabel().splitlines()))
        fitting = max(side * classes / (LETTER * longest), _FONT[0])
        for axis in (ax.xaxis, ax.yaxis):
            axis.label.set_fontsize(min(float(axis.label.get_fontsize()), fitting))
        self.texts_ = self._plot_counts(side)

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        labels, cells = self.heat_map.labels, [cell for row in self.heat_map.rows for cell in row]
        return {
            "truth": [label for label in labels for _ in labels],
            "prediction": [*labels] * len(labels),
            "count": [cell.count for cell in cells],
            "share": [cell.share for cell in cells],
        }

    def _plot_counts(self, side: float) -> list[Text]:
        """Write the counts in the cells, if they fit in all of them."""
        written = [
            (x + 0.5, y + 0.5, f"{cell.count:,}" if cell.count else "·", cell.is_right)
            for y, row in enumerate(self.heat_map.rows)
            for x, cell in enumerate(row)
        ]
        longest = max(len(text) for *_, text, _ in written)
        size = min(0.5 * side, 0.95 * side / (_DIGIT * longest), _FONT[1])
        style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": size}
        return [
            self.ax_.text(x, y, text, weight="bold" if is_right else "normal", **style)
            for x, y, text, is_right in written
            if size >= _READABLE
        ]

    def _plot_labels(self, room: float) -> None:
        ax, classes, left_out = self.ax_, len(self.heat_map.labels), self.heat_map.left_out
        names = [short_name(label, _MOST_LETTERS) for label in self.heat_map.labels]
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
