"""Plot the expected scores of all mixes of three classes, as a triangle."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from baserate.baselines.class_expectation import expected_score
from baserate.baselines.class_search import class_baseline
from baserate.plots.display import FAILING

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from baserate.measures.classes_record import ClassMeasure
    from baserate.observed.labels import BaseRate

# Mixes are taken in steps of a twentieth: 231 of them.
_STEPS = 20
# More mixes than these are a region, which is seen without a mark.
_MOST_MARKED = 3
# Where mixes lie that always predict the first, the second and the third class.
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])


def draw(measure: ClassMeasure, counts: BaseRate, path: Path) -> None:
    """Plot a measure on a test set into a file, identically in each build."""
    figure = Figure(figsize=(5.4, 3.8), layout="constrained")
    ax = figure.subplots()
    shades = plot_mixes(ax, measure, counts)
    figure.colorbar(shades, ax=ax, label=f"expected {measure.key}", shrink=0.8)
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
    with mpl.rc_context({"svg.hashsalt": measure.key}):
        figure.savefig(path, metadata={"Date": None})


def plot_mixes(ax: Axes, measure: ClassMeasure, counts: BaseRate, size: str = "medium") -> Any:
    """Shade each mix by its expected score, and mark the best one and the true frequencies."""
    mixes = _mixes(counts.total)
    scores = [expected_score(measure, counts.counts, mix) for mix in mixes.tolist()]
    x, y = _place(mixes).T
    shades = ax.tricontourf(x, y, scores, levels=14, cmap="cividis")
    ax.plot(*_place(counts.array), "o", color="white", mec="black", label="as often as they occur")
    best = class_baseline(counts, measure).guesses
    if best.size <= _MOST_MARKED:
        ax.plot(*_place(np.array(list(best))).T, "*", ms=15, color=FAILING, mec="white",
                label="the best guess", clip_on=False, zorder=3)  # fmt: skip
    for (left, height), label in zip(_CORNERS, counts.labels, strict=True):
        where: dict[str, Any] = {"xytext": (0, -6), "va": "top"}
        if height > 0:
            where = {"xytext": (0, 6), "va": "bottom"}
        text = f"always {label}"
        ax.annotate(
            text, (left, height), ha="center", textcoords="offset points", size=size, **where
        )
    ax.set(aspect="equal", xlim=(-0.12, 1.12), ylim=(-0.12, 1.0))
    ax.axis("off")
    return shades


@cache
def _mixes(total: int) -> NDArray[np.int64]:
    steps = range(_STEPS + 1)
    shares = [(a, b, _STEPS - a - b) for a in steps for b in steps if a + b <= _STEPS]
    return np.array(shares) * total // _STEPS


def _place(mixes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return where mixes lie in the triangle."""
    return np.asarray(mixes / mixes.sum(axis=-1, keepdims=True) @ _CORNERS)
