"""The paper's figures as PNG."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np

from baserate.displays import BaselineDisplay, ComparisonDisplay
from baserate.displays.style import FAILING, MODELS, tidy
from baserate.support.plotting import BASELINE
from reproduction.g2 import RATE
from reproduction.splits import BELOW_BY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from baserate.report import Report
    from reproduction.reproduction import Reproduction
    from reproduction.splits import Splits

_DPI = 90
_SIZE = (9.5, 4.2)
# Dots spaced by the golden ratio, modulo 1, never line up.
_JITTER, _SPREAD = 0.618, 0.6


def pictures(found: Reproduction) -> dict[str, bytes]:
    """Return the PNG of each figure, keyed by file name."""
    import matplotlib as mpl

    mpl.use("agg")  # a command opens no window
    drawn = {
        "cleveland.png": _cleveland(found.cleveland),
        "splits.png": _splits(found.splits),
        "g2.png": BaselineDisplay.from_test_set(RATE, "G2").figure_,
    }
    return {name: _png(figure) for name, figure in drawn.items()}


def _png(figure: Figure) -> bytes:
    from matplotlib import pyplot

    written = io.BytesIO()
    figure.savefig(written, format="png", dpi=_DPI)
    pyplot.close(figure)
    return written.getvalue()


def _cleveland(report: Report) -> Figure:
    return ComparisonDisplay(report).plot().figure_


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
