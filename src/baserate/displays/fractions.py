"""The axis of the fraction predicted positive: linear, or logarithmic if positives are rare."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from baserate.displays.style import letters
from baserate.exceptions import InvalidReportError
from baserate.formatting import shown
from baserate.support.plotting import points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from baserate.binary.base_rate import BaseRate

XScale = Literal["auto", "linear", "log"]
# Draws and useful models predict about as many positives as there are. Below this base rate all
# of that is within the left twentieth of a linear axis.
_RARE = 0.05
# A logarithmic axis starts this far below the base rate.
_FAR_BELOW = 1000
# The width of the linear part next to zero, in decades, and the margin as a share of the axis.
_ZERO, _MARGIN = 1, 0.02


@dataclass(frozen=True)
class FractionScale:
    """The scale of an axis of fractions.

    Parameters
    ----------
    start
        Where the logarithmic part starts, a power of ten; between this and zero, which has no
        logarithm, the axis is linear. None if all of it is linear.
    """

    start: float | None

    @classmethod
    def of(cls, rate: BaseRate, xscale: XScale) -> FractionScale:
        """Return the requested scale; by default logarithmic if fewer than 5% are positive.

        It is logarithmic from one predicted positive, or from a thousandth of the base rate if
        that is more.
        """
        if xscale not in get_args(XScale):
            raise InvalidReportError(
                f"must be 'auto', 'linear' or 'log' (got {shown(xscale)})", parameter="xscale"
            )
        if xscale == "linear" or (xscale == "auto" and not 0 < rate.rate < _RARE):
            return cls(None)
        return cls(10.0 ** math.floor(math.log10(max(1 / rate.total, rate.rate / _FAR_BELOW))))

    def apply(self, ax: Axes) -> None:
        """Scale the x-axis, with a margin so that points at both ends are whole."""
        if self.start is None:
            ax.set_xlim(-_MARGIN, 1 + _MARGIN)
            return
        ax.set_xscale("symlog", linthresh=self.start, linscale=_ZERO, subs=range(2, 10))
        ax.xaxis.set_major_formatter(lambda x, _: f"{x:g}".replace("e-0", "e-"))
        margin = _MARGIN * (_ZERO - math.log10(self.start))
        ax.set_xlim(-self.start * margin / _ZERO, 10**margin)


def label_fractions(ax: Axes) -> None:
    """Label the axis of θ*, with the symbol if there is room."""
    words, symbol = "fraction predicted positive", ", θ* = P̂ / M"
    fits = len(words + symbol) < letters(ax.xaxis, points(ax)[0])
    ax.set_xlabel(words + symbol if fits else words)
