"""How many more rows would settle what is not sure yet."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from baserate.verdicts.reach import is_too_small_to_swap, shows_nothing

if TYPE_CHECKING:
    from baserate.verdicts.difference import Difference
    from baserate.verdicts.standard import Standard
    from baserate.verdicts.verdict import Verdict

POWER = 0.8
"""How often a test set with so many rows shows a difference as large as the observed one."""
# Intervals were studied from so many rows on (docs/ideas/intervals.md): fewer are not promised.
FEWEST_ROWS = 30
# A margin that needs more is 0, as far as anyone can tell.
MOST_ROWS = 10**9


class Shown(NamedTuple):
    """What some rows show of a margin, or of the difference between two models.

    Parameters
    ----------
    rows
        How many there are.
    margin, reach, error
        The margin, how far below it its interval begins, and its standard error.
    p_value
        The one-sided p-value.
    """

    rows: int
    margin: float
    reach: float
    error: float
    p_value: float

    def needed(self, alpha: float, level: float, power: float = POWER) -> float:
        """Return with how many rows in all the interval is above 0 and the p-value small enough.

        The standard error shrinks with the root of the number of rows. What its interval is wider
        than a normal one, for a spare row or few degrees of freedom, shrinks with the number
        itself. The p-value says how many standard deviations of the null distribution a score is
        from its mean, and that distance grows with the root of the number of rows.

        Parameters
        ----------
        alpha
            The two-sided level of the interval.
        level
            What the p-value must be below.
        power
            How often both should hold.

        Examples
        --------
        >>> round(Shown(100, 0.1, reach=0.2, error=0.1, p_value=0.02).needed(0.05, 0.05))
        793
        >>> round(Shown(100, 0.1, reach=0.04, error=0.02, p_value=0.15).needed(0.05, 0.05))
        576
        """
        from scipy.special import ndtri

        if not self.margin > 0 or not self.p_value < 0.5:
            return math.nan
        often, sure, small = (float(ndtri(each)) for each in (power, alpha / 2, level))
        spread = (often - sure) * self.error
        wider = max(self.reach + sure * self.error, 0.0)
        # margin = spread·x + wider·x², where x² is how many rows there are for each that is needed.
        # In units of the margin, as squares of tiny numbers are 0.
        spread, wider = spread / self.margin, wider / self.margin
        x = 2 / (spread + math.sqrt(spread**2 + 4 * wider)) if spread + wider else math.inf
        distance = (often - small) / -float(ndtri(self.p_value))
        return self.rows * max(x**-2, distance**2)


def rows_to_settle(verdict: Verdict, standard: Standard) -> float:
    """Return how many more rows would let a verdict clear; nan if that cannot be said.

    Both conditions must hold: a margin whose whole interval is above 0, and a p-value below alpha.
    """
    if shows_nothing(verdict.performance, standard):
        return math.nan
    total = verdict.performance.table.test_set.total
    ends = verdict.margin, verdict.margin - verdict.margin_low, verdict.margin_error
    sides = 1 if verdict.performance.against is None else 2
    return _more(total, ends, verdict, standard, sides)


def rows_to_tell_apart(difference: Difference, standard: Standard) -> float:
    """Return how many more rows would tell two models apart; nan if that cannot be said."""
    test_set, number = difference.pair.table.first.test_set, abs(difference.difference)
    if is_too_small_to_swap(test_set, standard):
        return math.nan
    reach = number + (-difference.low if difference.difference > 0 else difference.high)
    return _more(test_set.total, (number, reach, difference.error), difference, standard, 2)


def _more(
    rows: int,
    ends: tuple[float, float, float],
    judged: Verdict | Difference,
    standard: Standard,
    sides: int,
) -> float:
    """Return how many more rows, at the level that many claims and tries leave to one."""
    share = judged.p_value / judged.p_adjusted if judged.p_adjusted > 0 else 1.0
    alpha = judged.alpha * share
    p_value, level = (
        -math.expm1(math.log1p(-min(each, 1 - 1e-12)) / standard.tries) / sides
        for each in (judged.p_value, alpha)
    )
    needed = max(Shown(rows, *ends, p_value).needed(alpha, level), FEWEST_ROWS)
    return rounded_up(max(needed - rows, 1)) if needed <= MOST_ROWS else math.nan


def rounded_up(rows: float) -> float:
    """Return a number of rows, rounded up to two digits.

    Examples
    --------
    >>> rounded_up(1_234.5), rounded_up(36.2), rounded_up(120)
    (1300.0, 37.0, 120.0)
    """
    step = 10.0 ** max(math.floor(math.log10(rows)) - 1, 0)
    return math.ceil(rows / step) * step
