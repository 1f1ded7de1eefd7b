"""The best constants for the Huber loss of numbers that stay in an engine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from baserate.data.engines.aggregation import flag
from baserate.regression.constants import Constants, between, one

if TYPE_CHECKING:
    from baserate.data.engines.number_source import NumberSource

# Newton's steps are few, as the first is from the root of a sample. Beyond these, every other one
# is the middle, as they may go to and fro.
_FEW_STEPS = 8
_CLOSE = 8 * sys.float_info.epsilon


def huber_constants(
    source: NumberSource, delta: float, medians: tuple[float, float], start: float
) -> Constants:
    """Return all constants with the least Huber loss; see `best/huber.py`.

    Parameters
    ----------
    source
        The rows.
    delta
        The error from which the loss is linear.
    medians
        The ends of the interval of medians.
    start
        A constant that is nearly best.
    """
    low, high = medians[0] + delta, medians[1] - delta
    if source.total % 2 == 0 and low <= high:
        return between(low, high)
    low, high = medians[0] - delta, medians[1] + delta
    constant = min(max(start, low), high)
    steps = 0
    while True:
        pull, near = _slope(source, delta, constant)
        low, high = (constant, high) if pull >= 0 else (low, constant)
        found = constant + (pull / near if near else 0.0)
        close = _CLOSE * max(abs(found), delta)
        is_known = abs(found - constant) <= close and (near or not pull)
        is_slow = steps >= _FEW_STEPS and steps % 2 == 0
        if not is_known and (is_slow or not near or not low <= found <= high):
            found = low / 2 + high / 2
        if abs(found - constant) <= close:
            return one(found)
        constant, steps = found, steps + 1


def _slope(source: NumberSource, delta: float, constant: float) -> tuple[float, float]:
    """Return the sum of errors that are clipped at delta, and how many are not."""
    import narwhals.stable.v2 as nw

    errors = nw.col("score0") - constant
    near = nw.when(errors.abs() <= delta).then(errors)
    clipped = near.otherwise(flag(errors > 0) * (2 * delta) - delta)
    found = source.sums({"pull": clipped, "near": flag(errors.abs() <= delta) * 1.0})
    return found["pull"], found["near"]
