"""Artists that two displays share: the scores of draws, and the point of a model."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from baserate.core.direction import Direction
from baserate.displays.fractions import FractionScale, label_fractions
from baserate.displays.reports import two_classes
from baserate.displays.style import BAND_ALPHA, DRAWS, label_scores
from baserate.formatting import number_format
from baserate.support.plotting import BASELINE, points

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.lines import Line2D

    from baserate.binary.draw import DrawsBySize
    from baserate.binary.optimum.baseline import Baseline
    from baserate.displays.fractions import XScale
    from baserate.verdicts.verdict import Verdict


# Show this many times as far below the baseline as above, unless that is next to nothing.
_KEPT, _FLAT = 10, 1e-6


class DrawArtists(NamedTuple):
    """The artists of the expectation, the central 95% and the baseline."""

    expectation: Line2D
    band: PolyCollection
    baseline: Line2D


def plot_draws(
    ax: Axes, draws: DrawsBySize, base: Baseline, xscale: XScale = "auto"
) -> DrawArtists:
    """Draw what draws of every size score."""
    FractionScale.of(base.base_rate, xscale).apply(ax)
    theta = draws.predicted_positives / base.base_rate.total
    band = ax.fill_between(
        theta,
        draws.low,
        draws.high,
        color=DRAWS,
        alpha=BAND_ALPHA,
        linewidth=0,
        label="95% of draws",
    )
    (expectation,) = ax.plot(theta, draws.expectation, color=DRAWS, label="expected of a draw")
    value = base.best.value
    write = number_format([value], counted=base.measure.counts)
    label = f"baseline {write(value)}"
    line = ax.axhline(value, color=BASELINE, linestyle="--", linewidth=1, label=label)
    label_fractions(ax)
    label_scores(ax.yaxis, base.measure, room=points(ax)[1])
    return DrawArtists(expectation, band, line)


def plot_point(
    ax: Axes, verdict: Verdict, label: str, *, colour: str, marker: str, size: float = 6
) -> Line2D:
    """Plot a model as a point: hollow if it fails, filled otherwise."""
    table = two_classes(verdict)
    (point,) = ax.plot(
        table.predicted_positives / table.total,
        verdict.score,
        marker,
        color=colour,
        markerfacecolor="none" if verdict.fails else colour,
        markeredgewidth=1.5,
        markersize=size,
        label=label,
        zorder=3,
    )
    return point


def plot_interval(ax: Axes, verdict: Verdict, *, colour: str) -> LineCollection:
    """Plot the interval of a model's score, as an upright line through its point."""
    table = two_classes(verdict)
    place = table.predicted_positives / table.total
    return ax.vlines(place, verdict.low, verdict.high, color=colour, linewidth=1.2, zorder=2.5)


def why_undefined(verdict: Verdict) -> str:
    """Return why a model has no score, and so no point in the plot; empty if it has one."""
    if not math.isnan(verdict.score):
        return ""
    return verdict.performance.table.one_class or "undefined"


def close_up(ax: Axes, draws: DrawsBySize, base: Baseline, verdicts: Iterable[Verdict]) -> None:
    """Leave out what is far below the baseline, on a logarithmic axis.

    There it would flatten what is near the baseline, which is most of the axis: with 1% positives,
    show accuracies near 0.99, and not the 0.01 of predicting all positive. All points are shown.
    """
    if ax.get_xscale() == "linear":
        return
    sign = 1 if base.measure.direction is Direction.MAXIMIZE else -1
    value = base.best.value
    lowest, highest = sorted(sign * (end - value) for end in (ax.dataLim.y0, ax.dataLim.y1))
    points = [sign * (verdict.score - value) for verdict in verdicts]
    shown = min([-_KEPT * highest, *(point for point in points if not math.isnan(point))])
    if shown > _FLAT * lowest:  # nothing differs from the baseline: show a draw of P positives
        positives = base.base_rate.positives
        usual = np.interp(positives, draws.predicted_positives, draws.expectation)
        shown = sign * (float(usual) - value)
    if lowest / 2 < shown < 0:
        margin = 0.08 * (highest - shown)
        ax.set_ylim(*sorted(value + sign * end for end in (shown - margin, highest + margin)))
        ax.ticklabel_format(axis="y", useOffset=False)
