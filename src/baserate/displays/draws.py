"""Artists that two displays share: the scores of draws, and the point of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from baserate.binary.law.canonical import floats
from baserate.displays.style import BAND_ALPHA, BASELINE, DRAWS, label_scores, label_thetas, points
from baserate.support.formatting import number_format

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

    from baserate.binary.law.draws_by_size import DrawsBySize
    from baserate.binary.optimum.baseline import Baseline
    from baserate.verdicts.verdict import Verdict


class DrawArtists(NamedTuple):
    """The artists of the expectation, the central 95% and the baseline."""

    expectation: Line2D
    band: PolyCollection
    baseline: Line2D


def plot_draws(ax: Axes, draws: DrawsBySize, base: Baseline) -> DrawArtists:
    """Draw what draws of every size score."""
    theta = floats(draws.predicted_positives) / base.base_rate.total
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
    label = f"baseline {number_format([value])(value)}"
    line = ax.axhline(value, color=BASELINE, linestyle="--", linewidth=1, label=label)
    label_thetas(ax)
    label_scores(ax.yaxis, base.measure, room=points(ax)[1])
    return DrawArtists(expectation, band, line)


def plot_point(
    ax: Axes, verdict: Verdict, label: str, *, colour: str, marker: str, size: float = 6
) -> Line2D:
    """Plot a model as a point: hollow if it fails, filled otherwise."""
    table = verdict.performance.table
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
