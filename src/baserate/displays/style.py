"""Shared style of the displays: colours, labels and legend."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from baserate.formatting import printable
from baserate.support.plotting import literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

    from baserate.core.measure import AnyMeasure

# The palette of Okabe and Ito, distinguishable with any colour vision.
DRAWS = "#7f7f7f"
MODELS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = "osD^vPX*"
FAILING = "#D55E00"
BAND_ALPHA = 0.25
# The average width of a letter relative to its size.
LETTER = 0.55
# The columns and font size of a legend, to try in this order.
_LEGENDS = (
    (4, "small"),
    (3, "small"),
    (2, "small"),
    (2, "x-small"),
    (2, "xx-small"),
    (1, "x-small"),
)


def tidy(ax: Axes) -> None:
    """Remove what carries no information."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.3, linewidth=0.5)
    ax.set_axisbelow(True)
    ax.margins(y=0.08)


def legend(ax: Axes, title: str | None = None, top: Axes | None = None) -> None:
    """Put the legend above the plot and its top axis, in as many columns as fit."""
    from matplotlib.transforms import ScaledTranslation

    room = ax.get_window_extent().width
    lift = 0.0 if top is None else height_above(top) / 72
    above = ax.transAxes + ScaledTranslation(0, lift, ax.figure.dpi_scale_trans)
    for columns, size in _LEGENDS:
        drawn = ax.legend(
            title=title,
            loc="lower left",
            bbox_to_anchor=(0, 1.0),
            bbox_transform=above,
            ncols=columns,
            alignment="left",
            borderaxespad=0.2,
            borderpad=0.2,
            columnspacing=1.0,
            fontsize=size,
            title_fontsize=size,
            handlelength=1.6,
            markerscale=0.8,
            frameon=False,
        )
        if drawn.get_window_extent().width <= room:
            break


def label_scores(axis: Axis, measure: AnyMeasure[Any], room: float) -> None:
    """Label an axis of scores, with its direction, in lines that fit in the room, in points."""
    better = f"({measure.direction.better} is better)"
    name = literal(printable(measure.name))
    # The legend takes its share of the room.
    most = letters(axis, 0.8 * room)
    fits = len(name) + len(better) < most
    lines = [f"{name} {better}"] if fits else [*textwrap.wrap(name, max(most, 8)), better]
    axis.set_label_text("\n".join(lines))


def height_above(ax: Axes) -> float:
    """Return the height of what stands above the axes, such as a label, in points."""
    whole = ax.get_tightbbox()
    above = 0.0 if whole is None else whole.y1 - ax.get_window_extent().y1
    return above * 72 / ax.figure.dpi


def letters(axis: Axis, room: float) -> int:
    """Return how many letters of an axis label fit in this many points."""
    return int(room / (LETTER * float(axis.label.get_fontsize())))
