"""The second axis of the threshold display: the thresholds that predict a fraction positive."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING

import numpy as np

from baserate.displays.fractions import FractionScale
from baserate.displays.style import LETTER
from baserate.support.plotting import points

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from baserate.displays.fractions import XScale
    from baserate.evaluation.threshold import ThresholdCurve

# Look for one round threshold in each of this many parts of the axis.
_PARTS = 10
# The share of the width that a layout leaves to the axes, next to the labels of scores.
_LEFT = 0.7


def threshold_axis(ax: Axes, curve: ThresholdCurve, xscale: XScale) -> Axes:
    """Draw thresholds above the plot, each at the fraction that it predicts positive.

    A secondary axis of matplotlib has no symmetrical logarithm, so this one is a twin that follows.
    """
    top = ax.twiny()
    FractionScale.of(curve.base_rate, xscale).apply(top)
    ticks = _apart(dict(_ticks(ax, curve)), top)
    top.set_xticks(list(ticks), list(ticks.values()))
    top.set_xticks([], minor=True)
    top.set_xlabel("threshold")
    top.spines[["right", "left", "bottom"]].set_visible(False)
    ax.callbacks.connect("xlim_changed", lambda moved: top.set_xlim(moved.get_xlim()))
    return top


def _ticks(ax: Axes, curve: ThresholdCurve) -> Iterator[tuple[float, str]]:
    """Yield the fraction and the label of one threshold in each part of the axis."""
    total = curve.base_rate.total
    if curve.predicted_positives[0] == 0:
        yield 0.0, "∞"
    is_finite = np.isfinite(curve.cutoffs)
    cutoffs = curve.cutoffs[is_finite]
    places = _along(ax, curve.predicted_positives[is_finite] / total)
    starts = np.unique(np.searchsorted(places, np.linspace(0, 1, _PARTS + 1)))
    for start, stop in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        threshold = _round(cutoffs[min(stop, cutoffs.size - 1)], cutoffs[start])
        yield curve.predicted_at(threshold) / total, _written(threshold)


def _along(ax: Axes, fractions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where fractions are on the axis, from 0 at its left end to 1."""
    moved = (ax.transScale + ax.transLimits).transform(
        np.column_stack([fractions, np.full(fractions.size, np.mean(ax.get_ylim()))])
    )
    return np.asarray(moved[:, 0])


def _apart(ticks: dict[float, str], ax: Axes) -> dict[float, str]:
    """Leave out the ticks whose labels would overlap the one before."""
    room = _LEFT * points(ax)[0]
    size = float(ax.xaxis.get_major_ticks(1)[0].label1.get_fontsize()) * LETTER / room
    kept: dict[float, str] = {}
    end = -np.inf
    for (fraction, label), place in zip(ticks.items(), _along(ax, np.array([*ticks])), strict=True):
        half = (len(label) + 1) * size / 2
        if place - half >= end:
            kept[fraction] = label
            end = place + half
    return kept


def _written(threshold: float) -> str:
    """Return all digits of a threshold, as briefly as possible."""
    short = f"{threshold:g}"
    return (short if float(short) == threshold else str(threshold)).replace("-", "−")


def _round(low: np.floating, high: np.floating) -> float:
    """Return the roundest number between two, the highest if there are several.

    The shortest decimals that denote the two are used: a float32 of 0.1 is 0.1.
    """
    least, most = Decimal(str(low)), Decimal(str(high))
    if least <= 0 <= most:
        return 0.0
    powers = range(most.adjusted() + 1, int(most.as_tuple().exponent) - 1, -1)
    steps = (Decimal(digit).scaleb(power - 1) for power in powers for digit in (10, 5))
    multiples = ((most / step).to_integral_value(ROUND_FLOOR) * step for step in steps)
    return float(next(multiple for multiple in multiples if multiple >= least))
