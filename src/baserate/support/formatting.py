"""Format numbers, counts and lists of names for people."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

UNDEFINED = "–"
ARROWS = "↑ higher is better, ↓ lower is better"
# Beyond this, floats have fewer digits than a number that is written in full.
_MOST_DIGITS = 1e15
# Smaller p-values are not written: doubles end there, and 9,999 shuffles tell no smaller one.
_LEAST_EXACT, _LEAST_SIMULATED = 1e-300, 1e-4


def number_format(values: Iterable[float], *, counted: bool = False) -> Callable[[float], str]:
    """Return a format for numbers shown together: no decimals if all are counts.

    Parameters
    ----------
    values
        The numbers.
    counted
        Whether they are numbers of observations: then each whole one is a count, 0 and 1 too.
    """
    if counted:
        return _count_or_decimal
    known = [value for value in values if not math.isnan(value)]
    are_counts = all(value.is_integer() for value in known) and any(abs(v) > 1 for v in known)
    return whole if are_counts else _decimal


def whole(value: float) -> str:
    """Format a number of observations, rounded if it is not whole."""
    if math.isnan(value):
        return UNDEFINED
    return f"{round(value):,}" if abs(value) <= _MOST_DIGITS else f"{value:.3g}"


def span(low: float, high: float, write: Callable[[float], str]) -> str:
    """Format the two ends of an interval; empty if they are undefined.

    Examples
    --------
    >>> span(0.588, 0.717, "{:.3f}".format), span(-0.112, 0.344, "{:.3f}".format)
    ('0.588–0.717', '-0.112 to 0.344')
    """
    if math.isnan(low):
        return ""
    ends = write(low), write(high)
    # A dash beside a minus sign is hard to read.
    return (" to " if "-" in "".join(ends) else "–").join(ends)


def confidence(alpha: float) -> str:
    """Format the level of an interval.

    Examples
    --------
    >>> confidence(0.05)
    '95%'
    """
    return f"{100 * (1 - alpha):.6g}%"


def probability(p: float, *, exact: bool = True, floor: float | None = None) -> str:
    """Write a p-value; one that its method cannot tell from smaller ones is written as a bound.

    Parameters
    ----------
    p
        The p-value.
    exact
        Whether it is exact, and no approximation or simulation.
    floor
        The smallest p-value that its method can tell, 0 if there is none; if it is left out, that
        of most permutation tests unless it is exact.

    Examples
    --------
    >>> probability(2.5e-5), probability(2.5e-5, exact=False), probability(0.0123, exact=False)
    ('2.5e-05', '< 1e-4', '≈ 0.012')
    >>> probability(2.5e-5, exact=False, floor=0), probability(0.0025, exact=False, floor=0.0025)
    ('≈ 2.5e-05', '< 0.0025')
    """
    if math.isnan(p):
        return UNDEFINED
    least = (0.0 if exact else _LEAST_SIMULATED) if floor is None else floor
    least = max(least, _LEAST_EXACT)
    # The observed order is one of the simulated ones, so that their smallest p-value is a bound.
    if p < least or (p == least and not exact):
        digits = 0 if math.isclose(float(f"{least:.0e}"), least) else 1
        small = f"{least:.{digits}e}".replace("e-0", "e-")
        return f"< {least:.3g}" if least >= 0.001 else f"< {small}"
    written = f"{p:.1e}" if p < 0.001 else f"{p:.3f}"
    return written if exact else f"≈ {written}"


def p_equals(p: float, *, exact: bool = True, floor: float | None = None) -> str:
    """Format a p-value for a sentence."""
    written = probability(p, exact=exact, floor=floor)
    return f"p {written}" if written[0] in "<≈" else f"p = {written}"


def weight(value: float) -> str:
    """Format a rescaled score or a Dutch Scaler."""
    return _decimal(value)


def in_words(names: Sequence[str]) -> str:
    """Join names as in a sentence."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def dropped_rows(count: int) -> str:
    """Say how many observations were left out."""
    return f"{count:,} observation{'' if count == 1 else 's'} with a missing value left out."


def _count_or_decimal(value: float) -> str:
    return whole(value) if value.is_integer() else _decimal(value)


def _decimal(value: float) -> str:
    if math.isnan(value):
        return UNDEFINED
    if 0 < abs(value) < 0.0005:
        return f"{value:.1e}"
    # Adding 0.0 turns a negative zero into zero.
    return whole(value) if abs(value) >= 1000 else f"{value + 0.0:.3f}"
