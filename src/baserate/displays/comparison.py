"""The paper's figure: models next to both baselines, with failures marked."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.displays.estimators import predictions_of
from baserate.displays.style import BASELINE, axes_of, points, short_name
from baserate.evaluation.evaluate import evaluate
from baserate.exceptions import InvalidPredictionsError, InvalidReportError
from baserate.report.panels import Panel, panels
from baserate.support.formatting import p_equals

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle
    from matplotlib.text import Text
    from numpy.typing import NDArray

    from baserate.binary.measures.record import Measure
    from baserate.binary.predictions import Predictions
    from baserate.data.labels import Labels
    from baserate.report import Report
    from baserate.verdicts.verdict import Performance, Verdict

# Orange below the baseline, purple above: distinguishable with any colour vision.
_COLOURS = "PuOr"
# Beyond the range of scores, so that colours stay pale under black numbers.
_PALE = 1.6
_NO_COLOUR = "#eeeeee"
# The smallest and the largest font in points, the smallest for upright words, and the width of a
# letter relative to its size.
_FONT, _READABLE, _LETTER = (4, 10), 6, 0.62
# Inches of a cell, and of what stands around the cells.
_CELL, _AROUND = (0.95, 0.26), (1.2, 1.4)
_BASELINES = ("lowest\nbaseline", "highest\nbaseline")
_LEGEND = (
    "bold: the baseline to beat   boxed: does not clear it\n"
    "orange to purple: rescaled score from −1 to 1"
)


@dataclass(eq=False, repr=False)
class ComparisonDisplay:
    """Models and measures with both baselines, and boxes around failures, as in the paper.

    A cell's colour is its rescaled score: orange below the baseline, purple above. The baseline to
    beat is bold. Make it with `from_estimator` or `from_predictions`, or plot a report:
    ``ComparisonDisplay(report).plot()``.

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

    Examples
    --------
    >>> import baserate as br
    >>> tables = {"tree": br.Confusion(tp=9, fp=4, fn=7, tn=11), "knn": br.Confusion(fn=16, tn=15)}
    >>> display = ComparisonDisplay(br.evaluate(None, tables, ["F1", "ACC", "MCC"])).plot()
    >>> len(display.boxes_), [text.get_text() for text in display.texts_[:4]]
    (2, ['0.061', '0.681', '0.621', '–'])
    """

    report: Report
    ax_: Axes = field(init=False)
    figure_: Figure = field(init=False)
    cells_: QuadMesh = field(init=False)
    texts_: list[Text] = field(init=False)
    boxes_: list[Rectangle] = field(init=False)

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels | None,
        predictions: Predictions,
        measures: str | Measure | Iterable[str | Measure] | None = None,
        *,
        pos_label: object = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the verdicts on one or more models.

        Parameters
        ----------
        y_true, predictions, measures, pos_label
            As in `evaluate`.
        ax
            Where to draw; by default a new figure with room for all cells.
        """
        return cls(evaluate(y_true, predictions, measures, pos_label=pos_label)).plot(ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Labels,
        measures: str | Measure | Iterable[str | Measure] | None = None,
        *,
        name: str | None = None,
        pos_label: object = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the verdicts on one or more fitted estimators.

        Parameters
        ----------
        estimator
            A fitted classifier, or a mapping from names to fitted classifiers.
        X, y
            The test set.
        measures
            The measures, or their names; all of `MEASURES` by default.
        name
            The name of the model; its class name by default.
        pos_label
            The positive class; by default the last of the estimator's classes.
        ax
            Where to draw; by default a new figure with room for all cells.
        """
        predictions, positive = predictions_of(estimator, X, name, pos_label)
        return cls.from_predictions(y, predictions, measures, pos_label=positive, ax=ax)

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
        self.boxes_ = [self._box(*place) for place in _failing(panel)]
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

    def _plot_cells(self, panel: Panel) -> QuadMesh:
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

    def _font_size(self, panel: Panel) -> float:
        """Return the font size at which the longest number fits in a cell."""
        width, height = points(self.ax_)
        longest = max(len(text) for _, _, text, _ in _texts(panel))
        across = width / (len(panel.performances) + 2) / (_LETTER * longest)
        return float(np.clip(min(0.62 * height / len(panel.rows), across), *_FONT))

    def _text(self, column: int, row: int, text: str, weight: str, size: float) -> Text:
        return self.ax_.text(
            column + 0.5, row + 0.5, text, ha="center", va="center", fontsize=size, weight=weight
        )

    def _box(self, column: int, row: int) -> Rectangle:
        from matplotlib.patches import Rectangle

        box = Rectangle((column + 0.04, row + 0.08), 0.92, 0.84, fill=False, edgecolor=BASELINE)
        self.ax_.add_patch(box)
        return box

    def _plot_labels(self, panel: Panel, size: float) -> None:
        ax, models = self.ax_, panel.performances
        headers = [*_BASELINES, *map(_header, models)]
        longest = max(len(line) for header in headers for line in header.splitlines())
        fitting = points(ax)[0] / len(headers) / (_LETTER * longest)
        is_narrow = fitting < min(size, _READABLE)
        ax.set_xticks(
            np.arange(len(headers)) + 0.5,
            [header.replace("\n", " ") for header in headers] if is_narrow else headers,
            fontsize=size if is_narrow else min(size, fitting),
            rotation=90 if is_narrow else 0,
        )
        ax.set_yticks(
            np.arange(len(panel.rows)) + 0.5, [row.label for row in panel.rows], fontsize=size
        )
        ax.tick_params(length=0, top=False, labeltop=True, labelbottom=False)
        ax.set(xlim=(0, len(models) + 2), ylim=(len(panel.rows), 0))
        ax.spines[:].set_visible(False)
        ax.set_xlabel(_LEGEND, fontsize=size)


def _only_panel(report: Report) -> Panel:
    found = panels(report)
    if not found:
        raise InvalidReportError("a report must have a verdict to draw (got none)")
    if len(found) > 1:
        raise InvalidPredictionsError.several_test_sets(len(found))
    return found[0]


def _header(performance: Performance) -> str:
    """Return the name of a model, with its p-value below."""
    name = textwrap.fill(short_name(performance.model), 12, break_long_words=False)
    return f"{name}\n{p_equals(performance.p_value)}"


def _size(panel: Panel) -> tuple[float, float]:
    """Return the size of a figure with room for all cells."""
    columns, rows = len(panel.performances) + 2, len(panel.rows)
    return _AROUND[0] + columns * _CELL[0], _AROUND[1] + rows * _CELL[1]


def _rescaled(panel: Panel) -> NDArray[np.float64]:
    """Return the value that colours each cell; nan if the measure has no verdict."""
    return np.array([[_colour(verdict) for verdict in row.verdicts] for row in panel.rows])


def _colour(verdict: Verdict | None) -> float:
    can_tell = verdict is not None and (verdict.beats or verdict.fails)
    return verdict.rescaled if verdict is not None and can_tell else math.nan


def _texts(panel: Panel) -> Iterator[tuple[int, int, str, str]]:
    """Yield the column, the row, the text and the weight of each number."""
    for place, row in enumerate(panel.rows):
        for column, text in enumerate((*row.baselines, *row.scores)):
            yield column, place, text, "bold" if column == row.is_maximized else "normal"


def _failing(panel: Panel) -> Iterator[tuple[int, int]]:
    """Yield the column and the row of each cell that fails."""
    for place, row in enumerate(panel.rows):
        for column, verdict in enumerate(row.verdicts):
            if verdict is not None and verdict.fails:
                yield column + 2, place
