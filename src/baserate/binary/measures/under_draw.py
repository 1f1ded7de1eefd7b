"""What a measure expects of a draw, as it declares it (the paper's Tables 3 and 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from baserate.binary.measures.extreme import NEVER, Condition, Extreme

if TYPE_CHECKING:
    from baserate.core.formula import Formula


@dataclass(frozen=True, kw_only=True)
class UnderDraw:
    """The facts of a measure under a draw; what is left out is computed or searched.

    Parameters
    ----------
    slope, intercept
        a and b of X(a, b) = a·TP + b, from the margins (Table 3), if it is linear in TP.
    expectation
        Its expectation under a draw, from the margins (Table 3); computed if there is no formula.
    maximum, minimum
        The extremes of the expectation (Table 4); searched if there are no formulas.
    constant
        When every allowed draw has the same expectation, and so attains both extremes.
    gain
        What one more positive prediction is expected to add, up to a positive factor and in a
        form that does not cancel. It is declared where the expectation is concave in P̂, so that
        its change of sign is the maximum.
    shape
        The shape of its expectation as a function of P̂, if it is known.
    """

    slope: Formula | None = None
    intercept: Formula | None = None
    expectation: Formula | None = None
    maximum: Extreme | None = None
    minimum: Extreme | None = None
    constant: Condition = NEVER
    gain: Formula | None = None
    shape: Literal["concave", "convex"] | None = None
