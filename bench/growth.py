"""The cost of G2's baseline as the test set grows, ours and the authors'."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparisons import authors, third
from timing import quiet, seconds

import baserate as br

if TYPE_CHECKING:
    from pathlib import Path

Points = list[tuple[int, float]]


def measured_growth(*, quick: bool) -> dict[str, Points]:
    """Return the seconds of one baseline, at each size that a side answers soon enough."""
    theirs = (20, 50) if quick else (20, 50, 100, 200, 500, 1000)
    found: dict[str, Points] = {"baserate": [], "DutchDraw": []}
    with quiet():
        for power in range(2, 16):
            rate = third(10**power)
            found["baserate"].append(
                (10**power, seconds(lambda rate=rate: br.baseline(rate, "G2")))
            )
        for size in theirs:
            labels = [1] * (size // 3) + [0] * (size - size // 3)
            call = lambda labels=labels: authors.optimized_baseline_statistics(labels, "G2")
            found["DutchDraw"].append((size, seconds(call)))
    return found


def draw_growth(growth: dict[str, Points], path: Path) -> None:
    """Plot cost against size on two logarithmic axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    colours = {"baserate": "#0072B2", "DutchDraw": "#D55E00"}
    for name, points in growth.items():
        sizes, costs = zip(*points, strict=True)
        axes.loglog(sizes, costs, marker="o", color=colours[name], label=name)
        axes.annotate(
            name,
            (sizes[-1], costs[-1]),
            xytext=(6, 0) if name == "DutchDraw" else (-8, 10),
            textcoords="offset points",
            color=colours[name],
            ha="left" if name == "DutchDraw" else "right",
            va="center",
        )
    axes.set_xlabel("observations in the test set, M")
    axes.set_ylabel("seconds for one baseline of G2")
    axes.set_title("The cost of a baseline must not grow with the test set", loc="left")
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
