"""Scales on which scores of samples are nearly normal, and what few observations did not show.

Errors have no end. One of twenty may be ten times as large as the others and yet be missing among
thirty observations, and no method can know that. Limits of few observations allow for it: a mean
loss may be `unseen` times larger than it was, and so may what a model knows. How much they allow
for was chosen on populations of that kind (`docs/decisions/0044`), and hardly matters beyond 200
observations.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from baserate.core.direction import Direction
from baserate.regression.measures.correlations import CONCORDANCE, KENDALL, SPEARMAN
from baserate.regression.measures.forms import MeanLoss, MiddleError
from baserate.regression.uncertainty.losses import Shape, shape_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.regression.measures.record import NumberMeasure

    Limits = tuple[float, float]

# Squares of this many observations may be missing as much as was seen, of fewer far more, but never
# more than so many times as much; errors miss an eighth of that, and ranks a
# quarter.
_FEW, _FALL, _MOST_UNSEEN, _OF_ERRORS, _OF_RANKS = 80.0, 2.5, 29.0, 0.125, 0.25
# How much of what speaks against a model may be missing, beside a loss: a claim must stay possible.
_AGAINST = 0.25


class More(NamedTuple):
    """How much more noise and signal there may be than was seen, in units of what was."""

    noise: float
    signal: float


def unseen(measure: NumberMeasure, units: float) -> float:
    """Return how much of a mean may not have been seen, in units of what was.

    Medians and errors that have an end hide nothing.

    Examples
    --------
    >>> from baserate.regression.measures.errors import MAE, MEDIAN_ERROR, MSE, RMSE
    >>> [round(unseen(MSE, rows), 2) for rows in (10, 30, 100, 1_000)]
    [29.0, 11.61, 0.57, 0.0]
    >>> [round(unseen(measure, 30), 2) for measure in (RMSE, MAE, MEDIAN_ERROR)]
    [2.55, 1.45, 0.0]
    """
    squares = _unseen_squares(measure, units)
    if measure in (SPEARMAN, KENDALL):
        return _OF_RANKS * squares
    if isinstance(measure.form, MeanLoss):
        return _OF_ERRORS * squares
    return math.sqrt(1 + squares) - 1 if shape_of(measure) is Shape.ROOT else squares


def unseen_of_margin(measure: NumberMeasure, units: float) -> More:
    """Return how much of what speaks against a model, and for it, may not have been seen."""
    return More(_AGAINST * _unseen_squares(measure, units), unseen(measure, units))


def _unseen_squares(measure: NumberMeasure, units: float) -> float:
    has_end = measure.direction is Direction.MINIMIZE and measure.codomain.upper < math.inf
    if has_end or isinstance(measure.form, MiddleError):
        return 0.0
    return min(math.pow(_FEW / units, _FALL), _MOST_UNSEEN)


@dataclass(frozen=True, eq=False)
class Bends:
    """A scale on which a number is nearly normal.

    Parameters
    ----------
    to, back
        To that scale, and back.
    moved
        The number if what a model knows were so many times as much beside its errors.
    """

    to: Callable[[float], float]
    back: Callable[[float], float]
    moved: Callable[[float, float], float]

    def wider(self, limits: Limits, number: float, more: More, sides: Limits) -> Limits:  # noqa: ARG002
        """Return limits that allow for what was not seen."""
        low, high = limits
        fewer, greater = more if number > 0 else reversed(more)  # noise brings it nearer to 0
        return (
            min(low, self.moved(number, 1 / (1 + fewer))),
            max(high, self.moved(number, 1 + greater)),
        )


class Plain(Bends):
    """Differences, as they are."""

    def wider(self, limits: Limits, number: float, more: More, sides: Limits) -> Limits:  # noqa: ARG002
        """Return limits with more of what lowers the number, and with more of what raises it.

        A lower limit above 0 stays above it: that is a claim, which may not be lost to what
        nobody saw, and is as seldom wrong without.
        """
        low, high = limits
        against, in_favour = sides
        down = more.noise * against
        low = low * low / (low + down) if low > 0 else low - down
        return low, high + more.signal * in_favour


def _log(number: float) -> float:
    return math.log(number) if not number <= 0 else -math.inf


def _exp(number: float) -> float:
    return math.exp(number) if number < 700 else math.inf


def _atanh(number: float) -> float:
    return math.atanh(number) if not abs(number) >= 1 else math.copysign(math.inf, number)


def _larger(loss: float, times: float) -> float:
    """Return a loss with more errors; fewer are not expected, as those that were made are known."""
    return loss * max(times, 1.0)


def _of_odds(share: float, times: float) -> float:
    """Return a share whose odds are so many times as high; one below 0, in a larger whole."""
    if share <= 0:
        return share / max(times, 1.0)
    return times * share / (times * share + 1 - share)


def _of_signed_odds(number: float, times: float) -> float:
    return _of_odds(number, times) if number > 0 else -_of_odds(-number, 1 / times)


def _of_squares(correlation: float, times: float) -> float:
    square = correlation * correlation
    moved = _of_odds(square, times if correlation > 0 else 1 / times)
    return math.copysign(math.sqrt(moved), correlation)


PLAIN = Plain(lambda number: number, lambda number: number, lambda number, _: number)
LOSS = Bends(_log, _exp, _larger)
SHARE = Bends(lambda share: -_log(1 - share), lambda bent: 1 - _exp(-bent), _of_odds)
CORRELATION = Bends(_atanh, math.tanh, _of_squares)
AGREEMENT = Bends(_atanh, math.tanh, _of_signed_odds)


def bends_of(measure: NumberMeasure) -> Bends:
    """Return the scale of a score: Fisher's for correlations, and logarithms of losses.

    Examples
    --------
    >>> from baserate.regression.measures.explained import R2
    >>> round(bends_of(R2).to(0.9), 3)
    2.303
    """
    if measure.constants is None:  # all that ignores its input expects 0, as of a correlation
        return AGREEMENT if measure is CONCORDANCE else CORRELATION
    return LOSS if measure.direction is Direction.MINIMIZE else SHARE
