"""Count the ways to place the positives with at most a given number of wrong pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.ranking.law.blocks import binomial_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.ranking.law.blocks import Blocks

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]
    # Keyed by the number of positives: the fewest wrong pairs, and the probabilities from there on.
    Rows = dict[int, tuple[int, Floats]]
    Window = tuple[int, Floats]


# The overhead of adding two rows, measured in additions.
_OVERHEAD = 4000
# The most numbers to hold at a time.
_NUMBERS = 10**7


@dataclass(frozen=True)
class Counting:
    """A plan for counting: blocks from the top, blocks from below, and a block where they meet.

    Parameters
    ----------
    blocks
        The ranking in question.
    meeting
        The index of the block in the middle.
    step
        Wrong pairs are rounded down to multiples of this. A step above 1 can only make the
        probability too large, never too small.
    negligible
        Numbers of positives less likely than this, in rankings as good, are left out.
    """

    blocks: Blocks
    meeting: int
    step: int
    negligible: float

    @property
    def is_exact(self) -> bool:
        """Whether nothing is rounded."""
        return self.step == 1 or (self.step == 2 and bool((self.blocks.sizes % 2).all()))

    def probability(self) -> float:
        """Return the probability of at most the given number of wrong pairs."""
        blocks, here = self.blocks, self.meeting
        windows = blocks.windows(range(blocks.sizes.size), self.negligible)
        flipped = map(_flipped, blocks.sizes.tolist(), windows)
        top = self._part(blocks, windows[:here])
        bottom = self._part(blocks.exchanged(), list(flipped)[:here:-1])
        joined = self._joined(top, windows[here], bottom)
        alone = binomial_at(blocks.total, blocks.positives / blocks.total, blocks.positives)
        return min(joined / alone, 1.0)

    def _part(self, blocks: Blocks, windows: list[Window]) -> Rows:
        """Return the law of the wrong pairs in the first blocks, by the number of positives."""
        rows: Rows = {0: (0, np.ones(1))}
        low, high = blocks.likely_above(self.negligible)
        for place, window in enumerate(windows):
            allowed = range(int(low[place + 1]), int(high[place + 1]) + 1)
            rows = self._grown(blocks, rows, place, window, allowed)
        return rows

    def _grown(
        self, blocks: Blocks, rows: Rows, place: int, window: Window, allowed: range
    ) -> Rows:
        """Add a block below: its positives are below all previous negatives."""
        size, seen = int(blocks.sizes[place]), int(blocks.above[place])
        first, weights = window
        parts: dict[int, list[tuple[int, float, Floats]]] = {}
        for count, (low, row) in rows.items():
            for more, weight in enumerate(weights.tolist(), first):
                total = count + more
                negatives = seen + size - total
                if total not in allowed:
                    continue
                start = low + more * (2 * (seen - count) + size - more) // self.step
                # Later positives will be below all these negatives.
                least = 2 * negatives * (blocks.positives - total)
                room = (blocks.wrong - least) // self.step - start
                if room >= 0:
                    parts.setdefault(total, []).append((start, weight, row[: room + 1]))
        return {total: _added(part) for total, part in parts.items()}

    def _joined(self, top: Rows, window: Window, bottom: Rows) -> float:
        """Return the total probability: top, block and bottom, with the pairs across them."""
        blocks, here = self.blocks, self.meeting
        size, seen = int(blocks.sizes[here]), int(blocks.above[here])
        sums = {count: (low, np.cumsum(row)) for count, (low, row) in bottom.items()}
        first, weights = window
        total = 0.0
        for count, (low, row) in top.items():
            for middle, weight in enumerate(weights.tolist(), first):
                below = blocks.positives - count - middle
                negatives = blocks.negatives - (seen - count) - (size - middle)
                if negatives not in sums:
                    continue
                start, reached = sums[negatives]
                across = 2 * (seen - count) * (middle + below)
                across += middle * (size - middle) + 2 * (size - middle) * below
                room = (blocks.wrong - across) // self.step - low - start
                if room >= 0:
                    total += weight * _within(row, reached, room)
        return total


def cheapest(
    blocks: Blocks, budget: float, negligible: float, most: float = math.inf
) -> Counting | None:
    """Return the counting plan with the smallest step, or None if the budget is too small.

    The budget is a number of additions; the step is at most `most`.
    """
    top = _costs(blocks, budget, negligible, most)
    bottom = _costs(blocks.exchanged(), budget, negligible, most)
    last = blocks.sizes.size - 1
    low, high = blocks.likely(negligible)
    numbers = (high - low + 1).tolist()
    ways = []
    for here in range(max(0, last - len(bottom) + 1), min(last + 1, len(top))):
        above, below = top[here], bottom[last - here]
        left = budget - _OVERHEAD * (above.sums + below.sums + above.rows * numbers[here])
        additions = above.additions + below.additions + 2 * above.width * numbers[here]
        if left > 0:
            ways.append((max(additions / left, (above.width + below.width) / _NUMBERS), here))
    if not ways:
        return None
    step, here = min(ways)
    # Without even blocks, all counts are even.
    exact = 2 if (blocks.sizes % 2).all() else 1
    return Counting(blocks, here, max(exact, math.ceil(step)), negligible)


class _Cost(NamedTuple):
    """The cost of the first blocks.

    The rows they end with, their total width, and the sums of rows and additions needed so far.
    """

    rows: int
    width: float
    sums: float
    additions: float


def _costs(blocks: Blocks, budget: float, negligible: float, most_step: float) -> list[_Cost]:
    """Return the cost of the first blocks, up to a budget."""
    low, high = blocks.likely(negligible)
    numbers = (high - low + 1).tolist()
    fewest, most = blocks.likely_above(negligible)
    ends = (blocks.above + blocks.sizes).tolist()
    costs = [_Cost(1, 1.0, 0.0, 0.0)]
    for place, end in enumerate(ends, 1):
        last, more = costs[-1], numbers[place - 1]
        sums = last.sums + more * last.rows
        if sums * _OVERHEAD > budget or last.additions > budget * most_step:
            break
        count = np.arange(fewest[place], most[place] + 1)
        width = _width(blocks, end, count)
        additions = last.additions + more * last.width + 2 * width
        costs.append(_Cost(count.size, width, sums, additions))
    return costs


def _width(blocks: Blocks, seen: int, count: Ints) -> float:
    """Bound the distinct numbers of wrong pairs for these counts of positives so far."""
    most = np.minimum(
        2 * count * (seen - count) - _tied(blocks, seen - count),
        blocks.wrong - 2 * (seen - count) * (blocks.positives - count),
    )
    return float(np.maximum(most - _tied(blocks, count) + 1, 0).sum())


def _tied(blocks: Blocks, cut: Ints) -> Ints:
    """Return how many pairs of equal scores a cut after some observations splits."""
    place = np.searchsorted(blocks.above, cut, side="right") - 1
    here = cut - blocks.above[place]
    return np.asarray(here * (blocks.sizes[place] - here))


def _flipped(size: int, window: Window) -> Window:
    """Return the window of the negatives of a block."""
    first, weights = window
    return size - first - weights.size + 1, weights[::-1]


def _added(parts: list[tuple[int, float, Floats]]) -> tuple[int, Floats]:
    """Mix laws that start at different counts."""
    low = min(start for start, _, _ in parts)
    total = np.zeros(max(start + row.size for start, _, row in parts) - low)
    for start, weight, row in parts:
        total[start - low : start - low + row.size] += weight * row
    return low, total


def _within(row: Floats, reached: Floats, room: int) -> float:
    """Return Σ row[i]·P(other ≤ room - i), given the cumulative law of the other."""
    row = row[: room + 1]
    # Up to here the other law fits completely.
    whole = max(0, min(row.size, room - reached.size + 2))
    rest = row[whole:]
    other = reached[room - whole - rest.size + 1 : room - whole + 1]
    return float(row[:whole].sum() * reached[-1] + rest @ other[::-1])
