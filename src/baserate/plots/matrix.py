"""The confusion matrix as a heat map: what share of each true class is predicted as what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from baserate.core.observed import Grid
from baserate.data.rows import DEFAULT_NAME
from baserate.exceptions import InvalidReportError
from baserate.observed.classes import ConfusionMatrix
from baserate.observed.two_classes import Confusion
from baserate.plots.axes import LETTER, points, short_name
from baserate.plots.display import DisplayOfReport, require_one_model
from baserate.report.document import REST, HeatMap
from baserate.sklearn.responses import name_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    from matplotlib.collections import QuadMesh
    from matplotlib.text import Text

    from baserate.core.observed import Observed
    from baserate.report import Report
    from baserate.report.document import HeatCell

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


def _grid(table: Observed) -> Grid:
    """Return a table as a square of counts, also that of two classes, which has four."""
    if table.grid is not None:
        return table.grid
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
