"""The probability that a random ranking is as good: exact if it can be counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from baserate.ranking.law.counts import cheapest
from baserate.ranking.law.saddlepoint import approximate_probability, is_smooth
from baserate.ranking.law.states import blocks_within, probability_by_states

if TYPE_CHECKING:
    from baserate.ranking.law.blocks import Blocks

# This many additions, or ways to place positives, take about a second.
_ADDITIONS, _STATES = 1.5e9, 2e6
# Counting is hopeless with more blocks, or blocks times positives, than this.
_MANY_BLOCKS, _MANY_ROWS = 4000, 10**6
# The neglected probability of a complete count, and of an approximate one.
_NOTHING, _NEGLIGIBLE = 1e-22, 1e-10
# An approximate count has this many sums of rows, and a number of blocks between these two.
_SUMS, _FEWEST_CELLS, _MOST_CELLS = 40_000, 40, 300


class Tail(NamedTuple):
    """A probability, and whether it is exact up to rounding."""

    probability: float
    exact: bool


def tail(blocks: Blocks, *, counted: bool = True, span: int | None = None) -> Tail:
    """Return the probability of at most the given number of wrong pairs.

    Parameters
    ----------
    blocks
        The ranking in question, of both classes.
    counted
        Whether to count, if it can be counted.
    span
        The sums of positions differ by multiples of this, if it is known.
    """
    pairs = blocks.positives * blocks.negatives
    if blocks.wrong > pairs:
        # Compute the shorter of the two tails.
        rest = 2 * pairs - blocks.wrong - 1
        if rest < 0:
            return Tail(1.0, exact=True)
        other = tail(blocks.mirrored(rest), counted=counted, span=span)
        return Tail(1 - other.probability, other.exact)
    if blocks.positives > blocks.negatives:
        blocks = blocks.exchanged()
    if blocks.positives <= 2:
        return Tail(_of_two(blocks) if blocks.positives == 2 else _of_one(blocks), exact=True)
    return (_counted(blocks) if counted else None) or _approximated(blocks, span)


def is_counted(blocks: Blocks) -> bool:
    """Return whether a tail of these blocks is counted; without counting it."""
    if blocks.positives > blocks.negatives:
        blocks = blocks.exchanged()
    if blocks.positives <= 2 or blocks.sizes.size > _MANY_BLOCKS:
        return blocks.positives <= 2
    places = range(blocks.sizes.size)
    parts = (blocks_within(blocks, order, _STATES, _NOTHING) for order in (places, places[::-1]))
    if sum(parts) >= len(places):
        return True
    if blocks.sizes.size * blocks.positives > _MANY_ROWS:
        return False
    counting = cheapest(blocks, _ADDITIONS, _NOTHING, most=2)
    return counting is not None and counting.is_exact


def _of_one(blocks: Blocks) -> float:
    """Return the share of observations at least as high as one positive."""
    return float(blocks.sizes[blocks.costs <= blocks.cost].sum() / blocks.total)


def _of_two(blocks: Blocks) -> float:
    """Return the share of pairs of observations at least as high as two positives."""
    upto = np.append(0, np.cumsum(blocks.sizes))
    partners = upto[np.searchsorted(blocks.costs, blocks.cost - blocks.costs, side="right")]
    itself = 2 * blocks.costs <= blocks.cost
    ordered = blocks.sizes.astype(float) @ (partners - itself)
    return float(ordered / (blocks.total * (blocks.total - 1.0)))


def _counted(blocks: Blocks) -> Tail | None:
    """Return the probability by counting all ways, or None if there are too many."""
    if blocks.sizes.size > _MANY_BLOCKS:
        return None
    by_states = probability_by_states(blocks, _STATES, _NOTHING)
    if by_states is not None:
        return Tail(by_states, exact=True)
    if blocks.sizes.size * blocks.positives > _MANY_ROWS:
        return None
    counting = cheapest(blocks, _ADDITIONS, _NOTHING, most=2)
    is_exact = counting is not None and counting.is_exact
    return Tail(counting.probability(), exact=True) if counting and is_exact else None


def _approximated(blocks: Blocks, span: int | None = None) -> Tail:
    """Return the probability by a saddlepoint, or by a coarse count if the law is lumpy."""
    merged = blocks.merged
    if not is_smooth(merged):
        low, high = merged.likely_above(_NEGLIGIBLE)
        cells = min(int(_SUMS / 8 / (high - low + 1).max()), _MOST_CELLS)
        coarse = merged.coarser(cells) if cells < merged.sizes.size else merged
        counting = cheapest(coarse, _ADDITIONS / 3, _NEGLIGIBLE) if cells > _FEWEST_CELLS else None
        if counting is not None:
            return Tail(counting.probability(), exact=False)
    span = span_of_positions(blocks) if span is None else span
    return Tail(min(approximate_probability(merged, span), 1.0), exact=False)


def span_of_positions(blocks: Blocks) -> int:
    """Return the common divisor of all differences between sums of positions."""
    if blocks.sizes.size > _MANY_BLOCKS:
        return 1  # with so many blocks, half a position does not matter
    return int(np.gcd.reduce(blocks.sizes[1:] + blocks.sizes[:-1]))
