"""How many more rows would settle what is not sure yet."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

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


def rows_to_settle(verdict: Verdict, standard: Standard) -> float:
    """Return how many more rows would let a verdict clear; nan if that cannot be said.

    Both conditions must hold: a margin whose whole interval is above 0, and a p-value below alpha.
    """
    if shows_nothing(verdict.performance, standard):
        return math.nan
    total = verdict.performance.table.test_set.total
    sides = 1 if verdict.performance.against is None else 2
    reach = verdict.margin - verdict.margin_low
    return _more(
        total,
        rows_for_interval(total, verdict.margin, reach, verdict.margin_error),
        _rows_for_p(total, verdict, standard, sides),
    )


def rows_to_tell_apart(difference: Difference, standard: Standard) -> float:
    """Return how many more rows would tell two models apart; nan if that cannot be said."""
    test_set, number = difference.pair.table.first.test_set, abs(difference.difference)
    if is_too_small_to_swap(test_set, standard):
        return math.nan
    is_positive = difference.difference > 0
    reach = number - difference.low if is_positive else number + difference.high
    return _more(
        test_set.total,
        rows_for_interval(test_set.total, number, reach, difference.error),
        _rows_for_p(test_set.total, difference, standard, 2),
    )


def rows_for_interval(
    rows: int, margin: float, reach: float, error: float, power: float = POWER
) -> float:
    """Return with how many rows in all the interval of a margin is above 0, with some power.

    A margin varies by its standard error, and its interval reaches down from it; both shrink with
    the root of the number of rows.

    Parameters
    ----------
    rows
        How many there are.
    margin
        The margin, above 0.
    reach
        The distance from the margin to the lower end of its interval.
    error
        The standard error of the margin.
    power
        How often the interval should be above 0.

    Examples
    --------
    >>> round(rows_for_interval(100, margin=0.1, reach=0.2, error=0.1))
    807
    """
    from scipy.special import ndtri

    needed = reach + float(ndtri(power)) * error
    return rows * (needed / margin) ** 2 if margin > 0 else math.nan


def rows_for_p(rows: int, p_value: float, level: float, power: float = POWER) -> float:
    """Return with how many rows in all a one-sided p-value is below a level, with some power.

    The p-value says how many standard deviations of the null distribution a score is from its
    mean, and that distance grows with the root of the number of rows.

    Examples
    --------
    >>> round(rows_for_p(100, p_value=0.15, level=0.05))
    576
    """
    from scipy.special import ndtri

    distance, needed = -float(ndtri(p_value)), float(ndtri(power)) - float(ndtri(level))
    return rows * (needed / distance) ** 2 if distance > 0 else math.nan


def _rows_for_p(rows: int, judged: Verdict | Difference, standard: Standard, sides: int) -> float:
    """Return the rows for the p-value, at the level that many claims and tries leave to one."""
    share = judged.p_value / judged.p_adjusted if judged.p_adjusted > 0 else 1.0
    p_value, level = (
        -math.expm1(math.log1p(-min(each, 1 - 1e-12)) / standard.tries) / sides
        for each in (judged.p_value, judged.alpha * share)
    )
    return rows_for_p(rows, p_value, level)


def _more(rows: int, *needed: float) -> float:
    """Return how many more rows that is, rounded up to two digits; nan if one is not known."""
    most = max(FEWEST_ROWS, *needed)
    if any(map(math.isnan, needed)) or most > MOST_ROWS:
        return math.nan
    return rounded_up(max(most - rows, 1))


def rounded_up(rows: float) -> float:
    """Return a number of rows, rounded up to two digits.

    Examples
    --------
    >>> rounded_up(1_234.5), rounded_up(36.2), rounded_up(120)
    (1300.0, 37.0, 120.0)
    """
    step = 10.0 ** max(math.floor(math.log10(rows)) - 1, 0)
    return math.ceil(rows / step) * step
