"""Whether so few rows can show anything, and how many more would."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from baserate.core.multiple_testing import Tails
from baserate.core.observed import score_test

if TYPE_CHECKING:
    from baserate.core.observed import TestSet
    from baserate.verdicts.verdict import Difference, Performance, Significance, Verdict


def shows_nothing(performance: Performance, significance: Significance) -> bool:
    """Whether even the best performance on that test set would be no evidence."""
    test_set, clusters = performance.table.test_set, performance.clusters
    if performance.against is not None:
        return _is_too_small_to_swap(clusters or test_set.total, significance)
    if clusters is not None and not _is_evident(score_test(np.ones(clusters)), significance):
        return True  # clusters that all show the same, as clearly as can be
    return is_too_small(test_set, significance)


def _is_evident(best: Tails, significance: Significance) -> bool:
    return best.of_best(significance.tries).better < significance.alpha


def _is_too_small_to_swap(rows: int, significance: Significance) -> bool:
    """Whether a model that is better than a reference on every row would be no evidence.

    Only two of all the ways to swap answers are as extreme: none of them, and all.
    """
    least = 2.0 ** (1 - min(rows, 1000))
    return not _is_evident(Tails(least, least), significance)


def is_too_small(test_set: TestSet, significance: Significance) -> bool:
    """Whether even a prediction without errors would be no evidence of learning.

    Its p-value is one in all the ways to order the truth. An adjustment for many models
    and groups makes p-values larger still, and is left out: it depends on the other models.
    """
    # The ways are a product of binomial coefficients, the largest class left out. The others have
    # at most half of what is left, so that each coefficient only grows.
    ways, left = 1, test_set.total
    for size in sorted(test_set.class_sizes)[:-1]:
        for place in range(size):
            ways = ways * (left - place) // (place + 1)
            if _is_evident(Tails(1 / ways, 1.0), significance):
                return False
        left -= size
    return True


POWER = 0.8
"""How often a test set with so many rows shows a difference as large as the observed one."""
# Intervals were studied from so many rows on (docs/ideas/intervals.md): fewer are not promised.
FEWEST_ROWS = 30
# A margin that needs more is 0, as far as anyone can tell.
MOST_ROWS = 10**9


class Shown(NamedTuple):
    """What some rows show of a margin, or of the difference between two models.

    `reach` is how far below the margin its interval begins; the p-value is one-sided.
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
        The interval is two-sided at `alpha`, and the p-value must be below `level`.

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


def rows_to_settle(verdict: Verdict, significance: Significance) -> float:
    """Return how many more rows would let a verdict clear; nan if that cannot be said.

    Both conditions must hold: a margin whose whole interval is above 0, and a p-value below alpha.
    """
    if shows_nothing(verdict.performance, significance):
        return math.nan
    total = verdict.performance.table.test_set.total
    ends = verdict.margin, verdict.margin - verdict.margin_low, verdict.margin_error
    if verdict.performance.against is not None:
        return _more(total, ends, verdict, significance, sides=2)
    p_worse = verdict.p_worse if significance.adjust is None else 0.0
    return _more(total, ends, verdict, significance, p_worse=p_worse)


def rows_to_tell_apart(difference: Difference, significance: Significance) -> float:
    """Return how many more rows would tell two models apart; nan if that cannot be said."""
    test_set, number = difference.pair.table.first.test_set, abs(difference.difference)
    if _is_too_small_to_swap(test_set.total, significance):
        return math.nan
    reach = number + (-difference.low if difference.difference > 0 else difference.high)
    ends = number, reach, difference.error
    return _more(test_set.total, ends, difference, significance, sides=2)


def _more(
    rows: int,
    ends: tuple[float, float, float],
    judged: Verdict | Difference,
    significance: Significance,
    *,
    sides: int = 1,
    p_worse: float = 0.0,
) -> float:
    """Return how many more rows, at the level that many claims and tries leave to one.

    Few rows have few p-values. So with `p_worse` it is the mid-p (Lancaster 1961) that is
    extrapolated, which counts half of the chance of just this score.
    """
    share = judged.p_value / judged.p_adjusted if judged.p_adjusted > 0 else 1.0
    alpha = judged.alpha * share
    p_value, level = (
        -math.expm1(math.log1p(-min(each, 1 - 1e-12)) / significance.tries) / sides
        for each in (judged.p_value, alpha)
    )
    p_value -= max(p_value + p_worse - 1, 0.0) / 2
    needed = max(Shown(rows, *ends, p_value).needed(alpha, level), FEWEST_ROWS)
    return rounded_up(max(needed - rows, 1)) if needed <= MOST_ROWS else math.nan


def rounded_up(rows: float) -> float:
    """Return a number of rows, rounded up to two digits."""
    step = 10.0 ** max(math.floor(math.log10(rows)) - 1, 0)
    return math.ceil(rows / step) * step
