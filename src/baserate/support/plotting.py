"""Axes, sizes and names in pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baserate.exceptions import InvalidReportError, MissingDependencyError
from baserate.formatting import printable, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

# The colour of baselines, and of what does not clear them.
BASELINE = "#000000"
# The longest part of a name that a picture shows.
_MOST_LETTERS = 60


def axes_of(ax: Axes | None, size: tuple[float, float] | None = None) -> Axes:
    """Return the given axes, or those of a new figure; never the current axes."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError:
        raise MissingDependencyError.package("matplotlib", "a display") from None
    _, new = pyplot.subplots(figsize=size, layout="constrained")
    return new


def pair_of_axes(given: Sequence[Axes] | None, size: tuple[float, float]) -> tuple[Axes, Axes]:
    """Return the two axes that are given, or those of a new figure, side by side."""
    if given is None:
        first = axes_of(None, size)
        figure = first.figure
        first.remove()
        left, right = figure.subplots(1, 2)
        return left, right
    try:
        left, right = given
    except (TypeError, ValueError):
        raise InvalidReportError(
            f"must be two axes, one for each curve (got {shown(given)})", parameter="ax"
        ) from None
    return left, right


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
