"""Plot the figures of the idea pages with our displays, during the build."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure

import baserate as br
from class_pages import EXAMPLE
from deck_pictures import plot_decks

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx

THIRTY_PERCENT = br.BaseRate(positives=60, total=200)
MODELS = {
    "good": br.Confusion(tp=98, fp=62, fn=41, tn=102),
    "timid": br.Confusion(tp=52, fp=41, fn=87, tn=123),
}


def curve() -> Figure:
    """Plot the score of a draw for every θ, next to two models."""
    figure = Figure(figsize=(6.4, 4), layout="constrained")
    br.BaselineDisplay.from_predictions(None, MODELS, "F1", ax=figure.subplots())
    return figure


def best_draws() -> Figure:
    """Plot three measures on one test set, each with a different best draw."""
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    for ax, measure in zip(figure.subplots(1, 3), ("F1", "ACC", "G2"), strict=True):
        display = br.BaselineDisplay.from_test_set(THIRTY_PERCENT, measure, ax=ax)
        ax.set_title(f"{measure}: {display.baseline.best.value:.4g} for free", fontsize="medium")
        ax.get_legend().remove()
    lines = {
        "expected of a draw": display.expectation_,
        "95% of draws": display.band_,
        "the baseline": display.baseline_,
    }
    figure.legend(lines.values(), lines.keys(), loc="outside lower center", ncols=3, frameon=False)
    return figure


def luck() -> Figure:
    """Plot the distribution under chance, with as many positive predictions as a model."""
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    br.ScoreDistributionDisplay.from_predictions(
        None, MODELS["timid"], "F1", name="timid", ax=figure.subplots()
    )
    return figure


def comparison() -> Figure:
    """Plot both models by several measures."""
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    measures = ["F1", "ACC", "MCC", "G2", "PPV", "TPR"]
    br.ComparisonDisplay.from_predictions(None, MODELS, measures, ax=figure.subplots())
    return figure


def decks() -> Figure:
    """Plot the expected score of every deck of three classes, by four measures."""
    figure = Figure(figsize=(9, 2.9), layout="constrained")
    keys = ("accuracy", "macro F1", "weighted F1", "G-mean")
    for ax, key in zip(figure.subplots(1, len(keys)), keys, strict=True):
        measure = br.get_measure(key, task="multiclass")
        plot_decks(ax, measure, EXAMPLE, size="small")
        best = br.baseline(EXAMPLE, measure).best
        ax.set_title(f"{key}: {best.value:.3g} for free", fontsize="medium", pad=10)
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
    return figure


PICTURES: dict[str, Callable[[], Figure]] = {
    "curve": curve,
    "best-draws": best_draws,
    "luck": luck,
    "comparison": comparison,
    "decks": decks,
}


def write_pictures(app: Sphinx) -> None:
    """Plot all figures, identically in each build."""
    for name, drawn in PICTURES.items():
        with mpl.rc_context({"svg.hashsalt": name}):
            path = Path(app.srcdir) / "ideas" / f"{name}.svg"
            drawn().savefig(path, metadata={"Date": None})


def setup(app: Sphinx) -> dict[str, Any]:
    """Plot the figures before Sphinx reads the pages."""
    app.connect("builder-inited", write_pictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
