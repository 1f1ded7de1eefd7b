"""Plot the scores of draws of every size by a measure, for several base rates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl
from matplotlib.figure import Figure

import baserate as br
from baserate.kinds.two_classes_null import DrawsBySize
from baserate.plots.display import tidy
from baserate.plots.null import plot_guesses

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def draw(measure: br.Measure, test_sets: Sequence[br.BaseRate], path: Path) -> None:
    """Plot the expectation and the central 95% of draws on each test set."""
    figure = Figure(figsize=(7, 2.8), layout="constrained")
    axes = figure.subplots(1, len(test_sets), sharey=True)
    for ax, rate in zip(axes, test_sets, strict=True):
        base = br.baseline(rate, measure)
        expectation, band, best = plot_guesses(ax, DrawsBySize.of(rate, measure), base)
        tidy(ax)
        ax.set(title=f"{rate.rate:.0%} positive", xlabel="θ*")
        ax.legend([best], [best.get_label()], frameon=False)
        ax.label_outer()
    axes[0].set_ylabel(measure.key)
    handles = [expectation, band]
    labels = [str(handle.get_label()) for handle in handles]
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
    with mpl.rc_context({"svg.hashsalt": measure.key}):  # the same in each build
        figure.savefig(path, metadata={"Date": None})
