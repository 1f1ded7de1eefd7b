"""Axes, colours, labels and legends: what all pictures share."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.exceptions import InvalidReportError, MissingDependencyError
from baserate.formatting import printable, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from numpy.typing import NDArray

    from baserate.core.measure import Measure
    from baserate.verdicts.verdict import Verdict

# The palette of Okabe and Ito, distinguishable with any colour vision.
MODELS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = "osD^vPX*"
BASELINE, CHANCE, FAILING = "#000000", "#7f7f7f", "#D55E00"
BAND_ALPHA = 0.25
# The average width of a letter relative to its size.
LETTER = 0.55
# The longest part of a name that a picture shows.
_MOST_LETTERS = 60
# Twice as many columns as a wide plot has pixels.
_COLUMNS = 2000
# The columns and font size of a legend, to try in this order.
_LEGENDS = (
    (4, "small"),
    (3, "small"),
    (2, "small"),
    (2, "x-small"),
    (2, "xx-small"),
    (1, "x-small"),
)


def axes_of(ax: Axes | None, size: tuple[float, float] | None = None) -> Axes:
    """Return the given axes, or those of a new figure; never the current axes."""
    if ax is not None:
        return ax
    _, new = _pyplot().subplots(figsize=size, layout="constrained")
    return new  # type: ignore[no-any-return]


def pair_of_axes(given: Sequence[Axes] | None, size: tuple[float, float]) -> tuple[Axes, Axes]:
    """Return the two given axes, or those of a new figure, side by side."""
    if given is None:
        _, given = _pyplot().subplots(1, 2, figsize=size, layout="constrained")
    try:
        left, right = given
    except (TypeError, ValueError):
        raise InvalidReportError(
            f"must be two axes, one for each curve (got {shown(given)})", parameter="ax"
        ) from None
    return left, right


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError:
        raise MissingDependencyError.package("matplotlib", "a plot") from None
    return pyplot


def short_name(name: object, most: int = _MOST_LETTERS) -> str:
    """Return a name on one line, short enough to leave room for the plot."""
    text = printable(str(name))
    return literal(text if len(text) <= most else f"{text[: most - 1]}…")


def literal(text: str) -> str:
    r"""Return a text that matplotlib draws as it is: between two dollars it sees a formula.

    Examples
    --------
    >>> print(literal("$5 or $10"))
    \$5 or \$10
    """
    return text.replace("$", r"\$")


def points(ax: Axes) -> tuple[float, float]:
    """Return the width and height of the axes, in points."""
    box, size = ax.get_window_extent(), 72 / ax.figure.dpi
    return box.width * size, box.height * size


def letters(axis: Axis, room: float) -> int:
    """Return how many letters of an axis label fit in this many points."""
    return int(room / (LETTER * float(axis.label.get_fontsize())))


def tidy(ax: Axes) -> None:
    """Remove what carries no information."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.3, linewidth=0.5)
    ax.set_axisbelow(True)
    ax.margins(y=0.08)


def legend(ax: Axes, title: str | None = None, top: Axes | None = None) -> None:
    """Put the legend above the plot and its top axis, in as many columns as fit."""
    from matplotlib.transforms import ScaledTranslation

    box = ax.get_window_extent()
    above = None if top is None else top.get_tightbbox()
    lift = 0.0 if above is None else (above.y1 - box.y1) / ax.figure.dpi
    for columns, size in _LEGENDS:
        drawn = ax.legend(
            title=title,
            loc="lower left",
            bbox_to_anchor=(0, 1.0),
            bbox_transform=ax.transAxes + ScaledTranslation(0, lift, ax.figure.dpi_scale_trans),
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
        if drawn.get_window_extent().width <= box.width:
            break


def label_scores(axis: Axis, measure: Measure[Any] | Verdict, room: float) -> None:
    """Label an axis of scores, with its direction, in lines that fit in the room, in points."""
    better = f"({measure.direction.better} is better)"
    name = literal(printable(measure.name))
    most = letters(axis, 0.8 * room)  # the legend takes its share
    fits = len(name) + len(better) < most
    lines = [f"{name} {better}"] if fits else [*textwrap.wrap(name, max(most, 8)), better]
    axis.set_label_text("\n".join(lines))


def outline(values: NDArray[np.float64]) -> NDArray[Any]:
    """Return the indices of the visible points: the highest and the lowest of each column.

    The columns are those of a linear and of a logarithmic axis.
    """
    if values.size <= 4 * _COLUMNS:
        return np.arange(values.size)
    starts = np.union1d(
        np.linspace(0, values.size, _COLUMNS + 1).astype(np.int64),
        np.geomspace(1, values.size, _COLUMNS).astype(np.int64),
    )
    kept = {0, values.size - 1}
    for start, stop in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        column = values[start:stop]
        if not np.isnan(column).all():
            kept |= {start + int(np.nanargmin(column)), start + int(np.nanargmax(column))}
    return np.array(sorted(kept))
