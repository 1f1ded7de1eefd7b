"""The axis of the fraction predicted positive, and what guesses and models score along it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from baserate.core.measure import Direction
from baserate.exceptions import InvalidPredictionsError, InvalidReportError
from baserate.formatting import number_format, shown
from baserate.kinds.two_classes.task import BINARY
from baserate.observed.scores import RankedScores
from baserate.observed.two_classes import Confusion
from baserate.plots.axes import BAND_ALPHA, BASELINE, CHANCE, label_scores, letters, points

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.lines import Line2D

    from baserate.baselines.dutch_draw import DutchDrawBaseline
    from baserate.kinds.two_classes.null import DrawsBySize
    from baserate.observed.base_rate import BaseRate
    from baserate.verdicts.verdict import Verdict

XScale = Literal["auto", "linear", "log"]
# Useful models predict about as many positives as there are. Below this base rate all of them are
# within the left twentieth of a linear axis.
_RARE = 0.05
# A logarithmic axis starts this far below the base rate.
_FAR_BELOW = 1000
# The width of the linear part next to zero, in decades, and the margin as a share of the axis.
_ZERO, _MARGIN = 1, 0.02
# Show this many times as far below the baseline as above, unless that is next to nothing.
_KEPT, _FLAT = 10, 1e-6


def log_start(rate: BaseRate, xscale: XScale) -> float | None:
    """Return where the logarithmic part of the axis starts, a power of ten; None if it is linear.

    By default it is logarithmic if fewer than 5% are positive: from one predicted positive, or from
    a thousandth of the base rate if that is more. Zero has no logarithm; next to it the axis is
    linear.
    """
    if xscale not in get_args(XScale):
        raise InvalidReportError(
            f"must be 'auto', 'linear' or 'log' (got {shown(xscale)})", parameter="xscale"
        )
    if xscale == "linear" or (xscale == "auto" and not 0 < rate.rate < _RARE):
        return None
    return float(10.0 ** math.floor(math.log10(max(1 / rate.total, rate.rate / _FAR_BELOW))))


def scale_fractions(ax: Axes, start: float | None) -> None:
    """Scale the x-axis, with a margin so that points at both ends are whole."""
    if start is None:
        ax.set_xlim(-_MARGIN, 1 + _MARGIN)
        return
    ax.set_xscale("symlog", linthresh=start, linscale=_ZERO, subs=range(2, 10))
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:g}".replace("e-0", "e-"))
    margin = _MARGIN * (_ZERO - math.log10(start))
    ax.set_xlim(-start * margin / _ZERO, 10**margin)


class GuessArtists(NamedTuple):
    """The artists of the expectation, the central 95% and the baseline."""

    expectation: Line2D
    band: PolyCollection
    baseline: Line2D


def plot_guesses(
    ax: Axes, draws: DrawsBySize, base: DutchDrawBaseline, xscale: XScale = "auto"
) -> GuessArtists:
    """Draw what guesses with every number of positives score."""
    scale_fractions(ax, log_start(base.test_set, xscale))
    theta, value = draws.predicted_positives / base.test_set.total, base.best.value
    band = ax.fill_between(
        theta,
        draws.low,
        draws.high,
        color=CHANCE,
        alpha=BAND_ALPHA,
        linewidth=0,
        label="95% of guesses",
    )
    (line,) = ax.plot(theta, draws.expectation, color=CHANCE, label="expected score of a guess")
    best = f"best guess {number_format([value], counted=base.measure.counts)(value)}"
    baseline = ax.axhline(value, color=BASELINE, linestyle="--", linewidth=1, label=best)
    words, symbol = "fraction predicted positive", ", θ* = P̂ / M"
    fits = len(words + symbol) < letters(ax.xaxis, points(ax)[0])
    ax.set_xlabel(words + symbol if fits else words)
    label_scores(ax.yaxis, base.measure, room=points(ax)[1])
    return GuessArtists(line, band, baseline)


def plot_point(
    ax: Axes, verdict: Verdict, label: str, *, colour: str, marker: str, size: float = 6
) -> Line2D:
    """Plot a model as a point: hollow if it is no better than the baseline, filled otherwise."""
    (point,) = ax.plot(
        fraction_of(verdict),
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
    """Plot the confidence interval of a model's score, as an upright line through its point."""
    ends = verdict.low, verdict.high
    return ax.vlines(fraction_of(verdict), *ends, color=colour, linewidth=1.2, zorder=2.5)


def fraction_of(verdict: Verdict) -> float:
    """Return the fraction that a model predicts positive."""
    table = two_classes(verdict)
    return table.predicted_positives / table.total


def table_of(verdict: Verdict) -> Any:
    """Return what a verdict is about: of scores with a threshold, it may be their labels."""
    table: Any = verdict.performance.table
    is_cut = isinstance(table, RankedScores) and table.threshold is not None
    return table.table(table.threshold) if is_cut and BINARY.named(verdict.measure) else table


def two_classes(verdict: Verdict) -> Confusion:
    """Return the table of a verdict on labels of two classes, or raise: only they have a θ."""
    table = table_of(verdict)
    if not isinstance(table, Confusion):
        raise InvalidPredictionsError(
            "a BaselineDisplay must be of labels of two classes, without importance weights (got "
            f"{type(table).__name__} and {shown(verdict.measure)}); report.plot() shows every "
            "report, NullDistributionDisplay what chance gives, MatrixDisplay several classes, "
            "RankingDisplay scores and ResidualDisplay numbers, and pos_label makes one class "
            "positive"
        )
    return table


def why_undefined(verdict: Verdict) -> str:
    """Return why a model has no score, and so no point in the plot; empty if it has one."""
    if not math.isnan(verdict.score):
        return ""
    return verdict.performance.table.one_class or "undefined"


def close_up(
    ax: Axes, draws: DrawsBySize, base: DutchDrawBaseline, verdicts: Iterable[Verdict]
) -> None:
    """Leave out what is far below the baseline, on a logarithmic axis.

    There it would flatten what is near the baseline, which is most of the axis: with 1% positives,
    show accuracies near 0.99, and not the 0.01 of predicting all positive. All points are shown.
    """
    if ax.get_xscale() == "linear":
        return
    sign = 1 if base.measure.direction is Direction.MAXIMIZE else -1
    value = base.best.value
    lowest, highest = sorted(sign * (end - value) for end in (ax.dataLim.y0, ax.dataLim.y1))
    scores = [sign * (verdict.score - value) for verdict in verdicts]
    shown = min([-_KEPT * highest, *(score for score in scores if not math.isnan(score))])
    if shown > _FLAT * lowest:  # nothing differs from the baseline: show a guess of P positives
        positives = base.test_set.positives
        usual = np.interp(positives, draws.predicted_positives, draws.expectation)
        shown = sign * (float(usual) - value)
    if lowest / 2 < shown < 0:
        margin = 0.08 * (highest - shown)
        ax.set_ylim(*sorted(value + sign * end for end in (shown - margin, highest + margin)))
        ax.ticklabel_format(axis="y", useOffset=False)
