"""The paper's figures as PNG."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Literal

import numpy as np

import baserate as br
from baserate.core.measure import Direction
from baserate.formatting import number_format
from baserate.plots.display import BASELINE, FAILING, MODELS, tidy
from reproduction.g2 import RATE
from reproduction.splits import BELOW_BY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from baserate.report import Report
    from baserate.verdicts.verdict import Verdict
    from reproduction.reproduction import Reproduction
    from reproduction.splits import Splits

_DPI = 90
_SIZE, _TABLE = (9.5, 4.2), (8.0, 8.6)
# Beyond the range of rescaled scores, so that colours stay pale under black numbers.
_PALE = 1.6
# Dots spaced by the golden ratio, modulo 1, never line up.
_JITTER, _SPREAD = 0.618, 0.6


def pictures(found: Reproduction) -> dict[str, bytes]:
    """Return the PNG of each figure, keyed by file name."""
    import matplotlib as mpl

    mpl.use("agg")  # a command opens no window
    drawn = {
        "cleveland.png": _cleveland(found.cleveland),
        "splits.png": _splits(found.splits),
        "g2.png": br.baseline(RATE, "G2").plot().figure_,
    }
    return {name: _png(figure) for name, figure in drawn.items()}


def _png(figure: Figure) -> bytes:
    from matplotlib import pyplot

    written = io.BytesIO()
    figure.savefig(written, format="png", dpi=_DPI)
    pyplot.close(figure)
    return written.getvalue()


def _cleveland(report: Report) -> Figure:
    """Plot the paper's figure: models beside both baselines, and boxes around failures."""
    from matplotlib import colormaps, pyplot

    rows = [report.measure(key).verdicts for key in report.measures]
    texts = [[v[0].baseline_min, v[0].baseline_max, *(each.score for each in v)] for v in rows]
    names = ["lowest\nbaseline", "highest\nbaseline", *report.models]
    figure, ax = pyplot.subplots(figsize=_TABLE, layout="constrained")
    ax.pcolormesh(
        np.arange(len(report.models) + 1) + 2,
        np.arange(len(rows) + 1),
        np.ma.masked_invalid([[_rescaled(each) for each in verdicts] for verdicts in rows]),
        cmap=colormaps["PuOr"].with_extremes(bad="#eeeeee"),
        vmin=-_PALE,
        vmax=_PALE,
        edgecolors="white",
    )
    for row, verdicts in enumerate(rows):
        write = number_format(texts[row], counted=verdicts[0].counts)
        to_beat = int(verdicts[0].direction is Direction.MAXIMIZE)
        for column, score in enumerate(texts[row]):
            weight = "bold" if column == to_beat else "normal"
            ax.text(column + 0.5, row + 0.5, write(score), ha="center", va="center", weight=weight)
        for column, verdict in enumerate(verdicts, start=2):
            if verdict.fails or verdict.outcome is br.Outcome.UNSURE:
                _box(ax, column, row, "-" if verdict.fails else "--")
    ax.set_xticks(np.arange(len(names)) + 0.5, [name.replace(" ", "\n", 1) for name in names])
    keys = [f"{verdicts[0].measure} {verdicts[0].direction.arrow}" for verdicts in rows]
    ax.set_yticks(np.arange(len(rows)) + 0.5, keys)
    ax.tick_params(length=0, top=False, labeltop=True, labelbottom=False)
    ax.set(xlim=(0, len(names)), ylim=(len(rows), 0))
    ax.spines[:].set_visible(False)
    ax.set_xlabel(
        "bold: the baseline to beat   boxed: no better, dashed: unsure\n"
        "orange to purple: below and above the baseline"
    )
    return figure


def _rescaled(verdict: Verdict) -> float:
    """Return the value that colours a cell; nan if the measure is uninformative."""
    return max(verdict.rescaled, -1.0) if verdict.beats or verdict.fails else math.nan


def _box(ax: Axes, column: int, row: int, line: Literal["-", "--"]) -> None:
    from matplotlib.patches import Rectangle

    box = Rectangle((column + 0.04, row + 0.06), 0.92, 0.88, fill=False, edgecolor=BASELINE)
    box.set_linestyle(line)
    ax.add_patch(box)


def _splits(splits: Splits) -> Figure:
    """Plot a dot per split: how far each model is above the baseline."""
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(
        1, len(BELOW_BY), sharey=True, figsize=_SIZE, layout="constrained"
    )
    for ax, measure in zip(panels, BELOW_BY, strict=True):
        _panel(ax, splits, measure)
    panels[0].set_yticks(range(len(splits.models)), splits.models)
    panels[0].invert_yaxis()
    figure.supxlabel(f"score minus baseline, on {len(splits.reports)} random splits", size="medium")
    return figure


def _panel(ax: Axes, splits: Splits, measure: str) -> None:
    for row, model in enumerate(splits.models):
        _dots(ax, row, splits.margins(model, measure))
        share = splits.share(splits.below(model, measure))
        across = ax.get_yaxis_transform()
        ax.text(0.98, row - 0.28, f"{share} below", ha="right", size="small", transform=across)
    ax.axvline(0, color=BASELINE, linewidth=1, linestyle="--")
    ax.set_title(measure)
    tidy(ax)


def _dots(ax: Axes, row: int, margins: NDArray[np.float64]) -> None:
    heights = row + _SPREAD * (np.arange(margins.size) * _JITTER % 1 - 0.5) + 0.1
    for chosen, colour in ((margins >= 0, MODELS[0]), (margins < 0, FAILING)):
        ax.plot(margins[chosen], heights[chosen], ".", color=colour, markersize=3, alpha=0.7)
