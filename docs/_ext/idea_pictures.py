"""Plot the figures of the idea pages, during the build."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

import baserate as br
from class_pages import EXAMPLE
from mix_pictures import plot_mixes

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx

THIRTY_PERCENT = br.BaseRate(positives=60, total=200)
MODELS = {
    "good": br.ConfusionMatrix(tp=98, fp=62, fn=41, tn=102),
    "timid": br.ConfusionMatrix(tp=52, fp=41, fn=87, tn=123),
}
TREE = br.ConfusionMatrix([[50, 15, 5], [8, 10, 2], [4, 3, 3]], labels=["a", "b", "c"])


def curve() -> Figure:
    """Plot the score of a draw for every θ, next to two models."""
    figure = Figure(figsize=(6.4, 4), layout="constrained")
    br.plots.BaselineDisplay.from_predictions(None, MODELS, "F1", ax=figure.subplots())
    return figure


def best_draws() -> Figure:
    """Plot three measures on one test set, each with a different best draw."""
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    for ax, measure in zip(figure.subplots(1, 3), ("F1", "ACC", "G2"), strict=True):
        display = br.baseline(THIRTY_PERCENT, measure).plot(ax=ax)
        ax.set_title(f"{measure}: best guess {display.baseline.best.value:.4g}", fontsize="medium")
        ax.get_legend().remove()
    lines = {
        "expected score of a guess": display.expectation_,
        "95% of guesses": display.band_,
        "the best guess": display.baseline_,
    }
    figure.legend(lines.values(), lines.keys(), loc="outside lower center", ncols=3, frameon=False)
    return figure


def null() -> Figure:
    """Plot the distribution under chance, with as many positive predictions as a model."""
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    br.plots.NullDistributionDisplay.from_predictions(
        None, MODELS["timid"], "F1", name="timid", ax=figure.subplots()
    )
    return figure


def comparison() -> Figure:
    """Plot both models by several measures."""
    return br.evaluate(None, MODELS, ["F1", "ACC", "MCC", "G2", "PPV", "TPR"]).plot().figure_


def class_mixes() -> Figure:
    """Plot the expected score of every mix of three classes, by four measures."""
    figure = Figure(figsize=(9, 2.9), layout="constrained")
    keys = ("accuracy", "macro F1", "weighted F1", "G-mean")
    for ax, key in zip(figure.subplots(1, len(keys)), keys, strict=True):
        measure = br.get_measure(key, task="multiclass")
        plot_mixes(ax, measure, EXAMPLE, size="small")
        best = br.baseline(EXAMPLE, measure).best
        ax.set_title(f"{key}: best guess {best.value:.3g}", fontsize="medium", pad=10)
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
    return figure


def roles() -> Figure:
    """Plot the null of a model of three classes, with the best of the family beside it."""
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    ax = figure.subplots()
    br.plots.NullDistributionDisplay.from_predictions(None, TREE, "accuracy", name="tree", ax=ax)
    best = br.baseline(EXAMPLE, "accuracy").best.value
    ax.axvline(best, color="black", linestyle="--", label=f"best guess: always 'a', {best:.3g}")
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, fontsize="small")
    return figure


def average_precision() -> Figure:
    """Plot the curves of a model with few positives, beside those of a random ranking."""
    truth = np.isin(np.arange(40), [1, 6, 9, 25]).astype(int)
    figure = Figure(figsize=(9, 5.6), layout="constrained")
    ax = figure.subplots(1, 2)
    br.plots.RankingDisplay.from_predictions(truth, {"model": -np.arange(40)}, ax=ax)
    return figure


def constants() -> Figure:
    """Plot the errors of true prices, shuffled over the houses, beside those of a constant."""
    rng = np.random.default_rng(1)
    prices = rng.gamma(3, 100, 200)
    figure = Figure(figsize=(9, 5.6), layout="constrained")
    shuffled = {"true prices, shuffled": rng.permutation(prices)}
    br.plots.ResidualDisplay.from_predictions(prices, shuffled, ax=figure.subplots(1, 2))
    return figure


def claim() -> Figure:
    """Plot one model on a test set, and with the same rates on one ten times as large."""
    figure = Figure(figsize=(9, 3.8), layout="constrained")
    small, large = MODELS["good"], br.ConfusionMatrix(tp=980, fp=620, fn=410, tn=1020)
    for ax, table in zip(figure.subplots(1, 2, sharey=True), (small, large), strict=True):
        br.plots.BaselineDisplay.from_predictions(None, {"model": table}, "F1", ax=ax)
        ax.set(title=f"{table.total:,} observations", xlim=(0.4, 1.01), ylim=(0.4, 0.75))
        ax.get_legend().remove()
        ax.label_outer()
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    return figure


PICTURES: dict[str, Callable[[], Figure]] = {
    "curve": curve,
    "best-draws": best_draws,
    "null": null,
    "comparison": comparison,
    "class-mixes": class_mixes,
    "roles": roles,
    "ap": average_precision,
    "constants": constants,
    "claim": claim,
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
